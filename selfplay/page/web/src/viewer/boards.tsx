import { useMemo, useRef, useState } from "preact/hooks";
import type { Action, GameSpec, LoggedPly, LoggedPosition, Picture, Replay } from "../api/types";
import { Board } from "../board/board";
import { Captured, lostPieces } from "../board/captured";
import type { Motion } from "../board/motion";
import { type Arrow, arrowOf } from "../board/overlay";
import { agentName, capital, seatName } from "../names";
import { takenBySeat } from "../play/seats";
import { change } from "../settings";
import { sceneOf } from "./scene";
import { Switch } from "../ui/controls";
import { listed, t } from "../words";

interface Props {
  replay: Replay;
  position: LoggedPosition;
  last: LoggedPly | null;
  next: LoggedPly | null;
  /** The move that a review finds better than the next ply. */
  better: Action | null;
  /** The viewers whose boards are wanted. */
  shown: string[];
  hides: GameSpec["hides"];
}

/** The viewers whose views may differ. */
function viewersOf(position: LoggedPosition, hides: GameSpec["hides"]): string[] {
  if (hides === "nothing") return ["all"];
  const seats = Object.keys(position.pictures).filter((viewer) => /^\d+$/.test(viewer));
  return [...(hides === "kind" ? seats : []), "public", "all"];
}

/** The boards of all viewers side by side, or those of them that are wanted. */
export function Boards(props: Props) {
  const { position, last, next, shown, hides, better } = props;
  const motion = useStep(position, last);
  const [isTurned, setIsTurned] = useState(false);
  const viewers = viewersOf(position, hides);
  const wanted = viewers.filter((viewer) => shown.includes(viewer));
  const visible = wanted.length > 0 ? wanted : viewers.slice(-1);
  const toggle = (viewer: string, isOn: boolean) => {
    const others = shown.filter((other) => other !== viewer);
    change({ boards: isOn ? [...others, viewer] : others });
  };
  const arrows = useMemo(() => (better ? arrowOf(better) : policyArrows(next)), [better, next]);
  return (
    <>
      <div class="switches" role="group" aria-label={t("Boards to show")}>
        {viewers.length > 1 &&
          viewers.map((viewer) => (
            <Switch
              key={viewer}
              isOn={visible.includes(viewer)}
              onChange={(isOn) => toggle(viewer, isOn)}
            >
              {title(viewer, props, false)}
            </Switch>
          ))}
        <Switch isOn={isTurned} onChange={setIsTurned}>
          {t("Turned round")}
        </Switch>
      </div>
      <div class={`boards of-${Math.min(visible.length, 4)}`}>
        {visible.map((viewer) => {
          const picture = position.pictures[viewer]!;
          const name = title(viewer, props, true);
          return (
            <figure key={viewer} style={{ "--ratio": String(picture.files / picture.ranks) }}>
              <figcaption>{name}</figcaption>
              <Board
                picture={picture}
                label={name}
                isTurned={isTurned}
                last={last}
                motion={motion}
                arrows={viewer === "all" ? arrows : []}
              />
              <Trays picture={picture} {...props} />
            </figure>
          );
        })}
      </div>
    </>
  );
}

/** The captured pieces: of two seats, by the one that took them. */
function Trays({ picture, replay, position }: Props & { picture: Picture }) {
  if (replay.num_players !== 2) {
    return (
      <div class="trays">
        {lostPieces(picture).map((lost) => (
          <Captured key={lost.army} picture={picture} lost={lost} />
        ))}
      </div>
    );
  }
  const scene = { picture, owners: position.owners };
  const plies = replay.plies.slice(0, position.ply);
  return (
    <div class="trays">
      {[0, 1].map((seat) => (
        <div key={seat} class="of-seat">
          <span class="quiet">{t("{seat} took", { seat: capital(seatName(scene, seat)) })}</span>
          {takenBySeat(scene, plies, seat).map(
            (lost) =>
              lost.discs.length > 0 && <Captured key={lost.army} picture={picture} lost={lost} />,
          )}
        </div>
      ))}
    </div>
  );
}

/** What a board shows; with the agent of the seat, if there is room for it. */
function title(viewer: string, { replay, position, hides }: Props, isLong: boolean): string {
  if (viewer === "all") return hides === "nothing" ? t("The board") : t("The truth");
  if (viewer === "public") return t("What is public");
  const seat = Number(viewer);
  const name = capital(seatName(sceneOf(position), seat));
  return isLong && replay.num_players === 2
    ? listed([name, agentName(replay.agents[seat]!)])
    : name;
}

/** The movement of a step forwards by one ply. */
function useStep(position: LoggedPosition, last: LoggedPly | null): Motion | null {
  const before = useRef<number | null>(null);
  return useMemo(() => {
    const isStep = before.current !== null && position.ply === before.current + 1;
    before.current = position.ply;
    // While the next position loads, the last ply is already that of the next.
    if (!isStep || !last?.from || !last.to || last.ply !== position.ply - 1) return null;
    return { from: last.from, to: last.to, isTurned: last.revealed !== null };
  }, [position]);
}

/** The likeliest alternatives of the next ply as arrows. */
function policyArrows(next: LoggedPly | null): Arrow[] {
  const likeliest = next?.policy?.slice(0, 3) ?? [];
  return likeliest.flatMap(({ from, to, probability }) => {
    if (!from || !to) return [];
    return [{ from, to, kind: "policy", weight: Math.max(0.1, probability) }];
  });
}
