//! The fast engine and the slow referee side by side.

use std::collections::BTreeMap;
use std::fmt::Display;

use darkqi_env::{AnyState, Rng, Viewer};

use crate::referee::{self, Referee};

/// The options of one game by name, with their values as text.
pub type Choice = Vec<(&'static str, &'static str)>;

/// Options with the values to draw each from.
pub type Choices = &'static [(&'static str, &'static [&'static str])];

/// How often something came up.
#[derive(Default, Debug)]
pub struct Counts {
    /// Games that were played.
    pub games: u32,
    /// Their plies.
    pub plies: u32,
    /// Positions that both refused.
    pub refused: u32,
    found: BTreeMap<&'static str, u32>,
}

impl Counts {
    /// It came up once more.
    pub fn add(&mut self, what: &'static str) {
        *self.found.entry(what).or_insert(0) += 1;
    }

    /// Asserts that all of these came up.
    pub fn check(&self, all: &[&str]) {
        println!("{self:?}");
        for what in all {
            assert!(self.found.contains_key(what), "{what} never came up: {self:?}");
        }
    }
}

/// One of these, at random.
pub fn draw<T: Copy>(from: &[T], rng: &mut Rng) -> T {
    *rng.choose(from)
}

/// A value for each option, at random.
pub fn draw_options(from: Choices, rng: &mut Rng) -> Choice {
    from.iter().map(|&(name, values)| (name, draw(values, rng))).collect()
}

/// Asserts that both agree on a position.
pub fn compare(fast: &dyn AnyState, slow: &dyn Referee) {
    let fen = slow.fen();
    assert_eq!(fast.fen(), fen);
    assert_eq!(fast.legal_moves(), slow.legal_moves(), "{fen}");
    assert_eq!(fast.current_player(), slow.current_player(), "{fen}");
    for seat in 0..fast.spec().num_players {
        let slow_view = slow.viewer_fen(referee::Viewer::Player(seat));
        assert_eq!(fast.view_fen(Viewer::Player(seat)), slow_view, "seat {seat} of {fen}");
    }
    assert_eq!(fast.view_fen(Viewer::Public), slow.viewer_fen(referee::Viewer::Public), "{fen}");
    let results = [
        fast.outcome().map(|outcome| {
            (outcome.reason.name(), outcome.rewards().to_vec(), outcome.truncated())
        }),
        slow.outcome().map(|outcome| {
            let rewards = outcome.rewards.iter().map(|&reward| reward as f32).collect();
            (outcome.reason, rewards, outcome.truncated)
        }),
    ];
    assert_eq!(results[0], results[1], "{fen}");
}

/// Plays the same game in both until it ends, or for this many plies. Returns how it ended. `pick`
/// chooses among the legal actions.
pub fn play_out(
    fast: &mut dyn AnyState,
    slow: &mut dyn Referee,
    plies: usize,
    mut pick: impl FnMut(&dyn AnyState) -> String,
) -> &'static str {
    for _ in 0..plies {
        compare(fast, slow);
        if let Some(outcome) = fast.outcome() {
            return outcome.reason.name();
        }
        let name = pick(fast);
        let action = fast.action_index(&name).expect("listed names are known");
        fast.apply(action).expect("listed actions are legal");
        slow.apply(&name).expect("both have listed it");
    }
    "none"
}

/// The name of the step back.
pub fn way_back(step: &str) -> Option<String> {
    let target = 1 + step.get(1..)?.find(|letter: char| letter.is_ascii_alphabetic())?;
    Some(format!("{}{}", &step[target..], &step[..target]))
}

/// A position of the engine and of the referee.
pub type Pair = (Box<dyn AnyState>, Box<dyn Referee>);

/// Reads a FEN with both, as [`agreed`].
pub fn read_by_both(game: &str, fen: &str, options: &[(&str, &str)]) -> Option<Pair> {
    let fast = darkqi_env::from_fen(game, &crate::texts(options), fen);
    agreed(fen, fast, referee::from_fen(game, fen, options))
}

/// What both have read of a FEN. None if both refuse it.
///
/// # Panics
/// If they read it differently, or only one refuses it.
pub fn agreed(
    fen: &str,
    fast: Result<Box<dyn AnyState>, impl Display>,
    slow: Result<Box<dyn Referee>, String>,
) -> Option<Pair> {
    match (fast, slow) {
        (Ok(fast), Ok(slow)) => {
            compare(fast.as_ref(), slow.as_ref());
            Some((fast, slow))
        }
        (Err(_), Err(_)) => None,
        (Ok(_), Err(error)) => panic!("only the referee refuses {fen}: {error}"),
        (Err(error), Ok(_)) => panic!("only the engine refuses {fen}: {error}"),
    }
}
