/** The games that were opened in this browser and may still go on. */

import { entries, fields, isText, lasting, recalled, remember } from "../stored";

export interface Opened {
  key: string;
  game: string;
  /** When it was opened first, in milliseconds since 1970. */
  since: number;
}

const STORE = "darkqi.games";

/** Games that are remembered: each is asked for when they are listed. */
const MOST = 10;

function isOpened(entry: unknown): entry is Opened {
  const { key, game, since } = fields(entry);
  return isText(key) && isText(game) && typeof since === "number";
}

/** The games, the last one first. Without storage they are found by their links alone. */
export function opened(): Opened[] {
  return entries(recalled(lasting, STORE), isOpened).slice(0, MOST);
}

function keep(games: Opened[]): void {
  remember(lasting, STORE, games.slice(0, MOST));
}

export function note(key: string, game: string): void {
  const games = opened();
  if (!games.some((other) => other.key === key)) keep([{ key, game, since: Date.now() }, ...games]);
}

export function forget(key: string): void {
  keep(opened().filter((other) => other.key !== key));
}
