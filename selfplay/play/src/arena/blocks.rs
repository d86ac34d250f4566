//! Plays blocks: one thread's part of a match.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use darkqi_datasets::GameRecord;
use darkqi_datasets::analysis::Beginnings;
use darkqi_engine::agent::AgentFailure;
use darkqi_env::{Outcome, Player, Registered, Rng, Stream};

use super::error::Error;
use super::journal::{Block, FinishedGame};
use super::luck::Luck;
use super::schedule::Schedule;
use crate::driver::{GameLabel, IllegalAction, Observer, Ply, Seat, Setup, Transcript, Workload};
use crate::openings::Starts;

/// Blocks that one thread plays, game after game.
pub(super) struct Blocks<'a, G: Registered, Q> {
    pub(super) table: Table<'a, G>,
    pub(super) schedule: &'a Schedule,
    pub(super) queue: Q,
    /// Blocks of which some games are still to be played or to end.
    pub(super) open: Vec<OpenBlock<G>>,
}

/// What the games of a match have in common.
pub(super) struct Table<'a, G: Registered> {
    pub(super) rules: &'a G,
    pub(super) starts: &'a Starts<G>,
    /// The agents' texts.
    pub(super) names: &'a [String],
    /// None where nothing is covered.
    pub(super) luck: Option<&'a Luck>,
}

impl<G: Registered> Clone for Table<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Registered> Copy for Table<'_, G> {}

/// Where a thread's blocks come from, and where they go.
pub(super) trait BlockQueue {
    /// The pair and the number of the next block that no thread plays.
    fn next(&mut self) -> Option<(usize, u64)>;

    /// A game has ended after this many plies.
    fn played(&mut self, plies: u16);

    /// A block is finished.
    fn finish(&mut self, pair: usize, block: Block);

    /// Whether to leave all games.
    fn is_stopped(&self) -> bool;

    /// What ends a decision that is being made. [`BlockQueue::is_stopped`] holds once it is true.
    fn stop(&self) -> &AtomicBool;
}

/// A block that is being played.
pub(super) struct OpenBlock<G: Registered> {
    pair: usize,
    block: u64,
    start: G::State,
    /// How many of its games have begun.
    begun: usize,
    /// By number, the games that have ended.
    games: Vec<Option<FinishedGame>>,
    /// By number, the records of those whose luck counts.
    records: Vec<Option<GameRecord>>,
    /// By number, the actions with which they begin.
    beginnings: Vec<Vec<u16>>,
    effort: Effort,
}

/// What the two agents of a pair have spent.
#[derive(Clone, Copy, Debug, Default)]
struct Effort {
    decisions: [u64; 2],
    time: [Duration; 2],
}

/// A game of a block that is being played.
#[derive(Debug)]
pub(super) struct MatchGame<'a> {
    schedule: &'a Schedule,
    pair: usize,
    block: u64,
    /// Its number within the block.
    number: usize,
    effort: Effort,
    /// Where its luck counts.
    transcript: Option<Transcript<'a>>,
    /// The actions with which it begins.
    beginning: Vec<u16>,
}

impl<G: Registered> Observer<G> for MatchGame<'_> {
    const TIMED: bool = true;

    fn before(&mut self, rules: &G, ply: &Ply<'_, G>) {
        let side = self.schedule.seating.agent(self.number, rules.to_move(ply.state));
        if self.beginning.len() < Beginnings::plies(self.schedule.seating.seats()) {
            self.beginning.push(ply.decision.action.0);
        }
        self.effort.decisions[side] += 1;
        self.effort.time[side] += ply.time;
        if let Some(transcript) = &mut self.transcript {
            transcript.before(rules, ply);
        }
    }
}

impl<'a, G: Registered, Q: BlockQueue> Blocks<'a, G, Q> {
    pub(super) fn new(table: Table<'a, G>, schedule: &'a Schedule, queue: Q) -> Self {
        Self { table, schedule, queue, open: Vec::new() }
    }

