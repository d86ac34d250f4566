//! How games of covered xiangqi are played, and why a piece does not go where a person wants it to.

use super::board::{Board, SquareContents, general, home_piece};
use super::design::{CoveredCaptures, Moves};
use super::geometry::{MOVES, SIZE};
use super::moves::king_safety;
use super::state::{PublicState, View};
use super::variant::{CaptureVisibility, Counters, CoveredXiangqi, Variant};
use crate::board::{
    Bitboard, Colour, Flow, Kind, Move, Perspective, Piece, Square, SquareEncoding,
};
use crate::families::designs::{self, NoMoves};
use crate::game::{
    Captures, Example, Game, GameExt, Lesson, Notation, PieceLesson, Topic, Words, board_of, ends,
    objections, words,
};
use crate::rng::{Rng, Stream};

/// The start, with a deal.
const START: &str = "~pa10 ~hb10 ~ec10 ~cd10 ke10 ~rf10 ~ag10 ~ph10 ~ei10 ~pb8 ~ah8 ~ra7 ~pc7 ~he7 ~pg7 \
                     ~ci7 ~Pa4 ~Ac4 ~Re4 ~Pg4 ~Ci4 ~Pb3 ~Eh3 ~Ha1 ~Rb1 ~Pc1 ~Ed1 Ke1 ~Pf1 ~Hg1 ~Ch1 ~Ai1";

/// The start in words.
const START_WORDS: Words = Words::new(
    "The board is that of xiangqi. Only the two generals are face up. The other 15 pieces of each \
     side, five soldiers and two of each other kind, are shuffled and lie face down on the points \
     where that side's pieces begin.",
    "棋盘与象棋相同。只有双方的将是明子，其余各15个棋子（五个兵，其他各两个）洗乱后扣放在己方各子的原始位置上。",
);

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

/// An example, unless it needs pieces or moves that the game does not have.
fn example<V: Variant>(
    rules: &CoveredXiangqi<V>,
    pieces: &str,
    from: &str,
    to: Option<&str>,
) -> Option<Example> {
    let (board, counters) = (board_of(SIZE, pieces), V::write_counters(&Counters::default()));
    let unused = if rules.leaves_over() { " -" } else { "" };
    let fen = format!("{board} w - {counters} 0{unused}");
    let (square, to) = (square(from), to.map(square));
    let goes = |(from, target)| from == square && to.is_none_or(|to| to == target);
    let is_played = steps(rules, &fen)?.into_iter().any(goes);
    is_played.then_some(Example { fen, square, to })
}

/// The legal steps of red in a position; `None` if the game does not have it.
fn steps<V: Variant>(rules: &CoveredXiangqi<V>, fen: &str) -> Option<Vec<(Square, Square)>> {
    let state = rules.parse_fen(fen).ok()?;
    let step = |action| match rules.table().get_move(action, Perspective::Upright) {
        Move::Step { from, to } => Some((from, to)),
        Move::Flip(_) | Move::Pass => None,
    };
    Some(rules.actions(&state).into_iter().filter_map(step).collect())
}

/// A deal, with a covered piece that can move, if there is one, and where it can go.
fn start<V: Variant>(rules: &CoveredXiangqi<V>) -> Option<(String, Square, Square)> {
    let fen = rules.fen(&rules.deal(&mut Rng::new(1, Stream::Deal)));
    let is_covered =
        |square: Square| home_piece(square).is_some_and(|home| rules.begins_covered(home.kind));
    let steps = steps(rules, &fen)?;
    let covered = steps.iter().find(|(from, _)| is_covered(*from));
    let &(from, to) = covered.or(steps.first())?;
    Some((fen, from, to))
}

