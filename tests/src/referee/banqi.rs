//! How pieces move and capture in banqi (RULES.md section 2).

use super::board::{Board, Kind, Square};
use super::options::{Cannon, Options, Ranking};
use super::shapes::{self, ORTHOGONAL};

/// The squares that a piece of the kind reaches: empty ones, and those of pieces that it captures if
/// it may.
pub(super) fn reach(board: &Board, from: Square, kind: Kind, options: &Options) -> Vec<Square> {
    let mut reached = shapes::step(board, from, &ORTHOGONAL);
    if jumps(kind, options) {
        // A jumping cannon never captures an adjacent piece.
        reached.retain(|&to| board.get(to).is_none());
        reached.extend(shapes::cannon_hops(board, from));
    }
    reached
}

/// Whether one kind captures another: by rank, but a jumping cannon any.
pub(super) fn takes(captor: Kind, victim: Kind, options: &Options) -> bool {
    jumps(captor, options) || outranks(captor, victim, options.ranking)
}

fn jumps(kind: Kind, options: &Options) -> bool {
    kind == Kind::Cannon && options.cannon == Cannon::Jump
}

/// Whether one kind captures another by rank: an equal or a lower one, but soldiers capture
/// generals and generals do not capture soldiers.
fn outranks(captor: Kind, victim: Kind, ranking: Ranking) -> bool {
    match (captor, victim) {
        (Kind::Soldier, Kind::General) => true,
        (Kind::General, Kind::Soldier) => false,
        _ => place(captor, ranking) <= place(victim, ranking),
    }
}

/// The place of a kind in the order of ranks, 0 being the highest.
fn place(kind: Kind, ranking: Ranking) -> usize {
    let order = match ranking {
        Ranking::Standard => "KAERHCP",
        Ranking::Hongkong => "KRHCAEP",
    };
    order.find(kind.letter()).expect("every kind has a rank")
}
