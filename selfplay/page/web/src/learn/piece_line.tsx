import type { Disc, Lesson, Picture, PieceLesson } from "../api/types";
import { Chip } from "../board/disc";
import { capital, letterOf, pieceName } from "../names";
import { useSettings } from "../settings";
import { t, told } from "../words";

/** The other side of a piece that turns into another kind when it moves. */
function otherSide(disc: Disc, { becomes }: PieceLesson, lesson: Lesson): Disc | null {
  const other = lesson.pieces.find(({ letter }) => letter === becomes);
  if (!other || becomes === null) return null;
  const [first, second] = [...other.characters];
  return { ...disc, letter: becomes, character: (disc.army === 1 ? second : first) ?? null };
}

interface Props {
  picture: Picture;
  lesson: Lesson | null;
  /** The first of them that has a piece is meant. */
  squares: (string | null)[];
}

/** What stands on a square, and how it moves. */
export function PieceLine({ picture, lesson, squares }: Props) {
  const { signs } = useSettings();
  const pieceOn = (square: string | null) =>
    picture.pieces.find((piece) => piece.square === square);
  const disc = squares.map(pieceOn).find((piece) => piece !== undefined);
  if (!disc) {
    return (
      <p class="piece-line quiet">
        {lesson
          ? t("Point at a piece, tap it or move the focus to it: this line says what it is.")
          : ""}
      </p>
    );
  }
  const { armies } = picture;
  const name = capital(pieceName(disc, armies));
  const of = (letter: string | null | undefined) =>
    lesson?.pieces.find((piece) => piece.letter === letter);
  const disguise = disc.covered ? of(lesson?.moves_as[disc.square]) : undefined;
  const piece = disc.covered ? undefined : of(disc.letter);
  const other = piece && lesson ? otherSide(disc, piece, lesson) : null;
  const letter = disc.covered ? null : letterOf(disc, armies);
  return (
    <p class="piece-line">
      <Chip disc={disc} armies={armies} signs={signs} />
      <strong>{name}</strong>{" "}
      {letter !== null && (
        <span class="quiet">
          {disc.character && <span lang="zh-Hant">{disc.character}</span>} {letter}
        </span>
      )}{" "}
      {other && (
        <span class="becomes">
          <span aria-hidden="true">⇄ </span>
          <Chip disc={other} armies={armies} signs={signs} />
          <span class="heard">{t("turns into:")} </span>
          <strong>{pieceName({ ...other, army: null }, armies)}</strong>
        </span>
      )}{" "}
      <span aria-hidden="true">·</span> {piece && told(piece.moves)}
      {disguise?.name &&
        t("It moves like this piece now: {piece}.", { piece: told(disguise.name) })}{" "}
      {disc.covered && lesson?.covered && told(lesson.covered)}
    </p>
  );
}

interface LegendProps {
  picture: Picture;
  lesson: Lesson | null;
  /** The army whose pieces are shown. */
  army: number;
}

/** All pieces of a game that turn into others, side by side. */
export function Legend({ picture, lesson, army }: LegendProps) {
  const { signs } = useSettings();
  if (!lesson?.pieces.some(({ becomes }) => becomes !== null)) return null;
  const { armies } = picture;
  const discOf = ({ letter, characters }: PieceLesson): Disc => ({
    army,
    letter,
    character: characters.charAt(army),
    covered: false,
  });
  const firsts = lesson.pieces.filter(({ becomes }, index) => {
    return lesson.pieces.findIndex(({ letter }) => letter === becomes) > index;
  });
  return (
    <details class="legend" open>
      <summary>{t("Two sides of each piece")}</summary>
      <ul>
        {firsts.map((piece) => {
          const other = lesson.pieces.find(({ letter }) => letter === piece.becomes)!;
          return (
            <li key={piece.letter} class="pair">
              {[piece, other].map((side, index) => (
                <span key={side.letter}>
                  {index > 0 && "⇄ "}
                  <Chip disc={discOf(side)} armies={armies} signs={signs} />{" "}
                  {side.name ? told(side.name) : side.letter}{" "}
                </span>
              ))}
            </li>
          );
        })}
      </ul>
    </details>
  );
}
