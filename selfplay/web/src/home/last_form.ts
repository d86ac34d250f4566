/** What was chosen for the last game, kept in the browser. */

import type { Catalogue, GameSpec, OptionValues } from "../api/types";

export interface Chosen {
  game: GameSpec;
  /** The agent of each seat that the game may have; null for a person. */
  players: (string | null)[];
  options: OptionValues;
  adviser: string;
  screen: "shared" | "links";
}

const STORE = "darkqi.form";

/** A person against the default agent, for as many seats as a game may have. */
export function seated(catalogue: Catalogue, { players }: GameSpec): (string | null)[] {
  return Array.from({ length: players[1] }, (_, seat) =>
    seat === 0 ? null : catalogue.default_agent,
  );
}

function first(catalogue: Catalogue): Chosen {
  const game = catalogue.games.find(({ name }) => name === "jieqi") ?? catalogue.games[0]!;
  const adviser = catalogue.default_agent;
  return { game, players: seated(catalogue, game), options: {}, adviser, screen: "shared" };
}

/** The last choice, as far as this server has it. */
export function recall(catalogue: Catalogue): Chosen {
  const preset = first(catalogue);
  try {
    const kept = JSON.parse(localStorage.getItem(STORE) ?? "null");
    const game = catalogue.games.find(({ name }) => name === kept?.game);
    if (!game) return preset;
    const isKnown = ([name]: [string, unknown]) => game.options.some((it) => it.name === name);
    const players = seated(catalogue, game).map((usual, seat) => {
      const player: unknown = kept.players?.[seat];
      return player === null || typeof player === "string" ? player : usual;
    });
    return {
      game,
      players,
      options: Object.fromEntries(Object.entries<never>(kept.options ?? {}).filter(isKnown)),
      adviser: typeof kept.adviser === "string" ? kept.adviser : preset.adviser,
      screen: kept.screen === "links" ? "links" : "shared",
    };
  } catch {
    return preset;
  }
}

export function keep({ game, ...others }: Chosen): void {
  try {
    localStorage.setItem(STORE, JSON.stringify({ game: game.name, ...others }));
  } catch {
    // Without storage, the choice lasts as long as the page.
  }
}
