import { useMemo } from "preact/hooks";
import type { Example, Picture } from "../api/types";
import { Board } from "../board/board";
import type { Arrow } from "../board/overlay";
import { pieceName } from "../names";
import { listed, t } from "../words";

const NO_ARROWS: Arrow[] = [];

function nameOn(square: string, picture: Picture): string {
  const piece = picture.pieces.find((piece) => piece.square === square);
  return piece ? pieceName(piece, picture.armies) : t("piece");
}

/** A board with a piece and all that it may do. */
export function Moves({ example, name }: { example: Example; name: string }) {
  const { picture, square, targets } = example;
  const shown = useMemo(() => ({ origin: square, targets: new Set(targets) }), [example]);
  const label = t("{name}: {piece} on {square} can go to {targets}", {
    name,
    piece: nameOn(square, picture),
    square,
    targets: listed(targets),
  });
  return (
    <figure class={`example ${picture.style}`}>
      <Board picture={picture} label={label} last={null} motion={null} shown={shown} />
    </figure>
  );
}

/** Two boards: before a move and after it. */
export function BeforeAndAfter({ example }: { example: Example }) {
  const { picture, square, to, after } = example;
  const arrows = useMemo<Arrow[]>(
    () => (to && to !== square ? [{ from: square, to, kind: "hint", weight: 0.5 }] : NO_ARROWS),
    [example],
  );
  const shown = useMemo(
    () => ({ origin: square, targets: new Set<string>(to === null ? [] : [to]) }),
    [example],
  );
  if (!after || to === null) return null;
  return (
    <div class={`before-after ${picture.files > 1.5 * picture.ranks ? "broad" : ""}`}>
      <figure class={`example ${picture.style}`}>
        <figcaption>{t("Before")}</figcaption>
        <Board
          picture={picture}
          label={t("Before: {piece} on {square}", { piece: nameOn(square, picture), square })}
          last={null}
          motion={null}
          shown={shown}
          arrows={arrows}
        />
      </figure>
      <figure class={`example ${picture.style}`}>
        <figcaption>{t("After")}</figcaption>
        <Board
          picture={after}
          label={t("After: {piece} on {square}", { piece: nameOn(to, after), square: to })}
          last={{ from: square, to }}
          motion={null}
        />
      </figure>
    </div>
  );
}
