import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { post } from "../api/client";
import type { Words } from "../api/types";

/** How long a reason stays, in milliseconds: time to read two lines. */
const STAYS = 7000;

export interface Objecting {
  /** Why the last move that was tried is not legal. */
  objection: Words | null;
  /** Asks why the piece on a square does not go to another, or anywhere; of none, forgets the reason. */
  ask: (from: string | null, to: string | null) => void;
}

/** Reasons why moves are not legal, from the server: only it knows the rules. */
export function useObjection(key: string, turn: number): Objecting {
  const [objection, setObjection] = useState<Words | null>(null);
  const latest = useRef(0);
  useEffect(() => {
    latest.current += 1;
    setObjection(null);
  }, [key, turn]);
  useEffect(() => {
    if (!objection) return;
    const timer = setTimeout(() => setObjection(null), STAYS);
    return () => clearTimeout(timer);
  }, [objection]);
  const ask = useCallback(
    (from: string | null, to: string | null) => {
      const asked = ++latest.current;
      if (from === null) return setObjection(null);
      const path = `api/play/${encodeURIComponent(key)}/objection`;
      post<Words | null>(path, { turn, from, to }).then(
        (told) => {
          if (asked === latest.current) setObjection(told);
        },
        // The game has gone on, or the server is away: that is said elsewhere.
        () => undefined,
      );
    },
    [key, turn],
  );
  return { objection, ask };
}
