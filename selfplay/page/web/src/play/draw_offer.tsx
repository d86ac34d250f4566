import type { Position } from "../api/types";
import { capital, seatName } from "../names";
import { listed, t } from "../words";
import type { Game } from "./use_game";

/** The offer of a draw, to answer or to wait for. It is in place before there is one, to be heard. */
export function DrawOffer({ position, game }: { position: Position; game: Game }) {
  const { offered_by: offering, is_declined: isDeclined, can_answer: canAnswer } = position.draw;
  const others = offering.filter((seat) => !position.seats.includes(seat));
  const isOwn = others.length < offering.length;
  const names = listed(others.map((seat) => seatName(position, seat)));
  // Of those who want a draw, nothing tells who was the first.
  const text =
    isOwn && others.length > 0
      ? t("You and {seats} want a draw.", { seats: names })
      : isOwn
        ? t("You have offered a draw.")
        : others.length > 1
          ? t("{seats} offer a draw.", { seats: capital(names) })
          : others.length > 0
            ? t("{seat} offers a draw.", { seat: capital(names) })
            : isDeclined
              ? t("Your offer of a draw was declined.")
              : null;
  return (
    <div class={`offer ${canAnswer ? "card" : ""}`}>
      <p role="status">{!position.is_over && text}</p>
      {canAnswer && (
        <div class="buttons">
          <button type="button" class="primary" onClick={() => void game.act("draw")}>
            {t("Accept the draw")}
          </button>
          <button type="button" onClick={() => void game.act("decline")}>
            {t("Decline")}
          </button>
        </div>
      )}
    </div>
  );
}
