//! gaiqi 盖棋: xiangqi movement on half a board; covered pieces can be captured. RULES.md section 1.

use std::sync::LazyLock;

use crate::board::{ActionTable, Bitboard, Colour, Kind, Square};
use crate::families::half_board::{
    CheckStreak, HalfBoard, MOVES, PublicState, SIZE, SquareContents, Variant,
};
use crate::game::{OptionSpec, Reason};
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

    fn options() -> &'static [OptionSpec<Gaiqi>] {
        &Gaiqi::COMMON_OPTIONS
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
