/** The JSON that the server and the page exchange. Squares are names such as "e4". */

export type Viewer = number | "public" | "all";

/** A text in both languages. */
export interface Words {
  en: string;
  zh: string;
}

/** A text with places for other texts; in English as the server says it. */
export interface Phrase {
  /** With places such as "{who}". */
  text: string;
  values: Record<string, Phrase>;
}

export interface Army {
  name: string;
  letter: string;
  /** Colour of the character and the rim, in CSS. */
  ink: string;
  /** Colour of the disc, in CSS. */
  wood: string;
  /** The characters of its pieces by letter; of an army that nobody plays, none. */
  characters: Record<string, string>;
  /** The names of its pieces by letter; a game may have none. */
  names: Record<string, Words>;
}

export interface Disc {
  army: number | null;
  letter: string | null;
  character: string | null;
  covered: boolean;
}

export interface Piece extends Disc {
  square: string;
}

export type BoardStyle = "squares" | "xiangqi" | "palaces" | "go";

export interface Picture {
  files: number;
  ranks: number;
  style: BoardStyle;
  is_rotated: boolean;
  armies: Army[];
  pieces: Piece[];
  captured: Disc[] | null;
  changed: string[];
  checked: string[];
  /** The army to move, in a game where a seat may have several; null once it is over. */
  army_to_move: number | null;
}

/** A picture, and the seat that plays each army; null if nobody does, or nobody knows yet. */
export interface Scene {
  picture: Picture;
  owners: (number | null)[];
}

export interface Action {
  action: number;
  name: string;
  /** The name in Chinese notation, where the game has one. */
  chinese: string | null;
  /** Equal to `to` for a flip; both are null for a pass. */
  from: string | null;
  to: string | null;
}

export interface Advice extends Action {
  /** For the mover, from -1 (lost) to 1 (won). */
  value: number | null;
}

/** What a ply uncovered and took, in the letters of the notation. */
export interface Event {
  revealed: string | null;
  captured: string | null;
  captured_covered: boolean;
}

export interface Odds extends Event {
  probability: number;
}

/** A ply as a viewer saw it. */
export interface PlayedPly extends Event, Action {
  ply: number;
  seat: number;
  is_check: boolean;
}

export interface Outcome {
  reason: string;
  rewards: number[];
  winners: number[];
  is_truncated: boolean;
  /** Whether the players have made the end, and not the rules. */
  is_settled: boolean;
  /** "Red won: checkmate". */
  result: Phrase;
  /** What has happened, in a sentence. */
  meaning: Words;
}

/** The time that people have. */
export interface Limits {
  minutes: number;
  /** Seconds that a ply adds. */
  increment: number;
}

export interface Clock {
  limits: Limits;
  /** Milliseconds of each seat; null for an agent. */
  left: (number | null)[];
  /** The seat whose clock runs. */
  running: number | null;
  /** When the page was told so, in milliseconds since 1970; it notes that itself. */
  since: number;
}

/** The offers of a draw. */
export interface Draw {
  offered_by: number[];
  /** Whether an offer of one's own seats was declined in this position. */
  is_declined: boolean;
  can_offer: boolean;
  can_answer: boolean;
}

/** The wish for another game. */
export interface Rematch {
  wanted_by: number[];
  /** The key of the other game for the same player, once it has begun. */
  key: string | null;
}

export interface Counter {
  name: string;
  count: number;
  limit: number;
}

export type OptionValue = string | number | boolean;
export type OptionValues = Record<string, OptionValue>;

export interface Position extends Scene {
  game: string;
  options: OptionValues;
  seats: number[];
  agents: (string | null)[];
  adviser: string;
  /** Whether all people play at one screen. */
  shared: boolean;
  /** The FEN that the game began with, once it is over. */
  started_from: string | null;
  viewer: Viewer;
  turn: number;
  ply: number;
  mover: number;
  is_over: boolean;
  is_check: boolean;
  thinking: boolean;
  failure: string | null;
  /** The seats whose armies have fallen while others play on. */
  out: number[];
  /** Squares of pieces that could be taken next. */
  threatened: string[];
  legal: Action[];
  /** In answers, the plies that are new, or look otherwise, since the version that was asked about. */
  history: PlayedPly[];
  counters: Counter[];
  occurrences: number;
  outcome: Outcome | null;
  fen: string;
  seed: string | null;
  can_take_back: boolean;
  can_resign: boolean;
  draw: Draw;
  clock: Clock | null;
  /** Null while the game goes on, and where all people are at one screen. */
  rematch: Rematch | null;
  saved: { dataset: string; path: string; game_id: number } | null;
  can_save: boolean;
}

/** A position of the past, as the holder of a key may know it. */
export interface Look extends Scene {
  ply: number;
  viewer: Viewer;
  mover: number;
  threatened: string[];
  fen: string;
}

