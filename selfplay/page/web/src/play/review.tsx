import { useEffect, useState } from "preact/hooks";
import { message, post } from "../api/client";
import type { Mistake, ReviewState, Scene } from "../api/types";
import { moveName, seatName, signed } from "../names";
import { Bar, Notice } from "../ui/notices";
import { Curve } from "../viewer/curve";
import { t } from "../words";

/** Milliseconds between questions how far a review is. */
const PAUSE = 700;

interface Props {
  path: string;
  body: object;
  plies: { is_check: boolean }[];
  seats: number;
  /** The position that is shown. */
  ply: number;
  scene: Scene | null;
  onGo: (ply: number) => void;
  /** Told the costliest moves once they are known. */
  onFound: (mistakes: Mistake[]) => void;
}

/** What a search thinks of a game that is over: its value by ply, and the costliest moves. */
export function Review(props: Props) {
  const { path, body, plies, seats, ply, scene, onGo, onFound } = props;
  const [isAsked, setIsAsked] = useState(false);
  const [state, setState] = useState<ReviewState | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    if (!isAsked) return;
    let isCurrent = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      try {
        const next = await post<ReviewState>(path, body);
        if (!isCurrent) return;
        setState(next);
        if (next.review) onFound(next.review.mistakes);
        else timer = setTimeout(() => void ask(), PAUSE);
      } catch (reason) {
        if (!isCurrent) return;
        setError(message(reason));
        setIsAsked(false);
      }
    };
    void ask();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [isAsked]);
  const review = state?.review;
  const begin = () => {
    setError(null);
    setIsAsked(true);
  };
  if (plies.length === 0) return null;
  return (
    <section class="card review" aria-labelledby="review-title">
      <h2 id="review-title">{t("Review")}</h2>
      {error && <Notice kind="error">{error}</Notice>}
      {!isAsked && !review && (
        <button type="button" onClick={begin}>
          {t("Review the game")}
        </button>
      )}
      {isAsked && !review && (
        <p class="progress" role="status">
          <Bar share={(state?.done ?? 0) / plies.length} label={t("Progress of the review")} />
          {t("{done} of {all} plies", { done: state?.done ?? 0, all: plies.length })}
        </p>
      )}
      {review && (
        <>
          <Curve
            plies={review.values.map((value, at) => ({
              value,
              is_check: plies[at]?.is_check ?? false,
            }))}
            seats={seats}
            last={plies.length}
            ply={ply}
            scene={scene}
            onGo={onGo}
          />
          <Mistakes mistakes={review.mistakes} scene={scene} ply={ply} onGo={onGo} />
          <p class="quiet">
            {t(
              "By {agent}. Each move is judged by what its seat knew, over all that it could turn over: from −1 (lost) to +1 (won).",
              { agent: state!.by },
            )}
          </p>
        </>
      )}
    </section>
  );
}

interface MistakesProps {
  mistakes: Mistake[];
  scene: Scene | null;
  ply: number;
  onGo: (ply: number) => void;
}

function Mistakes({ mistakes, scene, ply, onGo }: MistakesProps) {
  if (mistakes.length === 0) {
    return <p>{t("It found no move that another one was clearly better than.")}</p>;
  }
  return (
    <ol class="mistakes" aria-label={t("The costliest moves")}>
      {mistakes.map((mistake) => {
        const { seat, played, better, value, better_value } = mistake;
        const isShown = mistake.ply === ply;
        return (
          <li key={mistake.ply}>
            <button
              type="button"
              aria-current={isShown ? "true" : undefined}
              onClick={() => onGo(mistake.ply)}
            >
              <span class="where">
                {t("Ply {ply}, {seat}", { ply: mistake.ply + 1, seat: seatName(scene, seat) })}
              </span>
              <span>
                <b>{moveName(played)}</b> {signed(value)}
              </span>
              <span class="better">
                {t("better")} <b>{moveName(better)}</b> {signed(better_value)}
              </span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}
