//! A game that is over, played here or logged: what can be made of it, now that all may know everything.
//!
//! - `files`: the game as text and pictures;
//! - `review`: what a search thinks of it;
//! - `reviews`: the reviews that are under way or were asked for lately.

mod files;
mod review;
mod reviews;

use darkqi_env::{
    Action, AnyState, Spec,
    session::{Ending, standing},
    shown::shown_name,
};
use darkqi_format::Dataset;
use darkqi_play::play::Past;

use crate::answer::Refusal;
use crate::hosting::{NamedAgent, Table};

pub(super) use files::{Kind, kinds};
pub(super) use reviews::Reviews;

/// A game that is over.
pub(super) struct Finished {
    spec: Spec,
    seed: u64,
    /// Who played each seat.
    players: Vec<String>,
    /// All positions, the last one too.
    states: Vec<Box<dyn AnyState>>,
    actions: Vec<Action>,
    /// How it ended.
    result: String,
}

impl Finished {
    /// A game that was played here.
    ///
    /// # Errors
    /// If it goes on.
    pub(super) fn of_table(table: &Table) -> Result<Self, Refusal> {
        let game = &table.game;
        let unfinished = || Refusal::impossible("the game goes on; expected one that is over");
        let end = game.end().ok_or_else(unfinished)?;
        let before = game.past().iter().map(|past: &Past| past.before.boxed_clone());
        let player = |agent: &Option<_>| match agent {
            Some(NamedAgent { name, .. }) => name.clone(),
            None => "person".to_owned(),
        };
        Ok(Self {
            spec: game.spec().clone(),
            seed: game.seed(),
            players: table.agents.iter().map(player).collect(),
            states: before.chain([table.state().boxed_clone()]).collect(),
            actions: game.past().iter().map(|past| past.decision.action).collect(),
            result: end.result.sentence(),
        })
    }

    /// A game of a dataset.
    ///
    /// # Errors
    /// If there is no such game, or it cannot be played again.
    pub(super) fn logged(dataset: &Dataset, number: u64) -> Result<Self, Refusal> {
        let record = dataset.game(number).map_err(Refusal::impossible)?;
        let spec = dataset.metadata().spec().map_err(Refusal::impossible)?;
        let mut states = vec![spec.parse_fen(&record.deal).map_err(Refusal::impossible)?];
        let actions: Vec<Action> = record.moves.iter().map(|ply| Action(ply.action)).collect();
        for &action in &actions {
            let mut next = states[states.len() - 1].boxed_clone();
            next.apply(action).map_err(Refusal::impossible)?;
            states.push(next);
        }
        let (reason, rewards) = (&shown_name(&record.reason), &record.rewards[..]);
        let ending = Ending { reason, rewards, is_truncated: !record.terminated };
        let result = standing(&*states[states.len() - 1], Some(ending));
        let (seed, players) = (record.seed, record.agents);
        Ok(Self { spec, seed, players, states, actions, result })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use darkqi_env::{Options, Spec};
    use serde_json::Value;

    use super::files::{Kind, kinds};
    use super::{Action, Finished};

    /// A game of these moves from a position of gaiqi.
    fn game(fen: &str, moves: &[&str]) -> Finished {
        let spec = Spec::new("gaiqi", &Options::new()).expect("the game exists");
        let mut states = vec![spec.parse_fen(fen).expect("a position")];
        let mut actions: Vec<Action> = Vec::new();
        for name in moves {
            let mut state = states[states.len() - 1].boxed_clone();
            actions.push(state.action_index(name).expect("a move"));
            state.apply(actions[actions.len() - 1]).expect("it is legal");
            states.push(state);
        }
        let players = vec!["person".to_owned(), "greedy".to_owned()];
        Finished { spec, seed: 7, players, states, actions, result: "seat 1 resigns".to_owned() }
    }

    fn reviewed(game: &Finished) -> Value {
        let review = game.review(&AtomicBool::new(false), |_| true);
        let review = review.unwrap_or_else(|refusal| panic!("{refusal}"));
        serde_json::to_value(review).expect("reviews are JSON")
    }

    #[test]
    fn a_win_that_is_left_is_a_mistake() {
        // Seat 0 could have taken the general.
        let review = reviewed(&game("8/8/kp6/RR4KC 1 r - 0 0 -", &["g1g2"]));
        assert_eq!(review["values"].as_array().map(Vec::len), Some(2));
        assert!(review["values"][0][0].as_f64().expect("a value") > 0.9, "{review}");
        let mistakes = review["mistakes"].as_array().expect("mistakes");
        let [mistake] = &mistakes[..] else { panic!("{review}") };
        assert_eq!((&mistake["played"]["name"], &mistake["seat"]), (&"g1g2".into(), &0.into()));
        assert_eq!(mistake["better"]["to"], "a2");
        assert!(mistake["better_value"].as_f64() > Some(0.9), "{review}");
        // Who takes it has made none.
        let better = mistake["better"]["name"].as_str().expect("a move").to_owned();
        let review = reviewed(&game("8/8/kp6/RR4KC 1 r - 0 0 -", &[&better]));
        assert_eq!(review["mistakes"], serde_json::json!([]));
    }

    #[test]
    fn nobody_is_blamed_for_what_was_covered() {
        // A flip may show the general of the enemy next to its own: the odds alone count.
        let fen = "8/8/~k~p6/RR4KC 1 r - 0 0 -";
        let [one, other] = [fen, "8/8/~p~k6/RR4KC 1 r - 0 0 -"].map(|fen| {
            let review = reviewed(&game(fen, &["a1a2"]));
            (review["values"][0].clone(), review["mistakes"].clone())
        });
        assert_eq!(one, other);
    }

    #[test]
    fn a_review_that_nobody_waits_for_ends() {
        let game = game("8/8/kp6/RR4KC 1 r - 0 0 -", &["g1g2"]);
        let stopped = game.review(&AtomicBool::new(false), |_| false).map(drop);
        assert!(stopped.expect_err("it ends").to_string().contains("nobody waits"));
    }

    #[test]
    fn a_game_is_kept_as_files() {
        let game = game("8/8/kp6/RR4KC 1 r - 0 0 -", &["g1g2", "a2a1"]);
        let text = game.text();
        for part in ["gaiqi, seed 7", "seat 1: greedy", "\n  1  seat 0  g1g2\n", "seat 1 resigns\n"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        let fen = text.lines().find_map(|line| line.strip_prefix("from: ")).expect("a FEN");
        assert_eq!(fen, "8/8/kp6/RR4KC 1 r - 0 0 -");
        for (kind, name) in
            [(Kind::Txt, "txt"), (Kind::Gif, "gif"), (Kind::Png, "png"), (Kind::Svg, "svg")]
        {
            let file = game.file(kind, Some(1), &AtomicBool::new(false));
            assert_eq!(file.is_ok(), kinds().contains(&name), "{name}");
        }
        let refusal = game.file(Kind::Svg, Some(3), &AtomicBool::new(false)).map(drop);
        let refusal = refusal.expect_err("it has two plies");
        assert!(refusal.to_string().contains("expected 0 to 2, got 3"), "{refusal}");
    }
}
