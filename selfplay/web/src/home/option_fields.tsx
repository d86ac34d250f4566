import type { OptionSpec, OptionValues } from "../api/types";
import { plain } from "../names";

interface Props {
  specs: OptionSpec[];
  /** The options that differ from their defaults. */
  values: OptionValues;
  onChange: (values: OptionValues) => void;
}

/** The options of a game's rules. */
export function OptionFields({ specs, values, onChange }: Props) {
  const set = (spec: OptionSpec, value: string) => {
    const { [spec.name]: _, ...others } = values;
    const isDefault = value === "" || value === String(spec.default);
    onChange(isDefault ? others : { ...others, [spec.name]: value });
  };
  return (
    <div class="options">
      {specs.map((spec) => (
        <label key={spec.name} class="field">
          <span>{plain(spec.name)}</span>
          <OptionInput
            spec={spec}
            value={String(values[spec.name] ?? spec.default ?? "")}
            onChange={(value) => set(spec, value)}
          />
          <small>{spec.about}</small>
        </label>
      ))}
    </div>
  );
}

interface InputProps {
  spec: OptionSpec;
  value: string;
  onChange: (value: string) => void;
}

function OptionInput({ spec, value, onChange }: InputProps) {
  if (spec.values) {
    return (
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {spec.values.map((choice) => (
          <option key={String(choice)} value={String(choice)}>
            {String(choice)}
          </option>
        ))}
      </select>
    );
  }
  const follow = (event: { currentTarget: HTMLInputElement }) =>
    onChange(event.currentTarget.value);
  if (spec.min === undefined) return <input value={value} onChange={follow} />;
  return <input type="number" min={spec.min} max={spec.max} value={value} onChange={follow} />;
}
