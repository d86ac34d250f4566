import { useState } from "preact/hooks";
import type { Action, GameSpec, Position } from "../api/types";
import { RulesButton } from "../learn/rules_button";
import { change, useSettings } from "../settings";
import { Copy, Dialog, Switch } from "../ui/controls";
import { counted, t } from "../words";
import { LinkList } from "./links";
import { keysWith } from "./new_game";
import { NotationSwitch } from "./notation_switch";
import { startLink } from "./starting";
import type { Game } from "./use_game";

interface Props {
  id: string;
  position: Position;
  /** Of the position that is shown. */
  fen: string;
  /** Whether that is a position of a game that is over, from which another can be played. */
  canPlayOn: boolean;
  game: Game;
  hides: GameSpec["hides"];
  pass: Action | undefined;
  onPlay: (action: Action) => void;
  /** Null while no hint can be asked for. */
  onHint: (() => void) | null;
  isAsking: boolean;
  hasLesson: boolean;
  onTurn: () => void;
}

export function Controls(props: Props) {
  const { id, position, game, hides, pass, onHint, isAsking } = props;
  const [asks, setAsks] = useState<"resign" | "draw" | "links" | null>(null);
  const { showsThreats, asksFirst, sounds } = useSettings();
  const isPlayer = position.seats.length > 0;
  const keys = keysWith(id);
  // Such a FEN leaves open what is covered.
  const isPartial = hides !== "nothing" && position.viewer !== "all";
  return (
    <section class="controls" aria-label={t("Controls")}>
      <div class="buttons">
        {pass && (
          <button type="button" class="primary" onClick={() => props.onPlay(pass)}>
            {t("Pass")}
          </button>
        )}
        {isPlayer && !position.is_over && (
          <>
            {/* While it thinks it keeps the focus, which a disabled button loses. */}
            <button
              type="button"
              disabled={!onHint && !isAsking}
              aria-disabled={isAsking}
              onClick={() => onHint?.()}
            >
              {isAsking ? t("Thinking …") : t("Hint")}
            </button>
            <button
              type="button"
              disabled={!position.can_take_back}
              onClick={() => void game.act("back")}
            >
              {t("Take back")}
            </button>
            <button type="button" disabled={!position.can_resign} onClick={() => setAsks("resign")}>
              {t("Resign")}
            </button>
            {position.agents.every((agent) => agent === null) && (
              <button
                type="button"
                disabled={!position.draw.can_offer}
                // At one screen there is nobody else to ask.
                onClick={() => (position.shared ? setAsks("draw") : void game.act("draw"))}
              >
                {t("Offer a draw")}
              </button>
            )}
          </>
        )}
        {props.hasLesson && <RulesButton game={position.game} options={position.options} />}
        <button type="button" onClick={props.onTurn}>
          {t("Turn board")}
        </button>
        <Copy
          text={props.fen}
          {...(isPartial
            ? { title: t("As you know it. A game that begins there deals the rest afresh.") }
            : {})}
        >
          {t("Copy FEN")}
        </Copy>
        {props.canPlayOn && (
          <a
            class="button"
            href={startLink({ game: position.game, options: position.options, fen: props.fen })}
          >
            {t("Play from here")}
          </a>
        )}
        {keys.length > 1 && (
          <button type="button" onClick={() => setAsks("links")}>
            {t("Links")}
          </button>
        )}
      </div>
      <div class="switches">
        <Switch isOn={showsThreats} onChange={(isOn) => change({ showsThreats: isOn })}>
          {t("Mark pieces that can be taken")}
        </Switch>
        {isPlayer && hides !== "nothing" && (
          <Switch isOn={asksFirst} onChange={(isOn) => change({ asksFirst: isOn })}>
            {t("Show odds before a move")}
          </Switch>
        )}
        <NotationSwitch plies={[...position.legal, ...position.history]} />
        <Switch isOn={sounds} onChange={(isOn) => change({ sounds: isOn })}>
          {t("Sounds")}
        </Switch>
      </div>
      {asks === "resign" && (
        <Dialog title={t("Resign this game?")} onClose={() => setAsks(null)}>
          <p>
            {position.agents.length === 2
              ? counted(
                  position.ply,
                  "The game ends after {count} ply, and the other side wins.",
                  "The game ends after {count} plies, and the other side wins.",
                )
              : counted(
                  position.ply,
                  "The game ends after {count} ply, without a winner.",
                  "The game ends after {count} plies, without a winner.",
                )}{" "}
            {t("It cannot be added to a dataset, which has games that the rules have ended.")}{" "}
            {t("You can still download it.")}
          </p>
          <form method="dialog" class="buttons">
            <button class="danger" onClick={() => void game.act("resign")}>
              {t("Resign")}
            </button>
            <button autofocus>{t("Play on")}</button>
          </form>
        </Dialog>
      )}
      {asks === "draw" && (
        <Dialog title={t("End this game as a draw?")} onClose={() => setAsks(null)}>
          <p>{t("All who play at this screen have to agree.")}</p>
          <form method="dialog" class="buttons">
            <button class="danger" onClick={() => void game.act("draw")}>
              {t("Agree on a draw")}
            </button>
            <button autofocus>{t("Play on")}</button>
          </form>
        </Dialog>
      )}
      {asks === "links" && (
        <Dialog title={t("Links to this game")} onClose={() => setAsks(null)}>
          <LinkList keys={keys} scene={position} />
          <form method="dialog" class="buttons">
            <button autofocus>{t("Close")}</button>
          </form>
        </Dialog>
      )}
    </section>
  );
}
