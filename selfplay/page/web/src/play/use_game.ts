import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { get, message, poll, post, Refusal, Unreachable } from "../api/client";
import type { PlayedPly, Position } from "../api/types";

export interface Game {
  position: Position | null;
  /** Why there is no game, or why the last request was refused. */
  error: string | null;
  /** Whether the server does not answer. The page goes on trying. */
  isGone: boolean;
  /** Whether the server no longer has the game. */
  isLost: boolean;
  /** What the server would take instead of what it has refused. */
  offer: string | null;
  /** Asks something of the present turn, and takes the position that comes back. */
  act: (what: string, body?: object) => Promise<boolean>;
  /** Asks something of the present turn that changes nothing. */
  ask: <T>(what: string, body?: object) => Promise<T | null>;
  forget: () => void;
}

/** Pauses before the server is asked again, in milliseconds. */
const FIRST_RETRY = 500;
const LAST_RETRY = 5000;
/** The pause between two questions of a page that nobody sees, in milliseconds. One that waits for its answer
 * takes one of the few connections that a browser has for all its pages of a server. */
const HIDDEN_PAUSE = 5000;

/** What is of no use once the game has gone on. Polling brings that; of anything else it has to be said. */
const SILENT: ReadonlySet<string> = new Set(["hint", "odds", "move"]);

/** The plies up to now: those known before, with what an answer has of them. */
function joined(known: PlayedPly[], { history, ply }: Position): PlayedPly[] {
  const plies = known.slice(0, ply);
  for (const played of history) plies[played.ply] = played;
  return plies;
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

/** The game of a key as the server has it, kept up to date by long polling. */
export function useGame(key: string): Game {
  const [position, setPosition] = useState<Position | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isGone, setIsGone] = useState(false);
  const [isLost, setIsLost] = useState(false);
  const [offer, setOffer] = useState<string | null>(null);
  const turn = useRef(-1);
  const plies = useRef<PlayedPly[]>([]);
  const path = `api/play/${encodeURIComponent(key)}`;

  // Answers may overtake each other: an older turn never replaces a newer one.
  const take = useCallback((next: Position) => {
    if (next.turn < turn.current) return;
    turn.current = next.turn;
    plies.current = joined(plies.current, next);
    const clock = next.clock && { ...next.clock, since: Date.now() };
    setPosition((known) => {
      // An offer that comes meanwhile leaves a piece picked.
      const isSame = known?.fen === next.fen && known.ply === next.ply;
      const isAsBefore = isSame && known.legal.length === next.legal.length;
      const legal = isAsBefore ? known.legal : next.legal;
      return { ...next, legal, clock, history: plies.current };
    });
  }, []);
  const refuse = useCallback((error: unknown) => {
    setError(message(error));
    setOffer(error instanceof Refusal ? error.offer : null);
    if (error instanceof Refusal && error.status === 404) setIsLost(true);
  }, []);

  useEffect(() => {
    const control = new AbortController();
    const { signal } = control;
    turn.current = -1;
    plies.current = [];
    setPosition(null);
    setError(null);
    setOffer(null);
    setIsLost(false);
    const follow = async () => {
      let pause = FIRST_RETRY;
      // A server that is there again is asked for an answer at once.
      let isLate = false;
      while (!signal.aborted) {
        const visibility = new AbortController();
        const whileUnchanged = AbortSignal.any([signal, visibility.signal]);
        const options = { signal: whileUnchanged };
        document.addEventListener("visibilitychange", () => visibility.abort(), options);
        try {
          const since = turn.current < 0 ? null : turn.current;
          if (since !== null && document.hidden) await wait(HIDDEN_PAUSE, whileUnchanged);
          const next =
            since === null || isLate || document.hidden
              ? await get<Position>(path, { turn: since }, signal)
              : await poll<Position>(`${path}/wait`, { turn: since }, whileUnchanged);
          if (signal.aborted) return;
          if (next) take(next);
          setIsGone(false);
          isLate = false;
          pause = FIRST_RETRY;
        } catch (error) {
          if (signal.aborted) return;
          if (visibility.signal.aborted) continue;
          if (error instanceof Refusal && error.status < 500) {
            refuse(error);
            setIsGone(false);
            return;
          }
          setIsGone(true);
          isLate = true;
          await wait(pause, signal);
          pause = Math.min(2 * pause, LAST_RETRY);
        } finally {
          visibility.abort();
        }
      }
    };
    void follow();
    return () => control.abort();
  }, [key]);

  const ask = useCallback(
    async <T>(what: string, body: object = {}): Promise<T | null> => {
      try {
        const answer = await post<T>(`${path}/${what}`, { turn: turn.current, ...body });
        setError(null);
        setOffer(null);
        return answer;
      } catch (error) {
        const isOutdated = error instanceof Refusal && error.status === 409;
        if (error instanceof Unreachable) setIsGone(true);
        else if (!isOutdated || !SILENT.has(what)) refuse(error);
        return null;
      }
    },
    [path],
  );
  const act = useCallback(
    async (what: string, body: object = {}) => {
      const next = await ask<Position>(what, body);
      if (next) take(next);
      return next !== null;
    },
    [ask, take],
  );
  const forget = useCallback(() => setError(null), []);
  return { position, error, isGone, isLost, offer, act, ask, forget };
}
