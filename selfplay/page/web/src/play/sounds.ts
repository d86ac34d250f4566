/** Short sounds of plies, made by the browser: no file is asked for. */

export type Sound = "move" | "capture" | "flip" | "check" | "end";

/** A click: filtered noise of a pitch in hertz, after a delay in seconds. */
interface Click {
  at: number;
  pitch: number;
  length: number;
  volume: number;
}

const WOOD: Click = { at: 0, pitch: 900, length: 0.07, volume: 0.9 };

/** Wood on wood for plies, and two notes more where something is at stake. */
const CLICKS: Record<Sound, Click[]> = {
  move: [WOOD],
  capture: [
    { ...WOOD, pitch: 520, volume: 1.2 },
    { ...WOOD, at: 0.05, pitch: 1300, volume: 0.6 },
  ],
  flip: [
    { ...WOOD, pitch: 1800, length: 0.04, volume: 0.6 },
    { ...WOOD, at: 0.07 },
  ],
  check: [WOOD, { at: 0.09, pitch: 1500, length: 0.18, volume: 0.9 }],
  end: [
    WOOD,
    ...[660, 880].map((pitch, index) => ({
      at: 0.12 + index * 0.14,
      pitch,
      length: 0.3,
      volume: 1,
    })),
  ],
};

let context: AudioContext | null = null;

/** Readies the sound. Browsers allow it from a click or a key on only. */
function ready(): AudioContext | null {
  if (typeof AudioContext === "undefined") return null;
  context ??= new AudioContext();
  if (context.state === "suspended") void context.resume();
  return context;
}

/** Keeps the sound ready while it is on; gives what ends that. */
export function listen(): () => void {
  const wake = () => void ready();
  const events = ["pointerdown", "keydown"] as const;
  for (const event of events) addEventListener(event, wake);
  if (navigator.userActivation?.hasBeenActive) wake();
  return () => {
    for (const event of events) removeEventListener(event, wake);
  };
}

/** Plays a sound, if the person has touched the page before. */
export function sound(what: Sound): void {
  if (context?.state !== "running") return;
  for (const click of CLICKS[what]) strike(context, click);
}

function strike(audio: AudioContext, { at, pitch, length, volume }: Click): void {
  const start = audio.currentTime + at;
  const noise = audio.createBufferSource();
  noise.buffer = hiss(audio);
  const body = audio.createBiquadFilter();
  body.type = "bandpass";
  body.frequency.value = pitch;
  body.Q.value = 9;
  const gain = audio.createGain();
  gain.gain.setValueAtTime(volume, start);
  gain.gain.exponentialRampToValueAtTime(0.001, start + length);
  noise.connect(body).connect(gain).connect(audio.destination);
  noise.start(start, 0, length);
}

let buffer: AudioBuffer | null = null;

/** Half a second of white noise. */
function hiss(audio: AudioContext): AudioBuffer {
  if (buffer) return buffer;
  buffer = audio.createBuffer(1, audio.sampleRate / 2, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let index = 0; index < samples.length; index += 1) samples[index] = Math.random() * 2 - 1;
  return buffer;
}
