/** The lines and marks of each style of board, as path data. */

import type { BoardStyle } from "../api/types";
import { CELL, type Geometry, PALACE, type Point } from "./geometry";

/** Distance of the marks of a point from its lines, and their length. */
const MARK = { gap: 5, length: 9 };

/** Marked points of the near half of a xiangqi board, as file and rank. */
const MARKED = [
  [1, 2],
  [7, 2],
  [0, 3],
  [2, 3],
  [4, 3],
  [6, 3],
  [8, 3],
] as const;

function line(from: Point, to: Point): string {
  return `M${from.x} ${from.y}L${to.x} ${to.y}`;
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

export function lines(board: Geometry, style: BoardStyle): string {
  switch (style) {
    case "squares":
      return squareLines(board);
    case "xiangqi":
      return pointLines(board, true) + palaces(board) + marks(board);
    case "palaces":
      return pointLines(board, false) + palaces(board);
    case "go":
      return pointLines(board, false);
  }
}

/** The rectangle around all lines. */
export function border(
  board: Geometry,
  style: BoardStyle,
): Point & { width: number; height: number } {
  const inset = style === "squares" ? 0 : CELL / 2;
  const out = 5;
  const corner = (board.width - board.files * CELL) / 2 + inset - out;
  return {
    x: corner,
    y: corner,
    width: board.files * CELL - 2 * (inset - out),
    height: board.ranks * CELL - 2 * (inset - out),
  };
}

function squareLines(board: Geometry): string {
  const left = (board.width - board.files * CELL) / 2;
  const right = board.width - left;
  const bottom = board.height - left;
  const columns = range(board.files + 1).map((file) => left + file * CELL);
  const rows = range(board.ranks + 1).map((rank) => left + rank * CELL);
  return [
    ...columns.map((x) => line({ x, y: left }, { x, y: bottom })),
    ...rows.map((y) => line({ x: left, y }, { x: right, y })),
  ].join("");
}

/** Lines through all points; with a river, the inner files stop at its banks. */
function pointLines(board: Geometry, hasRiver: boolean): string {
  const { files, ranks } = board;
  const point = (file: number, rank: number) => board.centre({ file, rank });
  const rows = range(ranks).map((rank) => line(point(0, rank), point(files - 1, rank)));
  const columns = range(files).map((file) => {
    const isInner = file > 0 && file < files - 1;
    if (!hasRiver || !isInner) return line(point(file, 0), point(file, ranks - 1));
    const bank = ranks / 2;
    return (
      line(point(file, 0), point(file, bank - 1)) + line(point(file, bank), point(file, ranks - 1))
    );
  });
  return [...rows, ...columns].join("");
}

/** The diagonals of both palaces. */
function palaces(board: Geometry): string {
  const left = (board.files - PALACE) / 2;
  const right = left + PALACE - 1;
  const diagonals = (bottom: number) => {
    const top = bottom + PALACE - 1;
    const point = (file: number, rank: number) => board.centre({ file, rank });
    return (
      line(point(left, bottom), point(right, top)) + line(point(left, top), point(right, bottom))
    );
  };
  return diagonals(0) + diagonals(board.ranks - PALACE);
}

/** Four corners around each marked point, except those outside the board. */
function marks(board: Geometry): string {
  const { files, ranks } = board;
  const points = MARKED.flatMap(([file, rank]) => [
    { file, rank },
    { file: files - 1 - file, rank: ranks - 1 - rank },
  ]);
  const corners = points.flatMap((place) => {
    const { x, y } = board.centre(place);
    const sides = [-1, 1].filter((side) => board.under({ x: x + side * CELL, y }) !== null);
    return sides.flatMap((right) =>
      [-1, 1].map((down) => {
        const near = { x: x + right * MARK.gap, y: y + down * MARK.gap };
        const across = near.x + right * MARK.length;
        const along = near.y + down * MARK.length;
        return `M${across} ${near.y}H${near.x}V${along}`;
      }),
    );
  });
  return corners.join("");
}

/** Points with a dot, every sixth both ways, as on a go board. */
export function dots(board: Geometry): Point[] {
  const marked = (count: number) => range(count).filter((index) => index % 6 === 3);
  return marked(board.files).flatMap((file) =>
    marked(board.ranks).map((rank) => board.centre({ file, rank })),
  );
}

/** The characters of the river, between two files each, and where they stand. */
export function river(board: Geometry): (Point & { sign: string })[] {
  const bank = board.ranks / 2 - 1;
  return [..."楚河漢界"].map((sign, index) => {
    const file = [1, 2, 5, 6][board.isTurned ? 3 - index : index]!;
    const [a, b] = [
      board.centre({ file, rank: bank }),
      board.centre({ file: file + 1, rank: bank + 1 }),
    ];
    return { sign, x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  });
}
