import { useState } from "preact/hooks";
import { message } from "../api/client";
import type { Catalogue, GameSpec, OptionValues } from "../api/types";
import { hanzi, plain } from "../names";
import { begin } from "../play/new_game";
import { Choice } from "../ui/controls";
import { Notice } from "../ui/notices";
import { AgentField } from "./agent_field";
import { OptionFields } from "./option_fields";

const SCREENS = [
  ["shared", "One screen"],
  ["links", "A link for each"],
] as const;

/** A person against the default agent. */
function seated(catalogue: Catalogue, count: number): (string | null)[] {
  return Array.from({ length: count }, (_, seat) => (seat === 0 ? null : catalogue.default_agent));
}

export function NewGameForm({ catalogue }: { catalogue: Catalogue }) {
  const [game, setGame] = useState<GameSpec>(
    () => catalogue.games.find(({ name }) => name === "jieqi") ?? catalogue.games[0]!,
  );
  const [seats, setSeats] = useState(() => seated(catalogue, game.players[0]));
  const [options, setOptions] = useState<OptionValues>({});
  const [adviser, setAdviser] = useState(catalogue.default_agent);
  const [screen, setScreen] = useState<"shared" | "links">("shared");
  const [seed, setSeed] = useState("");
  const [fen, setFen] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  const people = seats.filter((seat) => seat === null).length;
  const choose = (next: GameSpec) => {
    setGame(next);
    setOptions({});
    setSeats(
      seated(
        catalogue,
        next.players[1] > next.players[0] ? Math.min(3, next.players[1]) : next.players[0],
      ),
    );
  };
  const start = async (event: Event) => {
    event.preventDefault();
    setIsBusy(true);
    setError(null);
    try {
      await begin({
        game: game.name,
        options: { ...options, ...playersOption(game, seats.length) },
        seed: seed.trim() || null,
        fen: fen.trim() || null,
        seats,
        shared: screen === "shared",
        adviser,
      });
    } catch (reason) {
      setError(message(reason));
    }
    setIsBusy(false);
  };
  return (
    <form class="card new-game" aria-label="New game" onSubmit={(event) => void start(event)}>
      <h1>New game</h1>
      <div class="games" role="radiogroup" aria-label="Game">
        {catalogue.games.map((spec) => (
          <label key={spec.name} class="game">
            <input
              type="radio"
              name="game"
              value={spec.name}
              checked={spec === game}
              onChange={() => choose(spec)}
            />
            <span class="title">
              {plain(spec.name)} <span lang="zh-Hant">{hanzi(spec.name)}</span>
            </span>
          </label>
        ))}
      </div>
      {game.about && <p class="quiet about">{game.about}</p>}
      {game.players[0] < game.players[1] && (
        <label class="field">
          <span>players</span>
          <select
            value={seats.length}
            onChange={(event) =>
              setSeats(resized(catalogue, seats, Number(event.currentTarget.value)))
            }
          >
            {range(game.players[0], game.players[1]).map((count) => (
              <option key={count} value={count}>
                {count}
              </option>
            ))}
          </select>
        </label>
      )}
      <fieldset class="seats">
        <legend>Who plays</legend>
        {seats.map((value, seat) => (
          <AgentField
            key={seat}
            label={`Seat ${seat}`}
            catalogue={catalogue}
            value={value}
            allowsPerson
            onChange={(agent) => setSeats(seats.map((old, at) => (at === seat ? agent : old)))}
          />
        ))}
        {seats.length === 2 && (
          <button type="button" class="swap" onClick={() => setSeats([...seats].reverse())}>
            Swap seats
          </button>
        )}
      </fieldset>
      {people > 1 && (
        <Choice label="Screens" value={screen} choices={SCREENS} onChange={setScreen} />
      )}
      <details class="rules">
        <summary>
          Rules <span class="quiet">{summary(options)}</span>
        </summary>
        <OptionFields specs={game.options} values={options} onChange={setOptions} />
      </details>
      <details>
        <summary>
          Deal and hints <span class="quiet">{seed || fen ? "as given" : "a fresh deal"}</span>
        </summary>
        <label class="field">
          <span>seed</span>
          <input
            value={seed}
            inputMode="numeric"
            placeholder="drawn"
            onInput={(event) => setSeed(event.currentTarget.value)}
          />
          <small>deals the same game again</small>
        </label>
        <label class="field">
          <span>FEN</span>
          <input
            value={fen}
            placeholder="the game's start"
            onInput={(event) => setFen(event.currentTarget.value)}
          />
          <small>the position to begin with, with what is covered</small>
        </label>
        <AgentField
          label="Hints by"
          catalogue={catalogue}
          value={adviser}
          onChange={(agent) => setAdviser(agent ?? adviser)}
        />
      </details>
      {error && <Notice kind="error">{error}</Notice>}
      <button class="primary big" disabled={isBusy}>
        {people > 0 ? "Play" : "Watch"}
      </button>
    </form>
  );
}

function range(least: number, most: number): number[] {
  return Array.from({ length: most - least + 1 }, (_, index) => least + index);
}

function resized(catalogue: Catalogue, seats: (string | null)[], count: number): (string | null)[] {
  return seated(catalogue, count).map((value, seat) =>
    seat < seats.length ? seats[seat]! : value,
  );
}

/** The option that says how many seats there are, for games with one. */
function playersOption(game: GameSpec, count: number): OptionValues {
  return game.players_option ? { [game.players_option]: String(count) } : {};
}

function summary(options: OptionValues): string {
  const changed = Object.entries(options).map(([name, value]) => `${plain(name)}: ${value}`);
  return changed.join(", ") || "as usual";
}
