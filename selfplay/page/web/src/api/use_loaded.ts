import { useCallback, useEffect, useState } from "preact/hooks";
import { get, message } from "./client";

export interface Loaded<T> {
  value: T | null;
  error: string | null;
  reload: () => void;
}

/**
 * Fetches a path, again whenever it changes. The value before stays until the next one arrives.
 *
 * `pause` says after how many milliseconds to ask again, given the last answer; null is never.
 */
export function useLoaded<T>(
  url: string | null,
  pause: (value: T | null) => number | null = () => null,
): Loaded<T> {
  const [value, setValue] = useState<T | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  useEffect(() => {
    if (url === null) return;
    const control = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async () => {
      let next: number | null;
      try {
        const loaded = await get<T>(url, {}, control.signal);
        setValue(loaded);
        setError(null);
        next = pause(loaded);
      } catch (error) {
        if (control.signal.aborted) return;
        setError(message(error));
        next = pause(null);
      }
      if (next !== null && !control.signal.aborted) timer = setTimeout(() => void load(), next);
    };
    void load();
    return () => {
      control.abort();
      clearTimeout(timer);
    };
    // `pause` is a fresh closure at each call, of the same meaning.
  }, [url, round]);
  return { value, error, reload };
}
