/** Names of games, seats and reasons as people read them. */

import type { Action, Army, Disc, Event, Phrase, PlayedPly, Scene } from "./api/types";
import { writesChinese } from "./settings";
import { listed, locale, said, t, told } from "./words";

/** What the shipped games are called where they come from, and in which language. */
const NATIVE_NAMES: Record<string, { name: string; lang: string }> = {
  banqi: { name: "半棋", lang: "zh-Hans" },
  gaiqi: { name: "盖棋", lang: "zh-Hans" },
  jieqi: { name: "揭棋", lang: "zh-Hans" },
  mystery: { name: "Cờ Úp", lang: "vi" },
  seven_kingdoms: { name: "七國象棋", lang: "zh-Hant" },
};

/** What stands beside the game's name; nothing in Chinese, where it is its name. */
export function nativeName(game: string): { name: string; lang: string } | null {
  return locale() === "en" ? (NATIVE_NAMES[game] ?? null) : null;
}

/** A name of the rules, such as `general_captured`, in words. */
export function plain(name: string): string {
  return said(name).replaceAll("_", " ");
}

/** A text of the server with its values, as it begins a sentence. */
export function sentence(phrase: Phrase): string {
  return capital(phrased(phrase));
}

/** "0.5205 (0.5105 to 0.5304)". */
const INTERVAL = /^(\S+) \((\S+) to (\S+)\)$/;

function phrased({ text, values }: Phrase): string {
  const [, value, low, high] = INTERVAL.exec(text) ?? [];
  if (value && low && high) return t("{value} ({low} to {high})", { value, low, high });
  return plain(text).replace(/\{(\w+)\}/g, (place, name: string) =>
    values[name] ? phrased(values[name]) : place,
  );
}

/** The armies that a seat plays, as far as it is known. */
export function armiesOf({ owners }: Scene, seat: number): number[] {
  return owners.flatMap((owner, army) => (owner === seat ? [army] : []));
}

/** "seat 0 (red)". */
export function seatName(scene: Scene | null, seat: number): string {
  const armies = scene ? armiesOf(scene, seat) : [];
  const names = listed(armies.map((army) => said(scene!.picture.armies[army]!.name)));
  return names ? t("seat {seat} ({armies})", { seat, armies: names }) : t("seat {seat}", { seat });
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The letter of a piece in notation: with two armies, the second has lower case. */
export function letterOf(disc: Disc, armies: Army[]): string | null {
  if (disc.letter === null) return null;
  return armies.length === 2 && disc.army === 1 ? disc.letter.toLowerCase() : disc.letter;
}

/** The name of a kind of piece in words; its letter in a game without names. */
export function kindName(letter: string, army: Army | undefined): string {
  const name = army?.names[letter];
  return name ? told(name) : letter;
}

/** "covered red piece", "black Chariot". */
export function pieceName(disc: Disc, armies: Army[]): string {
  const army = disc.army === null ? undefined : armies[disc.army];
  const name = disc.letter === null ? t("piece") : kindName(disc.letter, army ?? armies[0]);
  // The emperor is an army of its own.
  const side =
    army && army.name !== army.names[disc.letter ?? ""]?.en.toLowerCase() ? army.name : "";
  const parts = [disc.covered ? t("covered") : "", said(side), name];
  return parts.filter(Boolean).join(locale() === "en" ? " " : "");
}

/** The disc of a piece named in notation: `R` and `r` of two armies, `gR` of more. */
export function namedDisc(name: string, armies: Army[], covered = false): Disc {
  const isOfTwo = name.length === 1;
  const letter = isOfTwo ? name.toUpperCase() : name.slice(1);
  const known = isOfTwo
    ? Number(name !== letter)
    : armies.findIndex((army) => army.letter === name.charAt(0));
  const army = armies[known];
  const character = army?.characters[letter] ?? null;
  return { army: army ? known : null, letter, character, covered };
}

/** A piece of which nothing is known. */
export const UNKNOWN: Disc = { army: null, letter: null, character: null, covered: true };

/** What a ply took; null if nothing. */
export function takenBy({ captured, captured_covered }: Event, armies: Army[]): Disc | null {
  if (captured !== null) return namedDisc(captured, armies, captured_covered);
  return captured_covered ? UNKNOWN : null;
}

/** A move as a person reads it. It is typed by its `name`. */
export function moveName({ name, chinese }: Pick<Action, "name" | "chinese">): string {
  return writesChinese() ? (chinese ?? name) : name;
}

/** A ply with what it turned over and took, in a sentence without an end. */
export function plyText(ply: PlayedPly, armies: Army[]): string {
  const move = moveName(ply);
  const taken = takenBy(ply, armies);
  const revealed = ply.revealed && pieceName(namedDisc(ply.revealed, armies), armies);
  const captured =
    taken && (taken.letter ? pieceName(taken, armies) : t("a covered piece that is not shown"));
  if (revealed && captured) {
    return t("{move}, turning over {revealed} and taking {captured}", { move, revealed, captured });
  }
  if (revealed) return t("{move}, turning over {revealed}", { move, revealed });
  return captured ? t("{move}, taking {captured}", { move, captured }) : move;
}

/** An agent as people call it: a level by its name. */
export function agentName(agent: string): string {
  const level = /^level:(\w+)$/.exec(agent)?.[1];
  return level === undefined ? agent : capital(said(level));
}

export function percent(share: number): string {
  const value = share * 100;
  const text = value >= 10 || value === 0 ? Math.round(value) : value.toFixed(1);
  return `${text} %`;
}

export function signed(value: number): string {
  const digits = Math.abs(value).toFixed(2);
  return `${value < 0 && digits !== "0.00" ? "−" : "+"}${digits}`;
}

/** The agents of all seats: "greedy – random", "7 × greedy". */
export function agentsText(agents: string[]): string {
  const isOne = agents.length > 2 && agents.every((agent) => agent === agents[0]);
  return isOne ? `${agents.length} × ${agentName(agents[0]!)}` : agents.map(agentName).join(" – ");
}
