import { address } from "../api/client";
import type { Lesson, OptionValues } from "../api/types";
import { useLoaded, type Loaded } from "../api/use_loaded";

/** The lesson of a game with these options; null asks for none. */
export function useLesson(game: string | null, options: OptionValues): Loaded<Lesson> {
  const given = Object.entries(options).map(([name, value]) => [name, String(value)]);
  const url = game && address(`api/lesson/${encodeURIComponent(game)}`, Object.fromEntries(given));
  return useLoaded<Lesson>(url);
}
