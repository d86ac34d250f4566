/** What a person can do with the pieces of a board. */
export interface Hands {
  /** The square of the piece that was picked. */
  origin: string | null;
  /** Squares of pieces that have an action. */
  sources: ReadonlySet<string>;
  /** Squares of pieces that can only be turned over. */
  turns: ReadonlySet<string>;
  /** Squares that the picked piece can reach. */
  targets: ReadonlySet<string>;
  /** The target of an action that waits to be confirmed. */
  chosen: string | null;
  /** A square was clicked, or Enter pressed on it. */
  onSquare: (square: string) => void;
  /** A piece is being dragged. */
  onPick: (square: string) => void;
  /** The dragged piece was let go, over a square or nothing to the point. */
  onDrop: (square: string | null) => void;
  onEscape: () => void;
}
