//! The games of a shard, played by all threads of a pool.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use darkqi_datasets::GameRecord;
use darkqi_env::{Outcome, Player, Registered, Rng, Stream};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::config::Config;
use super::plan::Plan;
use crate::driver::{
    Agent, AgentFailure, Driver, GameLabel, IllegalAction, Interrupt, MoveNames, Observer, Ply,
    Seat, Setup, Transcript, Workload,
};
use crate::error::Error;
use crate::reporting::Progress;

/// Plays the games of a run.
pub(super) struct Generator<'a, G: Registered> {
    pub(super) rules: G,
    pub(super) plan: Plan,
    names: MoveNames,
    /// Those of the plan; each thread plays with copies.
    agents: Mutex<Vec<Box<dyn Agent<G>>>>,
    pub(super) pool: ThreadPool,
    pub(super) progress: &'a dyn Progress,
    /// The caller wants no more games.
    stop: &'a AtomicBool,
    /// No more games can be written.
    pub(super) unwritable: AtomicBool,
}

impl<'a, G: Registered> Generator<'a, G> {
    pub(super) fn new(
        rules: G,
        config: &Config,
        progress: &'a dyn Progress,
        stop: &'a AtomicBool,
    ) -> Result<Self, Error> {
        let plan = Plan::new(config, G::NAME, rules.players())?;
        let agents = plan.agents.iter().map(|spec| spec.build(&rules)).collect::<Result<_, _>>()?;
        let threads = config.threads.get();
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|cause| Error::Threads { threads, cause: cause.to_string() })?;
        Ok(Self {
            names: MoveNames::new(rules.table()),
            rules,
            plan,
            agents: Mutex::new(agents),
            pool,
            progress,
            stop,
            unwritable: false.into(),
        })
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.unwritable.load(Ordering::Relaxed)
    }

    fn agents(&self) -> Vec<Box<dyn Agent<G>>> {
        let agents = self.agents.lock().expect("copying an agent does not panic");
        agents.iter().map(|agent| agent.boxed_clone()).collect()
    }

    /// Plays the games of a shard, in the order of their ids.
    pub(super) fn play(&self, ids: Range<u64>) -> Result<Vec<GameRecord>, Interrupt<Error>> {
        let games = ids.end - ids.start;
        let per_thread = games.div_ceil(self.pool.current_num_threads() as u64) as usize;
        let next = AtomicU64::new(ids.start);
        let played = self.pool.broadcast(|_| {
            let mut games =
                ShardGames { generator: self, next: &next, end: ids.end, played: vec![] };
            let result = Driver::new(&self.rules, self.agents(), per_thread).run(&mut games);
            if result.is_err() {
                // The shard is lost: the other threads need not begin more of its games.
                next.fetch_max(ids.end, Ordering::Relaxed);
            }
            result.map(|()| games.played)
        });
        let played: Vec<_> = played.into_iter().collect::<Result<_, _>>()?;
        let mut played: Vec<GameRecord> = played.into_iter().flatten().collect();
        played.sort_unstable_by_key(|game| game.game_id);
        Ok(played)
    }
}

/// The games of a shard that one thread plays.
struct ShardGames<'a, G: Registered> {
    generator: &'a Generator<'a, G>,
    /// The next game that no thread has begun.
    next: &'a AtomicU64,
    end: u64,
    played: Vec<GameRecord>,
}

/// A game that is being played.
struct LoggedGame<'a> {
    id: u64,
    transcript: Transcript<'a>,
}

impl<G: Registered> Observer<G> for LoggedGame<'_> {
    fn before(&mut self, rules: &G, ply: &Ply<'_, G>) {
        self.transcript.before(rules, ply);
    }
}

impl<'a, G: Registered> Workload<G> for ShardGames<'a, G> {
    type Observer = LoggedGame<'a>;
    type Error = Error;

