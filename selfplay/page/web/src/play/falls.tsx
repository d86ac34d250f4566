import { useEffect, useRef, useState } from "preact/hooks";
import type { Position } from "../api/types";
import { capital } from "../names";
import { Notice } from "../ui/notices";
import { t } from "../words";
import { conquerors, nameOf } from "./kingdoms";

/** Says that a kingdom has fallen since the position that was seen before. */
export function Falls({ position }: { position: Position }) {
  const known = useRef<Map<string, string> | null>(null);
  const [news, setNews] = useState<[string, string][]>([]);
  const { fen, picture } = position;
  useEffect(() => {
    const before = known.current;
    const fallen = conquerors(fen);
    known.current = fallen;
    const fresh = [...fallen].filter(([kingdom]) => before && !before.has(kingdom));
    if (fresh.length > 0) setNews(fresh);
  }, [fen]);
  if (news.length === 0) return null;
  const text = news.map(([fallen, conqueror]) =>
    t("{fallen} has fallen. All its pieces fight for {conqueror} now.", {
      fallen: capital(nameOf(picture, fallen)),
      conqueror: capital(nameOf(picture, conqueror)),
    }),
  );
  return (
    <Notice kind="news" onClose={() => setNews([])}>
      {text.join(" ")}
    </Notice>
  );
}
