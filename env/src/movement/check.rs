//! Checks, check evasions and pinned pieces, for every board on which generals face each other
//! along files.
//!
//! Chess programming generates legal moves from the pieces that give check, the squares between
//! them and the king, and the pinned pieces (chessprogramming.org, "Checks and Pinned Pieces").
//! Xiangqi adds two cases. A cannon attacks over exactly one piece, so a piece may be pinned
//! because it would become a screen, or stop being one. Horses and elephants can be blocked, so the
//! piece on a leg is pinned as well.

use super::tables::{Between, MoveTables};
use crate::board::{Bitboard, Kind, Square};

/// The enemy pieces that can attack a general, by how they move.
#[derive(Clone, Copy, Debug)]
pub struct Attackers<B> {
    /// The enemy general: it attacks along an open file (the "flying general").
    pub general: B,
    /// Pieces that step diagonally.
    pub advisors: B,
    /// Pieces that leap two squares diagonally, as elephants.
    pub elephants: B,
    /// Pieces that leap as horses.
    pub horses: B,
    /// Pieces that slide along files and ranks.
    pub chariots: B,
    /// Pieces that capture over one piece.
    pub cannons: B,
    /// Soldiers.
    pub soldiers: B,
}

impl<B> Attackers<B> {
    /// Pieces that move as their kinds do: `pieces` gives those of a kind.
    #[inline]
    pub fn of(pieces: impl Fn(Kind) -> B) -> Self {
        Self {
            general: pieces(Kind::General),
            advisors: pieces(Kind::Advisor),
            elephants: pieces(Kind::Elephant),
            horses: pieces(Kind::Horse),
            chariots: pieces(Kind::Chariot),
            cannons: pieces(Kind::Cannon),
            soldiers: pieces(Kind::Soldier),
        }
    }
}

/// The squares from which a piece of some movement attacks a target square (reverse attacks).
pub trait AttackOrigins<B> {
    /// For chariots: along a file or rank over empty squares.
    fn sliding(&self, target: Square, occupied: B) -> B;
    /// For cannons that capture: over exactly one piece. The set may contain empty squares as well.
    fn hopping(&self, target: Square, occupied: B) -> B;
    /// For horses.
    fn horse(&self, target: Square, occupied: B) -> B;
    /// For elephants.
    fn elephant(&self, target: Square, occupied: B) -> B;
}

/// A general and the enemy pieces that can attack it.
#[derive(Debug)]
pub struct KingSafety<'a, B, O> {
    /// Movement tables of this board.
    pub moves: &'a MoveTables<B>,
    /// Reverse attacks of this board.
    pub origins: &'a O,
    /// The squares between any two on one line.
    pub between: &'a Between<B>,
    /// By square, the squares from which an enemy soldier attacks it.
    pub soldier_origins: &'a [B],
    /// The square of the general.
    pub general: Square,
    /// All occupied squares.
    pub occupied: B,
    /// The enemy pieces.
    pub attackers: Attackers<B>,
}

