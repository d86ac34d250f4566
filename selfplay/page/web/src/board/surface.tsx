import type { BoardStyle } from "../api/types";
import { CELL, fileLetter, FRAME, type Geometry } from "./geometry";
import { border, dots, lines, river } from "./lines";

/** Fine lines of the grain, so that the wood is no flat colour. */
function grain(board: Geometry): string {
  const [left, right] = [FRAME, board.width - FRAME];
  const count = Math.round((board.height - 2 * FRAME) / 23);
  return Array.from({ length: count }, (_, index) => {
    const y = FRAME + 11 + index * 23;
    const bend = ((index * 37) % 19) - 9;
    const third = (right - left) / 3;
    return `M${left} ${y}C${left + third} ${y + bend} ${right - third} ${y - bend} ${right} ${y + bend / 2}`;
  }).join("");
}

function Labels({ board }: { board: Geometry }) {
  const files = Array.from({ length: board.files }, (_, file) => file);
  const ranks = Array.from({ length: board.ranks }, (_, rank) => rank);
  const size = board.files > 12 ? 19 : 15;
  return (
    <g class="labels" font-size={size}>
      {files.map((file) => (
        <text
          key={file}
          x={board.centre({ file, rank: 0 }).x}
          y={board.height - FRAME / 2}
          dy=".36em"
        >
          {fileLetter(file)}
        </text>
      ))}
      {ranks.map((rank) => (
        <text key={rank} x={FRAME / 2} y={board.centre({ file: 0, rank }).y} dy=".36em">
          {rank + 1}
        </text>
      ))}
    </g>
  );
}

/** The board without pieces: frame, wood, lines and labels. */
export function Surface({ board, style }: { board: Geometry; style: BoardStyle }) {
  return (
    <g class="surface" aria-hidden="true">
      <rect width={board.width} height={board.height} rx="10" fill="url(#frame)" />
      <rect
        x={FRAME}
        y={FRAME}
        width={board.files * CELL}
        height={board.ranks * CELL}
        rx="3"
        fill="url(#wood)"
      />
      <path class="grain" d={grain(board)} />
      <rect class="border" {...border(board, style)} />
      <path class="lines" d={lines(board, style)} />
      {style === "go" &&
        dots(board).map(({ x, y }) => <circle class="dot" key={`${x} ${y}`} cx={x} cy={y} r="6" />)}
      {style === "xiangqi" && (
        <g class="river" lang="zh-Hant">
          {river(board).map(({ sign, x, y }) => (
            <text key={sign} x={x} y={y} dy=".36em">
              {sign}
            </text>
          ))}
        </g>
      )}
      <Labels board={board} />
    </g>
  );
}
