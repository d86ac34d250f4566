import { useId } from "preact/hooks";
import type { AgentSpec, Catalogue, GameSpec, Level } from "../api/types";
import { agentName } from "../names";
import { TextField } from "../ui/fields";
import { said, t } from "../words";
import { parse, unparse } from "./agents";

interface Props {
  label: string;
  catalogue: Catalogue;
  game: GameSpec;
  /** The agent as text; null for a person. */
  value: string | null;
  /** Whether a person can be chosen. */
  allowsPerson?: boolean;
  onChange: (value: string | null) => void;
}

const PERSON = "(person)";

/** Chooses an agent and its options. */
export function AgentField({ label, catalogue, game, value, allowsPerson, onChange }: Props) {
  const id = useId();
  const { agents, extra_agents: extra, default_agent: preset } = catalogue;
  const choice = value === null ? null : parse(value, agents);
  const spec = choice && choice.text === null && agents.find(({ name }) => name === choice.name);
  const levels = game.levels.map((level) => ({ ...level, text: `level:${level.name}` }));
  const level = levels.find(({ text }) => text === value);
  // Agents that are not made of the catalogue's options are listed by their whole text.
  const others = new Set([...extra, preset, value].filter((text) => text !== null));
  const texts = [...others].filter(
    (text) => parse(text, agents).text !== null && !levels.some((level) => level.text === text),
  );
  const choose = (name: string) => {
    if (name === PERSON) onChange(null);
    else if (levels.some(({ text }) => text === name)) onChange(name);
    else onChange(parse(preset, agents).name === name ? preset : name);
  };
  return (
    <div class="agent-field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={choice === null ? PERSON : (choice.text ?? choice.name)}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {allowsPerson && <option value={PERSON}>{t("person")}</option>}
        <optgroup label={t("levels")}>
          {levels.map(({ text }, rank) => (
            <option key={text} value={text}>
              {agentName(text)} {advantage(levels, rank)}
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
      {level && <p class="quiet">{level.agent}</p>}
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

/** The advantage of a level over the first one in Elo, as text; empty where it was not measured. */
function advantage(levels: Level[], rank: number): string {
  const gaps = levels.slice(1, rank + 1).map(({ elo }) => elo);
  if (gaps.length === 0 || gaps.includes(null)) return "";
  return t("+{points} Elo over {level}", {
    points: gaps.reduce<number>((sum, gap) => sum + (gap ?? 0), 0),
    level: agentName(`level:${levels[0]!.name}`),
  });
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
        <TextField
          key={option.name}
          label={option.name}
          value={options[option.name] ?? ""}
          none={option.default === null ? "" : said(String(option.default))}
          note={said(option.about)}
          onChange={(value) => onChange({ ...options, [option.name]: value })}
        />
      ))}
    </details>
  );
}
