//! Plays blocks.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use darkqi_env::{Action, GameExt, Outcome, Registered, Rng, Stream, Viewer};

use super::config::Plan;
use super::error::Error;
use super::journal::{Block, Game};
use super::opening;
use crate::agent::Agent;

/// Why a block was not played to its end.
#[derive(Debug)]
pub(super) enum Halt {
    Stopped,
    Failed(Error),
}

/// A thread's own place to play at, whose memory serves one game after another.
pub(super) struct Table<'a, G: Registered> {
    rules: &'a G,
    plan: &'a Plan,
    /// The agents' texts, and the agents.
    names: &'a [String],
    agents: Vec<Box<dyn Agent<G>>>,
    legal: Vec<Action>,
    /// By seat.
    rngs: Vec<Rng>,
}

/// What the two agents of a pair have spent.
#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    decisions: [u64; 2],
    time: [Duration; 2],
}

impl<'a, G: Registered> Table<'a, G> {
    pub(super) fn new(
        rules: &'a G,
        plan: &'a Plan,
        names: &'a [String],
        agents: Vec<Box<dyn Agent<G>>>,
    ) -> Self {
        Self { rules, plan, names, agents, legal: Vec::new(), rngs: Vec::new() }
    }

    /// Plays a block of a pair. `stop` is asked before each ply, `played` told of each game's plies.
    pub(super) fn block(
        &mut self,
        pair: usize,
        block: u64,
        stop: &impl Fn() -> bool,
        played: &impl Fn(u16),
    ) -> Result<Block, Halt> {
        let Plan { pairs, random_plies, seating, .. } = self.plan;
        let [first, second] = pairs[pair];
        let seed = self.plan.block_seed(block);
        let start = opening::position(self.rules, seed, *random_plies, &mut self.legal)
            .ok_or_else(|| {
                let tries = opening::TRIES;
                Halt::Failed(Error::Opening { plies: *random_plies, block, tries })
            })?;
        let mut spent = Spent::default();
        let mut games = Vec::with_capacity(seating.games());
        for game in 0..seating.games() {
            let mut state = start.clone();
            let outcome = self.game(&mut state, pair, block, game, &mut spent, stop)?;
            let plies = self.rules.ply(&state);
            played(plies);
            games.push(Game {
                rewards: outcome.rewards().to_vec(),
                reason: Cow::Borrowed(outcome.reason.name()),
                plies,
            });
        }
        let Spent { decisions, time } = spent;
        let seconds = time.map(|time| time.as_secs_f64());
        Ok(Block { first, second, block, games, decisions, seconds })
    }

    /// Plays a game of a block to its end.
    fn game(
        &mut self,
        state: &mut G::State,
        pair: usize,
        block: u64,
        game: usize,
        spent: &mut Spent,
        stop: &impl Fn() -> bool,
    ) -> Result<Outcome, Halt> {
        let Self { rules, plan, names, agents, legal, rngs } = self;
        let pair = plan.pairs[pair];
        let seating = plan.seating;
        let seed = plan.block_seed(block);
        rngs.clear();
        rngs.extend(
            (0..seating.seats())
                .map(|seat| Rng::new(seed, Stream::Agent(seating.stream(game, seat)))),
        );
        loop {
            rules.list_actions(state, legal);
            if let Some(outcome) = rules.outcome_given(state, !legal.is_empty()) {
                return Ok(outcome);
            }
            if stop() {
                return Err(Halt::Stopped);
            }
            let seat = rules.to_move(state);
            let side = seating.agent(game, seat);
            let agent = pair[side];
            let action = {
                let view = rules.view(state, Viewer::Player(seat));
                let started = Instant::now();
                let action = agents[agent].choose(rules, &view, legal, &mut rngs[seat]);
                spent.time[side] += started.elapsed();
                action
            };
            spent.decisions[side] += 1;
            if legal.binary_search(&action).is_err() {
                return Err(Halt::Failed(Error::IllegalChoice {
                    pair: pair.map(|agent| names[agent].as_str()).join(" - "),
                    block,
                    game,
                    ply: rules.ply(state),
                    agent: names[agent].clone(),
                    action: action.0,
                }));
            }
            rules.play(state, action);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use darkqi_env::games::jieqi::Jieqi;
    use darkqi_env::{Action, Hidden, Rng};

    use super::{Halt, Table};
    use crate::agent::Agent;
    use crate::agents::AgentSpec;
    use crate::arena::config::{Match, Plan};

    /// Plays the first legal action, or always the same one.
    #[derive(Clone, Copy)]
    struct Stub(Option<Action>);

    impl Agent<Jieqi> for Stub {
        fn choose(
            &mut self,
            _: &Jieqi,
            _: &<Jieqi as Hidden>::View<'_>,
            legal: &[Action],
            _: &mut Rng,
        ) -> Action {
            self.0.unwrap_or(legal[0])
        }

        fn boxed_clone(&self) -> Box<dyn Agent<Jieqi>> {
            Box::new(*self)
        }
    }

    fn with_table<T>(stubs: [Stub; 2], run: impl FnOnce(&mut Table<'_, Jieqi>) -> T) -> T {
        let agents = AgentSpec::parse_list("greedy,random").expect("the agents exist");
        let rules = Jieqi::default();
        let plan = Plan::new(&Match::new("jieqi", agents), &rules).expect("the plan is sound");
        let names = ["honest".to_owned(), "cheat".to_owned()];
        let agents = stubs.iter().map(Agent::boxed_clone).collect();
        run(&mut Table::new(&rules, &plan, &names, agents))
    }

    #[test]
    fn an_illegal_choice_is_an_error() {
        let stubs = [Stub(None), Stub(Some(Action(u16::MAX)))];
        let halt = with_table(stubs, |table| table.block(0, 7, &|| false, &|_| {}));
        let Err(Halt::Failed(error)) = halt else { panic!("{halt:?}") };
        let expected = "honest - cheat, block 7, game 0, ply 1: agent cheat chose action 65535, \
                        which is not legal";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn a_game_is_left_as_soon_as_asked() {
        let asked = Cell::new(0);
        let stop = || asked.replace(asked.get() + 1) == 9;
        let halt = with_table([Stub(None); 2], |table| table.block(0, 0, &stop, &|_| {}));
        assert!(matches!(halt, Err(Halt::Stopped)), "{halt:?}");
        assert_eq!(asked.get(), 10);
    }

    #[test]
    fn blocks_count_plies_and_decisions() {
        let plies = Cell::new(0);
        let played = |game: u16| plies.set(plies.get() + u64::from(game));
        let block = with_table([Stub(None); 2], |table| table.block(0, 0, &|| false, &played));
        let block = block.expect("it is played");
        assert_eq!(block.games.len(), 2);
        assert_eq!(block.games.iter().map(|game| u64::from(game.plies)).sum::<u64>(), plies.get());
        assert_eq!(block.decisions.iter().sum::<u64>(), plies.get());
        // Equal agents on one deal play the same game twice, one winning each.
        assert_eq!(block.games[0], block.games[1]);
    }
}
