import { useEffect, useMemo, useState } from "preact/hooks";
import { message, post } from "../api/client";
import type { Catalogue, GameSpec, Mover, OptionValues, Picture, Setup } from "../api/types";
import { Board } from "../board/board";
import type { Hands } from "../board/hands";
import { changedOptions } from "../home/given";
import { UnknownNames } from "../home/unknown_names";
import { useChecked } from "../home/position_field";
import { capital, plain, seatName } from "../names";
import { type Start, startLink, startOf } from "../play/starting";
import { go, move } from "../router";
import { Copy, Switch } from "../ui/controls";
import { Loading, Notice } from "../ui/notices";
import { said, t } from "../words";
import { readBoard, type Squares, writeBoard } from "./fen_board";
import { discOf, Palette, type Tool } from "./palette";

interface Props {
  catalogue: Catalogue | null;
  query: URLSearchParams;
}

/** A board to put pieces on, and the game that begins there. */
export function Editor({ catalogue, query }: Props) {
  if (!catalogue) {
    return (
      <main class="page">
        <Loading what={t("the games")} />
      </main>
    );
  }
  const asked = startOf(query);
  const spec = catalogue.games.find(({ name }) => name === asked?.game) ?? catalogue.games[0]!;
  const start = { game: spec.name, options: asked?.options ?? {}, fen: asked?.fen ?? "" };
  const options = changedOptions(catalogue, start);
  return (
    <main class="page play edit">
      <header class="line">
        <h1>{t("Set up a position")}</h1>
        <label>
          {t("Game")}{" "}
          <select
            value={spec.name}
            onChange={(event) => {
              go(startLink({ game: event.currentTarget.value, options: {}, fen: "" }, "edit"));
            }}
          >
            {catalogue.games.map(({ name }) => (
              <option key={name} value={name}>
                {capital(plain(name))}
              </option>
            ))}
          </select>
        </label>
      </header>
      <UnknownNames catalogue={catalogue} query={query} />
      <Prepared key={spec.name} spec={spec} options={options} fen={start.fen} />
    </main>
  );
}

interface PreparedProps {
  spec: GameSpec;
  options: OptionValues;
  fen: string;
}

/** The editor, once the server has said what pieces the game has. */
function Prepared({ spec, options, fen }: PreparedProps) {
  const [setup, setSetup] = useState<Setup | null>(null);
  const [error, setError] = useState<string | null>(null);
  const game = spec.name;
  useEffect(() => {
    let isCurrent = true;
    post<Setup>("api/setup", { game, options }).then(
      (setup) => isCurrent && setSetup(setup),
      (reason: unknown) => isCurrent && setError(message(reason)),
    );
    return () => void (isCurrent = false);
  }, [game, JSON.stringify(options)]);
  if (error) return <Notice kind="error">{error}</Notice>;
  if (!setup) return <Loading what={t("the pieces")} />;
  return <Workbench setup={setup} spec={spec} start={{ game, options, fen }} />;
}

interface WorkbenchProps {
  setup: Setup;
  spec: GameSpec;
  start: Start;
}

const EMPTY: Squares = new Map();

