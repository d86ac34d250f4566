//! Many games at once: `darkqi.make`, `Env`.

use std::sync::Mutex;

use darkqi_env::{BatchConfig, Format, Rows};
use darkqi_selfplay::{AgentSpec, Seat, batch_against};
use numpy::{IntoPyArray, PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{self, zeros};
use crate::error::{OrRaise, locked, native};
use crate::groups::{self, Groups};
use crate::options;
use crate::resets::Resets;
use crate::spec::Spec;
use crate::state::State;
use crate::timestep::TimeStep;

/// Makes a batch of games that are stepped together.
///
/// The same arguments give the same games, whatever `num_threads` is; lane i plays the same games
/// whatever `num_envs` and `groups` are. No two lanes, and no two games of a lane, share a seed.
///
/// Args:
///     name: One of `darkqi.games()`.
///     num_envs: Number of lanes N, from 1.
///     seed: The batch's seed, from 0 to 2**64 - 1.
///     observation: "planes" for (N, C, H, W) uint8 or "tokens" for (N, T) uint8.
///     mask: "bool" for (N, A) bool or "bits" for (N, ceil(A / 8)) uint8, little-endian.
///     final_observation: Whether to keep the last position of games that end.
///     groups: Groups of neighbouring lanes that `recv` and `send` work on in turn, 1 to N. They are
///         as equal as can be: the first N % groups have a lane more than the others.
///     copy: Whether `reset`, `step` and `recv` return a new copy every time. Otherwise their
///         arrays are written into again, as `TimeStep` says.
///     opponent: An agent such as "greedy" or "expectimax:depth=1" that plays every seat but the
///         caller's, within the step. It is then always the caller's turn, and `reward` still has
///         every seat's. None leaves all seats to the caller.
///     seat: The caller's seat against an opponent; None draws one for each game, from its seed.
///     autoreset: When a lane whose game has ended deals its next one. "same_step": in the step that
///         ends it. "next_step": in the one after, whatever the action; till then its rows show the
///         last position and an empty mask. "disabled": when `reset` is told to.
///     illegal: What becomes of an action that is not legal. "raise": an `IllegalActionError`, and
///         no lane is stepped. "forfeit": it ends its lane's game as it stands, terminated; the
///         mover gets -1, which the other seats share.
///     num_threads: Threads that step lanes, the calling one included, for each group its own; None
///         shares one crew, a thread per core, among all envs of the process. In a process made by
///         fork the calling thread steps alone (the others do not survive it).
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
    groups=1, copy=false, opponent=None, seat=None, autoreset="same_step", illegal="raise",
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
    #[pyo3(from_py_with = options::groups)] groups: usize,
    copy: bool,
    opponent: Option<&str>,
    #[pyo3(from_py_with = options::optional_seat)] seat: Option<usize>,
    autoreset: &str,
    illegal: &str,
    #[pyo3(from_py_with = options::threads)] num_threads: Option<usize>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Env> {
    if groups > num_envs {
        return Err(PyValueError::new_err(format!(
            "groups: expected no more than num_envs, {num_envs}, got {groups}"
        )));
    }
    let opponent = opponent.map(str::parse::<AgentSpec>).transpose().or_raise()?;
    let seat = match (seat, &opponent) {
        (Some(_), None) => {
            let message = "seat: expected an opponent beside it; without one, every seat is yours";
            return Err(PyValueError::new_err(message));
        }
        (Some(seat), Some(_)) => Seat::At(seat),
        (None, _) => Seat::Drawn,
    };
    let config = BatchConfig {
        lanes: num_envs,
        first_lane: 0,
        seed,
        format: options::format("observation", observation)?,
        mask: options::mask_format(mask)?,
        autoreset: options::autoreset(autoreset)?,
        illegal: options::illegal(illegal)?,
        threads: num_threads,
    };
    let spec = Spec::new(name, options)?;
    // The arrays come first: they are the largest part, and numpy can say that there is no room.
    let time_step = TimeStep::new(py, &spec, &config, final_observation)?;
    let (mut parts, mut shares) = (Vec::new(), Vec::new());
    for lanes in groups::shares(num_envs, groups) {
        let part = time_step.part(py, lanes.clone())?;
        // SAFETY: The groups share out the lanes, so this is the only loan of these rows. The
        // group's stepper has it. Other native code writes rows in `reset` and `step` only, after
        // `Groups::all_home` has made sure that no stepper is with the worker. Reading them
        // meanwhile, as `TimeStep.copy` does, is what `send` asks its callers not to do.
        shares.push((lanes, unsafe { part.loan(py) }));
        parts.push(Py::new(py, part)?);
    }
    let options = spec.0.options_in_force();
    let make = |config| match &opponent {
        None => Ok(darkqi_env::make(name, &options, config)?),
        Some(opponent) => batch_against(name, &options, config, opponent, seat),
    };
    let groups = native(|| Groups::new(py, make, &config, shares))?;
    Ok(Env {
        groups: Mutex::new(groups),
        spec: Py::new(py, spec)?,
        time_step: Py::new(py, time_step)?,
        parts,
        lanes: num_envs,
        format: config.format,
        copy,
    })
}

