import { useEffect, useRef } from "preact/hooks";
import type { Position } from "../api/types";
import { capital, seatName } from "../names";
import { go, link } from "../router";
import { listed, t } from "../words";
import type { Game } from "./use_game";

/** Asks the others for another game, and leads to it once all have agreed. */
export function Rematch({ position, game }: { position: Position; game: Game }) {
  const { seats, agents } = position;
  const { wanted_by: wanting, key } = position.rematch!;
  const isPlayer = seats.length > 0;
  // Who comes back to a game that has its rematch already stays there.
  const before = useRef(key);
  useEffect(() => {
    if (key !== null && before.current === null && isPlayer) go(link(["play", key]));
    before.current = key;
  }, [key]);
  const people = agents.flatMap((agent, seat) => (agent === null ? [seat] : []));
  const isAsked = seats.some((seat) => wanting.includes(seat));
  const named = (which: number[]) => listed(which.map((seat) => seatName(position, seat)));
  const others = wanting.filter((seat) => !seats.includes(seat));
  const missing = people.filter((seat) => !wanting.includes(seat));
  const text =
    key !== null
      ? null
      : isPlayer && isAsked
        ? t("Waiting for {seat}", { seat: named(missing) })
        : others.length > 0
          ? t("{seat} would like a rematch.", { seat: capital(named(others)) })
          : null;
  return (
    <div class="buttons rematch">
      {key !== null ? (
        <a class="button primary" href={link(["play", key])}>
          {isPlayer ? t("Go to the rematch") : t("Watch the rematch")}
        </a>
      ) : (
        isPlayer && (
          // It keeps the focus, which a disabled button loses.
          <button
            type="button"
            class="primary"
            aria-disabled={isAsked}
            onClick={() => !isAsked && void game.act("rematch")}
          >
            {isAsked
              ? t("Rematch asked for")
              : others.length > 0
                ? t("Accept the rematch")
                : t("Rematch, seats changed")}
          </button>
        )
      )}
      <p role="status">{text}</p>
    </div>
  );
}
