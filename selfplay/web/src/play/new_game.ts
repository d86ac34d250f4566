/** Begins games, and remembers the keys of those begun in this browser. */

import { post } from "../api/client";
import type { Key, NewGame, Position } from "../api/types";
import { go, link } from "../router";

const STORE = "darkqi.game.";

interface Begun {
  keys: Key[];
  settings: NewGame;
}

function begunWith(key: string): Begun | null {
  try {
    const kept = sessionStorage.getItem(STORE + key);
    return kept ? (JSON.parse(kept) as Begun) : null;
  } catch {
    return null;
  }
}

/** All keys of the game of this key, if it was begun here. */
export function keysWith(key: string): Key[] {
  return begunWith(key)?.keys ?? [];
}

/** Begins a game and goes to its board, or to the links if several people have one each. */
export async function begin(settings: NewGame): Promise<void> {
  const { keys } = await post<{ keys: Key[] }>("/api/games", settings);
  for (const { key } of keys) {
    try {
      sessionStorage.setItem(STORE + key, JSON.stringify({ keys, settings }));
    } catch {
      // The links are then shown only once.
    }
  }
  const players = keys.filter(({ seats }) => seats.length > 0);
  const [first] = players.length > 0 ? players : keys;
  if (players.length > 1) go(link(["links", players[0]!.key]));
  else if (first) go(link(["play", first.key]));
}

/** The settings of a game that is shown, for a new deal, or from the position that was given. */
export function again(key: string, position: Position): NewGame {
  const begun = begunWith(key);
  if (begun) return { ...begun.settings, seed: null };
  const people = position.agents.filter((agent) => agent === null).length;
  return {
    game: position.game,
    options: position.options,
    seed: null,
    fen: null,
    seats: position.agents,
    shared: position.seats.length === people,
    adviser: position.adviser,
  };
}
