import { useState } from "preact/hooks";
import type { OptionValues } from "../api/types";
import { plain } from "../names";
import { Dialog } from "../ui/controls";
import { Loading, Notice } from "../ui/notices";
import { t } from "../words";
import { LessonText } from "./lesson";
import { useLesson } from "./use_lesson";

interface Props {
  game: string;
  options: OptionValues;
}

/** The rules of a game under way, in front of it. */
export function RulesButton({ game, options }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        {t("Rules")}
      </button>
      {isOpen && <RulesDialog game={game} options={options} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function RulesDialog({ game, options, onClose }: Props & { onClose: () => void }) {
  const { value, error } = useLesson(game, options);
  return (
    <Dialog title={t("How to play {game}", { game: plain(game) })} onClose={onClose}>
      <form method="dialog" class="close">
        <button autofocus>{t("Back to the game")}</button>
      </form>
      {error && <Notice kind="error">{error}</Notice>}
      {!value && !error && <Loading what={t("the rules")} />}
      {value && <LessonText lesson={value} />}
    </Dialog>
  );
}
