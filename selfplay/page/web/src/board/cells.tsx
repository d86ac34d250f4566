import { useMemo, useState } from "preact/hooks";
import type { Picture } from "../api/types";
import { pieceName } from "../names";
import { locale, t } from "../words";
import { CELL, type Geometry } from "./geometry";
import type { Hands } from "./hands";

/** The squares of the last ply. */
export interface LastPly {
  from: string | null;
  to: string | null;
}

interface Props {
  board: Geometry;
  picture: Picture;
  last: LastPly | null;
}

const STEPS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Moves the focus to the board, where what had it is gone. */
export function focusBoard(): void {
  document.querySelector<SVGElement>(".board [role=gridcell][tabindex='0']")?.focus();
}

/** Brings the board into sight, if the page is scrolled past it. */
export function showBoard(): void {
  document.querySelector("svg.board")?.scrollIntoView({ block: "nearest" });
}

/** The squares as a grid for keyboards and screen readers. One of them takes part in tabbing. */
export function Cells({ board, picture, last, hands }: Props & { hands: Hands }) {
  const [focus, setFocus] = useState<string | null>(null);
  const labels = useLabels(picture, last, hands);
  const rows = useMemo(() => board.rows(), [board]);
  const entry = focus ?? rows[board.ranks - 1]![Math.floor(board.files / 2)]!;

  const follow = (event: KeyboardEvent) => {
    const square = (event.target as Element).getAttribute("data-square");
    const step = STEPS[event.key];
    if (event.key === "Escape") return hands.onEscape();
    if (!square || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      hands.onSquare(square);
    } else if (step) {
      event.preventDefault();
      const next = board.neighbour(square, ...step);
      if (!next) return;
      setFocus(next);
      const grid = event.currentTarget as Element;
      grid.querySelector<SVGElement>(`[data-square="${next}"]`)?.focus();
    }
  };

  return (
    // Only keys focus squares: after clicks the arrow keys step through the plies.
    <g
      class="cells"
      role="rowgroup"
      onKeyDown={follow}
      onMouseDown={(event) => event.preventDefault()}
    >
      {rows.map((row, index) => (
        <g key={index} role="row" aria-label={t("rank {rank}", { rank: row[0]!.slice(1) })}>
          {row.map((square) => (
            <Cell
              key={square}
              square={square}
              board={board}
              marks={`${mark(square, picture, last)} ${handMarks(square, hands)}`}
              label={labels.get(square) ?? square}
              isEntry={square === entry}
              isOrigin={square === hands.origin}
              onFocus={setFocus}
            />
          ))}
        </g>
      ))}
    </g>
  );
}

interface CellProps {
  square: string;
  board: Geometry;
  marks: string;
  label: string;
  isEntry: boolean;
  isOrigin: boolean;
  onFocus: (square: string) => void;
}

function Cell({ square, board, marks, label, isEntry, isOrigin, onFocus }: CellProps) {
  // The same element as before is skipped when the board is drawn anew.
  return useMemo(() => {
    const { x, y } = board.at(square);
    return (
      <g
        class={`cell ${marks}`}
        role="gridcell"
        data-square={square}
        tabindex={isEntry ? 0 : -1}
        aria-label={label}
        aria-selected={isOrigin}
        onFocus={() => onFocus(square)}
      >
        <rect x={x - CELL / 2} y={y - CELL / 2} width={CELL} height={CELL} />
        <Mark board={board} square={square} />
      </g>
    );
  }, [square, board, marks, label, isEntry, isOrigin, onFocus]);
}

/** The marks of squares on a board that is only looked at. */
export function Marks({ board, picture, last }: Props) {
  const squares = new Set([last?.from, last?.to, ...picture.changed]);
  return (
    <g class="cells">
      {[...squares].map(
        (square) =>
          square && (
            <g key={square} class={`cell ${mark(square, picture, last)}`}>
              <Mark board={board} square={square} />
            </g>
          ),
      )}
    </g>
  );
}

function Mark({ board, square }: { board: Geometry; square: string }) {
  const { x, y } = board.at(square);
  return <rect class="mark" x={x - 30} y={y - 30} width="60" height="60" rx="8" />;
}

function mark(square: string, picture: Picture, last: LastPly | null): string {
  if (square === last?.to) return "reached";
  if (square === last?.from) return "left";
  return picture.changed.includes(square) ? "changed" : "";
}

function handMarks(square: string, { sources, targets }: Hands): string {
  return sources.has(square) || targets.has(square) ? "usable" : "";
}

function useLabels(picture: Picture, last: LastPly | null, hands: Hands): Map<string, string> {
  const { sources, targets, turns } = hands;
  return useMemo(() => {
    const labels = new Map<string, string>();
    const add = (square: string, text: string) =>
      labels.set(square, `${labels.get(square) ?? square}, ${text}`);
    for (const piece of picture.pieces) add(piece.square, pieceName(piece, picture.armies));
    picture.checked.forEach((square) => add(square, t("in check")));
    if (last?.to) add(last.to, t("last move"));
    targets.forEach((square) => add(square, t("can be reached")));
    // In the editor pieces may be put on all squares.
    for (const square of sources)
      if (labels.has(square))
        add(square, turns.has(square) ? t("can be turned over") : t("can move"));
    return labels;
  }, [picture, sources, turns, targets, last?.to, locale()]);
}
