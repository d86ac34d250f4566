import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import type { Action } from "../api/types";
import type { Hands } from "../board/hands";

export interface Picking {
  hands: Hands;
  /** The action that waits to be confirmed. */
  chosen: Action | null;
  /** Plays the action, or lets it wait if the person wants to be asked first. */
  choose: (action: Action, isDropped?: boolean) => void;
  confirm: () => void;
  cancel: () => void;
}

/** The action of a piece that stays where it is: a flip. */
function flipOf(actions: Action[]): Action | undefined {
  return actions.find(({ from, to }) => from === to);
}

/**
 * Turns clicks into actions: the first picks a piece, the second says where it goes. A covered
 * piece that can only be turned over is turned over at once, one that can also move by a second
 * click.
 */
export function usePicking(
  legal: Action[],
  asksFirst: boolean,
  onPlay: (action: Action, isDropped: boolean) => void,
  /**
   * A move was tried that is not legal. The target is null where no piece was picked, both where one
   * was, so that what was said of another is over.
   */
  onMistake: (from: string | null, to: string | null) => void,
): Picking {
  const [origin, setOrigin] = useState<string | null>(null);
  const [chosen, setChosen] = useState<Action | null>(null);
  const cancel = useCallback(() => {
    setOrigin(null);
    setChosen(null);
  }, []);
  useEffect(cancel, [legal]);

  const bySource = useMemo(() => {
    const groups = new Map<string, Action[]>();
    for (const action of legal) {
      if (action.from === null) continue;
      groups.set(action.from, [...(groups.get(action.from) ?? []), action]);
    }
    return groups;
  }, [legal]);
  const sources = useMemo(() => new Set(bySource.keys()), [bySource]);
  const turns = useMemo(() => {
    const only = [...bySource].filter(([, actions]) => actions.length === 1 && flipOf(actions));
    return new Set(only.map(([square]) => square));
  }, [bySource]);
  const picked = useMemo(() => (origin && bySource.get(origin)) || [], [origin, bySource]);
  const targets = useMemo(() => new Set(picked.map(({ to }) => to!)), [picked]);

  const start = (action: Action, isDropped: boolean) => {
    cancel();
    onPlay(action, isDropped);
  };
  const choose = (action: Action, isDropped = false) => {
    if (!asksFirst || action.action === chosen?.action) return start(action, isDropped);
    setOrigin(action.from);
    setChosen(action);
  };
  const pick = (square: string) => {
    const flip = flipOf(bySource.get(square) ?? []);
    if (flip && turns.has(square)) return choose(flip);
    onMistake(null, null);
    setChosen(null);
    setOrigin(square);
  };

  const hands: Hands = {
    origin,
    sources,
    turns,
    targets,
    chosen: chosen?.to ?? null,
    onSquare(square) {
      const action = picked.find(({ to }) => to === square);
      if (action) choose(action);
      else if (square === origin) cancel();
      else if (origin && turns.has(square)) {
        // Meant as a capture, perhaps: a second click turns it over.
        onMistake(origin, square);
        cancel();
      } else if (sources.has(square)) pick(square);
      // The piece stays picked: it was a slip.
      else if (origin) onMistake(origin, square);
      else onMistake(square, null);
    },
    onPick(square) {
      setChosen(null);
      setOrigin(square);
    },
    onDrop(square) {
      const action = square && picked.find(({ to }) => to === square);
      if (action) choose(action, true);
      else if (square && origin) onMistake(origin, square);
    },
    onEscape: cancel,
  };
  const confirm = () => chosen && start(chosen, false);
  return { hands, chosen, choose, confirm, cancel };
}
