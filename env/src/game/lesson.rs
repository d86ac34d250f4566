//! Lessons: how a game is played, told to people in English and simplified Chinese.
//!
//! A game or its family writes its lesson. What depends on options is computed from those in force, and
//! movement is shown by examples whose targets the rules compute.

use std::borrow::Cow;

use serde::Serialize;

use super::fen::write_board;
use crate::board::{BoardSize, Square};

/// A text in English and in simplified Chinese.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Words {
    /// English.
    pub en: Cow<'static, str>,
    /// Simplified Chinese.
    pub zh: Cow<'static, str>,
}

impl Words {
    /// A text that has no values in it.
    pub const fn new(en: &'static str, zh: &'static str) -> Self {
        Self { en: Cow::Borrowed(en), zh: Cow::Borrowed(zh) }
    }

    /// Why nothing can be played any more.
    pub const GAME_OVER: Self = Self::new("The game is over.", "对局已经结束。");

    /// Texts one after another.
    pub fn joined(parts: &[Self]) -> Self {
        Self::separated(parts, " ", "")
    }

    /// Texts with commas between them.
    pub fn listed(parts: &[Self]) -> Self {
        Self::separated(parts, ", ", "、")
    }

    fn separated(parts: &[Self], en: &str, zh: &str) -> Self {
        let all = |part: fn(&Self) -> &str| parts.iter().map(part).collect::<Vec<_>>();
        let (en, zh) = (all(|words| &words.en).join(en), all(|words| &words.zh).join(zh));
        Self { en: en.into(), zh: zh.into() }
    }
}

/// Words with values: those in braces are the same in both languages, those after the texts are words of
/// their own and take the places of `{}`.
macro_rules! words {
    ($en:literal, $zh:literal $(, $value:expr)* $(,)?) => {
        $crate::game::Words {
            en: format!($en $(, $value.en)*).into(),
            zh: format!($zh $(, $value.zh)*).into(),
        }
    };
}
pub(crate) use words;

/// A position in which a piece is shown with its targets, or with one of them reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    /// The position, in full.
    pub fen: String,
    /// The piece.
    pub square: Square,
    /// The square that it goes to, if the position after it is shown, too. A flip goes nowhere: it is the
    /// piece's own.
    pub to: Option<Square>,
}

/// A kind of piece.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PieceLesson {
    /// The letter of the kind.
    pub letter: char,
    /// The characters on the pieces of this kind.
    pub characters: String,
    /// How it moves, in a sentence or two.
    pub moves: Words,
    /// The letter of the kind that it becomes when it moves, if it changes.
    pub becomes: Option<char>,
    /// `None` for a piece that never moves.
    pub example: Option<Example>,
}

/// Something that is worth knowing, perhaps with an example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Topic {
    /// What it is about.
    pub title: Words,
    /// The rule.
    pub text: Words,
    /// The rule at work.
    pub example: Option<Example>,
}

impl Topic {
    /// A topic that needs no example.
    pub fn new(title: Words, text: Words) -> Self {
        Self { title, text, example: None }
    }
}

/// How a piece takes another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Taking {
    /// From a neighbouring square.
    Beside,
    /// Over a piece between the two.
    Over,
}

/// Which kinds take which: a row for each captor, an entry for each victim, in the order of the letters.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Captures {
    /// The letters of the kinds.
    pub letters: Vec<char>,
    /// `None` where the captor does not take the victim.
    pub rows: Vec<Vec<Option<Taking>>>,
}

/// How a game is played with the options in force.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lesson {
    /// What to play for.
    pub goal: Words,
    /// The beginning and the course of a turn, in order.
    pub turn: Vec<Words>,
    /// The position before and after a turn.
    pub first: Option<Example>,
    /// Every kind of piece.
    pub pieces: Vec<PieceLesson>,
    /// How a covered piece moves; `None` where no piece is covered.
    pub covered: Option<Words>,
    /// Which kinds take which, where not all take all.
    pub captures: Option<Captures>,
    /// What else is worth knowing.
    pub topics: Vec<Topic>,
    /// The endings, victories first.
    pub ends: Vec<Words>,
    /// The section of RULES.md that has every detail.
    pub section: u8,
}

/// A board with these pieces, as the first field of a FEN: `Ka1 ~pb2` has a general on a1 and a covered
/// soldier on b2.
pub fn board_of(size: BoardSize, pieces: &str) -> String {
    let placed: Vec<(Square, &str)> = pieces
        .split(' ')
        .map(|piece| {
            let place = piece.rfind(char::is_alphabetic).unwrap_or(0);
            let square = size.parse(&piece[place..]);
            (square.unwrap_or_else(|| panic!("`{piece}`: no square")), &piece[..place])
        })
        .collect();
    write_board(size, |square| {
        placed.iter().find(|(on, _)| *on == square).map(|&(_, name)| name.to_owned())
    })
}

