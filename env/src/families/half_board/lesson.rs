//! How games on the half board are played, and why a piece does not go where a person wants it to.

use super::state::{PublicState, Rest, SquareContents, View};
use super::{CoveredCaptures, HalfBoard, MOVES, SIZE, Variant};
use crate::board::{Bitboard, BoardSize, Colour, Kind, Move, Perspective, Piece, Square};
use crate::families::designs;
use crate::game::{
    Captures, Example, Game, GameExt, Lesson, Notation, Observe, PieceLesson, Topic, Words,
    board_of, ends, objections, words,
};

/// Pieces around the one on d2 that show how a kind moves.
const EXAMPLES: [(Kind, &str); 7] = [
    (Kind::General, "Kd2 pe3"),
    (Kind::Advisor, "Ad2 pe3"),
    (Kind::Elephant, "Ed2 pe3 ~pb4"),
    (Kind::Horse, "Hd2 pd3 pf3"),
    (Kind::Chariot, "Rd2 pd4 ~pg2 hb2"),
    (Kind::Cannon, "Cd2 ~pf2 rh2 pd3 ad4"),
    (Kind::Soldier, "Pd2 pd3"),
];

/// A position with these pieces in which seat 0 plays red and is to move.
fn position<V: Variant>(rules: &HalfBoard<V>, pieces: &str) -> String {
    position_after(rules, pieces, "-")
}

/// The same after checks, as the field of a FEN of a game with the three-check rule has them.
fn position_after<V: Variant>(rules: &HalfBoard<V>, pieces: &str, checks: &str) -> String {
    let board = board_of(SIZE, pieces);
    let checks = if V::THREE_CHECKS { format!(" {checks}") } else { String::new() };
    let turn = if rules.has_long_turns() { " -" } else { "" };
    format!("{board} 1 r - 0 0{checks}{turn}")
}

fn square(name: &str) -> Square {
    SIZE.parse(name).expect("it is on the board")
}

/// An example, unless it needs pieces or squares that the game does not have.
fn example<V: Variant>(
    rules: &HalfBoard<V>,
    fen: String,
    from: &str,
    to: Option<&str>,
) -> Option<Example> {
    let (square, to) = (square(from), to.map(square));
    let state = rules.parse_fen(&fen).ok()?;
    let is_it = |action| match rules.table().get_move(action, Perspective::Upright) {
        Move::Step { from, to: target } => from == square && to.is_none_or(|to| to == target),
        Move::Flip(flipped) => flipped == square && to == Some(square),
        Move::Pass => false,
    };
    rules.actions(&state).into_iter().any(is_it).then_some(Example { fen, square, to })
}

/// Which kinds take which; `None` where each takes all.
fn captures<V: Variant>(rules: &HalfBoard<V>) -> Option<Captures> {
    let [from, beside, over] = ["d2", "e2", "f2"].map(square);
    // By trial on an open board.
    let jumps = |captor: Kind| {
        let goes = |screens: u32| {
            let occupied = u32::collect([from, over]) | screens;
            rules.attacks_of(captor, from, occupied).contains(over)
        };
        goes(u32::single(beside)) && !goes(0)
    };
    designs::captures(|captor, victim| rules.takes(captor, victim), jumps)
}

fn pieces<V: Variant>(rules: &HalfBoard<V>) -> Vec<PieceLesson> {
    let lesson = |(kind, pieces): (Kind, &str)| PieceLesson {
        letter: Kind::LETTERS[kind.index()],
        characters: Colour::ALL.map(|colour| Piece { colour, kind }.character()).iter().collect(),
        moves: rules.movement(kind),
        becomes: None,
        example: example(rules, position(rules, pieces), "d2", None),
    };
    EXAMPLES.into_iter().filter(|(kind, _)| rules.count(*kind) > 0).map(lesson).collect()
}

