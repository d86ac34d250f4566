import type { Army, Facets } from "../api/types";
import { plain } from "../names";
import { useSettings } from "../settings";
import { number as figure, t } from "../words";

type Values = Record<string, string>;

interface Props {
  facets: Facets;
  armies: Army[];
  /** The filters in force, by name in queries. */
  values: Values;
  onChange: (values: Values) => void;
}

/** Filters that have no field here: they come from links of the report. */
const FROM_LINKS = ["first_color", "first_player"];

/** The filters of a dataset's games, with how many games each value has. */
export function Filters({ facets, armies, values, onChange }: Props) {
  const { signs } = useSettings();
  const kindText = (kind: string) => {
    const characters = new Set(armies.map((army) => army.characters[kind] ?? kind));
    return signs === "letters" || characters.size === 0 ? kind : [...characters].join(" ");
  };
  const set = (name: string, value: string) => {
    const { [name]: _, ...others } = values;
    onChange(value ? { ...others, [name]: value } : others);
  };
  const select = (name: string, label: string, counts: Record<string, number>, text = plain) => (
    <Select
      label={label}
      value={values[name] ?? ""}
      choices={byCount(counts).map(([value, count]) => [
        value,
        `${text(value)} (${figure(count)})`,
      ])}
      onChange={(value) => set(name, value)}
    />
  );
  const number = (name: string, label: string, bound: number) => (
    <label>
      {label}
      <input
        type="number"
        min="0"
        placeholder={String(bound)}
        value={values[name] ?? ""}
        onChange={(event) => set(name, event.currentTarget.value)}
      />
    </label>
  );
  const linked = FROM_LINKS.filter((name) => values[name] !== undefined);
  const isFiltered = Object.keys(values).length > 0;
  return (
    <form
      class="card filters"
      aria-label={t("Filters")}
      onSubmit={(event) => event.preventDefault()}
    >
      {select("winner", t("Winner"), facets.winners, (value) =>
        value === "draw" ? t("draw") : t("seat {seat}", { seat: value }),
      )}
      {select("reason", t("Reason"), facets.reasons)}
      {facets.agents.length > 1 && (
        <Select
          label={t("Agent")}
          value={values["agent"] ?? ""}
          choices={facets.agents.map((agent) => [agent, agent])}
          onChange={(value) => set("agent", value)}
        />
      )}
      {Object.keys(facets.first_kinds).length > 0 &&
        select("first_kind", t("First piece"), facets.first_kinds, kindText)}
      {Object.keys(facets.first_squares).length > 0 &&
        select("first_square", t("First square"), facets.first_squares)}
      {number("min_plies", t("Plies from"), facets.min_plies)}
      {number("max_plies", t("to"), facets.max_plies)}
      {linked.map((name) => (
        <button key={name} type="button" onClick={() => set(name, "")}>
          {plain(name)}: {values[name]} ✕
        </button>
      ))}
      {isFiltered && (
        <button type="button" onClick={() => onChange({})}>
          {t("Show all")}
        </button>
      )}
    </form>
  );
}

function byCount(counts: Record<string, number>): [string, number][] {
  return Object.entries(counts).sort(([, a], [, b]) => b - a);
}

interface SelectProps {
  label: string;
  value: string;
  choices: [string, string][];
  onChange: (value: string) => void;
}

function Select({ label, value, choices, onChange }: SelectProps) {
  // A value that no game has, from a link, is still shown.
  const isListed = !value || choices.some(([name]) => name === value);
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{t("any")}</option>
        {!isListed && <option value={value}>{plain(value)} (0)</option>}
        {choices.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
