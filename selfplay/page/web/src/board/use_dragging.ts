import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import type { Geometry, Point } from "./geometry";
import type { Hands } from "./hands";

/** How far a mouse moves before a press is a drag, in pixels. */
const THRESHOLD = 5;

/** How far from a usable square a finger may tap, in pixels. */
const FINGER = 24;

interface Drag {
  square: string;
  start: Point;
  piece: SVGElement | null;
  isMoving: boolean;
}

/**
 * Handlers for clicks and for dragging a piece with a mouse or a pen. Touching scrolls the page
 * instead, and taps pick.
 */
export function useDragging(
  svg: RefObject<SVGSVGElement | null>,
  board: Geometry,
  hands: Hands | undefined,
) {
  const drag = useRef<Drag | null>(null);
  const skipsClick = useRef(false);
  if (!hands) return {};

  const at = (event: PointerEvent): Point => {
    const matrix = svg.current!.getScreenCTM()!.inverse();
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
  };

  /** The square that a finger means: the nearest usable one, on boards of small squares. */
  const meant = (event: PointerEvent, square: string): string => {
    const { sources, targets } = hands;
    if (event.pointerType !== "touch" || sources.has(square) || targets.has(square)) return square;
    const [point, scale] = [at(event), svg.current!.getScreenCTM()!.a];
    const distance = (other: string) => {
      const { x, y } = board.at(other);
      return Math.hypot(x - point.x, y - point.y) * scale;
    };
    const usable = [...sources, ...targets].sort((one, two) => distance(one) - distance(two));
    return usable[0] !== undefined && distance(usable[0]) <= FINGER ? usable[0] : square;
  };

  const end = (): Drag | null => {
    const ended = drag.current;
    drag.current = null;
    ended?.piece?.style.removeProperty("transform");
    ended?.piece?.parentElement?.classList.remove("dragged");
    return ended;
  };

  return {
    onPointerDown(event: PointerEvent) {
      skipsClick.current = false;
      if (event.button !== 0 || event.pointerType === "touch") return;
      const start = at(event);
      const square = board.under(start);
      if (!square || !hands.sources.has(square)) return;
      const piece = svg.current!.querySelector<SVGElement>(`[data-piece="${square}"] > .mover`);
      drag.current = { square, start, piece, isMoving: false };
    },
    onPointerMove(event: PointerEvent) {
      const dragged = drag.current;
      if (!dragged) return;
      const now = at(event);
      const [right, down] = [now.x - dragged.start.x, now.y - dragged.start.y];
      if (!dragged.isMoving) {
        const scale = svg.current!.getScreenCTM()!.a;
        if (Math.hypot(right, down) * scale < THRESHOLD) return;
        dragged.isMoving = true;
        svg.current!.setPointerCapture(event.pointerId);
        dragged.piece?.parentElement?.classList.add("dragged");
        hands.onPick(dragged.square);
      }
      dragged.piece?.style.setProperty("transform", `translate(${right}px, ${down}px)`);
    },
    onPointerUp(event: PointerEvent) {
      const dragged = end();
      if (!dragged?.isMoving) return;
      skipsClick.current = true;
      const square = board.under(at(event));
      hands.onDrop(square === dragged.square ? null : square);
    },
    onPointerCancel: end,
    onClick(event: MouseEvent) {
      if (skipsClick.current) {
        skipsClick.current = false;
        return;
      }
      const cell = (event.target as Element).closest("[data-square]");
      const square = cell?.getAttribute("data-square");
      if (square) hands.onSquare(meant(event as PointerEvent, square));
    },
  };
}
