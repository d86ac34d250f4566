import { useEffect, useState } from "preact/hooks";
import { message, post, Unreachable } from "../api/client";
import type { Catalogue, OptionValues, Seating } from "../api/types";

/** Milliseconds that options rest before the server is asked. */
const REST = 200;

/** Milliseconds before a server is asked again that did not answer. */
const RETRY = 3000;

export interface KnownSeating {
  /** Of the game that it names, which may still be the one chosen before. */
  seating: (Seating & { game: string }) | null;
  /** What is wrong with the options. */
  error: string | null;
  /** Whether this is said of the game and the options as they are now. */
  isCurrent: boolean;
}

interface Told extends Omit<KnownSeating, "isCurrent"> {
  /** What it is said of. */
  of: string | null;
}

/** The catalogue with the agents that play the game. Until the server has said it, all are taken to. */
export function offered(catalogue: Catalogue, game: string, { seating }: KnownSeating): Catalogue {
  if (seating?.game !== game) return catalogue;
  const agents = catalogue.agents.filter(({ name }) => seating.agents.includes(name));
  return { ...catalogue, agents };
}

/** The seats of a game with these options, by the server. */
export function useSeating(game: string, options: OptionValues): KnownSeating {
  const [told, setTold] = useState<Told>({ seating: null, error: null, of: null });
  const key = JSON.stringify([game, options]);
  useEffect(() => {
    let isCurrent = true;
    const ask = () =>
      post<Seating>("api/spec", { game, options }).then(
        (seating) => isCurrent && setTold({ seating: { ...seating, game }, error: null, of: key }),
        (error: unknown) => {
          if (!isCurrent) return;
          setTold(({ seating }) => ({ seating, error: message(error), of: null }));
          if (error instanceof Unreachable) timer = setTimeout(() => void ask(), RETRY);
        },
      );
    let timer = setTimeout(() => void ask(), REST);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key]);
  return { ...told, isCurrent: told.of === key };
}
