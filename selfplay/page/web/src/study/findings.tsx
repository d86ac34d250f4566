import type { Findings, FindingsBy, Quantity, SetFindings, Study } from "../api/types";
import { agentName, plain, sentence } from "../names";
import { link } from "../router";
import { counted, listed, number, said, t } from "../words";
import { duration, figure, quantityName, setName } from "./labels";
import { ScorePlot } from "./score_plot";
import { WorthView } from "./worth";

interface Props {
  study: Study;
  findings: Findings;
  /** Goes on for some minutes. */
  onMore: (minutes: number) => void;
}

/** What the games of a study have shown: the verdict of the strongest player first. */
export function FindingsView({ study, findings, onMore }: Props) {
  const { agents, agreement, worth } = findings;
  const strongest = agents.at(-1);
  return (
    <>
      {agreement.length > 0 && (
        <section class="card" aria-labelledby="agreement-title">
          <h2 id="agreement-title">{t("Do the players agree?")}</h2>
          <ul class="list">
            {agreement.map(([label, phrase]) => (
              <li key={label}>
                <p>
                  <strong>{setName(label)}</strong>
                  {t(":")}{" "}
                  {t("{text}.", { text: sentence(phrase).replace(/level:\w+/g, agentName) })}
                </p>
              </li>
            ))}
          </ul>
        </section>
      )}
      {[...agents].reverse().map((found, index) => (
        <By
          key={found.agent}
          study={study}
          found={found}
          isFirst={index === 0}
          isStrongest={found === strongest && agents.length > 1}
          onMore={onMore}
        />
      ))}
      {strongest && worth.length > 0 && <WorthView agent={strongest.agent} worth={worth} />}
    </>
  );
}

interface ByProps {
  study: Study;
  found: FindingsBy;
  isFirst: boolean;
  isStrongest: boolean;
  onMore: (minutes: number) => void;
}

const FIGURES: Quantity[] = ["decisive", "plies", "branching", "lead_changes"];

