//! How flipping xiangqi is played, and why a piece does not go where a person wants it to.

use super::board::{king, king_safety, reach};
use super::geometry::{LETTERS, MOVES, SIZE, flipped};
use super::{Flipping, State};
use crate::board::{Bitboard, Colour, Kind, Piece, Square};
use crate::game::{Example, Lesson, PieceLesson, Topic, Words, board_of, ends, objections};

/// The names of the forms by their letters.
pub(super) const NAMES: &[(char, Words)] = &[
    ('K', Words::new("General", "将")),
    ('F', Words::new("Advisor", "士")),
    ('E', Words::new("Elephant", "象")),
    ('H', Words::new("Horse", "马")),
    ('R', Words::new("Chariot", "车")),
    ('C', Words::new("Cannon", "炮")),
    ('S', Words::new("Soldier", "兵")),
];

/// The forms, both of a piece together, with how they move and pieces around the one on d4, or on d2 for
/// the king.
const FORMS: [(Kind, Words, &str, &str); 7] = [
    (
        Kind::General,
        Words::new(
            "One point straight. It stays in its palace, the nine points with the cross on the columns c to e. It has one form \
             only.",
            "直走一格，不能出九宫。只有一面。",
        ),
        "d2",
        "Kd2 kc7 sc5",
    ),
    (
        Kind::Soldier,
        Words::new(
            "One point forward or sideways, never back. Forward is towards the other side's back row; on that \
             row it goes sideways alone.",
            "向前或左右走一格，不能后退。前是指对方底线的方向，到了底线只能左右走。",
        ),
        "d4",
        "Sd4 Kc1 ke7 se4",
    ),
    (
        Kind::Horse,
        Words::new(
            "One point straight, then one diagonally, farther away from where it started. A piece on that first point blocks it.",
            "先直走一格，再向外斜走一格（日字）。直走的那一格有子（蹩马腿）就走不过去。",
        ),
        "d4",
        "Hd4 Kc1 ke7 sd5 sf3",
    ),
    (
        Kind::Advisor,
        Words::new("One point diagonally, anywhere on the board.", "斜走一格，可以走遍全盘。"),
        "d4",
        "Fd4 Kc1 ke7 se5",
    ),
    (
        Kind::Cannon,
        Words::new(
            "Moves any number of empty points in a straight line. To take, it jumps over exactly one piece of \
             either side and lands on the next one in the line, with any number of empty points before \
             and behind the piece between.",
            "直线走任意格，路上不能有子。吃子时必须正好跳过一个棋子（不论是哪一方的），吃它后面的那个，前后隔多少空格都行。",
        ),
        "d4",
        "Cd4 Kc1 ke7 se4 fg4",
    ),
    (
        Kind::Elephant,
        Words::new(
            "Exactly two points diagonally, anywhere on the board. A piece on the point between blocks it.",
            "斜走两格（田字），可以走遍全盘。中间有子就走不过去。",
        ),
        "d4",
        "Ed4 Kc1 ke7 se5 sb6",
    ),
    (
        Kind::Chariot,
        Words::new(
            "Any number of empty points in a straight line. It takes the first enemy piece that it meets.",
            "直线走任意格，路上不能有子，可以吃遇到的第一个对方棋子。",
        ),
        "d4",
        "Rd4 Kc1 ke7 sd6 Sf4",
    ),
];

fn square(name: &str) -> Square {
    SIZE.parse(name).expect("it is on the board")
}

fn example(pieces: &str, from: &str, to: Option<&str>) -> Option<Example> {
    let fen = format!("{} w 0 0", board_of(SIZE, pieces));
    Some(Example { fen, square: square(from), to: to.map(square) })
}

fn letter(kind: Kind) -> char {
    LETTERS[kind.index()]
}

fn pieces() -> Vec<PieceLesson> {
    let lesson = |(kind, moves, from, pieces): (Kind, Words, &str, &str)| PieceLesson {
        letter: letter(kind),
        characters: Colour::ALL.map(|colour| Piece { colour, kind }.character()).iter().collect(),
        moves,
        becomes: Some(flipped(kind)).filter(|&other| other != kind).map(letter),
        example: example(pieces, from, None),
    };
    FORMS.map(lesson).to_vec()
}

