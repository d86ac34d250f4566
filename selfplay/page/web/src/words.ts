/**
 * The words of the page in the language that was chosen. The English text is the key, so that it can
 * be read where it is used. `words_zh.ts` has the Chinese, and `words_zh_server.ts` that of what the
 * server says.
 */

import type { ComponentChildren } from "preact";
import type { Words } from "./api/types";
import { ZH } from "./words_zh";
import { ZH_OF_SERVER, ZH_REASONS } from "./words_zh_server";

export type Language = "en" | "zh";

let language: Language = "en";

export function setLanguage(next: Language): void {
  language = next;
  document.documentElement.lang = next === "zh" ? "zh-Hans" : "en";
}

/** The language that is shown now, as `Intl` and the attribute `lang` name it. */
export function locale(): "en" | "zh-Hans" {
  return language === "zh" ? "zh-Hans" : "en";
}

/** The language of the browser, if the page has it. */
export function preferredLanguage(): Language {
  return navigator.language.startsWith("zh") ? "zh" : "en";
}

type Values = Record<string, string | number>;

function translated(text: string): string {
  return language === "zh" ? (ZH[text] ?? text) : text;
}

/**
 * A text in the language that was chosen. Values take the places of their names in braces: a text is
 * given whole, because languages order words differently.
 */
export function t(text: string, values: Values = {}): string {
  return translated(text).replace(/\{(\w+)\}/g, (place, name: string) =>
    String(values[name] ?? place),
  );
}

/** As `t`, with elements as values. */
export function filled(
  text: string,
  values: Record<string, ComponentChildren>,
): ComponentChildren[] {
  // Each second part is a name.
  return translated(text)
    .split(/\{(\w+)\}/)
    .map((part, index) => (index % 2 === 0 ? part : values[part]));
}

/** A text with a `{count}`. Chinese has one form for one and for many: that of `many`. */
export function counted(count: number, one: string, many: string, values: Values = {}): string {
  const text = count === 1 && language === "en" ? one : many;
  return t(text, { count: number(count), ...values });
}

/** A text of the server that is one of few, such as what an option is about. */
export function said(text: string): string {
  return language === "zh" ? (ZH_OF_SERVER[text] ?? text) : text;
}

/** Why the server refuses something, where that has one of few forms. */
export function saidWhy(text: string): string {
  const form = language === "zh" && ZH_REASONS.find(([pattern]) => pattern.test(text));
  return form ? text.replace(...form) : text;
}

/** What the server says in both languages. */
export function told(words: Words): string {
  return language === "zh" ? words.zh : words.en;
}

export function number(value: number, options: Intl.NumberFormatOptions = {}): string {
  return value.toLocaleString(locale(), options);
}

export function date(milliseconds: number): string {
  return new Date(milliseconds).toLocaleString(locale(), {
    dateStyle: "medium",
    timeStyle: "short",
  });
}

/** Names one after another. */
export function listed(names: (string | number)[]): string {
  return names.join(language === "zh" ? "、" : ", ");
}
