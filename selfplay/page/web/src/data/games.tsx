import { address } from "../api/client";
import type { GameRow, Games as GamesData } from "../api/types";
import { useLoaded } from "../api/use_loaded";
import { plain } from "../names";
import { go, link } from "../router";
import { Loading, Notice } from "../ui/notices";
import { Pager } from "../ui/pager";
import { counted, number, said, t } from "../words";
import { Filters } from "./filters";

const LIMIT = 50;

/** The games of a dataset, filtered by the query of the page's address. */
export function Games({ id, query }: { id: string; query: URLSearchParams }) {
  const filters = Object.fromEntries(query);
  const { offset: _, ...others } = filters;
  const loaded = useLoaded<GamesData>(
    address("api/games", { dataset: id, limit: LIMIT, ...filters }),
  );
  const { value, error } = loaded;
  const at = (offset: number) => link(["data", id], { ...others, offset: offset || null });
  return (
    <main class="page data">
      <h1>
        {id.replace(/^\d+\//, "")} <a href={link(["report", id])}>{t("report")}</a>
      </h1>
      {error && <Notice kind="error">{error}</Notice>}
      {!value && !error && <Loading what={t("the games")} />}
      {value && (
        <>
          <Filters
            facets={value.facets}
            values={others}
            onChange={(changed) => go(link(["data", id], changed))}
          />
          <p role="status">
            {value.matching === value.total
              ? counted(value.total, "{count} game", "{count} games")
              : counted(value.total, "{share} of {count} game", "{share} of {count} games", {
                  share: number(value.matching),
                })}
          </p>
          <Table id={id} rows={value.games} />
          <Pager
            label={t("Pages of games")}
            limit={LIMIT}
            offset={value.offset}
            shown={value.games.length}
            of={value.matching}
            step={(offset, text) => <a href={at(offset)}>{text}</a>}
          />
        </>
      )}
    </main>
  );
}

function winnerText({ winner, is_truncated }: GameRow): string {
  if (winner >= 0) return t("seat {seat}", { seat: winner });
  return is_truncated ? t("none") : t("draw");
}

function Table({ id, rows }: { id: string; rows: GameRow[] }) {
  const showsFirst = rows.some(({ first_reveal }) => first_reveal !== null);
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={t("Games")}>
      <table class="games-table">
        <thead>
          <tr>
            <th scope="col">{t("Number")}</th>
            <th scope="col">{t("Winner")}</th>
            <th scope="col">{t("Reason")}</th>
            <th scope="col" class="figure">
              {t("Plies")}
            </th>
            {showsFirst && <th scope="col">{t("First piece")}</th>}
            <th scope="col">{t("Agents")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.game_id}>
              <th scope="row">
                <a href={link(["data", id, row.game_id, 0])}>{row.game_id}</a>
              </th>
              <td>
                <span class={`winner w${row.winner}`}>{winnerText(row)}</span>
              </td>
              <td>{plain(row.reason)}</td>
              <td class="figure">{row.plies}</td>
              {showsFirst && <td>{firstText(row)}</td>}
              <td>{row.agents.join(" – ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function firstText({ first_reveal: first }: GameRow): string {
  if (!first) return t("none");
  const { kind, color, square } = first;
  return t("{piece} ({army}) on {square}", { piece: plain(kind), army: said(color), square });
}
