import { address } from "../api/client";
import { go, link } from "../router";

/** The report of a dataset. Its bars and squares lead to the games behind them. */
export function Report({ id }: { id: string }) {
  return (
    <main class="page report">
      <h1>
        {id.replace(/^\d+\//, "")} <a href={link(["data", id])}>games</a>
      </h1>
      <p class="quiet">Bars, squares and counts of the report lead to the games behind them.</p>
      <iframe
        title={`Report of ${id}`}
        src={address("/api/report", { dataset: id })}
        onLoad={(event) => attach(event.currentTarget, id)}
      />
    </main>
  );
}

/** Makes links of the parts that name a filter of games. */
function attach(frame: HTMLIFrameElement, id: string): void {
  const report = frame.contentDocument;
  if (!report) return;
  for (const part of report.querySelectorAll<HTMLElement | SVGElement>("[data-games]")) {
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
