import type { LoggedPly, LoggedPosition, Replay } from "../api/types";
import { capital, eventSigns, seatName } from "../names";
import { Kingdoms } from "../play/kingdoms";
import { Copy } from "../ui/controls";
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
    <section class="facts" aria-label="This ply">
      <h2 class="standing">{scene?.picture.standing}</h2>
      <p class="tags">
        <span class="tag">{replay.result}</span>
        <span class="tag">{replay.plies.length} plies</span>
        {replay.seed !== null && <span class="tag">seed {replay.seed}</span>}
        {last?.is_check && <span class="tag alarm">check</span>}
      </p>
      <p class="live" role="status">
        {last
          ? `Ply ${ply}: ${capital(seatName(scene, last.seat))} plays ${last.name} ${eventSigns(last)}`
          : "The deal"}
      </p>
      {scene && position && scene.picture.armies.length > 2 && (
        <Kingdoms {...scene} fen={position.fen} options={replay.options} position={null} />
      )}
      {position && (
        <div class="buttons">
          <Copy text={position.fen}>Copy FEN</Copy>
          <Copy text={location.href}>Copy link</Copy>
        </div>
      )}
    </section>
  );
}
