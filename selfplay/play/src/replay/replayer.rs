//! The comparison of a logged game with its replay.

use std::convert::Infallible;

use darkqi_env::{
    Action, AnyState, Spec,
    batch::{DecisionFault, check_decision},
    replay,
    trajectory::ReplayError,
};
use darkqi_format::{GameRecord, PlyRecord};

use super::difference::{Difference, compare_games, compare_plies};
use crate::transcript::{GameLabel, Names, Transcript};

/// Replays games with the same rules.
#[derive(Debug)]
pub struct Replayer(Names);

impl Replayer {
    /// Replays games with these rules.
    pub fn new(spec: &Spec) -> Self {
        Self(Names::new(spec))
    }

    /// The game.
    pub fn spec(&self) -> &Spec {
        self.0.spec()
    }

    /// Plays the logged actions from the logged deal. Gives every difference between the log and what
    /// the rules say; none if the log is exact. An illegal action ends the replay.
    ///
    /// `watch` sees the deal, then each ply as replayed with the position after it.
    pub fn replay(
        &self,
        game: &GameRecord,
        mut watch: impl FnMut(Option<&PlyRecord>, &dyn AnyState),
    ) -> Vec<Difference> {
        let spec = self.spec();
        let mut differences = Vec::new();
        let mut state = match spec.parse_fen(&game.deal) {
            Ok(state) => state,
            Err(error) => {
                let replayed = error.to_string();
                return vec![Difference::of_game("deal", &game.deal, &replayed)];
            }
        };
        let mut transcript = Transcript::new(&self.0, &*state);
        let actions = game.moves.iter().map(|ply| Action(ply.action));
        let ended = replay(&mut *state, actions, |step| {
            watch(transcript.moves().last(), step.state);
            let logged = &game.moves[step.ply];
            let (value, policy) = (logged.value.as_deref(), logged.policy.as_deref());
            let legal = step.state.legal_actions();
            let is_legal = |action| legal.binary_search(&Action(action)).is_ok();
            if let Err(fault) = check_decision(value, policy, spec.num_players, is_legal) {
                let DecisionFault { part, expected, found } = fault;
                differences.push(Difference::of_ply(step.ply, part, &found, &expected));
            }
            transcript.add(step.state, step.action, None, None);
            compare_plies(step.ply, logged, &transcript.moves()[step.ply], &mut differences);
            Ok::<_, Infallible>(())
        });
        watch(transcript.moves().last(), &*state);
        match ended {
            Ok(outcome) => {
                let label = GameLabel {
                    game_id: game.game_id,
                    seed: game.seed,
                    deal_id: game.deal_id,
                    agents: game.agents.clone(),
                };
                compare_games(game, &transcript.finish(label, &outcome), &mut differences);
            }
            Err(ReplayError::Over { ply, outcome }) => {
                let replayed = format!("{ply}, where the game ends ({})", outcome.reason.name());
                differences.push(Difference::of_game("plies", &game.plies, &replayed));
            }
            Err(ReplayError::Unfinished { plies }) => {
                let replayed = format!("a game that is not over after {plies}");
                differences.push(Difference::of_game("plies", &game.plies, &replayed));
            }
            Err(ReplayError::Illegal { ply, action, legal_count }) => {
                let replayed = format!("not among the {legal_count} legal actions");
                let logged = format!("{} ({})", action.0, game.moves[ply].mv);
                differences.push(Difference::of_ply(ply, "action", &logged, &replayed));
            }
            Err(ReplayError::Visit(never)) => match never {},
        }
        differences
    }
}