export interface OptionSpec {
  name: string;
  about: string;
  default: OptionValue | null;
  type?: "int" | "bool" | "str";
  /** Such as "0 to 65535". */
  range?: string;
  choices?: OptionValue[] | null;
}

export interface GameSpec {
  name: string;
  about?: string;
  /** The armies of each seat at the deal, under the usual options; empty where play decides. */
  sides: string[];
  /** The least and the greatest number of seats. */
  players: [number, number];
  /** Whether there is a lesson of the game. */
  has_lesson: boolean;
  /** What a covered piece hides. Seats know different things only where it is the kind alone. */
  hides: "nothing" | "kind" | "kind and army";
  options: OptionSpec[];
  /** Options that make another game of the same kind. */
  design: OptionSpec[];
  /** Such games that come with the program. */
  variants: Variant[];
  /** From the weakest on, each played by the agent `level:NAME`. */
  levels: Level[];
}

export interface Variant {
  name: string;
  about: string;
  options: OptionValues;
}

export interface Level {
  name: string;
  /** The agent that stands for it in this game. */
  agent: string;
  /** The advantage over the level before; null of the first, and where nothing was measured. */
  elo: number | null;
}

export interface AgentSpec {
  name: string;
  about: string;
  options: OptionSpec[];
}

export interface Catalogue {
  version: string;
  /** The opponent and the giver of hints, unless others are chosen. */
  default_agent: string;
  adviser: string;
  games: GameSpec[];
  agents: AgentSpec[];
  /** Agents with files or programs that the server was started with. */
  extra_agents: string[];
  folders: string[];
  /** What the server can make of a game that is over. */
  files: string[];
  /** Whether games outlive the server. */
  keeps_games: boolean;
  can_save: boolean;
}

/** The seats of a game with some options. */
export interface Seating {
  num_players: number;
  /** The team of each seat. */
  teams: number[];
  /** The agents that play it, by name. */
  agents: string[];
}

export interface NewGame {
  game: string;
  options: OptionValues;
  seed: string | null;
  fen: string | null;
  /** Null for a person. */
  seats: (string | null)[];
  shared: boolean;
  adviser: string;
  clock: Limits | null;
}

/** What the positions of a game are made of. */
export interface Setup extends Scene {
  /** The game's beginning. */
  fen: string;
  pieces: { name: string; army: number; letter: string; character: string }[];
  /** Covered pieces that are dealt afresh. */
  unknown: { name: string; army: number | null }[];
  movers: Mover[];
}

/** Who may be to move. */
export interface Mover {
  /** The fields of the FEN that say it, beginning with the second. */
  name: string;
  seat: number;
  /** The army that moves, where play decides which one a seat has. Null as long as it is open. */
  army: number | null;
}

/** A position that a game can begin with. */
export interface PlacedBoard extends Scene {
  mover: number;
}

/** A move that another one was better than, for the seat that played it. */
export interface Mistake {
  ply: number;
  seat: number;
  played: Action;
  better: Action;
  value: number;
  better_value: number;
}

/** How far the review of a game is, and what it says once it is done. */
export interface ReviewState {
  /** The search that makes it. */
  by: string;
  done: number;
  plies: number;
  review: { values: (number[] | null)[]; mistakes: Mistake[] } | null;
}

export interface Key {
  key: string;
  seats: number[];
}

export interface Dataset {
  id: string;
  path: string;
  game: string;
  options: OptionValues;
  agents: string[];
  games: number;
  plies: number;
  wanted: number | null;
  /** The games that have ended and are in no finished file yet. */
  unfinished: number;
  /** The part of the games that has ended, while the run is not complete. */
  progress: number | null;
  /** Whether a process goes on with it. */
  is_running: boolean;
  /** The command that goes on with a run that has stopped. */
  resume: string | null;
  /** The folder of several datasets that it belongs to, and whether there is a page about them. */
  study: {
    id: string;
    path: string;
    has_report: boolean;
    /** Whether it was begun in the page. */
    is_asked: boolean;
  } | null;
  made_by: string;
  error: string | null;
}

export interface Generation {
  number: number;
  /** The mean squared error of the net on positions that it was not fitted to. */
  error: number | null;
  elo: number | null;
  is_accepted: boolean | null;
}

export interface Training {
  id: string;
  path: string;
  game: string;
  /** The generations that the training is to have. */
  wanted: number;
  generations: Generation[];
}

export interface Folders {
  total: number;
  matching: number;
  offset: number;
  datasets: Dataset[];
  /** The games that there are datasets of. */
  games: string[];
  trainings: Training[];
}

export interface GameRow {
  game_id: number;
  agents: string[];
  plies: number;
  /** -1 for a draw. */
  winner: number;
  rewards: number[];
  reason: string;
  is_truncated: boolean;
  first_reveal: { square: string; kind: string; color: string; player: number } | null;
}

