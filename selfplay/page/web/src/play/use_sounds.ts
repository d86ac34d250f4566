import { useEffect, useRef } from "preact/hooks";
import type { Position } from "../api/types";
import { useSettings } from "../settings";
import { listen, type Sound, sound } from "./sounds";

/** Lets each new ply of a game sound, if that is wanted. */
export function useSounds({ ply, is_over: isOver, history }: Position): void {
  const { sounds } = useSettings();
  const heard = useRef({ ply, isOver });
  useEffect(() => (sounds ? listen() : undefined), [sounds]);
  useEffect(() => {
    const before = heard.current;
    heard.current = { ply, isOver };
    const last = history.at(-1);
    const isNew = ply === before.ply + 1;
    const hasEnded = isOver && !before.isOver && ply === before.ply;
    if (!sounds || !(isNew || hasEnded)) return;
    if (isOver) sound("end");
    else if (last) sound(soundOf(last));
  }, [ply, isOver]);
}

function soundOf(last: Position["history"][number]): Sound {
  if (last.is_check) return "check";
  if (last.captured !== null || last.captured_covered) return "capture";
  return last.revealed === null ? "move" : "flip";
}
