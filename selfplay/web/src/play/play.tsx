import { useEffect, useState } from "preact/hooks";
import type { Catalogue, Position } from "../api/types";
import { Loading, Notice } from "../ui/notices";
import { Curtain } from "./curtain";
import { Table } from "./table";
import { useGame } from "./use_game";

interface Props {
  id: string;
  catalogue: Catalogue | null;
}

/** The page of one key: its game, or what is in the way of it. */
export function Play({ id, catalogue }: Props) {
  const game = useGame(id);
  const { position, error, isGone } = game;
  // The seat of the person in front of the screen, if several share it.
  const [present, setPresent] = useState<number | null>(null);
  useEffect(() => setPresent(null), [id]);
  const isHidden =
    position !== null && needsCurtain(position, catalogue) && position.viewer !== present;
  return (
    <main class="page play">
      {isGone && (
        <Notice kind="gone">
          darkqi serve does not answer. The page tries again every few seconds; the game goes on
          when it is back.
        </Notice>
      )}
      {error && (
        <Notice kind="error" {...(position ? { onClose: game.forget } : {})}>
          {error}
        </Notice>
      )}
      {!position && error && (
        <p>
          <a href="#/">Begin another game</a>
        </p>
      )}
      {!position && !error && <Loading what="the game" />}
      {position && !isHidden && <Table key={id} id={id} game={game} position={position} />}
      {position && isHidden && (
        <Curtain position={position} onOpen={() => setPresent(position.mover)} />
      )}
    </main>
  );
}

/** Whether several people at this screen see different things. */
function needsCurtain(position: Position, catalogue: Catalogue | null): boolean {
  const spec = catalogue?.games.find(({ name }) => name === position.game);
  const isSecret = spec ? spec.hides === "kind" : true;
  return isSecret && position.seats.length > 1 && typeof position.viewer === "number";
}
