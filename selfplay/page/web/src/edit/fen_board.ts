/** The board of a FEN as pieces on squares, each as the FEN writes it. */

import { name } from "../board/geometry";

export type Squares = ReadonlyMap<string, string>;

/**
 * The pieces of the first field of a FEN; null if it is no board of this size. `names` are those of all
 * pieces; with `~` before it a piece is covered.
 */
export function readBoard(
  field: string,
  files: number,
  ranks: number,
  names: readonly string[],
): Squares | null {
  const escaped = names.map((text) => text.replace(/[*?]/g, "\\$&"));
  // Longer names first: one may begin like another.
  escaped.sort((one, other) => other.length - one.length);
  const token = new RegExp(`^(?:(\\d+)|~?(?:${escaped.join("|")}))`);
  const rows = field.split("/");
  if (rows.length !== ranks) return null;
  const squares = new Map<string, string>();
  for (const [index, row] of rows.entries()) {
    let [file, rest] = [0, row];
    while (rest) {
      const found = token.exec(rest);
      if (!found) return null;
      if (found[1] === undefined) {
        squares.set(name({ file, rank: ranks - 1 - index }), found[0]);
        file += 1;
      } else {
        file += Number(found[1]);
      }
      rest = rest.slice(found[0].length);
    }
    if (file !== files) return null;
  }
  return squares;
}

/** The first field of a FEN with these pieces. */
export function writeBoard(squares: Squares, files: number, ranks: number): string {
  const rows = Array.from({ length: ranks }, (_, index) => {
    let [row, empty] = ["", 0];
    for (let file = 0; file < files; file += 1) {
      const piece = squares.get(name({ file, rank: ranks - 1 - index }));
      if (piece === undefined) {
        empty += 1;
      } else {
        row += `${empty || ""}${piece}`;
        empty = 0;
      }
    }
    return `${row}${empty || ""}`;
  });
  return rows.join("/");
}
