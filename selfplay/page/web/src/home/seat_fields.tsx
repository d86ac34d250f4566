import type { Catalogue, GameSpec } from "../api/types";
import { said, t } from "../words";
import { AgentField } from "./agent_field";

type Seats = (string | null)[];

function swapped([first = null, second = null, ...others]: Seats): Seats {
  return [second, first, ...others];
}

interface Props {
  catalogue: Catalogue;
  game: GameSpec;
  /** The agent of each seat; null for a person. */
  seats: Seats;
  /** What each of two seats plays, as far as it is known before the deal. */
  sides: string[];
  /** The team of each seat, if that is known. */
  teams: number[] | null;
  /** Changes may follow one another before the fields are drawn anew. */
  onChange: (change: (seats: Seats) => Seats) => void;
  /** The least and the greatest number of seats, if it can be chosen. */
  range: [number, number] | null;
  onCount: (count: number) => void;
}

/** Who plays each seat, and how many seats there are. */
export function SeatFields({
  catalogue,
  game,
  seats,
  sides,
  teams,
  onChange,
  range,
  onCount,
}: Props) {
  const inTeams = teams !== null && new Set(teams).size < teams.length;
  const label = (seat: number) => {
    // Teams are letters, as in the option `teams`.
    const team = String.fromCharCode(65 + (teams?.[seat] ?? 0));
    if (inTeams) return t("Seat {seat}, team {team}", { seat, team });
    const side = seats.length === 2 ? sides[seat] : "";
    if (!side) return t("Seat {seat}", { seat });
    return t("Seat {seat} ({armies})", { seat, armies: said(side) });
  };
  return (
    <fieldset class="seats">
      <legend>{t("Who plays")}</legend>
      {range && <CountField value={seats.length} range={range} onChange={onCount} />}
      {seats.map((value, seat) => (
        <AgentField
          key={seat}
          label={label(seat)}
          catalogue={catalogue}
          game={game}
          value={value}
          allowsPerson
          onChange={(agent) => onChange((old) => old.with(seat, agent))}
        />
      ))}
      {/* Where seats take kingdoms, the first kingdom does. */}
      {!range && <p class="quiet">{t("Seat 0 moves first.")}</p>}
      {seats.length === 2 && (
        <button type="button" class="swap" onClick={() => onChange(swapped)}>
          {t("Swap seats")}
        </button>
      )}
    </fieldset>
  );
}

interface CountProps {
  value: number;
  range: [number, number];
  onChange: (count: number) => void;
}

function CountField({ value, range: [least, most], onChange }: CountProps) {
  const counts = Array.from({ length: most - least + 1 }, (_, index) => least + index);
  return (
    <label class="agent-field">
      {t("Players")}
      <select value={value} onChange={(event) => onChange(Number(event.currentTarget.value))}>
        {counts.map((count) => (
          <option key={count} value={count}>
            {t("{count}, with a kingdom each", { count })}
          </option>
        ))}
      </select>
    </label>
  );
}
