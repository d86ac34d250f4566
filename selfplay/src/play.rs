//! Plays single games.

use darkqi_datasets::GameRecord;
use darkqi_env::{Action, GameExt, Registered, Rng, Stream, Viewer};

use crate::agent::Agent;
use crate::config::Plan;
use crate::error::Error;
use crate::transcript::{Label, MoveNames, Transcript};

/// What all games of a run share.
#[derive(Debug)]
pub(crate) struct Course<G> {
    pub(crate) rules: G,
    pub(crate) plan: Plan,
    names: MoveNames,
}

impl<G: Registered> Course<G> {
    pub(crate) fn new(rules: G, plan: Plan) -> Self {
        let names = MoveNames::new(rules.table());
        Self { rules, plan, names }
    }
}

/// A thread's own place to play at, whose memory serves one game after another.
pub(crate) struct Table<'a, G: Registered> {
    course: &'a Course<G>,
    /// By entrant.
    agents: Vec<Box<dyn Agent<G>>>,
    state: G::State,
    legal: Vec<Action>,
    /// By seat.
    rngs: Vec<Rng>,
}

impl<'a, G: Registered> Table<'a, G> {
    pub(crate) fn new(course: &'a Course<G>, agents: Vec<Box<dyn Agent<G>>>) -> Self {
        // Any deal will do: each game begins with its own.
        let state = course.rules.deal(&mut Rng::new(0, Stream::Deal));
        Self { course, agents, state, legal: Vec::new(), rngs: Vec::new() }
    }

    /// Plays a game from the deal to the end.
    ///
    /// # Errors
    /// [`Error::IllegalChoice`] if an agent breaks the rules.
    pub(crate) fn play(&mut self, game_id: u64) -> Result<GameRecord, Error> {
        let Self { course: Course { rules, plan, names }, agents, state, legal, rngs } = self;
        let seed = plan.seed(game_id);
        let seats = 0..plan.entrants.len();
        rules.redeal(state, &mut Rng::new(seed, Stream::Deal));
        rngs.clear();
        rngs.extend(
            seats.clone().map(|seat| Rng::new(seed, Stream::Agent(plan.stream(game_id, seat)))),
        );
        let mut transcript = Transcript::new(rules, state);
        let outcome = loop {
            rules.list_actions(state, legal);
            if let Some(outcome) = rules.outcome_given(state, !legal.is_empty()) {
                break outcome;
            }
            let seat = rules.to_move(state);
            let entrant = plan.entrant(game_id, seat);
            let action = agents[entrant].choose(
                rules,
                &rules.view(state, Viewer::Player(seat)),
                legal,
                &mut rngs[seat],
            );
            if legal.binary_search(&action).is_err() {
                return Err(Error::IllegalChoice {
                    game_id,
                    ply: transcript.moves().len(),
                    agent: plan.entrants[entrant].to_string(),
                    action: action.0,
                });
            }
            transcript.add(rules, names, state, action, legal.len());
            rules.play(state, action);
        };
        let agents =
            seats.map(|seat| plan.entrants[plan.entrant(game_id, seat)].to_string()).collect();
        let label = Label { game_id, seed, pair_id: plan.deal(game_id), agents };
        Ok(transcript.finish(label, &outcome))
    }
}

#[cfg(test)]
mod tests {
    use darkqi_env::games::jieqi::Jieqi;
    use darkqi_env::{Action, Hidden, Rng};

    use super::{Course, Table};
    use crate::agent::Agent;
    use crate::config::{Config, Plan};

    /// Plays the first legal action, and after some plies one that is not.
    #[derive(Clone)]
    struct Cheat {
        honest: u32,
    }

    impl Agent<Jieqi> for Cheat {
        fn choose(
            &mut self,
            _: &Jieqi,
            _: &<Jieqi as Hidden>::View<'_>,
            legal: &[Action],
            _: &mut Rng,
        ) -> Action {
            match self.honest.checked_sub(1) {
                Some(honest) => {
                    self.honest = honest;
                    legal[0]
                }
                None => Action(u16::MAX),
            }
        }

        fn boxed_clone(&self) -> Box<dyn Agent<Jieqi>> {
            Box::new(self.clone())
        }
    }

    #[test]
    fn an_illegal_choice_is_an_error() {
        let plan = Plan::new(&Config::new("jieqi", ""), "jieqi", 2).expect("the plan is sound");
        let course = Course::new(Jieqi::default(), plan);
        let agents: [Box<dyn Agent<Jieqi>>; 2] =
            [3, 1].map(|honest| -> Box<dyn Agent<Jieqi>> { Box::new(Cheat { honest }) });
        let error = Table::new(&course, agents.into()).play(5).expect_err("it is illegal");
        let expected = "game 5, ply 3: agent random chose action 65535, which is not legal";
        assert_eq!(error.to_string(), expected);
    }
}
