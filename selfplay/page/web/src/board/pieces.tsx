import { useMemo } from "preact/hooks";
import type { Army, Disc as DiscData, Piece, Picture } from "../api/types";
import type { Settings } from "../settings";
import { Disc } from "./disc";
import type { Geometry } from "./geometry";
import type { Motion } from "./motion";

interface Props {
  board: Geometry;
  picture: Picture;
  signs: Settings["signs"];
  motion: Motion | null;
  /** The piece that was captured by the motion. */
  ghost: Piece | null;
}

/** The pieces. The one that moved last is drawn last, above those that it slides over. */
export function Pieces({ board, picture, signs, motion, ghost }: Props) {
  const { armies } = picture;
  const pieces = useMemo(() => {
    const isMoved = (piece: Piece) => Number(piece.square === motion?.to);
    return [...picture.pieces].sort((a, b) => isMoved(a) - isMoved(b));
  }, [picture, motion]);
  return (
    <g class="pieces board-signs" aria-hidden="true">
      {ghost && (
        <g class="ghost" key="ghost" transform={translate(board, ghost.square)}>
          <Disc disc={ghost} armies={armies} signs={signs} />
        </g>
      )}
      {pieces.map((piece) => (
        <g key={piece.square} data-piece={piece.square} transform={translate(board, piece.square)}>
          <g class="mover">
            {motion?.isTurned && motion.to === piece.square && (
              <g class="back">
                <Still
                  disc={{ ...piece, ...BACK, army: backArmy(piece, picture) }}
                  armies={armies}
                  signs={signs}
                />
              </g>
            )}
            <g class="face">
              <Still disc={piece} armies={armies} signs={signs} />
            </g>
          </g>
        </g>
      ))}
    </g>
  );
}

const BACK = { letter: null, character: null, covered: true };

/** The army that the back showed: none on half boards, where the colour is hidden, too. */
function backArmy(piece: Piece, picture: Picture): number | null {
  return picture.style === "squares" ? null : piece.army;
}

function translate(board: Geometry, square: string): string {
  const { x, y } = board.at(square);
  return `translate(${x} ${y})`;
}

/** A disc that is drawn anew only if it looks otherwise. */
function Still({
  disc,
  armies,
  signs,
}: {
  disc: DiscData;
  armies: Army[];
  signs: Settings["signs"];
}) {
  const { army, letter, character, covered } = disc;
  return useMemo(
    () => <Disc disc={{ army, letter, character, covered }} armies={armies} signs={signs} />,
    // The armies of a game never change, though each picture brings its own copy.
    [army, letter, character, covered, signs, armies.length],
  );
}
