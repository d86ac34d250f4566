//! Perpetual chase: RULES.md section 7 and 9.16, settled there after the Asian rules.

use std::cell::LazyCell;

use super::board::{Board, SQUARES};
use super::moves::{attackers, guard, home_half, reach};
use crate::bitboard::Bitboard;
use crate::check::Guard;
use crate::piece::{Colour, Kind, Piece};
use crate::repetition::QuietPly;
use crate::square::Square;

/// The kinds of piece that chase.
const HUNTERS: [Kind; 5] =
    [Kind::Advisor, Kind::Elephant, Kind::Horse, Kind::Chariot, Kind::Cannon];

/// The enemy pieces that a side chases, its own ply just played.
pub(super) fn chased(board: &Board, chaser: Colour) -> u128 {
    let victim = chaser.other();
    let immune = board.shape(Kind::General) | board.shape(Kind::Soldier) & home_half(victim);
    let quarry = board.colour(victim) & !immune;
    let occupied = board.occupied();
    let attack = LazyCell::new(|| guard(board, chaser));
    let defence = LazyCell::new(|| guard(board, victim));
    // Prey that can take its hunter offers an exchange.
    let offers_exchange = |prey: Square, hunter: Square| {
        board.mover_at(prey).is_some_and(|piece| reach(board, prey, piece).contains(hunter))
            && defence.allows_taking(prey, hunter, occupied, u128::single(hunter))
    };
    let mut chased = 0;
    for kind in HUNTERS {
        for from in (board.colour(chaser) & board.shape(kind)).ascending() {
            let prey = reach(board, from, Piece { colour: chaser, kind }) & quarry & !chased;
            for square in prey.ascending() {
                let is_chariot = board.shape(Kind::Chariot).contains(square);
                let is_cheap = is_chariot && matches!(kind, Kind::Horse | Kind::Cannon);
                if attack.allows_taking(from, square, occupied, u128::single(square))
                    && !offers_exchange(square, from)
                    && (is_cheap || !is_protected(board, from, square, victim, &defence))
                {
                    chased |= u128::single(square);
                }
            }
        }
    }
    chased
}

/// Whether the side whose piece on `prey` is taken by `hunter` can legally take back.
fn is_protected(
    board: &Board,
    hunter: Square,
    prey: Square,
    victim: Colour,
    defence: &Guard<'_, u128>,
) -> bool {
    // The hunter now stands on the prey's square. What a covered one turns out to be cannot matter
    // to a piece that takes it.
    let occupied = board.occupied() & !u128::single(hunter);
    let gone = u128::single(hunter) | u128::single(prey);
    let protectors = attackers(board, victim, prey, occupied) & !u128::single(prey);
    protectors.ascending().any(|from| defence.allows_taking(from, prey, occupied, gone))
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
