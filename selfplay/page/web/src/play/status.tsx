import type { Position } from "../api/types";
import { armiesOf, capital, counted, plain, seatName } from "../names";
import { conquerors } from "./kingdoms";
import { meaning, verdict } from "./verdict";

function headline(position: Position): string {
  const { mover, agents, seats, outcome } = position;
  if (outcome) return verdict(position, outcome);
  const seat = seatName(position, mover);
  if (position.failure) return `${capital(seat)} does not move`;
  if (agents[mover]) return `${agents[mover]}, ${seat}, is thinking …`;
  if (!seats.includes(mover)) return `Waiting for ${seat}`;
  return seats.length > 1 ? position.picture.standing : `Your turn`;
}

/** What became of the only seat of a key, if it has fallen; else nothing. */
function fate(position: Position): string | null {
  const [seat, ...others] = position.seats;
  if (seat === undefined || others.length > 0 || !position.out.includes(seat)) return null;
  const { armies } = position.picture;
  const winners = conquerors(position.fen);
  const letters = armiesOf(position, seat).map((army) => winners.get(armies[army]!.letter));
  const names = letters.map((letter) => armies.find((army) => army.letter === letter)?.name);
  const known = [...new Set(names)].filter((name) => name !== undefined).map(capital);
  const to = known.length > 0 ? ` to ${known.join(", ")}` : "";
  return `Your kingdom fell${to}.${position.is_over ? "" : " Watching."}`;
}

/** Whose turn it is, check, and the counters towards a draw. */
export function Status({ position }: { position: Position }) {
  const { counters, occurrences, outcome } = position;
  const running = counters.filter(({ limit }) => limit > 0);
  const about = outcome && meaning(outcome);
  const fallen = fate(position);
  return (
    <section class="status" aria-label="State of the game">
      <h1 class={position.thinking ? "thinking" : ""}>{headline(position)}</h1>
      {about && <p class="quiet">{about}</p>}
      {fallen && <p class="fate">{fallen}</p>}
      <p class="tags">
        <span class="tag">{plain(position.game)}</span>
        <span class="tag">{counted(position.ply, "ply", "plies")} played</span>
        {position.is_check && <span class="tag alarm">check</span>}
        {occurrences > 1 && <span class="tag alarm">position seen {occurrences} times</span>}
      </p>
      {running.map(({ name, count, limit }) => (
        <label key={name} class="counter">
          <span>
            {plain(name)} <b>{count}</b> of {limit}
          </span>
          <meter value={count} max={limit} high={limit * 0.75} />
        </label>
      ))}
    </section>
  );
}
