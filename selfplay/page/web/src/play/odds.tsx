import { useEffect, useState } from "preact/hooks";
import type { Action, Army, Odds } from "../api/types";
import { Chip } from "../board/disc";
import { moveName, namedDisc, percent, pieceName, UNKNOWN } from "../names";
import { useSettings } from "../settings";
import { Sheet } from "../ui/sheet";
import { t } from "../words";
import type { Game } from "./use_game";
import type { Picking } from "./use_picking";

interface Share {
  /** The piece's name in notation; null for one that stays unknown. */
  name: string | null;
  probability: number;
}

/** The odds of one part of the outcomes, likeliest first; nothing if it never happens. */
function shares(odds: Odds[], part: "revealed" | "captured"): Share[] {
  const sums = new Map<string | null, number>();
  for (const entry of odds) {
    const happens = entry[part] !== null || (part === "captured" && entry.captured_covered);
    if (!happens) continue;
    sums.set(entry[part], (sums.get(entry[part]) ?? 0) + entry.probability);
  }
  const listed = [...sums].map(([name, probability]) => ({ name, probability }));
  return listed.sort((a, b) => b.probability - a.probability);
}

interface Props {
  action: Action;
  armies: Army[];
  game: Game;
  picking: Picking;
}

/** The chosen move with what it may turn over and take, to be played or not. */
export function OddsCard({ action, armies, game, picking }: Props) {
  const [odds, setOdds] = useState<Odds[] | null>(null);
  useEffect(() => {
    setOdds(null);
    let isCurrent = true;
    void game.ask<{ odds: Odds[] }>("odds", { action: action.action }).then((answer) => {
      if (!isCurrent) return;
      // What is certain is no question.
      if (answer?.odds.length === 1) picking.confirm();
      else if (answer) setOdds(answer.odds);
      else picking.cancel();
    });
    return () => void (isCurrent = false);
  }, [action]);
  if (!odds) return null;
  const move = moveName(action);
  const revealed = shares(odds, "revealed");
  const captured = shares(odds, "captured");
  return (
    <Sheet kind="odds" label={t("Odds of {move}", { move })} of={odds}>
      <h2>{move}</h2>
      <Shares title={t("Turns over")} shares={revealed} armies={armies} />
      <Shares title={t("Takes")} shares={captured} armies={armies} />
      <div class="buttons">
        <button type="button" class="primary" onClick={picking.confirm}>
          {t("Play {move}", { move })}
        </button>
        <button type="button" onClick={picking.cancel}>
          {t("Cancel")}
        </button>
      </div>
    </Sheet>
  );
}

function Shares({ title, shares, armies }: { title: string; shares: Share[]; armies: Army[] }) {
  const { signs } = useSettings();
  if (shares.length === 0) return null;
  return (
    <section class="outcomes" aria-label={title}>
      <h3 class="quiet">{title}</h3>
      <ul>
        {shares.map(({ name, probability }) => (
          <li key={name}>
            <Chip
              disc={name === null ? UNKNOWN : namedDisc(name, armies)}
              armies={armies}
              signs={signs}
              label={
                name === null
                  ? t("a piece that stays unknown")
                  : pieceName(namedDisc(name, armies), armies)
              }
            />
            <span class="figure">{percent(probability)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
