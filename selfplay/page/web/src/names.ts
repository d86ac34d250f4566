/** Names of games, seats and reasons as people read them. */

import type { Army, Disc, Event, Scene } from "./api/types";

/** What the shipped games are called where they come from, and in which language. */
const NATIVE_NAMES: Record<string, { name: string; lang: string }> = {
  banqi: { name: "半棋", lang: "zh-Hans" },
  gaiqi: { name: "盖棋", lang: "zh-Hans" },
  jieqi: { name: "揭棋", lang: "zh-Hans" },
  mystery: { name: "Cờ Úp", lang: "vi" },
  seven_kingdoms: { name: "七國象棋", lang: "zh-Hant" },
};

export function nativeName(game: string): { name: string; lang: string } | null {
  return NATIVE_NAMES[game] ?? null;
}

/** `general_captured` as "general captured". */
export function plain(name: string): string {
  return name.replaceAll("_", " ");
}

/** The armies that a seat plays, as far as it is known. */
export function armiesOf({ owners }: Scene, seat: number): number[] {
  return owners.flatMap((owner, army) => (owner === seat ? [army] : []));
}

/** "seat 0 (red)". */
export function seatName(scene: Scene | null, seat: number): string {
  const armies = scene ? armiesOf(scene, seat) : [];
  const names = armies.map((army) => scene!.picture.armies[army]!.name).join(", ");
  return names ? `seat ${seat} (${names})` : `seat ${seat}`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The letter of a piece in notation: with two armies, the second has lower case. */
export function letterOf(disc: Disc, armies: Army[]): string | null {
  if (disc.letter === null) return null;
  return armies.length === 2 && disc.army === 1 ? disc.letter.toLowerCase() : disc.letter;
}

/** "covered red piece", "black R 車". */
export function pieceName(disc: Disc, armies: Army[]): string {
  const army = disc.army === null ? "" : (armies[disc.army]?.name ?? "");
  const letter = disc.letter === null ? "piece" : `${disc.letter} ${disc.character ?? ""}`;
  return [disc.covered ? "covered" : "", army, letter.trim()].filter(Boolean).join(" ");
}

/** What a ply turned over and took, in few signs: "=R ×c". */
export function eventSigns({ revealed, captured, captured_covered }: Event): string {
  const signs = [
    revealed && `=${revealed}`,
    captured ? `×${captured_covered ? "~" : ""}${captured}` : captured_covered && "×?",
  ];
  return signs.filter(Boolean).join(" ");
}

export function percent(share: number): string {
  const value = share * 100;
  return `${value >= 10 || value === 0 ? Math.round(value) : value.toFixed(1)} %`;
}

export function signed(value: number): string {
  const digits = Math.abs(value).toFixed(2);
  return `${value < 0 && digits !== "0.00" ? "−" : "+"}${digits}`;
}

export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}
