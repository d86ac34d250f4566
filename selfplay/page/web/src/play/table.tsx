import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Action, Advice, GameSpec, Mistake, Position } from "../api/types";
import { Board } from "../board/board";
import { focusBoard, showBoard } from "../board/cells";
import type { Motion } from "../board/motion";
import { arrowOf } from "../board/overlay";
import { useNear } from "../learn/near";
import { Legend, PieceLine } from "../learn/piece_line";
import { useLesson } from "../learn/use_lesson";
import { agentName, armiesOf, capital, moveName, plain, plyText, seatName, signed } from "../names";
import { useSettings } from "../settings";
import { Notice } from "../ui/notices";
import { Sheet } from "../ui/sheet";
import { filled, locale, saidWhy, t, told } from "../words";
import { Controls } from "./controls";
import { Downloads } from "./downloads";
import { DrawOffer } from "./draw_offer";
import { End } from "./end";
import { Falls } from "./falls";
import { Kingdoms } from "./kingdoms";
import { LookBar } from "./look_bar";
import { Moves } from "./moves";
import { OddsCard } from "./odds";
import { Review } from "./review";
import { SeatBar } from "./seats";
import { Status } from "./status";
import type { Game } from "./use_game";
import { useLook } from "./use_look";
import { useObjection } from "./use_objection";
import { usePicking } from "./use_picking";
import { useSounds } from "./use_sounds";
import { verdict } from "./verdict";

interface Props {
  id: string;
  game: Game;
  position: Position;
  hides: GameSpec["hides"];
  /** The kinds of files that the server makes of games. */
  files: string[];
  hasLesson: boolean;
}

const NO_MOVES: Action[] = [];
const NONE: string[] = [];

/** An adviser's answer, for the position it was given in. */
interface Hint {
  ply: number;
  fen: string;
  advice: Advice;
}

