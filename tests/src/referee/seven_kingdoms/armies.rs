//! The seven armies at the start (RULES.md section 6).

use super::super::board::{Board, Square};
use super::pieces::{Kind, Kingdom, Piece};
use super::rules::{Rules, Setup};

/// The emperor's point, j10.
pub(super) const CENTRE: Square = Square { file: 10, rank: 10 };

/// The columns of the table of armies.
const KINDS: [Kind; 10] = [
    Kind::General,
    Kind::Chancellor,
    Kind::Diplomat,
    Kind::Cannon,
    Kind::Swordsman,
    Kind::Knight,
    Kind::Crossbowman,
    Kind::DaggerSoldier,
    Kind::Archer,
    Kind::GoBetween,
];

/// The table of armies, in turn order.
const ARMIES: [[&str; 10]; 7] = [
    ["a10", "a11", "a9", "b10", "a8 a12 b9 b11", "a7 a13 b8 b12", "c10", "c9 c11", "d10", "e10"],
    ["f1", "e1", "g1", "f2", "d1 h1 e2 g2", "c1 i1 d2 h2", "f3", "e3 g3", "f4", "f5"],
    ["n1", "m1", "o1", "n2", "l1 p1 m2 o2", "k1 q1 l2 p2", "n3", "m3 o3", "n4", "n5"],
    ["s6", "s5", "s7", "r6", "s4 s8 r5 r7", "s3 s9 r4 r8", "q6", "q5 q7", "p6", "o6"],
    [
        "s14",
        "s13",
        "s15",
        "r14",
        "s12 s16 r13 r15",
        "s11 s17 r12 r16",
        "q14",
        "q13 q15",
        "p14",
        "o14",
    ],
    [
        "n19",
        "o19",
        "m19",
        "n18",
        "l19 p19 m18 o18",
        "k19 q19 l18 p18",
        "n17",
        "m17 o17",
        "n16",
        "n15",
    ],
    [
        "f19",
        "g19",
        "e19",
        "f18",
        "d19 h19 e18 g18",
        "c19 i19 d18 h18",
        "f17",
        "e17 g17",
        "f16",
        "f15",
    ],
];

/// The board at the start: the armies of the kingdoms that are not left out, and the emperor.
pub(super) fn start(rules: &Rules) -> Board<Piece> {
    let mut board = Board::new(19, 19);
    board.put(CENTRE, Piece::Emperor);
    for (kingdom, army) in Kingdom::ALL.into_iter().zip(ARMIES) {
        if !rules.is_present(kingdom) {
            continue;
        }
        for (kind, points) in KINDS.into_iter().zip(army) {
            for point in points.split(' ') {
                board.put(square(point), Piece::Of(kingdom, placed(kind, kingdom, rules.setup)));
            }
        }
    }
    board
}

/// The kind that stands where the table has `kind`: elephantchess exchanges chancellor and diplomat
/// in the south.
fn placed(kind: Kind, kingdom: Kingdom, setup: Setup) -> Kind {
    let exchanged = setup == Setup::Elephantchess && matches!(kingdom, Kingdom::Chu | Kingdom::Han);
    match kind {
        Kind::Chancellor if exchanged => Kind::Diplomat,
        Kind::Diplomat if exchanged => Kind::Chancellor,
        _ => kind,
    }
}

/// The point of a name in the table.
fn square(name: &str) -> Square {
    let file = name.bytes().next().expect("a name begins with its file") - b'a' + 1;
    Square {
        file: i8::try_from(file).expect("a file of the board"),
        rank: name[1..].parse().expect("a rank of the board"),
    }
}
