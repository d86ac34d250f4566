import type { Generation, Training } from "../api/types";
import { counted, plain } from "../names";

const [WIDTH, HEIGHT, EDGE] = [260, 64, 6];

/** Trainings with the strength of their generations. */
export function Trainings({ trainings }: { trainings: Training[] }) {
  return (
    <section class="card trainings" aria-labelledby="trainings-title">
      <h2 id="trainings-title">Trainings</h2>
      <ul class="list">
        {trainings.map((training) => (
          <li key={training.id}>
            <div class="line">
              <span class="path">{training.path}</span>
              <span class="quiet">
                {plain(training.game)}, {counted(training.generations.length, "generation")}
              </span>
            </div>
            <p role="status">{training.state}</p>
            <Strengths generations={training.generations} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Strengths({ generations }: { generations: Generation[] }) {
  const rated = generations.flatMap(({ number, elo, is_accepted }) =>
    elo === null ? [] : [{ number, elo, isAccepted: is_accepted !== false }],
  );
  if (rated.length < 2) return null;
  const elos = rated.map(({ elo }) => elo);
  const [least, most] = [Math.min(...elos), Math.max(...elos)];
  const points = rated.map((entry, index) => ({
    ...entry,
    x: EDGE + (index * (WIDTH - 2 * EDGE)) / (rated.length - 1),
    y: HEIGHT - EDGE - ((entry.elo - least) * (HEIGHT - 2 * EDGE)) / (most - least || 1),
  }));
  const label = `Elo by generation, from ${Math.round(elos[0]!)} to ${Math.round(elos.at(-1)!)}`;
  return (
    <figure class="strengths">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        <polyline points={points.map(({ x, y }) => `${x},${y}`).join(" ")} />
        {points.map(({ number, elo, isAccepted, x, y }) => (
          <circle key={number} class={isAccepted ? "accepted" : "refused"} cx={x} cy={y} r="3.5">
            <title>{`Generation ${number}: ${Math.round(elo)} Elo${isAccepted ? "" : ", not accepted"}`}</title>
          </circle>
        ))}
      </svg>
      <figcaption class="quiet">{label}; hollow: not accepted</figcaption>
    </figure>
  );
}
