//! Piece values by self-play: play, fit, play with what was fitted, until the values stop moving.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread;

use darkqi_datasets::Dataset;
use darkqi_datasets::analysis::{self, Estimate, PieceValues as Fitted, piece_values};
use darkqi_env::games::{self, Visitor};
use darkqi_env::{Options, Registered, game_seed};
use thiserror::Error;

use crate::agents::{AgentError, AgentSpec, PieceValues, ValuesError};
use crate::arena::{self, Match, Results, Sprt};
use crate::config::Config;
use crate::generate::selfplay;
use crate::progress::Progress;

/// The values that are read and written.
const VALUES: &str = "values";

/// What to balance, and how.
#[derive(Clone, Debug)]
pub struct Balance {
    /// The game's name in the registry.
    pub game: String,
    /// Its options, the rest at their defaults.
    pub options: Options,
    /// The agent that plays itself, one that reads piece values. Its own are where the loop begins.
    pub agent: AgentSpec,
    /// Games of a round.
    pub games: u64,
    /// The most rounds.
    pub rounds: u32,
    /// Values have stopped moving when each has changed by less than this part of itself, or lies
    /// within the interval of its successor.
    pub tolerance: f64,
    /// Positions drawn from a game.
    pub positions: usize,
    /// The seed. Round k depends on it, on k and on what the rounds before came to.
    pub seed: u64,
    /// Number of threads that play.
    pub threads: NonZeroUsize,
    /// The test of the fitted values against those that the loop began with.
    pub sprt: Sprt,
    /// The most games of that test.
    pub test_games: u64,
    /// A folder that does not exist: it gets a dataset and a file of values per round, and the last
    /// values as `values.toml`.
    pub dir: PathBuf,
}

