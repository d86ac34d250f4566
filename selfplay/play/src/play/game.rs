//! A game as it is played: the position, the plies that led to it, and its end.

use darkqi_engine::agent::Decision;
use darkqi_env::{
    ActionError, AnyState, Options, Player, SetupError, Spec, Trajectory, Viewer,
    game::{Picture, Words},
    session::{Ending, Phrase, Reveal, result},
    trajectory::LoggedDecision,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::error::Error;

/// A game under way. Plies can be taken back.
pub struct Game {
    spec: Spec,
    seed: u64,
    state: Box<dyn AnyState>,
    past: Vec<Past>,
    settled: Option<Settlement>,
}

/// A ply that was played.
pub struct Past {
    /// The position that it was played in.
    pub before: Box<dyn AnyState>,
    /// What was played, with what its agent said of it.
    pub decision: Decision,
    /// The event that everybody saw.
    pub shown: Reveal,
}

/// An end that the players have made, of which the rules do not know.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settlement {
    /// A seat has given the game up.
    Resignation(Player),
    /// All have agreed on a draw.
    Agreement,
    /// The time of a seat is up.
    Time(Player),
}

impl Settlement {
    /// The name of the reason.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Resignation(_) => "resignation",
            Self::Agreement => "agreement",
            Self::Time(_) => "time",
        }
    }

    /// What has happened, in a sentence.
    pub const fn meaning(self) -> Words {
        match self {
            Self::Resignation(_) => Words::new("A player has resigned.", "有人认输。"),
            Self::Agreement => Words::new("The players have agreed on a draw.", "对局者同意和棋。"),
            Self::Time(_) => Words::new("A player has run out of time.", "有人超时。"),
        }
    }

    /// The seat that has lost by it.
    pub const fn loser(self) -> Option<Player> {
        match self {
            Self::Resignation(seat) | Self::Time(seat) => Some(seat),
            Self::Agreement => None,
        }
    }

    /// The reward of each of so many seats.
    fn rewards(self, seats: usize) -> Vec<f32> {
        let mut rewards = vec![0.0; seats];
        if let Some(loser) = self.loser() {
            rewards[loser] = -1.0;
            if let [one, other] = &mut rewards[..] {
                *(if loser == 0 { other } else { one }) = 1.0;
            }
        }
        rewards
    }
}

/// How a game has ended.
#[derive(Clone, PartialEq, Debug)]
pub struct End {
    /// The reason by its name in RULES.md, or that of a [`Settlement`].
    pub reason: &'static str,
    /// What has happened, in a sentence.
    pub meaning: Words,
    /// The reward of each seat. After a resignation among more than two seats, where the others would
    /// have to play on, only that seat has one; so it is where a seat has no time left.
    pub rewards: Vec<f32>,
    /// Whether a limit outside the rules cut it off.
    pub is_truncated: bool,
    /// Whether the players have made it, and not the rules.
    pub is_settled: bool,
    /// The result in words.
    pub result: Phrase,
}

impl Game {
    /// A game at its beginning: a deal of the seed, or a position given by a FEN. What the FEN of a viewer
    /// leaves unknown is dealt by the seed.
    ///
    /// # Errors
    /// If there is no such game or option, or the position cannot be read or has no next ply.
    pub fn new(
        game: &str,
        options: &Options,
        seed: u64,
        fen: Option<&str>,
    ) -> Result<Self, PlayError> {
        let spec = Spec::new(game, options).map_err(Error::from)?;
        let state = match fen {
            Some(fen) => spec
                .parse_view_fen(fen, seed)
                .map_err(|fault| Error::from(SetupError::from(fault)))?,
            None => spec.deal(seed),
        };
        if let Some(outcome) = state.outcome() {
            return Err(PlayError::Over { reason: outcome.reason.name() });
        }
        Ok(Self::of(state, seed))
    }

    /// A game that goes on from this position.
    pub fn of(state: Box<dyn AnyState>, seed: u64) -> Self {
        Self { spec: state.spec(), seed, state, past: Vec::new(), settled: None }
    }

