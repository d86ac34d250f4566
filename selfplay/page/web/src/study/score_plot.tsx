import type { Estimate } from "../api/types";
import { t } from "../words";
import { figure } from "./labels";

interface Props {
  score: Estimate;
  even: number;
  /** Scores this near to even are called fair. */
  margin: number;
  /** The farthest from even that is drawn. */
  farthest: number;
}

const [WIDTH, HEIGHT] = [320, 26];

/** A score with its interval against the even one, and the band that is called fair. */
export function ScorePlot({ score, even, margin, farthest }: Props) {
  if (score.value === null) return null;
  const x = (value: number) => WIDTH / 2 + ((value - even) / farthest) * (WIDTH / 2 - 8);
  const within = (value: number) => Math.min(WIDTH - 4, Math.max(4, x(value)));
  const [low, high] = [within(score.low ?? 0), within(score.high ?? 1)];
  return (
    <svg
      class="score-plot"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
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
    </svg>
  );
}
