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
            <Curves generations={training.generations} />
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

function small(error: number): string {
  return number(error, { maximumSignificantDigits: 3 });
}

function pointText(generation: number, elo: number, isAccepted: boolean): string {
  const values = { number: generation, elo: whole(elo) };
  return isAccepted
    ? t("Generation {number}: {elo} Elo", values)
    : t("Generation {number}: {elo} Elo, not accepted", values);
}

/** The curves of a training, which grow while it runs: strength, and the error of the nets. */
function Curves({ generations }: { generations: Generation[] }) {
  const rated = generations.flatMap(({ number: place, elo, is_accepted }) => {
    if (elo === null) return [];
    const isAccepted = is_accepted !== false;
    return [{ place, value: elo, isAccepted, text: pointText(place, elo, isAccepted) }];
  });
  const fitted = generations.flatMap(({ number: place, error }) => {
    if (error === null) return [];
    const text = t("Generation {number}: error {error}", { number: place, error: small(error) });
    return [{ place, value: error, isAccepted: true, text }];
  });
  const elo = t("Elo by generation, from {first} to {last}", ends(rated, whole));
  const error = t("Error of the net by generation, from {first} to {last}", ends(fitted, small));
  return (
    <div class="curves">
      <Line points={rated} label={elo} note={t("{label}; hollow: not accepted", { label: elo })} />
      <Line points={fitted} label={error} note={error} />
    </div>
  );
}

interface Point {
  place: number;
  value: number;
  isAccepted: boolean;
  text: string;
}

function ends(points: Point[], text: (value: number) => string) {
  return { first: text(points[0]?.value ?? 0), last: text(points.at(-1)?.value ?? 0) };
}

function Line({ points, label, note }: { points: Point[]; label: string; note: string }) {
  if (points.length < 2) return null;
  const values = points.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const drawn = points.map((point, index) => ({
    ...point,
    x: EDGE + (index * (WIDTH - 2 * EDGE)) / (points.length - 1),
    y: HEIGHT - EDGE - ((point.value - least) * (HEIGHT - 2 * EDGE)) / (most - least || 1),
  }));
  return (
    <figure class="strengths">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        <polyline points={drawn.map(({ x, y }) => `${x},${y}`).join(" ")} />
        {drawn.map(({ place, isAccepted, text, x, y }) => (
          <circle key={place} class={isAccepted ? "accepted" : "refused"} cx={x} cy={y} r="3.5">
            <title>{text}</title>
          </circle>
        ))}
      </svg>
      <figcaption class="quiet">{note}</figcaption>
    </figure>
  );
}
