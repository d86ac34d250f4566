//! Gaiqi's three-check rule and its chase state (RULES.md section 1 and 9.10).

use super::board::{Board, Square};
use super::gaiqi;

/// A piece that gave check with its player's latest plies.
#[derive(Clone, Copy, Debug)]
struct Chaser {
    /// Its present square.
    square: Square,
    /// How many checks in a row, 1 to 3.
    count: u8,
}

/// The chase states of both players.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ThreeChecks {
    chasers: [Option<Chaser>; 2],
}

impl ThreeChecks {
    /// Whether the rule forbids the player this step: the piece has checked three times in a row
    /// and would check again.
    ///
    /// Capturing the general is never forbidden: no general is left that could be checked.
    pub(super) fn bans(&self, board: &Board, player: usize, from: Square, to: Square) -> bool {
        let spent =
            self.chasers[player].is_some_and(|chaser| chaser.square == from && chaser.count == 3);
        if !spent {
            return false;
        }
        let mut after = board.clone();
        let piece = after.take(from).expect("a chaser stands on its square");
        after.put(to, piece);
        gaiqi::checks(&after, to)
    }

    /// Records a flip, which ends a row of checks.
    pub(super) fn flipped(&mut self, player: usize) {
        self.chasers[player] = None;
    }

    /// Records a step. `board` is the board after it.
    pub(super) fn stepped(&mut self, board: &Board, player: usize, from: Square, to: Square) {
        let enemy = 1 - player;
        if self.chasers[enemy].is_some_and(|chaser| chaser.square == to) {
            self.chasers[enemy] = None;
        }
        let earlier = match self.chasers[player] {
            Some(chaser) if chaser.square == from => chaser.count,
            _ => 0,
        };
        self.chasers[player] = gaiqi::checks(board, to).then(|| Chaser {
            square: to,
            // The count stays 3 if the rule is void and the piece checks again.
            count: (earlier + 1).min(3),
        });
    }

    /// Writes the FEN field.
    pub(super) fn field(&self) -> String {
        if self.chasers.iter().all(Option::is_none) {
            return "-".to_string();
        }
        let states: Vec<String> = self
            .chasers
            .iter()
            .map(|state| match state {
                None => "-".to_string(),
                Some(chaser) => format!("{}x{}", chaser.square.name(), chaser.count),
            })
            .collect();
        states.join(",")
    }

    /// Reads the FEN field. `owns` says whether a revealed piece of the player stands on a square.
    ///
    /// # Errors
    /// If the field is malformed, or a square holds no revealed piece of its player.
    pub(super) fn read(
        text: &str,
        board: &Board,
        owns: impl Fn(usize, Square) -> bool,
    ) -> Result<Self, String> {
        if text == "-" {
            return Ok(Self::default());
        }
        let states: Vec<&str> = text.split(',').collect();
        if states.len() != 2 {
            return Err(format!("chase: {text:?} is neither - nor two states"));
        }
        if states == ["-", "-"] {
            return Err("chase: two states - are written as one -".to_string());
        }
        let mut chasers = [None; 2];
        for player in 0..2 {
            if states[player] == "-" {
                continue;
            }
            let chaser = read_state(states[player], board)?;
            if !owns(player, chaser.square) {
                return Err(format!(
                    "chase: no revealed piece of player {} stands on {}",
                    player + 1,
                    chaser.square.name()
                ));
            }
            chasers[player] = Some(chaser);
        }
        Ok(Self { chasers })
    }
}

