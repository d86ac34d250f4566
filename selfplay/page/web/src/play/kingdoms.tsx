import type { OptionValues, Picture, Position, Scene } from "../api/types";
import { capital } from "../names";
import { said, t } from "../words";
import { ClockFace } from "./clock";
import { ArmyChip, playerName } from "./seats";

/** By letter of a fallen kingdom, the letter of its conqueror. From the FEN's field `out`. */
export function conquerors(fen: string): Map<string, string> {
  const field = fen.split(" ")[2] ?? "-";
  const pairs = field === "-" ? [] : field.split(",");
  return new Map(pairs.map((pair) => [pair.charAt(0), pair.charAt(1)]));
}

/**
 * By letter of a kingdom, how many pieces it has captured, or lost. From the FEN's field `captures`, whose
 * entries begin with the letters of captor and victim.
 */
function counts(fen: string, of: "captor" | "victim"): Map<string, number> {
  const field = fen.split(" ")[3] ?? "-";
  const sums = new Map<string, number>();
  if (field === "-") return sums;
  for (const entry of field.split(",")) {
    const kingdom = entry.charAt(of === "captor" ? 0 : 1);
    sums.set(kingdom, (sums.get(kingdom) ?? 0) + Number(entry.slice(2)));
  }
  return sums;
}

/** "3/10", where the rules have a limit. */
function upTo(count: number, limit: unknown): string {
  return typeof limit === "number" ? `${count}/${limit}` : String(count);
}

export function nameOf(picture: Picture, letter: string): string {
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
  const out = conquerors(fen);
  const [taken, lost] = [counts(fen, "captor"), counts(fen, "victim")];
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
          <th scope="col">{t("Lost")}</th>
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
              </th>
              <td>
                {conqueror
                  ? t("fell to {army}", { army: nameOf(picture, conqueror) })
                  : seat !== null && seatText(seat, teams, position)}
                {isToMove && <span class="tag">{t("to move")}</span>}
                {!conqueror && position && seat !== null && (
                  <ClockFace position={position} seat={seat} />
                )}
              </td>
              <td>{pieces}</td>
              <td>{upTo(lost.get(letter) ?? 0, options["loss_limit"])}</td>
              <td>{upTo(taken.get(letter) ?? 0, options["capture_limit"])}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
