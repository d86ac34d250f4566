import { useEffect, useState } from "preact/hooks";
import type { Catalogue, GameSpec, Position } from "../api/types";
import { focusBoard } from "../board/cells";
import { Loading, Notice } from "../ui/notices";
import { t } from "../words";
import { Curtain } from "./curtain";
import { Table } from "./table";
import { forget, note } from "./under_way";
import { useGame } from "./use_game";

interface Props {
  id: string;
  catalogue: Catalogue | null;
}

/** The page of one key: its game, or what is in the way of it. */
export function Play({ id, catalogue }: Props) {
  const game = useGame(id);
  const { position, error, isGone, isLost } = game;
  const spec = catalogue?.games.find(({ name }) => name === position?.game) ?? null;
  // The seat of the person in front of the screen, if several share it.
  const [present, setPresent] = useState<number | null>(null);
  const [name, isOver] = [position?.game ?? null, isLost || (position?.is_over ?? false)];
  useEffect(() => {
    if (isOver) forget(id);
    else if (name !== null) note(id, name);
  }, [id, name, isOver]);
  const isHidden = position !== null && needsCurtain(position, spec) && position.viewer !== present;
  const open = () => {
    setPresent(position!.mover);
    // Once the board is there.
    requestAnimationFrame(focusBoard);
  };
  return (
    <main class="page play">
      {isGone && (
        <Notice kind="gone">
          {t("The server does not answer. The page tries again every few seconds.")}{" "}
          {catalogue?.keeps_games
            ? t("The game is kept: it goes on when the server is there again.")
            : t("Games end with their server.")}
        </Notice>
      )}
      {error && (
        <Notice kind="error" {...(position && !isLost ? { onClose: game.forget } : {})}>
          {error}
        </Notice>
      )}
      {error && (!position || isLost) && (
        <p>
          <a class="button" href="#/">
            {t("Begin another game")}
          </a>
        </p>
      )}
      {!position && !error && <Loading what={t("the game")} />}
      {position && !isHidden && (
        <Table
          key={id}
          id={id}
          game={game}
          position={position}
          hides={spec?.hides ?? "kind"}
          files={catalogue?.files ?? []}
          hasLesson={spec?.has_lesson ?? false}
        />
      )}
      {position && isHidden && <Curtain position={position} onOpen={open} />}
    </main>
  );
}

/** Whether several people at this screen see different things. */
function needsCurtain(position: Position, spec: GameSpec | null): boolean {
  const isSecret = spec ? spec.hides === "kind" : true;
  return isSecret && position.seats.length > 1 && typeof position.viewer === "number";
}
