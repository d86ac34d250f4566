//! A game under way with those who play it, without locks and threads.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use darkqi_engine::agent::Decision;
use darkqi_engine::agents::AgentSpec;
use darkqi_env::{
    ActionError, AnyState, Move, Player, Trajectory, Viewer,
    game::{DrawnPiece, Hides},
};
use darkqi_play::play::{Game, HUMAN, Settlement};
use darkqi_play::recorder::Recording;
use serde::{Deserialize, Serialize};

use super::agreements::{Offers, Rematch};
use super::clock::{Clock, Limits};
use crate::answer::Refusal;
use crate::memory;

/// An agent, and what it is called in answers: a command that starts a program is the server's affair.
#[derive(Clone, Debug)]
pub(crate) struct NamedAgent {
    pub(crate) name: String,
    pub(crate) spec: AgentSpec,
}

/// A game and its players.
pub(crate) struct Table {
    pub(crate) game: Game,
    /// The agent of each seat; `None` for a person.
    pub(crate) agents: Vec<Option<NamedAgent>>,
    /// The position that it began with, if it was not dealt.
    pub(crate) fen: Option<String>,
    /// Gives hints.
    pub(crate) adviser: NamedAgent,
    /// How many plies each version had, that of now last.
    pub(crate) versions: Vec<usize>,
    /// Why an agent did not play, as everybody may know it.
    pub(crate) failure: Option<String>,
    pub(crate) saved: Option<Saved>,
    /// Whether all people share one screen.
    pub(crate) is_shared: bool,
    pub(super) clock: Option<Clock>,
    pub(super) offers: Offers,
    pub(super) rematch: Rematch,
}

/// Where a game was saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Saved {
    pub(crate) dataset: String,
    /// The folder, as it is shown.
    pub(crate) path: String,
    pub(crate) game_id: u64,
}

impl Table {
    /// A game that begins, without clocks, and with a screen for each person.
    pub(crate) fn new(game: Game, agents: Vec<Option<NamedAgent>>, adviser: NamedAgent) -> Self {
        Self {
            game,
            agents,
            fen: None,
            adviser,
            versions: vec![0],
            failure: None,
            saved: None,
            is_shared: false,
            clock: None,
            offers: Offers::default(),
            rematch: Rematch::default(),
        }
    }

    /// Gives people clocks with these limits, or nobody.
    pub(crate) fn set_clock(&mut self, limits: Option<Limits>) {
        let people: Vec<bool> = self.agents.iter().map(Option::is_none).collect();
        self.clock = limits.map(|limits| Clock::new(limits, &people));
    }

    /// Plays a decision of the seat to move.
    ///
    /// # Errors
    /// If it is not legal. Nothing has changed then.
    pub(crate) fn play(&mut self, decision: Decision, now: Instant) -> Result<(), ActionError> {
        let mover = self.state().current_player();
        self.game.play(decision)?;
        if let Some(clock) = &mut self.clock {
            clock.press(now);
        }
        self.offers.played_on(mover);
        self.agree();
        Ok(())
    }

    /// Takes back the last ply of these seats and all after it.
    pub(crate) fn take_back(&mut self, seats: &[Player]) {
        self.failure = None;
        self.offers = Offers::default();
        self.game.take_back(|seat| seats.contains(&seat));
    }

    /// Lets the clock run of the seat to move, if it has played before and the game goes on.
    pub(super) fn renew_clock(&mut self, now: Instant) {
        let mover = self.state().current_player();
        let has_played = self.has_played(mover) && self.game.end().is_none();
        if let Some(clock) = &mut self.clock {
            clock.run(has_played.then_some(mover), now);
        }
    }

    /// Ends the game if the time of a seat is up. Returns whether it is.
    pub(super) fn strike(&mut self, now: Instant) -> bool {
        let late = self.clock.as_ref().and_then(|clock| clock.late(now));
        if let Some(seat) = late {
            self.game.settle(Settlement::Time(seat));
        }
        late.is_some()
    }

    fn has_played(&self, seat: Player) -> bool {
        self.game.past().iter().any(|past| past.before.current_player() == seat)
    }

    /// The number of the version: it grows with every change.
    pub(crate) fn turn(&self) -> u64 {
        self.versions.len() as u64 - 1
    }

    /// How many plies are the same as in this earlier version. Without one, or if it never was, there
    /// are none.
    pub(crate) fn known(&self, turn: Option<u64>) -> usize {
        let turn = turn.and_then(|turn| usize::try_from(turn).ok());
        let since = turn.and_then(|turn| self.versions.get(turn..)).unwrap_or_default();
        since.iter().copied().min().unwrap_or(0)
    }

    /// # Errors
    /// Unless the same plies have been played as in this version, and none was taken back meanwhile.
    pub(crate) fn check_version(&self, turn: u64) -> Result<(), Refusal> {
        let turn = usize::try_from(turn).ok();
        let since = turn.and_then(|turn| self.versions.get(turn..)).unwrap_or_default();
        let is_same =
            !since.is_empty() && since.iter().all(|&plies| plies == self.game.past().len());
        is_same.then_some(()).ok_or_else(Refusal::outdated)
    }

    /// Bytes that its agents may take: each plays all its seats, and gives hints.
    pub(crate) fn memory(&self) -> u64 {
        let agents = self.agents.iter().flatten().chain([&self.adviser]);
        let by_name: BTreeMap<&str, u64> = agents
            .map(|agent| (&*agent.name, memory::of(&agent.spec, self.game.spec().name)))
            .collect();
        by_name.into_values().sum()
    }

