import { useEffect, useState } from "preact/hooks";
import { message, post } from "../api/client";
import type { OptionValues, PlacedBoard } from "../api/types";
import { Board } from "../board/board";
import { startLink } from "../play/starting";
import { TextField } from "../ui/fields";
import { t } from "../words";

/** Milliseconds that a text rests before the server is asked. */
const REST = 250;

export interface Checked {
  board: PlacedBoard | null;
  /** Why no game can begin there. */
  error: string | null;
  /** Whether the server has read this position; if not, what is known is of one before. */
  isKnown: boolean;
}

const NOTHING: { board: PlacedBoard | null; error: string | null } = { board: null, error: null };

/** A position as the server reads it; nothing for an empty one. */
export function useChecked(game: string, options: OptionValues, fen: string): Checked {
  const asked = JSON.stringify([game, options, fen]);
  const [checked, setChecked] = useState({ ...NOTHING, asked: "" });
  useEffect(() => {
    if (!fen) return;
    let isCurrent = true;
    const ask = () =>
      post<PlacedBoard>("api/board", { game, options, fen }).then(
        (board) => isCurrent && setChecked({ board, error: null, asked }),
        (error: unknown) => isCurrent && setChecked({ board: null, error: message(error), asked }),
      );
    const timer = setTimeout(() => void ask(), REST);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [asked]);
  if (!fen) return { ...NOTHING, isKnown: true };
  const { board, error } = checked;
  return { board, error, isKnown: checked.asked === asked };
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
      <TextField
        label="FEN"
        value={value}
        none={t("the game's start")}
        note={
          isDealt
            ? t("The position to begin with. Pieces that it leaves unknown are dealt afresh.")
            : t("The position to begin with.")
        }
        onChange={onChange}
      />
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
