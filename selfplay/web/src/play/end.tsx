import { useState } from "preact/hooks";
import { message } from "../api/client";
import type { Position } from "../api/types";
import { link } from "../router";
import { Copy } from "../ui/controls";
import { Notice } from "../ui/notices";
import { again, begin } from "./new_game";
import type { Game } from "./use_game";

/** What can be done with a game that has ended. */
export function End({ position, game }: { position: Position; game: Game }) {
  const [error, setError] = useState<string | null>(null);
  const [name, setName] = useState(position.game);
  const { saved, seed } = position;
  const restart = () => {
    begin(again(position)).catch((reason: unknown) => setError(message(reason)));
  };
  const save = (event: Event) => {
    event.preventDefault();
    void game.act("save", { name });
  };
  return (
    <section class="card end" aria-label="After the game">
      {error && <Notice kind="error">{error}</Notice>}
      <p class="quiet">All pieces are uncovered now.</p>
      <div class="buttons">
        <button type="button" class="primary" onClick={restart}>
          New game, same settings
        </button>
        {seed !== null && <Copy text={seed}>Copy seed {seed}</Copy>}
      </div>
      {saved ? (
        <p>
          Saved as game {saved.game_id} of {saved.path}:{" "}
          <a href={link(["data", saved.dataset, saved.game_id, 0])}>step through it</a>.
        </p>
      ) : (
        position.can_save && (
          <form class="inline" onSubmit={save}>
            <label>
              Dataset{" "}
              <input
                value={name}
                required
                onInput={(event) => setName(event.currentTarget.value)}
              />
            </label>
            <button>Save the game</button>
          </form>
        )
      )}
    </section>
  );
}
