//! A game as it is played: the position, the plies that led to it, and its end.

use darkqi_engine::agent::Decision;
use darkqi_env::{
    ActionError, AnyState, Options, Player, SetupError, Spec, Trajectory, Viewer,
    game::Picture,
    session::{Ending, Reveal, standing},
    trajectory::LoggedDecision,
};

use super::error::PlayError;
use crate::error::Error;

/// A game under way. Plies can be taken back.
pub struct Game {
    spec: Spec,
    seed: u64,
    state: Box<dyn AnyState>,
    past: Vec<Past>,
    /// The seat that has resigned.
    resigned: Option<Player>,
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

/// How a game has ended.
#[derive(Clone, PartialEq, Debug)]
pub struct End {
    /// The reason by its name in RULES.md, or `resignation`.
    pub reason: &'static str,
    /// The reward of each seat. After a resignation among more than two seats, where the others would
    /// have to play on, only that seat has one.
    pub rewards: Vec<f32>,
    /// Whether a limit outside the rules cut it off.
    pub is_truncated: bool,
    /// The result in words.
    pub text: String,
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
            Some(fen) => spec.parse_view_fen(fen, seed).map_err(SetupError::from),
            None => darkqi_env::deal(game, options, seed),
        };
        let state = state.map_err(Error::from)?;
        if let Some(outcome) = state.outcome() {
            return Err(PlayError::Over { reason: outcome.reason.name() });
        }
        Ok(Self { spec, seed, state, past: Vec::new(), resigned: None })
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

    /// The seat that has given the game up.
    pub fn resigned(&self) -> Option<Player> {
        self.resigned
    }

    /// A seat gives the game up.
    pub fn resign(&mut self, seat: Player) {
        self.resigned = Some(seat);
    }

    /// How the game has ended; `None` while it goes on.
    pub fn end(&self) -> Option<End> {
        let (reason, rewards, is_truncated) = match self.resigned {
            Some(seat) => {
                let mut rewards = vec![0.0; self.spec.num_players];
                rewards[seat] = -1.0;
                if let [one, other] = &mut rewards[..] {
                    *(if seat == 0 { other } else { one }) = 1.0;
                }
                ("resignation", rewards, false)
            }
            None => {
                let outcome = self.state.outcome()?;
                (outcome.reason.name(), outcome.rewards().to_vec(), outcome.truncated())
            }
        };
        let ending = Ending { reason, rewards: &rewards, is_truncated };
        let text = standing(&*self.state, Some(ending));
        Some(End { reason, rewards, is_truncated, text })
    }

    /// The picture of the position as a viewer knows it, or in full for `None`. It says how the game has
    /// ended, also by a resignation.
    pub fn picture(&self, viewer: Option<Viewer>) -> Picture {
        let picture = self.state.picture(viewer);
        match self.end() {
            Some(End { text: standing, .. }) => Picture { standing, ..picture },
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