/// What is hidden, and who may take it.
fn topics<V: Variant>(rules: &HalfBoard<V>) -> Vec<Topic> {
    let mut topics = Vec::new();
    let covered = rules.covered_captures();
    topics.push(if covered == CoveredCaptures::Attempt {
        Topic::new(
            Words::new("Trying a covered piece", "试吃暗子"),
            Words::new(
                "A piece may go to a covered piece that it can reach. The covered piece is turned over. If \
                 it is an enemy that your piece takes, it is captured. Otherwise both stay where they \
                 are, and the turn is over.",
                "棋子可以去吃够得着的暗子：先把暗子翻开，如果是能吃的对方棋子就吃掉，否则两子都留在原处，这一步结束。",
            ),
        )
    } else if covered == CoveredCaptures::Always {
        let own = Words::new(
            "If it is your own general, you have lost at once.",
            "如果吃掉的是自己的将，立即判负。",
        );
        let text = Words::new(
            "Your pieces take any face-up enemy piece that they can reach, and any covered piece too, \
             without knowing what it is. It is then shown to both players and leaves the board. It may \
             have been an enemy, and it may have been one of your own.",
            "己方棋子可以吃掉能走到的任何对方明子，也可以吃掉任何暗子，吃之前不知道它是什么。\
             被吃的暗子翻给双方看，然后离开棋盘。它可能是对方的，也可能是自己的。",
        );
        Topic {
            title: Words::new("Taking a covered piece", "吃暗子"),
            text: if rules.is_royal() { Words::joined(&[text, own]) } else { text },
            example: example(rules, position(rules, "Rc2 ~cg2 pc4"), "c2", Some("g2")),
        }
    } else {
        designs::covered_are_safe()
    });
    if rules.is_royal() {
        topics.push(Topic::new(
            Words::new("The general in danger", "将的危险"),
            Words::new(
                "A general that could be taken next is in check, but there is no duty to save it. You may \
                 leave or put your general where it can be taken, and nobody warns you, unless you let the page \
                 mark threatened pieces. Unlike in xiangqi the generals may stand in one line with nothing \
                 between them.",
                "没有必须应将的规定：可以让自己的将留在会被吃掉的地方，也没有人提醒，除非在设置里打开“标出受威胁的棋子”。两将可以照面。",
            ),
        ));
    }
    if rules.has_three_checks() {
        topics.push(Topic {
            title: Words::new("Three checks", "三次将军"),
            text: Words::new(
                "A piece checks when it moves and then attacks the face-up enemy general. After three turns \
                 in a row in which one and the same piece of yours checked, that piece must not check \
                 again in your next turn, not by taking another piece either. Any other move is allowed, and so is \
                 taking the general. A turn without such a check begins the count anew, and a check by \
                 another piece begins its own. To turn a piece over is never a check. In the \
                 picture the chariot has checked three times: it may go anywhere except where it would \
                 check again. If you could do nothing else at all, the rule does not hold.",
                "棋子走动后攻击到对方已翻开的将，就是将军。同一个棋子连续三步将军后，下一步不能再用它将军，吃别的子时也不行。中间有一步没有这样将军，或换别的棋子将军，就重新计算；翻子不算将军。\
                 其他着法都可以，也可以直接吃掉将。图中的车已经连续将军三次，\
                 它可以走到任何不再将军的地方。如果除此以外完全无事可做，这条规则不起作用。",
            ),
            example: example(rules, position_after(rules, "Ra2 ke4 ~ph1", "a2x3,-"), "a2", None),
        });
    }
    if !rules.design.changes_captures() {
        let kinds: Vec<Kind> =
            Kind::ALL.into_iter().filter(|&kind| rules.count(kind) > 0).collect();
        topics.extend(rules.variant.topics(&kinds));
    }
    if rules.has_chains() {
        topics.push(Topic::new(
            Words::new("Captures in a chain", "连吃"),
            Words::new(
                "A piece that has captured may capture again in the same turn, as often as it can. You may \
                 also pass and end the turn.",
                "吃子之后，同一个棋子可以接着吃，能吃几个就吃几个，也可以停止。",
            ),
        ));
    }
    if rules.flips() > 1 {
        let flips = rules.flips();
        topics.push(Topic::new(
            Words::new("Several flips in a turn", "一步多翻"),
            words!(
                "After you have turned a piece over, you may turn over more in the same turn, {flips} in all. \
                 You may also pass and end the turn.",
                "翻开一个暗子后，这一步可以再翻，总共最多{flips}个，也可以停止。"
            ),
        ));
    }
    topics
}

