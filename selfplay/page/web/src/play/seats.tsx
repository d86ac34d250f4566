import type { Picture, Position } from "../api/types";
import { Captured, lostPieces } from "../board/captured";
import { Chip } from "../board/disc";
import { agentName, armiesOf, seatName } from "../names";
import { t } from "../words";

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
        {taken(position, seat).map(
          (lost) =>
            lost.discs.length > 0 && <Captured key={lost.army} picture={picture} lost={lost} />,
        )}
      </div>
    </div>
  );
}

/** The armies that this seat fights. Before seats have armies, each seat shows one. */
function taken(position: Position, seat: number) {
  const own = armiesOf(position, seat);
  return lostPieces(position.picture).filter(({ army }) =>
    own.length > 0 ? !own.includes(army ?? -1) : army === 1 - seat,
  );
}
