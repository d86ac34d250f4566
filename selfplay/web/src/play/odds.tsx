import { useEffect, useState } from "preact/hooks";
import type { Action, Odds } from "../api/types";
import { percent } from "../names";
import { Bar } from "../ui/notices";
import type { Game } from "./use_game";
import type { Picking } from "./use_picking";

function described({ revealed, captured, captured_covered }: Odds): string {
  const parts = [
    revealed && `turns over ${revealed}`,
    captured && `takes ${captured_covered ? "the covered " : ""}${captured}`,
    !captured && captured_covered && "takes a covered piece",
  ].filter(Boolean);
  return parts.join(", ") || "nothing is turned over or taken";
}

/** The chosen move with what it may turn over and take, to be played or not. */
export function OddsCard({
  action,
  game,
  picking,
}: {
  action: Action;
  game: Game;
  picking: Picking;
}) {
  const [odds, setOdds] = useState<Odds[] | null>(null);
  useEffect(() => {
    setOdds(null);
    let isCurrent = true;
    void game.ask<{ odds: Odds[] }>("odds", { action: action.action }).then((answer) => {
      if (isCurrent) setOdds(answer?.odds ?? []);
    });
    return () => void (isCurrent = false);
  }, [action]);
  const sorted = [...(odds ?? [])].sort((a, b) => b.probability - a.probability);
  return (
    <section class="card odds" aria-label={`Odds of ${action.name}`}>
      <h3>{action.name}</h3>
      {odds === null && <p class="quiet">Counting the odds …</p>}
      {odds?.length === 0 && <p class="quiet">Nothing about this move is uncertain.</p>}
      <ul class="shares">
        {sorted.map((entry, index) => (
          <li key={index}>
            <span>{described(entry)}</span>
            <Bar share={entry.probability} />
            <span class="figure">{percent(entry.probability)}</span>
          </li>
        ))}
      </ul>
      <div class="buttons">
        <button type="button" class="primary" onClick={picking.confirm}>
          Play {action.name}
        </button>
        <button type="button" onClick={picking.cancel}>
          Cancel
        </button>
      </div>
    </section>
  );
}
