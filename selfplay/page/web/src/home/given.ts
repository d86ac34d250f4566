/** What an address says of the game to begin. */

import type { Catalogue, OptionSpec, OptionValues } from "../api/types";
import { type Start, startOf } from "../play/starting";
import { type Chosen, recall, seated } from "./last_form";
import { text } from "./option_fields";

/** The options of a game, those of its variants last. */
export function allOptions(catalogue: Catalogue | null, game: string): OptionSpec[] {
  const spec = catalogue?.games.find(({ name }) => name === game);
  return spec ? [...spec.options, ...spec.design] : [];
}

/** The options of a game that exist and differ from their defaults. */
export function changedOptions(catalogue: Catalogue, { game, options }: Start): OptionValues {
  const specs = allOptions(catalogue, game);
  const changed = specs.flatMap((spec): [string, string][] => {
    const value = Object.hasOwn(options, spec.name) ? text(options[spec.name]!) : null;
    return value === null || value === text(spec.default) ? [] : [[spec.name, value]];
  });
  return Object.fromEntries(changed);
}

/** What the form begins with: what the address gives, and the last choice for the rest. */
export function chosenBy(
  catalogue: Catalogue,
  query: URLSearchParams,
): { chosen: Chosen; fen: string } {
  const last = recall(catalogue);
  const start = startOf(query);
  const game = catalogue.games.find(({ name }) => name === start?.game);
  if (!start || !game) return { chosen: last, fen: "" };
  const players = game === last.game ? last.players : seated(catalogue, game);
  const options = changedOptions(catalogue, start);
  return { chosen: { ...last, game, players, options }, fen: start.fen };
}
