//! Perpetual chase: RULES.md section 7 and 9.16, settled there after the Asian rules.

use super::board::{Board, Contents, SQUARES};
use super::moves::{Plies, has_crossed};
use crate::bitboard::Bitboard;
use crate::piece::{Colour, Kind};
use crate::repetition::QuietPly;
use crate::square::Square;

/// The enemy pieces that a side chases, its own ply just played.
pub(super) fn chased(board: &Board, chaser: Colour) -> u128 {
    let victim = chaser.other();
    let attack = Plies::new(board, chaser);
    let defence = Plies::new(board, victim);
    let can_be_chased = |&square: &Square| {
        board.mover_at(square).is_some_and(|piece| match piece.kind {
            Kind::General => false,
            Kind::Soldier => has_crossed(victim, square),
            _ => true,
        })
    };
    let mut chased = 0;
    for from in board.colour(chaser).ascending() {
        let Some(hunter) = board.mover_at(from) else { continue };
        if matches!(hunter.kind, Kind::General | Kind::Soldier) {
            continue;
        }
        let prey = attack.targets_among(from, board.colour(victim) & !chased);
        for square in prey.ascending().filter(can_be_chased) {
            // Prey that can take its hunter offers an exchange.
            if defence.targets_among(square, u128::single(from)) != 0 {
                continue;
            }
            let is_chariot = board.shape(Kind::Chariot).contains(square);
            let cheaper = is_chariot && matches!(hunter.kind, Kind::Horse | Kind::Cannon);
            if cheaper || !is_protected(board, from, square) {
                chased |= u128::single(square);
            }
        }
    }
    chased
}

/// Whether the side whose piece on `prey` is taken from `hunter` can legally take back.
fn is_protected(board: &Board, hunter: Square, prey: Square) -> bool {
    let Some(piece) = board.mover_at(hunter) else { return false };
    let mut after = board.clone();
    after.lift(hunter);
    after.lift(prey);
    // What a covered hunter turns out to be cannot matter to a piece that takes it.
    after.put(prey, Contents::Revealed(piece));
    let victim = piece.colour.other();
    let plies = Plies::new(&after, victim);
    let prey = u128::single(prey);
    after.colour(victim).ascending().any(|from| plies.targets_among(from, prey) != 0)
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
        let contents = board.lift(ply.from);
        board.put(ply.to, contents);
        board.pass_turn();
        origin[ply.to.index()] = origin[ply.from.index()];
        let chased = chased(&board, side).ascending();
        common[side.index()] &=
            u128::collect(chased.map(|square| Square::new(origin[square.index()])));
    }
    let last = board.mover().other();
    [last, last.other()].map(|side| !common[side.index()].is_empty())
}