    fn pair_name(&self, game: &MatchGame<'_>) -> String {
        self.schedule.pairs[game.pair].map(|agent| self.table.names[agent].as_str()).join(" - ")
    }

    fn agent_name(&self, game: &MatchGame<'_>, seat: Player) -> String {
        let pair = self.schedule.pairs[game.pair];
        self.table.names[pair[self.schedule.seating.agent(game.number, seat)]].clone()
    }

    /// The luck of a block's first agent, by covariate.
    fn luck(&self, records: &[Option<GameRecord>]) -> Vec<f32> {
        let Some(luck) = self.table.luck else { return Vec::new() };
        let mut sums = vec![0.0; luck.width()];
        for (number, record) in records.iter().enumerate() {
            if let Some(record) = record {
                luck.add(&mut sums, self.schedule.seating, number, record);
            }
        }
        sums.into_iter().map(|sum| sum as f32).collect()
    }

    /// A block that has games to begin: the last one opened, or the next of the queue.
    fn open_block(&mut self) -> Result<Option<&mut OpenBlock<G>>, Error> {
        let games = self.schedule.seating.games();
        if self.open.last().is_none_or(|block| block.begun == games) {
            let Some((pair, block)) = self.queue.next() else { return Ok(None) };
            let Table { rules, starts, .. } = self.table;
            let start = starts.position(rules, self.schedule.block_seed(block))?;
            let (records, effort) = (vec![None; games], Effort::default());
            let beginnings = vec![Vec::new(); games];
            let games = vec![None; games];
            self.open.push(OpenBlock {
                pair,
                block,
                start,
                begun: 0,
                games,
                records,
                beginnings,
                effort,
            });
        }
        Ok(self.open.last_mut())
    }
}

impl<'a, G: Registered, Q: BlockQueue> Workload<G> for Blocks<'a, G, Q> {
    type Observer = MatchGame<'a>;
    type Error = Error;