function By({ study, found, isFirst, isStrongest, onMore }: ByProps) {
  const { agent, games, sets, differences, fairest, seconds } = found;
  const more = Math.max(0, ...sets.map(({ more_games }) => more_games ?? 0));
  // What one player needs, and all have to be given.
  const minutes = seconds && Math.ceil((more * seconds * study.question.players.length) / 60);
  const widest = Math.max(
    0.05,
    study.question.margin,
    ...sets.flatMap(({ score: { low, high }, even }) =>
      even === null ? [] : [even - (low ?? 0), (high ?? 1) - even],
    ),
  );
  const farthest = Math.ceil(100 * widest) / 100;
  return (
    <section class="card" aria-label={agentName(agent)}>
      <h2>
        {t("{agent} against itself", { agent: agentName(agent) })}{" "}
        <small class="quiet">
          {counted(games, "{count} game of each set", "{count} games of each set")}
          {isStrongest && ` · ${t("the strongest player here")}`}
        </small>
      </h2>
      {isFirst && <Meaning margin={study.question.margin} />}
      <ul class="list verdicts">
        {sets.map((set) => (
          <Verdict
            key={set.label}
            study={study}
            set={set}
            farthest={farthest}
            time={seconds && set.more_games ? seconds * set.more_games : null}
          />
        ))}
      </ul>
      {sets.length > 1 && (
        <p>
          {fairest
            ? t("The fairest rules are {rules}.", { rules: setName(fairest) })
            : t("No rules are shown to be fairer than all others.")}
        </p>
      )}
      {minutes !== null && minutes > 0 && !study.progress && (
        <button type="button" onClick={() => onMore(minutes)}>
          {t("Play on for {time}", { time: duration(60 * minutes) })}
        </button>
      )}
      <div
        class="scroll"
        tabIndex={0}
        role="region"
        aria-label={t("Figures by {agent}", { agent: agentName(agent) })}
      >
        <table class="figures-table">
          <thead>
            <tr>
              <th scope="col">{t("Rules")}</th>
              {FIGURES.map((quantity) => (
                <th key={quantity} scope="col" class="figure">
                  {quantityName(quantity)}
                </th>
              ))}
              <th scope="col">{t("how games end")}</th>
            </tr>
          </thead>
          <tbody>
            {sets.map((set) => (
              <tr key={set.label}>
                <th scope="row">
                  <a href={link(["data", `${study.id}/${set.dataset}`])}>{setName(set.label)}</a>
                </th>
                {FIGURES.map((quantity) => (
                  <td key={quantity} class="figure">
                    {figure(quantity, set.means[quantity], "value")}
                  </td>
                ))}
                <td>{endings(set)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {differences.length > 0 && (
        <details>
          <summary>{t("Differences with their 95 % intervals")}</summary>
          <Differences agent={agent} differences={differences} />
        </details>
      )}
      {study.has_report && isLast(study, agent) && (
        <p>
          <a href={link(["study", study.id])}>{t("Report of the study, with each opening")}</a>
        </p>
      )}
    </section>
  );
}

/** Whose score it is, and what the plots and the verdicts mean. */
function Meaning({ margin }: { margin: number }) {
  return (
    <div class="meaning quiet">
      <p>
        {t(
          "The score is that of the player who turns over the first piece or, where nothing is covered, moves first: from 0 (lost) to 1 (won).",
        )}
      </p>
      <p>
        {t(
          "Fair: it is shown to be within {margin} of even. Not fair: it is shown not to be even, and is farther from it than that.",
          { margin: number(margin) },
        )}
      </p>
      <p class="signs">
        <span>
          <span class="sign even" /> {t("even")}
        </span>
        <span>
          <span class="sign band" /> {t("within {margin} of even", { margin: number(margin) })}
        </span>
        <span>
          <span class="sign interval" /> {t("score with its 95 % interval")}
        </span>
      </p>
    </div>
  );
}

function isLast({ question }: Study, agent: string): boolean {
  return question.players.at(-1) === agent;
}

interface VerdictProps {
  study: Study;
  set: SetFindings;
  farthest: number;
  /** Seconds that the games take which are missing to a verdict. */
  time: number | null;
}

function Verdict({ study, set, farthest, time }: VerdictProps) {
  const words = { fair: t("Fair"), not_fair: t("Not fair"), not_decided: t("Not decided") };
  return (
    <li>
      <div class="line">
        <strong>{setName(set.label)}</strong>
        {set.finding && <span class={`finding ${set.finding}`}>{words[set.finding]}</span>}
      </div>
      {set.even !== null && (
        <ScorePlot
          score={set.score}
          even={set.even}
          margin={study.question.margin}
          farthest={farthest}
        />
      )}
      {set.sentence && (
        <p>
          {time === null
            ? t("{text}.", { text: sentence(set.sentence) })
            : t("{text} (about {time}).", {
                text: sentence(set.sentence),
                time: duration(time),
              })}
        </p>
      )}
      {set.warning && <p class="warning">⚠ {t("{text}.", { text: sentence(set.warning) })}</p>}
      {set.doubts.map((doubt) => (
        <p key={doubt} class="warning">
          ⚠ {doubt}
        </p>
      ))}
    </li>
  );
}

/** The reasons of ends with their shares, the most frequent first. */
function endings({ endings }: SetFindings): string {
  const all = Object.entries(endings).sort(([, one], [, other]) => other - one);
  const games = all.reduce((sum, [, count]) => sum + count, 0);
  return listed(
    all.map(
      ([reason, count]) => `${plain(said(reason))} ${number(Math.round((100 * count) / games))} %`,
    ),
  );
}

function Differences({ agent, differences }: Pick<FindingsBy, "agent" | "differences">) {
  return (
    <div
      class="scroll"
      tabIndex={0}
      role="region"
      aria-label={t("Differences by {agent}", { agent: agentName(agent) })}
    >
      <table class="figures-table">
        <thead>
          <tr>
            <th scope="col">{t("Figure")}</th>
            <th scope="col">{t("Rules")}</th>
            <th scope="col">{t("compared with")}</th>
            <th scope="col" class="figure">
              {t("difference")}
            </th>
            <th scope="col">{t("more than chance?")}</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ quantity, first, second, difference, is_significant }) => (
            <tr key={`${quantity} ${first} ${second}`}>
              <td>{quantityName(quantity)}</td>
              <td>{setName(second)}</td>
              <td>{setName(first)}</td>
              <td class="figure">{figure(quantity, difference, "difference")}</td>
              <td>{is_significant ? t("yes") : t("not shown")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
