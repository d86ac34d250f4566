//! How gaiqi's pieces move, and the three-check rule. RULES.md section 1.

use super::state::{Contents, Public};
use super::{MOVES, TABLE};
use crate::action::{Action, Side};
use crate::bitboard::Bitboard;
use crate::game::Flow;
use crate::movement::Moves;
use crate::piece::{Kind, Piece};
use crate::square::Square;

/// Checks in a row after which the checking piece must not check again.
const CHECK_LIMIT: u8 = 3;

/// The squares a piece moves to among `empty` ones and captures on among `prey`.
#[inline]
fn targets(moves: &Moves<u32>, kind: Kind, from: Square, occupied: u32, prey: u32) -> u32 {
    let free = prey | !occupied;
    match kind {
        Kind::General => (moves.orthogonal(from) | moves.diagonal(from)) & free,
        Kind::Advisor => moves.diagonal(from) & free,
        Kind::Elephant => moves.elephant(from, occupied) & free,
        Kind::Horse => moves.horse(from, occupied) & free,
        Kind::Chariot => moves.slide(from, occupied) & free,
        Kind::Cannon => {
            moves.slide(from, occupied) & !occupied | moves.hop(from, occupied) & prey
        }
        Kind::Soldier => moves.orthogonal(from) & free,
    }
}

/// Whether a piece, standing on `square` with these squares occupied, attacks `target`.
#[inline]
fn attacks(kind: Kind, square: Square, target: Square, occupied: u32) -> bool {
    let target = u32::single(target);
    targets(&MOVES, kind, square, occupied, target).meets(target)
}

/// Whether the revealed piece on `square` attacks the enemy's revealed general (RULES.md 9.11).
pub(super) fn checks(public: &Public, square: Square) -> bool {
    let Contents::Revealed(piece) = public.at(square) else { return false };
    public.generals[piece.colour.other().index()]
        .is_some_and(|general| attacks(piece.kind, square, general, public.occupied()))
}

/// The squares on which the mover's chasing piece would check once too often, with the square it
/// stands on. Empty when the rule does not hold here.
fn banned(public: &Public, own: u32, prey: u32) -> Option<(Square, u32)> {
    let chase = public.chases[public.mover].filter(|chase| chase.checks >= CHECK_LIMIT)?;
    let Contents::Revealed(piece) = public.at(chase.square) else { return None };
    let general = public.generals[piece.colour.other().index()]?;
    let occupied = public.occupied();
    let from = chase.square;
    let reach = targets(&MOVES, piece.kind, from, occupied, prey);
    let checking = |to: Square| {
        // Taking the general is the end, not a check.
        let after = occupied & !u32::single(from) | u32::single(to);
        to != general && attacks(piece.kind, to, general, after)
    };
    let banned = u32::collect(reach.ascending().filter(|&to| checking(to)));
    let others = own & !u32::single(from);
    let elsewhere = public.covered != 0
        || reach != banned
        || others.ascending().any(|square| piece_targets(public, square, occupied, prey) != 0);
    // Void when it would leave no action: it is meant to make the chaser vary, not lose.
    elsewhere.then_some((from, banned))
}

fn piece_targets(public: &Public, square: Square, occupied: u32, prey: u32) -> u32 {
    match public.at(square) {
        Contents::Revealed(Piece { kind, .. }) => targets(&MOVES, kind, square, occupied, prey),
        Contents::Empty | Contents::Covered => 0,
    }
}

/// Flips by square, then steps by (from, to).
pub(super) fn each_action(public: &Public, mut visit: impl FnMut(Action) -> Flow) -> Flow {
    let table = &*TABLE;
    for square in public.covered.ascending() {
        visit(table.flip(square, Side::Near))?;
    }
    let Some(colour) = public.colour(public.mover) else { return Flow::Continue(()) };
    let own = public.revealed[colour.index()];
    let prey = public.revealed[colour.other().index()] | public.covered;
    let occupied = public.occupied();
    let banned = banned(public, own, prey);
    for from in own.ascending() {
        let mut reach = piece_targets(public, from, occupied, prey);
        if let Some((_, squares)) = banned.filter(|&(square, _)| square == from) {
            reach &= !squares;
        }
        for to in reach.ascending() {
            visit(table.step(from, to, Side::Near))?;
        }
    }
    Flow::Continue(())
}
