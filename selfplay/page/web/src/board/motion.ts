/** Movements of pieces after a ply. */

import type { Geometry } from "./geometry";

export interface Motion {
  from: string;
  to: string;
  /** Whether the piece was turned over. */
  isTurned: boolean;
}

const SLIDE = 220;
const TURN = 340;

export function prefersStillness(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Slides the piece to where it stands now, turns it over, and lets the captured one fade. */
export function play(svg: SVGSVGElement, board: Geometry, motion: Motion): void {
  if (prefersStillness()) return;
  const piece = svg.querySelector(`[data-piece="${motion.to}"] > .mover`);
  if (!piece) return;
  const isSliding = motion.from !== motion.to;
  if (isSliding) {
    const [from, to] = [board.at(motion.from), board.at(motion.to)];
    const start = `translate(${from.x - to.x}px, ${from.y - to.y}px)`;
    piece.animate([{ transform: start }, { transform: "none" }], {
      duration: SLIDE,
      easing: "cubic-bezier(.3, 0, .2, 1)",
    });
    svg
      .querySelector(".ghost")
      ?.animate([{ opacity: 1 }, { opacity: 1, offset: 0.6 }, { opacity: 0 }], SLIDE * 1.6);
  }
  if (motion.isTurned) turn(piece, isSliding ? SLIDE : 0);
}

function turn(piece: Element, delay: number): void {
  const options = { duration: delay + TURN, easing: "linear" };
  // The back narrows until the middle of the turn, the face widens from there.
  const begin = delay / (delay + TURN);
  const middle = (delay + TURN / 2) / (delay + TURN);
  piece.querySelector(".back")?.animate(
    [
      { opacity: 1, transform: "scaleX(1)", offset: 0 },
      { opacity: 1, transform: "scaleX(1)", offset: begin },
      { opacity: 1, transform: "scaleX(0)", offset: middle },
      { opacity: 0, transform: "scaleX(0)", offset: 1 },
    ],
    options,
  );
  piece.querySelector(".face")?.animate(
    [
      { transform: "scaleX(0)", offset: 0 },
      { transform: "scaleX(0)", offset: middle },
      { transform: "scaleX(1.06)", offset: middle + (1 - middle) * 0.8 },
      { transform: "scaleX(1)", offset: 1 },
    ],
    options,
  );
}
