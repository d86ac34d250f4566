import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Picture } from "../api/types";
import { useSettings } from "../settings";
import { Cells, type LastPly, Marks } from "./cells";
import { Geometry } from "./geometry";
import type { Hands } from "./hands";
import { type Motion, play } from "./motion";
import { type Arrow, Overlay } from "./overlay";
import { Pieces } from "./pieces";
import { Surface } from "./surface";
import { useDragging } from "./use_dragging";

interface Props {
  picture: Picture;
  label: string;
  /** Whether to turn the board by half from how the picture wants it. */
  isTurned?: boolean;
  last: LastPly | null;
  /** The movement that led to this picture. A new object is a new movement. */
  motion: Motion | null;
  arrows?: Arrow[];
  /** Squares of threatened pieces to mark. */
  threatened?: string[];
  /** Without hands the board is a picture. */
  hands?: Hands;
  /** In a picture, a piece and where it goes. */
  shown?: { origin: string; targets: ReadonlySet<string> };
}

const NONE: ReadonlySet<string> = new Set();
const NO_ARROWS: Arrow[] = [];
const NO_SQUARES: string[] = [];

export function Board(props: Props) {
  const { picture, label, last, motion, hands } = props;
  const { signs } = useSettings();
  const { files, ranks, style } = picture;
  const isTurned = picture.is_rotated !== (props.isTurned ?? false);
  const board = useMemo(() => new Geometry(files, ranks, isTurned), [files, ranks, isTurned]);
  const svg = useRef<SVGSVGElement>(null);
  const dragging = useDragging(svg, board, hands);
  const surface = useMemo(() => <Surface board={board} style={style} />, [board, style]);

  const before = useRef<Picture | null>(null);
  const ghost = useMemo(() => {
    const isSliding = motion && motion.from !== motion.to;
    return (isSliding && before.current?.pieces.find(({ square }) => square === motion.to)) || null;
  }, [motion]);
  useLayoutEffect(() => {
    if (motion && svg.current) play(svg.current, board, motion);
  }, [motion]);
  useLayoutEffect(() => {
    before.current = picture;
  }, [picture]);

  const semantics = hands
    ? { role: "grid" as const, "aria-label": label, "aria-colcount": files, "aria-rowcount": ranks }
    : { role: "img" as const, "aria-label": label };
  return (
    <svg
      ref={svg}
      class={`board ${style} ${hands ? "playable" : ""}`}
      viewBox={`0 0 ${board.width} ${board.height}`}
      style={{ "--ratio": String(board.width / board.height) }}
      {...semantics}
      {...dragging}
    >
      {surface}
      {hands ? (
        <Cells board={board} picture={picture} last={last} hands={hands} />
      ) : (
        <Marks board={board} picture={picture} last={last} />
      )}
      <Pieces board={board} picture={picture} signs={signs} motion={motion} ghost={ghost} />
      <Overlay
        board={board}
        picture={picture}
        threatened={props.threatened ?? NO_SQUARES}
        origin={hands?.origin ?? props.shown?.origin ?? null}
        targets={hands?.targets ?? props.shown?.targets ?? NONE}
        chosen={hands?.chosen ?? null}
        arrows={props.arrows ?? NO_ARROWS}
      />
    </svg>
  );
}