impl<B: Bitboard, O: AttackOrigins<B>> KingSafety<'_, B, O> {
    /// Whether a general on `square`, with these squares occupied, would be attacked by an enemy
    /// that is not on `captured`.
    #[inline]
    fn is_attacked(&self, square: Square, occupied: B, captured: B) -> bool {
        let Self { moves, origins, attackers, .. } = self;
        let steps = self.soldier_origins[square.index()] & attackers.soldiers
            | moves.diagonal(square) & attackers.advisors;
        // Leapers are seldom near enough for their legs and eyes to matter.
        let leapers = attackers.horses | attackers.elephants;
        let leaps = if moves.leaps(square).intersects(leapers) {
            origins.horse(square, occupied) & attackers.horses
                | origins.elephant(square, occupied) & attackers.elephants
        } else {
            B::EMPTY
        };
        // About half of the time there is one on a line: a lookup costs less than the branch.
        let facing = moves.file(square) & attackers.general;
        let along_lines = origins.sliding(square, occupied) & (attackers.chariots | facing)
            | origins.hopping(square, occupied) & attackers.cannons;
        (steps | leaps | along_lines).intersects(!captured)
    }

    /// The enemies that would attack the general along lines on an empty board.
    #[inline]
    fn sliders_on_lines(&self) -> B {
        let Attackers { general: facing, chariots, cannons, .. } = self.attackers;
        self.moves.lines(self.general) & (chariots | cannons)
            | self.moves.file(self.general) & facing
    }

    /// Whether the general is safe after the piece on `from` has captured on `target`. The piece is
    /// of the general's own side or the general itself. `occupied` are the occupied squares before
    /// the capture; `captured` are squares whose enemies are off the board.
    #[inline]
    pub fn capture_is_safe(&self, from: Square, target: Square, occupied: B, captured: B) -> bool {
        let general = if from == self.general { target } else { self.general };
        !self.is_attacked(general, occupied & !B::single(from), captured)
    }

    /// Whether the general faces the enemy general after a move of its own side, with nothing between them.
    pub fn faces_after(&self, from: Square, to: Square) -> bool {
        let Self { moves, origins, attackers, .. } = self;
        let general = if from == self.general { to } else { self.general };
        let occupied = self.occupied & !B::single(from) | B::single(to);
        let facing = moves.file(general) & attackers.general & !B::single(to);
        origins.sliding(general, occupied).intersects(facing)
    }

    /// Checks and pins against the general.
    #[inline]
    pub fn check_info(&self) -> CheckInfo<B> {
        let mut check_info = CheckInfo::without_pins(false);
        self.each_threat(|threat| {
            check_info.check |= threat.attacks;
            check_info.unpinned_targets &= threat.targets_of_others;
            check_info.pinned |= threat.pinned;
        });
        check_info
    }

    /// Visits the enemies that attack the general, or would after one ply of its side.
    #[inline(always)]
    fn each_threat(&self, mut visit: impl FnMut(Threat<B>)) {
        let Self { moves, general, occupied, .. } = *self;
        let Attackers { general: facing, advisors, elephants, horses, cannons, soldiers, .. } =
            self.attackers;
        for slider in self.sliders_on_lines().ascending() {
            let between = self.between.of(general, slider);
            // A ply from one square between to another keeps the number of screens; a ply away from
            // the line removes one, and a ply to an empty square between adds one.
            let stay = between & !occupied;
            // Capturing the other general does not answer its attack.
            let capture = B::single(slider) & !facing;
            let screens = Screens::of(between & occupied);
            let (attacks, targets_of_others, targets_of_pinned) =
                match (cannons.contains(slider), screens) {
                    (false, Screens::None) => (true, stay | capture, B::EMPTY),
                    (false, Screens::One) => (false, !B::EMPTY, stay | capture),
                    (true, Screens::None) => (false, !between, B::EMPTY),
                    (true, Screens::One) => (true, stay | capture, !between),
                    (true, Screens::Two) => (false, !B::EMPTY, stay | capture),
                    (false, Screens::Two) | (_, Screens::More) => continue,
                };
            visit(Threat { attacks, pinned: between, targets_of_pinned, targets_of_others });
        }
        if moves.leaps(general).intersects(horses | elephants) {
            let leaps = moves
                .horse_leaps_to(general, horses)
                .chain(moves.elephant_leaps_to(general, elephants));
            for (leg, leaper) in leaps {
                visit(if leg.intersects(occupied) {
                    Threat {
                        attacks: false,
                        pinned: leg,
                        targets_of_pinned: leaper,
                        targets_of_others: !B::EMPTY,
                    }
                } else {
                    Threat::checker(leg | leaper)
                });
            }
        }
        let contact =
            self.soldier_origins[general.index()] & soldiers | moves.diagonal(general) & advisors;
        for square in contact.ascending() {
            visit(Threat::checker(B::single(square)));
        }
    }

    /// The squares to which the pinned piece on `from` may go without exposing the general.
    fn targets_of_pinned(&self, from: Square) -> B {
        let mut allowed = !B::EMPTY;
        self.each_threat(|threat| {
            let is_pinned = threat.pinned.contains(from);
            allowed &= if is_pinned { threat.targets_of_pinned } else { threat.targets_of_others };
        });
        allowed
    }

    /// The legal targets among the pseudo-legal targets `reach` of the piece on `from`, which is
    /// not the general. `check_info` is [`KingSafety::check_info`], computed once per position.
    #[inline]
    pub fn legal(&self, from: Square, reach: B, check_info: &CheckInfo<B>) -> B {
        let is_pinned = check_info.pinned.contains(from);
        reach & if is_pinned { self.targets_of_pinned(from) } else { check_info.unpinned_targets }
    }

    /// The legal targets among the pseudo-legal targets `reach` of the general.
    #[inline(always)]
    pub fn legal_for_general(&self, reach: B) -> B {
        let occupied = self.occupied & !B::single(self.general);
        reach.ascending().fold(B::EMPTY, |legal, to| {
            let target = B::single(to);
            let attacked = self.is_attacked(to, occupied | target, target);
            legal | if attacked { B::EMPTY } else { target }
        })
    }
}

/// How many pieces stand between two others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Screens {
    None,
    One,
    Two,
    More,
}

impl Screens {
    #[inline]
    fn of<B: Bitboard>(pieces: B) -> Self {
        // Without branches: cheaper than a population count where the processor has no instruction
        // for it.
        let others = pieces.without_first();
        let is_there = |set: B| usize::from(!set.is_empty());
        let number = is_there(pieces) + is_there(others) + is_there(others.without_first());
        [Self::None, Self::One, Self::Two, Self::More][number]
    }
}

/// An enemy piece that attacks the general, or would after one ply of its side.
struct Threat<B> {
    /// Whether it attacks the general now.
    attacks: bool,
    /// The squares on which a piece blocks it or serves it as a screen.
    pinned: B,
    /// Where a piece on one of these squares may go.
    targets_of_pinned: B,
    /// Where any other piece may go, except the general.
    targets_of_others: B,
}

impl<B: Bitboard> Threat<B> {
    /// A check that no piece blocks: only a ply to one of these squares answers it.
    #[inline]
    fn checker(evasions: B) -> Self {
        let (pinned, targets_of_pinned) = (B::EMPTY, B::EMPTY);
        Self { attacks: true, pinned, targets_of_pinned, targets_of_others: evasions }
    }
}

/// Checks and pins against the general of the mover, computed once per position.
///
/// One ply changes the number of pieces between an enemy and the general by at most one. Each enemy
/// that gives check or could after one ply therefore restricts the target squares, independently of
/// the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckInfo<B> {
    /// Whether the general is in check; facing the other general counts as check.
    pub check: bool,
    /// Where pieces may go that are not pinned.
    unpinned_targets: B,
    /// Squares on which a piece is pinned. They may be empty.
    pinned: B,
}

impl<B: Bitboard> CheckInfo<B> {
    /// Whether the general is in check, and no pins.
    pub fn without_pins(check: bool) -> Self {
        Self { check, unpinned_targets: !B::EMPTY, pinned: B::EMPTY }
    }
}
