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
              <span class="quiet">{plain(training.game)}</span>
            </div>
            <p role="status">{stateText(training)}</p>
            <Strengths generations={training.generations} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How far a training is. */
function stateText({ generations, wanted }: Training): string {
  const done = generations.filter(({ is_accepted }) => is_accepted !== null).length;
  if (done >= wanted) return `all of ${counted(wanted, "generation")} done`;
  const begun = generations.length > done ? `, generation ${done + 1} under way` : "";
  return `${done} of ${counted(wanted, "generation")} done${begun}`;
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
