import { useEffect, useLayoutEffect } from "preact/hooks";
import type { Catalogue } from "./api/types";
import { useLoaded } from "./api/use_loaded";
import { Defs } from "./board/defs";
import { Games } from "./data/games";
import { Report } from "./data/report";
import { Editor } from "./edit/editor";
import { Folders } from "./home/folders";
import { Home } from "./home/home";
import { Learn, Lessons } from "./learn/learn";
import { Links } from "./play/links";
import { Play } from "./play/play";
import { type Route, useRoute } from "./router";
import { change, type Settings, useSettings } from "./settings";
import { Studies } from "./study/studies";
import { StudyPage } from "./study/study_page";
import { Notice } from "./ui/notices";
import { Viewer } from "./viewer/viewer";
import { t } from "./words";

const RETRY = 3000;

export function App() {
  const route = useRoute();
  // Another language draws everything anew.
  useSettings();
  const catalogue = useLoaded<Catalogue>("api/catalogue", (value) => (value ? null : RETRY));
  const place = route.parts.join("/");
  // Another page is read from its top. The further parts are of a game in a dataset, and of its plies.
  useEffect(() => scrollTo(0, 0), [route.parts.slice(0, 2).join("/")]);
  // Before those of pages, which have titles of their own.
  useLayoutEffect(() => {
    // Keys are secret, so that they are no titles.
    const [page, id] = route.parts;
    const isData = ["data", "report", "study", "studies"].includes(page ?? "");
    document.title = isData && id ? `${id.replace(/^\d+\//, "")} · darkqi` : "darkqi";
  }, [place]);
  return (
    <>
      <Defs />
      <Header version={catalogue.value?.version ?? ""} />
      {catalogue.error && <Notice kind="gone">{catalogue.error}</Notice>}
      <Page route={route} catalogue={catalogue.value} />
    </>
  );
}

function Page({ route, catalogue }: { route: Route; catalogue: Catalogue | null }) {
  const [page, id, game, ply] = route.parts;
  if (page === undefined) return <Home catalogue={catalogue} query={route.query} />;
  if (page === "edit") return <Editor catalogue={catalogue} query={route.query} />;
  if (page === "data" && id === undefined) {
    return (
      <main class="page narrow">
        <Folders catalogue={catalogue} />
      </main>
    );
  }
  if (page === "studies" && id === undefined) return <Studies catalogue={catalogue} />;
  if (page === "learn" && id === undefined) return <Lessons catalogue={catalogue} />;
  if (id !== undefined) {
    if (page === "play") return <Play key={id} id={id} catalogue={catalogue} />;
    if (page === "links") return <Links id={id} />;
    if (page === "report") return <Report key={id} id={id} of="dataset" />;
    if (page === "study") return <Report key={id} id={id} of="study" />;
    if (page === "studies")
      return <StudyPage key={id} id={id} version={catalogue?.version ?? ""} />;
    if (page === "learn") return <Learn key={id} game={id} query={route.query} />;
    if (page === "data") {
      if (game === undefined) return <Games id={id} query={route.query} />;
      if (/^\d+$/.test(game)) {
        return <Viewer id={id} game={Number(game)} ply={Number(ply ?? 0)} catalogue={catalogue} />;
      }
    }
  }
  return (
    <main class="page narrow">
      <h1>{t("There is no such page")}</h1>
      <p>
        <a href="#/">{t("Back to the start")}</a>
      </p>
    </main>
  );
}

const SIGNS = [
  ["hanzi", "帥"],
  ["letters", "K"],
  ["both", "帥K"],
  ["figures", "♞"],
] as const;
const LANGUAGE_NAMES = { en: "English", zh: "中文" };
const THEMES: Settings["theme"][] = ["system", "light", "dark"];
const THEME_ICONS = { system: "◐", light: "☀", dark: "☾" };

function Header({ version }: { version: string }) {
  const { theme, signs, language } = useSettings();
  const other = language === "en" ? "zh" : "en";
  const signNames = {
    hanzi: t("Pieces show Chinese characters"),
    letters: t("Pieces show letters"),
    both: t("Pieces show both characters and letters"),
    figures: t("Pieces show figures"),
  };
  const themes = { system: t("as the system"), light: t("light"), dark: t("dark") };
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
  return (
    <header class="top">
      <a class="brand" href="#/" title={`darkqi ${version}`}>
        <span class="seal" aria-hidden="true">
          暗
        </span>
        <span class="word">darkqi</span>
      </a>
      <nav aria-label={t("Pages")}>
        <a href="#/">{t("Play")}</a>
        <a href="#/learn">{t("Learn")}</a>
        <a href="#/studies">{t("Study")}</a>
        <a href="#/data">{t("Data")}</a>
      </nav>
      <div class="choice" role="group" aria-label={t("Signs on the pieces")}>
        {SIGNS.map(([name, text]) => (
          <button
            key={name}
            type="button"
            aria-pressed={signs === name}
            aria-label={`${text}: ${signNames[name]}`}
            title={signNames[name]}
            onClick={() => change({ signs: name })}
          >
            {text}
          </button>
        ))}
      </div>
      <button
        type="button"
        class="plain language"
        lang={other}
        onClick={() => change({ language: other })}
      >
        {LANGUAGE_NAMES[other]}
      </button>
      <button
        type="button"
        class="plain theme"
        aria-label={t("Theme: {theme}. Change to {next}", {
          theme: themes[theme],
          next: themes[next],
        })}
        title={t("Theme: {theme}", { theme: themes[theme] })}
        onClick={() => change({ theme: next })}
      >
        {THEME_ICONS[theme]}
      </button>
    </header>
  );
}