/// The pieces at the start.
fn setup<V: Variant>(rules: &HalfBoard<V>) -> Words {
    if rules.plan.is_none() {
        return Words::new(
            "All 32 pieces of a xiangqi set lie face down, shuffled, on the 32 squares of half a \
             board. Each side has a general, five soldiers and two of each other kind. Nobody knows \
             which piece lies where, or whose it is.",
            "一副象棋的32个棋子洗乱后全部扣放在半张棋盘的32个格子里。每方一个将、五个兵，其他各两个。谁也不知道哪里是什么棋子、是哪一方的。",
        );
    }
    let army = rules.design.army;
    let army = |colour: Colour| designs::listed(|kind| army[kind.index()][colour.index()]);
    let BoardSize { files, ranks } = rules.board_size();
    let [red, black] = Colour::ALL.map(army);
    if red == black {
        return words!(
            "All pieces lie face down, shuffled, on a board of {files} by {ranks} squares. Each side has: \
             {}. Nobody knows which piece lies where, or whose it is.",
            "所有棋子洗乱后扣放在{files}×{ranks}的棋盘上。每方有：{}。谁也不知道哪里是什么棋子、是哪一方的。",
            red
        );
    }
    words!(
        "All pieces lie face down, shuffled, on a board of {files} by {ranks} squares. Red has: {}. Black \
         has: {}. Nobody knows which piece lies where, or whose it is.",
        "所有棋子洗乱后扣放在{files}×{ranks}的棋盘上。红方有：{}。黑方有：{}。谁也不知道哪里是什么棋子、是哪一方的。",
        red,
        black
    )
}

/// The lesson of a game on the half board.
pub(super) fn lesson<V: Variant>(rules: &HalfBoard<V>) -> Lesson {
    let mut ends = Vec::new();
    if rules.is_royal() {
        ends.push(Words::new(
            "A general is taken: its side loses, whoever took it.",
            "将被吃掉：这一方输，不管是谁吃的。",
        ));
    } else {
        let [red, black] = Colour::ALL.map(|colour| rules.army_size(colour));
        let count = if red == black { red.to_string() } else { format!("{red} ({black})") };
        ends.push(words!(
            "All {count} pieces of a player are taken: that player loses. The loss of the general alone \
             does not lose.",
            "一方的{count}个棋子全部被吃：这一方输。只丢掉将不算输。"
        ));
    }
    ends.push(if rules.no_moves_draws() {
        Words::new(
            "Draw: the player to move can neither turn a piece over nor move one.",
            "和棋：轮到走棋的一方既不能翻子也不能走子。",
        )
    } else {
        Words::new(
            "A player who can neither turn a piece over nor move one loses.",
            "轮到走棋时既不能翻子也不能走子的一方输。",
        )
    });
    let nothing = ends::quiet(
        rules.quiet_limit,
        "without anything taken or turned over",
        "没有吃子也没有翻子",
    );
    ends.extend(nothing);
    ends.extend(rules.repetition.then(|| {
        Words::new(
            "Draw: the same position, with the same player to move, comes up for the third time.",
            "和棋：同一局面（且同一方走棋）第三次出现。",
        )
    }));
    ends.push(ends::too_long(rules.max_plies));
    let start = "~Ra4 ~pb4 ~hc4 ~Pd4 ~ee4 ~Kf4 ~cg4 ~Ph4 ~pa3 ~Ab3 ~Cc3 ~rd3 ~Pe3 ~af3 ~pg3 ~Eh3 \
                 ~ha2 ~Pb2 ~kc2 ~Rd2 ~pe2 ~Hf2 ~Eg2 ~ch2 ~Pa1 ~rb1 ~Ac1 ~pd1 ~He1 ~Cf1 ~ag1 ~eh1";
    let first = position(rules, start).replace(" 1 r ", " 1 - ");
    Lesson {
        goal: if rules.is_royal() {
            Words::new(
                "Take the enemy general. A player whose general is taken loses.",
                "吃掉对方的将。将被吃掉的一方输。",
            )
        } else {
            Words::new("Take all pieces of the other player.", "吃光对方的棋子。")
        },
        turn: vec![
            setup(rules),
            Words::new(
                "In your turn you do one of two things: you turn a covered piece over, or you move a \
                 face-up piece of your own colour, onto a free square or onto a piece that it takes. On the \
                 page one click turns a covered piece over.",
                "每一步只做一件事：翻开一个暗子，或者把一个己方颜色的明子走到空格或能吃的棋子上。在网页上点一下暗子就翻开。",
            ),
            Words::new(
                "The first turn of the game turns a piece over. Its colour is from then on the colour of \
                 the player who turned it over; the other player has the other colour.",
                "第一步必须翻子。翻出的颜色就归翻子的一方，另一种颜色归对方。",
            ),
            Words::new(
                "To turn a piece over is a whole turn, and it stays where it lies. It may turn out to be \
                 yours or the enemy's. A covered piece belongs to nobody and never moves, but it blocks \
                 the way.",
                "翻子就算一步，棋子留在原处，翻出的可能是自己的，也可能是对方的。暗子不属于任何一方，不能走动，但会挡路。",
            ),
        ],
        first: example(rules, first, "d2", Some("d2")),
        pieces: pieces(rules),
        covered: Some(if rules.covered_captures() != CoveredCaptures::Never {
            Words::new(
                "Nobody knows what it is or whose. It can be turned over, or taken.",
                "谁也不知道它是什么、归谁。可以翻开，也可以吃掉。",
            )
        } else {
            Words::new(
                "Nobody knows what it is or whose. It can be turned over, but not taken.",
                "谁也不知道它是什么、归谁。可以翻开，不能吃。",
            )
        }),
        captures: captures(rules),
        topics: topics(rules),
        ends,
        section: V::SECTION,
    }
}

