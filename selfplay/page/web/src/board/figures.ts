/** Pieces as figures, for those who read neither characters nor a game's letters. */

import type { Disc } from "../api/types";

/** Silhouettes around the origin, within 17 units. */
const CROWN = "M-14 8L-15-9L-7-1L0-14L7-1L15-9L14 8ZM-14 10.5H14V14.5H-14Z";
const HAT =
  "M-6-15H6V-8H16V-5H-16V-8H-6ZM-7-3.5H7Q7 5 0 5T-7-3.5ZM-14 15Q-14 6-5 6L0 10L5 6Q14 6 14 15Z";
const ELEPHANT =
  "M-15 14V0Q-15-10-5-10H4Q8-13 12-9Q16-5 15 3Q15 9 17 10Q15 14 11.5 11Q9 8 9.5 3L5 5V14H-1V7H-8V14Z";
const HORSE =
  "M-9 15H13Q14-1 8-8Q4-12-1-12L-4-16L-6-11Q-12-7-15 2L-11 6L-6 4L0 2Q0 7-5 9Q-9 11-9 15Z";
const TOWER = "M-12-14H-7V-10H-3V-14H3V-10H7V-14H12V-5L8-2V7L12 10V15H-12V10L-8 7V-2L-12-5Z";
const CANNON =
  "M-15-3L11-14L15-7L4-2.5A8.5 8.5 0 1 1-10.5 3.8ZM-4 3A3.5 3.5 0 1 0-4 10A3.5 3.5 0 1 0-4 3Z";
const PAWN =
  "M0-15A6 6 0 0 1 4-4.5H7V-1.5H4Q4 6 10 10V15H-10V10Q-4 6-4-1.5H-7V-4.5H-4A6 6 0 0 1 0-15Z";
const STAR = "M0-16L4-5.5L15-5L6.5 2L9.5 13L0 6.8L-9.5 13L-6.5 2L-15-5L-4-5.5Z";
const MITRE =
  "M0-16Q12-6 8 5H-8Q-12-6 0-16ZM-1.2-9V-4.5H-5V-2H-1.2V2H1.2V-2H5V-4.5H1.2V-9ZM-10 8H10V14H-10Z";
const SCROLL =
  "M-12-14H9Q13-14 13-10V-8H9V10Q9 15 4 15H-9Q-13 15-13 11V9H-9V-10Q-9-14-12-14ZM-5-8V-5.5H5V-8ZM-5-2V.5H5V-2ZM-5 4V6.5H5V4Z";
const BOW =
  "M-8-16Q16 0-8 16L-10 14Q-7 8-6 1.5H-16V-1.5H-6Q-7-8-10-14ZM-4.5-9Q-3.5-5-3-1.5H5Q3.5-5.5-4.5-9ZM-3 1.5Q-3.5 5-4.5 9Q3.5 5.5 5 1.5Z";
const CROSSBOW = "M-2-16H2V-12Q14-11 16-1Q9-7 2-7V15H-2V-7Q-9-7-16-1Q-14-11-2-12ZM-6 4H6V7H-6Z";
const SABRE = "M12-16Q14 0-3 8L-1 11L-4 13L-7 10L-13 16L-16 13L-10 7L-13 4L-11 1L-8 3Q5-4 12-16Z";
const SWORD = "M0-17L3-13V4H8V7.5H2.5V13A3 3 0 1 1-2.5 13V7.5H-8V4H-3V-13Z";

/** By the Chinese character, which tells kinds apart across games. */
const FIGURES: Record<string, string> = {
  ...all("帥將秦楚韓齊魏趙燕周", CROWN),
  ...all("仕士", HAT),
  ...all("相象", ELEPHANT),
  ...all("傌馬騎", HORSE),
  ...all("俥車偏", TOWER),
  ...all("炮砲", CANNON),
  ...all("兵卒", PAWN),
  裨: MITRE,
  行: SCROLL,
  弓: BOW,
  弩: CROSSBOW,
  刀: SABRE,
  劍: SWORD,
};

function all(characters: string, figure: string): Record<string, string> {
  return Object.fromEntries([...characters].map((character) => [character, figure]));
}

/** The outline of a piece; null for a kind that has none, as in games of other people. */
export function figureOf({ letter, character }: Disc): string | null {
  if (character === null) return null;
  // In the seven kingdoms a general is named by its kingdom, and this is the officer next to it.
  return letter === "M" && character === "帥" ? STAR : (FIGURES[character] ?? null);
}
