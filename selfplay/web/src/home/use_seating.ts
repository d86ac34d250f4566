import { useEffect, useState } from "preact/hooks";
import { message, post } from "../api/client";
import type { OptionValues, Seating } from "../api/types";

/** Milliseconds that options rest before the server is asked. */
const REST = 200;

export interface KnownSeating {
  /** Of the game that it names, which may still be the one chosen before. */
  seating: (Seating & { game: string }) | null;
  /** What is wrong with the options. */
  error: string | null;
}

/** The seats of a game with these options, by the server. */
export function useSeating(game: string, options: OptionValues): KnownSeating {
  const [known, setKnown] = useState<KnownSeating>({ seating: null, error: null });
  const key = JSON.stringify([game, options]);
  useEffect(() => {
    let isCurrent = true;
    const ask = () =>
      post<Seating>("/api/spec", { game, options }).then(
        (seating) => isCurrent && setKnown({ seating: { ...seating, game }, error: null }),
        (error: unknown) =>
          isCurrent && setKnown(({ seating }) => ({ seating, error: message(error) })),
      );
    const timer = setTimeout(() => void ask(), REST);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key]);
  return known;
}
