//! Many games in flight on one thread.
//!
//! The games advance in lock step: in each round every agent is asked once, about all positions in
//! which it is to move. How a game goes does not depend on the games beside it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arrayvec::ArrayVec;
use darkqi_engine::agent::{AgentFailure, AnyAgent, Ask, Decision};
use darkqi_env::{Action, AnyState, Outcome, Player, Rng, game::MAX_PLAYERS};

/// A seat of one game.
#[derive(Clone, Debug)]
pub(crate) struct Seat {
    /// The number of the agent, among those of the driver.
    pub(crate) agent: usize,
    /// The random numbers of the agent in this game.
    pub(crate) rng: Rng,
}

/// All seats of a game.
pub(crate) type Seats = ArrayVec<Seat, MAX_PLAYERS>;

/// A game that is about to begin.
pub(crate) struct Setup<O> {
    /// Its first position.
    pub(crate) state: Box<dyn AnyState>,
    pub(crate) seats: Seats,
    /// The workload's own part of the game. It is given back at the end.
    pub(crate) observer: O,
}

/// An action that is not legal, and was not played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct IllegalAction {
    /// Plies since the deal.
    pub(crate) ply: u16,
    pub(crate) seat: Player,
    pub(crate) action: Action,
}

/// Where a driver's games come from, and where they go.
pub(crate) trait Workload {
    /// The workload's own part of a game, which identifies it.
    type Observer;
    type Error;

    /// The next game, if there is one.
    ///
    /// # Errors
    /// If there should be one, but none can be made.
    fn begin(&mut self) -> Result<Option<Setup<Self::Observer>>, Self::Error>;

    /// A legal decision is about to be played, which took this time: an equal share of the time for all
    /// positions that were decided together. Zero unless decisions are timed.
    fn before(
        &self,
        game: &mut Self::Observer,
        state: &dyn AnyState,
        decision: &Decision,
        time: Duration,
    );

    /// A game has ended.
    fn end(&mut self, game: Self::Observer, outcome: &Outcome);

    /// Whether decisions are timed. Reading the clock takes a tenth of the time of a random ply.
    fn is_timed(&self) -> bool {
        false
    }

    /// Whether to leave all games. Asked before each round of plies.
    fn is_stopped(&self) -> bool;

    /// The flag that ends a decision that is being made. [`Workload::is_stopped`] holds once it is true.
    fn stop(&self) -> &AtomicBool;

    /// An agent has broken the rules.
    fn illegal(&self, game: &Self::Observer, illegal: IllegalAction) -> Self::Error;

    /// The agent of `seat` could not decide, after this many plies.
    fn failed(
        &self,
        game: &Self::Observer,
        ply: u16,
        seat: Player,
        failure: AgentFailure,
    ) -> Self::Error;
}

/// Why not all games were played to their end.
#[derive(Debug)]
pub(crate) enum Interrupt<E> {
    Stopped,
    Failed(E),
}

impl<E> From<E> for Interrupt<E> {
    fn from(error: E) -> Self {
        Self::Failed(error)
    }
}

/// Plays games, several at a time. Each thread has a driver of its own.
pub(crate) struct Driver {
    agents: Vec<Box<dyn AnyAgent>>,
    /// At most this many games at a time.
    in_flight: usize,
    /// How many games have begun.
    begun: u64,
}

struct InFlight<O> {
    /// Its number among all of the driver.
    number: u64,
    state: Box<dyn AnyState>,
    mover: Player,
    seats: Seats,
    observer: O,
}

impl<O> InFlight<O> {
    /// The agent that is to decide.
    fn agent(&self) -> usize {
        self.seats[self.mover].agent
    }

    fn ask<'a>(&'a mut self, stop: &'a AtomicBool) -> Ask<'a> {
        let Self { number, state, mover, seats, .. } = self;
        Ask::new(*number, state.state(), state.legal_actions(), &mut seats[*mover].rng, stop)
    }
}

impl Driver {
    /// A driver with as many games in flight as its agents gain by, but no more than `most`.
    pub(crate) fn new(agents: Vec<Box<dyn AnyAgent>>, most: usize) -> Self {
        let wanted = agents.iter().map(|agent| agent.batch_size()).max().unwrap_or(1);
        Self { agents, in_flight: wanted.clamp(1, most.max(1)), begun: 0 }
    }

    /// Plays all games of a workload.
    ///
    /// # Errors
    /// If the workload fails or is stopped, or an agent breaks the rules. Games in flight are lost.
    pub(crate) fn run<W: Workload>(&mut self, work: &mut W) -> Result<(), Interrupt<W::Error>> {
        let mut games = Vec::with_capacity(self.in_flight);
        let mut decisions = Vec::with_capacity(self.in_flight);
        loop {
            self.advance(&mut games, work)?;
            if games.is_empty() {
                return Ok(());
            }
            if work.is_stopped() {
                return Err(Interrupt::Stopped);
            }
            for agent in 0..self.agents.len() {
                self.decide(agent, &mut games, &mut decisions, work)?;
            }
        }
    }

    /// Ends the games that are over and begins others in their place.
    fn advance<W: Workload>(
        &mut self,
        games: &mut Vec<InFlight<W::Observer>>,
        work: &mut W,
    ) -> Result<(), W::Error> {
        let mut place = 0;
        loop {
            if place == games.len() {
                if place == self.in_flight {
                    return Ok(());
                }
                let Some(Setup { state, seats, observer }) = work.begin()? else {
                    return Ok(());
                };
                games.push(InFlight { number: self.begun, state, mover: 0, seats, observer });
                self.begun += 1;
            }
            let game = &mut games[place];
            match game.state.outcome() {
                None => {
                    game.mover = game.state.current_player();
                    place += 1;
                }
                Some(outcome) => work.end(games.swap_remove(place).observer, &outcome),
            }
        }
    }

    /// Asks an agent about all positions in which it is to move, and plays what it decides.
    fn decide<W: Workload>(
        &mut self,
        agent: usize,
        games: &mut [InFlight<W::Observer>],
        decisions: &mut Vec<Decision>,
        work: &W,
    ) -> Result<(), W::Error> {
        let of_agent = games.iter_mut().filter(|game| game.agent() == agent);
        let mut asks: Vec<_> = of_agent.map(|game| game.ask(work.stop())).collect();
        if asks.is_empty() {
            return Ok(());
        }
        decisions.clear();
        let started = work.is_timed().then(Instant::now);
        let decided = self.agents[agent].decide(&mut asks, decisions);
        let asked = asks.len();
        let time = started.map_or(Duration::ZERO, |started| started.elapsed() / asked as u32);
        drop(asks);
        if work.stop().load(Ordering::Relaxed) {
            // Searches that were stopped decide anything. The games are left in the next round.
            return Ok(());
        }
        if let Err(failure) = decided {
            let mut of_agent = games.iter().filter(|game| game.agent() == agent);
            let game = of_agent.nth(failure.request).expect("it concerns one of the positions");
            return Err(work.failed(&game.observer, game.state.ply(), game.mover, failure));
        }
        assert_eq!(decisions.len(), asked, "an agent gives one decision per position");
        let of_agent = games.iter_mut().filter(|game| game.agent() == agent);
        for (game, decision) in of_agent.zip(&*decisions) {
            let InFlight { state, mover, observer, .. } = game;
            let action = decision.action;
            if state.legal_actions().binary_search(&action).is_err() {
                let illegal = IllegalAction { ply: state.ply(), seat: *mover, action };
                return Err(work.illegal(observer, illegal));
            }
            work.before(observer, &**state, decision, time);
            state.apply(action).expect("it is legal");
        }
        Ok(())
    }
}
