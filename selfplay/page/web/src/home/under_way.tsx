import { useEffect, useState } from "preact/hooks";
import { get, Refusal } from "../api/client";
import type { Position } from "../api/types";
import { plain } from "../names";
import { forget, type Opened, opened } from "../play/under_way";
import { link } from "../router";
import { counted, date, t } from "../words";

interface Listed extends Opened {
  position: Position;
}

/** The game, if the server has it and it goes on. Of others nothing is kept. */
async function look(game: Opened): Promise<Listed | null> {
  try {
    const position = await get<Position>(`api/play/${encodeURIComponent(game.key)}`);
    if (!position.is_over) return { ...game, position };
    forget(game.key);
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) forget(game.key);
  }
  return null;
}

function part({ seats, mover }: Position): string {
  if (seats.length === 0) return t("as an onlooker");
  return seats.includes(mover) ? t("your turn") : t("not your turn");
}

/** The games of this browser that go on. */
export function UnderWay() {
  const [games, setGames] = useState<Listed[]>([]);
  useEffect(() => {
    let isCurrent = true;
    void Promise.all(opened().map(look)).then((found) => {
      if (isCurrent) setGames(found.filter((game) => game !== null));
    });
    return () => void (isCurrent = false);
  }, []);
  if (games.length === 0) return null;
  return (
    <section class="card under-way" aria-labelledby="under-way-title">
      <h2 id="under-way-title">{t("Your games")}</h2>
      <ul class="list">
        {games.map(({ key, game, since, position }) => (
          <li key={key}>
            <a class="path" href={link(["play", key])}>
              {plain(game)}
            </a>
            <p class="quiet">
              {[
                part(position),
                counted(position.ply, "{count} ply played", "{count} plies played"),
                t("since {date}", { date: date(since) }),
              ].join(" · ")}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
