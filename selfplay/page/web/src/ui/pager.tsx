import type { ComponentChildren } from "preact";
import { number, t } from "../words";

interface Props {
  label: string;
  limit: number;
  offset: number;
  shown: number;
  of: number;
  /** A link or a button to the page that begins there. */
  step: (offset: number, text: string) => ComponentChildren;
}

/** The way to the other pages of a long list. */
export function Pager({ label, limit, offset, shown, of, step }: Props) {
  if (of <= limit && offset === 0) return null;
  const previous = Math.max(0, offset - limit);
  const last = Math.max(0, Math.floor((of - 1) / limit) * limit);
  return (
    <nav class="pager" aria-label={label}>
      {offset > 0 && step(0, `« ${t("first")}`)}
      {offset > 0 && step(previous, `‹ ${t("before")}`)}
      <span>
        {shown > 0
          ? t("{first} to {last} of {count}", {
              first: number(offset + 1),
              last: number(offset + shown),
              count: number(of),
            })
          : t("none of {count}", { count: number(of) })}
      </span>
      {offset + shown < of && step(offset + limit, `${t("next")} ›`)}
      {offset + shown < of && step(last, `${t("last")} »`)}
    </nav>
  );
}
