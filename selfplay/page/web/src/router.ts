/** Addresses within the page, kept behind the `#`, and links to them. */

import { useEffect, useState } from "preact/hooks";

export interface Route {
  /** The parts between slashes, decoded. */
  parts: string[];
  query: URLSearchParams;
}

function current(): Route {
  // A query may hold further question marks: unknown pieces of a FEN.
  const [path = "", ...query] = location.hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").filter(Boolean).map(decode);
  return { parts, query: new URLSearchParams(query.join("?")) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function useRoute(): Route {
  const [route, setRoute] = useState(current);
  useEffect(() => {
    const follow = () => setRoute(current());
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}

/** The address of parts and query; values that are null or empty are left out. */
export function link(
  parts: (string | number)[],
  query: Record<string, string | number | boolean | null | undefined> = {},
): string {
  const given = Object.entries(query).filter(
    ([, value]) => value !== null && value !== undefined && value !== "",
  );
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  const path = parts.map((part) => encodeURIComponent(part)).join("/");
  return `#/${path}${text ? `?${text}` : ""}`;
}

export function go(to: string): void {
  location.hash = to;
}

/** Changes the address without a new entry in the history, as for steps through a game. */
export function move(to: string): void {
  history.replaceState(null, "", to);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
