//! Seats of a batch that its caller does not play.

use std::error::Error;
use std::fmt::Debug;

use super::lane::Lane;
use super::legal_actions::LegalActions;
use super::rows::Results;
use super::setup::BatchSetup;
use crate::board::Action;
use crate::game::Player;
use crate::games::Registered;

/// Plays all seats of a batch's games but one.
///
/// Its methods are called within a step, on any thread. They must depend on nothing but their
/// arguments, `seed` being the game's: then the same seed and the same actions of the caller give the
/// same game.
pub trait Opponents<G: Registered>: Debug + Send + Sync {
    /// The caller's seat in the game with this seed.
    fn caller(&self, rules: &G, seed: u64) -> Player;

    /// Adds a legal action for each position, whose mover is not the caller's seat.
    ///
    /// # Errors
    /// If there is a position without one.
    fn choose(
        &self,
        rules: &G,
        positions: &[OpponentTurn<'_, G>],
        actions: &mut Vec<Action>,
    ) -> Result<(), OpponentFailure>;

    /// The number of lanes that are best stepped together.
    fn batch_size(&self) -> usize;
}

/// A position in which an opponent is to move.
#[derive(Debug)]
pub struct OpponentTurn<'a, G: Registered> {
    /// The position.
    pub state: &'a G::State,
    /// The game's seed.
    pub seed: u64,
}

/// Opponents could not choose.
#[derive(Debug)]
pub struct OpponentFailure {
    /// The number of the first position concerned.
    pub position: usize,
    /// The reason.
    pub cause: Box<dyn Error + Send + Sync>,
}

/// Games of one lane in which the caller's seat may get no turn. With small limits a game can end
/// before the first ply of a late seat.
const TRIED_GAMES: u32 = 1000;

/// Why the opponents did not play on, and the number of the lane.
#[derive(Debug)]
pub(super) struct Stuck {
    pub(super) lane: usize,
    pub(super) reason: StuckReason,
}

#[derive(Debug)]
pub(super) enum StuckReason {
    /// They could not choose, or chose an action that is not legal.
    Failed(Box<dyn Error + Send + Sync>),
    /// Games end before the caller's seat is to move.
    NoTurn,
}

/// Where a lane stands while opponents play.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stage {
    /// The caller has played in the game: its end is reported.
    Under,
    /// The game has been dealt since, this many in a row: the caller knows nothing of it.
    Dealt(u32),
}

/// Lets the opponents play in all lanes until it is the caller's turn or, where nothing is dealt by
/// itself, the game is over. A game that ends before the caller's first turn is followed by the
/// lane's next game. There are no `results` where no game has been under way.
///
/// # Errors
/// If they do not play on. The lanes are then at different points of the step.
pub(super) fn play<G: Registered>(
    setup: &BatchSetup<G>,
    opponents: &dyn Opponents<G>,
    lanes: &mut [Lane<G>],
    legal: &mut [LegalActions],
    stages: &mut [Stage],
    mut results: Option<&mut [Results<'_>]>,
) -> Result<(), Stuck> {
    let rules = &setup.rules;
    let callers = |lane: &Lane<G>| opponents.caller(rules, lane.game_seed());
    let is_turn = |lane: &Lane<G>, legal: &LegalActions| {
        !legal.is_over() && rules.to_move(&lane.state) != callers(lane)
    };
    let mut waiting: Vec<usize> = (0..lanes.len()).collect();
    let mut actions = Vec::with_capacity(lanes.len());
    loop {
        waiting.retain(|&number| is_turn(&lanes[number], &legal[number]));
        if waiting.is_empty() {
            return Ok(());
        }
        let turn = |&number: &usize| OpponentTurn {
            state: &lanes[number].state,
            seed: lanes[number].game_seed(),
        };
        let turns: Vec<_> = waiting.iter().map(turn).collect();
        actions.clear();
        let chosen = opponents.choose(rules, &turns, &mut actions);
        drop(turns);
        let stuck = |lane: usize, cause| Stuck { lane, reason: StuckReason::Failed(cause) };
        chosen.map_err(|failure| stuck(waiting[failure.position], failure.cause))?;
        assert_eq!(actions.len(), waiting.len(), "opponents give one action per position");
        for (&number, &action) in waiting.iter().zip(&actions) {
            let (lane, legal) = (&mut lanes[number], &mut legal[number]);
            if !legal.mask.contains(action.index()) {
                let ply = rules.ply(&lane.state);
                let message = format!("ply {ply}: action {} is not legal", action.0);
                return Err(stuck(number, message.into()));
            }
            rules.play(&mut lane.state, action);
            let Some(outcome) = lane.update_legal_actions(rules, &mut legal.mask) else { continue };
            stages[number] = match stages[number] {
                Stage::Under => {
                    let results = results.as_deref_mut().expect("a game was under way");
                    match lane.end(setup, &outcome, legal, &mut results[number]) {
                        true => Stage::Dealt(1),
                        false => Stage::Under,
                    }
                }
                Stage::Dealt(TRIED_GAMES) => {
                    return Err(Stuck { lane: number, reason: StuckReason::NoTurn });
                }
                Stage::Dealt(games) => {
                    lane.next_game(setup, legal);
                    Stage::Dealt(games + 1)
                }
            };
        }
    }
}
