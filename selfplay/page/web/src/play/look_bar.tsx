import { focusBoard } from "../board/cells";
import { t } from "../words";
import { Transport } from "../viewer/transport";
import type { Looking } from "./use_look";

interface Props {
  looking: Looking;
  end: number;
  /** Whether agents play among themselves, so that each ply is shown in its turn. */
  isWatching: boolean;
  isOver: boolean;
}

/** Steps through the plies up to now, and the way back to the game. */
export function LookBar({ looking, end, isWatching, isOver }: Props) {
  const { at, goTo } = looking;
  const leave = ({ detail: clicks }: MouseEvent) => {
    goTo(end);
    // The button is gone then. After a click, unlike a key, the arrow keys go on stepping through the plies.
    if (clicks === 0) requestAnimationFrame(focusBoard);
  };
  return (
    <section class={isWatching ? "look watched" : "look"} aria-label={t("Look back")}>
      <Transport
        ply={at ?? end}
        end={end}
        isLive={isWatching && !isOver}
        hasPace={isWatching || isOver}
        onGo={goTo}
      />
      {at !== null && !isWatching && (
        <p class="past">
          <span>{t("After ply {ply} of {end}", { ply: at, end })}</span>
          <button type="button" class="primary" onClick={leave}>
            {t("Back to the game")}
          </button>
        </p>
      )}
    </section>
  );
}
