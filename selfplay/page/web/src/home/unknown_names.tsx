import type { Catalogue } from "../api/types";
import { Notice } from "../ui/notices";
import { listed, t } from "../words";
import { startOf } from "../play/starting";
import { allOptions } from "./given";

/** What an address names that there is not: its game, or options of that. */
function unknownNames(catalogue: Catalogue, query: URLSearchParams): string[] {
  const start = startOf(query);
  if (!start) return [];
  if (!catalogue.games.some(({ name }) => name === start.game)) return [start.game];
  const known = new Set(allOptions(catalogue, start.game).map(({ name }) => name));
  return Object.keys(start.options).filter((name) => !known.has(name));
}

/** A line that says what of an address is left aside. */
export function UnknownNames({
  catalogue,
  query,
}: {
  catalogue: Catalogue;
  query: URLSearchParams;
}) {
  const names = unknownNames(catalogue, query);
  if (names.length === 0) return null;
  return (
    <Notice kind="error">
      {t("The address names no game or option of this page: {names}", { names: listed(names) })}
    </Notice>
  );
}
