//! Whether a logged game is the one that a plan has under its number.

use darkqi_datasets::GameRecord;
use darkqi_env::Registered;

use super::plan::Plan;
use crate::openings::Starts;
use crate::replay::{Difference, Replayer};

/// How a game differs from its replay, and from the game `id` of the plan, if there is one. What
/// only the agents know is not checked: why they chose their actions, and what made their values
/// and policies.
pub(crate) fn differences<G: Registered>(
    replayer: &Replayer<G>,
    plan: Option<(&Plan, &Starts<G>)>,
    id: u64,
    game: &GameRecord,
) -> Vec<Difference> {
    let mut differences = replayer.replay(game, |_, _| ());
    let mut expect = |column, logged: String, expected: String| {
        let is_known = differences.iter().any(|known| known.column == column);
        if logged != expected && !is_known {
            differences.push(Difference { ply: None, column, logged, replayed: expected });
        }
    };
    expect("game_id", game.game_id.to_string(), id.to_string());
    if let Some((plan, starts)) = plan {
        let rules = replayer.rules();
        let start = match starts.position(rules, plan.game_seed(id)) {
            Ok(start) => rules.fen(&start),
            Err(error) => error.to_string(),
        };
        expect("deal", game.deal.clone(), start);
        expect("seed", game.seed.to_string(), plan.game_seed(id).to_string());
        expect("pair_id", game.pair_id.to_string(), plan.deal(id).to_string());
        expect("agents", format!("{:?}", game.agents), format!("{:?}", plan.agents(id)));
    }
    differences
}
