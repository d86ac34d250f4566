//! The settings of a game: what is played, and by whom.

use std::path::PathBuf;
use std::str::FromStr;

use darkqi_engine::agents::AgentSpec;
use darkqi_env::{Options, Player};

use crate::recorder::Recording;

/// The agent's name of a person in a dataset.
pub const HUMAN: &str = "human";

/// Which seats people play. Agents play the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum People {
    /// One seat.
    One(Player),
    /// All seats.
    All,
    /// No seat.
    None,
}

impl People {
    /// Whether a person plays this seat.
    pub(crate) fn play(self, seat: Player) -> bool {
        match self {
            Self::One(own) => own == seat,
            Self::All => true,
            Self::None => false,
        }
    }
}

impl FromStr for People {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            (_, Ok(seat)) => Ok(Self::One(seat)),
            ("all", _) => Ok(Self::All),
            ("none", _) => Ok(Self::None),
            _ => Err("expected the number of a seat, `all` or `none`".to_owned()),
        }
    }
}

/// A game to be played.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The game's name in the registry.
    pub game: String,
    /// Its options, the rest at their defaults.
    pub options: Options,
    /// The agent of the seats that nobody plays, which gives hints to the others.
    pub agent: AgentSpec,
    /// The seats that people play.
    pub people: People,
    /// The seed of the deal and of the agent.
    pub seed: u64,
    /// The position to begin with in place of a deal, a full FEN.
    pub fen: Option<String>,
    /// The folder of the dataset that the game is added to.
    pub out: Option<PathBuf>,
    /// Whether it is said why an agent has failed, and what it writes to its standard error is shown.
    pub is_verbose: bool,
    /// Whether boards are shown in colours.
    pub is_coloured: bool,
}

impl Settings {
    /// The recording of the game, if it is recorded.
    pub(super) fn recording(&self) -> Option<Recording> {
        let (agent, human) = (self.agent.to_string(), HUMAN.to_owned());
        let (caller, opponent) = match self.people {
            People::One(_) => (human, Some(agent)),
            People::All => (human, None),
            People::None => (agent, None),
        };
        let dir = self.out.as_ref()?;
        Some(Recording {
            options: self.options.clone(),
            seed: self.seed,
            caller,
            opponent,
            ..Recording::new(&self.game, dir)
        })
    }
}
