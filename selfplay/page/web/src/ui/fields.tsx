import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { message } from "../api/client";

interface FieldProps {
  label: string;
  note: string | null;
  children: ComponentChildren;
}

/** A control with its name and a note. */
export function Field({ label, note, children }: FieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      {children}
      <small>{note}</small>
    </label>
  );
}

interface TextFieldProps {
  label: string;
  value: string;
  /** What holds while nothing is typed. */
  none?: string;
  note: string;
  onChange: (value: string) => void;
}

export function TextField({ label, value, none, note, onChange }: TextFieldProps) {
  return (
    <Field label={label} note={note}>
      <input
        value={value}
        placeholder={none}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </Field>
  );
}

/** The sending of a form: what submits it, whether it is under way, and why it was refused. */
export function useSending(send: () => Promise<void>) {
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    setIsBusy(true);
    setError(null);
    send()
      .catch((reason: unknown) => setError(message(reason)))
      .finally(() => setIsBusy(false));
  };
  return { submit, isBusy, error, setError };
}
