import { useId } from "preact/hooks";
import type { AgentSpec, Catalogue } from "../api/types";
import { said, t } from "../words";
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

/** Chooses an agent and its options. */
export function AgentField({ label, catalogue, value, allowsPerson, onChange }: Props) {
  const id = useId();
  const { agents, levels, extra_agents: extra, default_agent: preset } = catalogue;
  const choice = value === null ? null : parse(value, agents);
  const spec = choice && choice.text === null && agents.find(({ name }) => name === choice.name);
  // Agents that are not made of the catalogue's options are listed by their whole text.
  const others = new Set([...extra, preset, value].filter((text) => text !== null));
  const texts = [...others].filter((text) => parse(text, agents).text !== null);
  const isLevel = levels.some(({ agent }) => agent === value);
  const choose = (name: string) => {
    if (name === PERSON) onChange(null);
    else if (levels.some(({ agent }) => agent === name)) onChange(name);
    else onChange(parse(preset, agents).name === name ? preset : name);
  };
  return (
    <div class="agent-field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={choice === null ? PERSON : isLevel ? value! : (choice.text ?? choice.name)}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {allowsPerson && <option value={PERSON}>{t("person")}</option>}
        <optgroup label={t("levels")}>
          {levels.map(({ name, agent }) => (
            <option key={agent} value={agent}>
              {said(name)}
            </option>
          ))}
        </optgroup>
        <optgroup label={t("other agents")}>
          {[...agents.map(({ name }) => name), ...texts].map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </optgroup>
      </select>
      {choice && spec && (
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
  if (spec.options.length === 0) return <p class="quiet">{said(spec.about)}</p>;
  return (
    <details>
      <summary>{given.join(", ") || t("options")}</summary>
      <p class="quiet">{said(spec.about)}</p>
      {spec.options.map((option) => (
        <label key={option.name} class="field">
          <span>{option.name}</span>
          <input
            value={options[option.name] ?? ""}
            placeholder={option.default === null ? "" : said(String(option.default))}
            onInput={(event) => onChange({ ...options, [option.name]: event.currentTarget.value })}
          />
          <small>{said(option.about)}</small>
        </label>
      ))}
    </details>
  );
}
