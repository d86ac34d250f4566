import { useState } from "preact/hooks";
import { address, message, post } from "../api/client";
import type { Study } from "../api/types";
import { useLoaded } from "../api/use_loaded";
import { agentName, percent, plain } from "../names";
import { link } from "../router";
import { Bar, Loading, Notice } from "../ui/notices";
import { Copy } from "../ui/controls";
import { counted, listed, number, saidWhy, t } from "../words";
import { FindingsView } from "./findings";
import { comparedText, duration } from "./labels";
import { standingText } from "./studies";

/** Milliseconds between looks at a study that goes on, and after one that failed. */
const [LIVE, RETRY] = [1000, 5000];

/** A study: how far it is, and what it has shown. */
export function StudyPage({ id, version }: { id: string; version: string }) {
  const { value, error, reload } = useLoaded<Study>(
    address("api/studies/one", { study: id }),
    (study) => (study ? (study.progress ? LIVE : null) : RETRY),
  );
  return (
    <main class="page study-page">
      <h1>
        {id.replace(/^\d+\//, "")} <a href={link(["studies"])}>{t("Studies")}</a>
      </h1>
      {error && <Notice kind="error">{error}</Notice>}
      {!value && !error && <Loading what={t("the study")} />}
      {value && <Told study={value} version={version} onChange={reload} />}
    </main>
  );
}

interface ToldProps {
  study: Study;
  /** Of the program. */
  version: string;
  onChange: () => void;
}

function Told({ study, version, onChange }: ToldProps) {
  const { id, question, standing, progress, findings } = study;
  const [refusal, setRefusal] = useState<string | null>(null);
  const ask = async (what: "stop" | "resume", more: object = {}) => {
    setRefusal(null);
    try {
      await post(`api/studies/${what}`, { study: id, ...more });
    } catch (reason) {
      setRefusal(message(reason));
    }
    onChange();
  };
  const about = [
    plain(question.game),
    comparedText(question),
    listed(question.players.map(agentName)),
  ];
  return (
    <>
      <section class="card" aria-label={t("The study")}>
        <div class="line">
          <p class="quiet">{about.join(" · ")}</p>
          <span class={`standing ${standing}`} role="status">
            {standingText(standing)}
          </span>
        </div>
        {progress && (
          <p class="progress">
            <Bar share={progress.share} label={t("Progress of {path}", { path: study.path })} />
            {percent(progress.share)}
          </p>
        )}
        {progress && (
          <p class="quiet">
            {[
              progress.agent && t("{agent} plays", { agent: agentName(progress.agent) }),
              counted(progress.games, "{count} game", "{count} games"),
              duration(progress.seconds),
              progress.half_width !== null &&
                t("known to ± {width}", {
                  width: number(progress.half_width, { maximumFractionDigits: 3 }),
                }),
            ]
              .filter(Boolean)
              .join(" · ")}
          </p>
        )}
        {study.error && <Notice kind="error">{saidWhy(study.error)}</Notice>}
        {refusal && <Notice kind="error">{refusal}</Notice>}
        {standing === "running" && (
          <button type="button" onClick={() => void ask("stop")}>
            {t("Stop")}
          </button>
        )}
        {(standing === "stopped" || standing === "failed") && (
          <button type="button" class="primary" onClick={() => void ask("resume")}>
            {t("Go on")}
          </button>
        )}
        {standing === "stopped" && (
          <p class="quiet">
            {t("All games that have ended are kept in {path}.", { path: study.path })}
          </p>
        )}
      </section>
      {findings && (
        <FindingsView
          study={study}
          findings={findings}
          onMore={(minutes) => void ask("resume", { minutes })}
        />
      )}
      {findings && (
        <section class="card" aria-labelledby="again-title">
          <h2 id="again-title">{t("The same study again")}</h2>
          <p class="quiet">
            {t("Anybody gets the same games, byte for byte, with darkqi {version} and:", {
              version,
            })}
          </p>
          {findings.commands.map((command) => (
            <div key={command} class="command">
              <code>{command}</code>
              <Copy text={command}>{t("Copy")}</Copy>
            </div>
          ))}
          <p class="quiet">{t("All games are in {path}.", { path: study.path })}</p>
        </section>
      )}
    </>
  );
}
