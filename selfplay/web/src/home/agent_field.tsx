import { useId } from "preact/hooks";
import type { AgentSpec, Catalogue } from "../api/types";
import { parse, unparse } from "./agents";

interface Props {
  label: string;
  catalogue: Catalogue;
  /** The agent as text; null for a person. */
  value: string | null;
  /** Whether a person can be chosen. */
  allowsPerson?: boolean;
  onChange: (value: string | null) => void;
}

const PERSON = "(person)";
const OTHER = "(other)";

/** Chooses an agent and its options. */
export function AgentField({ label, catalogue, value, allowsPerson, onChange }: Props) {
  const id = useId();
  const { agents } = catalogue;
  const choice = value === null ? null : parse(value, agents);
  const spec = choice && agents.find(({ name }) => name === choice.name);
  const selected = choice === null ? PERSON : choice.text === null ? choice.name : OTHER;
  const choose = (name: string) => {
    if (name === PERSON) onChange(null);
    else if (name === OTHER) onChange("onnx:");
    else if (parse(catalogue.default_agent, agents).name === name)
      onChange(catalogue.default_agent);
    else onChange(name);
  };
  return (
    <div class="agent-field">
      <label for={id}>{label}</label>
      <select id={id} value={selected} onChange={(event) => choose(event.currentTarget.value)}>
        {allowsPerson && <option value={PERSON}>person</option>}
        {agents.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
        <option value={OTHER}>as text …</option>
      </select>
      {choice?.text != null && (
        <input
          class="agent-text"
          aria-label={`${label}, as text`}
          value={choice.text}
          placeholder="onnx:policy.onnx"
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
      {choice && choice.text === null && spec && (
        <AgentOptions
          spec={spec}
          options={choice.options}
          onChange={(options) => onChange(unparse({ ...choice, options }))}
        />
      )}
    </div>
  );
}

interface OptionsProps {
  spec: AgentSpec;
  options: Record<string, string>;
  onChange: (options: Record<string, string>) => void;
}

function AgentOptions({ spec, options, onChange }: OptionsProps) {
  const given = Object.entries(options).map(([name, value]) => `${name}=${value}`);
  if (spec.options.length === 0) return <p class="quiet">{spec.about}</p>;
  return (
    <details>
      <summary>{given.join(", ") || "options"}</summary>
      <p class="quiet">{spec.about}</p>
      {spec.options.map((option) => (
        <label key={option.name} class="field">
          <span>{option.name}</span>
          <input
            value={options[option.name] ?? ""}
            placeholder={option.default === null ? "" : String(option.default)}
            onInput={(event) => onChange({ ...options, [option.name]: event.currentTarget.value })}
          />
          <small>{option.about}</small>
        </label>
      ))}
    </details>
  );
}
