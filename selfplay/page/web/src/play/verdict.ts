/** How a game has ended, said to those who played it. */

import type { Outcome, Position } from "../api/types";
import { capital, counted, plain } from "../names";

/** What the reasons mean, by their names in the rules. */
const MEANINGS: Record<string, string> = {
  general_captured: "A general was taken.",
  own_general_captured: "A general was taken by its own side.",
  checkmate: "The general is in check, and no move ends it.",
  stalemate: "The side to move has no move, though its general is not in check.",
  no_pieces: "A side has no piece left.",
  no_moves: "There is no move left.",
  perpetual_check: "A side gave check again and again.",
  perpetual_chase: "A side chased a piece again and again.",
  repetition: "The position has occurred three times.",
  quiet_limit: "For too long nothing has happened that counts.",
  progress_limit: "For too long there was no progress.",
  effective_limit: "Both sides have used up their effective moves.",
  moves_limit: "Both sides have used up their moves.",
  bare_kings: "Only the kings are left.",
  kingdoms: "Enough kingdoms have fallen to one seat.",
  captures: "One seat has taken enough pieces.",
  last_standing: "All other kingdoms have fallen.",
  max_plies: "The game has reached its limit of plies.",
  resignation: "A player has resigned.",
};

/** A sentence about the reason; null for a reason that only its name says. */
export function meaning({ reason }: Outcome): string | null {
  return MEANINGS[reason] ?? null;
}

function result({ rewards, reason, is_truncated }: Outcome, seat: number): string {
  const reward = rewards[seat] ?? 0;
  if (reward > 0) return "You won";
  if (reward < 0) return "You lost";
  // After one of many has resigned, there is no winner among the others.
  if (reason === "resignation") return "The game is over";
  return is_truncated ? "Cut off" : "Drawn";
}

/** "You lost: checkmate (48 plies)"; to those who hold several seats or none, which seat wins. */
export function verdict({ seats, ply }: Position, outcome: Outcome): string {
  const [seat, ...others] = seats;
  if (seat === undefined || others.length > 0) return capital(plain(outcome.text));
  const plies = counted(ply, "ply", "plies");
  return `${result(outcome, seat)}: ${plain(outcome.reason)} (${plies})`;
}