function Workbench({ setup, spec, start }: WorkbenchProps) {
  const { game, options } = start;
  // The address is all there is: the board is drawn from its text, and writes it.
  const fen = start.fen || setup.fen;
  const setFen = (fen: string) => move(startLink({ game, options, fen: fen || " " }, "edit"));
  const [tool, setTool] = useState<Tool>(setup.unknown[0]?.name ?? setup.pieces[0]?.name ?? null);
  const [isCovered, setIsCovered] = useState(false);
  const { files, ranks } = setup.picture;
  const names = useMemo(() => [...setup.pieces, ...setup.unknown].map(({ name }) => name), [setup]);
  const [board = "", ...rest] = fen.trim().split(" ");
  const [mover, others] = split(rest, setup.movers[0]!.name.split(" ").length);
  const squares = useMemo(() => readBoard(board, files, ranks, names), [board]);
  const { error: refusal, isKnown } = useChecked(game, options, fen.trim());
  const error = fen.trim() ? refusal : t("There is no FEN. Write one, or take the start position.");
  const write = (next: Squares) => {
    setFen([writeBoard(next, files, ranks), moverOf(next, mover, setup), ...others].join(" "));
  };
  // A board would take the place of the text that is being written.
  const put = (square: string) => {
    if (!squares) return;
    const next = new Map(squares);
    if (tool === null || next.get(square) === tool) next.delete(square);
    else next.set(square, tool);
    write(next);
  };
  const shift = (from: string, to: string) => {
    if (!squares) return;
    const next = new Map(squares);
    const piece = next.get(from);
    next.delete(from);
    if (piece !== undefined) next.set(to, piece);
    write(next);
  };
  const hands = useHands(files, ranks, put, shift);
  const cover = (isOn: boolean) => {
    setIsCovered(isOn);
    const name = tool?.replace("~", "");
    if (name && setup.pieces.some((piece) => piece.name === name)) {
      setTool(isOn ? `~${name}` : name);
    }
  };
  const picture = useMemo(() => pictureOf(setup, squares ?? EMPTY), [setup, squares]);
  const address = startLink({ game, options, fen: fen.trim() });
  return (
    <div class="table" style={{ "--ratio": String(files / ranks) }}>
      <section class="board-side" aria-label={t("Board")}>
        <Board
          picture={picture}
          label={t("The position")}
          last={null}
          motion={null}
          hands={hands}
        />
      </section>
      <aside class="panel">
        <p class="quiet">
          {t("Choose a piece, then click squares. A second click takes it away. Drag to move it.")}
        </p>
        <Palette setup={setup} isCovered={isCovered} tool={tool} onChange={setTool} />
        {spec.hides !== "nothing" && (
          <Switch isOn={isCovered} onChange={cover}>
            {t("Put pieces down covered")}
          </Switch>
        )}
        <label class="inline">
          {t("To move")}
          <select
            value={mover}
            onChange={(event) => setFen([board, event.currentTarget.value, ...others].join(" "))}
          >
            {setup.movers.map((one) => (
              <option key={one.name} value={one.name}>
                {moverName(setup, one)}
              </option>
            ))}
          </select>
        </label>
        <label class="fen">
          FEN
          <textarea
            rows={3}
            spellcheck={false}
            value={fen}
            onInput={(event) => setFen(event.currentTarget.value.replace(/\s+/g, " "))}
          />
        </label>
        <p class={error && isKnown ? "wrong" : "quiet"} role="status">
          {!isKnown
            ? "…"
            : (error ??
              t("A game can begin here. A FEN has no memory of positions that occurred before."))}
        </p>
        <div class="buttons">
          {error || !isKnown ? (
            <button type="button" class="primary" disabled>
              {t("Play from here")}
            </button>
          ) : (
            <a class="button primary" href={address}>
              {t("Play from here")}
            </a>
          )}
          <button type="button" onClick={() => setFen(setup.fen)}>
            {t("Start position")}
          </button>
          <button type="button" onClick={() => write(kept(squares, setup))}>
            {t("Clear the board")}
          </button>
          <Copy text={location.origin + location.pathname + address}>{t("Copy link")}</Copy>
        </div>
      </aside>
    </div>
  );
}

/** The first words of a text, and the others. */
function split(words: string[], count: number): [string, string[]] {
  return [words.slice(0, count).join(" "), words.slice(count)];
}

/** Who is to move: of many armies, the one that the FEN names by its letter. */
function moverName(setup: Setup, { name, seat, army }: Mover): string {
  const { armies } = setup.picture;
  const named = armies.length > 2 ? armies.findIndex(({ letter }) => letter === name) : -1;
  if (named >= 0) return capital(said(armies[named]!.name));
  const whose = capital(seatName(setup, seat));
  return army === null ? whose : `${whose} (${said(armies[army]!.name)})`;
}

/** Who is to move once the board has these pieces: the first one that lies open decides the armies. */
function moverOf(squares: Squares, mover: string, { movers, pieces }: Setup): string {
  const current = movers.find(({ name }) => name === mover);
  if (!current || movers.every(({ army }) => army === null)) return mover;
  const isDecided = pieces.some(({ name }) => [...squares.values()].includes(name));
  if (isDecided === (current.army !== null)) return mover;
  const next = movers.find(
    ({ seat, army }) => seat === current.seat && (army !== null) === isDecided,
  );
  return next?.name ?? mover;
}

/** What clearing leaves: pieces of no army of the game, which are part of the board. */
function kept(squares: Squares | null, { movers, pieces, picture }: Setup): Squares {
  const isFixed = (name: string) => {
    const army = pieces.find((piece) => piece.name === name)?.army;
    return movers.length > 2 && army === picture.armies.length - 1;
  };
  return new Map([...(squares ?? EMPTY)].filter(([, name]) => isFixed(name)));
}

function useHands(
  files: number,
  ranks: number,
  put: (square: string) => void,
  shift: (from: string, to: string) => void,
): Hands {
  const [origin, setOrigin] = useState<string | null>(null);
  const all = useMemo(() => {
    const letters = Array.from({ length: files }, (_, file) => String.fromCharCode(97 + file));
    return new Set(
      letters.flatMap((letter) => Array.from({ length: ranks }, (_, rank) => letter + (rank + 1))),
    );
  }, [files, ranks]);
  return {
    origin,
    sources: all,
    turns: NONE,
    targets: NONE,
    chosen: null,
    onSquare: put,
    onPick: setOrigin,
    onDrop(square) {
      if (origin && square) shift(origin, square);
      setOrigin(null);
    },
    onEscape: () => setOrigin(null),
  };
}

const NONE: ReadonlySet<string> = new Set();

function pictureOf(setup: Setup, squares: Squares): Picture {
  const pieces = [...squares].flatMap(([square, name]) => {
    const disc = discOf(setup, name);
    return disc ? [{ ...disc, square }] : [];
  });
  const none = { captured: null, changed: [], checked: [], caption: "" };
  return { ...setup.picture, ...none, is_rotated: false, pieces };
}
