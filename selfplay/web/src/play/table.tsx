import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Action, Advice, Position } from "../api/types";
import { Board } from "../board/board";
import type { Motion } from "../board/motion";
import type { Arrow } from "../board/overlay";
import { capital, plain, seatName, signed } from "../names";
import { useSettings } from "../settings";
import { Notice } from "../ui/notices";
import { Controls } from "./controls";
import { End } from "./end";
import { Kingdoms } from "./kingdoms";
import { Moves } from "./moves";
import { OddsCard } from "./odds";
import { SeatBar } from "./seats";
import { Status } from "./status";
import type { Game } from "./use_game";
import { usePicking } from "./use_picking";

interface Props {
  id: string;
  game: Game;
  position: Position;
}

const NONE: string[] = [];

/** An adviser's answer, for the turn it was given in. */
interface Hint {
  turn: number;
  advice: Advice;
}

/** The board with everything beside it. */
export function Table({ id, game, position }: Props) {
  const { picture, turn, history } = position;
  const { asksFirst, showsThreats } = useSettings();
  const [hint, setHint] = useState<Hint | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  const [isTurned, setIsTurned] = useState(false);
  const dropped = useRef<number | null>(null);
  const view = useView(position, isTurned);
  const motion = useMotion(position, dropped);

  const play = useCallback(
    (action: Action, isDropped: boolean) => {
      dropped.current = isDropped ? action.action : null;
      void game.act("move", { action: action.action }).then((isPlayed) => {
        if (!isPlayed) dropped.current = null;
      });
    },
    [game.act],
  );
  const picking = usePicking(position.legal, asksFirst, play);
  const askHint = async () => {
    setIsAsking(true);
    const advice = await game.ask<Advice>("hint");
    setIsAsking(false);
    if (advice) setHint({ turn, advice });
  };

  const isOurs = position.legal.length > 0;
  useEffect(() => {
    document.title = `${isOurs ? "● " : ""}${plain(position.game)} · darkqi`;
  }, [isOurs]);

  const advice = hint?.turn === turn ? hint.advice : null;
  const arrows = useMemo(() => (advice ? arrowOf(advice) : []), [advice]);
  const last = history.at(-1) ?? null;
  const isSeated = position.seats.includes(position.mover) && !position.is_over;
  const isPair = position.agents.length === 2;
  const lower = view.bottomSeat;
  return (
    <div class="table" style={{ "--ratio": String(picture.files / picture.ranks) }}>
      <section class="board-side" aria-label="Board">
        {isPair && <SeatBar position={position} seat={1 - lower} />}
        <Board
          picture={picture}
          label={`Board of ${position.game}`}
          isTurned={view.isTurned}
          last={last}
          motion={motion}
          arrows={arrows}
          threatened={showsThreats ? position.threatened : NONE}
          hands={picking.hands}
        />
        {isPair && <SeatBar position={position} seat={lower} />}
      </section>
      <aside class="panel">
        <Status position={position} />
        {position.failure && (
          <Notice kind="error">
            {position.failure}{" "}
            <button type="button" onClick={() => void game.act("retry")}>
              Ask again
            </button>
          </Notice>
        )}
        {picking.chosen && (
          <OddsCard action={picking.chosen} armies={picture.armies} game={game} picking={picking} />
        )}
        {advice && (
          <section class="card hint" aria-label="Hint">
            <p>
              <span class="quiet">{position.adviser}</span> would play{" "}
              <strong>{advice.name}</strong>
              {advice.value !== null && <> with a value of {signed(advice.value)}</>}
            </p>
            <button type="button" onClick={() => picking.choose(advice)}>
              Play {advice.name}
            </button>
          </section>
        )}
        {position.is_over && <End position={position} game={game} />}
        <Controls
          id={id}
          position={position}
          game={game}
          pass={isSeated ? position.legal.find(({ from }) => from === null) : undefined}
          onPlay={picking.choose}
          onHint={isSeated && !isAsking ? () => void askHint() : null}
          isAsking={isAsking}
          onTurn={() => setIsTurned(!isTurned)}
        />
        {!isPair && (
          <Kingdoms
            picture={picture}
            owners={position.owners}
            fen={position.fen}
            options={position.options}
            position={position}
          />
        )}
        <Moves plies={history} seats={position.agents.length} current={history.length - 1} />
        <p class="live" role="status">
          {last && `${capital(seatName(position, last.seat))}: ${last.text}.`}
          {position.is_check && " Check."}
        </p>
      </aside>
    </div>
  );
}

function arrowOf({ from, to }: Action): Arrow[] {
  return from && to ? [{ from, to, kind: "hint", weight: 0.6 }] : [];
}

/** How the board is turned, and whose side is below. */
function useView(position: Position, isTurned: boolean) {
  // At the end the view is that of no seat. The board stays as the seat saw it.
  const rotation = useRef(position.picture.is_rotated);
  const bottom = useRef(0);
  if (position.viewer !== "all") {
    rotation.current = position.picture.is_rotated;
    bottom.current = typeof position.viewer === "number" ? position.viewer : 0;
  }
  const isRotated = rotation.current !== isTurned;
  return {
    isTurned: position.picture.is_rotated !== isRotated,
    bottomSeat: isTurned ? 1 - bottom.current : bottom.current,
  };
}

/** The movement of the last ply, if this position is a later one than that shown before. */
function useMotion(position: Position, dropped: { current: number | null }): Motion | null {
  const shown = useRef<{ turn: number; ply: number } | null>(null);
  return useMemo(() => {
    const before = shown.current;
    shown.current = { turn: position.turn, ply: position.ply };
    const last = position.history.at(-1);
    const wasDropped = dropped.current !== null;
    dropped.current = null;
    if (!before || position.ply <= before.ply || !last?.from || !last.to) return null;
    const isTurned = last.revealed !== null;
    return { from: wasDropped ? last.to : last.from, to: last.to, isTurned };
  }, [position.turn]);
}