impl Balance {
    /// Rounds of ten thousand games of the greedy agent on all cores, and a test of whether the fitted
    /// values are 20 Elo worse or as good.
    pub fn new(game: impl Into<String>, dir: impl Into<PathBuf>) -> Self {
        Self {
            game: game.into(),
            options: Options::new(),
            agent: "greedy".parse().expect("the greedy agent is registered"),
            games: 10_000,
            rounds: 8,
            tolerance: 0.05,
            positions: analysis::POSITIONS_PER_GAME,
            seed: 0,
            threads: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            sprt: Sprt::new(-20.0, 0.0),
            test_games: 20_000,
            dir: dir.into(),
        }
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Balanced {
    /// The rounds.
    pub rounds: Vec<Round>,
    /// Whether the values stopped moving.
    pub is_settled: bool,
    /// The match of the fitted values, first, against those that the loop began with.
    pub test: Results,
}

/// One round.
#[derive(Clone, Debug)]
pub struct Round {
    /// The kinds whose values the games told, with what they played by and what was fitted.
    pub values: Vec<(char, f64, Estimate)>,
    /// What was fitted.
    pub fitted: Fitted,
    /// The file of the fitted values.
    pub file: PathBuf,
}

/// What can go wrong.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// Playing failed.
    #[error(transparent)]
    Play(#[from] crate::Error),
    /// Fitting failed.
    #[error("round {round}: {cause}")]
    Fit {
        /// The round, from 1.
        round: u32,
        /// Why.
        cause: analysis::Error,
    },
    /// A round's games do not tell what the unit is worth, and so no values.
    #[error(
        "round {round}: these games do not tell what the pieces are worth; expected more games in a round"
    )]
    Untold {
        /// The round, from 1.
        round: u32,
    },
    /// The test failed.
    #[error(transparent)]
    Test(#[from] arena::Error),
    /// The agent cannot be had, or reads no values.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The agent's values cannot be read.
    #[error(transparent)]
    Values(#[from] ValuesError),
    /// A setting that cannot be used.
    #[error("{field}: expected {expected}, found {found}")]
    Config {
        /// The field of [`Balance`].
        field: &'static str,
        /// What can be used.
        expected: &'static str,
        /// What was given.
        found: String,
    },
    /// A file or folder that cannot be made.
    #[error("cannot write {}: {cause}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        cause: std::io::Error,
    },
    /// Stopped before the end; the rounds that are finished are in the folder.
    #[error("stopped after round {rounds}")]
    Stopped {
        /// Rounds that are finished.
        rounds: usize,
    },
}

/// Runs the loop and the test. `watch` sees each round as it ends.
///
/// # Errors
/// If a setting is faulty (nothing is written then), something cannot be played, fitted or written, or
/// `stop` becomes true.
pub fn balance(
    config: &Balance,
    progress: &dyn Progress,
    stop: &AtomicBool,
    watch: &mut dyn FnMut(&Round),
) -> Result<Balanced, Error> {
    check(config)?;
    make(&config.dir, |path| fs::create_dir(path))?;
    let mut rounds: Vec<Round> = Vec::new();
    let mut agent = config.agent.clone();
    let is_settled = loop {
        let round = play_round(config, &agent, rounds.len() as u32 + 1, progress, stop)?;
        let Some(round) = round else { return Err(Error::Stopped { rounds: rounds.len() }) };
        agent = config.agent.with(VALUES, &round.file.display().to_string())?;
        watch(&round);
        let is_settled = round.is_settled(config.tolerance);
        rounds.push(round);
        if is_settled || rounds.len() as u32 == config.rounds {
            break is_settled;
        }
    };
    let last = &rounds.last().expect("there is a round").file;
    let file = config.dir.join("values.toml");
    make(&file, |path| fs::copy(last, path).map(|_| ()))?;
    let test = Match {
        options: config.options.clone(),
        games: config.test_games,
        seed: config.seed,
        threads: config.threads,
        sprt: Some(config.sprt),
        ..Match::new(
            &config.game,
            vec![config.agent.with(VALUES, &file.display().to_string())?, config.agent.clone()],
        )
    };
    let test = arena::play(&test, progress, stop)?;
    if !test.complete {
        return Err(Error::Stopped { rounds: rounds.len() });
    }
    Ok(Balanced { rounds, is_settled, test })
}

fn check(config: &Balance) -> Result<(), Error> {
    let refuse = |field, expected, found: String| Err(Error::Config { field, expected, found });
    if config.rounds == 0 {
        return refuse("rounds", "at least 1", "0".to_owned());
    }
    if config.positions == 0 {
        return refuse("positions", "at least 1", "0".to_owned());
    }
    if config.tolerance.is_nan() || config.tolerance < 0.0 {
        return refuse("tolerance", "a number from 0 up", config.tolerance.to_string());
    }
    for (field, games) in [("games", config.games), ("test_games", config.test_games)] {
        if games == 0 {
            return refuse(field, "at least 1", "0".to_owned());
        }
    }
    if config.dir.exists() {
        let found = config.dir.display().to_string();
        return refuse("dir", "a folder that does not exist yet", found);
    }
    config.sprt.check()?;
    config.agent.with(VALUES, "")?;
    struct Built<'a>(&'a AgentSpec);
    impl Visitor for Built<'_> {
        type Output = Result<(), AgentError>;
        fn visit<G: Registered>(self, _: G) -> Self::Output {
            self.0.build::<G>().map(|_| ())
        }
    }
    let built = games::with(&config.game, &config.options, Built(&config.agent));
    Ok(built.map_err(crate::Error::from)??)
}

