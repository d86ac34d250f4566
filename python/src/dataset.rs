//! Datasets: what `darkqi.datasets` is made of.

use std::path::PathBuf;
use std::sync::Mutex;

use darkqi_datasets::training::{self, SamplerConfig, TrainingRows};
use darkqi_datasets::{Dataset, SCHEMA_VERSION, Shard, options_from_json};
use numpy::{PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::{OrRaise, locked, native};
use crate::options;
use crate::records;
use crate::spec::Spec;

/// A dataset's folder, opened: its shards that were finished then.
///
/// Args:
///     path: The folder.
///
/// Raises:
///     FileNotFoundError: There is no such folder, or a listed file is missing.
///     OSError: It is no dataset, or one of another schema version.
#[pyclass(frozen, module = "darkqi._darkqi")]
pub(crate) struct DatasetFolder(Dataset);

#[pymethods]
impl DatasetFolder {
    #[new]
    fn open(path: PathBuf) -> PyResult<Self> {
        Dataset::open(path).or_raise().map(Self)
    }

    /// What all games have in common, as a `Metadata`.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let metadata = self.0.metadata();
        let options = options_from_json(&metadata.options).or_raise()?;
        records::metadata(py, metadata, &options, SCHEMA_VERSION)
    }

    /// The game with its options, as a `Spec`.
    #[getter]
    fn spec(&self) -> PyResult<Spec> {
        let metadata = self.0.metadata();
        let options = options_from_json(&metadata.options).or_raise()?;
        darkqi_env::Spec::new(&metadata.game, &options).or_raise().map(Spec)
    }

    /// Number of games.
    #[getter]
    fn num_games(&self) -> u64 {
        self.0.num_games()
    }

    /// Number of plies.
    #[getter]
    fn num_plies(&self) -> u64 {
        self.0.num_plies()
    }

    /// Whether its writer has finished.
    #[getter]
    fn is_complete(&self) -> bool {
        self.0.is_complete()
    }

    /// Streams the games in the order of the shards, as `LoggedGame`s.
    fn replays(&self) -> Replays {
        Replays { games: Mutex::new(self.0.replays()) }
    }

    /// The files of one table, in the order of the shards.
    ///
    /// Args:
    ///     table: "games" or "plies".
    fn files(&self, table: &str) -> PyResult<Vec<PathBuf>> {
        let file: fn(&Shard) -> &str = match table {
            "games" => |shard| &shard.games_file,
            "plies" => |shard| &shard.plies_file,
            _ => return Err(options::neither("table", ["games", "plies"], table)),
        };
        Ok(self.0.shards().iter().map(|shard| self.0.dir().join(file(shard))).collect())
    }
}

/// The games of a dataset, one after another.
#[pyclass(frozen, module = "darkqi._darkqi")]
pub(crate) struct Replays {
    /// Never waited for.
    games: Mutex<darkqi_datasets::Replays>,
}

#[pymethods]
impl Replays {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let game = native(|| {
            let mut games = self.games.try_lock().map_err(|error| locked("replays", error))?;
            games.next().transpose().or_raise()
        })?;
        game.map(|game| records::logged_game(py, &game)).transpose()
    }
}

/// One epoch of a dataset, or one worker's share of it, as rows to train on.
///
/// Args are those of `darkqi.datasets.Dataset.batches`.
#[pyclass(frozen, module = "darkqi._darkqi")]
pub(crate) struct Sampler {
    /// Never waited for.
    rows: Mutex<Box<dyn training::Sampler>>,
}

#[pymethods]
impl Sampler {
    #[new]
    #[pyo3(signature = (
        folder, *, observation, shuffle, seed, epoch, worker, num_workers, buffer_size, num_threads
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        folder: &DatasetFolder,
        observation: &str,
        shuffle: bool,
        #[pyo3(from_py_with = options::seed)] seed: u64,
        #[pyo3(from_py_with = options::epoch)] epoch: u64,
        #[pyo3(from_py_with = options::worker)] worker: u64,
        #[pyo3(from_py_with = options::num_workers)] num_workers: u64,
        #[pyo3(from_py_with = options::buffer_size)] buffer_size: usize,
        #[pyo3(from_py_with = options::threads)] num_threads: Option<usize>,
    ) -> PyResult<Self> {
        let config = SamplerConfig {
            format: options::format("observation", observation)?,
            shuffle,
            seed,
            epoch,
            worker,
            num_workers,
            buffer_size,
            num_threads,
        };
        let rows = native(|| training::open(&folder.0, &config).or_raise())?;
        Ok(Self { rows: Mutex::new(rows) })
    }

    /// Writes the next rows into arrays of N rows, without holding the interpreter.
    ///
    /// Args:
    ///     observation: uint8 of shape (N, C, H, W), or (N, T) as tokens.
    ///     action_mask: uint8 of shape (N, A).
    ///     action: int64 of shape (N,).
    ///     player: int8 of shape (N,).
    ///     reward: float32 of shape (N,).
    ///     legal_count: uint16 of shape (N,).
    ///     game_id: uint64 of shape (N,).
    ///     ply: uint16 of shape (N,).
    ///
    /// Returns:
    ///     How many rows: fewer than N only at the end of the epoch, then 0.
    ///
    /// Raises:
    ///     TypeError: An array has another dtype.
    ///     ValueError: An array has too few or too many elements, or they are not contiguous.
    ///     OSError: A file cannot be read, or the log is not what the rules give; ends the epoch.
    #[expect(clippy::too_many_arguments, reason = "one for each column")]
    fn fill(
        &self,
        py: Python<'_>,
        observation: &Bound<'_, PyArrayDyn<u8>>,
        action_mask: &Bound<'_, PyArrayDyn<u8>>,
        action: &Bound<'_, PyArrayDyn<i64>>,
        player: &Bound<'_, PyArrayDyn<i8>>,
        reward: &Bound<'_, PyArrayDyn<f32>>,
        legal_count: &Bound<'_, PyArrayDyn<u16>>,
        game_id: &Bound<'_, PyArrayDyn<u64>>,
        ply: &Bound<'_, PyArrayDyn<u16>>,
    ) -> PyResult<usize> {
        let mut observation = observation.try_readwrite()?;
        let mut action_mask = action_mask.try_readwrite()?;
        let mut action = action.try_readwrite()?;
        let mut player = player.try_readwrite()?;
        let mut reward = reward.try_readwrite()?;
        let mut legal_count = legal_count.try_readwrite()?;
        let mut game_id = game_id.try_readwrite()?;
        let mut ply = ply.try_readwrite()?;
        let rows = TrainingRows {
            observation: observation.as_slice_mut()?,
            action_mask: action_mask.as_slice_mut()?,
            action: action.as_slice_mut()?,
            player: player.as_slice_mut()?,
            reward: reward.as_slice_mut()?,
            legal_count: legal_count.as_slice_mut()?,
            game_id: game_id.as_slice_mut()?,
            ply: ply.as_slice_mut()?,
        };
        if rows.is_empty() {
            return Err(PyValueError::new_err("action: expected room for at least one row, got 0"));
        }
        py.detach(|| {
            native(|| {
                let mut sampler = self.rows.try_lock().map_err(|error| locked("sampler", error))?;
                sampler.fill(rows).or_raise()
            })
        })
    }
}
