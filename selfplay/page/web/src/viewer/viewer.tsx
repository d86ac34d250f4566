import { useEffect, useState } from "preact/hooks";
import { address } from "../api/client";
import type { Catalogue, Mistake, Replay } from "../api/types";
import { useLoaded } from "../api/use_loaded";
import { showBoard } from "../board/cells";
import { capital, plain } from "../names";
import { Downloads } from "../play/downloads";
import { Moves } from "../play/moves";
import { Review } from "../play/review";
import { link, move } from "../router";
import { useSettings } from "../settings";
import { Loading, Notice } from "../ui/notices";
import { locale, t } from "../words";
import { Ask } from "./ask";
import { Boards } from "./boards";
import { Curve } from "./curve";
import { Facts } from "./facts";
import { Policy } from "./policy";
import { sceneOf } from "./scene";
import { Transport } from "./transport";
import { usePositions } from "./use_positions";

interface Props {
  id: string;
  game: number;
  /** The number of the position: 0 is the deal. */
  ply: number;
  catalogue: Catalogue | null;
}

/** One game of a dataset, stepped through. */
export function Viewer({ id, game, ply: wanted, catalogue }: Props) {
  const { value: replay, error } = useLoaded<Replay>(address("api/replay", { dataset: id, game }));
  if (error) {
    return (
      <main class="page">
        <Notice kind="error">{error}</Notice>
        <p>
          <a class="button" href={link(["data", id])}>
            {t("Back to the games of {dataset}", { dataset: id.replace(/^\d+\//, "") })}
          </a>
        </p>
      </main>
    );
  }
  if (!replay || replay.dataset !== id || replay.game_id !== game) {
    return (
      <main class="page">
        <Loading what={t("the game")} />
      </main>
    );
  }
  const ply = Math.min(Math.max(0, Math.trunc(wanted) || 0), replay.plies.length);
  return <Stepper key={`${id} ${game}`} id={id} replay={replay} ply={ply} catalogue={catalogue} />;
}

interface StepperProps {
  id: string;
  replay: Replay;
  ply: number;
  catalogue: Catalogue | null;
}

function Stepper({ id, replay, ply, catalogue }: StepperProps) {
  const { plies, game_id: game } = replay;
  const end = plies.length;
  const goTo = (to: number) => move(link(["data", id, game, Math.min(Math.max(0, to), end)]));
  const jump = (to: number) => {
    goTo(to);
    showBoard();
  };
  const { position, error } = usePositions(id, game, ply, end);
  const { boards } = useSettings();
  const [better, setBetter] = useState<Mistake[]>([]);
  const last = plies[ply - 1] ?? null;
  const next = plies[ply] ?? null;
  useEffect(() => {
    const name = t("{game} {number}, after ply {ply}", {
      game: plain(replay.game),
      number: game,
      ply,
    });
    document.title = `${name} · darkqi`;
  }, [ply, locale()]);
  // Until the catalogue is there, the views are taken to differ.
  const spec = catalogue?.games.find(({ name }) => name === replay.game);
  return (
    <main class="page viewer">
      <header class="line">
        <h1>
          {t("{name}, game {number}", { name: capital(plain(replay.game)), number: game })}{" "}
          <a href={link(["data", id])}>{id.replace(/^\d+\//, "")}</a>
        </h1>
        <nav class="neighbours" aria-label={t("Games of the dataset")}>
          {game > 0 && <a href={link(["data", id, game - 1, 0])}>‹ {t("previous game")}</a>}
          {game + 1 < replay.games && (
            <a href={link(["data", id, game + 1, 0])}>{t("next game")} ›</a>
          )}
        </nav>
      </header>
      {replay.differences.length > 0 && (
        <Notice kind="error">
          {t("The log does not replay exactly: {differences}", {
            differences: replay.differences.slice(0, 3).join("; "),
          })}
        </Notice>
      )}
      {error && <Notice kind="error">{error}</Notice>}
      <div class="table">
        <section class="board-side" aria-label={t("Boards")} aria-busy={position?.ply !== ply}>
          {position ? (
            <Boards
              replay={replay}
              position={position}
              last={plies[position.ply - 1] ?? null}
              next={plies[position.ply] ?? null}
              better={better.find((mistake) => mistake.ply === position.ply)?.better ?? null}
              shown={boards}
              hides={spec?.hides ?? "kind"}
            />
          ) : (
            <Loading what={t("the position")} />
          )}
          <Transport ply={ply} end={end} onGo={goTo} />
          <Curve
            plies={plies}
            seats={replay.num_players}
            last={end}
            ply={ply}
            scene={position && sceneOf(position)}
            onGo={goTo}
          />
        </section>
        <aside class="panel">
          <Facts replay={replay} ply={ply} position={position} last={last} />
          <Downloads
            files={catalogue?.files ?? []}
            path="api/file"
            query={{ dataset: id, game }}
            ply={ply}
          />
          <Review
            path="api/review"
            body={{ dataset: id, game }}
            plies={plies}
            seats={replay.num_players}
            ply={ply}
            scene={position && sceneOf(position)}
            onGo={jump}
            onFound={setBetter}
          />
          {next?.policy && <Policy policy={next.policy} played={next} />}
          {catalogue && spec && next && (
            <Ask
              key={ply}
              id={id}
              spec={spec}
              options={replay.options}
              game={game}
              ply={ply}
              played={next}
              catalogue={catalogue}
            />
          )}
          <Moves
            plies={plies}
            seats={replay.num_players}
            current={ply - 1}
            scene={position && sceneOf(position)}
            onPick={(index) => jump(index + 1)}
          />
        </aside>
      </div>
    </main>
  );
}
