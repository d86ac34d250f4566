import { useEffect, useState } from "preact/hooks";
import { message } from "../api/client";
import type { Position } from "../api/types";
import { link } from "../router";
import { Copy } from "../ui/controls";
import { Notice } from "../ui/notices";
import { t } from "../words";
import { again, begin } from "./new_game";
import { Rematch } from "./rematch";
import type { Game } from "./use_game";

interface Props {
  position: Position;
  game: Game;
}

/** What can be done with a game that has ended. */
export function End({ position, game }: Props) {
  const [error, setError] = useState<string | null>(null);
  // A dataset with the name of the game may be one of self-play.
  const [name, setName] = useState(`played-${position.game}`);
  const { saved, seed, picture } = position;
  const wasCovered = [...picture.pieces, ...(picture.captured ?? [])].some(
    ({ covered }) => covered,
  );
  useEffect(() => {
    if (game.offer !== null) setName(game.offer);
  }, [game.offer]);
  const [one, other, ...others] = position.agents;
  const restart = (isSwapped: boolean) => {
    begin(again(position, isSwapped)).catch((reason: unknown) => setError(message(reason)));
  };
  const save = (event: Event) => {
    event.preventDefault();
    void game.act("save", { name });
  };
  return (
    <section class="card end" aria-label={t("After the game")}>
      {error && <Notice kind="error">{error}</Notice>}
      {wasCovered && <p class="quiet">{t("All pieces are uncovered now.")}</p>}
      {position.rematch && <Rematch position={position} game={game} />}
      <div class="buttons">
        {!position.rematch && (
          <button type="button" class="primary" onClick={() => restart(false)}>
            {t("New game, same settings")}
          </button>
        )}
        {!position.rematch && one !== other && others.length === 0 && (
          <button type="button" onClick={() => restart(true)}>
            {t("New game, seats swapped")}
          </button>
        )}
        {seed !== null && <Copy text={seed}>{t("Copy seed {seed}", { seed })}</Copy>}
      </div>
      {saved ? (
        <p>
          {t("Saved as game {number} of {path}.", { number: saved.game_id, path: saved.path })}{" "}
          <a href={link(["data", saved.dataset, saved.game_id, 0])}>{t("Step through it")}</a>
        </p>
      ) : (
        position.can_save && (
          <form class="inline" onSubmit={save}>
            <label>
              {t("Dataset")}{" "}
              <input
                value={name}
                required
                onInput={(event) => setName(event.currentTarget.value)}
              />
            </label>
            <button>{t("Save the game")}</button>
            {game.offer !== null && (
              <p class="quiet" role="status">
                {t("{dataset} takes this game.", { dataset: game.offer })}
              </p>
            )}
          </form>
        )
      )}
    </section>
  );
}