    /// The agent that is to move, if it is not a person and the game goes on.
    pub(crate) fn agent_to_move(&self) -> Option<(Player, &NamedAgent)> {
        let mover = self.state().current_player();
        let agent = self.agents[mover].as_ref()?;
        (self.failure.is_none() && self.game.end().is_none()).then_some((mover, agent))
    }

    pub(crate) fn state(&self) -> &dyn AnyState {
        self.game.state()
    }

    /// Whose view these seats get now: of several, that of the one that moves or else moved last.
    /// `None` is everything, once the game is over.
    pub(crate) fn viewer(&self, seats: &[Player]) -> Option<Viewer> {
        let mover = self.state().current_player();
        match seats {
            _ if self.game.end().is_some() => None,
            [] => Some(Viewer::Public),
            [first, ..] => {
                let past = self.game.past().iter().rev().map(|past| past.before.current_player());
                let last = [mover].into_iter().chain(past).find(|seat| seats.contains(seat));
                Some(Viewer::Player(last.unwrap_or(*first)))
            }
        }
    }

    /// Whether one of these seats is to move.
    pub(crate) fn is_to_move(&self, seats: &[Player]) -> bool {
        self.game.end().is_none() && seats.contains(&self.state().current_player())
    }

    /// The captures of the first plies, where nothing is hidden and pictures of the game have no
    /// captured pieces of two sides.
    pub(crate) fn captured(&self, plies: usize) -> Option<Vec<DrawnPiece>> {
        let spec = self.game.spec();
        let has_none = spec.hides != Hides::Nothing || spec.num_players != 2;
        if has_none || self.state().picture(None).captured.is_some() {
            return None;
        }
        let taking = self.game.past().iter().take(plies);
        let captured = taking.filter(|past| past.shown.captured.is_some()).filter_map(|past| {
            let Move::Step { to, .. } = past.before.get_move(past.decision.action) else {
                return None;
            };
            past.before.picture(None).at(to)
        });
        Some(captured.collect())
    }

    /// The seats that have no piece any more, by what is public: their armies have fallen. While a
    /// piece may be anybody's, or nobody has an army, there is none.
    pub(crate) fn out(&self) -> Vec<Player> {
        let pieces = self.state().picture(Some(Viewer::Public)).pieces;
        // Pieces that belong to nobody, as the emperor, are of no army of the game.
        let armies = self.game.spec().armies.len();
        let army = |piece: &DrawnPiece| piece.army.filter(|&army| usize::from(army) < armies);
        let owner = |piece: &DrawnPiece| self.state().owner(army(piece)?);
        let owners: Vec<Player> = pieces.iter().flatten().filter_map(owner).collect();
        if owners.is_empty() || pieces.iter().flatten().any(|piece| piece.army.is_none()) {
            return Vec::new();
        }
        (0..self.agents.len()).filter(|seat| !owners.contains(seat)).collect()
    }

    /// The seat that resigns when one of these gives up: the one to move, or the only one, unless its
    /// armies have fallen.
    pub(crate) fn resigning(&self, seats: &[Player]) -> Option<Player> {
        match seats {
            _ if self.game.end().is_some() => None,
            [seat] => (!self.out().contains(seat)).then_some(*seat),
            seats => seats.iter().copied().find(|&seat| seat == self.state().current_player()),
        }
    }

    /// Whether these seats may take back: nobody else is asked, so all people must be at one screen.
    pub(crate) fn can_take_back(&self, seats: &[Player]) -> bool {
        let has_played = |&seat: &Player| self.has_played(seat);
        self.is_shared && self.game.end().is_none() && seats.iter().any(has_played)
    }

    /// The game as a dataset without a folder would have it, if it can be in one: all that are not people are one
    /// agent, and there is one person, or only people. Everybody may read the dataset, so an
    /// agent has its public name there.
    fn recording(&self) -> Option<Recording> {
        let mut agents: Vec<String> =
            self.agents.iter().flatten().map(|agent| agent.name.clone()).collect();
        agents.dedup();
        let people = self.agents.iter().filter(|agent| agent.is_none()).count();
        let (caller, opponent) = match (people, agents.as_slice()) {
            (1, [agent]) => (HUMAN.to_owned(), Some(agent.clone())),
            (_, []) => (HUMAN.to_owned(), None),
            _ => return None,
        };
        let spec = self.game.spec();
        Some(Recording {
            options: spec.options_in_force(),
            seed: self.game.seed(),
            caller,
            opponent,
            ..Recording::new(spec.name, PathBuf::new())
        })
    }

    /// Whether these seats may ask an agent that has failed again. Onlookers may where nobody plays.
    pub(crate) fn can_retry(&self, seats: &[Player]) -> bool {
        self.failure.is_some() && (!seats.is_empty() || self.agents.iter().all(Option::is_some))
    }

    /// Whether the game can be saved now.
    pub(crate) fn can_save(&self) -> bool {
        self.saved.is_none() && self.state().outcome().is_some() && self.recording().is_some()
    }

    /// The game for a dataset whose folder is to be named, if it can be saved now.
    pub(crate) fn to_save(&self) -> Option<(Recording, Trajectory)> {
        let caller = self.agents.iter().position(Option::is_none);
        let recording = self.recording().filter(|_| self.saved.is_none())?;
        Some((recording, self.game.played(caller)?))
    }
}
