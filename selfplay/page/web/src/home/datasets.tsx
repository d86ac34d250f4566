import type { Catalogue, Dataset, Folders } from "../api/types";
import { agentsText, percent, plain } from "../names";
import { link } from "../router";
import { Bar } from "../ui/notices";
import { Pager } from "../ui/pager";
import { counted, filled, listed, number, t } from "../words";
import { allOptions } from "./given";

/** Datasets of a page. */
export const LIMIT = 50;

/** Which datasets are shown. */
export interface Search {
  words: string;
  game: string;
  offset: number;
}

interface Props {
  folders: Folders;
  catalogue: Catalogue | null;
  search: Search;
  onSearch: (search: Search) => void;
}

/** The datasets of the folders, with a search and a filter by game. */
export function Datasets({ folders: found, catalogue, search, onSearch }: Props) {
  const folders = catalogue?.folders ?? [];
  const { datasets, games, total, matching, offset } = found;
  return (
    <section class="card datasets" aria-labelledby="datasets-title">
      <h2 id="datasets-title">{t("Datasets")}</h2>
      {total > 0 ? (
        <div class="filters">
          <input
            type="search"
            aria-label={t("Search in paths, games and agents")}
            placeholder={t("Search")}
            value={search.words}
            onInput={({ currentTarget: { value: words } }) =>
              onSearch({ ...search, words, offset: 0 })
            }
          />
          <select
            aria-label={t("Game")}
            value={search.game}
            onChange={({ currentTarget: { value: game } }) =>
              onSearch({ ...search, game, offset: 0 })
            }
          >
            <option value="">{t("all games")}</option>
            {games.map((name) => (
              <option key={name} value={name}>
                {plain(name)}
              </option>
            ))}
          </select>
        </div>
      ) : (
        <p class="quiet">
          {folders.length > 0
            ? filled("No dataset in {folders}.", { folders: <code>{listed(folders)}</code> })
            : filled("No folder was given to {command}.", {
                command: <code>darkqi serve</code>,
              })}{" "}
          {filled("{command} makes one.", {
            command: <code>darkqi selfplay jieqi --games 100 --out data/jieqi</code>,
          })}
        </p>
      )}
      {grouped(datasets).map(({ study, members }) => {
        const rows = members.map((dataset) => (
          <Row key={dataset.id} dataset={dataset} rules={changedRules(dataset, catalogue)} />
        ));
        if (!study) return <ul class="list">{rows}</ul>;
        return (
          <section key={study.id} class="study" aria-label={study.path}>
            <div class="line">
              <strong class="path">{study.path}</strong>
              {study.is_asked && <a href={link(["studies", study.id])}>{t("the study")}</a>}
              {study.has_report && (
                <a href={link(["study", study.id])}>{t("report of the study")}</a>
              )}
            </div>
            <ul class="list">{rows}</ul>
          </section>
        );
      })}
      {total > 0 && matching === 0 && <p class="quiet">{t("None matches.")}</p>}
      <Pager
        label={t("Pages of datasets")}
        limit={LIMIT}
        offset={offset}
        shown={datasets.length}
        of={matching}
        step={(to, text) => (
          <button type="button" class="plain" onClick={() => onSearch({ ...search, offset: to })}>
            {text}
          </button>
        )}
      />
    </section>
  );
}

/** Neighbours of one study together, in their order. */
function grouped(datasets: Dataset[]) {
  const groups: { study: Dataset["study"]; members: Dataset[] }[] = [];
  for (const dataset of datasets) {
    const last = groups.at(-1);
    if (last && last.study?.id === dataset.study?.id) last.members.push(dataset);
    else groups.push({ study: dataset.study, members: [dataset] });
  }
  return groups;
}

/** The options that differ from the game's defaults. */
function changedRules({ game, options }: Dataset, catalogue: Catalogue | null): string {
  const specs = allOptions(catalogue, game);
  const changed = specs.filter(
    ({ name, default: preset }) => name in options && options[name] !== preset,
  );
  return listed(changed.map(({ name }) => `${plain(name)} ${plain(String(options[name]))}`));
}

function Row({ dataset, rules }: { dataset: Dataset; rules: string }) {
  const { id, path, game, agents, games, plies, progress, wanted, error } = dataset;
  return (
    <li class="dataset">
      <div class="line">
        <a class="path" href={link(["data", id])}>
          {path}
        </a>
        {games > 0 && !error && <a href={link(["report", id])}>{t("report")}</a>}
      </div>
      <p class="quiet">{[plain(game), agentsText(agents), rules].filter(Boolean).join(" · ")}</p>
      {error ? (
        <p class="wrong">{error}</p>
      ) : (
        <p class="quiet">
          {[
            counted(games, "{count} game", "{count} games"),
            counted(plies, "{count} ply", "{count} plies"),
            dataset.made_by && t("by {program}", { program: dataset.made_by }),
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
      )}
      {progress !== null && (
        <p class={`progress ${dataset.is_running ? "" : "stopped"}`}>
          <Bar share={progress} label={t("Progress of {path}", { path })} />
          {dataset.is_running ? percent(progress) : t("stopped")}{" "}
          {wanted !== null &&
            counted(wanted, "at {ended} of {count} game", "at {ended} of {count} games", {
              ended: number(games + dataset.unfinished),
            })}
        </p>
      )}
      {dataset.resume !== null && (
        <p class="quiet">
          {filled("{command} goes on with it.", { command: <code>{dataset.resume}</code> })}
        </p>
      )}
    </li>
  );
}
