import { useState } from "preact/hooks";

function squareOf({ target }: Event): string | null {
  return target instanceof Element
    ? (target.closest("[data-square]")?.getAttribute("data-square") ?? null)
    : null;
}

/** The square that is pointed at or has the focus, by the events of what holds the board. */
export function useNear() {
  const [square, setSquare] = useState<string | null>(null);
  const follow = (event: Event) => setSquare(squareOf(event));
  const handlers = {
    onPointerOver: follow,
    onFocusIn: follow,
    onPointerLeave: () => setSquare(null),
  };
  return { square, handlers };
}
