//! Datasets: the native part of `darkqi.datasets`.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use darkqi_format::training::{SamplerConfig, TrainingRows};
use darkqi_format::{
    Dataset, SCHEMA_VERSION, Shard, for_training_columns, options_from_json, training,
};
use numpy::{Element, PyReadwriteArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::arguments;
use crate::error::{IntoPyResult, catch_panics, not_copied};
use crate::in_use::{Use, lock_error};
use crate::interrupt::{interruptible, reading};
use crate::location::{Location, dataset_path};
use crate::records;
use crate::spec::Spec;

/// An open dataset: the shards that were finished when it was opened.
///
/// Args:
///     path: The folder.
///
/// Raises:
///     FileNotFoundError: The folder does not exist, or a listed file is missing.
///     OSError: It is not a dataset, or has another schema version.
#[pyclass(frozen, module = "darkqi._darkqi")]
pub(crate) struct DatasetFolder(Dataset);

#[pymethods]
impl DatasetFolder {
    #[new]
    fn open(py: Python<'_>, #[pyo3(from_py_with = dataset_path)] path: PathBuf) -> PyResult<Self> {
        reading(py, &path.clone(), || Dataset::open(path).into_py_result()).map(Self)
    }

    /// The folder, or its URL in object storage as a `str`.
    #[getter]
    fn path(&self) -> Location {
        Location::of(self.0.dir().to_owned())
    }

    /// The metadata of all games, as a `Metadata`.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let metadata = self.0.metadata();
        let options = options_from_json(&metadata.options).into_py_result()?;
        records::metadata(py, metadata, &options, SCHEMA_VERSION)
    }

    /// The game with its options, as a `Spec`.
    #[getter]
    fn spec(&self) -> PyResult<Spec> {
        self.0.metadata().spec().into_py_result().map(Spec)
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

    /// Whether all its games have been written.
    #[getter]
    fn is_complete(&self) -> bool {
        self.0.is_complete()
    }

    /// Iterates over the games in the order of the shards, as `LoggedGame`s.
    fn replays(&self) -> Replays {
        Replays { dir: self.0.dir().to_owned(), games: Mutex::new(self.0.replays()) }
    }

    /// The files of one table, in the order of the shards: URLs if the dataset is in object storage.
    ///
    /// Args:
    ///     table: "games" or "plies".
    fn files(&self, table: &str) -> PyResult<Vec<Location>> {
        let is_games = arguments::one_of("table", [("games", true), ("plies", false)], table)?;
        let file = |shard: &Shard| {
            let file = if is_games { &shard.games_file } else { &shard.plies_file };
            Location::of(self.0.dir().join(file))
        };
        Ok(self.0.shards().iter().map(file).collect())
    }

    /// Pickles the path; unpickling opens the folder again.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (Location,)) {
        (slf.get_type(), (slf.get().path(),))
    }
}

/// The games of a dataset, one after another.
#[pyclass(frozen, module = "darkqi._darkqi")]
pub(crate) struct Replays {
    dir: PathBuf,
    /// Only for `try_lock`.
    games: Mutex<darkqi_format::Games>,
}

#[pymethods]
impl Replays {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let game = catch_panics(|| {
            let games = self.games.try_lock();
            let mut games = games.map_err(|error| lock_error("replays", self, error))?;
            let _use = Use::of(self);
            let games = &mut *games;
            reading(py, &self.dir, || games.next().transpose().into_py_result())
        })?;
        game.map(|game| records::logged_game(py, &game)).transpose()
    }

    fn __reduce__(&self) -> PyResult<()> {
        let instead = "it is somewhere in its games; pickle the Dataset and call `replays` there";
        Err(not_copied("an iterator over replays", instead))
    }
}

/// The array of a column, if it is given.
fn array<'py, T: Element>(
    arrays: Option<&Bound<'py, PyDict>>,
    name: &str,
) -> PyResult<Option<PyReadwriteArrayDyn<'py, T>>> {
    let given = arrays.map(|arrays| arrays.get_item(name)).transpose()?.flatten();
    let given = given.filter(|array| !array.is_none());
    let typed = given.map(|array| array.extract::<PyReadwriteArrayDyn<'py, T>>());
    let typed = typed.transpose();
    let array = typed.map_err(|error: PyErr| PyTypeError::new_err(format!("{name}: {error}")))?;
    if array.as_ref().is_some_and(|array| !array.is_c_contiguous()) {
        let message = format!("{name}: expected a contiguous array, row after row");
        return Err(PyValueError::new_err(message));
    }
    Ok(array)
}

