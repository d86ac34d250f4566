//! Perpetual chase: RULES.md section 7 and 9.16, settled there after the Asian rules.

use super::board::{Board, SQUARES};
use super::moves::{attackers, each_reach, guard, home_half};
use crate::bitboard::Bitboard;
use crate::game::Flow;
use crate::piece::{Colour, Kind};
use crate::repetition::QuietPly;
use crate::square::Square;

/// The enemy pieces that a side chases, its own ply just played.
fn chased(board: &Board, chaser: Colour) -> u128 {
    let mut chased = 0;
    let _ = each_chased(board, chaser, |prey| {
        chased |= u128::single(prey);
        Flow::Continue(())
    });
    chased
}

/// Whether a side chases anything, its own ply just played.
#[inline]
pub(super) fn is_chasing(board: &Board, chaser: Colour) -> bool {
    each_chased(board, chaser, |_| Flow::Break(())).is_break()
}

/// Visits the enemy pieces that a side chases, some perhaps more than once.
#[inline]
fn each_chased(board: &Board, chaser: Colour, mut visit: impl FnMut(Square) -> Flow) -> Flow {
    let victim = chaser.other();
    let immune = board.shape(Kind::General) | board.shape(Kind::Soldier) & home_half(victim);
    let quarry = board.colour(victim) & !immune;
    let hunters = !(board.shape(Kind::General) | board.shape(Kind::Soldier));
    // Those to whom a chariot is worth its protectors.
    let lesser = board.shape(Kind::Horse) | board.shape(Kind::Cannon);
    let occupied = board.occupied();
    // Prey that can take its hunter offers an exchange.
    let offers_exchange = |prey: Square, hunter: Square| {
        goes_to(board, victim, prey, hunter)
            && guard(board, victim).allows_taking(prey, hunter, occupied, u128::single(hunter))
    };
    each_reach(board, chaser, hunters, |hunter, reach| {
        for prey in (reach & quarry).ascending() {
            let is_cheap = lesser.contains(hunter) && board.shape(Kind::Chariot).contains(prey);
            // The test that decides most comes first, the one that decides least last.
            if (is_cheap || !is_protected(board, hunter, prey, victim))
                && !offers_exchange(prey, hunter)
                && guard(board, chaser).allows_taking(hunter, prey, occupied, u128::single(prey))
            {
                visit(prey)?;
            }
        }
        Flow::Continue(())
    })
}

/// Whether a colour's piece on `from` could go to `to` if no general had to be guarded.
fn goes_to(board: &Board, colour: Colour, from: Square, to: Square) -> bool {
    let is_it = |_, reach: u128| match reach.contains(to) {
        true => Flow::Break(()),
        false => Flow::Continue(()),
    };
    each_reach(board, colour, u128::single(from), is_it).is_break()
}

/// Whether the side whose piece on `prey` is taken by `hunter` can legally take back.
fn is_protected(board: &Board, hunter: Square, prey: Square, victim: Colour) -> bool {
    // The hunter now stands on the prey's square. What a covered one turns out to be cannot matter
    // to a piece that takes it.
    let occupied = board.occupied() & !u128::single(hunter);
    let gone = u128::single(hunter) | u128::single(prey);
    let protectors = attackers(board, victim, prey, occupied) & !u128::single(prey);
    protectors
        .ascending()
        .any(|from| guard(board, victim).allows_taking(from, prey, occupied, gone))
}

/// Whether the side that moved last, and the other side, left one and the same enemy piece chased
/// with every ply of the cycle that ends in this position.
pub(super) fn perpetual_chase(board: &Board, cycle: &[QuietPly]) -> [bool; 2] {
    // A cycle ends where it began, so it can be played forward from here. Pieces are told apart by
    // the square on which they began it.
    let mut board = board.clone();
    let mut origin: [usize; SQUARES] = std::array::from_fn(|index| index);
    let mut common = [!0_u128; 2];
    for ply in cycle {
        let side = board.mover();
        let contents = board.lift(ply.from());
        board.put(ply.to(), contents);
        board.pass_turn();
        origin[ply.to().index()] = origin[ply.from().index()];
        let chased = chased(&board, side).ascending();
        common[side.index()] &=
            u128::collect(chased.map(|square| Square::new(origin[square.index()])));
    }
    let last = board.mover().other();
    [last, last.other()].map(|side| !common[side.index()].is_empty())
}
