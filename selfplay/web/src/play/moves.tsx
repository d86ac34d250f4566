import { useEffect, useRef } from "preact/hooks";
import type { Event } from "../api/types";
import { eventSigns } from "../names";

export interface ListedPly extends Event {
  name: string;
  seat: number;
  is_check: boolean;
}

interface Props {
  plies: ListedPly[];
  seats: number;
  /** The number of the ply that is marked. */
  current: number;
  /** Makes the plies buttons. */
  onPick?: (ply: number) => void;
}

/** The plies of a game in rows, one for each round of two seats, or for each four plies. */
export function Moves({ plies, seats, current, onPick }: Props) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const marked = list.current?.querySelector<HTMLElement>(".current");
    if (!marked || !list.current) return;
    // `scrollIntoView` would scroll the page, too.
    const middle = marked.offsetTop - list.current.clientHeight / 2 + marked.clientHeight / 2;
    list.current.scrollTop = middle;
  }, [current, plies.length]);
  const columns = seats === 2 ? 2 : 4;
  return (
    <ol ref={list} class={`moves columns-${columns}`} aria-label="Plies" tabindex={0}>
      {plies.map((ply, index) => {
        const text = (
          <>
            <span class="number">{index + 1}</span>
            <span class="name">{ply.name}</span>
            <span class="signs">
              {eventSigns(ply)}
              {ply.is_check && <abbr title="check"> +</abbr>}
            </span>
          </>
        );
        const mark = index === current ? "current" : "";
        return (
          <li key={index} class={mark} aria-current={index === current ? "true" : undefined}>
            {onPick ? (
              <button type="button" class="plain" onClick={() => onPick(index)}>
                {text}
              </button>
            ) : (
              text
            )}
          </li>
        );
      })}
    </ol>
  );
}
