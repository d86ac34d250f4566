import type { ComponentChildren } from "preact";
import { t } from "../words";

interface Props {
  kind: "error" | "gone" | "news";
  children: ComponentChildren;
  onClose?: () => void;
}

/** A line across the page that says what is wrong, or new. */
export function Notice({ kind, children, onClose }: Props) {
  return (
    <div class={`notice ${kind}`} role={kind === "news" ? "status" : "alert"}>
      <span>{children}</span>
      {onClose && (
        <button type="button" class="plain" aria-label={t("Close this message")} onClick={onClose}>
          ✕
        </button>
      )}
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <p class="loading" role="status">
      {t("Loading {what} …", { what })}
    </p>
  );
}

/** A bar of a share from 0 to 1. */
export function Bar({ share, label }: { share: number; label?: string }) {
  const semantics = label
    ? {
        role: "progressbar" as const,
        "aria-label": label,
        "aria-valuenow": Math.round(share * 100),
      }
    : { "aria-hidden": true };
  return (
    <span class="bar" {...semantics}>
      <span style={{ width: `${Math.min(1, Math.max(0, share)) * 100}%` }} />
    </span>
  );
}