/** The board with everything beside it. */
export function Table({ id, game, position, hides, files, hasLesson }: Props) {
  const { turn, history } = position;
  const { asksFirst, showsThreats } = useSettings();
  const [hint, setHint] = useState<Hint | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  const [isTurned, setIsTurned] = useState(false);
  const dropped = useRef<number | null>(null);
  // While a move is under way no other is made.
  const [isMoving, setIsMoving] = useState(false);
  const isWatching = position.agents.every((agent) => agent !== null);
  const looking = useLook(id, position, isWatching);
  const { shown } = looking;
  const { picture } = shown;
  const jump = (ply: number) => {
    looking.goTo(ply);
    showBoard();
  };
  const view = useView(shown, isTurned, hides);
  const motion = useMotion(shown, dropped);

  const play = useCallback(
    (action: Action, isDropped: boolean) => {
      dropped.current = isDropped ? action.action : null;
      setIsMoving(true);
      void game.act("move", { action: action.action }).then((isPlayed) => {
        setIsMoving(false);
        if (!isPlayed) dropped.current = null;
      });
    },
    [game.act],
  );
  const isFree = !isMoving && !game.isLost && looking.at === null;
  const objecting = useObjection(id, turn);
  const picking = usePicking(isFree ? position.legal : NO_MOVES, asksFirst, play, objecting.ask);
  const lesson = useLesson(hasLesson ? position.game : null, position.options).value;
  const near = useNear();
  const askHint = async () => {
    setIsAsking(true);
    const { ply, fen } = position;
    const advice = await game.ask<Advice>("hint");
    setIsAsking(false);
    if (advice) setHint({ ply, fen, advice });
  };
  const playHint = (action: Action) => {
    picking.choose(action);
    focusBoard();
  };

  const isOurs = position.legal.length > 0;
  useEffect(() => {
    document.title = `${isOurs ? "● " : ""}${plain(position.game)} · darkqi`;
  }, [isOurs, locale()]);

  const advice = hint?.ply === position.ply && hint.fen === position.fen ? hint.advice : null;
  const [mistakes, setMistakes] = useState<Mistake[]>([]);
  const better = mistakes.find(({ ply }) => ply === shown.ply)?.better ?? null;
  const advised = looking.at === null ? advice : better;
  const arrows = useMemo(() => (advised ? arrowOf(advised) : []), [advised]);
  // Those who watch are told of a ply when it is shown.
  const heard = isWatching ? shown : position;
  // What follows the end stays while one looks back.
  const hasEnded = useRef(false);
  hasEnded.current = position.is_over && (hasEnded.current || heard.is_over);
  useSounds(heard);
  const last = heard.history.at(-1) ?? null;
  const isSeated = isFree && position.seats.includes(position.mover) && !position.is_over;
  // Where the rules have ended a game nothing can be played.
  const isSettled = position.outcome?.is_settled ?? false;
  const path = `api/play/${encodeURIComponent(id)}`;
  const isPair = position.agents.length === 2;
  // Onlookers may where nobody plays.
  const mayRetry = position.seats.length > 0 || !position.agents.includes(null);
  const lower = view.bottomSeat;
  return (
    <div
      class={`table ${picture.files > picture.ranks * 1.5 ? "wide" : ""}`}
      style={{ "--ratio": String(picture.files / picture.ranks) }}
    >
      <section
        class={`board-side ${looking.at === null || isWatching ? "" : "is-past"}`}
        aria-label={t("Board")}
        aria-busy={looking.at !== null && shown.ply !== looking.at}
        {...near.handlers}
      >
        {isPair && <SeatBar position={shown} seat={1 - lower} />}
        <Board
          picture={picture}
          label={t("Board of {game}", { game: plain(position.game) })}
          isTurned={view.isTurned}
          last={shown.history.at(-1) ?? null}
          motion={motion}
          arrows={arrows}
          threatened={showsThreats ? shown.threatened : NONE}
          {...(looking.at === null && !game.isLost ? { hands: picking.hands } : {})}
        />
        {isPair && <SeatBar position={shown} seat={lower} />}
        <div class="explain">
          <p class="objection" role="status">
            {objecting.objection && told(objecting.objection)}
          </p>
          <PieceLine
            picture={picture}
            lesson={lesson}
            squares={[near.square, picking.hands.origin]}
          />
        </div>
      </section>
      <aside class="panel">
        <Status position={heard} />
        {!isPair && <Falls position={heard} />}
        {!game.isLost && <DrawOffer position={position} game={game} />}
        {position.failure && !game.isLost && (
          <Notice kind="error">
            {saidWhy(position.failure)}{" "}
            {mayRetry && (
              <button type="button" onClick={() => void game.act("retry")}>
                {t("Ask again")}
              </button>
            )}
          </Notice>
        )}
        {picking.chosen && (
          <OddsCard action={picking.chosen} armies={picture.armies} game={game} picking={picking} />
        )}
        {advice && (
          <Sheet kind="hint" label={t("Hint")} of={advice}>
            <p>
              {filled(
                advice.value === null
                  ? "{agent} would play {move}"
                  : "{agent} would play {move} with a value of {value} from −1 (lost) to +1 (won)",
                {
                  agent: <span class="quiet">{agentName(position.adviser)}</span>,
                  move: <strong>{moveName(advice)}</strong>,
                  value: signed(advice.value ?? 0),
                },
              )}
            </p>
            <button type="button" disabled={!isFree} onClick={() => playHint(advice)}>
              {t("Play {move}", { move: moveName(advice) })}
            </button>
          </Sheet>
        )}
        {hasEnded.current && !game.isLost && (
          <>
            <End position={position} game={game} />
            <Downloads files={files} path={`${path}/file`} query={{}} ply={shown.ply} />
            <Review
              path={`${path}/review`}
              body={{ turn }}
              plies={history}
              seats={position.agents.length}
              ply={shown.ply}
              scene={position}
              onGo={jump}
              onFound={setMistakes}
            />
          </>
        )}
        {!game.isLost && (
          <Controls
            id={id}
            position={position}
            fen={shown.fen}
            canPlayOn={position.is_over && (looking.at !== null || isSettled)}
            game={game}
            hides={hides}
            pass={isSeated ? position.legal.find(({ from }) => from === null) : undefined}
            onPlay={picking.choose}
            onHint={isSeated && !isAsking ? () => void askHint() : null}
            isAsking={isAsking}
            hasLesson={hasLesson}
            onTurn={() => setIsTurned(!isTurned)}
          />
        )}
        <p class="live" role="status">
          {last &&
            t("{seat}: {ply}.", {
              seat: capital(seatName(position, last.seat)),
              ply: plyText(last, picture.armies),
            })}{" "}
          {heard.is_check && t("Check.")}{" "}
          <span class="heard">
            {heard.outcome && verdict(heard, heard.outcome)}{" "}
            {advice &&
              t("{agent} would play {move}", {
                agent: agentName(position.adviser),
                move: moveName(advice),
              })}{" "}
            {picking.chosen &&
              t("The odds of {move} are listed.", { move: moveName(picking.chosen) })}
          </span>
        </p>
        {(history.length > 0 || isWatching) && !game.isLost && (
          <LookBar
            looking={looking}
            end={position.ply}
            isWatching={isWatching}
            isOver={position.is_over}
          />
        )}
        {!isPair && (
          <Kingdoms
            picture={picture}
            owners={shown.owners}
            fen={shown.fen}
            options={position.options}
            position={shown}
          />
        )}
        <Legend picture={picture} lesson={lesson} army={armiesOf(position, lower)[0] ?? 0} />
        <Moves
          plies={history}
          seats={position.agents.length}
          current={(looking.at ?? history.length) - 1}
          scene={position}
          onPick={(index) => jump(index + 1)}
        />
      </aside>
    </div>
  );
}

/** How the board is turned, and whose side is below. */
function useView(position: Position, isTurned: boolean, hides: GameSpec["hides"]) {
  // At the end the view is that of no seat. The board stays as the seat saw it.
  const rotation = useRef(position.picture.is_rotated);
  const bottom = useRef(position.seats[0] ?? 0);
  // People at one screen who see the same look at a board that lies still.
  const isStill = position.seats.length > 1 && hides === "nothing";
  if (isStill) {
    rotation.current = false;
    bottom.current = 0;
  } else if (position.viewer !== "all") {
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
  const shown = useRef<number | null>(null);
  return useMemo(() => {
    const before = shown.current;
    shown.current = position.ply;
    const last = position.history.at(-1);
    const wasDropped = dropped.current !== null;
    dropped.current = null;
    // A jump over several plies, as while looking back, is no movement.
    if (before === null || position.ply !== before + 1 || !last?.from || !last.to) return null;
    const isTurned = last.revealed !== null;
    return { from: wasDropped ? last.to : last.from, to: last.to, isTurned };
  }, [position.turn, position.ply]);
}
