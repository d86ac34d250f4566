import type { Disc, Picture, PlayedPly, Position, Scene } from "../api/types";
import { Captured, lostPieces } from "../board/captured";
import { Chip } from "../board/disc";
import { agentName, armiesOf, seatName, takenBy } from "../names";
import { t } from "../words";
import { ClockFace } from "./clock";

/** Who plays a seat, as the owner of a key sees it. */
export function playerName(position: Position, seat: number): string {
  const agent = position.agents[seat];
  if (agent) return agentName(agent);
  if (!position.seats.includes(seat)) return t("Person");
  return position.seats.length > 1 ? t("Person here") : t("You");
}

/** A small blank disc of an army: of two, the backs differ most; of more, the woods. */
export function ArmyChip({ picture, army }: { picture: Picture; army: number }) {
  const disc = { army, letter: null, character: null, covered: picture.armies.length === 2 };
  return <Chip disc={disc} armies={picture.armies} signs="hanzi" />;
}

interface Props {
  position: Position;
  seat: number;
}

/** The line beside the board of one of two seats: who plays it, and what it has captured. */
export function SeatBar({ position, seat }: Props) {
  const { picture } = position;
  const isToMove = !position.is_over && position.mover === seat;
  const won = position.outcome?.winners.includes(seat);
  return (
    <div class={`seat ${isToMove ? "to-move" : ""}`}>
      <span class="who">
        {armiesOf(position, seat).map((army) => (
          <ArmyChip key={army} picture={picture} army={army} />
        ))}
        <span class="names">
          <strong title={playerName(position, seat)}>{playerName(position, seat)}</strong>
          <span class="quiet">
            {seatName(position, seat)}
            {isToMove && <span class="tag">{t("to move")}</span>}
            {won && <span class="tag win">{t("won")}</span>}
          </span>
        </span>
      </span>
      <div class="taken">
        {takenBySeat(position, position.history, seat).map(
          (lost) =>
            lost.discs.length > 0 && <Captured key={lost.army} picture={picture} lost={lost} />,
        )}
      </div>
      <ClockFace position={position} seat={seat} />
    </div>
  );
}

/**
 * The pieces that a seat has taken, by army: those that its plies took. Of those that were off the
 * board before the first ply it has the other side's; before sides are known, one army's.
 */
export function takenBySeat(scene: Scene, history: PlayedPly[], seat: number) {
  const { picture } = scene;
  const left = [...(picture.captured ?? [])];
  const own = history.flatMap((ply) => {
    const at = left.findIndex((disc) => isTakenBy(ply, disc, scene));
    const found = at < 0 ? [] : left.splice(at, 1);
    return ply.seat === seat ? found : [];
  });
  const armies = armiesOf(scene, seat);
  const older = left.filter(({ army }) =>
    armies.length > 0 ? !armies.includes(army ?? -1) : army === 1 - seat,
  );
  return lostPieces(picture, [...older, ...own]);
}

/** Whether a disc may be what a ply took. Of a piece that stays unknown, the army is not its own. */
function isTakenBy(ply: PlayedPly, disc: Disc, { picture, owners }: Scene): boolean {
  const wanted = takenBy(ply, picture.armies);
  if (wanted === null || wanted.letter !== disc.letter) return false;
  if (wanted.army !== null) return wanted.army === disc.army;
  return disc.army === null || owners[disc.army] !== ply.seat;
}
