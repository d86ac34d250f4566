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

#[cfg(test)]
mod tests {
    use super::super::testing::{moves, play};

    #[test]
    fn kinds_capture_by_rank_and_soldiers_capture_generals() {
        let captures = |pieces: &str, ranking| {
            let fen = format!("8/8/8/{pieces}6 1 r - 0 0");
            moves("banqi", &fen, &[("ranking", ranking)]).contains(&"a1b1".to_string())
        };
        for (pieces, standard, hongkong) in [
            ("Kk", true, true),
            ("Kp", false, false),
            ("Pk", true, true),
            ("Pc", false, false),
            ("Ar", true, false),
            ("Ra", false, true),
            ("Ce", false, true),
            ("Cp", true, true),
            ("Cc", true, true),
            ("Er", true, false),
            ("Kr", true, true),
        ] {
            assert_eq!(captures(pieces, "standard"), standard, "{pieces} standard");
            assert_eq!(captures(pieces, "hongkong"), hongkong, "{pieces} hongkong");
        }
    }

    #[test]
    fn covered_pieces_cannot_be_captured() {
        assert_eq!(moves("banqi", "8/8/8/R~p6 1 r - 0 0", &[]), ["a1a2", "b1"]);
    }

    #[test]
    fn a_jumping_cannon_hops_over_one_piece_and_spares_its_neighbour() {
        let fen = "8/8/8/C1~ppp2k 1 r - 0 0";
        let jump = [("cannon", "jump")];
        assert_eq!(moves("banqi", fen, &jump), ["a1a2", "a1b1", "a1d1", "c1"]);
        let adjacent = "8/8/8/Cp1k4 1 r - 0 0";
        assert_eq!(moves("banqi", adjacent, &jump), ["a1a2", "a1d1"]);
        assert_eq!(moves("banqi", adjacent, &[]), ["a1a2", "a1b1"]);
        // The target behind the screen must be revealed.
        let hidden = "8/8/8/Cp1~k4 1 r - 0 0";
        assert_eq!(moves("banqi", hidden, &jump), ["a1a2", "d1"]);
    }

    #[test]
    fn losing_the_general_does_not_lose_but_losing_all_does() {
        let game = play("banqi", "8/8/8/Pk4Rr 1 r - 5 9", &[], "a1b1");
        assert!(game.outcome().is_none());
        assert_eq!(game.fen(), "8/8/8/1P4Rr 2 r k 0 10");
        let fifteen = "kaaeehhrrccpppp";
        let game = play("banqi", &format!("8/8/8/Pp6 1 r {fifteen}P 0 0"), &[], "a1b1");
        let outcome = game.outcome().unwrap();
        assert_eq!(outcome.reason, "no_pieces");
        assert_eq!(outcome.rewards, [1.0, -1.0]);
    }

    #[test]
    fn a_player_without_action_loses() {
        let game = play("banqi", "8/8/R7/pR6 1 r - 0 0", &[], "a2a3");
        assert!(game.outcome().is_none());
        let game = play("banqi", "8/8/2R5/pR6 1 r - 0 0", &[], "c2b2");
        assert!(game.outcome().is_none());
        let game = play("banqi", "8/8/1R6/pR6 1 r - 0 0", &[], "b2a2");
        let outcome = game.outcome().unwrap();
        assert_eq!(outcome.reason, "no_moves");
        assert_eq!(outcome.rewards, [1.0, -1.0]);
    }
}
