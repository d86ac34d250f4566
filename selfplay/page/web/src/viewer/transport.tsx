import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../words";

interface Props {
  ply: number;
  end: number;
  onGo: (ply: number) => void;
}

/** Icons as paths in a square of 24. */
const ICONS = {
  first: "M5 5h3v14H5zM20 5v14L9 12z",
  back: "M18 5v14L7 12z",
  forward: "M6 5v14l11-7z",
  last: "M16 5h3v14h-3zM4 5v14l11-7z",
  play: "M7 4v16l14-8z",
  pause: "M6 5h4v14H6zM14 5h4v14h-4z",
} as const;

function Icon({ name }: { name: keyof typeof ICONS }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}

/** Milliseconds between plies while the game plays by itself. */
const PACE = 700;

/** Steps through a game: buttons, a slider, and keys. */
export function Transport({ ply, end, onGo }: Props) {
  const [isPlaying, setIsPlaying] = useState(false);
  // Keys may be pressed faster than the page is drawn.
  const aim = useRef(ply);
  useEffect(() => {
    aim.current = ply;
  }, [ply]);
  useEffect(() => {
    if (!isPlaying) return;
    if (ply >= end) return setIsPlaying(false);
    const timer = setTimeout(() => onGo(ply + 1), PACE);
    return () => clearTimeout(timer);
  }, [isPlaying, ply]);
  useEffect(() => {
    const follow = (event: KeyboardEvent) => {
      const isTyping = (event.target as Element).closest(
        "input, select, textarea, dialog, [role=grid]",
      );
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      const targets: Record<string, number> = {
        ArrowLeft: Math.max(0, aim.current - 1),
        ArrowRight: Math.min(end, aim.current + 1),
        Home: 0,
        End: end,
      };
      const target = targets[event.key];
      if (target === undefined) return;
      event.preventDefault();
      setIsPlaying(false);
      aim.current = target;
      onGo(target);
    };
    addEventListener("keydown", follow);
    return () => removeEventListener("keydown", follow);
  }, [end]);
  const step = (to: number) => {
    setIsPlaying(false);
    onGo(to);
  };
  const button = (icon: keyof typeof ICONS, label: string, to: number, isOff: boolean) => (
    <button
      type="button"
      aria-label={label}
      title={label}
      disabled={isOff}
      onClick={() => step(to)}
    >
      <Icon name={icon} />
    </button>
  );
  return (
    <div class="transport" role="group" aria-label={t("Steps through the game")}>
      {button("first", t("First position"), 0, ply === 0)}
      {button("back", t("Back by a ply"), ply - 1, ply === 0)}
      <button
        type="button"
        aria-label={isPlaying ? t("Pause") : t("Play by itself")}
        title={isPlaying ? t("Pause") : t("Play by itself")}
        disabled={ply >= end && !isPlaying}
        onClick={() => setIsPlaying(!isPlaying)}
      >
        <Icon name={isPlaying ? "pause" : "play"} />
      </button>
      {button("forward", t("Forward by a ply"), ply + 1, ply === end)}
      {button("last", t("Last position"), end, ply === end)}
      <input
        type="range"
        min="0"
        max={end}
        value={ply}
        aria-label={t("Ply")}
        onInput={(event) => step(Number(event.currentTarget.value))}
      />
      <output>
        {ply} / {end}
      </output>
    </div>
  );
}