fn elements<'a, T: Element>(
    array: &'a mut Option<PyReadwriteArrayDyn<'_, T>>,
) -> PyResult<&'a mut [T]> {
    match array {
        Some(array) => Ok(array.as_slice_mut()?),
        None => Ok(&mut []),
    }
}

/// The training rows of one epoch of a dataset, or of one worker's part of it.
///
/// The arguments are those of `darkqi.datasets.Dataset.batches`.
#[pyclass(frozen, module = "darkqi._darkqi")]
pub(crate) struct Sampler {
    /// Only for `try_lock`.
    rows: Mutex<training::Sampler>,
}

#[pymethods]
impl Sampler {
    #[new]
    #[pyo3(signature = (
        folder, *, observation, shuffle, seed, epoch, worker, num_workers, buffer_size,
        targets, threads=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        folder: &DatasetFolder,
        observation: &str,
        shuffle: bool,
        #[pyo3(from_py_with = arguments::seed)] seed: u64,
        #[pyo3(from_py_with = arguments::epoch)] epoch: u64,
        #[pyo3(from_py_with = arguments::worker)] worker: u64,
        #[pyo3(from_py_with = arguments::num_workers)] num_workers: u64,
        #[pyo3(from_py_with = arguments::buffer_size)] buffer_size: usize,
        targets: bool,
        #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
    ) -> PyResult<Self> {
        let config = SamplerConfig {
            targets,
            format: arguments::format("observation", observation)?,
            shuffle,
            seed,
            epoch,
            worker,
            num_workers,
            buffer_size,
            threads,
        };
        let rows = training::Sampler::open(&folder.0, &config).into_py_result()?;
        Ok(Self { rows: Mutex::new(rows) })
    }

    /// Writes the next rows into arrays of N rows. Releases the GIL.
    ///
    /// Args:
    ///     arrays: The arrays of `darkqi.datasets.Batch` by name, of its dtypes and shapes, with
    ///         `action_mask` as uint8. None stands for one without elements.
    ///
    /// Returns:
    ///     The number of rows written: fewer than N only at the end of the epoch, and 0 after that.
    ///
    /// Raises:
    ///     TypeError: An array has another dtype.
    ///     ValueError: An array has too few or too many elements, or they are not contiguous.
    ///     OSError: A file cannot be read, or a logged game breaks the rules. The epoch is over
    ///         then.
    ///     KeyboardInterrupt: Ctrl-C. The epoch is over then.
    #[pyo3(signature = (**arrays))]
    fn fill(&self, py: Python<'_>, arrays: Option<&Bound<'_, PyDict>>) -> PyResult<usize> {
        let stop = &AtomicBool::new(false);
        let fill = |rows: TrainingRows<'_>| {
            if rows.is_empty() {
                return Err(PyValueError::new_err("action: expected at least one row, got 0"));
            }
            interruptible(py, stop, || {
                let sampler = self.rows.try_lock();
                let mut sampler = sampler.map_err(|error| lock_error("sampler", self, error))?;
                sampler.fill_until(rows, stop).into_py_result()
            })
        };
        /// Fills the array of each column; one that is None has no elements.
        macro_rules! fill_arrays {
            ($($(#[$doc:meta])* $name:ident: $type:ty, $arity:ident $($width:expr)?;)*) => {{
                $(let mut $name = array::<$type>(arrays, stringify!($name))?;)*
                fill(TrainingRows { $($name: elements(&mut $name)?),* })
            }};
        }
        for_training_columns!(fill_arrays)
    }

    fn __reduce__(&self) -> PyResult<()> {
        let instead = "it is somewhere in its rows; pickle the Dataset and call `batches` there, with \
                       `worker` and `num_workers` to share an epoch";
        Err(not_copied("an epoch", instead))
    }
}
