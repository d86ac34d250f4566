import { t } from "../words";
import { Transport } from "../viewer/transport";
import type { Looking } from "./use_look";

/** Steps through the plies up to now, and the way back to the game. */
export function LookBar({ looking, end }: { looking: Looking; end: number }) {
  const { at, goTo } = looking;
  return (
    <section class="look" aria-label={t("Look back")}>
      <Transport ply={at ?? end} end={end} onGo={goTo} />
      {at !== null && (
        <p class="past">
          <span>{t("After ply {ply} of {end}", { ply: at, end })}</span>
          <button type="button" class="primary" onClick={() => goTo(end)}>
            {t("Back to the game")}
          </button>
        </p>
      )}
    </section>
  );
}
