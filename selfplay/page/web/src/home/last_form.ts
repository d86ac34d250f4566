/** What was chosen for the last game, kept in the browser. */

import type { Catalogue, GameSpec, OptionValue, OptionValues } from "../api/types";
import { fields, isText, lasting, oneOf, recalled, remember } from "../stored";

export interface Chosen {
  game: GameSpec;
  /** The agent of each seat that the game may have; null for a person. */
  players: (string | null)[];
  options: OptionValues;
  adviser: string;
  screen: "shared" | "links";
  clock: ClockChoice | null;
}

/** Minutes and seconds as they are typed. */
export interface ClockChoice {
  minutes: string;
  increment: string;
}

export const USUAL: ClockChoice = { minutes: "10", increment: "5" };

const STORE = "darkqi.form";

/** A person against the default agent, for as many seats as a game may have. */
export function seated(catalogue: Catalogue, { players }: GameSpec): (string | null)[] {
  return Array.from({ length: players[1] }, (_, seat) =>
    seat === 0 ? null : catalogue.default_agent,
  );
}

function first(catalogue: Catalogue): Chosen {
  const game = catalogue.games.find(({ name }) => name === "jieqi") ?? catalogue.games[0]!;
  const { adviser } = catalogue;
  const players = seated(catalogue, game);
  return { game, players, options: {}, adviser, screen: "shared", clock: null };
}

function isValue(value: unknown): value is OptionValue {
  return ["string", "number", "boolean"].includes(typeof value);
}

/** The last choice, as far as this server has it. */
export function recall(catalogue: Catalogue): Chosen {
  const preset = first(catalogue);
  const kept = fields(recalled(lasting, STORE));
  const game = catalogue.games.find(({ name }) => name === kept["game"]);
  if (!game) return preset;
  const chosen = Array.isArray(kept["players"]) ? kept["players"] : [];
  const players = seated(catalogue, game).map((usual, seat) => {
    const player: unknown = chosen[seat];
    return player === null || isText(player) ? player : usual;
  });
  const { minutes, increment } = fields(kept["clock"]);
  const options = fields(kept["options"]);
  const known = [...game.options, ...game.design].flatMap(({ name }): [string, OptionValue][] => {
    const value = Object.hasOwn(options, name) ? options[name] : undefined;
    return isValue(value) ? [[name, value]] : [];
  });
  return {
    game,
    players,
    options: Object.fromEntries(known),
    adviser: isText(kept["adviser"]) ? kept["adviser"] : preset.adviser,
    screen: oneOf(kept["screen"], ["shared", "links"]),
    clock: isText(minutes) && isText(increment) ? { minutes, increment } : null,
  };
}

export function keep({ game, ...others }: Chosen): void {
  remember(lasting, STORE, { game: game.name, ...others });
}