    fn begin(&mut self, state: &mut G::State) -> Result<Option<Setup<LoggedGame<'a>>>, Error> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        if id >= self.end {
            return Ok(None);
        }
        let Generator { rules, plan, names, .. } = self.generator;
        let seed = plan.game_seed(id);
        rules.redeal(state, &mut Rng::new(seed, Stream::Deal));
        let seat = |seat| Seat {
            agent: plan.agent(id, seat),
            rng: Rng::new(seed, Stream::Agent(plan.stream(id, seat))),
        };
        let seats = (0..plan.entrants.len()).map(seat).collect();
        let transcript = Transcript::new(names, rules, state);
        Ok(Some(Setup { seats, observer: LoggedGame { id, transcript } }))
    }

    fn end(&mut self, game: LoggedGame<'a>, _: &G::State, outcome: &Outcome) {
        let plan = &self.generator.plan;
        let LoggedGame { id, transcript } = game;
        let agent = |seat| plan.entrants[plan.entrant(id, seat)].to_string();
        let label = GameLabel {
            game_id: id,
            seed: plan.game_seed(id),
            pair_id: plan.deal(id),
            agents: (0..plan.entrants.len()).map(agent).collect(),
        };
        let game = transcript.finish(label, outcome);
        self.generator.progress.played(game.plies);
        self.played.push(game);
    }

    fn is_stopped(&self) -> bool {
        self.generator.is_stopped()
    }

    fn illegal(&self, game: &LoggedGame<'a>, illegal: IllegalAction) -> Error {
        let plan = &self.generator.plan;
        Error::IllegalAction {
            game_id: game.id,
            ply: illegal.ply,
            agent: plan.entrants[plan.entrant(game.id, illegal.seat)].to_string(),
            action: illegal.action.0,
        }
    }

    fn failed(
        &self,
        game: &LoggedGame<'a>,
        ply: u16,
        seat: Player,
        failure: AgentFailure,
    ) -> Error {
        let plan = &self.generator.plan;
        let agent = plan.entrants[plan.entrant(game.id, seat)].to_string();
        Error::AgentFailed { game_id: game.id, ply, agent, cause: failure.cause }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::AtomicBool;

    use darkqi_datasets::GameRecord;
    use darkqi_env::games::jieqi::Jieqi;
    use darkqi_env::{Action, Registered};

    use super::{Config, Error, Generator, Interrupt};
    use crate::agents::AgentSpec;
    use crate::driver::{Agent, AgentFailure, Decision, Request};

    /// Plays a random action, and from some decision on one that is not legal.
    #[derive(Clone)]
    struct Cheat {
        honest: u32,
        batch_size: usize,
    }

    impl<G: Registered> Agent<G> for Cheat {
        fn decide(
            &mut self,
            _: &G,
            request: &mut Request<'_, G>,
        ) -> Result<Decision, AgentFailure> {
            let Request { legal, rng, .. } = request;
            let Some(honest) = self.honest.checked_sub(1) else {
                return Ok(Action(u16::MAX).into());
            };
            self.honest = honest;
            Ok(legal[rng.below(legal.len() as u32) as usize].into())
        }

        fn batch_size(&self) -> usize {
            self.batch_size
        }

        fn boxed_clone(&self) -> Box<dyn Agent<G>> {
            Box::new(self.clone())
        }
    }

    fn play(
        agents: [Cheat; 2],
        threads: usize,
        ids: std::ops::Range<u64>,
    ) -> Result<Vec<GameRecord>, Interrupt<Error>> {
        let threads = NonZeroUsize::new(threads).expect("there are threads");
        // Two agents, which others replace.
        let names = AgentSpec::parse_list("random,greedy").expect("the agents exist");
        let config = Config { threads, agents: names, ..Config::new("jieqi", "") };
        let stop = AtomicBool::new(false);
        let generator = Generator::new(Jieqi::default(), &config, &(), &stop);
        let mut generator = generator.expect("the configuration is sound");
        let agents = agents.map(|agent| -> Box<dyn Agent<Jieqi>> { Box::new(agent) });
        generator.agents = Vec::from(agents).into();
        generator.play(ids)
    }

    #[test]
    fn an_illegal_action_is_an_error() {
        let agents = [3, 1].map(|honest| Cheat { honest, batch_size: 1 });
        let Err(Interrupt::Failed(error)) = play(agents, 1, 5..6) else { panic!("it is illegal") };
        let expected = "game 5, ply 3: agent greedy chose action 65535, which is not legal";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn games_are_the_same_whatever_is_in_flight() {
        let games = |threads, batch_size| {
            let honest = Cheat { honest: u32::MAX, batch_size };
            play([honest.clone(), honest], threads, 0..40).expect("all is legal")
        };
        let alone = games(1, 1);
        assert!((0..40).eq(alone.iter().map(|game| game.game_id)));
        assert_eq!(games(1, 7), alone);
        assert_eq!(games(2, 64), alone);
    }
}