/// How a kind moves, which is usually as given.
fn movement<V: Variant>(rules: &CoveredXiangqi<V>, kind: Kind, usual: Words) -> Words {
    match (rules.design.moves(kind), kind) {
        (Moves::Usual, _) => usual,
        (Moves::Xiangqi, Kind::Advisor) => Words::new(
            "One point diagonally. It never leaves the palace, the nine points with the cross.",
            "斜走一格，不能出九宫。",
        ),
        (Moves::Xiangqi, _) => Words::new(
            "Exactly two points diagonally. A piece on the point between blocks it. It never crosses the \
             river.",
            "斜走两格（田字），中间有子就走不过去。不能过河。",
        ),
        (Moves::Betza(movement), Kind::General) => Words::joined(&[
            movement.words(),
            Words::new(
                "It stays in its palace, the nine points with the cross.",
                "不能出九宫，就是画有交叉线的九个点。",
            ),
        ]),
        (Moves::Betza(movement), _) => movement.words(),
    }
}

fn pieces<V: Variant>(rules: &CoveredXiangqi<V>) -> Vec<PieceLesson> {
    let lesson = |(kind, moves, from, pieces): (Kind, Words, &str, &str)| {
        let confined = || example(rules, "Ae2 Kd1 kf10 pf3", "e2", None);
        PieceLesson {
            letter: Kind::LETTERS[kind.index()],
            characters: Colour::ALL
                .map(|colour| Piece { colour, kind }.character())
                .iter()
                .collect(),
            moves: movement(rules, kind, moves),
            becomes: None,
            example: example(rules, pieces, from, None)
                .or_else(|| confined().filter(|_| kind == Kind::Advisor)),
        }
    };
    PIECES.map(lesson).to_vec()
}

/// Which kinds take which; `None` where each takes all.
fn captures<V: Variant>(rules: &CoveredXiangqi<V>) -> Option<Captures> {
    let designed = rules.designed()?;
    let from = square("e5");
    // By trial on an open board, sideways and ahead.
    let jumps = |kind: Kind| {
        let piece = SquareContents::Revealed(Piece { colour: Colour::Red, kind });
        [["f5", "g5"], ["e6", "e7"]].iter().any(|names| {
            let [beside, over] = names.map(square);
            let goes = |screens: u128| {
                let occupied = u128::collect([from, over]) | screens;
                designed.reach(piece, from, occupied).contains(over)
            };
            goes(u128::single(beside)) && !goes(0)
        })
    };
    designs::captures(|captor, victim| designed.takes(captor, victim), jumps)
}

/// The pieces at the start.
fn setup<V: Variant>(rules: &CoveredXiangqi<V>) -> Words {
    if rules.design.is_usual() {
        return START_WORDS;
    }
    let covered = Kind::ALL.into_iter().filter(|&kind| rules.begins_covered(kind));
    let kinds: Vec<Words> = covered.map(designs::name).collect();
    if kinds.is_empty() {
        return Words::new(
            "The board and the pieces at the start are those of xiangqi, all of them face up.",
            "棋盘和开局摆法与象棋相同，全部是明子。",
        );
    }
    let kinds = Words::listed(&kinds);
    let [red, black] = rules.pools().map(|pool| designs::listed(|kind: Kind| pool[kind.index()]));
    let mut told = vec![words!(
        "The board is that of xiangqi. On the points where these kinds begin in xiangqi pieces lie face \
         down: {}. All others begin face up, as what they are.",
        "棋盘与象棋相同。这些棋子的原始位置上扣放暗子：{}。其余按象棋摆成明子。",
        kinds
    )];
    told.push(if red == black {
        words!(
            "Each side's covered pieces are shuffled and dealt from: {}.",
            "双方的暗子各从这些棋子中洗乱后摆放：{}。",
            red
        )
    } else {
        words!(
            "The covered pieces are shuffled and dealt, red's from: {}, black's from: {}.",
            "暗子洗乱后摆放。红方从这些棋子中：{}；黑方从这些棋子中：{}。",
            red,
            black
        )
    });
    told.extend(rules.leaves_over().then(|| {
        Words::new(
            "Those left over stay out of the game, and nobody sees them.",
            "剩下的棋子不参加这一局，谁也看不到。",
        )
    }));
    Words::joined(&told)
}

