/** What a person prefers, kept in the browser. */

import { useEffect, useState } from "preact/hooks";
import { entries, fields, isText, lasting, oneOf, recalled, remember } from "./stored";
import { type Language, preferredLanguage, setLanguage } from "./words";

export interface Settings {
  theme: "system" | "light" | "dark";
  language: Language;
  signs: "hanzi" | "letters" | "both" | "figures";
  /** How moves are written; by the language, unless one was chosen. */
  notation: "language" | "coordinates" | "chinese";
  sounds: boolean;
  showsThreats: boolean;
  /** Whether a move is shown with its odds before it is played. */
  asksFirst: boolean;
  /** How fast a game is shown that plays by itself: 2 is twice as fast. */
  pace: number;
  /** The boards that the viewer shows, by viewer. */
  boards: string[];
}

const IS_SMALL = matchMedia("(max-width: 40rem), (max-height: 34rem)").matches;
const BOARDS = IS_SMALL ? ["all"] : ["0", "1", "public", "all"];
const STORE = "darkqi.settings";

export const PACES = [0.5, 1, 2, 4];

function read(): Settings {
  const kept = fields(recalled(lasting, STORE));
  return {
    theme: oneOf(kept["theme"], ["system", "light", "dark"]),
    language:
      kept["language"] === "en" || kept["language"] === "zh"
        ? kept["language"]
        : preferredLanguage(),
    signs: oneOf(kept["signs"], ["hanzi", "letters", "both", "figures"]),
    notation: oneOf(kept["notation"], ["language", "coordinates", "chinese"]),
    sounds: kept["sounds"] === true,
    showsThreats: kept["showsThreats"] === true,
    asksFirst: kept["asksFirst"] === true,
    pace: PACES.find((pace) => pace === kept["pace"]) ?? 1,
    boards: Array.isArray(kept["boards"]) ? entries(kept["boards"], isText) : BOARDS,
  };
}

let settings = read();
const listeners = new Set<(value: Settings) => void>();

export function change(part: Partial<Settings>): void {
  settings = { ...settings, ...part };
  remember(lasting, STORE, settings);
  tell();
}

function tell(): void {
  apply();
  listeners.forEach((listener) => listener(settings));
}

// Another tab has changed them.
addEventListener("storage", ({ key }) => {
  if (key !== STORE) return;
  settings = read();
  tell();
});

/** Sets language and theme on the document; the theme "system" leaves it to the media query. */
export function apply(): void {
  setLanguage(settings.language);
  const root = document.documentElement;
  if (settings.theme === "system") delete root.dataset["theme"];
  else root.dataset["theme"] = settings.theme;
}

/** Whether moves are written in Chinese notation, where a game has it. */
export function writesChinese(): boolean {
  const { notation, language } = settings;
  return notation === "language" ? language === "zh" : notation === "chinese";
}

export function useSettings(): Settings {
  const [value, setValue] = useState(settings);
  useEffect(() => {
    listeners.add(setValue);
    // What changed between drawing and now.
    setValue(settings);
    return () => void listeners.delete(setValue);
  }, []);
  return value;
}
