import { useState } from "preact/hooks";
import type { Action, GameSpec, Position } from "../api/types";
import { counted } from "../names";
import { change, useSettings } from "../settings";
import { Copy, Dialog, Switch } from "../ui/controls";
import { LinkList } from "./links";
import { keysWith } from "./new_game";
import type { Game } from "./use_game";

interface Props {
  id: string;
  position: Position;
  /** Of the position that is shown. */
  fen: string;
  game: Game;
  hides: GameSpec["hides"];
  pass: Action | undefined;
  onPlay: (action: Action) => void;
  /** Null while no hint can be asked for. */
  onHint: (() => void) | null;
  isAsking: boolean;
  onTurn: () => void;
}

export function Controls(props: Props) {
  const { id, position, game, hides, pass, onHint, isAsking } = props;
  const [asks, setAsks] = useState<"resign" | "links" | null>(null);
  const { showsThreats, asksFirst } = useSettings();
  const isPlayer = position.seats.length > 0;
  const keys = keysWith(id);
  // Such a FEN cannot be played on from, because what is covered is missing.
  const isPartial = hides !== "nothing" && position.viewer !== "all";
  return (
    <section class="controls" aria-label="Controls">
      <div class="buttons">
        {pass && (
          <button type="button" class="primary" onClick={() => props.onPlay(pass)}>
            Pass
          </button>
        )}
        {isPlayer && (
          <>
            {/* While it thinks it keeps the focus, which a disabled button loses. */}
            <button
              type="button"
              disabled={!onHint && !isAsking}
              aria-disabled={isAsking}
              onClick={() => onHint?.()}
            >
              {isAsking ? "Thinking …" : "Hint"}
            </button>
            <button
              type="button"
              disabled={!position.can_take_back}
              onClick={() => void game.act("back")}
            >
              Take back
            </button>
            <button type="button" disabled={!position.can_resign} onClick={() => setAsks("resign")}>
              Resign
            </button>
          </>
        )}
        <button type="button" onClick={props.onTurn}>
          Turn board
        </button>
        <Copy
          text={props.fen}
          {...(isPartial ? { title: "As you know it. To play on from here, use the seed." } : {})}
        >
          Copy FEN
        </Copy>
        {keys.length > 1 && (
          <button type="button" onClick={() => setAsks("links")}>
            Links
          </button>
        )}
      </div>
      <div class="switches">
        <Switch isOn={showsThreats} onChange={(isOn) => change({ showsThreats: isOn })}>
          Mark threatened pieces
        </Switch>
        {isPlayer && (
          <Switch isOn={asksFirst} onChange={(isOn) => change({ asksFirst: isOn })}>
            Show odds before a move
          </Switch>
        )}
      </div>
      {asks === "resign" && (
        <Dialog title="Resign this game?" onClose={() => setAsks(null)}>
          <p>
            The game ends after {counted(position.ply, "ply", "plies")},{" "}
            {position.agents.length === 2 ? "and the other side wins" : "without a winner"}. It
            cannot be added to a dataset.
          </p>
          <form method="dialog" class="buttons">
            <button class="danger" onClick={() => void game.act("resign")}>
              Resign
            </button>
            <button autofocus>Play on</button>
          </form>
        </Dialog>
      )}
      {asks === "links" && (
        <Dialog title="Links to this game" onClose={() => setAsks(null)}>
          <LinkList keys={keys} />
          <form method="dialog" class="buttons">
            <button autofocus>Close</button>
          </form>
        </Dialog>
      )}
    </section>
  );
}
