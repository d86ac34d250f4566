import { useEffect, useState } from "preact/hooks";
import type { Clock, Position } from "../api/types";
import { seatName } from "../names";
import { t } from "../words";

/** Milliseconds below which tenths are shown, and a person is told. */
const LOW = 10_000;

/** "2:05", "1:00:00"; "0:09.3" when there is little left. */
function timeText(milliseconds: number): string {
  if (milliseconds < LOW) {
    const tenths = Math.floor(milliseconds / 100);
    return `0:0${Math.floor(tenths / 10)}.${tenths % 10}`;
  }
  const seconds = Math.floor(milliseconds / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [first = 0, ...others] = parts[0] === 0 ? parts.slice(1) : parts;
  return [first, ...others.map((part) => String(part).padStart(2, "0"))].join(":");
}

/** What a seat has left now; null if it has no clock. Without a server the time goes on. */
function leftOf({ left, running, since }: Clock, seat: number): number | null {
  const last = left[seat] ?? null;
  if (last === null || running !== seat) return last;
  return Math.max(0, last - (Date.now() - since));
}

/** The clock of a seat, which counts down by itself while it runs. */
export function ClockFace({ position, seat }: { position: Position; seat: number }) {
  const { clock } = position;
  const left = clock && leftOf(clock, seat);
  const isRunning = clock?.running === seat;
  const [, draw] = useState(0);
  useEffect(() => {
    if (!isRunning || left === null || left === 0) return;
    // When the text changes next.
    const timer = setTimeout(
      () => draw((count) => count + 1),
      (left % (left < LOW + 1000 ? 100 : 1000)) + 1,
    );
    return () => clearTimeout(timer);
  });
  if (left === null) return null;
  // Also while looking back at it, a game that is over has its seed.
  const isLow = left < LOW && position.seed === null;
  return (
    <span class={`clock ${isRunning ? "running" : ""} ${isLow ? "low" : ""}`}>
      <span role="timer" aria-label={t("Clock of {seat}", { seat: seatName(position, seat) })}>
        {timeText(left)}
      </span>
      <small role="status">{isLow && t("little time")}</small>
    </span>
  );
}
