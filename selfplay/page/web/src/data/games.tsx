import { address } from "../api/client";
import type { Army, GameRow, Games as GamesData } from "../api/types";
import { useLoaded } from "../api/use_loaded";
import { PieceSign } from "../board/disc";
import { agentsText, plain } from "../names";
import { go, link } from "../router";
import { Loading, Notice } from "../ui/notices";
import { Pager } from "../ui/pager";
import { counted, number, t } from "../words";
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
            armies={value.armies}
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
          <Table id={id} rows={value.games} armies={value.armies} />
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

/** The roles are said, because narrow windows show rows as blocks of two lines. */
function Table({ id, rows, armies }: { id: string; rows: GameRow[]; armies: Army[] }) {
  const showsFirst = rows.some(({ first_reveal }) => first_reveal !== null);
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={t("Games")}>
      <table class="games-table" role="table">
        <thead role="rowgroup">
          <tr role="row">
            <th scope="col" role="columnheader">
              {t("Number")}
            </th>
            <th scope="col" role="columnheader">
              {t("Winner")}
            </th>
            <th scope="col" role="columnheader">
              {t("Reason")}
            </th>
            <th scope="col" role="columnheader" class="figure">
              {t("Plies")}
            </th>
            {showsFirst && (
              <th scope="col" role="columnheader">
                {t("First piece")}
              </th>
            )}
            <th scope="col" role="columnheader">
              {t("Agents")}
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={row.game_id} role="row">
              <th scope="row" role="rowheader">
                <a href={link(["data", id, row.game_id, 0])}>{row.game_id}</a>
              </th>
              <td role="cell">
                <span class={`winner w${row.winner}`}>{winnerText(row)}</span>
              </td>
              <td role="cell">{plain(row.reason)}</td>
              <td role="cell" class="figure">
                {row.plies}
              </td>
              {showsFirst && (
                <td role="cell">
                  <First row={row} armies={armies} />
                </td>
              )}
              <td role="cell">{agentsText(row.agents)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The piece that was uncovered first, and where. */
function First({ row, armies }: { row: GameRow; armies: Army[] }) {
  const first = row.first_reveal;
  if (!first) return <>{t("none")}</>;
  const { kind, color, square } = first;
  const army = armies.findIndex(({ letter }) => letter === color);
  const character = armies[army]?.characters[kind] ?? null;
  if (army < 0) return <>{`${kind} ${color} ${square}`}</>;
  const disc = { army, letter: kind, character, covered: false };
  return (
    <>
      <PieceSign disc={disc} armies={armies} /> {square}
    </>
  );
}
