import type { Captures, Lesson, PieceLesson, Topic } from "../api/types";
import { plain } from "../names";
import { t, told } from "../words";
import { BeforeAndAfter, Moves } from "./example";

/** How a game is played: what to play for, a turn, the pieces, what else to know, how it ends. */
export function LessonText({ lesson }: { lesson: Lesson }) {
  const { goal, turn, first, pieces, captures, topics, ends, section } = lesson;
  return (
    <article class="lesson">
      <p class="goal">
        <strong>{t("Goal")}</strong> {told(goal)}
      </p>
      <section>
        <h2>{t("A turn")}</h2>
        <ol class="steps">
          {turn.map((words, index) => (
            <li key={index}>{told(words)}</li>
          ))}
        </ol>
        {first && <BeforeAndAfter example={first} />}
      </section>
      <section>
        <h2>{t("The pieces")}</h2>
        <p class="quiet">
          {t("A ring marks the piece, dots where it may go, dashed rings what it may take.")}
        </p>
        <ul class="piece-lessons">
          {groups(pieces).map((group) => (
            <Group key={group[0]!.letter} group={group} />
          ))}
        </ul>
      </section>
      {captures && <WhoTakesWhom captures={captures} pieces={pieces} />}
      <section class="topics">
        {topics.map((topic, index) => (
          <TopicText key={index} topic={topic} />
        ))}
      </section>
      <section>
        <h2>{t("How it ends")}</h2>
        <ul class="ends">
          {ends.map((words, index) => (
            <li key={index}>{told(words)}</li>
          ))}
        </ul>
      </section>
      <p class="quiet">
        {t("Every detail is in section {section} of docs/RULES.md.", { section })}
      </p>
    </article>
  );
}

/** The pieces, those together that turn into one another, and all together if all move alike. */
function groups(pieces: PieceLesson[]): PieceLesson[][] {
  if (moveAlike(pieces)) return [pieces];
  const isSecond = (piece: PieceLesson) => {
    const other = pieces.findIndex(({ letter }) => letter === piece.becomes);
    return other >= 0 && other < pieces.indexOf(piece);
  };
  return pieces
    .filter((piece) => !isSecond(piece))
    .map((piece) => [piece, ...pieces.filter(({ letter }) => letter === piece.becomes)]);
}

function moveAlike(pieces: PieceLesson[]): boolean {
  return pieces.length > 2 && pieces.every(({ moves }) => moves.en === pieces[0]!.moves.en);
}

/** Pieces that all move alike: one text and one board. */
function Alike({ pieces }: { pieces: PieceLesson[] }) {
  const { moves, example, name, letter } = pieces.at(-1)!;
  return (
    <li class="piece-lesson">
      <div>
        <h3>{pieces.map((piece) => (piece.name ? told(piece.name) : piece.letter)).join(", ")}</h3>
        <p>
          {t("All pieces move alike.")} {told(moves)}
        </p>
      </div>
      {example && <Moves example={example} name={name ? told(name) : letter} />}
    </li>
  );
}

/** One piece, both sides of one, or all. */
function Group({ group }: { group: PieceLesson[] }) {
  if (group.length === 1) return <PieceText piece={group[0]!} />;
  if (moveAlike(group)) return <Alike pieces={group} />;
  return (
    <li class="sides">
      <p class="quiet">
        {t("Two sides of one piece: each move turns it from one into the other.")}
      </p>
      <ul>
        {group.map((piece) => (
          <PieceText key={piece.letter} piece={piece} />
        ))}
      </ul>
    </li>
  );
}

function PieceText({ piece }: { piece: PieceLesson }) {
  const { letter, characters, name, moves, example } = piece;
  const called = name ? told(name) : letter;
  return (
    <li class="piece-lesson">
      <div>
        <h3>
          {called} <span lang="zh-Hant">{[...new Set(characters)].join(" ")}</span>{" "}
          <span class="letter">{letter}</span>
        </h3>
        <p>{told(moves)}</p>
      </div>
      {example && <Moves example={example} name={called} />}
    </li>
  );
}

function TopicText({ topic }: { topic: Topic }) {
  const { title, text, example } = topic;
  return (
    <section class={example ? "topic with-board" : "topic"}>
      <div>
        <h2>{told(title)}</h2>
        <p>{told(text)}</p>
      </div>
      {example &&
        (example.after ? (
          <BeforeAndAfter example={example} />
        ) : (
          <Moves example={example} name={told(title)} />
        ))}
    </section>
  );
}

/** A table of captors and victims. */
function WhoTakesWhom({ captures, pieces }: { captures: Captures; pieces: PieceLesson[] }) {
  const { letters, rows } = captures;
  const hasOver = rows.some((row) => row.includes("over"));
  const name = (letter: string) => {
    const piece = pieces.find((piece) => piece.letter === letter);
    return piece?.name ? told(piece.name) : plain(letter);
  };
  const character = (letter: string) =>
    pieces.find((piece) => piece.letter === letter)?.characters.charAt(0) ?? letter;
  const meaning = {
    beside: { sign: "✓", text: t("takes it") },
    over: { sign: "⤼", text: t("takes it by jumping over a piece") },
    none: { sign: "–", text: t("does not take it") },
  };
  return (
    <section>
      <h2>{t("Who takes whom")}</h2>
      <p class="quiet">
        {t("Rows take columns.")} ✓ {meaning.beside.text}
        {hasOver && `, ⤼ ${meaning.over.text}`}, – {meaning.none.text}.
      </p>
      <div class="scrolls" tabIndex={0} role="region" aria-label={t("Who takes whom")}>
        <table class="captures">
          <thead>
            <tr>
              <td />
              {letters.map((letter) => (
                <th key={letter} scope="col">
                  <abbr title={name(letter)} lang="zh-Hant">
                    {character(letter)}
                  </abbr>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, captor) => (
              <tr key={letters[captor]}>
                <th scope="row">
                  {name(letters[captor]!)} <span lang="zh-Hant">{character(letters[captor]!)}</span>
                </th>
                {row.map((taking, victim) => {
                  const { sign, text } = meaning[taking ?? "none"];
                  return (
                    <td key={letters[victim]} class={taking ?? "none"}>
                      <span aria-hidden="true">{sign}</span>
                      <span class="heard">{text}</span>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
