import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../api/client";
import type { Look, Position, Viewer } from "../api/types";

export interface Looking {
  /** The ply that is looked at; null for the game as it is now. */
  at: number | null;
  /** The position to draw: that of the ply, and until it is there the one drawn before. */
  shown: Position;
  goTo: (ply: number) => void;
}

/**
 * Looks back at the plies of a game under way, which goes on meanwhile. Those who only watch are shown
 * each ply when they go to it.
 */
export function useLook(key: string, position: Position, isWatching: boolean): Looking {
  const [wanted, setWanted] = useState<number | null>(isWatching ? position.ply : null);
  const [look, setLook] = useState<Look | null>(null);
  const { ply, viewer } = position;
  // The last ply is the game itself. Plies that were taken back cannot be looked at.
  const at = wanted !== null && wanted < ply ? wanted : null;
  useEffect(() => {
    if (at === null) {
      if (!isWatching) setWanted(null);
      setLook(null);
      return;
    }
    let isCurrent = true;
    get<Look>(`api/play/${encodeURIComponent(key)}/at`, { ply: at }).then(
      (loaded) => isCurrent && setLook(loaded),
      () => isCurrent && setWanted(null),
    );
    return () => void (isCurrent = false);
  }, [key, at, viewer]);
  const goTo = (to: number) => setWanted(isWatching || to < ply ? to : null);
  // The position before the last ply is there already.
  const [before, now] = [useRef<Position | null>(null), useRef(position)];
  if (now.current.ply !== ply) before.current = now.current;
  now.current = position;
  const found = [look, before.current].find(
    (past) => past?.ply === at && maySee(viewer, past.viewer),
  );
  const drawn = useRef<Look>(position);
  // What another seat saw is not drawn for this one, and no plies that were taken back.
  const canStay = drawn.current.ply <= ply && maySee(viewer, drawn.current.viewer);
  if (at === null) drawn.current = position;
  else if (found || !canStay) drawn.current = found ?? position;
  const isPast = drawn.current.ply < ply;
  return { at, shown: isPast ? positionAt(position, drawn.current) : position, goTo };
}

/** Whether a viewer may be shown what another one saw: nobody knows less than the public. */
function maySee(viewer: Viewer, other: Viewer): boolean {
  return viewer === other || viewer === "all" || other === "public";
}

/** The game as it was, without moves. */
function positionAt(position: Position, { ply, viewer, mover, ...look }: Look): Position {
  const { picture, owners, threatened, fen } = look;
  const history = position.history.slice(0, ply);
  const is_check = history.at(-1)?.is_check ?? false;
  const shown = { ply, viewer, mover, picture, owners, threatened, fen, history, is_check };
  const unknown = { counters: [], occurrences: 1 };
  return { ...position, ...shown, ...unknown, legal: [], is_over: false, outcome: null };
}
