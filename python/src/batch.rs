//! Many games at once: `darkqi.make`, `Env`.

use std::sync::Mutex;

use darkqi_env::{AnyBatch, BatchConfig, Format, batch};
use numpy::{IntoPyArray, PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{self, zeros};
use crate::error::{OrRaise, locked, native};
use crate::options;
use crate::spec::Spec;
use crate::state::State;
use crate::timestep::TimeStep;

/// Makes a batch of games that are stepped together.
///
/// The same arguments give the same games, whatever `num_threads` is; lane i plays the same games
/// whatever `num_envs` is. No two lanes, and no two games of a lane, share a seed.
///
/// Args:
///     name: One of `darkqi.games()`.
///     num_envs: Number of lanes N, from 1.
///     seed: The batch's seed, from 0 to 2**64 - 1.
///     observation: "planes" for (N, C, H, W) uint8 or "tokens" for (N, T) uint8.
///     mask: "bool" for (N, A) bool or "bits" for (N, ceil(A / 8)) uint8, little-endian.
///     final_observation: Whether to keep the last position of games that end.
///     num_threads: Threads that step lanes; None shares one pool, a thread per core, among all
///         envs of the process. In a process made by fork use 1 (threads do not survive a fork).
///     **options: Rule options (int, bool or str); `darkqi.spec(name).options` lists them.
///
/// Returns:
///     The `Env`. A game is dealt in every lane; `reset` shows them.
///
/// Raises:
///     ValueError: There is no such game or option, or a value is out of range.
///     TypeError: A value has the wrong type.
///     MemoryError: There is no room for so many lanes.
#[pyfunction]
#[pyo3(signature = (
    name, num_envs, seed=0, *, observation="planes", mask="bool", final_observation=false,
    num_threads=None, **options
))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn make(
    py: Python<'_>,
    name: &str,
    #[pyo3(from_py_with = options::lanes)] num_envs: usize,
    #[pyo3(from_py_with = options::seed)] seed: u64,
    observation: &str,
    mask: &str,
    final_observation: bool,
    #[pyo3(from_py_with = options::threads)] num_threads: Option<usize>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Env> {
    let config = BatchConfig {
        lanes: num_envs,
        seed,
        format: options::format("observation", observation)?,
        mask: options::mask_format(mask)?,
        threads: num_threads,
    };
    let spec = Spec::new(name, options)?;
    // The arrays come first: they are the largest part, and numpy can say that there is no room.
    let time_step = TimeStep::new(py, &spec, &config, final_observation)?;
    let (lanes, format) = (config.lanes, config.format);
    let options = spec.0.options_in_force();
    let batch = native(|| py.detach(|| batch::make(name, &options, config)).or_raise())?;
    Ok(Env {
        batch: Mutex::new(batch),
        spec: Py::new(py, spec)?,
        time_step: Py::new(py, time_step)?,
        lanes,
        format,
    })
}

/// A batch of games, made by `darkqi.make`.
///
/// One thread at a time: a call while another thread is within one raises RuntimeError. Calls let
/// other Python threads run; they must leave the arrays of the call alone meanwhile.
#[pyclass(frozen, module = "darkqi")]
pub(crate) struct Env {
    /// Never waited for: see [`Env::exclusively`].
    batch: Mutex<Box<dyn AnyBatch>>,
    /// The game with its options.
    #[pyo3(get)]
    spec: Py<Spec>,
    time_step: Py<TimeStep>,
    /// Number of lanes, N.
    #[pyo3(get, name = "num_envs")]
    lanes: usize,
    format: Format,
}

impl Env {
    /// Runs native work on the batch.
    ///
    /// # Errors
    /// If another thread is at it, or an earlier panic left it broken.
    fn exclusively<R>(&self, work: impl FnOnce(&mut dyn AnyBatch) -> PyResult<R>) -> PyResult<R> {
        native(|| {
            let mut batch = self.batch.try_lock().map_err(|error| locked("env", error))?;
            work(&mut **batch)
        })
    }
}

