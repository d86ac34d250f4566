import { useEffect, useRef } from "preact/hooks";
import type { Army, Event, PlayedPly, Scene } from "../api/types";
import { PieceSign } from "../board/disc";
import { armiesOf, moveName, namedDisc, takenBy } from "../names";
import { t } from "../words";
import { ArmyChip } from "./seats";

interface Props {
  plies: PlayedPly[];
  seats: number;
  /** The number of the ply that is marked. */
  current: number;
  /** The armies: they mark the plies of more than two seats, and have the signs of pieces. */
  scene: Scene | null;
  onPick: (ply: number) => void;
}

/** The plies of a game in rows, one for each round of two seats, or for each four plies. */
export function Moves({ plies, seats, current, scene, onPick }: Props) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const marked = list.current?.querySelector<HTMLElement>(".current");
    if (!marked || !list.current) return;
    // `scrollIntoView` would scroll the page, too.
    const middle = marked.offsetTop - list.current.clientHeight / 2 + marked.clientHeight / 2;
    list.current.scrollTop = middle;
  }, [current, plies.length]);
  const columns = seats === 2 ? 2 : 4;
  const turnsOver = plies.some(({ revealed }) => revealed !== null);
  return (
    <>
      <ol ref={list} class={`moves columns-${columns}`} aria-label={t("Plies")} tabindex={0}>
        {plies.map((ply, index) => {
          const mark = index === current ? "current" : "";
          // Of a seat with several armies it is not said here which one moved.
          const [army, ...others] = seats > 2 && scene ? armiesOf(scene, ply.seat) : [];
          return (
            <li key={index} class={mark} aria-current={index === current ? "true" : undefined}>
              <button type="button" class="plain" onClick={() => onPick(index)}>
                <span class="number">{index + 1}</span>
                {army !== undefined && others.length === 0 && (
                  <ArmyChip picture={scene!.picture} army={army} />
                )}
                <span class="name">{moveName(ply)}</span>
                <span class="signs">
                  {scene && <EventSigns event={ply} armies={scene.picture.armies} />}
                  {ply.is_check && <abbr title={t("check")}> +</abbr>}
                </span>
              </button>
            </li>
          );
        })}
      </ol>
      {plies.length > 0 && (
        <p class="quiet signs-legend">
          {turnsOver ? t("= turned over, × taken, + check") : t("× taken, + check")}
        </p>
      )}
    </>
  );
}

/** What a ply turned over and took: "=" and "×" with the pieces. */
export function EventSigns({ event, armies }: { event: Event; armies: Army[] }) {
  const taken = takenBy(event, armies);
  return (
    <>
      {event.revealed && (
        <>
          =<PieceSign disc={namedDisc(event.revealed, armies)} armies={armies} />
        </>
      )}
      {taken && (
        <>
          ×<PieceSign disc={taken} armies={armies} />
        </>
      )}
    </>
  );
}
