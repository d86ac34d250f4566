import { useEffect, useRef, useState } from "preact/hooks";
import { get, message } from "../api/client";
import type { LoggedPosition } from "../api/types";

/** How many positions are fetched before they are needed, on both sides. */
const AHEAD = 3;

/** The positions of a logged game, fetched ahead, so that steps are at once. */
export function usePositions(id: string, game: number, ply: number, end: number) {
  const cache = useRef(new Map<number, Promise<LoggedPosition>>());
  const [position, setPosition] = useState<LoggedPosition | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    const load = (at: number): Promise<LoggedPosition> => {
      const known = cache.current.get(at);
      if (known) return known;
      const loading = get<LoggedPosition>("api/position", { dataset: id, game, ply: at });
      cache.current.set(at, loading);
      // A failure is not kept: the next step there asks again.
      loading.catch(() => cache.current.delete(at));
      return loading;
    };
    let isCurrent = true;
    load(ply).then(
      (loaded) => {
        if (!isCurrent) return;
        setPosition(loaded);
        setError(null);
        for (let step = 1; step <= AHEAD; step += 1) {
          for (const at of [ply + step, ply - step]) {
            if (at >= 0 && at <= end) load(at).catch(() => undefined);
          }
        }
      },
      (reason: unknown) => isCurrent && setError(message(reason)),
    );
    return () => void (isCurrent = false);
  }, [id, game, ply, end]);
  return { position, error };
}
