import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { get, message, poll, post, Refusal, Unreachable } from "../api/client";
import type { Position } from "../api/types";
import { prefersStillness } from "../board/motion";

export interface Game {
  position: Position | null;
  /** Why there is no game, or why the last request was refused. */
  error: string | null;
  /** Whether the server does not answer. The page goes on trying. */
  isGone: boolean;
  /** Asks something of the present turn, and takes the position that comes back. */
  act: (what: string, body?: object) => Promise<boolean>;
  /** Asks something of the present turn that changes nothing. */
  ask: <T>(what: string, body?: object) => Promise<T | null>;
  forget: () => void;
}

/** How long a ply is shown before the next, in milliseconds. */
const MOVEMENT = 600;
const FIRST_RETRY = 500;
const LAST_RETRY = 5000;

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
  const turn = useRef(-1);
  const path = `/api/play/${encodeURIComponent(key)}`;

  const shown = useRef({ ply: 0, at: 0 });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  // Answers may overtake each other: an older turn never replaces a newer one. A ply that follows
  // another at once is shown a little later, so that the movement of the first can be seen.
  const take = useCallback((next: Position) => {
    if (next.turn < turn.current) return;
    turn.current = next.turn;
    clearTimeout(timer.current);
    const show = () => {
      shown.current = { ply: next.ply, at: performance.now() };
      setPosition(next);
    };
    const rest = shown.current.at + MOVEMENT - performance.now();
    const isNext = next.ply === shown.current.ply + 1;
    if (isNext && rest > 0 && !prefersStillness()) timer.current = setTimeout(show, rest);
    else show();
  }, []);
  useEffect(() => () => clearTimeout(timer.current), []);

  useEffect(() => {
    const control = new AbortController();
    const { signal } = control;
    turn.current = -1;
    shown.current = { ply: 0, at: 0 };
    clearTimeout(timer.current);
    setPosition(null);
    setError(null);
    const follow = async () => {
      let pause = FIRST_RETRY;
      while (!signal.aborted) {
        try {
          const isFirst = turn.current < 0;
          const next = isFirst
            ? await get<Position>(path, {}, signal)
            : await poll<Position>(`${path}/wait`, { turn: turn.current }, signal);
          if (signal.aborted) return;
          if (next) take(next);
          setIsGone(false);
          pause = FIRST_RETRY;
        } catch (error) {
          if (signal.aborted) return;
          if (error instanceof Refusal && error.status < 500) {
            setError(error.message);
            setIsGone(false);
            return;
          }
          setIsGone(true);
          await wait(pause, signal);
          pause = Math.min(2 * pause, LAST_RETRY);
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
        return answer;
      } catch (error) {
        if (error instanceof Unreachable) setIsGone(true);
        else setError(message(error));
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
  return { position, error, isGone, act, ask, forget };
}
