//! Many games in flight on one thread.
//!
//! The games advance in lock step: in each round every agent is asked once, about all positions in
//! which it is to move. How a game goes does not depend on the games beside it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arrayvec::ArrayVec;
use darkqi_engine::agent::{Agent, AgentFailure, Decision, Request};
use darkqi_env::{MAX_PLAYERS, Outcome, Player, Registered, Rng, Stream};

use super::episode::{Episode, IllegalAction};
use super::observer::Observer;

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
#[derive(Debug)]
pub(crate) struct Setup<O> {
    pub(crate) seats: Seats,
    /// The observer of the game. It is given back at the end.
    pub(crate) observer: O,
}

/// Where a driver's games come from, and where they go.
pub(crate) trait Workload<G: Registered> {
    /// The observer of a game, which identifies it.
    type Observer: Observer<G>;
    type Error;

    /// The next game, if there is one: `state` becomes its first position.
    ///
    /// # Errors
    /// If there should be one, but none can be made.
    fn begin(&mut self, state: &mut G::State)
    -> Result<Option<Setup<Self::Observer>>, Self::Error>;

    /// A game has ended in `state`.
    fn end(&mut self, game: Self::Observer, state: &G::State, outcome: &Outcome);

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
pub(crate) struct Driver<'a, G: Registered> {
    rules: &'a G,
    agents: Vec<Box<dyn Agent<G>>>,
    /// At most this many games at a time.
    in_flight: usize,
    /// How many games have begun.
    begun: u64,
    /// Games that are over, kept for their memory.
    spare: Vec<Episode<G>>,
}

struct InFlight<G: Registered, O> {
    /// Its number among all of the driver.
    number: u64,
    episode: Episode<G>,
    mover: Player,
    seats: Seats,
    observer: O,
}

impl<G: Registered, O> InFlight<G, O> {
    /// The agent that is to decide.
    fn agent(&self) -> usize {
        self.seats[self.mover].agent
    }

    fn request<'a>(&'a mut self, rules: &'a G, stop: &'a AtomicBool) -> Request<'a, G> {
        Request {
            game: self.number,
            view: self.episode.view(rules),
            legal: self.episode.legal(),
            rng: &mut self.seats[self.mover].rng,
            stop,
        }
    }
}

impl<'a, G: Registered> Driver<'a, G> {
    /// A driver with as many games in flight as its agents gain by, but no more than `most`.
    pub(crate) fn new(rules: &'a G, agents: Vec<Box<dyn Agent<G>>>, most: usize) -> Self {
        let wanted = agents.iter().map(|agent| agent.batch_size()).max().unwrap_or(1);
        Self { rules, agents, in_flight: wanted.clamp(1, most.max(1)), begun: 0, spare: Vec::new() }
    }

    /// Plays all games of a workload.
    ///
    /// # Errors
    /// If the workload fails or is stopped, or an agent breaks the rules. Games in flight are lost.
    pub(crate) fn run<W: Workload<G>>(&mut self, work: &mut W) -> Result<(), Interrupt<W::Error>> {
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
    fn advance<W: Workload<G>>(
        &mut self,
        games: &mut Vec<InFlight<G, W::Observer>>,
        work: &mut W,
    ) -> Result<(), W::Error> {
        let mut place = 0;
        loop {
            if place == games.len() {
                if place == self.in_flight {
                    return Ok(());
                }
                let mut episode = self.spare.pop().unwrap_or_else(|| {
                    // Any deal will do: the workload makes another of it.
                    Episode::new(self.rules.deal(&mut Rng::new(0, Stream::Deal)))
                });
                let Some(Setup { seats, observer }) = work.begin(episode.restart())? else {
                    self.spare.push(episode);
                    return Ok(());
                };
                games.push(InFlight { number: self.begun, episode, mover: 0, seats, observer });
                self.begun += 1;
            }
            let game = &mut games[place];
            match game.episode.advance(self.rules) {
                None => {
                    game.mover = self.rules.to_move(game.episode.state());
                    place += 1;
                }
                Some(outcome) => {
                    let InFlight { episode, observer, .. } = games.swap_remove(place);
                    work.end(observer, episode.state(), &outcome);
                    self.spare.push(episode);
                }
            }
        }
    }

    /// Asks an agent about all positions in which it is to move, and plays what it decides.
    fn decide<W: Workload<G>>(
        &mut self,
        agent: usize,
        games: &mut [InFlight<G, W::Observer>],
        decisions: &mut Vec<Decision>,
        work: &W,
    ) -> Result<(), W::Error> {
        let rules = self.rules;
        let of_agent = games.iter_mut().filter(|game| game.agent() == agent);
        let mut requests: Vec<_> = of_agent.map(|game| game.request(rules, work.stop())).collect();
        if requests.is_empty() {
            return Ok(());
        }
        decisions.clear();
        let started = work.is_timed().then(Instant::now);
        let decided = self.agents[agent].decide_batch(rules, &mut requests, decisions);
        let asked = requests.len();
        let time = started.map_or(Duration::ZERO, |started| started.elapsed() / asked as u32);
        drop(requests);
        if work.stop().load(Ordering::Relaxed) {
            // Searches that were stopped decide anything. The games are left in the next round.
            return Ok(());
        }
        if let Err(failure) = decided {
            let mut of_agent = games.iter().filter(|game| game.agent() == agent);
            let game = of_agent.nth(failure.request).expect("it concerns one of the requests");
            let ply = rules.ply(game.episode.state());
            return Err(work.failed(&game.observer, ply, game.mover, failure));
        }
        assert_eq!(decisions.len(), asked, "an agent gives one decision per request");
        let of_agent = games.iter_mut().filter(|game| game.agent() == agent);
        for (game, decision) in of_agent.zip(&*decisions) {
            let InFlight { episode, observer, .. } = game;
            episode
                .play_decision(rules, decision, time, observer)
                .map_err(|illegal| work.illegal(observer, illegal))?;
        }
        Ok(())
    }
}
