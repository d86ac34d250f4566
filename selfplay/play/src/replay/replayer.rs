//! Plays a logged game again and compares.

use darkqi_datasets::{GameRecord, PlyRecord};
use darkqi_env::{Action, DecisionFault, Registered, check_decision};

use super::difference::{Difference, compare_games, compare_plies};
use crate::driver::{Episode, GameLabel, MoveNames, Transcript};

/// Replays games with the same rules.
#[derive(Debug)]
pub struct Replayer<G> {
    rules: G,
    names: MoveNames,
}

impl<G: Registered> Replayer<G> {
    /// Replays games with these rules.
    pub fn new(rules: G) -> Self {
        let names = MoveNames::new(rules.table());
        Self { rules, names }
    }

    /// The rules.
    pub fn rules(&self) -> &G {
        &self.rules
    }

    /// Plays the logged actions from the logged deal. Gives every difference between the log and what
    /// the rules say; none if the log is exact. An illegal action ends the replay.
    ///
    /// `watch` sees the deal, then each ply as replayed with the position after it.
    pub fn replay(
        &self,
        game: &GameRecord,
        mut watch: impl FnMut(Option<&PlyRecord>, &G::State),
    ) -> Vec<Difference> {
        let rules = &self.rules;
        let mut differences = Vec::new();
        let mut episode = match rules.parse_fen(&game.deal) {
            Ok(state) => Episode::new(state),
            Err(error) => {
                let replayed = error.to_string();
                return vec![Difference::of_game("deal", &game.deal, &replayed)];
            }
        };
        watch(None, episode.state());
        let mut transcript = Transcript::new(&self.names, rules, episode.state());
        for ply in 0.. {
            let outcome = episode.advance(rules);
            let Some(logged) = game.moves.get(ply) else {
                match outcome {
                    Some(outcome) => {
                        let label = GameLabel {
                            game_id: game.game_id,
                            seed: game.seed,
                            pair_id: game.pair_id,
                            agents: game.agents.clone(),
                        };
                        compare_games(game, &transcript.finish(label, &outcome), &mut differences);
                    }
                    None => {
                        let replayed = format!("a game that is not over after {ply}");
                        differences.push(Difference::of_game("plies", &game.plies, &replayed));
                    }
                }
                break;
            };
            if let Some(outcome) = outcome {
                let replayed = format!("{ply}, where the game ends ({})", outcome.reason.name());
                differences.push(Difference::of_game("plies", &game.plies, &replayed));
                break;
            }
            let (value, policy) = (logged.value.as_deref(), logged.policy.as_deref());
            let legal = episode.legal();
            let is_legal = |action| legal.binary_search(&Action(action)).is_ok();
            if let Err(fault) = check_decision(value, policy, rules.players(), is_legal) {
                let DecisionFault { part, expected, found } = fault;
                differences.push(Difference::of_ply(ply, part, &found, &expected));
            }
            let action = Action(logged.action);
            if let Err(illegal) = episode.play(rules, action, &mut transcript) {
                let replayed = format!("not among the {} legal actions", illegal.legal_count);
                let logged = format!("{} ({})", logged.action, logged.mv);
                differences.push(Difference::of_ply(ply, "action", &logged, &replayed));
                break;
            }
            let replayed = &transcript.moves()[ply];
            compare_plies(ply, logged, replayed, &mut differences);
            watch(Some(replayed), episode.state());
        }
        differences
    }
}
