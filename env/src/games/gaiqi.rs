//! gaiqi 盖棋: xiangqi movement on half a board; covered pieces can be captured. RULES.md section 1.

use std::sync::LazyLock;

use crate::board::{ActionTable, Colour, Kind, Square};
use crate::families::half_board::{CoveredCaptures, HalfBoard, MOVES, PublicState, SIZE, Variant};
use crate::game::{OptionSpec, Words};
use crate::movement::{Leaps, Shapes};

static TABLE: LazyLock<ActionTable> =
    LazyLock::new(|| ActionTable::new(SIZE, true, |from| MOVES.any_shape(from)));

/// The game gaiqi.
pub type Gaiqi = HalfBoard<Rules>;

/// The rules of gaiqi, which has no options of its own.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Rules;

impl Variant for Rules {
    const NAME: &'static str = "gaiqi";
    const ABOUT: &'static str =
        "half-board xiangqi with all pieces and colours covered; covered pieces can be captured";
    const THREE_CHECKS: bool = true;
    const ROYAL: bool = true;
    const COVERED_CAPTURES: CoveredCaptures = CoveredCaptures::Always;
    const SECTION: u8 = 1;

    fn options() -> &'static [OptionSpec<Gaiqi>] {
        &Gaiqi::COMMON_OPTIONS
    }

    fn movement(&self, kind: Kind) -> Words {
        match kind {
            Kind::General => Words::new(
                "One square in any of the eight directions, anywhere on the board.",
                "横、竖、斜走一格，可以走遍全盘。",
            ),
            Kind::Advisor => Words::new(
                "One square diagonally, anywhere on the board.",
                "斜走一格，可以走遍全盘。",
            ),
            Kind::Elephant => Words::new(
                "Exactly two squares diagonally. A piece on the square between blocks it.",
                "斜走两格（田字），中间的格子有子就走不过去。",
            ),
            Kind::Horse => Words::new(
                "One square straight, then one diagonally, farther away from where it started. A piece on \
                 that first square blocks it.",
                "先直走一格，再向外斜走一格（日字）。直走的那一格有子就走不过去。",
            ),
            Kind::Chariot => Words::new(
                "Any number of empty squares in a straight line. It takes the first piece that it meets, unless \
                 that is yours and lies face up.",
                "直线走任意格，路上不能有子，可以吃遇到的第一个子（己方明子除外）。",
            ),
            Kind::Cannon => Words::new(
                "Moves like a chariot. To take, it jumps over exactly one piece of either side, face up or \
                 covered, and lands on the next one in the line, with any number of empty squares before \
                 and behind the piece between.",
                "走法与车相同。吃子时必须正好跳过一个棋子（明子暗子都行），吃它后面的那个。",
            ),
            Kind::Soldier => Words::new(
                "One square straight, in any of the four directions.",
                "向前、后、左、右走一格。",
            ),
        }
    }

    fn usual_moves(&self, kind: Kind) -> &'static str {
        match kind {
            Kind::General => "K",
            Kind::Advisor => "F",
            Kind::Elephant => "nA",
            Kind::Horse => "nN",
            Kind::Chariot => "R",
            Kind::Cannon => "mRcpR",
            Kind::Soldier => "W",
        }
    }

    fn usual_takes(&self, _: Kind) -> u8 {
        (1 << Kind::ALL.len()) - 1
    }

    fn table() -> &'static ActionTable {
        &TABLE
    }

    #[inline]
    fn targets(&self, public: &PublicState, colour: Colour) -> impl Fn(Square, Kind) -> u32 {
        let occupied = public.occupied();
        let capturable = public.revealed(colour.other()) | public.covered();
        move |from, kind| reach(kind, from, occupied, capturable)
    }

    fn attacks(&self, kind: Kind, from: Square, occupied: u32) -> u32 {
        SHAPES.reach(kind.index(), from, occupied) & occupied
    }
}

static SHAPES: LazyLock<Shapes<u32, { Kind::ALL.len() }, { SIZE.files }, { SIZE.ranks }>> =
    LazyLock::new(|| {
        Shapes::new(&MOVES, Kind::ALL, |kind, from| match Kind::ALL[kind] {
            Kind::General => Leaps::unhindered(MOVES.orthogonal(from) | MOVES.diagonal(from)),
            Kind::Advisor => Leaps::unhindered(MOVES.diagonal(from)),
            Kind::Elephant => MOVES.elephant_leaps(from),
            Kind::Horse => MOVES.horse_leaps(from),
            Kind::Soldier => Leaps::unhindered(MOVES.orthogonal(from)),
            Kind::Chariot | Kind::Cannon => unreachable!("these go along lines"),
        })
    });

/// The targets of a piece: empty squares, and captures among `capturable`.
// Not inlined: measured 17 % slower inlined, because the loop over the pieces runs out of
// registers.
#[inline(never)]
fn reach(kind: Kind, from: Square, occupied: u32, capturable: u32) -> u32 {
    SHAPES.reach(kind.index(), from, occupied) & (!occupied | capturable)
}
