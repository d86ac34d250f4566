import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import type { Geometry, Point } from "./geometry";
import type { Hands } from "./hands";

/** How far a mouse or a finger moves before a press is a drag, in pixels. */
const THRESHOLD = { mouse: 5, touch: 8 };

/** How far from a usable square a finger may tap, in pixels. */
const FINGER = 24;

interface Drag {
  square: string;
  start: Point;
  pointer: number;
  /** What follows the pointer: the piece's likeness above all marks; null before it moves. */
  likeness: SVGElement | null;
}

/**
 * Handlers for clicks and taps, and for dragging a piece with a mouse, a pen or a finger. From
 * all squares but those of pieces that can move, fingers scroll the page.
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

  const pieceOf = (square: string) =>
    svg.current!.querySelector<SVGElement>(`[data-piece="${square}"]`);

  const end = (): Drag | null => {
    const ended = drag.current;
    drag.current = null;
    if (ended?.likeness) {
      ended.likeness.remove();
      svg.current?.querySelector(".dragged")?.classList.remove("dragged");
    }
    return ended;
  };

  /** Lifts the piece: its likeness follows, and the piece is faint where it stands. */
  const lift = (dragged: Drag): SVGElement | null => {
    const piece = pieceOf(dragged.square);
    if (!piece) return null;
    const likeness = piece.cloneNode(true) as SVGElement;
    likeness.removeAttribute("data-piece");
    likeness.classList.add("lifted", "board-signs");
    piece.classList.add("dragged");
    return svg.current!.appendChild(likeness);
  };

  return {
    onPointerDown(event: PointerEvent) {
      skipsClick.current = false;
      // A second finger is no drag.
      if (drag.current) return void end();
      if (event.button !== 0 || !event.isPrimary) return;
      const start = at(event);
      const square = board.under(start);
      if (!square || !hands.sources.has(square) || !pieceOf(square)) return;
      drag.current = { square, start, pointer: event.pointerId, likeness: null };
    },
    onPointerMove(event: PointerEvent) {
      const dragged = drag.current;
      if (!dragged || event.pointerId !== dragged.pointer) return;
      const now = at(event);
      const [right, down] = [now.x - dragged.start.x, now.y - dragged.start.y];
      if (!dragged.likeness) {
        const scale = svg.current!.getScreenCTM()!.a;
        const threshold = event.pointerType === "touch" ? THRESHOLD.touch : THRESHOLD.mouse;
        if (Math.hypot(right, down) * scale < threshold) return;
        svg.current!.setPointerCapture(event.pointerId);
        dragged.likeness = lift(dragged);
        hands.onPick(dragged.square);
      }
      const { x, y } = board.at(dragged.square);
      dragged.likeness?.setAttribute("transform", `translate(${x + right} ${y + down})`);
    },
    // A finger that drags does not scroll. Two fingers zoom.
    onTouchMove(event: TouchEvent) {
      if (drag.current && event.touches.length === 1 && event.cancelable) event.preventDefault();
    },
    onPointerUp(event: PointerEvent) {
      const dragged = end();
      if (!dragged?.likeness) return;
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
