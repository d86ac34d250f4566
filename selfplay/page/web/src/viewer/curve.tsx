import type { Scene } from "../api/types";
import { seatName, signed } from "../names";
import { listed, t } from "../words";

/** A position, by what is known before its ply. */
interface Valued {
  /** For each seat; null where there is none. */
  value: Value;
  is_check: boolean;
}

interface Props {
  plies: Valued[];
  seats: number;
  /** The number of the last position. */
  last: number;
  ply: number;
  scene: Scene | null;
  onGo: (ply: number) => void;
}

const [WIDTH, HEIGHT] = [600, 110];

/** The values of each position, as curves over the plies. A click goes there. */
export function Curve({ plies, seats, last, ply, scene, onGo }: Props) {
  if (!plies.some(({ value }) => isKnown(value))) return null;
  const end = Math.max(1, last);
  const x = (at: number) => (at / end) * WIDTH;
  const y = (value: number) => HEIGHT / 2 - value * (HEIGHT / 2 - 6);
  // With two seats the second curve would mirror the first.
  const shown = seats === 2 ? [0] : Array.from({ length: seats }, (_, seat) => seat);
  const now = plies[ply]?.value;
  const jump = (event: MouseEvent) => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect();
    onGo(Math.round(((event.clientX - left) / width) * end));
  };
  return (
    <figure class="curve">
      <div class="axis" aria-hidden="true">
        <span>+1</span>
        <span>0</span>
        <span>−1</span>
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t("Values by ply, of {seats}", {
          seats: listed(shown.map((seat) => seatName(scene, seat))),
        })}
        onClick={jump}
      >
        <line class="zero" x1="0" x2={WIDTH} y1={y(0)} y2={y(0)} />
        {plies.map(({ is_check }, at) =>
          is_check ? (
            <line
              key={at}
              class="check"
              x1={x(at + 1)}
              x2={x(at + 1)}
              y1={HEIGHT - 10}
              y2={HEIGHT}
            />
          ) : null,
        )}
        {shown.map((seat) => (
          <g key={seat}>
            {seats === 2 && <path class="area" d={path(plies, seat, x, y, y(0))} />}
            <path class={`value v${seat}`} d={path(plies, seat, x, y, null)} />
          </g>
        ))}
        <line class="now" x1={x(ply)} x2={x(ply)} y1="0" y2={HEIGHT} />
      </svg>
      <figcaption class="quiet">
        <span aria-hidden="true">0</span>
        <span>
          {isKnown(now)
            ? listed(shown.map((seat) => `${seatName(scene, seat)} ${signed(now[seat] ?? 0)}`))
            : ply < last && t("no value here")}
        </span>
        <span aria-hidden="true">{end}</span>
      </figcaption>
    </figure>
  );
}

type Value = (number | null)[] | null | undefined;

function isKnown(value: Value): value is (number | null)[] {
  return value?.some((share) => share !== null) ?? false;
}

/**
 * A curve through the known values, straight where an agent gave none; with a base, the area down to
 * it.
 */
function path(
  plies: Valued[],
  seat: number,
  x: (ply: number) => number,
  y: (value: number) => number,
  base: number | null,
): string {
  const known = plies.flatMap(({ value }, at) => {
    const share = value?.[seat];
    return share == null ? [] : [{ at, share }];
  });
  const [first, last] = [known[0], known.at(-1)];
  if (!first || !last) return "";
  const points = known.map(({ at, share }) => `${x(at)} ${y(share).toFixed(1)}`);
  // A step of no length, so that a single value is a dot.
  const line = `M${points.join("L")}h0`;
  return base === null ? line : `${line}L${x(last.at)} ${base}L${x(first.at)} ${base}Z`;
}
