import { useEffect } from "preact/hooks";
import type { Catalogue } from "../api/types";
import { capital, nativeName, plain } from "../names";
import { startLink } from "../play/starting";
import { link } from "../router";
import { Loading, Notice } from "../ui/notices";
import { said, t } from "../words";
import { LessonText } from "./lesson";
import { useLesson } from "./use_lesson";

/** All games that can be learned. */
export function Lessons({ catalogue }: { catalogue: Catalogue | null }) {
  const taught = catalogue?.games.filter(({ has_lesson }) => has_lesson) ?? [];
  return (
    <main class="page narrow">
      <h1>{t("Learn a game")}</h1>
      {!catalogue && <Loading what={t("the games")} />}
      <ul class="lessons">
        {taught.map(({ name, about }) => {
          const native = nativeName(name);
          return (
            <li key={name}>
              <a class="card lesson-link" href={link(["learn", name])}>
                <strong>
                  {capital(plain(name))} {native && <span lang={native.lang}>{native.name}</span>}
                </strong>
                {about && <span class="quiet">{said(about)}</span>}
              </a>
            </li>
          );
        })}
      </ul>
    </main>
  );
}

/** How one game is played with the options of the address. */
export function Learn({ game, query }: { game: string; query: URLSearchParams }) {
  const options = Object.fromEntries(query);
  const { value, error } = useLesson(game, options);
  const title = t("How to play {game}", { game: plain(game) });
  useEffect(() => {
    document.title = `${title} · darkqi`;
  }, [title]);
  const native = nativeName(game);
  return (
    <main class="page lesson-page">
      <h1>
        {title} {native && <span lang={native.lang}>{native.name}</span>}
      </h1>
      {error && <Notice kind="error">{error}</Notice>}
      {!value && !error && <Loading what={t("the rules")} />}
      {value && <LessonText lesson={value} />}
      <p class="buttons">
        <a class="button primary" href={startLink({ game, options, fen: "" })}>
          {t("Begin a game")}
        </a>
        <a class="button" href="#/learn">
          {t("Other games")}
        </a>
      </p>
    </main>
  );
}