#[pymethods]
impl Env {
    /// Deals a new game in every lane.
    ///
    /// Args:
    ///     seed: Starts over as a new env with this seed would. None goes on: the first call shows
    ///         the games that `make` dealt, later calls deal each lane's next game.
    ///
    /// Returns:
    ///     The env's `TimeStep`, the same object every time.
    #[pyo3(signature = (seed=None))]
    fn reset(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = options::optional_seed)] seed: Option<u64>,
    ) -> PyResult<Py<TimeStep>> {
        self.exclusively(|batch| {
            let time_step = self.time_step.get();
            time_step.lend(py, |rows| py.detach(|| batch.reset(seed, rows)))?.or_raise()
        })?;
        Ok(self.time_step.clone_ref(py))
    }

    /// Plays one action in every lane; a lane whose game ends deals its next one at once.
    ///
    /// Args:
    ///     actions: N integers: an array of any integer dtype or a list. Contiguous int64 is read
    ///         where it lies.
    ///
    /// Returns:
    ///     The env's `TimeStep`, the same object every time.
    ///
    /// Raises:
    ///     IllegalActionError: An action is not legal in its lane; names the first such lane.
    ///     ValueError: The shape is not (N,).
    ///     TypeError: The elements are not integers.
    ///     RuntimeError: Another thread is using the env.
    ///
    /// After an error nothing has changed, neither in the games nor in the arrays.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<Py<TimeStep>> {
        let actions = arrays::actions(actions, self.lanes)?;
        let actions = actions.as_slice()?;
        self.exclusively(|batch| {
            let time_step = self.time_step.get();
            time_step.lend(py, |rows| py.detach(|| batch.step(actions, rows)))?.or_raise()
        })?;
        Ok(self.time_step.clone_ref(py))
    }

    /// Shows the lanes as one seat, or a spectator, sees them now.
    ///
    /// Args:
    ///     viewer: A seat (0 to P - 1) or "public".
    ///
    /// Returns:
    ///     A new uint8 array of the observation's shape, (N, C, H, W) or (N, T).
    ///
    /// Raises:
    ///     ValueError: There is no such viewer.
    fn observe<'py>(
        &self,
        py: Python<'py>,
        viewer: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
        let spec = self.spec.get();
        let viewer = options::viewer(viewer, spec.0.num_players)?;
        let array = zeros(py, &[&[self.lanes], &*spec.shape(self.format)].concat())?;
        let mut rows = array.try_readwrite()?;
        let out = rows.as_slice_mut()?;
        self.exclusively(|batch| py.detach(|| batch.observe(viewer, out)).or_raise())?;
        Ok(array)
    }

    /// Copies one lane's game.
    ///
    /// Args:
    ///     i: The lane, 0 to N - 1.
    ///
    /// Returns:
    ///     A `State` that goes its own way from here.
    ///
    /// Raises:
    ///     IndexError: There is no such lane.
    fn state(&self, py: Python<'_>, i: &Bound<'_, PyAny>) -> PyResult<State> {
        let lane = match i.extract::<usize>() {
            Ok(lane) => Some(lane),
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => None,
            Err(error) => return Err(error),
        };
        let game = self.exclusively(|batch| Ok(lane.and_then(|lane| batch.state(lane))))?;
        let game = game.ok_or_else(|| {
            let last = self.lanes - 1;
            PyIndexError::new_err(format!("lane {i}: expected a lane from 0 to {last}"))
        })?;
        Ok(State::new(self.spec.clone_ref(py), game))
    }

    /// Draws a uniformly random legal action for every lane, from the lane's own random stream.
    ///
    /// Returns:
    ///     A new int64 array of shape (N,), ready for `step`.
    fn sample_actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let mut actions = vec![0; self.lanes];
        self.exclusively(|batch| py.detach(|| batch.sample_actions(&mut actions)).or_raise())?;
        Ok(actions.into_pyarray(py))
    }

    /// The seed of each lane's current game: a new uint64 array of shape (N,).
    ///
    /// `State(name, seed=env.seeds[i], **options)` is the game that lane i was dealt.
    #[getter]
    fn seeds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        Ok(self.exclusively(|batch| Ok(batch.seeds()))?.into_pyarray(py))
    }

    fn __len__(&self) -> usize {
        self.lanes
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let spec = self.spec.get();
        let (name, lanes, options) = (spec.0.name, self.lanes, spec.keywords(py)?);
        let observation = match self.format {
            Format::Planes => "planes",
            Format::Tokens => "tokens",
        };
        Ok(format!(
            "Env({name:?}, num_envs={lanes}, observation={observation:?}, options={options})"
        ))
    }
}
