/** Positions to begin a game with, as addresses within the page. */

import type { OptionValues } from "../api/types";
import { text } from "../home/option_fields";
import { link } from "../router";

/** A position of a game with its options. */
export interface Start {
  game: string;
  /** The options that are given; the others are as usual. */
  options: OptionValues;
  /** Empty for the game's own beginning. */
  fen: string;
}

/** Names in an address that are no options of a game. */
const RESERVED = ["game", "fen"];

/** The address of the form, or of the editor, with a position. */
export function startLink({ game, options, fen }: Start, page: "form" | "edit" = "form"): string {
  const given = Object.entries(options).map(([name, value]) => [name, text(value)]);
  return link(page === "edit" ? ["edit"] : [], { game, fen, ...Object.fromEntries(given) });
}

/** The position of an address; null if it names no game. */
export function startOf(query: URLSearchParams): Start | null {
  const game = query.get("game");
  if (!game) return null;
  const options = [...query].filter(([name]) => !RESERVED.includes(name));
  return { game, options: Object.fromEntries(options), fen: query.get("fen") ?? "" };
}
