/**
 * The words of the page in the language that was chosen. The English text is the key, so that it can
 * be read where it is used. `words_zh.ts` has the Chinese.
 */

import { ZH } from "./words_zh";

export type Language = "en" | "zh";

let language: Language = "en";

export function setLanguage(next: Language): void {
  language = next;
  document.documentElement.lang = next === "zh" ? "zh-Hans" : "en";
}

/** The language of the browser, if the page has it. */
export function preferredLanguage(): Language {
  return navigator.language.startsWith("zh") ? "zh" : "en";
}

/**
 * A text in the language that was chosen. Values take the places of their names in braces: a text is
 * given whole, because languages order words differently.
 */
export function t(text: string, values: Record<string, string | number> = {}): string {
  const translated = language === "zh" ? (ZH[text] ?? text) : text;
  return translated.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}
