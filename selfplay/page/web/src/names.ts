/** Names of games, seats and reasons as people read them. */

import type { Army, Disc, Event, Picture, Scene } from "./api/types";
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

/** The name of a kind of piece by its letter; the letter in a game without names. */
export function kindName(letter: string, { names }: Picture): string {
  const name = names[letter];
  return name ? told(name) : letter;
}

/** "covered red piece", "black Chariot". */
export function pieceName(disc: Disc, picture: Picture): string {
  const army = disc.army === null ? "" : (picture.armies[disc.army]?.name ?? "");
  const name = disc.letter === null ? t("piece") : kindName(disc.letter, picture);
  const isOwnName = army !== "" && army === picture.names[disc.letter ?? ""]?.en.toLowerCase();
  const parts = [disc.covered ? t("covered") : "", isOwnName ? "" : said(army), name];
  return parts.filter(Boolean).join(" ");
}

/** What a ply turned over and took, in few signs: "=R ×c". */
export function eventSigns({ revealed, captured, captured_covered }: Event): string {
  const signs = [
    revealed && `=${revealed}`,
    captured ? `×${captured_covered ? "~" : ""}${captured}` : captured_covered && "×?",
  ];
  return signs.filter(Boolean).join(" ");
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