export interface Facets {
  reasons: Record<string, number>;
  winners: Record<string, number>;
  first_kinds: Record<string, number>;
  first_squares: Record<string, number>;
  agents: string[];
  min_plies: number;
  max_plies: number;
}

export interface Games {
  total: number;
  matching: number;
  offset: number;
  games: GameRow[];
  facets: Facets;
  /** Those of the first pieces; none of games that this program does not know. */
  armies: Army[];
}

export interface LoggedPly extends PlayedPly {
  /** For each seat; null where the agent gave none. */
  value: (number | null)[] | null;
  policy: (Action & { probability: number })[] | null;
}

export interface Replay {
  dataset: string;
  game: string;
  options: OptionValues;
  game_id: number;
  /** How many games the dataset has, numbered from 0. */
  games: number;
  agents: string[];
  seed: string | null;
  rewards: number[];
  reason: string;
  result: Phrase;
  num_players: number;
  plies: LoggedPly[];
  differences: string[];
}

export interface LoggedPosition {
  ply: number;
  owners: (number | null)[];
  fen: string;
  /** By viewer: a seat's number, "public" or "all". */
  pictures: Record<string, Picture>;
}

/** A position with the targets of the piece on a square; where it goes to one of them, the position after. */
export interface Example {
  picture: Picture;
  square: string;
  targets: string[];
  to: string | null;
  after: Picture | null;
}

export interface PieceLesson {
  letter: string;
  /** The characters on the pieces of this kind, one for each look. */
  characters: string;
  name: Words | null;
  moves: Words;
  /** The letter of the kind that it becomes when it moves. */
  becomes: string | null;
  example: Example | null;
}

export interface Topic {
  title: Words;
  text: Words;
  example: Example | null;
}

/** Who takes whom: from a neighbouring square, over a piece, or not at all. */
export interface Captures {
  letters: string[];
  rows: ("beside" | "over" | null)[][];
}

/** How a game is played with some options. */
export interface Lesson {
  game: string;
  options: OptionValues;
  goal: Words;
  turn: Words[];
  first: Example | null;
  pieces: PieceLesson[];
  covered: Words | null;
  /** By squares, the letters of the kinds as which covered pieces move from there. */
  moves_as: Record<string, string>;
  captures: Captures | null;
  topics: Topic[];
  ends: Words[];
  /** Of RULES.md. */
  section: number;
}

/** A figure with its 95 % interval; null where it is not finite. */
export interface Estimate {
  value: number | null;
  low: number | null;
  high: number | null;
}

/** What a study asks. */
export interface StudyQuestion {
  game: string;
  options: OptionValues;
  /** The options that are compared; "rules" compares whole rules by name. */
  compare: { option: string; values: string[] }[];
  own_rules: Record<string, { about: string; options: OptionValues }>;
  players: string[];
  /** The half-width, or else the minutes. */
  until: number | null;
  minutes: number | null;
  /** How far from even is called fair. */
  margin: number;
  seed?: number;
}

export interface Study {
  id: string;
  path: string;
  standing: "running" | "stopping" | "stopped" | "finished" | "failed";
  question: StudyQuestion;
  progress: {
    /** The agent that plays. */
    agent: string;
    share: number;
    /** Games and seconds since the study was begun or went on. */
    games: number;
    seconds: number;
    half_width: number | null;
  } | null;
  error: string | null;
  findings: Findings | null;
  has_report: boolean;
}

export interface Findings {
  agents: FindingsBy[];
  /** By set, whether the agents agree on it. */
  agreement: [string, Phrase][];
  worth: WorthOf[];
  commands: string[];
}

/** The worth of the pieces under a set of rules, or why the games do not tell it. */
export interface WorthOf {
  label: string;
  worth: {
    names: Record<string, Words>;
    /** The kinds whose mean value is the unit. */
    unit: string[];
    values: [string, Estimate][];
    /** The worth of the second army less that of the first, and their names; null where they are equal. */
    balance: [Estimate, [string, string]] | null;
  } | null;
  why: string | null;
}

/** What the games of one agent have shown. */
export interface FindingsBy {
  agent: string;
  /** Games of each set. */
  games: number;
  /** The time that a game of each set takes together. */
  seconds: number | null;
  sets: SetFindings[];
  fairest: string | null;
  differences: {
    quantity: Quantity;
    first: string;
    second: string;
    difference: Estimate;
    is_significant: boolean;
  }[];
}

export type Quantity = "score" | "decisive" | "plies" | "branching" | "lead_changes";

export interface SetFindings {
  label: string;
  /** Its dataset, below the folder of the study. */
  dataset: string;
  score: Estimate;
  /** The score of a fair game; null where teams share victories. */
  even: number | null;
  finding: "fair" | "not_fair" | "not_decided" | null;
  sentence: Phrase | null;
  warning: Phrase | null;
  more_games: number | null;
  means: Record<Quantity, Estimate | null>;
  endings: Record<string, number>;
  doubts: string[];
}