/// A batch of games, made by `darkqi.make`.
///
/// One thread at a time: a call while another thread is within one raises RuntimeError. Calls let
/// other Python threads run; they must leave the arrays of the call alone meanwhile.
///
/// `step` plays all lanes and returns when it is done. `send` and `recv` play group by group,
/// behind Python's back, so that one group steps while the policy works on another:
///
///     env = darkqi.make("jieqi", num_envs=4096, groups=2)
///     env.reset()
///     while training:
///         ts = env.recv()            # the group's rows; ts.lanes says which lanes they are
///         env.send(policy(ts))       # returns at once
#[pyclass(frozen, module = "darkqi")]
pub(crate) struct Env {
    /// Never waited for: see [`Env::exclusively`].
    groups: Mutex<Groups>,
    /// The game with its options.
    #[pyo3(get)]
    spec: Py<Spec>,
    time_step: Py<TimeStep>,
    /// The rows of each group.
    parts: Vec<Py<TimeStep>>,
    /// Number of lanes, N.
    #[pyo3(get, name = "num_envs")]
    lanes: usize,
    format: Format,
    copy: bool,
}

impl Env {
    /// Runs native work on the lanes.
    ///
    /// # Errors
    /// If another thread is at it, or an earlier panic left it broken.
    fn exclusively<R>(&self, work: impl FnOnce(&mut Groups) -> PyResult<R>) -> PyResult<R> {
        native(|| {
            let mut groups = self.groups.try_lock().map_err(|error| locked("env", error))?;
            work(&mut groups)
        })
    }

    /// What the caller gets of rows that have been written.
    fn hand_out(&self, py: Python<'_>, time_step: &Py<TimeStep>) -> PyResult<Py<TimeStep>> {
        if self.copy { Py::new(py, time_step.get().copy(py)?) } else { Ok(time_step.clone_ref(py)) }
    }
}

#[pymethods]
impl Env {
    /// Deals a new game in every lane, or in some.
    ///
    /// Args:
    ///     seed: An integer starts over as a new env with this seed would. N of them, or None in
    ///         their places, start each lane over by itself: as lane 0 of a new env with its seed.
    ///         None goes on: the first call shows the games that `make` dealt, later calls deal
    ///         each lane's next game.
    ///     lanes: N bools: which lanes are dealt a game. The others stay as they are, and so do
    ///         their rewards and ends. None for all. A single `seed` goes with all lanes only.
    ///
    /// Returns:
    ///     The env's `TimeStep`, the same object every time unless `make` was told to copy.
    ///
    /// Raises:
    ///     ValueError: `seed` or `lanes` has not N elements, or a seed is out of range.
    ///     TypeError: They are no integers, or no bools.
    ///     RuntimeError: A group is being stepped; `recv` or `wait` first.
    #[pyo3(signature = (seed=None, *, lanes=None))]
    fn reset(
        &self,
        py: Python<'_>,
        seed: Option<&Bound<'_, PyAny>>,
        lanes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<TimeStep>> {
        let resets = Resets::new(seed, lanes, self.lanes)?;
        self.exclusively(|groups| {
            let lanes = groups.all_home("reset")?;
            let reset = |rows: Rows<'_>| match &resets {
                Resets::All(seed) => lanes.reset(*seed, rows),
                Resets::Some(resets) => lanes.reset_lanes(resets, rows),
            };
            self.time_step.get().lend(py, |rows| py.detach(|| reset(rows)))?.or_raise()?;
            self.hand_out(py, &self.time_step)
        })
    }

