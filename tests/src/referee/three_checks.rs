//! Gaiqi's three-check rule and its chase state (RULES.md section 1 and 9.10).

use super::board::{Board, Square};

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
    /// Whether the rule forbids the player a step to a square from which the piece `checks`: it has
    /// checked three times in a row.
    pub(super) fn bans(&self, player: usize, from: Square, checks: bool) -> bool {
        let spent =
            self.chasers[player].is_some_and(|chaser| chaser.square == from && chaser.count == 3);
        spent && checks
    }

    /// Records a ply that is no step, which ends a row of checks.
    pub(super) fn stayed(&mut self, player: usize) {
        self.chasers[player] = None;
    }

    /// Records a step, after which the piece `checks` or not.
    pub(super) fn stepped(&mut self, player: usize, from: Square, to: Square, checks: bool) {
        let enemy = 1 - player;
        if self.chasers[enemy].is_some_and(|chaser| chaser.square == to) {
            self.chasers[enemy] = None;
        }
        let earlier = match self.chasers[player] {
            Some(chaser) if chaser.square == from => chaser.count,
            _ => 0,
        };
        self.chasers[player] = checks.then(|| Chaser {
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