    fn begin(&mut self, state: &mut G::State) -> Result<Option<Setup<MatchGame<'a>>>, Error> {
        let (schedule, table) = (self.schedule, self.table);
        let Some(open) = self.open_block()? else { return Ok(None) };
        let (pair, block, number) = (open.pair, open.block, open.begun);
        open.begun += 1;
        state.clone_from(&open.start);
        let seating = schedule.seating;
        let seed = schedule.block_seed(block);
        let seat = |seat| Seat {
            agent: schedule.pairs[pair][seating.agent(number, seat)],
            rng: Rng::new(seed, Stream::Agent(seating.stream(number, seat))),
        };
        let seats = (0..seating.seats()).map(seat).collect();
        let effort = Effort::default();
        let transcript = table.luck.map(|luck| Transcript::new(&luck.names, table.rules, state));
        let beginning = Vec::new();
        let observer = MatchGame { schedule, pair, block, number, effort, transcript, beginning };
        Ok(Some(Setup { seats, observer }))
    }

    fn end(&mut self, game: MatchGame<'a>, state: &G::State, outcome: &Outcome) {
        let plies = self.table.rules.ply(state);
        self.queue.played(plies);
        let is_its = |open: &OpenBlock<G>| (open.pair, open.block) == (game.pair, game.block);
        let place = self.open.iter().position(is_its).expect("a game's block is open");
        let open = &mut self.open[place];
        let (rewards, reason) = (outcome.rewards().to_vec(), Cow::Borrowed(outcome.reason.name()));
        open.games[game.number] = Some(FinishedGame { rewards, reason, plies });
        open.beginnings[game.number] = game.beginning;
        let record = |transcript: Transcript<'_>| transcript.finish(GameLabel::default(), outcome);
        open.records[game.number] = game.transcript.map(record);
        for side in 0..2 {
            open.effort.decisions[side] += game.effort.decisions[side];
            open.effort.time[side] += game.effort.time[side];
        }
        if open.games.iter().all(Option::is_some) {
            let OpenBlock { pair, block, start, games, records, beginnings, effort, .. } =
                self.open.remove(place);
            let luck = self.luck(&records);
            // No action has this index, so games are told apart.
            let actions =
                beginnings.into_iter().flat_map(|game| game.into_iter().chain([u16::MAX]));
            let beginning = Some(Beginnings::hash(&self.table.rules.fen(&start), actions));
            let [first, second] = self.schedule.pairs[pair];
            let seconds = effort.time.map(|time| time.as_secs_f64());
            let (games, decisions) = (games.into_iter().flatten().collect(), effort.decisions);
            let block = Block { first, second, block, games, luck, beginning, decisions, seconds };
            self.queue.finish(pair, block);
        }
    }

    fn is_stopped(&self) -> bool {
        self.queue.is_stopped()
    }

    fn stop(&self) -> &AtomicBool {
        self.queue.stop()
    }

    fn illegal(&self, game: &MatchGame<'a>, illegal: IllegalAction) -> Error {
        Error::IllegalAction {
            pair: self.pair_name(game),
            block: game.block,
            game: game.number,
            ply: illegal.ply,
            agent: self.agent_name(game, illegal.seat),
            action: illegal.action.0,
        }
    }

    fn failed(&self, game: &MatchGame<'a>, ply: u16, seat: Player, failure: AgentFailure) -> Error {
        Error::AgentFailed {
            pair: self.pair_name(game),
            block: game.block,
            game: game.number,
            ply,
            agent: self.agent_name(game, seat),
            cause: failure.cause,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeMap;
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, Mutex};

    use darkqi_engine::agent::{Agent, AgentFailure, Decision, NEVER, Request};
    use darkqi_engine::agents::AgentSpec;
    use darkqi_env::games::jieqi::Jieqi;
    use darkqi_env::{Action, Registered};

    use super::{Block, BlockQueue, Blocks, Error, Table};
    use crate::arena::config::Match;
    use crate::arena::schedule::Schedule;
    use crate::driver::{Driver, Interrupt};
    use crate::openings::Starts;

    /// Plays the first legal action, or the given action in every position.
    #[derive(Clone, Copy)]
    struct Fixed {
        action: Option<Action>,
        batch_size: usize,
    }

    impl<G: Registered> Agent<G> for Fixed {
        fn decide(
            &mut self,
            _: &G,
            request: &mut Request<'_, G>,
        ) -> Result<Decision, AgentFailure> {
            Ok(self.action.unwrap_or(request.legal[0]).into())
        }

        fn batch_size(&self) -> usize {
            self.batch_size
        }

        fn boxed_clone(&self) -> Box<dyn Agent<G>> {
            Box::new(*self)
        }
    }

    const FIRST: Fixed = Fixed { action: None, batch_size: 1 };

    /// Blocks of the first pair. `is_stopped` returns true at call number `stop_at`, counted from
    /// 0.
    struct Queue {
        left: Vec<u64>,
        finished: Vec<Block>,
        plies: u64,
        asked: Cell<u32>,
        stop_at: u32,
    }

    impl BlockQueue for Queue {
        fn next(&mut self) -> Option<(usize, u64)> {
            self.left.pop().map(|block| (0, block))
        }

        fn played(&mut self, plies: u16) {
            self.plies += u64::from(plies);
        }

        fn finish(&mut self, _: usize, block: Block) {
            self.finished.push(block);
        }

        fn is_stopped(&self) -> bool {
            self.asked.replace(self.asked.get() + 1) == self.stop_at
        }

        fn stop(&self) -> &AtomicBool {
            &NEVER
        }
    }

    fn play(
        agents: [&dyn Agent<Jieqi>; 2],
        blocks: &[u64],
        stop_at: u32,
    ) -> (Queue, Result<(), Interrupt<Error>>) {
        let specs = AgentSpec::parse_list("greedy,random").expect("the agents exist");
        let rules = Jieqi::default();
        let schedule =
            Schedule::new(&Match::new("jieqi", specs), &rules).expect("the schedule is sound");
        let names = ["honest".to_owned(), "cheat".to_owned()];
        let left = blocks.to_vec();
        let queue = Queue { left, finished: Vec::new(), plies: 0, asked: Cell::new(0), stop_at };
        let starts = Starts::new(&rules, &schedule.openings).expect("there are openings");
        let table = Table { rules: &rules, starts: &starts, names: &names, luck: None };
        let mut work = Blocks::new(table, &schedule, queue);
        let agents = agents.iter().map(|agent| agent.boxed_clone()).collect();
        let result = Driver::new(&rules, agents, 100).run(&mut work);
        (work.queue, result)
    }

    #[test]
    fn an_illegal_action_is_an_error() {
        let cheat = Fixed { action: Some(Action(u16::MAX)), ..FIRST };
        let (_, result) = play([&FIRST, &cheat], &[7], u32::MAX);
        let Err(Interrupt::Failed(error)) = result else { panic!("{result:?}") };
        let expected = "honest - cheat, block 7, game 0, ply 1: agent cheat chose action 65535, \
                        which is not legal";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn a_stop_ends_the_game_in_progress_at_once() {
        let (queue, result) = play([&FIRST; 2], &[0], 9);
        assert!(matches!(result, Err(Interrupt::Stopped)), "{result:?}");
        assert_eq!(queue.asked.get(), 10);
    }

    #[test]
    fn blocks_count_plies_and_decisions() {
        let (queue, result) = play([&FIRST; 2], &[0], u32::MAX);
        result.expect("it is played");
        let block = &queue.finished[0];
        assert_eq!(block.games.len(), 2);
        assert_eq!(block.games.iter().map(|game| u64::from(game.plies)).sum::<u64>(), queue.plies);
        assert_eq!(block.decisions.iter().sum::<u64>(), queue.plies);
        // Equal agents play the same game twice on one deal, and each wins one of the two.
        assert_eq!(block.games[0], block.games[1]);
    }

    /// Plays the first legal action, and writes down game and ply.
    #[derive(Clone)]
    struct Writing(Arc<Mutex<Vec<(u64, u16)>>>);

    impl<G: Registered> Agent<G> for Writing {
        fn decide(
            &mut self,
            rules: &G,
            request: &mut Request<'_, G>,
        ) -> Result<Decision, AgentFailure> {
            let ply = rules.ply(&rules.determinise(&request.view, request.rng));
            self.0.lock().expect("nobody panics").push((request.game, ply));
            Ok(request.legal[0].into())
        }

        fn batch_size(&self) -> usize {
            3
        }

        fn boxed_clone(&self) -> Box<dyn Agent<G>> {
            Box::new(self.clone())
        }
    }

    #[test]
    fn games_that_are_played_at_the_same_time_are_told_apart() {
        let written = Writing(Arc::default());
        let (queue, result) = play([&written, &written], &[1, 0], u32::MAX);
        result.expect("they are played");
        let written = written.0.lock().expect("nobody panics");
        let is_next = |pair: &[(u64, u16)]| pair[0].0 == pair[1].0;
        assert!(!written.windows(2).all(is_next), "several are played at the same time");
        let mut plies = BTreeMap::<u64, Vec<u16>>::new();
        for &(game, ply) in &*written {
            plies.entry(game).or_default().push(ply);
        }
        let lengths = queue.finished.iter().flat_map(|block| &block.games).map(|game| game.plies);
        assert_eq!(plies.len(), lengths.clone().count());
        let mut expected: Vec<Vec<u16>> = lengths.map(|length| (0..length).collect()).collect();
        let mut found: Vec<_> = plies.into_values().collect();
        expected.sort();
        found.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn blocks_do_not_depend_on_the_batch_size() {
        let blocks = [3, 2, 1, 0];
        let games = |batch_size| {
            let agent = Fixed { batch_size, ..FIRST };
            let (queue, result) = play([&agent; 2], &blocks, u32::MAX);
            result.expect("they are played");
            let mut finished = queue.finished;
            finished.sort_by_key(|block| block.block);
            let games = finished.into_iter().map(|block| (block.games, block.decisions));
            games.collect::<Vec<_>>()
        };
        assert_eq!(games(1).len(), blocks.len());
        assert_eq!(games(5), games(1));
    }
}
