import type { Action } from "../api/types";
import { change, writesChinese } from "../settings";
import { Switch } from "../ui/controls";
import { t } from "../words";

/** Chooses how moves are written, in games that have a Chinese notation of steps. */
export function NotationSwitch({ plies }: { plies: Action[] }) {
  // On half boards flips alone have one.
  if (!plies.some(({ chinese, from, to }) => chinese !== null && from !== to)) return null;
  return (
    <Switch
      isOn={writesChinese()}
      onChange={(isOn) => change({ notation: isOn ? "chinese" : "coordinates" })}
    >
      {t("Chinese notation (炮二平五)")}
    </Switch>
  );
}