    /// The game and its options.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The seed of the deal and of the agents.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The position.
    pub fn state(&self) -> &dyn AnyState {
        &*self.state
    }

    /// The position, which is all that is kept.
    pub fn into_state(self) -> Box<dyn AnyState> {
        self.state
    }

    /// The plies that were played and not taken back.
    pub fn past(&self) -> &[Past] {
        &self.past
    }

    /// The position before the last ply.
    pub fn before(&self) -> Option<&dyn AnyState> {
        self.past.last().map(|past| &*past.before)
    }

    /// Plays a decision of the seat to move.
    ///
    /// # Errors
    /// If it is not legal. Nothing has changed then.
    pub fn play(&mut self, decision: Decision) -> Result<(), ActionError> {
        let before = self.state.boxed_clone();
        self.state.apply(decision.action)?;
        let shown = before.event(decision.action, Viewer::Public)?;
        self.past.push(Past { before, decision, shown });
        Ok(())
    }

    /// Takes back the last ply of one of these seats and all after it. Returns the plies; none if
    /// there was no ply of these seats, and nothing has changed then.
    pub fn take_back(&mut self, is_own: impl Fn(Player) -> bool) -> Vec<Past> {
        let is_own = |past: &Past| is_own(past.before.current_player());
        let Some(place) = self.past.iter().rposition(is_own) else { return Vec::new() };
        let taken = self.past.split_off(place);
        self.state = taken[0].before.boxed_clone();
        taken
    }

    /// The end that the players have made.
    pub fn settled(&self) -> Option<Settlement> {
        self.settled
    }

    /// Ends the game otherwise than by its rules.
    pub fn settle(&mut self, settlement: Settlement) {
        self.settled = Some(settlement);
    }

    /// How the game has ended; `None` while it goes on.
    pub fn end(&self) -> Option<End> {
        let (reason, meaning, rewards, is_truncated) = match self.settled {
            Some(end) => (end.name(), end.meaning(), end.rewards(self.spec.num_players), false),
            None => {
                let outcome = self.state.outcome()?;
                let reason = outcome.reason;
                let rewards = outcome.rewards().to_vec();
                (reason.name(), reason.meaning(), rewards, outcome.truncated())
            }
        };
        let ending = Ending { reason, rewards: &rewards, is_truncated };
        let result = result(&*self.state, ending);
        let is_settled = self.settled.is_some();
        Some(End { reason, meaning, rewards, is_truncated, is_settled, result })
    }

    /// The picture of the position as a viewer knows it, or in full for `None`. It says how the game has
    /// ended, also where its players have made the end.
    pub fn picture(&self, viewer: Option<Viewer>) -> Picture {
        let picture = self.state.picture(viewer);
        match self.end() {
            Some(End { result, .. }) => Picture { standing: result.sentence(), ..picture },
            None => picture,
        }
    }

    /// The game for a dataset, if the rules have ended it. `caller` is the seat of the person where
    /// agents played the others.
    pub fn played(&self, caller: Option<Player>) -> Option<Trajectory> {
        let first = self.past.first().filter(|_| self.state.outcome().is_some())?;
        let decision = |(ply, past): (u16, &Past)| {
            let Decision { value, policy, .. } = &past.decision;
            let value = value.as_deref().map(Into::into);
            LoggedDecision { ply, value, policy: policy.clone() }
        };
        Some(Trajectory {
            seed: self.seed,
            opening: Some(first.before.fen()),
            caller,
            actions: self.past.iter().map(|past| past.decision.action).collect(),
            decisions: (0..).zip(&self.past).map(decision).collect(),
        })
    }
}

/// Why a game cannot begin or go on.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum PlayError {
    /// Settings, an agent or a dataset that cannot be used.
    #[error(transparent)]
    Game(#[from] Error),
    /// A position without a next ply.
    #[error("fen: expected a game that is not over, but it is ({reason})")]
    Over { reason: &'static str },
    /// An agent that could not decide. Why is not for those who play against it: an engine's text has the
    /// position as the engine knows it.
    #[error("{agent} has failed; `--verbose` says why, which may tell what it knows")]
    Failed { agent: String },
}
