//! Check, and the three-check rule: RULES.md 9.11 and section 1.

use super::{CheckStreak, HalfBoard, PublicState, SquareContents, Variant};
use crate::board::{Bitboard, Kind, Square};

impl<V: Variant> HalfBoard<V> {
    /// Whether the three-check rule holds: it is about generals whose loss loses.
    pub(super) fn has_three_checks(&self) -> bool {
        V::THREE_CHECKS && self.is_royal()
    }

    /// Whether a piece of this kind, standing on `square` with these squares occupied, checks one of
    /// these generals.
    #[inline]
    fn checks(&self, kind: Kind, square: Square, generals: u32, occupied: u32) -> bool {
        self.attacks_of(kind, square, occupied).intersects(generals)
            && self.plan.as_ref().is_none_or(|plan| plan.takes(kind, Kind::General))
    }

    /// Whether the revealed piece on `square` checks the enemy's revealed general; always false in games
    /// without the three-check rule.
    #[inline]
    pub(super) fn gives_check(&self, public: &PublicState, square: Square) -> bool {
        if !self.has_three_checks() {
            return false;
        }
        let SquareContents::Revealed(piece) = public.at(square) else { return false };
        let generals = public.generals(piece.colour.other());
        !generals.is_empty() && self.checks(piece.kind, square, generals, public.occupied())
    }

    /// A piece with forbidden targets, its square and these: where the mover's checking piece would give
    /// one check too many.
    #[inline]
    pub(super) fn forbidden(&self, public: &PublicState) -> Option<(Square, u32)> {
        if !self.has_three_checks() {
            return None;
        }
        let streak = public.check_streaks[public.mover]
            .filter(|streak| streak.checks >= CheckStreak::LIMIT)?;
        self.forbidden_after(public, streak)
    }

    #[cold]
    fn forbidden_after(&self, public: &PublicState, streak: CheckStreak) -> Option<(Square, u32)> {
        let from = streak.square;
        let SquareContents::Revealed(piece) = public.at(from) else { return None };
        let generals = public.generals(piece.colour.other());
        if generals.is_empty() {
            return None;
        }
        let targets_of = self.targets(public, piece.colour);
        let targets = targets_of(from, piece.kind);
        let checks_from = |to: Square| {
            // Capturing a general ends the game and is no check.
            let after = public.occupied() & !u32::single(from) | u32::single(to);
            !generals.contains(to) && self.checks(piece.kind, to, generals, after)
        };
        let forbidden = u32::collect(targets.ascending().filter(|&to| checks_from(to)));
        // The rule does not apply if it would leave no action: it forces variation, not a loss.
        let has_other_action = public.covered() != 0
            || public.rest.is_some()
            || targets != forbidden
            || public
                .revealed_pieces(piece.colour)
                .any(|(square, kind)| square != from && targets_of(square, kind) != 0);
        has_other_action.then_some((from, forbidden))
    }
}
