//! The errors of this crate.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use thiserror::Error;

/// A malformed FEN.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("bad FEN, field `{field}`: {fault}")]
pub struct FenError {
    /// The name of the field, as in DESIGN.md section 4.
    pub field: &'static str,
    /// What is wrong with it.
    pub fault: String,
}

impl FenError {
    /// An error in one field.
    pub fn new(field: &'static str, fault: impl Into<String>) -> Self {
        Self { field, fault: fault.into() }
    }
}

/// An invalid rule option.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum OptionError {
    /// The game has no option of this name.
    #[error("{game} has no option `{name}`{}; its options are: {valid}", did_you_mean(name, valid.split(", ")))]
    Unknown { game: &'static str, name: String, valid: String },
    /// The option does not take this value.
    #[error("option `{name}` of {game}: {value} is not {expected}")]
    Value { game: &'static str, name: &'static str, value: String, expected: String },
}

/// An action that cannot be played.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum ActionError {
    /// The game is over.
    #[error("{action} cannot be played: the game is over ({reason})")]
    Over { action: String, reason: &'static str },
    /// The game has no action with this name or index.
    #[error("{action} is no action of {game}; expected {expected}")]
    Unknown { action: String, game: &'static str, expected: String },
    /// The action exists but is not legal in this position.
    #[error("{action} is not legal here; the {count} legal actions are: {legal}")]
    Illegal { action: String, count: usize, legal: String },
    /// The action cannot cause this reveal, given what the mover knows.
    #[error("{action} cannot show {reveal}; what it can show is: {possible}")]
    Unshowable { action: String, reveal: String, possible: String },
}

/// An error of a batch, which is unchanged unless a variant says otherwise.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum BatchError {
    /// A buffer or the actions have the wrong length.
    #[error("{what}: expected {expected} elements, got {got}")]
    Length { what: &'static str, expected: usize, got: usize },
    /// One lane's action cannot be played.
    #[error("lane {lane}: {source}")]
    Action { lane: usize, source: ActionError },
    /// The game of one lane has ended; only a reset deals the next.
    #[error("lane {lane}: its game is over; reset the lane before it is stepped again")]
    Over { lane: usize },
    /// A batch needs at least one lane and at most 2^32 of them.
    #[error("num_envs: {0} is not between 1 and 4294967296")]
    Lanes(usize),
    /// The memory does not suffice for this number of lanes.
    #[error("num_envs: there is no memory for {0} lanes")]
    Memory(usize),
    /// The number of threads is out of range.
    #[error("threads: {0} is not between 1 and {1}")]
    ThreadCount(usize, usize),
    /// The threads could not be started.
    #[error("threads: cannot start {0} threads: {1}")]
    Threads(usize, String),
    /// With these options the opponents' plies end every game before the caller's seat is to move.
    #[error(
        "seat: expected one that comes to move; with these options the opponents' plies end every \
         game before"
    )]
    NoTurn,
    /// Opponents could not choose in one lane. The other lanes are within the step, too.
    #[error("lane {lane}: the opponent: {cause}")]
    Opponent { lane: usize, cause: Cause },
    /// A value or a policy of one lane that cannot be logged.
    #[error("lane {lane}: {fault}")]
    Decision { lane: usize, fault: String },
    /// The batch logs no games.
    #[error("value, policy: expected a batch whose games are logged")]
    NoLog,
    /// Games could not be logged. The step is done.
    #[error("the log: {0}")]
    Log(Cause),
    /// Opponents have failed or were stopped within a step.
    #[error("the opponent gave up within the step before; reset all lanes first")]
    Torn,
    /// The game has no such seat.
    #[error("viewer {viewer}: expected a seat from 0 to {last} or \"public\"", last = players - 1)]
    Viewer { viewer: usize, players: usize },
}

/// Why something that a batch was given has failed.
#[derive(Clone, Debug)]
pub struct Cause(pub Arc<dyn StdError + Send + Sync>);

impl PartialEq for Cause {
    /// Whether it is the same error, not an equal one.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Cause {}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl StdError for Cause {}

/// A suggestion to put after a name that is unknown, if a known one is similar: ` (did you mean ...?)`.
pub fn did_you_mean<N: AsRef<str>>(name: &str, known: impl IntoIterator<Item = N>) -> String {
    /// As clap suggests options. 1 is equality.
    const SIMILAR: f64 = 0.7;
    let similarity = |known: &N| strsim::jaro(name, known.as_ref());
    let rated = known.into_iter().map(|known| (similarity(&known), known));
    let best = rated.max_by(|(one, _), (other, _)| one.total_cmp(other));
    match best.filter(|(similarity, _)| *similarity > SIMILAR) {
        Some((_, known)) => format!(" (did you mean `{}`?)", known.as_ref()),
        None => String::new(),
    }
}

/// A name of no registered game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("unknown game `{name}`{}; the games are: {}", did_you_mean(name, known.iter()), known.join(", "))]
pub struct UnknownGame {
    /// The name that was given.
    pub name: String,
    /// The names of all games.
    pub known: &'static [&'static str],
}

/// An error in making a game or reading a position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SetupError {
    /// No such game.
    #[error(transparent)]
    Game(#[from] UnknownGame),
    /// No such option, or a bad value.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// A malformed position.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A malformed batch.
    #[error(transparent)]
    Batch(#[from] BatchError),
}
