//! gaiqi 盖棋: xiangqi movement on half a board; covered pieces can be captured. RULES.md section 1.

use std::sync::LazyLock;

use crate::board::{ActionTable, Bitboard, Colour, Kind, Square};
use crate::families::half_board::{
    CheckStreak, HalfBoard, MOVES, PublicState, SIZE, SquareContents, Variant,
};
use crate::game::{OptionSpec, Reason, Words};
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
    const RANKS: bool = false;
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
                "One square straight, then one diagonally outward. A piece on that first square blocks \
                 it.",
                "先直走一格，再向外斜走一格（日字）。直走的那一格有子就走不过去。",
            ),
            Kind::Chariot => Words::new(
                "Any number of squares in a straight line, as far as they are empty.",
                "直线走任意格，路上不能有子。",
            ),
            Kind::Cannon => Words::new(
                "Moves like a chariot. To take, it jumps over exactly one piece, face up or covered, and \
                 lands on the next one in the line.",
                "走法与车相同。吃子时必须正好跳过一个棋子（明子暗子都行），吃它后面的那个。",
            ),
            Kind::Soldier => Words::new(
                "One square straight, in any of the four directions.",
                "向前、后、左、右走一格。",
            ),
        }
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

    /// Check as RULES.md 9.11 defines it.
    fn gives_check(public: &PublicState, square: Square) -> bool {
        let SquareContents::Revealed(piece) = public.at(square) else { return false };
        public
            .general(piece.colour.other())
            .is_some_and(|general| attacks(piece.kind, square, general, public.occupied()))
    }

    /// The three-check rule: the targets where the mover's checking piece would give one check too
    /// many.
    fn forbidden(&self, public: &PublicState) -> Option<(Square, u32)> {
        let streak = public.check_streaks[public.mover]
            .filter(|streak| streak.checks >= CheckStreak::LIMIT)?;
        let from = streak.square;
        let SquareContents::Revealed(piece) = public.at(from) else { return None };
        let general = public.general(piece.colour.other())?;
        let targets_of = self.targets(public, piece.colour);
        let targets = targets_of(from, piece.kind);
        let checks_from = |to: Square| {
            // Capturing the general ends the game and is no check.
            let after = public.occupied() & !u32::single(from) | u32::single(to);
            to != general && attacks(piece.kind, to, general, after)
        };
        let forbidden = u32::collect(targets.ascending().filter(|&to| checks_from(to)));
        // The rule does not apply if it would leave no action: it forces variation, not a loss.
        let has_other_action = public.covered() != 0
            || targets != forbidden
            || public
                .revealed_pieces(piece.colour)
                .any(|(square, kind)| square != from && targets_of(square, kind) != 0);
        has_other_action.then_some((from, forbidden))
    }

    fn decided_by_capture(public: &PublicState) -> Option<(Colour, Reason)> {
        let colour = public.lost_general?;
        let is_own = public.owner(colour) != Some(public.mover);
        let reason = if is_own { Reason::OwnGeneralCaptured } else { Reason::GeneralCaptured };
        Some((colour, reason))
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

/// Whether a piece, standing on `square` with these squares occupied, attacks `target`.
#[inline]
fn attacks(kind: Kind, square: Square, target: Square, occupied: u32) -> bool {
    let target = u32::single(target);
    reach(kind, square, occupied, target).intersects(target)
}