    /// Plays one action in every lane; a lane whose game ends deals its next one at once, unless
    /// `make` was told otherwise.
    ///
    /// Args:
    ///     actions: N integers: an array of any integer dtype or a list. Contiguous int64 is read
    ///         where it lies.
    ///
    /// Returns:
    ///     The env's `TimeStep`, the same object every time unless `make` was told to copy.
    ///
    /// Raises:
    ///     IllegalActionError: An action is not legal in its lane; names the first such lane.
    ///     ValueError: The shape is not (N,).
    ///     TypeError: The elements are not integers.
    ///     RuntimeError: Another thread is using the env, a group is being stepped, or a lane waits
    ///         for its reset.
    ///
    /// After an error nothing has changed, neither in the games nor in the arrays.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<Py<TimeStep>> {
        let actions = arrays::actions(actions, self.lanes)?;
        let actions = actions.as_slice()?;
        self.exclusively(|groups| {
            let lanes = groups.all_home("step")?;
            let time_step = self.time_step.get();
            time_step.lend(py, |rows| py.detach(|| lanes.step(actions, rows)))?.or_raise()?;
            self.hand_out(py, &self.time_step)
        })
    }

    /// Waits for the next group and returns its rows.
    ///
    /// Groups come in the order of their lanes, over and over. After `reset` or `step` the first
    /// round shows what these left.
    ///
    /// Returns:
    ///     The group's `TimeStep`, the same object every time unless `make` was told to copy. Its
    ///     rows stay until the group is sent its actions.
    ///
    /// Raises:
    ///     RuntimeError: The group received last waits for its actions, there was no `reset` yet,
    ///         another thread is using the env, or the process was forked after the first `send`.
    ///
    /// Ctrl-C ends the waiting, not the step: `recv` can be called again.
    fn recv(&self, py: Python<'_>) -> PyResult<Py<TimeStep>> {
        self.exclusively(|groups| {
            let group = groups.receive(py)?;
            self.hand_out(py, &self.parts[group])
        })
    }

    /// Starts playing one action in every lane of the group received last, and returns at once.
    ///
    /// A thread of the env plays them; it writes the group's rows until the group is received
    /// again. Leave these alone meanwhile, and copy before what you keep.
    ///
    /// Args:
    ///     actions: n integers for the group's n lanes, as for `step`. They are copied.
    ///
    /// Raises:
    ///     IllegalActionError: An action is not legal in its lane; names the first such lane.
    ///     ValueError: The shape is not (n,).
    ///     TypeError: The elements are not integers.
    ///     RuntimeError: No group was received since the last `send`, another thread is using the
    ///         env, or the process was forked after the first `send`.
    ///
    /// After an error nothing has changed, and the group still waits for its actions.
    fn send(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        self.exclusively(|groups| {
            let (group, lanes) = groups.awaited()?;
            let actions = arrays::actions(actions, lanes)?;
            self.parts[group].get().check_writable(py)?;
            groups.send(actions.as_slice()?)
        })
    }

    /// Waits until no group is being stepped.
    ///
    /// `recv` goes on where it was. `step` and `reset` may be called, too; they write over what
    /// was not received.
    ///
    /// Raises:
    ///     RuntimeError: Another thread is using the env, or the process was forked after the first
    ///         `send`.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        self.exclusively(|groups| groups.wait(py))
    }

    /// Shows the lanes as one seat, or a spectator, sees them now: those of the group received
    /// last, until it is sent its actions, else all.
    ///
    /// Args:
    ///     viewer: A seat (0 to P - 1) or "public".
    ///
    /// Returns:
    ///     A new uint8 array of the observation's shape, (N, C, H, W) or (N, T).
    ///
    /// Raises:
    ///     ValueError: There is no such viewer.
    ///     RuntimeError: No group is at hand and one is being stepped.
    fn observe<'py>(
        &self,
        py: Python<'py>,
        viewer: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
        let spec = self.spec.get();
        let viewer = options::viewer(viewer, spec.0.num_players)?;
        self.exclusively(|groups| {
            let lanes = groups.at_hand("observe")?;
            let array = zeros(py, &[&[lanes.lanes()], &*spec.shape(self.format)].concat())?;
            let mut rows = array.try_readwrite()?;
            let out = rows.as_slice_mut()?;
            py.detach(|| lanes.observe(viewer, out))?;
            drop(rows);
            Ok(array)
        })
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
    ///     RuntimeError: The lane is being stepped.
    fn state(&self, py: Python<'_>, i: &Bound<'_, PyAny>) -> PyResult<State> {
        let lane = match i.extract::<usize>() {
            Ok(lane) => Some(lane),
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => None,
            Err(error) => return Err(error),
        };
        let game = lane.map(|lane| self.exclusively(|groups| groups.state(lane))).transpose()?;
        let game = game.flatten().ok_or_else(|| {
            let last = self.lanes - 1;
            PyIndexError::new_err(format!("lane {i}: expected a lane from 0 to {last}"))
        })?;
        Ok(State::new(self.spec.clone_ref(py), game))
    }

    /// Draws a uniformly random legal action for every lane, from the lane's own random stream:
    /// for the group received last, until it is sent its actions, else for all lanes. 0 in a lane
    /// whose game is over.
    ///
    /// Returns:
    ///     A new int64 array of shape (N,), ready for `step`, or `send` if a group is at hand.
    ///
    /// Raises:
    ///     RuntimeError: No group is at hand and one is being stepped.
    fn sample_actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let actions = self.exclusively(|groups| {
            let lanes = groups.at_hand("sample_actions")?;
            py.detach(|| lanes.sample_actions())
        })?;
        Ok(actions.into_pyarray(py))
    }

    /// The seed of each lane's current game: a new uint64 array of shape (N,), or of the lanes of
    /// the group received last, until it is sent its actions.
    ///
    /// `State(name, seed=env.seeds[i], **options)` is the game that lane i was dealt.
    #[getter]
    fn seeds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let seeds = self.exclusively(|groups| Ok(groups.at_hand("seeds")?.seeds()))?;
        Ok(seeds.into_pyarray(py))
    }

    /// Number of groups of lanes.
    #[getter]
    fn groups(&self) -> usize {
        self.parts.len()
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
        let groups = self.parts.len();
        Ok(format!(
            "Env({name:?}, num_envs={lanes}, groups={groups}, observation={observation:?}, \
             options={options})"
        ))
    }
}
