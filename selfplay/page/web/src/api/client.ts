/**
 * Requests to the server that the page came from. Paths are relative to the page, which a proxy may
 * show below a path of its own.
 */

import { saidWhy, t } from "../words";

/** The server refused a request and said why. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** What the server would take instead. */
    readonly offer: string | null = null,
  ) {
    super(message);
  }
}

/** The server did not answer. */
export class Unreachable extends Error {}

type Query = Record<string, string | number | null | undefined>;

export function address(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text ? `${path}?${text}` : path;
}

async function request(url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Unreachable(t("The server does not answer. Is darkqi serve still running?"));
  }
  if (response.ok) return response;
  const text = await response.text();
  let message = `${response.status} ${response.statusText}`;
  let offer: string | null = null;
  try {
    const told = JSON.parse(text) as { error?: unknown; offer?: unknown };
    if (typeof told.error === "string") message = told.error;
    if (typeof told.offer === "string") offer = told.offer;
  } catch {
    // It was not JSON: the status has to do.
  }
  throw new Refusal(response.status, message, offer);
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  const response = await request(address(path, query), signal ? { signal } : {});
  return (await response.json()) as T;
}

/** As `get`, but null where the server has nothing new (204). */
export async function poll<T>(path: string, query: Query, signal: AbortSignal): Promise<T | null> {
  const response = await request(address(path, query), { signal });
  return response.status === 204 ? null : ((await response.json()) as T);
}

export async function post<T>(path: string, body: object): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  const response = await request(path, { method: "POST", headers, body: JSON.stringify(body) });
  return (await response.json()) as T;
}

export function message(error: unknown): string {
  return saidWhy(error instanceof Error ? error.message : String(error));
}
