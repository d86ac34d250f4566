import type { LoggedPly, LoggedPosition, Replay } from "../api/types";
import { moveName, plyText, seatName, sentence } from "../names";
import { Kingdoms } from "../play/kingdoms";
import { NotationSwitch } from "../play/notation_switch";
import { startLink } from "../play/starting";
import { Copy } from "../ui/controls";
import { counted, t } from "../words";
import { sceneOf } from "./scene";

interface Props {
  replay: Replay;
  ply: number;
  position: LoggedPosition | null;
  last: LoggedPly | null;
}

/** What happened at this ply, who plays, and how the game ends. */
export function Facts({ replay, ply, position, last }: Props) {
  const scene = position && sceneOf(position);
  return (
    <section class="facts" aria-label={t("This ply")}>
      <p class="tags">
        <span class="tag">{sentence(replay.result)}</span>
        <span class="tag">{counted(replay.plies.length, "{count} ply", "{count} plies")}</span>
        {replay.seed !== null && <span class="tag">{t("seed {seed}", { seed: replay.seed })}</span>}
        {last?.is_check && <span class="tag alarm">{t("check")}</span>}
      </p>
      <p class="live" role="status">
        {last
          ? t("Ply {ply}: {seat} plays {move}", {
              ply,
              seat: seatName(scene, last.seat),
              move: scene ? plyText(last, scene.picture.armies) : moveName(last),
            })
          : t("The deal")}
      </p>
      {scene && position && scene.picture.armies.length > 2 && (
        <Kingdoms {...scene} fen={position.fen} options={replay.options} position={null} />
      )}
      <div class="switches">
        <NotationSwitch plies={replay.plies} />
      </div>
      {position && (
        <div class="buttons">
          <Copy text={position.fen}>{t("Copy FEN")}</Copy>
          <Copy text={location.href}>{t("Copy link")}</Copy>
          {ply < replay.plies.length && (
            <a
              class="button"
              href={startLink({ game: replay.game, options: replay.options, fen: position.fen })}
            >
              {t("Play from here")}
            </a>
          )}
        </div>
      )}
    </section>
  );
}
