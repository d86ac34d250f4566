import type { Key } from "../api/types";
import { link } from "../router";
import { Copy, Selectable } from "../ui/controls";
import { keysWith } from "./new_game";

function url(key: string): string {
  return location.origin + location.pathname + link(["play", key]);
}

function whose({ seats }: Key): string {
  if (seats.length === 0) return "Onlookers";
  return seats.length === 1 ? `Seat ${seats[0]}` : `Seats ${seats.join(", ")}`;
}

/** Whether other machines cannot open these addresses. */
function isLocal(): boolean {
  return /^(localhost|127\.|\[::1\])/.test(location.hostname);
}

export function LinkList({ keys }: { keys: Key[] }) {
  return (
    <>
      <List keys={keys} />
      {isLocal() && (
        <p class="quiet">
          These links work on this machine. For other devices, start{" "}
          <code>darkqi serve --host 0.0.0.0</code> and open this page by the machine's address.
        </p>
      )}
    </>
  );
}

function List({ keys }: { keys: Key[] }) {
  return (
    <ul class="links">
      {keys.map((entry) => (
        <li key={entry.key}>
          <strong>{whose(entry)}</strong>
          <Selectable text={url(entry.key)} label={`Link for ${whose(entry)}`} />
          <Copy text={url(entry.key)}>Copy</Copy>
          <a class="button" href={link(["play", entry.key])}>
            Open
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The links to hand out, after a game for several people was begun. */
export function Links({ id }: { id: string }) {
  const keys = keysWith(id);
  return (
    <main class="page narrow">
      <h1>Hand out the links</h1>
      <p>
        Each link plays its seat and sees what that seat may know. Send each to one person only;
        that of the onlookers shows what is public.
      </p>
      {keys.length > 0 ? (
        <LinkList keys={keys} />
      ) : (
        <p>The links of this game are known only to the browser that began it.</p>
      )}
    </main>
  );
}
