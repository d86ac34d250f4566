/** The games that were opened in this browser and may still go on. */

export interface Opened {
  key: string;
  game: string;
  /** When it was opened first, in milliseconds since 1970. */
  since: number;
}

const STORE = "darkqi.games";

/** Games that are remembered: each is asked for when they are listed. */
const MOST = 10;

/** The games, the last one first. */
export function opened(): Opened[] {
  try {
    return JSON.parse(localStorage.getItem(STORE) ?? "[]") as Opened[];
  } catch {
    return [];
  }
}

function keep(games: Opened[]): void {
  try {
    localStorage.setItem(STORE, JSON.stringify(games.slice(0, MOST)));
  } catch {
    // Without storage, games are found by their links alone.
  }
}

export function note(key: string, game: string): void {
  const games = opened();
  if (!games.some((other) => other.key === key)) keep([{ key, game, since: Date.now() }, ...games]);
}

export function forget(key: string): void {
  keep(opened().filter((other) => other.key !== key));
}
