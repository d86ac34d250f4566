//! The games of a shard, played by all threads of a pool.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use darkqi_datasets::{GameRecord, Journals, spawn_scoped};
use darkqi_engine::agent::{Agent, AgentFailure};
use darkqi_env::{Outcome, Player, Registered, Rng, Stream};
use rayon::ThreadPool;

use super::config::Config;
use super::journal::EndedGames;
use super::plan::Plan;
use crate::driver::{
    Driver, GameLabel, IllegalAction, Interrupt, MoveNames, Observer, Ply, Seat, Setup, Transcript,
    Workload,
};
use crate::error::Error;
use crate::openings::Starts;
use crate::reporting::Progress;
use crate::threads::thread_pool;

/// Plays the games of a run.
pub(super) struct Generator<'a, G: Registered> {
    pub(super) rules: G,
    pub(super) plan: Plan,
    pub(super) starts: Starts<G>,
    names: MoveNames,
    /// Those of the plan; each thread plays with copies.
    agents: Mutex<Vec<Box<dyn Agent<G>>>>,
    pub(super) pool: ThreadPool,
    pub(super) progress: &'a dyn Progress,
    /// The caller wants no more games.
    pub(super) stop: &'a AtomicBool,
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
        let starts = Starts::new(&rules, &config.openings)?;
        let agents = plan.roster.iter().map(|spec| spec.build(&rules)).collect::<Result<_, _>>()?;
        let pool = thread_pool(config.threads)?;
        Ok(Self {
            names: MoveNames::new(rules.table()),
            rules,
            plan,
            starts,
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

    /// How often engines were started again, by agent.
    pub(super) fn restarts(&self) -> BTreeMap<String, u64> {
        let agents = self.agents.lock().expect("copying an agent does not panic");
        let restarts = self.plan.roster.iter().zip(agents.iter());
        let restarts = restarts.map(|(spec, agent)| (spec.to_string(), agent.restarts()));
        restarts.filter(|&(_, restarts)| restarts > 0).collect()
    }

    /// Plays games of a shard, and keeps them in its journal meanwhile, if there are journals.
    /// Returns those that were played to their end, in any order, and whether these are all.
    pub(super) fn play(
        &self,
        ids: &[u64],
        journals: Option<&Journals>,
        shard: u32,
    ) -> (Vec<GameRecord>, Result<(), Interrupt<Error>>) {
        let per_thread = ids.len().div_ceil(self.pool.current_num_threads());
        let next = AtomicUsize::new(0);
        let ended = EndedGames::default();
        thread::scope(|scope| {
            let keeper = match spawn_scoped(scope, || ended.keep(journals, shard)) {
                Ok(keeper) => keeper,
                Err(cause) => return (Vec::new(), Err(Error::from(cause).into())),
            };
            let end = ended.end_on_drop();
            let played = self.pool.broadcast(|_| {
                let mut games = ShardGames { generator: self, ids, next: &next, ended: &ended };
                let result = Driver::new(&self.rules, self.agents(), per_thread).run(&mut games);
                if result.is_err() {
                    // The shard will not be finished: the other threads need not begin more games.
                    next.fetch_max(ids.len(), Ordering::Relaxed);
                }
                result
            });
            let played: Result<(), _> = played.into_iter().collect();
            match &played {
                Ok(()) => end.complete(),
                Err(_) => drop(end),
            }
            (keeper.join().unwrap_or_else(|panic| resume_unwind(panic)), played)
        })
    }
}

/// The games of a shard that one thread plays.
struct ShardGames<'a, G: Registered> {
    generator: &'a Generator<'a, G>,
    ids: &'a [u64],
    /// The place of the next game that no thread has begun.
    next: &'a AtomicUsize,
    ended: &'a EndedGames,
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
        let place = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(&id) = self.ids.get(place) else { return Ok(None) };
        let Generator { rules, plan, starts, names, .. } = self.generator;
        let seed = plan.game_seed(id);
        starts.begin(rules, state, seed)?;
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
        let label = GameLabel {
            game_id: id,
            seed: plan.game_seed(id),
            pair_id: plan.deal(id),
            agents: plan.agents(id),
        };
        let game = transcript.finish(label, outcome);
        self.generator.progress.played(game.plies);
        self.ended.add(game);
    }

    fn is_stopped(&self) -> bool {
        self.generator.is_stopped()
    }

    fn stop(&self) -> &AtomicBool {
        self.generator.stop
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
    use darkqi_engine::agent::{Agent, AgentFailure, Decision, Request};
    use darkqi_engine::agents::AgentSpec;
    use darkqi_env::games::jieqi::Jieqi;
    use darkqi_env::{Action, Registered};
    use tempfile::tempdir;

    use super::{Config, Error, Generator, Interrupt, Journals};

    /// Plays random actions, and from a given decision on an illegal one.
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
            Ok((*rng.choose(legal)).into())
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
        // The names of the agents. The agents themselves are replaced below.
        let names = AgentSpec::parse_list("random,greedy").expect("the agents exist");
        let config = Config { threads, agents: names, ..Config::new("jieqi", "") };
        let stop = AtomicBool::new(false);
        let generator = Generator::new(Jieqi::default(), &config, &(), &stop);
        let mut generator = generator.expect("the configuration is sound");
        let agents = agents.map(|agent| -> Box<dyn Agent<Jieqi>> { Box::new(agent) });
        generator.agents = Vec::from(agents).into();
        let folder = tempdir().expect("a folder can be made");
        let ids: Vec<u64> = ids.collect();
        let (mut games, played) = generator.play(&ids, Some(&Journals::new(folder.path(), [])), 0);
        games.sort_by_key(|game| game.game_id);
        played.map(|()| games)
    }

    #[test]
    fn an_illegal_action_is_an_error() {
        let agents = [3, 1].map(|honest| Cheat { honest, batch_size: 1 });
        let Err(Interrupt::Failed(error)) = play(agents, 1, 5..6) else { panic!("it is illegal") };
        let expected = "game 5, ply 3: agent greedy chose action 65535, which is not legal";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn games_do_not_depend_on_batch_sizes_and_threads() {
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
