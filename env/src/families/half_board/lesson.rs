//! How games on the half board are played, and why a piece does not go where a person wants it to.

use super::state::{PublicState, SquareContents, View};
use super::{HalfBoard, MOVES, SIZE, Variant};
use crate::board::{Bitboard, Colour, Kind, Move, Perspective, Piece, Square};
use crate::game::{
    Captures, Example, GameExt, Lesson, Notation, PieceLesson, Taking, Topic, Words, XIANGQI_NAMES,
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
fn position<V: Variant>(pieces: &str) -> String {
    position_after::<V>(pieces, "-")
}

/// The same after checks, as the last field of a FEN of a game with the three-check rule has them.
fn position_after<V: Variant>(pieces: &str, checks: &str) -> String {
    let board = board_of(SIZE, pieces);
    let checks = if V::THREE_CHECKS { format!(" {checks}") } else { String::new() };
    format!("{board} 1 r - 0 0{checks}")
}

fn square(name: &str) -> Square {
    SIZE.parse(name).expect("it is on the board")
}

fn example(fen: String, from: &str, to: Option<&str>) -> Option<Example> {
    Some(Example { fen, square: square(from), to: to.map(square) })
}

fn name(kind: Kind) -> Words {
    XIANGQI_NAMES[kind.index()].1.clone()
}

/// Whether the first of these pieces, which is red, takes on a square.
fn takes<V: Variant>(rules: &HalfBoard<V>, pieces: &str, target: &str) -> bool {
    let state = rules.parse_fen(&position::<V>(pieces)).expect("the pieces make a position");
    let target = square(target);
    let is_capture = |action| match V::table().get_move(action, Perspective::Upright) {
        Move::Step { to, .. } => to == target,
        Move::Flip(_) | Move::Pass => false,
    };
    rules.actions(&state).into_iter().any(is_capture)
}

/// Which kinds take which, tried out; `None` where each takes all.
fn captures<V: Variant>(rules: &HalfBoard<V>) -> Option<Captures> {
    let kinds = Kind::ALL;
    let taking = |captor: Kind, victim: Kind| {
        let [captor, victim] = [captor, victim].map(|kind| Kind::LETTERS[kind.index()]);
        let victim = victim.to_ascii_lowercase();
        if takes(rules, &format!("{captor}d2 {victim}e2"), "e2") {
            Some(Taking::Beside)
        } else {
            takes(rules, &format!("{captor}d2 {victim}f2 ~ee2"), "f2").then_some(Taking::Over)
        }
    };
    let rows: Vec<Vec<_>> =
        kinds.map(|captor| kinds.map(|victim| taking(captor, victim)).to_vec()).to_vec();
    // Where pieces move in ways of their own, a neighbouring square tells nothing of whom they take.
    V::RANKS.then(|| Captures { letters: Kind::LETTERS.to_vec(), rows })
}

fn pieces<V: Variant>(rules: &HalfBoard<V>) -> Vec<PieceLesson> {
    let lesson = |(kind, pieces): (Kind, &str)| PieceLesson {
        letter: Kind::LETTERS[kind.index()],
        characters: Colour::ALL.map(|colour| Piece { colour, kind }.character()).iter().collect(),
        moves: rules.variant.movement(kind),
        becomes: None,
        example: example(position::<V>(pieces), "d2", None),
    };
    EXAMPLES.map(lesson).to_vec()
}

/// What is hidden, and who may take it.
fn topics<V: Variant>(rules: &HalfBoard<V>) -> Vec<Topic> {
    let mut topics = Vec::new();
    let are_taken = takes(rules, "Rd2 ~pe2", "e2");
    topics.push(if are_taken {
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
            text: if V::ROYAL { Words::joined(&[text, own]) } else { text },
            example: example(position::<V>("Rc2 ~cg2 pc4"), "c2", Some("g2")),
        }
    } else {
        Topic {
            title: Words::new("Covered pieces are safe", "暗子不能吃"),
            text: Words::new(
                "Only face-up enemy pieces are taken. A covered piece cannot be taken, and it blocks the way.",
                "只能吃对方的明子。暗子不能被吃，也挡住去路。",
            ),
            example: None,
        }
    });
    if V::ROYAL {
        topics.push(Topic::new(
            Words::new("The general in danger", "将的危险"),
            Words::new(
                "A general that could be taken next is in check, but there is no duty to save it. You may \
                 leave or put your general where it can be taken, and nobody warns you. The generals may \
                 face each other.",
                "没有必须应将的规定：可以让自己的将留在会被吃掉的地方，也没有人提醒。两将可以照面。",
            ),
        ));
    }
    if V::THREE_CHECKS {
        topics.push(Topic {
            title: Words::new("Three checks", "三次将军"),
            text: Words::new(
                "A piece checks when it moves and then attacks the face-up enemy general. After three turns \
                 in a row in which one and the same piece of yours checked, that piece must not check \
                 again in your next turn. Any other move is allowed, and so is taking the general. In the \
                 picture the chariot has checked three times: it may go anywhere except where it would \
                 check again. If you could do nothing else at all, the rule does not hold.",
                "棋子走动后攻击到对方已翻开的将，就是将军。同一个棋子连续三步将军后，下一步不能再用它将军。\
                 其他着法都可以，也可以直接吃掉将。图中的车已经连续将军三次，\
                 它可以走到任何不再将军的地方。如果除此以外完全无事可做，这条规则不起作用。",
            ),
            example: example(position_after::<V>("Ra2 ke4 ~ph1", "a2x3,-"), "a2", None),
        });
    }
    topics.extend(rules.variant.topics());
    topics
}

