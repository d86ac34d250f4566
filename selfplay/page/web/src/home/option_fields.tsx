import type { OptionSpec, OptionValues } from "../api/types";
import { plain } from "../names";
import { Field } from "../ui/fields";
import { said } from "../words";

/** Changes may follow one another before the fields are drawn anew. */
export type Changing = (change: (values: OptionValues) => OptionValues) => void;

interface Props {
  specs: OptionSpec[];
  /** The options that differ from their defaults. */
  values: OptionValues;
  onChange: Changing;
}

/** A value as it is typed: booleans are on and off. */
export function text(value: OptionSpec["default"]): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  return value === null ? "" : String(value);
}

/** The options of a game's rules. */
export function OptionFields({ specs, values, onChange }: Props) {
  const set = (spec: OptionSpec, value: string) => {
    const isDefault = value === text(spec.default);
    onChange(({ [spec.name]: _, ...others }) =>
      isDefault ? others : { ...others, [spec.name]: value },
    );
  };
  return (
    <div class="options">
      {specs.map((spec) => (
        <Field
          key={spec.name}
          label={plain(spec.name)}
          note={[spec.about, spec.choices ? "" : (spec.range ?? "")]
            .filter(Boolean)
            .map(said)
            .join(" ")}
        >
          <OptionInput
            spec={spec}
            value={text(values[spec.name] ?? spec.default)}
            onChange={(value) => set(spec, value)}
          />
        </Field>
      ))}
    </div>
  );
}

interface InputProps {
  spec: OptionSpec;
  /** Where no label stands beside it. */
  label?: string;
  value: string;
  onChange: (value: string) => void;
}

export function OptionInput({ spec, label, value, onChange }: InputProps) {
  const choices = spec.choices ?? (spec.type === "bool" ? ["off", "on"] : null);
  if (choices) {
    return (
      <select
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {choices.map((choice) => (
          <option key={String(choice)} value={String(choice)}>
            {said(String(choice))}
          </option>
        ))}
      </select>
    );
  }
  // A word for what is so without a value stands in place of one.
  const isWord = spec.default === "usual";
  return (
    <input
      aria-label={label}
      inputMode={spec.type === "int" ? "numeric" : "text"}
      title={said(spec.range ?? "")}
      value={isWord && value === spec.default ? "" : value}
      placeholder={isWord ? said(spec.default as string) : undefined}
      onInput={({ currentTarget }) => onChange(currentTarget.value || (isWord ? "usual" : ""))}
    />
  );
}
