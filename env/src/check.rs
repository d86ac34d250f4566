//! What attacks a xiangqi general, and which plies leave it safe: written once for every board on
//! which generals face each other across files.

use crate::bitboard::Bitboard;
use crate::movement::{Moves, ORTHOGONAL, VERTICAL};
use crate::square::Square;

/// One side's pieces that can attack the other's general, by how they move.
#[derive(Clone, Copy, Debug)]
pub struct Attackers<B> {
    /// The general, who attacks along an open file.
    pub general: B,
    /// Pieces that step diagonally.
    pub advisors: B,
    /// Pieces that leap two squares diagonally.
    pub elephants: B,
    /// Pieces that leap as horses.
    pub horses: B,
    /// Pieces that slide.
    pub chariots: B,
    /// Pieces that hop over one piece.
    pub cannons: B,
    /// Soldiers.
    pub soldiers: B,
}

/// A general with its enemies.
#[derive(Debug)]
pub struct Guard<'a, B> {
    /// Movement on this board.
    pub moves: &'a Moves<B>,
    /// For each square, those from which an enemy soldier attacks it.
    pub soldier_origins: &'a [B],
    /// Where the general stands.
    pub general: Square,
    /// All occupied squares.
    pub occupied: B,
    /// Its enemies.
    pub attackers: Attackers<B>,
}

impl<B: Bitboard> Guard<'_, B> {
    /// Whether the general is attacked now, or faces the other one.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.is_attacked(self.general, self.occupied, B::EMPTY)
    }

    /// Whether the general, standing on `square` among these occupied squares, would be attacked by
    /// enemies other than those on `taken`.
    #[inline]
    fn is_attacked(&self, square: Square, occupied: B, taken: B) -> bool {
        let Self { moves, attackers, .. } = self;
        let steps = self.soldier_origins[square.index()] & attackers.soldiers
            | moves.diagonal(square) & attackers.advisors;
        // Legs and eyes need a look only where there is a leaper behind them.
        let leapers = attackers.horses | attackers.elephants;
        let leaps = if moves.leaps(square).meets(leapers) {
            moves.horse_origins(square, occupied) & attackers.horses
                | moves.elephant(square, occupied) & attackers.elephants
        } else {
            B::EMPTY
        };
        if (steps | leaps).meets(!taken) {
            return true;
        }
        let chariots = attackers.chariots & !taken;
        let cannons = attackers.cannons & !taken;
        let lines = chariots | cannons | attackers.general;
        if !moves.lines(square).meets(lines) {
            return false;
        }
        ORTHOGONAL.into_iter().any(|direction| {
            if !moves.ray(square, direction).meets(lines) {
                return false;
            }
            let Some(first) = moves.blocker(square, direction, occupied) else { return false };
            let faced = VERTICAL.contains(&direction) && attackers.general.contains(first);
            let second = || moves.blocker(first, direction, occupied);
            faced || chariots.contains(first) || second().is_some_and(|next| cannons.contains(next))
        })
    }

    /// Whether the piece on `from`, the general itself or one of its side, can take the enemy on
    /// `target` without leaving the general attacked, among these occupied squares and with no
    /// enemy on the squares `gone` any more.
    #[inline]
    pub fn allows_taking(&self, from: Square, target: Square, occupied: B, gone: B) -> bool {
        let general = if from == self.general { target } else { self.general };
        !self.is_attacked(general, occupied & !B::single(from), gone)
    }

    /// What the plies of the general's side must heed.
    #[inline]
    pub fn shield(&self) -> Shield<B> {
        let mut shield = Shield { free: !B::EMPTY, screens: B::EMPTY };
        self.each_threat(|threat| {
            shield.free &= threat.outside;
            shield.screens |= threat.between;
        });
        shield
    }

    /// Visits the enemies that attack the general, or would if one piece left or came.
    #[inline]
    fn each_threat(&self, mut visit: impl FnMut(Threat<B>)) {
        let Self { moves, general, occupied, .. } = *self;
        let Attackers { general: facing, advisors, elephants, horses, chariots, cannons, soldiers } =
            self.attackers;
        for direction in ORTHOGONAL {
            let ray = moves.ray(general, direction);
            let facing = if VERTICAL.contains(&direction) { facing } else { B::EMPTY };
            for slider in (ray & (chariots | cannons | facing)).ascending() {
                let place = B::single(slider);
                let between = ray & !moves.ray(slider, direction) & !place;
                let screens = (between & occupied).count();
                // A ply that stays between leaves the number of screens as it is; one that leaves
                // takes one away, and one that comes to an empty square adds one.
                let stay = between & !occupied;
                // Taking the other general is not a way out of facing it.
                let taken = if facing.contains(slider) { B::EMPTY } else { place };
                let (outside, inside) = match (cannons.contains(slider), screens) {
                    (false, 0) => (stay | taken, B::EMPTY),
                    (false, 1) => (!B::EMPTY, stay | taken),
                    (true, 0) => (!between, B::EMPTY),
                    (true, 1) => (stay | taken, !between),
                    (true, 2) => (!B::EMPTY, stay | taken),
                    _ => continue,
                };
                visit(Threat { between, inside, outside });
            }
        }
        if moves.leaps(general).meets(horses | elephants) {
            let leaps = moves
                .horse_leaps_to(general, horses)
                .chain(moves.elephant_leaps_to(general, elephants));
            for (leg, leaper) in leaps {
                visit(if leg.meets(occupied) {
                    Threat { between: leg, inside: leaper, outside: !B::EMPTY }
                } else {
                    Threat { between: B::EMPTY, inside: B::EMPTY, outside: leg | leaper }
                });
            }
        }
        let near =
            self.soldier_origins[general.index()] & soldiers | moves.diagonal(general) & advisors;
        for square in near.ascending() {
            let outside = B::single(square);
            visit(Threat { between: B::EMPTY, inside: B::EMPTY, outside });
        }
    }

    /// Where the piece on `from`, which is not the general, may go as far as the general goes.
    fn allowed(&self, from: Square) -> B {
        let mut allowed = !B::EMPTY;
        self.each_threat(|threat| {
            let between = threat.between.contains(from);
            allowed &= if between { threat.inside } else { threat.outside };
        });
        allowed
    }

    /// Those of the squares in `reach` to which the piece on `from`, the general itself or one of
    /// its side, can go without leaving the general attacked. `shield` is [`Guard::shield`], worked
    /// out once per position.
    #[inline]
    pub fn legal(&self, from: Square, reach: B, shield: &Shield<B>) -> B {
        if from != self.general {
            return reach
                & if shield.screens.contains(from) { self.allowed(from) } else { shield.free };
        }
        let occupied = self.occupied & !B::single(from);
        let is_safe = |&to: &Square| {
            let target = B::single(to);
            !self.is_attacked(to, occupied | target, target)
        };
        B::collect(reach.ascending().filter(is_safe))
    }
}

/// An enemy piece that attacks the general, or would if one piece left or came.
struct Threat<B> {
    /// The squares on which pieces stand in its way or serve it as screens.
    between: B,
    /// Where a piece may go that stands on one of them.
    inside: B,
    /// Where any other piece may go, the general aside.
    outside: B,
}

/// What the plies of a side must heed so that its general is not attacked: found once per position.
///
/// One ply changes the number of pieces between an enemy and the general by one at most, so each
/// enemy that is near to attacking allows some squares and forbids others, whatever else stands
/// where.
#[derive(Clone, Copy, Debug)]
pub struct Shield<B> {
    /// Where pieces may go that stand between no enemy and the general.
    free: B,
    /// Where the others stand.
    screens: B,
}
