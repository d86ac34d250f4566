import { useEffect, useRef } from "preact/hooks";
import type { Position } from "../api/types";
import { capital, plyText, seatName } from "../names";
import { t } from "../words";

/** Hides everything until the person whose turn it is sits down. */
export function Curtain({ position, onOpen }: { position: Position; onOpen: () => void }) {
  const seat = capital(seatName(position, position.mover));
  const last = position.history.at(-1);
  const button = useRef<HTMLButtonElement>(null);
  // The attribute `autofocus` would hold for the first curtain of the page only.
  useEffect(() => button.current?.focus(), []);
  return (
    <section class="curtain" aria-labelledby="curtain-title">
      <h1 id="curtain-title">{seat}</h1>
      <p>
        {t(
          "The board is hidden while the screen changes hands: the next view shows what only this seat may know.",
        )}
      </p>
      {last && (
        <p class="quiet">{t("Last ply: {ply}", { ply: plyText(last, position.picture.armies) })}</p>
      )}
      <button type="button" ref={button} class="primary big" onClick={onOpen}>
        {t("{seat}: continue", { seat })}
      </button>
    </section>
  );
}
