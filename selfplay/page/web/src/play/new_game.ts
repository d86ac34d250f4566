/** Begins games, and remembers the keys of those begun in this browser. */

import { post } from "../api/client";
import type { Key, NewGame, Position } from "../api/types";
import { go, link } from "../router";
import { entries, fields, isText, passing, recalled, remember } from "../stored";

const STORE = "darkqi.keys.";

function isKey(entry: unknown): entry is Key {
  const { key, seats } = fields(entry);
  return isText(key) && Array.isArray(seats) && seats.every(Number.isInteger);
}

/** All keys of the game of this key, if it was begun here. */
export function keysWith(key: string): Key[] {
  return entries(recalled(passing, STORE + key), isKey);
}

/** Begins a game and goes to its board, or to the links if several people have one each. */
export async function begin(settings: NewGame): Promise<void> {
  const { keys } = await post<{ keys: Key[] }>("api/games", settings);
  for (const { key } of keys) remember(passing, STORE + key, keys);
  const players = keys.filter(({ seats }) => seats.length > 0);
  const [first] = players.length > 0 ? players : keys;
  if (players.length > 1) go(link(["links", players[0]!.key]));
  else if (first) go(link(["play", first.key]));
}

/**
 * The settings of a game that is over, for a new deal, or from the position that it began with; of two
 * players, perhaps each in the other's seat.
 */
export function again(position: Position, isSwapped: boolean): NewGame {
  return {
    game: position.game,
    options: position.options,
    seed: null,
    fen: position.started_from,
    seats: isSwapped ? position.agents.toReversed() : position.agents,
    shared: position.shared,
    adviser: position.adviser,
    clock: position.clock?.limits ?? null,
  };
}
