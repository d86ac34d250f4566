import type { Generation, Training } from "../api/types";
import { plain } from "../names";
import { counted, number, t } from "../words";

const [WIDTH, HEIGHT, EDGE] = [260, 64, 6];

/** Trainings with the strength of their generations. */
export function Trainings({ trainings }: { trainings: Training[] }) {
  return (
    <section class="card trainings" aria-labelledby="trainings-title">
      <h2 id="trainings-title">{t("Trainings")}</h2>
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
  if (done >= wanted) {
    return counted(wanted, "its {count} generation is done", "all of {count} generations done");
  }
  const text = counted(
    wanted,
    "{done} of {count} generation done",
    "{done} of {count} generations done",
    { done },
  );
  if (generations.length <= done) return text;
  return `${text} · ${t("generation {number} under way", { number: done + 1 })}`;
}

function whole(elo: number): string {
  return number(elo, { maximumFractionDigits: 0 });
}

function pointText(generation: number, elo: number, isAccepted: boolean): string {
  const values = { number: generation, elo: whole(elo) };
  return isAccepted
    ? t("Generation {number}: {elo} Elo", values)
    : t("Generation {number}: {elo} Elo, not accepted", values);
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
  const label = t("Elo by generation, from {first} to {last}", {
    first: whole(elos[0]!),
    last: whole(elos.at(-1)!),
  });
  return (
    <figure class="strengths">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        <polyline points={points.map(({ x, y }) => `${x},${y}`).join(" ")} />
        {points.map(({ number, elo, isAccepted, x, y }) => (
          <circle key={number} class={isAccepted ? "accepted" : "refused"} cx={x} cy={y} r="3.5">
            <title>{pointText(number, elo, isAccepted)}</title>
          </circle>
        ))}
      </svg>
      <figcaption class="quiet">{t("{label}; hollow: not accepted", { label })}</figcaption>
    </figure>
  );
}
