import { useEffect, useRef, useState } from "preact/hooks";
import { address } from "../api/client";
import { go, link } from "../router";
import { type Settings, useSettings } from "../settings";
import { Notice } from "../ui/notices";
import { t } from "../words";

/** The report of a dataset, whose bars and squares lead to the games behind them, or that of a study. */
export function Report({ id, of }: { id: string; of: "dataset" | "study" }) {
  const [error, setError] = useState<string | null>(null);
  const [isLoading, setIsLoading] = useState(true);
  const { theme } = useSettings();
  const frame = useRef<HTMLIFrameElement>(null);
  const look = (loaded: HTMLIFrameElement) => {
    setIsLoading(false);
    setError(refusal(loaded));
    if (of === "dataset") attach(loaded, id);
    dress(loaded, theme);
  };
  useEffect(() => {
    if (frame.current) dress(frame.current, theme);
  }, [theme]);
  return (
    <main class="page report">
      <h1>
        {id.replace(/^\d+\//, "")}{" "}
        {of === "dataset" ? (
          <a href={link(["data", id])}>{t("games")}</a>
        ) : (
          <a href={link(["data"])}>{t("Datasets")}</a>
        )}
      </h1>
      {error && <Notice kind="error">{error}</Notice>}
      <p class="quiet" role="status">
        {isLoading
          ? t("The report is being made …")
          : of === "dataset" &&
            error === null &&
            t("Bars, squares and counts of the report lead to the games behind them.")}
      </p>
      <iframe
        ref={frame}
        title={t("Report of {dataset}", { dataset: id })}
        hidden={error !== null}
        src={address(of === "dataset" ? "api/report" : "api/study", { [of]: id })}
        onLoad={(event) => look(event.currentTarget)}
      />
    </main>
  );
}

/** Why there is no report, if the answer is a refusal, which is JSON. */
function refusal({ contentDocument: answer }: HTMLIFrameElement): string | null {
  if (answer?.contentType !== "application/json") return null;
  try {
    return (JSON.parse(answer.body.textContent ?? "") as { error: string }).error;
  } catch {
    return answer.body.textContent;
  }
}

/** Gives the report the theme of the page. */
function dress({ contentDocument: report }: HTMLIFrameElement, theme: Settings["theme"]): void {
  const root = report?.documentElement;
  if (!root) return;
  if (theme === "system") delete root.dataset["theme"];
  else root.dataset["theme"] = theme;
}

/** Makes links of the parts that name a filter of games. */
function attach({ contentDocument: report }: HTMLIFrameElement, id: string): void {
  for (const part of report?.querySelectorAll<HTMLElement | SVGElement>("[data-games]") ?? []) {
    const filter = Object.fromEntries(new URLSearchParams(part.dataset["games"]));
    const follow = () => go(link(["data", id], filter));
    part.setAttribute("role", "link");
    part.setAttribute("tabindex", "0");
    part.style.cursor = "pointer";
    part.addEventListener("click", follow);
    part.addEventListener("keydown", (event) => {
      if ((event as KeyboardEvent).key === "Enter") follow();
    });
  }
}
