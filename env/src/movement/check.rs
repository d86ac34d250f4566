//! What attacks a xiangqi general, and which plies leave it safe: written once for every board on
//! which generals face each other across files.

use super::tables::{Between, MoveTables};
use crate::board::{Bitboard, Square};

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

/// From where pieces get to a square of some board, by what stands on it.
pub trait Origins<B> {
    /// Along a file or rank over empty squares, as chariots do.
    fn sliding(&self, target: Square, occupied: B) -> B;
    /// Over exactly one piece, as cannons do that take. Empty squares may be among them or not.
    fn hopping(&self, target: Square, occupied: B) -> B;
    /// As horses leap.
    fn horse(&self, target: Square, occupied: B) -> B;
    /// As elephants leap.
    fn elephant(&self, target: Square, occupied: B) -> B;
}

/// A general with its enemies.
#[derive(Debug)]
pub struct KingSafety<'a, B, O> {
    /// Movement on this board.
    pub moves: &'a MoveTables<B>,
    /// The same backwards.
    pub origins: &'a O,
    /// The squares between two on one line.
    pub between: &'a Between<B>,
    /// For each square, those from which an enemy soldier attacks it.
    pub soldier_origins: &'a [B],
    /// Where the general stands.
    pub general: Square,
    /// All occupied squares.
    pub occupied: B,
    /// Its enemies.
    pub attackers: Attackers<B>,
}

impl<B: Bitboard, O: Origins<B>> KingSafety<'_, B, O> {
    /// Whether the general, standing on `square` among these occupied squares, would be attacked by
    /// enemies other than those on `taken`.
    #[inline]
    fn is_attacked(&self, square: Square, occupied: B, taken: B) -> bool {
        let Self { moves, origins, attackers, .. } = self;
        let steps = self.soldier_origins[square.index()] & attackers.soldiers
            | moves.diagonal(square) & attackers.advisors;
        // Few leapers are so near that their legs and eyes need a look.
        let leapers = attackers.horses | attackers.elephants;
        let leaps = if moves.leaps(square).meets(leapers) {
            origins.horse(square, occupied) & attackers.horses
                | origins.elephant(square, occupied) & attackers.elephants
        } else {
            B::EMPTY
        };
        // Of those on lines there is one as often as not, so they are looked up without asking.
        let facing = moves.file(square) & attackers.general;
        let along_lines = origins.sliding(square, occupied) & (attackers.chariots | facing)
            | origins.hopping(square, occupied) & attackers.cannons;
        (steps | leaps | along_lines).meets(!taken)
    }

    /// The enemies that would attack the general along lines but for what stands between.
    #[inline]
    fn sliders_on_lines(&self) -> B {
        let Attackers { general: facing, chariots, cannons, .. } = self.attackers;
        self.moves.lines(self.general) & (chariots | cannons)
            | self.moves.file(self.general) & facing
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
    pub fn check_info(&self) -> CheckInfo<B> {
        let mut check_info = CheckInfo { check: false, free: !B::EMPTY, screens: B::EMPTY };
        self.each_threat(|threat| {
            check_info.check |= threat.attacks;
            check_info.free &= threat.outside;
            check_info.screens |= threat.between;
        });
        check_info
    }

    /// Visits the enemies that attack the general, or would if one piece left or came.
    #[inline]
    fn each_threat(&self, mut visit: impl FnMut(Threat<B>)) {
        let Self { moves, general, occupied, .. } = *self;
        let Attackers { general: facing, advisors, elephants, horses, cannons, soldiers, .. } =
            self.attackers;
        for slider in self.sliders_on_lines().ascending() {
            let between = self.between.of(general, slider);
            // A ply that stays between leaves the number of screens as it is; one that leaves
            // takes one away, and one that comes to an empty square adds one.
            let stay = between & !occupied;
            // Taking the other general is not a way out of facing it.
            let taken = B::single(slider) & !facing;
            let screens = Screens::of(between & occupied);
            let (attacks, outside, inside) = match (cannons.contains(slider), screens) {
                (false, Screens::None) => (true, stay | taken, B::EMPTY),
                (false, Screens::One) => (false, !B::EMPTY, stay | taken),
                (true, Screens::None) => (false, !between, B::EMPTY),
                (true, Screens::One) => (true, stay | taken, !between),
                (true, Screens::Two) => (false, !B::EMPTY, stay | taken),
                (false, Screens::Two) | (_, Screens::More) => continue,
            };
            visit(Threat { attacks, between, inside, outside });
        }
        if moves.leaps(general).meets(horses | elephants) {
            let leaps = moves
                .horse_leaps_to(general, horses)
                .chain(moves.elephant_leaps_to(general, elephants));
            for (leg, leaper) in leaps {
                visit(if leg.meets(occupied) {
                    Threat { attacks: false, between: leg, inside: leaper, outside: !B::EMPTY }
                } else {
                    let outside = leg | leaper;
                    Threat { attacks: true, between: B::EMPTY, inside: B::EMPTY, outside }
                });
            }
        }
        let near =
            self.soldier_origins[general.index()] & soldiers | moves.diagonal(general) & advisors;
        for square in near.ascending() {
            let outside = B::single(square);
            visit(Threat { attacks: true, between: B::EMPTY, inside: B::EMPTY, outside });
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

    /// Those of the squares in `reach` to which the piece on `from`, which is not the general, can
    /// go without leaving it attacked. `check_info` is [`KingSafety::check_info`], worked out once per position.
    #[inline]
    pub fn legal(&self, from: Square, reach: B, check_info: &CheckInfo<B>) -> B {
        reach & if check_info.screens.contains(from) { self.allowed(from) } else { check_info.free }
    }

    /// Those of the squares in `reach` to which the general can go without being attacked there.
    #[inline]
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
        // Without branches: cheaper than counting where there is no instruction for it.
        let others = pieces.without_first();
        let is_there = |set: B| usize::from(!set.is_empty());
        let number = is_there(pieces) + is_there(others) + is_there(others.without_first());
        [Self::None, Self::One, Self::Two, Self::More][number]
    }
}

/// An enemy piece that attacks the general, or would if one piece left or came.
struct Threat<B> {
    /// Whether it attacks the general now.
    attacks: bool,
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckInfo<B> {
    /// Whether the general is attacked now, or faces the other one.
    pub check: bool,
    /// Where pieces may go that stand between no enemy and the general.
    free: B,
    /// Where the others stand.
    screens: B,
}
