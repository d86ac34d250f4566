//! How a game ended.

/// The end of a game (RULES.md section 8).
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// One of the names of RULES.md section 8.
    pub reason: &'static str,
    /// Reward of each player: +1 shared by the winning side, -1 by the losing ones, or 0 for all in
    /// a draw or a truncated game.
    pub rewards: Vec<f64>,
    /// Whether `max_plies` ended the game. This is not a draw.
    pub truncated: bool,
}

impl Outcome {
    /// A loss for the player `loser` of two.
    pub fn loss(reason: &'static str, loser: usize) -> Self {
        let mut rewards = vec![1.0, 1.0];
        rewards[loser] = -1.0;
        Self { reason, rewards, truncated: false }
    }

    /// A draw between two players.
    pub fn draw(reason: &'static str) -> Self {
        Self { reason, rewards: vec![0.0, 0.0], truncated: false }
    }

    /// The end of a game between two players by `max_plies`.
    pub fn truncated() -> Self {
        Self { reason: "max_plies", rewards: vec![0.0, 0.0], truncated: true }
    }
}