/// Plays a round and fits values to it; None where it was stopped.
fn play_round(
    config: &Balance,
    agent: &AgentSpec,
    number: u32,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Option<Round>, Error> {
    let dir = config.dir.join(format!("round-{number:02}"));
    let games = Config {
        options: config.options.clone(),
        agents: vec![agent.clone()],
        games: config.games,
        seed: game_seed(config.seed, u64::from(number)),
        threads: config.threads,
        ..Config::new(&config.game, &dir)
    };
    if !selfplay(&games, progress, stop)?.complete {
        return Ok(None);
    }
    let fault = |cause| Error::Fit { round: number, cause };
    let dataset = Dataset::open(&dir).map_err(|cause| fault(cause.into()))?;
    let fitted = match piece_values(&dataset, config.positions, stop) {
        Err(analysis::Error::Stopped) => return Ok(None),
        fitted => fitted.map_err(fault)?,
    };
    let played_by = match agent.given(VALUES).filter(|&file| file != crate::agents::BUILT_IN) {
        Some(file) => PieceValues::read(Path::new(file))?,
        None => PieceValues::built_in(),
    };
    let file = config.dir.join(format!("values-{number:02}.toml"));
    let Some(scaled) = Scaled::of(&fitted) else { return Err(Error::Untold { round: number }) };
    make(&file, |path| fs::write(path, scaled.toml(&fitted)))?;
    let played_by = by_kind(&config.game, &played_by);
    let values = scaled
        .values
        .iter()
        .filter_map(|&(kind, value)| Some((kind, played_by.get(&kind).copied()?, value)));
    Ok(Some(Round { values: values.collect(), fitted: fitted.clone(), file }))
}

impl Round {
    /// Whether no value has moved by more than a part of it, or than its interval allows.
    fn is_settled(&self, tolerance: f64) -> bool {
        // What is worth less than nothing is played as nothing.
        self.values.iter().all(|&(_, before, Estimate { value, low, high })| {
            let value = value.max(0.0);
            (value - before).abs() <= tolerance * value || (low..=high.max(0.0)).contains(&before)
        })
    }
}

/// Fitted values in the units of the built-in ones, so that what goes with these (the weights of
/// searching agents) goes with them.
#[derive(Clone, PartialEq, Debug)]
pub struct Scaled {
    /// By kind, those that the games told.
    pub values: Vec<(char, Estimate)>,
    /// What one unit adds to the log odds of winning.
    pub scale: f64,
}

impl Scaled {
    /// Scales what was fitted; None where the games do not tell what the unit is worth.
    pub fn of(fitted: &Fitted) -> Option<Self> {
        let built_in = by_kind(&fitted.game, &PieceValues::built_in());
        let unit: f64 = fitted.unit.iter().filter_map(|kind| built_in.get(kind)).sum();
        let unit = unit / fitted.unit.len() as f64 / fitted.unit_value;
        let told = fitted.terms.iter().filter_map(|term| Some((term.kind?, term.value?)));
        let values = told.map(|(kind, Estimate { value, low, high })| {
            let [value, low, high] = [value, low, high].map(|value| value * unit);
            (kind, Estimate { value, low, high })
        });
        let scale = fitted.terms.iter().find_map(|term| {
            let (log_odds, value) = (term.log_odds?.value, term.value?.value);
            Some(log_odds / (value * unit))
        });
        Some(Self { values: values.collect(), scale: scale? })
    }

    /// A file for the `values` option of agents. What is worth less than nothing counts as nothing: no agent is to give
    /// its pieces away.
    pub fn toml(&self, fitted: &Fitted) -> String {
        let line = |&(kind, Estimate { value, low, high }): &(char, Estimate)| {
            format!("{kind} = {:.4}  # 95 % interval {low:.4} to {high:.4}\n", value.max(0.0))
        };
        let lines: String = self.values.iter().map(line).collect();
        format!("{}[{}]\n{lines}", origin(fitted), fitted.game)
    }

    /// A file for the `weights` option of agents.
    pub fn weights_toml(&self, fitted: &Fitted) -> String {
        format!("{}[{}]\nscale = {:.6}\n", origin(fitted), fitted.game, self.scale)
    }
}

/// Where values come from, as comments.
fn origin(fitted: &Fitted) -> String {
    let unit: Vec<_> = fitted.unit.iter().map(char::to_string).collect();
    format!(
        "# Fitted by darkqi {} to {} games of {} against itself with seed {}.\n# In the units of \
         the built-in values, which {} has in common with them.\n",
        env!("CARGO_PKG_VERSION"),
        fitted.games,
        fitted.agent,
        fitted.seed,
        unit.join(" and "),
    )
}

/// A game's values by letter.
fn by_kind(game: &str, values: &PieceValues) -> BTreeMap<char, f64> {
    struct ByKind<'a>(&'a PieceValues);
    impl Visitor for ByKind<'_> {
        type Output = BTreeMap<char, f64>;
        fn visit<G: Registered>(self, _: G) -> Self::Output {
            G::KINDS.iter().copied().zip(self.0.of::<G>()).collect()
        }
    }
    games::with(game, &Options::new(), ByKind(values)).unwrap_or_default()
}

fn make(path: &Path, make: impl FnOnce(&Path) -> std::io::Result<()>) -> Result<(), Error> {
    make(path).map_err(|cause| Error::Write { path: path.to_owned(), cause })
}
