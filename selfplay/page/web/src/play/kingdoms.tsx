import type { OptionValues, Picture, Position, Scene } from "../api/types";
import { capital } from "../names";
import { said, t } from "../words";
import { ArmyChip, playerName } from "./seats";

/** By letter of a fallen kingdom, the letter of its conqueror. From the FEN's field `out`. */
export function conquerors(fen: string): Map<string, string> {
  const field = fen.split(" ")[2] ?? "-";
  const pairs = field === "-" ? [] : field.split(",");
  return new Map(pairs.map((pair) => [pair.charAt(0), pair.charAt(1)]));
}

/** By letter of a kingdom, how many pieces it has captured. From the FEN's field `captures`. */
function captures(fen: string): Map<string, number> {
  const field = fen.split(" ")[3] ?? "-";
  const counts = new Map<string, number>();
  if (field === "-") return counts;
  for (const entry of field.split(",")) {
    const captor = entry.charAt(0);
    counts.set(captor, (counts.get(captor) ?? 0) + Number(entry.slice(2)));
  }
  return counts;
}

function nameOf(picture: Picture, letter: string): string {
  return said(picture.armies.find((army) => army.letter === letter)?.name ?? letter);
}

/** "3 greedy, team A". */
function seatText(seat: number, teams: string, position: Position | null): string {
  const player = position ? `${seat} ${playerName(position, seat)}` : String(seat);
  const team = teams.charAt(seat);
  return team ? t("{player}, team {team}", { player, team }) : player;
}

interface Player {
  army: number;
  seat: number | null;
}

interface Props extends Scene {
  fen: string;
  options: OptionValues;
  /** The game that is being played, if it is. */
  position: Position | null;
}

/** The armies of a game of many seats: who plays them, and how they fare. */
export function Kingdoms({ picture, owners, fen, options, position }: Props) {
  // One letter for each seat.
  const teams = String(options["teams"] ?? "");
  const [out, taken] = [conquerors(fen), captures(fen)];
  const players: Player[] = picture.armies.map((_, army) => ({
    army,
    seat: owners[army] ?? null,
  }));
  const present = players.filter(
    ({ army, seat }) => seat !== null || out.has(picture.armies[army]!.letter),
  );
  return (
    <table class="kingdoms">
      <thead>
        <tr>
          <th scope="col">{t("Army")}</th>
          <th scope="col">{t("Seat")}</th>
          <th scope="col">{t("Pieces")}</th>
          <th scope="col">{t("Captures")}</th>
        </tr>
      </thead>
      <tbody>
        {present.map(({ army, seat }) => {
          const { name, letter } = picture.armies[army]!;
          const conqueror = out.get(letter);
          const isToMove = picture.army_to_move === army;
          const pieces = picture.pieces.filter((piece) => piece.army === army).length;
          return (
            <tr key={army} class={isToMove ? "to-move" : conqueror ? "fallen" : ""}>
              <th scope="row">
                <ArmyChip picture={picture} army={army} /> {capital(said(name))}
                {isToMove && <span class="tag">{t("to move")}</span>}
              </th>
              <td>
                {conqueror
                  ? t("fell to {army}", { army: nameOf(picture, conqueror) })
                  : seat !== null && seatText(seat, teams, position)}
              </td>
              <td>{pieces}</td>
              <td>{taken.get(letter) ?? 0}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
