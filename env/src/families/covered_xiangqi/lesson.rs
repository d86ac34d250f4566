//! How games of covered xiangqi are played, and why a piece does not go where a person wants it to.

use super::board::{Board, SquareContents, general, home_piece};
use super::geometry::{MOVES, SIZE};
use super::moves::{each_pseudo_legal, king_safety};
use super::state::{PublicState, View};
use super::variant::{CaptureVisibility, Counters, CoveredXiangqi, Variant};
use crate::board::{Bitboard, Colour, Flow, Kind, Piece, Square};
use crate::game::{Example, Lesson, PieceLesson, Topic, Words, board_of, ends, objections};

/// The start, with a deal.
const START: &str = "~pa10 ~hb10 ~ec10 ~cd10 ke10 ~rf10 ~ag10 ~ph10 ~ei10 ~pb8 ~ah8 ~ra7 ~pc7 ~he7 ~pg7 \
                     ~ci7 ~Pa4 ~Ac4 ~Re4 ~Pg4 ~Ci4 ~Pb3 ~Eh3 ~Ha1 ~Rb1 ~Pc1 ~Ed1 Ke1 ~Pf1 ~Hg1 ~Ch1 ~Ai1";

/// By kind, how it moves when it is face up, the square of an example and the pieces in it.
const PIECES: [(Kind, Words, &str, &str); 7] = [
    (
        Kind::General,
        Words::new(
            "One point straight. It stays in its palace, the nine points with the cross.",
            "直走一格，不能出九宫。",
        ),
        "e2",
        "Ke2 kd10 pd7",
    ),
    (
        Kind::Advisor,
        Words::new(
            "One point diagonally. Face up, it may leave the palace and go anywhere.",
            "斜走一格。翻开后可以出九宫，走遍全盘。",
        ),
        "e5",
        "Ae5 Kd1 kf10 pf6",
    ),
    (
        Kind::Elephant,
        Words::new(
            "Exactly two points diagonally. A piece on the point between blocks it. Face up, it may cross \
             the river.",
            "斜走两格（田字），中间有子就走不过去。翻开后可以过河。",
        ),
        "e5",
        "Ee5 Kd1 kf10 pf6 pc7",
    ),
    (
        Kind::Horse,
        Words::new(
            "One point straight, then one diagonally, farther away from where it started. A piece on that first point blocks it.",
            "先直走一格，再向外斜走一格（日字）。直走的那一格有子（蹩马腿）就走不过去。",
        ),
        "e5",
        "He5 Kd1 kf10 pe6 pg4",
    ),
    (
        Kind::Chariot,
        Words::new(
            "Any number of empty points in a straight line. It takes the first enemy piece that it meets.",
            "直线走任意格，路上不能有子，可以吃遇到的第一个对方棋子。",
        ),
        "e5",
        "Re5 Kd1 kf10 pe8 Pc5",
    ),
    (
        Kind::Cannon,
        Words::new(
            "Moves like a chariot. To take, it jumps over exactly one piece of either side, face up or \
             covered, and lands on the next one in the line, with any number of empty points before and \
             behind the piece between.",
            "走法与车相同。吃子时必须正好跳过一个棋子（明子暗子都行），吃它后面的那个。",
        ),
        "e5",
        "Ce5 Kd1 kf10 pe7 re9",
    ),
    (
        Kind::Soldier,
        Words::new(
            "One point forward. Once it is across the river, also one point sideways. Never back.",
            "向前走一格。过河后也可以左右走一格。不能后退。",
        ),
        "e6",
        "Pe6 Kd1 kf10 pf6",
    ),
];

fn square(name: &str) -> Square {
    SIZE.parse(name).expect("it is on the board")
}

fn example<V: Variant>(pieces: &str, from: &str, to: Option<&str>) -> Option<Example> {
    let (board, counters) = (board_of(SIZE, pieces), V::write_counters(&Counters::default()));
    let fen = format!("{board} w - {counters} 0");
    Some(Example { fen, square: square(from), to: to.map(square) })
}

