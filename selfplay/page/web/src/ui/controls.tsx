import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../words";

interface SwitchProps {
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  children: ComponentChildren;
}

export function Switch({ isOn, onChange, children }: SwitchProps) {
  return (
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        checked={isOn}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{children}</span>
    </label>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  /** Pairs of value and text. */
  choices: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}

/** A row of buttons of which one is pressed. */
export function Choice<T extends string>({ label, value, choices, onChange }: ChoiceProps<T>) {
  return (
    <div class="choice" role="group" aria-label={label}>
      {choices.map(([name, text]) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === value}
          onClick={() => name !== value && onChange(name)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

interface CopyProps {
  text: string;
  title?: string;
  children: ComponentChildren;
}

/** Copies a text; where the browser does not allow it, the text is shown to be copied by hand. */
export function Copy({ text, title, children }: CopyProps) {
  const [state, setState] = useState<"idle" | "done" | "failed">("idle");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState("done");
    } catch {
      setState("failed");
    }
  };
  useEffect(() => {
    if (state !== "done") return;
    const timer = setTimeout(() => setState("idle"), 1600);
    return () => clearTimeout(timer);
  }, [state]);
  return (
    <>
      <button type="button" title={title} onClick={() => void copy()}>
        {state === "done" ? t("Copied") : children}
      </button>
      {state === "failed" && <Selectable text={text} label={t("To copy by hand")} />}
    </>
  );
}

export function Selectable({ text, label }: { text: string; label: string }) {
  return (
    <input
      class="selectable"
      readOnly
      value={text}
      aria-label={label}
      onFocus={(event) => event.currentTarget.select()}
    />
  );
}

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** A dialogue in front of the page, closed by Escape. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={onClose}>
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}
