/** Where the parts of a board lie, in the units of its drawing. */

export const CELL = 64;
export const DISC = 28;
/** Width of the frame, which holds the labels. */
export const FRAME = 30;
/** Side of a palace in points. */
export const PALACE = 3;

export interface Point {
  x: number;
  y: number;
}

/** A square by file and rank, counted from 0 at a1. */
export interface Place {
  file: number;
  rank: number;
}

export function place(square: string): Place {
  return { file: square.charCodeAt(0) - 97, rank: Number(square.slice(1)) - 1 };
}

export function fileLetter(file: number): string {
  return String.fromCharCode(97 + file);
}

export function name({ file, rank }: Place): string {
  return fileLetter(file) + (rank + 1);
}

export class Geometry {
  readonly width: number;
  readonly height: number;

  constructor(
    readonly files: number,
    readonly ranks: number,
    /** Whether the far side is below. */
    readonly isTurned: boolean,
  ) {
    this.width = files * CELL + 2 * FRAME;
    this.height = ranks * CELL + 2 * FRAME;
  }

  /** The centre of a square. */
  centre({ file, rank }: Place): Point {
    const column = this.isTurned ? this.files - 1 - file : file;
    const row = this.isTurned ? rank : this.ranks - 1 - rank;
    return { x: FRAME + (column + 0.5) * CELL, y: FRAME + (row + 0.5) * CELL };
  }

  at(square: string): Point {
    return this.centre(place(square));
  }

  /** The square at a column from the left and a row from the top, if it is on the board. */
  square(column: number, row: number): string | null {
    if (column < 0 || row < 0 || column >= this.files || row >= this.ranks) return null;
    const file = this.isTurned ? this.files - 1 - column : column;
    const rank = this.isTurned ? row : this.ranks - 1 - row;
    return name({ file, rank });
  }

  /** The square under a point. */
  under({ x, y }: Point): string | null {
    return this.square(Math.floor((x - FRAME) / CELL), Math.floor((y - FRAME) / CELL));
  }

  /** The square this number of columns to the right and rows down on the screen. */
  neighbour(square: string, right: number, down: number): string | null {
    const { x, y } = this.at(square);
    return this.under({ x: x + right * CELL, y: y + down * CELL });
  }

  /** All squares as they are seen, row by row from the top. */
  rows(): string[][] {
    return Array.from({ length: this.ranks }, (_, row) =>
      Array.from({ length: this.files }, (_, column) => this.square(column, row)!),
    );
  }
}
