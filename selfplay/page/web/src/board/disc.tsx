/** A piece as a disc around the origin. Armies differ by the pattern of the rim, too. */

import type { Army, Disc as DiscData } from "../api/types";
import { letterOf, pieceName } from "../names";
import { type Settings, useSettings } from "../settings";
import { figureOf } from "./figures";
import { DISC } from "./geometry";

type Signs = Settings["signs"];

/** Ink and wood of a piece whose army is not known. */
const NO_ARMY = { ink: "#7d5326", wood: "#cf9f60" };
const BACK = "#cf9f60";

/** Rings of the rim: radius, width and dashes. One pattern for each army in turn. */
interface Ring {
  r: number;
  width: number;
  dashes?: string;
}
const RIMS: Ring[][] = [
  [{ r: 24, width: 2.2 }],
  [
    { r: 25, width: 1.6 },
    { r: 21.5, width: 1.2 },
  ],
  [{ r: 24, width: 3, dashes: "10 5.08" }],
  [{ r: 24, width: 3.4, dashes: "2.5 5.04" }],
  [
    { r: 25, width: 1.2 },
    { r: 22, width: 3, dashes: "2 4.9" },
  ],
  [{ r: 23.5, width: 4.5, dashes: "1.5 13.27" }],
  [{ r: 24, width: 3, dashes: "18 4 3 5.15" }],
  [
    { r: 25, width: 1.6 },
    { r: 22.4, width: 1 },
    { r: 20, width: 1 },
  ],
];
const COVERED_RIMS: Ring[][] = [
  [{ r: 23, width: 6 }],
  [
    { r: 25, width: 2.6 },
    { r: 20.4, width: 2.6 },
  ],
];
const UNKNOWN_RIM: Ring[] = [{ r: 24, width: 2 }];

function rings({ army, covered }: DiscData): Ring[] {
  if (army === null) return UNKNOWN_RIM;
  const patterns = covered && army < COVERED_RIMS.length ? COVERED_RIMS : RIMS;
  return patterns[army % patterns.length]!;
}

/** The flower on the back of a covered piece. */
const FLOWER = [0, 45, 90, 135, 180, 225, 270, 315].map((turn) => `rotate(${turn})`);

function Sign({ disc, armies, signs }: { disc: DiscData; armies: Army[]; signs: Signs }) {
  const letter = letterOf(disc, armies);
  if (letter === null) return null;
  const character = disc.character ?? letter;
  const figure = signs === "figures" ? figureOf(disc) : null;
  if (figure !== null) return <path class="sign figure" fill-rule="evenodd" d={figure} />;
  if (signs === "letters") {
    return (
      <text class="sign letter" dy=".35em">
        {letter}
      </text>
    );
  }
  if (signs === "hanzi") {
    return (
      <text class="sign character" y="-1" dy=".36em" lang="zh-Hant">
        {character}
      </text>
    );
  }
  return (
    <>
      <text class="sign character small" y="-7" dy=".36em" lang="zh-Hant">
        {character}
      </text>
      <text class="sign letter small" y="12.5" dy=".36em">
        {letter}
      </text>
    </>
  );
}

interface Props {
  disc: DiscData;
  armies: Army[];
  signs: Signs;
}

export function Disc({ disc, armies, signs }: Props) {
  const army = disc.army === null ? NO_ARMY : armies[disc.army]!;
  return (
    <>
      <circle class="shadow" cx="1.5" cy="4.5" r={DISC} />
      <circle class="side" cy="2" r={DISC} />
      <circle cy="-1" r={DISC} fill={disc.covered ? BACK : army.wood} />
      <circle class="edge" cy="-1" r={DISC} fill="url(#shine)" />
      <g class="rims" transform="translate(0 -1)" stroke={army.ink} fill="none">
        {rings(disc).map(({ r, width, dashes }) => (
          <circle key={r} r={r} stroke-width={width} stroke-dasharray={dashes} />
        ))}
        {disc.covered && disc.letter === null && (
          <g class="flower">
            {FLOWER.map((turn) => (
              <ellipse key={turn} transform={turn} cy="-7.5" rx="3.2" ry="6" />
            ))}
          </g>
        )}
      </g>
      <g fill={army.ink} class={disc.covered ? "faint" : undefined}>
        <Sign disc={disc} armies={armies} signs={signs} />
      </g>
    </>
  );
}

/** A disc outside a board, as in lists. */
export function Chip({ disc, armies, signs, label }: Props & { label?: string }) {
  const described = label ? { role: "img" as const, "aria-label": label } : { "aria-hidden": true };
  return (
    <svg
      class="chip board-signs"
      viewBox="-30 -30 60 64"
      preserveAspectRatio="xMinYMid slice"
      {...described}
    >
      {label && <title>{label}</title>}
      <Disc disc={disc} armies={armies} signs={signs} />
    </svg>
  );
}

/** A piece in a line of text, with the signs that were chosen. */
export function PieceSign({ disc, armies }: { disc: DiscData; armies: Army[] }) {
  const { signs } = useSettings();
  return (
    <span class={`piece-sign ${armies.length === 2 && !disc.covered ? "rimless" : ""}`}>
      <Chip disc={disc} armies={armies} signs={signs} label={pieceName(disc, armies)} />
    </span>
  );
}
