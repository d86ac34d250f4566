import type { Position } from "../api/types";
import { agentName, armiesOf, capital, plain, seatName } from "../names";
import { counted, filled, listed, said, t, told } from "../words";
import { conquerors } from "./kingdoms";
import { verdict } from "./verdict";

function headline(position: Position): string {
  const { mover, agents, seats, outcome } = position;
  if (outcome) return verdict(position, outcome);
  const seat = seatName(position, mover);
  if (position.failure) return t("{seat} does not move", { seat: capital(seat) });
  const agent = agents[mover];
  if (agent) {
    return t("{agent}, {seat}, is thinking …", { agent: agentName(agent), seat });
  }
  if (!seats.includes(mover)) return t("Waiting for {seat}", { seat });
  return seats.length > 1 ? t("{seat} to move", { seat: capital(seat) }) : t("Your turn");
}

/** What became of the only seat of a key, if it has fallen; else nothing. */
function fate(position: Position): string | null {
  const [seat, ...others] = position.seats;
  if (seat === undefined || others.length > 0 || !position.out.includes(seat)) return null;
  const { armies } = position.picture;
  const winners = conquerors(position.fen);
  const letters = armiesOf(position, seat).map((army) => winners.get(armies[army]!.letter));
  const names = letters.map((letter) => armies.find((army) => army.letter === letter)?.name);
  const known = [...new Set(names)]
    .filter((name) => name !== undefined)
    .map((name) => capital(said(name)));
  const text =
    known.length > 0
      ? t("Your kingdom fell to {armies}.", { armies: listed(known) })
      : t("Your kingdom fell.");
  return position.is_over ? text : `${text} ${t("Watching.")}`;
}

/** Whose turn it is, check, and the counters towards a draw. */
export function Status({ position }: { position: Position }) {
  const { counters, occurrences, outcome } = position;
  const running = counters.filter(({ limit }) => limit > 0);
  const fallen = fate(position);
  return (
    <section class="status" aria-label={t("State of the game")}>
      <h1 class={position.thinking ? "thinking" : ""}>{headline(position)}</h1>
      {outcome && <p class="quiet">{told(outcome.meaning)}</p>}
      {fallen && <p class="fate">{fallen}</p>}
      <p class="tags">
        <span class="tag">{plain(position.game)}</span>
        <span class="tag">
          {counted(position.ply, "{count} ply played", "{count} plies played")}
        </span>
        {position.is_check && <span class="tag alarm">{t("check")}</span>}
        {occurrences > 1 && (
          <span class="tag alarm">{t("position seen {count} times", { count: occurrences })}</span>
        )}
      </p>
      {running.map(({ name, count, limit }) => (
        <label key={name} class="counter">
          <span>
            {filled("{counter} {count} of {limit}", {
              counter: plain(name),
              count: <b>{count}</b>,
              limit,
            })}
          </span>
          <meter value={count} max={limit} high={limit * 0.75} />
        </label>
      ))}
    </section>
  );
}