/// The lesson of a game on the half board.
pub(super) fn lesson<V: Variant>(rules: &HalfBoard<V>) -> Lesson {
    let mut ends = Vec::new();
    if V::ROYAL {
        ends.push(Words::new(
            "A general is taken: its side loses, whoever took it.",
            "将被吃掉：这一方输，不管是谁吃的。",
        ));
    } else {
        ends.push(Words::new(
            "All 16 pieces of a player are taken: that player loses. The loss of the general alone does \
             not lose.",
            "一方的16个棋子全部被吃：这一方输。只丢掉将不算输。",
        ));
    }
    ends.push(Words::new(
        "A player who can neither turn a piece over nor move one loses.",
        "轮到走棋时既不能翻子也不能走子的一方输。",
    ));
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
    let deal = board_of(SIZE, start);
    let checks = if V::THREE_CHECKS { " -" } else { "" };
    Lesson {
        goal: if V::ROYAL {
            Words::new(
                "Take the enemy general. A player whose general is taken loses.",
                "吃掉对方的将。将被吃掉的一方输。",
            )
        } else {
            Words::new("Take all pieces of the other player.", "吃光对方的棋子。")
        },
        turn: vec![
            Words::new(
                "All 32 pieces of a xiangqi set lie face down, shuffled, on the 32 squares of half a \
                 board. Each side has a general, five soldiers and two of each other kind. Nobody knows \
                 which piece lies where, or whose it is.",
                "一副象棋的32个棋子洗乱后全部扣放在半张棋盘的32个格子里。每方一个将、五个兵，其他各两个。谁也不知道哪里是什么棋子、是哪一方的。",
            ),
            Words::new(
                "In your turn you do one of two things: you turn a covered piece over, or you move a \
                 face-up piece of your own colour.",
                "每一步只做一件事：翻开一个暗子，或者走一个己方颜色的明子。",
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
        first: example(format!("{deal} 1 - - 0 0{checks}"), "d2", Some("d2")),
        pieces: pieces(rules),
        covered: Some(if takes(rules, "Rd2 ~pe2", "e2") {
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

/// A board with nothing but the piece on a square and what stands on another.
fn alone(public: &PublicState, from: Square, to: Square) -> PublicState {
    let mut board = PublicState::empty();
    for on in [from, to] {
        if public.at(on) != SquareContents::Empty {
            board.board.put(on, public.at(on));
        }
    }
    board
}

/// Why the mover's piece on `from` does not go to `to`, or anywhere.
pub(super) fn objection<V: Variant>(
    rules: &HalfBoard<V>,
    view: &View<'_>,
    from: Square,
    to: Option<Square>,
) -> Option<Words> {
    let (variant, public) = (&rules.variant, view.public);
    let SquareContents::Revealed(Piece { colour, kind }) = public.at(from) else { return None };
    let targets = variant.targets(public, colour)(from, kind);
    let Some(to) = to else {
        return (targets != 0).then_some(THREE_CHECKS);
    };
    if targets.contains(to) {
        return Some(THREE_CHECKS);
    }
    let alone = alone(public, from, to);
    let is_attacked = variant.attacks(kind, from, public.occupied()).contains(to);
    match public.at(to) {
        SquareContents::Covered if is_attacked => Some(Words::new(
            "A covered piece cannot be taken in this game.",
            "这种玩法不能吃暗子。",
        )),
        SquareContents::Revealed(victim) if is_attacked => {
            let (captor, victim) = (name(kind), name(victim.kind));
            Some(words!(
                "A {} does not take a {}: see who takes whom in the rules.",
                "{}不能吃{}，请看规则里的吃子表。",
                captor,
                victim
            ))
        }
        _ if variant.targets(&alone, colour)(from, kind).contains(to) => Some(objections::BLOCKED),
        SquareContents::Covered | SquareContents::Revealed(_) => {
            let is_line = MOVES.lines(from).contains(to);
            let takes = variant.attacks(kind, from, alone.occupied()).contains(to);
            (kind == Kind::Cannon && is_line && !takes).then_some(objections::NEEDS_SCREEN)
        }
        SquareContents::Empty => None,
    }
}

const THREE_CHECKS: Words = Words::new(
    "This piece has given check three times in a row. It must not check again now.",
    "这个棋子已连续将军三次，这一步不能再用它将军。",
);
