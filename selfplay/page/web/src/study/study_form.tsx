import { useState } from "preact/hooks";
import { post } from "../api/client";
import type { Catalogue, GameSpec, OptionValues, StudyQuestion } from "../api/types";
import { GameChoice } from "../home/new_game_form";
import { OptionFields } from "../home/option_fields";
import { agentName } from "../names";
import { go, link } from "../router";
import { Choice, Switch } from "../ui/controls";
import { Field, TextField, useSending } from "../ui/fields";
import { Notice } from "../ui/notices";
import { number, t } from "../words";
import { CompareField, type Compare, firstOf, isOpen } from "./compare_field";

interface Props {
  catalogue: Catalogue;
  /** Names that other studies have. */
  taken: string[];
}

const HALF_WIDTHS = ["0.1", "0.05", "0.03", "0.02", "0.01"];
const PLAYERS = ["easy", "medium"];

/** The players by their levels. */
function usual({ levels }: GameSpec): string[] {
  return levels.filter(({ name }) => PLAYERS.includes(name)).map(({ name }) => `level:${name}`);
}

/** The form of a new study. */
export function StudyForm({ catalogue, taken }: Props) {
  const [game, setGame] = useState(
    catalogue.games.find(({ name }) => name === "banqi") ?? catalogue.games[0]!,
  );
  const [compare, setCompare] = useState<Compare>(() => firstOf(game));
  const [players, setPlayers] = useState(() => usual(game));
  const [options, setOptions] = useState<OptionValues>({});
  const [stop, setStop] = useState<"minutes" | "until">("minutes");
  const [minutes, setMinutes] = useState("5");
  const [until, setUntil] = useState("0.05");
  const [margin, setMargin] = useState("0.02");
  const [name, setName] = useState("");

  const choose = (next: GameSpec) => {
    setGame(next);
    setCompare(firstOf(next));
    setPlayers(usual(next));
    setOptions({});
  };
  const free = freeName(`${game.name}-${compare.option}`, taken);
  const { submit, isBusy, error } = useSending(async () => {
    // An option that is compared may have been set before.
    const { [compare.option]: _, ...others } = options;
    const question: StudyQuestion = {
      game: game.name,
      options: others,
      compare: [{ option: compare.option, values: compare.values }],
      own_rules: compare.own,
      players,
      until: stop === "until" ? Number(until) : null,
      minutes: stop === "minutes" ? Number(minutes) : null,
      margin: Number(margin),
    };
    const { id } = await post<{ id: string }>("api/studies", {
      name: name.trim() || free,
      question,
    });
    go(link(["studies", id]));
  });
  const canStart =
    compare.values.length > 0 && !isOpen(compare) && players.length > 0 && catalogue.can_save;
  return (
    <form class="card study-form" aria-label={t("New study")} onSubmit={submit}>
      <h2>{t("New study")}</h2>
      {!catalogue.can_save && (
        <Notice kind="error">
          {t("There is no folder for studies. Start the server with one: darkqi serve FOLDER.")}
        </Notice>
      )}
      <GameChoice games={catalogue.games} value={game} onChange={choose} />
      <CompareField game={game} value={compare} onChange={setCompare} />
      <fieldset>
        <legend>{t("Who plays")}</legend>
        <p class="quiet">
          {t(
            "Each level plays itself. Strong players show what rules are worth; they take longer.",
          )}
        </p>
        <div class="switches">
          {game.levels.map(({ name }) => {
            const agent = `level:${name}`;
            return (
              <Switch
                key={name}
                isOn={players.includes(agent)}
                onChange={(isOn) => setPlayers(changed(game, players, agent, isOn))}
              >
                {agentName(agent)}
              </Switch>
            );
          })}
        </div>
      </fieldset>
      <fieldset>
        <legend>{t("How long")}</legend>
        <Choice
          label={t("How long")}
          value={stop}
          choices={[
            ["minutes", t("for some minutes")],
            ["until", t("until it is known")],
          ]}
          onChange={setStop}
        />
        {stop === "minutes" ? (
          <NumberField
            label={t("Minutes")}
            range={[0.1, 10_080]}
            value={minutes}
            onChange={setMinutes}
            note={t("all players together")}
          />
        ) : (
          <Field
            label={t("Known to")}
            note={t(
              "Differences in score from 0 (lost) to 1 (won). Half of it takes about four times as many games.",
            )}
          >
            <select value={until} onChange={(event) => setUntil(event.currentTarget.value)}>
              {HALF_WIDTHS.map((width) => (
                <option key={width} value={width}>
                  ± {number(Number(width))}
                </option>
              ))}
            </select>
          </Field>
        )}
      </fieldset>
      <details>
        <summary>{t("More")}</summary>
        <TextField
          label={t("Name")}
          value={name}
          none={free}
          note={t("of the folder that keeps the study")}
          onChange={setName}
        />
        <NumberField
          label={t("Fair within")}
          range={[0.001, 0.5]}
          value={margin}
          onChange={setMargin}
          note={t("Rules are called fair if the score is shown to be that near to even.")}
        />
        <OptionFields
          specs={game.options.filter(({ name }) => name !== compare.option)}
          values={options}
          onChange={setOptions}
        />
      </details>
      {error && <Notice kind="error">{error}</Notice>}
      <button class="primary big" disabled={isBusy || !canStart}>
        {t("Begin the study")}
      </button>
    </form>
  );
}

interface NumberFieldProps {
  label: string;
  range: [number, number];
  /** As it is typed. */
  value: string;
  onChange: (value: string) => void;
  note: string;
}

function NumberField({ label, range: [min, max], value, onChange, note }: NumberFieldProps) {
  return (
    <Field label={label} note={note}>
      <input
        type="number"
        required
        min={min}
        max={max}
        step="any"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </Field>
  );
}

/** The players from the weakest to the strongest, after one is taken in or left out. */
function changed({ levels }: GameSpec, players: string[], agent: string, isOn: boolean): string[] {
  const all = levels.map(({ name }) => `level:${name}`);
  return all.filter((one) => (one === agent ? isOn : players.includes(one)));
}

function freeName(wish: string, taken: string[]): string {
  const plain = wish.replace(/[^\w.-]/g, "-");
  const isTaken = (name: string) => taken.includes(name);
  if (!isTaken(plain)) return plain;
  let count = 2;
  while (isTaken(`${plain}-${count}`)) count += 1;
  return `${plain}-${count}`;
}