fn read_state(text: &str, board: &Board) -> Result<Chaser, String> {
    for file in 1..=board.files() {
        for rank in 1..=board.ranks() {
            for count in 1..=3 {
                let square = Square { file, rank };
                if text == format!("{}x{count}", square.name()) {
                    return Ok(Chaser { square, count });
                }
            }
        }
    }
    Err(format!("chase: {text:?} is not a square and a count of 1 to 3, such as c3x2"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{fault, moves, open, play, play_all};

    /// A red chariot that can check a black general over and over, and a red soldier beside.
    const START: &str = "k7/8/7P/1R6 1 r - 0 20 -";

    #[test]
    fn the_fourth_check_by_the_same_piece_is_forbidden() {
        let three = ["b1a1", "a4b4", "a1b1", "b4a4", "b1a1", "a4b4"];
        let mut game = play_all("gaiqi", START, &[], &three);
        assert_eq!(game.fen(), "1k6/8/7P/R7 1 r - 6 26 a1x3,-");
        let legal = game.legal_moves();
        assert!(!legal.contains(&"a1b1".to_string()));
        assert!(!legal.contains(&"a1a4".to_string()));
        assert!(legal.contains(&"a1c1".to_string()));
        assert!(legal.contains(&"h2h1".to_string()));
        game.apply("h2h1").unwrap();
        assert!(game.fen().ends_with(" -"));
        game.apply("b4a4").unwrap();
        assert!(game.legal_moves().contains(&"a1a4".to_string()));
    }

    #[test]
    fn capturing_the_general_is_allowed() {
        let game = play("gaiqi", "k7/8/8/R7 1 r - 0 20 a1x3,-", &[], "a1a4");
        let outcome = game.outcome().unwrap();
        assert_eq!(outcome.reason, "general_captured");
        assert_eq!(outcome.rewards, [1.0, -1.0]);
        assert_eq!(game.fen(), "R7/8/8/8 2 r k 0 21 -");
    }

    #[test]
    fn captures_on_checking_squares_are_forbidden_too() {
        let legal = moves("gaiqi", "k7/8/~p7/1R6 1 r - 0 20 b1x3,-", &[]);
        assert!(legal.contains(&"b1a1".to_string()), "the covered piece blocks");
        let legal = moves("gaiqi", "k~p6/8/8/1R6 1 r - 0 20 b1x3,-", &[]);
        assert!(!legal.contains(&"b1b4".to_string()));
        assert!(!legal.contains(&"b1a1".to_string()));
        assert!(legal.contains(&"b1b3".to_string()));
    }

    #[test]
    fn the_rule_is_void_when_nothing_else_is_left() {
        // One leg of the horse is blocked, and its only move checks.
        let fen = "3k4/8/8/Hp6 1 r - 0 20 a1x3,-";
        assert_eq!(moves("gaiqi", fen, &[]), ["a1b3"]);
        let game = play("gaiqi", fen, &[], "a1b3");
        assert_eq!(game.fen(), "3k4/1H6/8/1p6 2 r - 1 21 b3x3,-");
        let with_a_flip = "3k4/8/8/Hp5~P 1 r - 0 20 a1x3,-";
        assert_eq!(moves("gaiqi", with_a_flip, &[]), ["h1"]);
    }

    #[test]
    fn capture_of_the_chaser_clears_its_state_at_once() {
        let game = play("gaiqi", "8/k7/8/R6K 2 r - 0 20 a1x2,-", &[], "a3b3");
        assert!(game.fen().ends_with(" a1x2,-"));
        let game = play("gaiqi", "8/8/k7/R6K 2 r - 0 20 a1x2,-", &[], "a2a1");
        assert!(game.fen().ends_with(" R 0 21 -"));
    }

    #[test]
    fn a_check_by_another_piece_starts_a_new_count() {
        let game = play("gaiqi", "k7/8/8/1RR5 1 r - 0 20 b1x2,-", &[], "b1a1");
        assert!(game.fen().ends_with(" a1x3,-"));
        let game = play("gaiqi", "1k6/8/8/1RR5 1 r - 0 20 b1x2,-", &[], "c1c4");
        assert!(game.fen().ends_with(" c4x1,-"));
    }

    #[test]
    fn bad_states_name_the_field() {
        for state in [
            "-,-", "a1x3", "a1x0,-", "a1x4,-", "a1,-", "i1x1,-", "-,b1x1", "h4x1,-", "h1x1,-",
            "a4x1,-", "",
        ] {
            let fen = format!("k7/8/8/1R5~R 1 r - 0 20 {state}");
            assert!(fault("gaiqi", &fen).starts_with("chase: "), "{state}");
        }
        assert!(
            open("gaiqi", "k7/8/8/1R5~R 1 r - 0 20 b1x1,a4x2", &[]).fen().ends_with("b1x1,a4x2")
        );
        assert!(
            open("gaiqi", "k7/8/8/1R5~R 1 b - 0 20 a4x1,b1x2", &[]).fen().ends_with("a4x1,b1x2")
        );
    }
}
