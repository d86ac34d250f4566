import { address } from "../api/client";
import type { Key, Position, Scene } from "../api/types";
import { useLoaded } from "../api/use_loaded";
import { capital, seatName } from "../names";
import { link } from "../router";
import { Copy, Selectable } from "../ui/controls";
import { filled, listed, t } from "../words";
import { keysWith } from "./new_game";

function url(key: string): string {
  return location.origin + location.pathname + link(["play", key]);
}

function whose({ seats }: Key, scene: Scene | null): string {
  if (seats.length === 0) return t("Onlookers");
  return seats.length === 1
    ? capital(seatName(scene, seats[0]!))
    : t("Seats {seats}", { seats: listed(seats) });
}

/** Whether other machines cannot open these addresses. */
function isLocal(): boolean {
  return /^(localhost|127\.|0\.0\.0\.0|\[::1?\])/.test(location.hostname);
}

interface Props {
  keys: Key[];
  /** Tells the armies of the seats. */
  scene: Scene | null;
}

export function LinkList({ keys, scene }: Props) {
  return (
    <>
      <List keys={keys} scene={scene} />
      {isLocal() && (
        <p class="quiet">
          {filled(
            "These links work on this machine. For other devices, start {command} and open this page by the machine's address.",
            { command: <code>darkqi serve --host 0.0.0.0</code> },
          )}
        </p>
      )}
    </>
  );
}

function List({ keys, scene }: Props) {
  return (
    <ul class="links">
      {keys.map((entry) => (
        <li key={entry.key}>
          <strong>{whose(entry, scene)}</strong>
          <Selectable
            text={url(entry.key)}
            label={t("Link for {whom}", { whom: whose(entry, scene) })}
          />
          <Copy text={url(entry.key)}>{t("Copy")}</Copy>
          <a class="button" href={link(["play", entry.key])}>
            {t("Open")}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The links to hand out, after a game for several people was begun. */
export function Links({ id }: { id: string }) {
  const keys = keysWith(id);
  const { value: position } = useLoaded<Position>(address(`api/play/${encodeURIComponent(id)}`));
  return (
    <main class="page narrow">
      <h1>{t("Hand out the links")}</h1>
      <p>
        {t(
          "Each link plays its seat and sees what that seat may know. Send each to one person only; that of the onlookers shows what is public.",
        )}
      </p>
      {keys.length > 0 ? (
        <LinkList keys={keys} scene={position} />
      ) : (
        <p>{t("The links of this game are known only to the browser that began it.")}</p>
      )}
    </main>
  );
}