fn pieces<V: Variant>() -> Vec<PieceLesson> {
    let lesson = |(kind, moves, from, pieces): (Kind, Words, &str, &str)| PieceLesson {
        letter: Kind::LETTERS[kind.index()],
        characters: Colour::ALL.map(|colour| Piece { colour, kind }.character()).iter().collect(),
        moves,
        becomes: None,
        example: example::<V>(pieces, from, None),
    };
    PIECES.map(lesson).to_vec()
}

fn topics<V: Variant>(rules: &CoveredXiangqi<V>) -> Vec<Topic> {
    let mut topics = vec![
        Topic {
            title: Words::new("Covered pieces", "暗子"),
            text: Words::new(
                "A covered piece moves as the piece that stands on its point in xiangqi: this one stands where \
                 a horse does. Until it has moved it keeps to the limits of xiangqi: a covered advisor stays in \
                 the palace, a covered elephant on its own side of the river. It takes, is taken and blocks \
                 the way as any piece. A covered piece can never give check.",
                "暗子按所在位置在象棋里的棋子走：图中的暗子在马的位置，就走马步。第一次走动前仍受象棋的限制：\
                 在士位的暗子不能出九宫，在象位的暗子不能过河。暗子照样吃子、被吃、挡路，但不可能将军。",
            ),
            example: example::<V>(START, "h1", None),
        },
        Topic {
            title: Words::new("Check", "将军"),
            text: Words::new(
                "A general that could be taken is in check, and its player has to end that at once. No move \
                 may leave your own general where it could be taken. The two generals may not face each other \
                 on one column with nothing between them: here the soldier must not leave it.",
                "将被攻击就是将军，必须马上应将。任何着法都不能让己方的将处于被吃的位置。\
                 两将不能在同一条直线上直接照面：图中的兵不能离开这条线。",
            ),
            example: example::<V>("Ke1 Pe7 ke10", "e7", None),
        },
        Topic::new(
            Words::new("Who sees what was taken", "谁能看到被吃的子"),
            match rules.captured {
                CaptureVisibility::Captor => Words::new(
                    "A face-up piece that is taken was known to both. A covered piece that is taken is shown to \
                     the captor alone: the player who loses it is not told what it was.",
                    "明子被吃，双方都看得见。暗子被吃，只有吃子的一方能看到是什么，被吃的一方不知道。",
                ),
                CaptureVisibility::Public => Words::new(
                    "What is taken is shown to both players, covered pieces too.",
                    "被吃的棋子（包括暗子）双方都能看到。",
                ),
            },
        ),
    ];
    if rules.repetition {
        let mut parts = vec![Words::new(
            "When a position comes up for the third time, the player who has given check with every move since \
             the second time loses. If both have, it is a draw.",
            "同一局面第三次出现时，若一方从第二次以来步步将军（长将），长将的一方输；双方都长将则和棋。",
        )];
        parts.extend(rules.chase.then(|| {
            Words::new(
                "The same holds for a player who has threatened one and the same unprotected piece with every \
                 move (perpetual chase); generals and soldiers may chase, and soldiers that have not crossed \
                 the river may be chased.",
                "步步捉同一个无保护的棋子（长捉）也同样判负；将和兵可以长捉，没过河的兵可以被长捉。",
            )
        }));
        parts.push(Words::new("Otherwise it is a draw.", "其他情况为和棋。"));
        topics.push(Topic::new(Words::new("Repetition", "重复局面"), Words::joined(&parts)));
    }
    topics
}

