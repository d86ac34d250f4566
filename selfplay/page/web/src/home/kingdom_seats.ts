/** The option `seats` of the seven kingdoms: the seat of each kingdom in turn order. */

/** One kingdom for each player, spread around the board; the others are left out. */
const SPREAD: Record<number, string> = {
  2: "0--1---",
  3: "0-1--2-",
  4: "01-2-3-",
  5: "0123-4-",
  6: "012345-",
  7: "0123456",
};

export const SEATS = "seats";

export function spread(count: number): string | null {
  return SPREAD[count] ?? null;
}
