import { useState } from "preact/hooks";
import type { Catalogue, Study } from "../api/types";
import { useLoaded } from "../api/use_loaded";
import { agentName, percent, plain } from "../names";
import { link } from "../router";
import { Bar, Loading, Notice } from "../ui/notices";
import { listed, t } from "../words";
import { comparedText } from "./labels";
import { StudyForm } from "./study_form";

/** Milliseconds between looks at the studies: while one goes on, and else. */
const LIVE = 2000;
const IDLE = 10_000;

const isLive = ({ standing }: Study) => standing === "running" || standing === "stopping";

/** All studies, and the form of a new one. */
export function Studies({ catalogue }: { catalogue: Catalogue | null }) {
  const { value, error } = useLoaded<Study[]>("api/studies", (studies) =>
    studies?.some(isLive) ? LIVE : IDLE,
  );
  const [isAsking, setIsAsking] = useState(false);
  const isFirst = value?.length === 0;
  return (
    <main class="page narrow">
      <h1>{t("Studies of rules")}</h1>
      <p class="quiet">
        {t(
          "Players of your choice play many games under each set of rules. You read which rules are fair, how long games last, and how they end.",
        )}
      </p>
      {error && <Notice kind="error">{error}</Notice>}
      {!value && !error && <Loading what={t("the studies")} />}
      {value && value.length > 0 && (
        <section class="card" aria-labelledby="studies-title">
          <h2 id="studies-title">{t("Studies")}</h2>
          <ul class="list">
            {value.map((study) => (
              <Row key={study.id} study={study} />
            ))}
          </ul>
        </section>
      )}
      {value && catalogue && !isFirst && !isAsking && (
        <button type="button" class="primary" onClick={() => setIsAsking(true)}>
          {t("New study")}
        </button>
      )}
      {value && catalogue && (isFirst || isAsking) && (
        <StudyForm catalogue={catalogue} taken={value.map(({ id }) => id.replace(/^\d+\//, ""))} />
      )}
    </main>
  );
}

export function standingText(standing: Study["standing"]): string {
  const texts = {
    running: t("running"),
    stopping: t("stopping"),
    stopped: t("stopped"),
    finished: t("finished"),
    failed: t("failed"),
  };
  return texts[standing];
}

function Row({ study }: { study: Study }) {
  const { id, question, standing, progress } = study;
  const about = [
    plain(question.game),
    comparedText(question),
    listed(question.players.map(agentName)),
  ];
  return (
    <li>
      <div class="line">
        <a class="path" href={link(["studies", id])}>
          {id.replace(/^\d+\//, "")}
        </a>
        <span class={`standing ${standing}`}>{standingText(standing)}</span>
      </div>
      <p class="quiet">{about.join(" · ")}</p>
      {progress && (
        <p class="progress">
          <Bar share={progress.share} label={t("Progress of {path}", { path: id })} />
          {percent(progress.share)}
        </p>
      )}
    </li>
  );
}
