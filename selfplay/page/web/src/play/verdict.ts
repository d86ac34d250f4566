/** How a game has ended, said to those who played it. */

import type { Outcome, Position, Scene } from "../api/types";
import { armiesOf, capital, plain } from "../names";
import { counted, listed, said, t } from "../words";

/** A sentence about the reason; null for a reason that only its name says. */
export function meaning({ reason }: Outcome): string | null {
  const meanings: Record<string, string> = {
    general_captured: t("A general was taken."),
    own_general_captured: t("A general was taken by its own side."),
    checkmate: t("The general is in check, and no move ends it."),
    stalemate: t("The side to move has no move, though its general is not in check."),
    no_pieces: t("A side has no piece left."),
    no_moves: t("There is no move left."),
    perpetual_check: t("A side gave check again and again."),
    perpetual_chase: t("A side chased a piece again and again."),
    repetition: t("The position has occurred three times."),
    quiet_limit: t("For too long nothing has happened that counts."),
    progress_limit: t("For too long there was no progress."),
    effective_limit: t("Both sides have used up their effective moves."),
    moves_limit: t("Both sides have used up their moves."),
    bare_kings: t("Only the kings are left."),
    kingdoms: t("Enough kingdoms have fallen to one seat."),
    captures: t("One seat has taken enough pieces."),
    last_standing: t("All other kingdoms have fallen."),
    max_plies: t("The game has reached its limit of plies."),
    resignation: t("A player has resigned."),
  };
  return meanings[reason] ?? null;
}

function result({ rewards, reason, is_truncated }: Outcome, seat: number): string {
  const reward = rewards[seat] ?? 0;
  if (reward > 0) return t("You won");
  if (reward < 0) return t("You lost");
  // After one of many has resigned, there is no winner among the others.
  if (reason === "resignation") return t("The game is over");
  return is_truncated ? t("Cut off") : t("Drawn");
}

/** "Red won", said to those who hold several seats or none. The army is left out while nobody knows it. */
export function winnersText(
  { rewards, is_truncated }: Pick<Outcome, "rewards" | "is_truncated">,
  scene: Scene | null,
): string {
  const winners = rewards.flatMap((reward, seat) => (reward > 0 ? [seat] : []));
  const [winner, ...others] = winners;
  if (others.length > 0) return t("Seats {seats} won", { seats: listed(winners) });
  if (winner !== undefined) {
    const [army, ...more] = scene ? armiesOf(scene, winner) : [];
    if (army === undefined || more.length > 0) return t("Seat {seat} won", { seat: winner });
    return t("{army} won", { army: capital(said(scene!.picture.armies[army]!.name)) });
  }
  return is_truncated ? t("Cut off") : t("Drawn");
}

/** "You lost: checkmate (48 plies)"; to those who hold several seats or none, who has won. */
export function verdict(position: Position, outcome: Outcome): string {
  const { seats, ply } = position;
  const { rewards } = outcome;
  const [seat, ...others] = seats;
  const reason = plain(outcome.reason);
  if (seat !== undefined && others.length === 0) {
    const values = { result: result(outcome, seat), reason };
    return counted(
      ply,
      "{result}: {reason} ({count} ply)",
      "{result}: {reason} ({count} plies)",
      values,
    );
  }
  if (outcome.reason === "resignation" && rewards.every((reward) => reward <= 0)) {
    const resigned = { seat: rewards.indexOf(-1) };
    return counted(
      ply,
      "Seat {seat} resigned after {count} ply",
      "Seat {seat} resigned after {count} plies",
      resigned,
    );
  }
  const values = { result: winnersText(outcome, position), reason };
  return counted(
    ply,
    "{result}: {reason} ({count} ply)",
    "{result}: {reason} ({count} plies)",
    values,
  );
}