/// The endings that many games share.
pub(crate) mod ends {
    use super::Words;

    /// A draw after plies of a kind in a row; nothing where the limit is off.
    pub(crate) fn quiet(limit: u16, en: &str, zh: &str) -> Option<Words> {
        (limit > 0).then(|| {
            words!(
                "Draw: {limit} turns in a row, those of both players counted, {en}.",
                "和棋：双方合计连续{limit}步{zh}。"
            )
        })
    }

    /// The end of a game that goes on for too long.
    pub(crate) fn too_long(max_plies: u16) -> Words {
        words!(
            "After {max_plies} turns of all players together the game is cut off: nobody wins or loses, and it is \
             no draw by the rules.",
            "各方合计走满{max_plies}步后棋局中止，不分胜负，也不算规则上的和棋。"
        )
    }
}

/// The names of xiangqi's kinds by their letters.
pub(crate) const XIANGQI_NAMES: &[(char, Words)] = &[
    ('K', Words::new("General", "将")),
    ('A', Words::new("Advisor", "士")),
    ('E', Words::new("Elephant", "象")),
    ('H', Words::new("Horse", "马")),
    ('R', Words::new("Chariot", "车")),
    ('C', Words::new("Cannon", "炮")),
    ('P', Words::new("Soldier", "兵")),
];

/// Reasons for which a piece cannot go to a square, as objections to what a person tries.
pub(crate) mod objections {
    use super::Words;

    /// The viewer has no seat.
    pub(crate) const WATCHING: Words =
        Words::new("You are looking on: the pieces are not yours.", "您在旁观，不能走子。");
    /// Another seat is to move.
    pub(crate) const NOT_YOUR_TURN: Words = Words::new("It is not your turn.", "还没轮到您走。");
    /// A covered piece that can only be turned over.
    pub(crate) const COVERED_STAYS: Words = Words::new(
        "A covered piece does not move. It can only be turned over where it lies.",
        "暗子不能走，只能就地翻开。",
    );
    /// Pieces block the way.
    pub(crate) const BLOCKED: Words =
        Words::new("Another piece is in the way.", "路上有别的棋子挡着。");
    /// A cannon has not exactly one piece between it and its target.
    pub(crate) const NEEDS_SCREEN: Words = Words::new(
        "To take, the Cannon has to jump over exactly one piece.",
        "炮吃子时，中间必须正好隔一个棋子。",
    );
    /// The target is no place for a general.
    pub(crate) const PALACE: Words =
        Words::new("The general never leaves its palace.", "将帅不能走出九宫。");
    /// The general could be taken after the move.
    const EXPOSES: Words = Words::new(
        "After this move your general could be taken.",
        "走这一步后，己方的将会被吃掉。",
    );
    /// The general is in check, and still is after the move.
    const STILL_IN_CHECK: Words = Words::new(
        "Your general is in check, and this move does not end it.",
        "己方正被将军，这一步没有解将。",
    );
    /// The generals would face each other.
    const FACING: Words = Words::new(
        "After this move the two generals would face each other with nothing between them.",
        "走这一步后，两将会直接照面。",
    );
    /// Every move of the piece is forbidden by check.
    const PINNED: Words = Words::new(
        "Any move of this piece would leave your general where it can be taken.",
        "这个棋子一走，己方的将就会被吃掉。",
    );
    /// No move of the piece ends the check.
    const NO_HELP: Words = Words::new(
        "Your general is in check, and this piece cannot help.",
        "己方正被将军，这个棋子解不了将。",
    );

    /// The reason for a piece that no move takes anywhere, though squares are in reach.
    pub(crate) const fn held(is_check: bool) -> Words {
        if is_check { NO_HELP } else { PINNED }
    }

    /// The reason for a square in reach that would leave the general to be taken.
    pub(crate) const fn unsafe_step(faces: bool, is_check: bool) -> Words {
        match (faces, is_check) {
            (true, _) => FACING,
            (false, true) => STILL_IN_CHECK,
            (false, false) => EXPOSES,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Words, board_of};
    use crate::board::BoardSize;

    #[test]
    fn boards_are_written_from_lists() {
        let size = BoardSize { files: 3, ranks: 2 };
        assert_eq!(board_of(size, "Ka1 ~pc2"), "2~p/K2");
        assert_eq!(board_of(BoardSize { files: 2, ranks: 10 }, "wQb10"), "1wQ/2/2/2/2/2/2/2/2/2");
    }

    #[test]
    fn words_take_values_and_words() {
        let (count, name) = (3, Words::new("Horse", "马"));
        let words = words!("{count} of a {}.", "{count} 个{}。", name);
        assert_eq!((&*words.en, &*words.zh), ("3 of a Horse.", "3 个马。"));
        assert_eq!(Words::joined(&[words.clone(), words]).en, "3 of a Horse. 3 of a Horse.");
    }
}
