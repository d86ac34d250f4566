import { useEffect, useState } from "preact/hooks";
import { message, post } from "../api/client";
import type { OptionValues, PlacedBoard } from "../api/types";
import { Board } from "../board/board";
import { startLink } from "../play/starting";
import { t } from "../words";

/** Milliseconds that a text rests before the server is asked. */
const REST = 250;

export interface Checked {
  board: PlacedBoard | null;
  /** Why no game can begin there. */
  error: string | null;
}

/** A position as the server reads it; nothing for an empty one. */
export function useChecked(game: string, options: OptionValues, fen: string): Checked {
  const [checked, setChecked] = useState<Checked>({ board: null, error: null });
  useEffect(() => {
    if (!fen) return setChecked({ board: null, error: null });
    let isCurrent = true;
    const ask = () =>
      post<PlacedBoard>("api/board", { game, options, fen }).then(
        (board) => isCurrent && setChecked({ board, error: null }),
        (error: unknown) => isCurrent && setChecked({ board: null, error: message(error) }),
      );
    const timer = setTimeout(() => void ask(), REST);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [game, JSON.stringify(options), fen]);
  return checked;
}

interface Props {
  game: string;
  options: OptionValues;
  /** Whether pieces may be unknown. */
  isDealt: boolean;
  value: string;
  onChange: (fen: string) => void;
}

/** The position to begin with: its FEN, what it looks like, and the way to the editor. */
export function PositionField({ game, options, isDealt, value, onChange }: Props) {
  const fen = value.trim();
  const { board, error } = useChecked(game, options, fen);
  return (
    <div class="position-field">
      <label class="field">
        <span>FEN</span>
        <input
          value={value}
          placeholder={t("the game's start")}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
        <small>
          {isDealt
            ? t("The position to begin with. Pieces that it leaves unknown are dealt afresh.")
            : t("The position to begin with.")}
        </small>
      </label>
      {error && <p class="wrong">{error}</p>}
      {board && (
        <Board picture={board.picture} label={t("The position")} last={null} motion={null} />
      )}
      <p class="buttons">
        <a class="button" href={startLink({ game, options, fen }, "edit")}>
          {fen ? t("Edit the position") : t("Set up a position")}
        </a>
        {fen && (
          <button type="button" onClick={() => onChange("")}>
            {t("Begin at the start instead")}
          </button>
        )}
      </p>
    </div>
  );
}
