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
        let near = self.soldier_origins[square.index()] & attackers.soldiers
            | moves.horse_origins(square, occupied) & attackers.horses
            | moves.diagonal(square) & attackers.advisors
            | moves.elephant(square, occupied) & attackers.elephants;
        if near.meets(!taken) {
            return true;
        }
        let chariots = attackers.chariots & !taken;
        let cannons = attackers.cannons & !taken;
        let lines = chariots | cannons | attackers.general;
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

    /// The squares that matter to a general which stands still unattacked: a ply that neither leaves
    /// nor enters them cannot open an attack on it. They are the squares between it and the enemy's
    /// chariots, cannons and general on its lines, and the legs and eyes of horses and elephants in
    /// reach of it.
    #[inline]
    pub fn zone(&self) -> B {
        let Self { moves, attackers, general, .. } = *self;
        let sliders = attackers.chariots | attackers.cannons;
        let mut zone = B::EMPTY;
        for direction in ORTHOGONAL {
            let facing = if VERTICAL.contains(&direction) { attackers.general } else { B::EMPTY };
            let ray = moves.ray(general, direction);
            for slider in (ray & (sliders | facing)).ascending() {
                zone |= ray & !moves.ray(slider, direction);
            }
        }
        let leapers = moves.horse_origins(general, B::EMPTY) & attackers.horses
            | moves.elephant(general, B::EMPTY) & attackers.elephants;
        if !leapers.is_empty() {
            // Seen from the general, legs of horses and eyes of elephants are its diagonals.
            zone |= moves.diagonal(general);
        }
        zone
    }

    /// Those of the squares in `reach` to which the piece on `from`, the general itself or one of
    /// its side, can go without leaving the general attacked. `zone` is [`Guard::zone`] and `check`
    /// [`Guard::in_check`], worked out once per position.
    #[inline]
    pub fn legal(&self, from: Square, reach: B, zone: B, check: bool) -> B {
        let all_doubtful = check || from == self.general || zone.contains(from);
        let doubtful = if all_doubtful { reach } else { reach & zone };
        let is_unsafe = |&to: &Square| {
            let target = B::single(to);
            let occupied = self.occupied & !B::single(from) | target;
            let general = if from == self.general { to } else { self.general };
            self.is_attacked(general, occupied, target)
        };
        doubtful.ascending().filter(is_unsafe).fold(reach, |legal, to| legal ^ B::single(to))
    }
}
