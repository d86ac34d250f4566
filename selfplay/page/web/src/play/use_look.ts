import { useEffect, useState } from "preact/hooks";
import { get } from "../api/client";
import type { Look, Position } from "../api/types";

export interface Looking {
  /** The ply that is looked at; null for the game as it is now. */
  at: number | null;
  /** The position to draw: that of the ply, once it is there. */
  shown: Position;
  goTo: (ply: number) => void;
}

/** Looks back at the plies of a game under way, which goes on meanwhile. */
export function useLook(key: string, position: Position): Looking {
  const [wanted, setWanted] = useState<number | null>(null);
  const [look, setLook] = useState<Look | null>(null);
  const { ply, viewer } = position;
  // The last ply is the game itself. Plies that were taken back cannot be looked at.
  const at = wanted !== null && wanted < ply ? wanted : null;
  useEffect(() => {
    if (at === null) {
      setWanted(null);
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
  const goTo = (to: number) => setWanted(to < ply ? to : null);
  // What another seat saw is not drawn for this one.
  const isOurs = at !== null && look !== null && look.viewer === viewer;
  return { at, shown: isOurs ? positionAt(position, look) : position, goTo };
}

/** The game as it was, without moves. */
function positionAt(position: Position, look: Look): Position {
  const history = position.history.slice(0, look.ply);
  const is_check = history.at(-1)?.is_check ?? false;
  return { ...position, ...look, history, is_check, legal: [], is_over: false, outcome: null };
}