/// The lesson of a game of covered xiangqi.
pub(super) fn lesson<V: Variant>(rules: &CoveredXiangqi<V>) -> Lesson {
    let mut ends = vec![
        Words::new(
            "Checkmate: the general is in check and no move ends it. Its player loses.",
            "将死：被将军而无法解除，这一方输。",
        ),
        Words::new(
            "Stalemate: the player to move has no move, without being in check. That player loses, too.",
            "困毙：没有被将军，但无子可走，这一方也输。",
        ),
    ];
    ends.extend(rules.variant.draws());
    ends.push(ends::too_long(rules.max_plies));
    Lesson {
        goal: Words::new(
            "Checkmate the enemy general: attack it so that it cannot escape. A player without a move loses, \
             too.",
            "将死对方的将。对方无子可走也算赢。",
        ),
        turn: vec![
            Words::new(
                "The board is that of xiangqi. Only the two generals are face up. The other 15 pieces of each \
                 side, five soldiers and two of each other kind, are shuffled and lie face down on the points \
                 where that side's pieces begin.",
                "棋盘与象棋相同。只有双方的将是明子，其余各15个棋子（五个兵，其他各两个）洗乱后扣放在己方各子的原始位置上。",
            ),
            Words::new(
                "Red begins. In your turn you move one of your pieces, covered or not. You take an enemy piece \
                 by moving onto its point.",
                "红方先走。每步走一个己方棋子，明子暗子都行，走到对方棋子的位置就吃掉它。",
            ),
            Words::new(
                "A covered piece moves as the piece that usually stands on its point. After this move it is \
                 turned over for both to see, and from then on it moves as what it really is.",
                "暗子第一步按它所在位置原来的棋子走。走完后翻开给双方看，以后按真实的棋子走。",
            ),
        ],
        first: example::<V>(START, "b3", Some("b5")),
        pieces: pieces::<V>(),
        covered: Some(Words::new("After its first move it is turned over.", "走第一步后翻开。")),
        captures: None,
        topics: topics(rules),
        ends,
        section: V::SECTION,
    }
}

/// The squares that a piece reaches, check left aside.
fn reach(board: &Board, colour: Colour, from: Square) -> u128 {
    let mut reached = u128::EMPTY;
    let _ = each_pseudo_legal(board, colour, u128::single(from), |_, reach| {
        reached = reach;
        Flow::Continue(())
    });
    reached
}

/// Why the mover's piece on `from` does not go to `to`, or anywhere.
pub(super) fn objection(view: &View<'_>, from: Square, to: Option<Square>) -> Option<Words> {
    let PublicState { board, mover, check_info, .. } = view.public;
    let reached = reach(board, *mover, from);
    let check = check_info.check;
    let Some(to) = to else {
        return (!reached.is_empty()).then(|| objections::held(check));
    };
    if reached.contains(to) {
        let faces = king_safety(board, *mover).faces_after(from, to);
        return Some(objections::unsafe_step(faces, check));
    }
    let contents = board.at(from);
    let mut alone = Board::empty();
    alone.put(from, contents);
    if board.at(to) != SquareContents::Empty {
        alone.put(to, board.at(to));
    }
    if reach(&alone, *mover, from).contains(to) {
        return Some(objections::BLOCKED);
    }
    let Piece { kind, .. } = match contents {
        SquareContents::Revealed(piece) => piece,
        SquareContents::Covered(_) => {
            let piece = home_piece(from)?;
            let mut turned = Board::empty();
            turned.put(from, SquareContents::Revealed(piece));
            if reach(&turned, *mover, from).contains(to) {
                return Some(Words::new(
                    "While it is covered, it keeps to the limits of xiangqi: an advisor stays in the palace, \
                     an elephant on its own side of the river.",
                    "翻开之前受象棋的限制：士不能出九宫，象不能过河。",
                ));
            }
            piece
        }
        SquareContents::Empty => return None,
    };
    let is_taken = board.at(to) != SquareContents::Empty;
    match kind {
        Kind::Cannon if is_taken && MOVES.lines(from).contains(to) => {
            Some(objections::NEEDS_SCREEN)
        }
        Kind::General if MOVES.orthogonal(general(board, *mover)).contains(to) => {
            Some(objections::PALACE)
        }
        _ => None,
    }
}