/// Why the mover's piece on `from`, or a covered one, does not go to `to`, or anywhere.
pub(super) fn objection<V: Variant>(
    rules: &HalfBoard<V>,
    view: &View<'_>,
    from: Square,
    to: Option<Square>,
) -> Option<Words> {
    let public = view.public;
    if let Some(rest) = public.rest {
        return Some(match rest {
            Rest::Captures(_) => CAPTURE_ON,
            Rest::Flips(_) => FLIP_ON,
        });
    }
    let SquareContents::Revealed(Piece { colour, kind }) = public.at(from) else { return None };
    let targets = rules.targets(public, colour)(from, kind);
    let Some(to) = to else {
        return (targets != 0).then_some(THREE_CHECKS);
    };
    if targets.contains(to) {
        return Some(THREE_CHECKS);
    }
    let alone = PublicState { board: public.board.only([from, to]), ..PublicState::empty() };
    let is_attacked = rules.attacks_of(kind, from, public.occupied()).contains(to);
    match public.at(to) {
        SquareContents::Covered if is_attacked => Some(designs::COVERED_IS_SAFE),
        SquareContents::Revealed(victim) if is_attacked => {
            Some(designs::does_not_take(kind, victim.kind))
        }
        _ if rules.targets(&alone, colour)(from, kind).contains(to) => Some(objections::BLOCKED),
        SquareContents::Covered | SquareContents::Revealed(_) => {
            let is_line = MOVES.lines(from).contains(to);
            let takes = rules.attacks_of(kind, from, alone.occupied()).contains(to);
            (kind == Kind::Cannon && is_line && !takes).then_some(objections::NEEDS_SCREEN)
        }
        SquareContents::Empty => None,
    }
}

const CAPTURE_ON: Words = Words::new(
    "Your turn goes on: the piece that has just captured captures again, or you pass.",
    "您这一步还没走完：刚吃子的棋子接着吃，或者停止。",
);

const FLIP_ON: Words = Words::new(
    "Your turn goes on: you turn over another piece, or you pass.",
    "您这一步还没走完：再翻一个暗子，或者停止。",
);

const THREE_CHECKS: Words = Words::new(
    "This piece has given check three times in a row. It must not check again now.",
    "这个棋子已连续将军三次，这一步不能再用它将军。",
);