/// How covered pieces move.
fn covered<V: Variant>(rules: &CoveredXiangqi<V>) -> Option<Topic> {
    let title = Words::new("Covered pieces", "暗子");
    if rules.design.is_usual() {
        let text = Words::new(
            "A covered piece moves as the piece that stands on its point in xiangqi: this one stands where \
             a horse does. Until it has moved it keeps to the limits of xiangqi: a covered advisor stays in \
             the palace, a covered elephant on its own side of the river. It takes, is taken and blocks \
             the way as any piece. A covered piece can never give check.",
            "暗子按所在位置在象棋里的棋子走：图中的暗子在马的位置，就走马步。第一次走动前仍受象棋的限制：\
             在士位的暗子不能出九宫，在象位的暗子不能过河。暗子照样吃子、被吃、挡路，但不可能将军。",
        );
        return Some(Topic { title, text, example: example(rules, START, "h1", None) });
    }
    let (fen, square, _) = start(rules).filter(|_| rules.covered() != 0)?;
    let mut told = vec![Words::new(
        "A covered piece moves and takes as the kind on whose point it stands, and blocks the way as any piece.",
        "暗子按所在位置原来的棋子走子和吃子，也同样挡路。",
    )];
    let keeps_limits = [Kind::Advisor, Kind::Elephant]
        .into_iter()
        .any(|kind| rules.begins_covered(kind) && matches!(rules.design.moves(kind), Moves::Usual));
    told.extend(keeps_limits.then(|| {
        Words::new(
            "Until it has moved it keeps to the limits of xiangqi: the palace for an advisor, the river for an \
             elephant, unless the kind's movement is another one here.",
            "第一次走动前仍受象棋的限制：士位的不能出九宫，象位的不能过河，除非这种棋子在这里另有走法。",
        )
    }));
    Some(Topic {
        title,
        text: Words::joined(&told),
        example: Some(Example { fen, square, to: None }),
    })
}

fn topics<V: Variant>(rules: &CoveredXiangqi<V>) -> Vec<Topic> {
    let mut topics: Vec<Topic> = covered(rules).into_iter().collect();
    topics.push(Topic {
        title: Words::new("Check", "将军"),
        text: Words::new(
            "A general that could be taken is in check, and its player has to end that at once. No move \
             may leave your own general where it could be taken. The two generals may not face each other \
             on one column with nothing between them: here the soldier must not leave it.",
            "将被攻击就是将军，必须马上应将。任何着法都不能让己方的将处于被吃的位置。\
             两将不能在同一条直线上直接照面：图中的兵不能离开这条线。",
        ),
        example: example(rules, "Ke1 Pe7 ke10", "e7", None),
    });
    if rules.covered() != 0 {
        if rules.design.covered_captures == CoveredCaptures::Never {
            topics.push(designs::covered_are_safe());
        } else {
            let title = Words::new("Who sees what was taken", "谁能看到被吃的子");
            let text = match rules.captured {
                CaptureVisibility::Captor => Words::new(
                    "A face-up piece that is taken was known to both. A covered piece that is taken is shown to \
                     the captor alone: the player who loses it is not told what it was.",
                    "明子被吃，双方都看得见。暗子被吃，只有吃子的一方能看到是什么，被吃的一方不知道。",
                ),
                CaptureVisibility::Public => Words::new(
                    "What is taken is shown to both players, covered pieces too.",
                    "被吃的棋子（包括暗子）双方都能看到。",
                ),
            };
            topics.push(Topic::new(title, text));
        }
    }
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
    let has_drawn = rules.design.no_moves == NoMoves::Draw;
    let mut ends = vec![
        Words::new(
            "Checkmate: the general is in check and no move ends it. Its player loses.",
            "将死：被将军而无法解除，这一方输。",
        ),
        if has_drawn {
            Words::new(
                "Draw: the player to move has no move, without being in check.",
                "和棋：没有被将军，但无子可走。",
            )
        } else {
            Words::new(
                "Stalemate: the player to move has no move, without being in check. That player loses, too.",
                "困毙：没有被将军，但无子可走，这一方也输。",
            )
        },
    ];
    ends.extend(rules.variant.draws());
    ends.push(ends::too_long(rules.max_plies));
    let mut turn = vec![setup(rules)];
    if rules.covered() == 0 {
        turn.push(Words::new(
            "Red begins. In your turn you move one of your pieces. You take an enemy piece by moving onto \
             its point.",
            "红方先走。每步走一个己方棋子，走到对方棋子的位置就吃掉它。",
        ));
    } else {
        turn.push(Words::new(
            "Red begins. In your turn you move one of your pieces, covered or not. You take an enemy piece \
             by moving onto its point.",
            "红方先走。每步走一个己方棋子，明子暗子都行，走到对方棋子的位置就吃掉它。",
        ));
        turn.push(Words::new(
            "A covered piece moves as the piece that usually stands on its point. After this move it is \
             turned over for both to see, and from then on it moves as what it really is.",
            "暗子第一步按它所在位置原来的棋子走。走完后翻开给双方看，以后按真实的棋子走。",
        ));
    }
    Lesson {
        goal: if has_drawn {
            Words::new(
                "Checkmate the enemy general: attack it so that it cannot escape.",
                "将死对方的将。",
            )
        } else {
            Words::new(
                "Checkmate the enemy general: attack it so that it cannot escape. A player without a move loses, \
                 too.",
                "将死对方的将。对方无子可走也算赢。",
            )
        },
        turn,
        first: if rules.design.is_usual() {
            example(rules, START, "b3", Some("b5"))
        } else {
            start(rules).map(|(fen, square, to)| Example { fen, square, to: Some(to) })
        },
        pieces: pieces(rules),
        covered: (rules.covered() != 0)
            .then(|| Words::new("After its first move it is turned over.", "走第一步后翻开。")),
        captures: captures(rules),
        topics: topics(rules),
        ends,
        section: V::SECTION,
    }
}

