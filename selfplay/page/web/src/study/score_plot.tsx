import type { Estimate } from "../api/types";
import { number, t } from "../words";
import { figure } from "./labels";

interface Props {
  score: Estimate;
  even: number;
  /** Scores this near to even are called fair. */
  margin: number;
  /** The farthest from even that is drawn. */
  farthest: number;
}

/** The plot, and below it the numbers of its axis. */
const [WIDTH, HEIGHT, AXIS] = [320, 26, 16];

/** A score with its interval against the even one, and the band that is called fair. */
export function ScorePlot({ score, even, margin, farthest }: Props) {
  if (score.value === null) return null;
  const x = (value: number) => WIDTH / 2 + ((value - even) / farthest) * (WIDTH / 2 - 16);
  const within = (value: number) => Math.min(WIDTH - 4, Math.max(4, x(value)));
  const [low, high] = [within(score.low ?? 0), within(score.high ?? 1)];
  const ticks = [even - farthest, even, even + farthest].filter((tick) => tick >= 0 && tick <= 1);
  return (
    <svg
      class="score-plot"
      viewBox={`0 0 ${WIDTH} ${HEIGHT + AXIS}`}
      preserveAspectRatio="xMinYMid"
      role="img"
      aria-label={t("Score {score}; {margin} around {even} is called fair", {
        score: figure("score", score, "interval"),
        margin,
        even: figure("score", { value: even, low: even, high: even }, "value"),
      })}
    >
      <rect
        class="band"
        x={within(even - margin)}
        y="3"
        width={within(even + margin) - within(even - margin)}
        height={HEIGHT - 6}
      />
      <line class="even" x1={x(even)} x2={x(even)} y1="0" y2={HEIGHT} />
      <line class="interval" x1={low} x2={high} y1={HEIGHT / 2} y2={HEIGHT / 2} />
      <circle cx={within(score.value)} cy={HEIGHT / 2} r="5" />
      {ticks.map((tick) => (
        <text key={tick} x={x(tick)} y={HEIGHT + AXIS - 3}>
          {number(tick, { maximumFractionDigits: 3 })}
        </text>
      ))}
    </svg>
  );
}