fn topics(rules: &Flipping) -> Vec<Topic> {
    let mut topics = vec![
        Topic {
            title: Words::new("Taking turns a piece over, too", "吃子也要翻面"),
            text: Words::new(
                "A piece takes with the form that shows, and then shows the other. A chariot that takes stands \
                 there as an elephant, and has to leave with an elephant's step. Think of both forms: the one \
                 that moves, and the one that will stand on the new point.",
                "棋子用朝上的一面吃子，吃完就翻到另一面。车吃子后就变成象，下一步只能走象步。\
                 所以两面都要考虑：现在用哪一面走，到了新位置又是哪一面。",
            ),
            example: example("Ra4 Kc1 kd7 ea6 Sd3", "a4", Some("a6")),
        },
        Topic {
            title: Words::new("Check", "将军"),
            text: Words::new(
                "A general that could be taken is in check, and its player has to end that at once. No move may \
                 leave your own general where it could be taken, and the two generals may not face each other on one \
                 column with nothing between them. All this is judged after the piece has turned over: here the \
                 soldier steps forward and gives check as a horse.",
                "将被攻击就是将军，必须马上应将。任何着法都不能让己方的将处于被吃的位置，\
                 两将也不能在同一条直线上直接照面。这些都按翻面以后的棋子判断：图中的兵前进一步，变成马就将军了。",
            ),
            example: example("Sc4 Kc1 kd7 sf4", "c4", Some("c5")),
        },
    ];
    if rules.repetition {
        topics.push(Topic::new(
            Words::new("Repetition", "重复局面"),
            Words::new(
                "When a position comes up for the third time, the player who has given check with every move \
                 since the second time loses. If both have, it is a draw. Other repetitions do not end the \
                 game. A position is the same if the same sides lie up on the same points and the same player \
                 is to move. A capture begins the count anew. At each later return it is judged again.",
                "同一局面第三次出现时，若一方从第二次以来步步将军（长将），长将的一方输；双方都长将则和棋。\
                 其他重复不影响棋局继续。各点上朝上的一面相同且轮到同一方走，才算同一局面。吃子后重新计算，以后每次重复再判。",
            ),
        ));
    }
    topics
}

/// The lesson of flipping xiangqi.
pub(super) fn lesson(rules: &Flipping) -> Lesson {
    let mut ends = vec![
        Words::new(
            "Checkmate: the general is in check and no move ends it. Its player loses.",
            "将死：被将军而无法解除，这一方输。",
        ),
        Words::new(
            "Stalemate: the player to move has no move, without being in check. That player loses, too.",
            "困毙：没有被将军，但无子可走，这一方也输。",
        ),
        Words::new("Draw: only the two generals are left.", "和棋：只剩双方的将。"),
    ];
    ends.extend(ends::quiet(rules.quiet_limit, "without anything taken", "没有吃子"));
    ends.push(ends::too_long(rules.max_plies));
    Lesson {
        goal: Words::new(
            "Checkmate the enemy general: attack it so that it cannot escape. A player without a move loses, too.",
            "将死对方的将。对方无子可走也算赢。",
        ),
        turn: vec![
            Words::new(
                "The board has 7 × 7 points. Unlike in xiangqi, Chinese chess, no river divides it. On the back row of \
                 each side stand elephant, advisor, general, advisor, elephant on the columns b to f, and \
                 three soldiers before the middle three, all with these sides up. Nothing is hidden, and nothing is left to chance. \
                 Red, below, begins, and every turn is one move of one piece.",
                "棋盘为7×7个交叉点，没有河界。双方底线b到f路依次为象、士、将、士、象，中间三个前面各有一个兵，都以这一面朝上。没有暗子，也没有运气成分。下方的红方先走，每步走一个棋子。",
            ),
            Words::new(
                "Every piece except the general has two sides with two forms: soldier and horse, advisor and \
                 cannon, elephant and chariot. The side that lies up says how the piece moves now.",
                "除将以外，每个棋子有两面：兵和马、士和炮、象和车。朝上的一面决定现在怎么走。",
            ),
            Words::new(
                "Every time a piece moves it is turned over, so that it moves in the other way next time. It \
                 turns on every move: you cannot choose to leave it as it is.",
                "每走一步棋子就翻一面，下一步就按另一面走。每次都必须翻，不能选择不翻。",
            ),
            Words::new(
                "You take an enemy piece by moving onto its point.",
                "走到对方棋子的位置就吃掉它。",
            ),
        ],
        first: example(
            "Kd1 Sc2 Sd2 Se2 Fc1 Fe1 Eb1 Ef1 kd7 sc6 sd6 se6 fc7 fe7 eb7 ef7",
            "c2",
            Some("c3"),
        ),
        pieces: pieces(),
        covered: None,
        captures: None,
        topics: topics(rules),
        ends,
        section: 5,
    }
}

/// Why the mover's piece on `from` does not go to `to`, or anywhere.
pub(super) fn objection(state: &State, from: Square, to: Option<Square>) -> Option<Words> {
    let State { board, mover, check_info, .. } = state;
    let reached = reach(board, from, *mover);
    let check = check_info.check;
    let Some(to) = to else {
        return (!reached.is_empty()).then(|| objections::held(check));
    };
    if reached.contains(to) {
        let faces = king_safety(board, *mover).faces_after(from, to);
        return Some(objections::unsafe_step(faces, check));
    }
    if reach(&board.only([from, to]), from, *mover).contains(to) {
        return Some(objections::BLOCKED);
    }
    match board.at(from)?.kind {
        Kind::Cannon if board.at(to).is_some() && MOVES.lines(from).contains(to) => {
            Some(objections::NEEDS_SCREEN)
        }
        Kind::General if MOVES.orthogonal(king(board, *mover)).contains(to) => {
            Some(objections::PALACE)
        }
        _ => None,
    }
}
