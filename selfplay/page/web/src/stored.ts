/** What the browser keeps, which may be of another version of the page, or of anybody. */

/** The JSON under a name; undefined where there is none. */
export function recalled(store: Storage | null, name: string): unknown {
  try {
    const text = store?.getItem(name);
    return text ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a value, where the browser allows it. */
export function remember(store: Storage | null, name: string, value: unknown): void {
  try {
    store?.setItem(name, JSON.stringify(value));
  } catch {
    // Without storage, it lasts as long as the page.
  }
}

/** What lasts beyond the tab, and what lasts as long as it; null where the browser forbids it. */
export const [lasting, passing] = [() => localStorage, () => sessionStorage].map((store) => {
  try {
    return store();
  } catch {
    return null;
  }
}) as [Storage | null, Storage | null];

/** The fields of an object; none of anything else. */
export function fields(value: unknown): Record<string, unknown> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : {};
}

/** The entries of a list that are of a kind; none of anything else. */
export function entries<T>(value: unknown, isOne: (entry: unknown) => entry is T): T[] {
  return Array.isArray(value) ? value.filter(isOne) : [];
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** The value, if it is one of these, else the first. */
export function oneOf<T extends string>(value: unknown, known: readonly [T, ...T[]]): T {
  return known.find((name) => name === value) ?? known[0];
}