/// The squares that a piece reaches, check left aside.
fn reach<V: Variant>(
    rules: &CoveredXiangqi<V>,
    board: &Board,
    colour: Colour,
    from: Square,
) -> u128 {
    let mut reached = u128::EMPTY;
    let _ = rules.each_pseudo_legal(board, colour, u128::single(from), |_, reach| {
        reached = reach;
        Flow::Continue(())
    });
    reached
}

/// Why the mover's piece on `from` does not go to `to`, or anywhere.
pub(super) fn objection<V: Variant>(
    rules: &CoveredXiangqi<V>,
    view: &View<'_>,
    from: Square,
    to: Option<Square>,
) -> Option<Words> {
    let PublicState { board, mover, check_info, .. } = view.public;
    let reached = reach(rules, board, *mover, from);
    let check = check_info.check;
    let Some(to) = to else {
        return (!reached.is_empty()).then(|| objections::held(check));
    };
    if reached.contains(to) {
        let faces = king_safety(board, *mover).faces_after(from, to);
        return Some(objections::unsafe_step(faces, check));
    }
    let contents = board.at(from);
    if let Some(designed) = rules.designed()
        && designed.reach(contents, from, board.occupied()).contains(to)
        && let Some(captor) = contents.listed_as(from)
    {
        match board.at(to) {
            SquareContents::Revealed(victim) if victim.colour != *mover => {
                return Some(designs::does_not_take(captor.kind, victim.kind));
            }
            SquareContents::Covered(colour) if colour != *mover => {
                return Some(designs::COVERED_IS_SAFE);
            }
            _ => {}
        }
    }
    if reach(rules, &board.only([from, to]), *mover, from).contains(to) {
        return Some(objections::BLOCKED);
    }
    let Piece { kind, .. } = match contents {
        SquareContents::Revealed(piece) => piece,
        SquareContents::Covered(_) => {
            let piece = home_piece(from)?;
            let mut turned = Board::empty();
            turned.put(from, SquareContents::Revealed(piece));
            if reach(rules, &turned, *mover, from).contains(to) {
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
