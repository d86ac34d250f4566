import { useEffect, useRef, useState } from "preact/hooks";
import { change, PACES, useSettings } from "../settings";
import { t } from "../words";

interface Props {
  ply: number;
  end: number;
  /** Whether the game goes on, so that plies come that are shown in their turn. */
  isLive?: boolean;
  /** Whether the pace is offered. That of a game in which one plays is the server's. */
  hasPace?: boolean;
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

/** Milliseconds between plies while the game plays by itself. The server's agents take as long. */
const PACE = 600;

/** Steps through a game: buttons, a slider, and keys. */
export function Transport({ ply, end, isLive = false, hasPace = true, onGo }: Props) {
  const { pace } = useSettings();
  const [isPlaying, setIsPlaying] = useState(isLive);
  // Keys may be pressed faster than the page is drawn.
  const aim = useRef(ply);
  useEffect(() => {
    aim.current = ply;
  }, [ply]);
  // Plies that come meanwhile do not put off the next one.
  const isAtEnd = ply >= end;
  useEffect(() => {
    if (!isPlaying) return;
    if (isAtEnd) return setIsPlaying(isLive);
    const timer = setTimeout(() => onGo(ply + 1), PACE / pace);
    return () => clearTimeout(timer);
  }, [isPlaying, isLive, ply, isAtEnd, pace]);
  const step = (to: number) => {
    aim.current = to;
    // At the end of a game that goes on, it is followed again.
    setIsPlaying(isLive && to === end);
    onGo(to);
  };
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
      step(target);
    };
    addEventListener("keydown", follow);
    return () => removeEventListener("keydown", follow);
  }, [end, isLive]);
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
        disabled={isAtEnd && !isPlaying && !isLive}
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
      {hasPace && (
        <button
          type="button"
          class="plain pace"
          aria-label={t("Pace: {pace}. Change it", { pace: `${pace}×` })}
          title={t("Pace")}
          onClick={() => change({ pace: PACES[(PACES.indexOf(pace) + 1) % PACES.length]! })}
        >
          {pace}×
        </button>
      )}
    </div>
  );
}
