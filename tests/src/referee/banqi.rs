//! How pieces move and capture in banqi (RULES.md section 2).

use super::board::{Board, Kind, Square};
use super::options::{Cannon, Options, Ranking};
use super::shapes::{self, ORTHOGONAL};

/// Where the revealed piece on the square may go: to empty squares and to revealed enemies it may
/// capture.
///
/// # Panics
/// If no revealed piece stands there.
pub(super) fn targets(board: &Board, from: Square, options: &Options) -> Vec<Square> {
    let piece =
        board.get(from).filter(|piece| !piece.covered).expect("only a revealed piece moves");
    let jumps = piece.kind == Kind::Cannon && options.cannon == Cannon::Jump;
    let mut reached = Vec::new();
    for to in shapes::step(board, from, &ORTHOGONAL) {
        match board.get(to) {
            None => reached.push(to),
            Some(victim) => {
                let enemy = !victim.covered && victim.color != piece.color;
                // A jumping cannon never captures an adjacent piece.
                if enemy && !jumps && outranks(piece.kind, victim.kind, options.ranking) {
                    reached.push(to);
                }
            }
        }
    }
    if jumps {
        for to in shapes::cannon_hops(board, from) {
            let victim = board.get(to).expect("a hop ends on a piece");
            if !victim.covered && victim.color != piece.color {
                reached.push(to);
            }
        }
    }
    reached
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
