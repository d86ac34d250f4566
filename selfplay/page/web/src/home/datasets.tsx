import { useState } from "preact/hooks";
import type { Catalogue, Dataset } from "../api/types";
import { agentsText, percent, plain } from "../names";
import { link } from "../router";
import { Bar } from "../ui/notices";
import { counted, filled, listed, t } from "../words";

interface Props {
  datasets: Dataset[];
  catalogue: Catalogue | null;
}

/** The datasets of the folders, with a search and a filter by game. */
export function Datasets({ datasets, catalogue }: Props) {
  const folders = catalogue?.folders ?? [];
  const [search, setSearch] = useState("");
  const [game, setGame] = useState("");
  const games = [...new Set(datasets.map((dataset) => dataset.game))].filter(Boolean).sort();
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = datasets.filter((dataset) => {
    const text = [dataset.path, dataset.game, ...dataset.agents].join(" ").toLowerCase();
    return (!game || dataset.game === game) && words.every((word) => text.includes(word));
  });
  return (
    <section class="card datasets" aria-labelledby="datasets-title">
      <h2 id="datasets-title">{t("Datasets")}</h2>
      {datasets.length > 0 ? (
        <div class="filters">
          <input
            type="search"
            aria-label={t("Search in paths, games and agents")}
            placeholder={t("Search")}
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
          <select
            aria-label={t("Game")}
            value={game}
            onChange={(event) => setGame(event.currentTarget.value)}
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
            ? t("There is none in {folders}.", { folders: listed(folders) })
            : filled("No folder was given to {command}.", {
                command: <code>darkqi serve</code>,
              })}{" "}
          {filled("{command} makes one.", {
            command: <code>darkqi selfplay jieqi --games 100 --out data/jieqi</code>,
          })}
        </p>
      )}
      <ul class="list">
        {shown.map((dataset) => (
          <Row key={dataset.id} dataset={dataset} rules={changedRules(dataset, catalogue)} />
        ))}
      </ul>
      {datasets.length > 0 && shown.length === 0 && <p class="quiet">{t("None matches.")}</p>}
    </section>
  );
}

/** The options that differ from the game's defaults. */
function changedRules({ game, options }: Dataset, catalogue: Catalogue | null): string {
  const specs = catalogue?.games.find(({ name }) => name === game)?.options ?? [];
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
      {progress !== null && !dataset.is_complete && (
        <p class="progress">
          <Bar share={progress} label={t("Progress of {path}", { path })} />
          {wanted === null
            ? percent(progress)
            : counted(wanted, "{share} of {count} game", "{share} of {count} games", {
                share: percent(progress),
              })}
        </p>
      )}
    </li>
  );
}
