/** Texts such as "expectimax:depth=2,net=none", taken apart and put together. */

import type { AgentSpec } from "../api/types";

export interface AgentChoice {
  name: string;
  /** Options that are not left at their defaults. */
  options: Record<string, string>;
  /** The whole text, where it is not made of options of the catalogue. */
  text: string | null;
}

export function parse(text: string, agents: AgentSpec[]): AgentChoice {
  const [name = "", rest = ""] = split(text, ":");
  const known = agents.find((agent) => agent.name === name);
  const pairs = rest ? rest.split(",").map((pair) => split(pair, "=")) : [];
  const isKnown = (pair: [string, string | undefined]) =>
    pair[1] !== undefined && known?.options.some((option) => option.name === pair[0]);
  if (!known || !pairs.every(isKnown)) return { name, options: {}, text };
  const options = Object.fromEntries(pairs.map(([option, value]) => [option, value!]));
  return { name, options, text: null };
}

export function unparse({ name, options, text }: AgentChoice): string {
  if (text !== null) return text;
  const pairs = Object.entries(options).filter(([, value]) => value.trim() !== "");
  return pairs.length === 0 ? name : `${name}:${pairs.map((pair) => pair.join("=")).join(",")}`;
}

function split(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
