import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Props {
  kind: string;
  label: string;
  /** What it is about. Whenever that is another, it comes into sight. */
  of: unknown;
  children: ComponentChildren;
}

/** What a choice on the board has brought about, in sight at once wherever the page is scrolled to. */
export function Sheet({ kind, label, of, children }: Props) {
  const sheet = useRef<HTMLElement>(null);
  useEffect(() => {
    sheet.current?.scrollIntoView({ block: "nearest" });
    // Of one that is higher than the window, its buttons, which come last.
    sheet.current?.lastElementChild?.scrollIntoView({ block: "nearest" });
  }, [of]);
  return (
    <section ref={sheet} class={`card sheet ${kind}`} aria-label={label}>
      {children}
    </section>
  );
}
