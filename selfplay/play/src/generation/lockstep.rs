//! Many games in flight on one thread.
//!
//! The games advance in lock step: in each round every agent is asked once, about all positions in
//! which it is to move. How a game goes does not depend on the games beside it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use arrayvec::ArrayVec;
use darkqi_engine::agent::{AnyAgent, Ask, Decision};
use darkqi_env::{AnyState, Outcome, Player, Rng, game::MAX_PLAYERS};

use super::workers::{Ended, Queue, Table, Times};
use crate::error::Error;
use crate::reporting::Progress;
use crate::transcript::{GameLabel, Transcript};

/// A seat of one game.
#[derive(Clone, Debug)]
pub(crate) struct Seat {
    /// The number of the agent, in the roster.
    pub(crate) agent: usize,
    /// The random numbers of the agent in this game.
    pub(crate) rng: Rng,
}

/// All seats of a game.
pub(crate) type Seats = ArrayVec<Seat, MAX_PLAYERS>;

/// One thread's access to the queue, and to the collector.
pub(super) struct Worker<'a, 'q> {
    pub(super) table: &'a Table,
    pub(super) queue: &'a Queue<'q>,
    pub(super) progress: &'a dyn Progress,
    pub(super) sender: Sender<Ended>,
    /// Its own copies of the roster's agents.
    pub(super) agents: Vec<Box<dyn AnyAgent>>,
}

/// A game that is being played.
struct Game<'a> {
    id: u64,
    state: Box<dyn AnyState>,
    mover: Player,
    seats: Seats,
    times: Times,
    transcript: Transcript<'a>,
}

impl Game<'_> {
    /// The agent that is to decide.
    fn agent(&self) -> usize {
        self.seats[self.mover].agent
    }

    fn ask<'a>(&'a mut self, stop: &'a AtomicBool) -> Ask<'a> {
        let Self { id, state, mover, seats, .. } = self;
        Ask::new(*id, state.state(), state.legal_actions(), &mut seats[*mover].rng, stop)
    }
}

impl<'a> Worker<'a, '_> {
    /// Plays games of the queue, as many at a time as its agents gain by, but no more than `most`, until
    /// the queue is empty or stopped. Games in flight are then lost.
    ///
    /// # Errors
    /// If a game cannot begin, an agent fails or it breaks the rules.
    pub(super) fn run(&mut self, most: usize) -> Result<(), Error> {
        let wanted = self.agents.iter().map(|agent| agent.batch_size()).max().unwrap_or(1);
        let in_flight = wanted.clamp(1, most.max(1));
        let mut games = Vec::with_capacity(in_flight);
        let mut decisions = Vec::with_capacity(in_flight);
        loop {
            self.advance(&mut games, in_flight)?;
            if games.is_empty() || self.queue.is_stopped() {
                return Ok(());
            }
            for agent in 0..self.agents.len() {
                self.decide(agent, &mut games, &mut decisions)?;
            }
        }
    }

    /// Ends the games that are over and begins others in their place.
    fn advance(&self, games: &mut Vec<Game<'a>>, in_flight: usize) -> Result<(), Error> {
        let mut place = 0;
        loop {
            if place == games.len() {
                if place == in_flight {
                    return Ok(());
                }
                let Some(id) = self.queue.take(games.is_empty()) else { return Ok(()) };
                games.push(self.begin(id)?);
            }
            let game = &mut games[place];
            match game.state.outcome() {
                None => {
                    game.mover = game.state.current_player();
                    place += 1;
                }
                Some(outcome) => self.end(games.swap_remove(place), &outcome),
            }
        }
    }

    fn begin(&self, id: u64) -> Result<Game<'a>, Error> {
        let Table { schedule, starts, names, .. } = self.table;
        let state = starts.position(schedule.game_seed(id))?;
        let times = (0..schedule.seats()).map(|_| Duration::ZERO).collect();
        let transcript = Transcript::new(names, &*state);
        Ok(Game { id, state, mover: 0, seats: schedule.players(id), times, transcript })
    }

    fn end(&self, game: Game<'_>, outcome: &Outcome) {
        let schedule = &self.table.schedule;
        let Game { id, times, transcript, .. } = game;
        let label = GameLabel {
            game_id: id,
            seed: schedule.game_seed(id),
            deal_id: schedule.deal(id),
            agents: schedule.names(id),
        };
        let record = transcript.finish(label, outcome);
        self.progress.played(record.plies);
        if self.sender.send(Ended { record, times: Some(times) }).is_err() {
            // There is nobody to take it.
            self.queue.halt();
        }
    }

    /// Asks an agent about all positions in which it is to move, and plays what it decides.
    fn decide(
        &mut self,
        agent: usize,
        games: &mut [Game<'_>],
        decisions: &mut Vec<Decision>,
    ) -> Result<(), Error> {
        let Table { schedule, is_timed, .. } = self.table;
        let stop = &self.queue.is_halted;
        let of_agent = games.iter_mut().filter(|game| game.agent() == agent);
        let mut asks: Vec<_> = of_agent.map(|game| game.ask(stop)).collect();
        if asks.is_empty() {
            return Ok(());
        }
        decisions.clear();
        // Reading the clock takes a tenth of the time of a random ply.
        let started = is_timed.then(Instant::now);
        let decided = self.agents[agent].decide(&mut asks, decisions);
        let asked = asks.len();
        // An equal share of the time for all positions that were decided together.
        let time = started.map_or(Duration::ZERO, |started| started.elapsed() / asked as u32);
        drop(asks);
        if stop.load(Ordering::Relaxed) {
            // Searches that were stopped decide anything. The games are left in the next round.
            return Ok(());
        }
        if let Err(failure) = decided {
            let mut of_agent = games.iter().filter(|game| game.agent() == agent);
            let game = of_agent.nth(failure.request).expect("it concerns one of the positions");
            let (game_id, ply) = (game.id, game.state.ply());
            let agent = schedule.name(game_id, game.mover);
            return Err(Error::AgentFailed { game_id, ply, agent, cause: failure.cause });
        }
        assert_eq!(decisions.len(), asked, "an agent gives one decision per position");
        let of_agent = games.iter_mut().filter(|game| game.agent() == agent);
        for (game, decision) in of_agent.zip(&*decisions) {
            let Game { id, state, mover, times, transcript, .. } = game;
            let action = decision.action;
            if state.legal_actions().binary_search(&action).is_err() {
                let (game_id, ply, agent) = (*id, state.ply(), schedule.name(*id, *mover));
                return Err(Error::IllegalAction { game_id, ply, agent, action: action.0 });
            }
            times[*mover] += time;
            let value = decision.value.as_deref().map(Into::into);
            transcript.add(&**state, action, value, decision.policy.clone());
            state.apply(action).expect("it is legal");
        }
        Ok(())
    }
}
