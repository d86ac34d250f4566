import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { Catalogue, GameSpec, OptionValues } from "../api/types";
import { nativeName, plain } from "../names";
import { link } from "../router";
import { begin } from "../play/new_game";
import { Choice } from "../ui/controls";
import { TextField, useSending } from "../ui/fields";
import { Notice } from "../ui/notices";
import { listed, said, t } from "../words";
import { AgentField } from "./agent_field";
import { ClockField } from "./clock_field";
import { Design } from "./design";
import { chosenBy } from "./given";
import { SEATS, spread } from "./kingdom_seats";
import { keep, seated } from "./last_form";
import { OptionFields } from "./option_fields";
import { PositionField } from "./position_field";
import { SeatFields } from "./seat_fields";
import { UnknownNames } from "./unknown_names";
import { offered, useSeating } from "./use_seating";

interface Props {
  catalogue: Catalogue;
  /** May give a position to begin with. */
  query: URLSearchParams;
}

export function NewGameForm({ catalogue, query }: Props) {
  const [{ chosen: kept, fen: given }] = useState(() => chosenBy(catalogue, query));
  const [game, setGame] = useState(kept.game);
  const [players, setPlayers] = useState(kept.players);
  const [options, setOptions] = useState<OptionValues>(kept.options);
  const [adviser, setAdviser] = useState(kept.adviser);
  const [screen, setScreen] = useState(kept.screen);
  const [clock, setClock] = useState(kept.clock);
  const [seed, setSeed] = useState("");
  const [fen, setFen] = useState(given);

  // A reload right after a keystroke comes before the effects that wait for a frame.
  useLayoutEffect(
    () => keep({ game, players, options, adviser, screen, clock }),
    [game, players, options, adviser, screen, clock],
  );

  const known = useSeating(game.name, options);
  const { seating, error: wrongOptions, isCurrent } = known;
  const count = seating?.game === game.name ? seating.num_players : game.players[0];
  const seats = players.slice(0, count);
  const able = offered(catalogue, game.name, known);
  const isDealt = game.hides !== "nothing";
  const people = seats.filter((seat) => seat === null).length;
  const choose = (next: GameSpec) => {
    setGame(next);
    setOptions({});
    setFen("");
    setPlayers(seated(catalogue, next));
  };
  const { submit, isBusy, error, setError } = useSending(() =>
    begin({
      game: game.name,
      options,
      seed: seed.trim() || null,
      fen: fen.trim() || null,
      seats,
      shared: screen === "shared",
      adviser,
      clock:
        clock && people > 0
          ? { minutes: Number(clock.minutes), increment: Number(clock.increment) }
          : null,
    }),
  );
  // A refusal holds until something is changed.
  useEffect(() => setError(null), [game, players, options, adviser, screen, clock, seed, fen]);
  const screens = [
    ["shared", t("One screen")],
    ["links", t("A link for each")],
  ] as const;
  return (
    <form class="card new-game" aria-label={t("New game")} onSubmit={submit}>
      <h1>{t("New game")}</h1>
      <UnknownNames catalogue={catalogue} query={query} />
      <GameChoice games={catalogue.games} value={game} onChange={choose} />
      {game.about && (
        <p class="quiet about">
          {said(game.about)}{" "}
          {game.has_lesson && <a href={link(["learn", game.name], options)}>{t("How to play")}</a>}
        </p>
      )}
      <SeatFields
        catalogue={able}
        game={game}
        seats={seats}
        sides={game.players[1] === 2 ? game.sides : []}
        teams={seating?.game === game.name ? seating.teams : null}
        onChange={setPlayers}
        range={game.options.some(({ name }) => name === SEATS) ? game.players : null}
        onCount={(wanted) => setOptions((old) => ({ ...old, [SEATS]: spread(wanted) ?? "" }))}
      />
      {people > 1 && (
        <Choice label={t("Screens")} value={screen} choices={screens} onChange={setScreen} />
      )}
      {people > 0 && <ClockField value={clock} onChange={setClock} />}
      <details class="rules">
        <summary>
          {t("Rules")} <span class="quiet">{summary(options)}</span>
        </summary>
        <OptionFields specs={game.options} values={options} onChange={setOptions} />
      </details>
      {game.design.length > 0 && <Design game={game} values={options} onChange={setOptions} />}
      {wrongOptions && <Notice kind="error">{wrongOptions}</Notice>}
      <details open={given !== ""}>
        <summary>
          {isDealt ? t("Deal and hints") : t("Position and hints")}{" "}
          <span class="quiet">
            {seed || fen ? t("as given") : isDealt ? t("a fresh deal") : t("as usual")}
          </span>
        </summary>
        <TextField
          label={t("seed")}
          value={seed}
          none={t("drawn")}
          note={isDealt ? t("deals the same game again") : t("draws the agents' chances again")}
          onChange={setSeed}
        />
        <PositionField
          game={game.name}
          options={options}
          isDealt={isDealt}
          value={fen}
          onChange={setFen}
        />
        <AgentField
          label={t("Hints by")}
          catalogue={able}
          game={game}
          value={adviser}
          onChange={(agent) => setAdviser(agent ?? adviser)}
        />
      </details>
      <div class="begin">
        {error && <Notice kind="error">{error}</Notice>}
        <button class="primary big" disabled={isBusy || !isCurrent}>
          {people > 0 ? t("Play") : t("Watch")}
        </button>
      </div>
    </form>
  );
}

interface GameChoiceProps {
  games: GameSpec[];
  value: GameSpec;
  onChange: (game: GameSpec) => void;
}

function NativeName({ game }: { game: string }) {
  const native = nativeName(game);
  return native && <span lang={native.lang}>{native.name}</span>;
}

/** Chooses a game. */
export function GameChoice({ games, value, onChange }: GameChoiceProps) {
  return (
    <div class="games" role="radiogroup" aria-label={t("Game")}>
      {games.map((spec) => (
        <label key={spec.name} class="game">
          <input
            type="radio"
            name="game"
            value={spec.name}
            checked={spec === value}
            onChange={() => onChange(spec)}
          />
          <span class="title">
            {plain(spec.name)} <NativeName game={spec.name} />
          </span>
        </label>
      ))}
    </div>
  );
}

function summary(options: OptionValues): string {
  const changed = Object.entries(options).map(
    ([name, value]) => `${plain(name)}: ${plain(String(value))}`,
  );
  return listed(changed) || t("as usual");
}
