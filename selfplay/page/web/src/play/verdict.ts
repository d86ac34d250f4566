/** How a game has ended, said to those who played it. */

import type { Outcome, Position } from "../api/types";
import { sentence } from "../names";
import { t } from "../words";

/** "Red won: checkmate. You win." Those who hold several seats or none are told the former alone. */
export function verdict({ seats }: Position, { result, rewards }: Outcome): string {
  const [seat, ...others] = seats;
  const reward = seat === undefined || others.length > 0 ? 0 : (rewards[seat] ?? 0);
  const values = { result: sentence(result) };
  if (reward > 0) return t("{result}. You win.", values);
  if (reward < 0) return t("{result}. You lose.", values);
  return values.result;
}
