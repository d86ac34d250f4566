import type { Action, Picture } from "../api/types";
import { DISC, type Geometry, type Point } from "./geometry";

export interface Arrow {
  from: string;
  to: string;
  kind: "hint" | "policy";
  /** From 0 to 1. */
  weight: number;
}

/** The arrow of a move that is advised; none for a pass. */
export function arrowOf({ from, to }: Action): Arrow[] {
  return from && to ? [{ from, to, kind: "hint", weight: 0.6 }] : [];
}

interface Props {
  board: Geometry;
  picture: Picture;
  threatened: string[];
  origin: string | null;
  targets: ReadonlySet<string>;
  /** The target that was chosen, but not played yet. */
  chosen: string | null;
  arrows: Arrow[];
}

/** What is drawn above the pieces. It has no part in the page's semantics: labels say the same. */
export function Overlay(props: Props) {
  const { board, picture, origin, targets, chosen, arrows } = props;
  const occupied = new Set(picture.pieces.map(({ square }) => square));
  return (
    <g class="overlay" aria-hidden="true">
      {picture.checked.map((square) => (
        <Checked key={square} {...board.at(square)} />
      ))}
      {props.threatened.map((square) => (
        <Threatened key={square} {...board.at(square)} />
      ))}
      {origin && <circle class="origin" {...centred(board.at(origin))} r={DISC + 2} />}
      {[...targets].map((square) => {
        const [at, isTaken] = [centred(board.at(square)), occupied.has(square)];
        if (square === chosen) return <circle class="chosen" key={square} {...at} r={DISC + 1} />;
        return isTaken ? (
          <circle class="target taken" key={square} {...at} r={DISC + 1} />
        ) : (
          <circle class="target" key={square} {...at} r="9" />
        );
      })}
      {arrows.map((arrow) => (
        <ArrowMark key={`${arrow.kind} ${arrow.from} ${arrow.to}`} board={board} arrow={arrow} />
      ))}
    </g>
  );
}

function centred({ x, y }: Point): { cx: number; cy: number } {
  return { cx: x, cy: y };
}

/** A ring and an exclamation mark, so that colour is not all there is. */
function Checked({ x, y }: Point) {
  return (
    <g class="checked" transform={`translate(${x} ${y})`}>
      <circle class="ring" r={DISC + 1} />
      <circle class="badge" cx="21" cy="-21" r="9" />
      <path class="bang" d="M21 -26V-20M21 -17V-16" />
    </g>
  );
}

function Threatened({ x, y }: Point) {
  return <path class="threat" transform={`translate(${x} ${y})`} d="M20 -31L30 -14H10Z" />;
}

function ArrowMark({ board, arrow }: { board: Geometry; arrow: Arrow }) {
  const [from, to] = [board.at(arrow.from), board.at(arrow.to)];
  const opacity = 0.35 + 0.6 * arrow.weight;
  const className = `arrow ${arrow.kind}`;
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length === 0) {
    return <circle class={className} {...centred(to)} r={DISC + 1} opacity={opacity} />;
  }
  const [right, down] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const width = 4 + 5 * arrow.weight;
  const head = width * 2.6;
  const neck = { x: to.x - right * head, y: to.y - down * head };
  const side = { x: -down * head * 0.62, y: right * head * 0.62 };
  const tip = `M${to.x} ${to.y}L${neck.x + side.x} ${neck.y + side.y}L${neck.x - side.x} ${neck.y - side.y}Z`;
  return (
    <g class={className} opacity={opacity}>
      <path
        d={`M${from.x + right * 12} ${from.y + down * 12}L${neck.x} ${neck.y}`}
        stroke-width={width}
      />
      <path class="head" d={tip} />
    </g>
  );
}
