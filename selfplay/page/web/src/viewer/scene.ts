import type { LoggedPosition, Scene } from "../api/types";

/** The truth about a logged position. */
export function sceneOf({ pictures, owners }: LoggedPosition): Scene | null {
  const picture = pictures["all"];
  return picture ? { picture, owners } : null;
}
