import type { Position } from "../api/types";
import { capital, plain, seatName } from "../names";

function headline(position: Position): string {
  const { mover, agents, seats, outcome } = position;
  if (outcome) return capital(plain(outcome.text));
  const seat = seatName(position, mover);
  if (position.failure) return `${agents[mover]} has failed`;
  if (agents[mover]) return `${agents[mover]} (${seat}) is thinking …`;
  if (!seats.includes(mover)) return `Waiting for ${seat}`;
  return seats.length > 1 ? `${capital(seat)} to move` : `Your turn`;
}

/** Whose turn it is, check, and the counters towards a draw. */
export function Status({ position }: { position: Position }) {
  const { counters, occurrences } = position;
  const running = counters.filter(({ limit }) => limit > 0);
  return (
    <section class="status" aria-label="State of the game">
      <h1 class={position.thinking ? "thinking" : ""}>{headline(position)}</h1>
      <p class="tags">
        <span class="tag">{plain(position.game)}</span>
        <span class="tag">ply {position.ply}</span>
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
