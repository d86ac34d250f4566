//! Batches of games: `darkqi.make` and `Env`.

#![expect(unsafe_code, reason = "rows are written while Python runs")]

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use darkqi_engine::agents::AgentSpec;
use darkqi_env::{
    BatchConfig, BatchError, Format,
    batch::{Decisions, GameSink, Rows},
};
use darkqi_play::opponents::{CallerSeat, batch_against};
use darkqi_play::recorder::{Recorder, Recording};
use numpy::{IntoPyArray, PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{PyTraverseError, PyVisit};

use crate::arguments;
use crate::arrays::{self, zeros};
use crate::env_rows::EnvRows;
use crate::error::{IntoPyErr, IntoPyResult, catch_panics, not_copied};
use crate::groups::{self, AllLanes, Groups};
use crate::in_use::{self, Use, lock_error};
use crate::interrupt::{detached, interruptible};
use crate::location::optional_dataset_path;
use crate::numbers::{index, type_error};
use crate::policy::{self, Asking, BLOCK_ROWS, PythonPolicy};
use crate::reset::ResetRequest;
use crate::spec::Spec;
use crate::state::State;
use crate::time_step::{RowShapes, TimeStep};

/// Makes a batch of games that are stepped together.
///
/// The same seed gives the same games. `threads` does not change them; lane i plays the same games
/// for any `num_envs` and `groups`. No two games of the batch have the same seed.
///
/// Args:
///     name: One of `darkqi.games()`.
///     num_envs: Number of lanes N, at least 1.
///     seed: The seed of the batch, as of `State`. None draws one, which `Env.seed` shows.
///     observation: "planes" for (N, C, H, W) uint8 or "tokens" for (N, T) uint8.
///     mask: "bool" for (N, A) bool or "bits" for (N, ceil(A / 8)) uint8, little-endian.
///     final_observation: Whether to keep the last position of games that end.
///     groups: Number of groups of neighbouring lanes that `recv` and `send` take in turn, 1 to N.
///         Their sizes differ by at most one: the first N % groups have one lane more.
///     copy: Whether rows that `reset`, `step` and `recv` returned stay as they are, as long as
///         somebody holds them. False writes the same arrays every time: a little faster, with half
///         of the memory; see `TimeStep`.
///     opponent: An agent such as "greedy" or "expectimax:depth=1" that plays every seat but the
///         caller's, within the step; or a policy, a callable as in `selfplay`, that sees 64 rows
///         in the format of `observation`. It is then always the caller's turn; `reward` still has
///         the rewards of all seats. None leaves all seats to the caller.
///     seat: The caller's seat against an opponent; None samples one for each game, from its seed.
///     autoreset: When a lane whose game has ended deals its next one. "same_step": in the step
///         that ends it. "next_step": in the step after that, in which the action does not matter;
///         until then its rows show the last position and an empty mask. "disabled": at `reset`.
///     illegal: The effect of an action that is not legal. "raise": `IllegalActionError`, and no
///         lane is stepped. "forfeit": the lane's game ends as it stands, terminated; the mover
///         gets -1, and the other seats share +1.
///     log: A folder in which the games are logged as a dataset, like those of `selfplay`, whatever
///         chooses the actions. It is created, or holds a dataset of the same game, options and
///         agents that was logged in this way: its games stay. Games are logged when they end;
///         those that are left by `reset` or end by an illegal action are not. Call `close` at the
///         end, or use the env as a context manager. The next env that logs there keeps the games
///         that a killed process has left.
///     log_agent: The name of the caller in the dataset, "caller" by default; only with `log`.
///     threads: Threads that step lanes, including the calling one, separate for each group. None
///         uses one thread pool for all envs of the process, with a thread per core. In a forked
///         process the calling thread steps alone, because threads do not survive a fork. An env with
///         a log raises there: its parent writes the log.
///     **options: Rule options (int, bool or str); `darkqi.spec(name).options` lists them. `rules` takes them
///         from a TOML file, a variant of the program by name, or a dict as such a file has it.
///
/// Returns:
///     The `Env`. A game is dealt in every lane; the first `reset` shows it.
///
/// Raises:
///     ValueError: The game or an option does not exist, or a value is out of range.
///     TypeError: A value has the wrong type.
///     RuntimeError: An opponent that begins a lane's game cannot decide.
///     MemoryError: There is not enough memory for the lanes.
#[pyfunction]
#[pyo3(signature = (
    name, num_envs, seed=None, *, observation="planes", mask="bool", final_observation=false,
    groups=1, copy=true, opponent=None, seat=None, autoreset="same_step", illegal="raise",
    log=None, log_agent=None, threads=None, **options
))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn make(
    py: Python<'_>,
    name: &str,
    #[pyo3(from_py_with = arguments::num_envs)] num_envs: usize,
    #[pyo3(from_py_with = arguments::optional_seed)] seed: Option<u64>,
    observation: &str,
    mask: &str,
    final_observation: bool,
    #[pyo3(from_py_with = arguments::groups)] groups: usize,
    copy: bool,
    opponent: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = arguments::optional_seat)] seat: Option<usize>,
    autoreset: &str,
    illegal: &str,
    #[pyo3(from_py_with = optional_dataset_path)] log: Option<PathBuf>,
    log_agent: Option<&str>,
    #[pyo3(from_py_with = arguments::threads)] threads: Option<usize>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<Env>> {
    if groups > num_envs {
        return Err(PyValueError::new_err(format!(
            "groups: expected no more than num_envs, {num_envs}, got {groups}"
        )));
    }
    let seed = arguments::seed_or_new(seed)?;
    let spec = Spec::new(name, options)?;
    let format = arguments::format("observation", observation)?;
    let asking = Asking { format, rows: BLOCK_ROWS };
    let read = |opponent| policy::agent("opponent", opponent, &spec.0, asking);
    let (opponent, policy) = opponent.map(read).transpose()?.unzip();
    let policy = policy.flatten();
    let seat = match (seat, &opponent) {
        (Some(_), None) => {
            let message = "seat: expected an opponent beside it; without one, every seat is yours";
            return Err(PyValueError::new_err(message));
        }
        (Some(seat), Some(_)) => CallerSeat::Fixed(seat),
        (None, _) => CallerSeat::Random,
    };
    if log_agent.is_some() && log.is_none() {
        return Err(PyValueError::new_err("log_agent: expected `log` beside it, got none"));
    }
    let mut config = BatchConfig {
        lanes: num_envs,
        first_lane: 0,
        seed,
        format,
        mask: arguments::mask_format(mask)?,
        autoreset: arguments::autoreset(autoreset)?,
        illegal: arguments::illegal(illegal)?,
        threads,
        sink: None,
        opponents: None,
    };
    let shapes = RowShapes {
        lanes: 0..num_envs,
        observation: spec.shape(format),
        mask: config.mask,
        actions: spec.0.num_actions,
        players: spec.0.num_players,
        final_observation,
    };
    let group_lanes = groups::split_lanes(num_envs, groups);
    // The arrays first: they take most of the memory, and numpy can raise `MemoryError`.
    let rows = EnvRows::new(py, shapes, &group_lanes, !copy)?;
    let options = spec.0.options_in_force();
    let recorder = log.map(|dir| {
        let mut recording = Recording {
            options: options.clone(),
            seed,
            opponent: opponent.as_ref().map(ToString::to_string),
            ..Recording::new(name, dir)
        };
        if let Some(caller) = log_agent {
            recording.caller = caller.to_owned();
        }
        Recorder::start(recording).into_py_result()
    });
    let recorder = recorder.transpose()?;
    config.sink = recorder.clone().map(|recorder| recorder as Arc<dyn GameSink>);
    let may_take_long = opponent.as_ref().is_some_and(AgentSpec::may_take_long);
    let stop = may_take_long.then(Arc::<AtomicBool>::default);
    let make = |config| match &opponent {
        None => Ok(darkqi_env::make(name, &options, config)?),
        Some(opponent) => {
            let stop = stop.clone().unwrap_or_default();
            batch_against(name, &options, config, opponent, seat, stop)
        }
    };
    let games = catch_panics(|| Groups::new(py, make, &config, group_lanes, stop.as_deref()))?;
    let env = Env {
        games: Mutex::new(Games { seed, groups: games, rows }),
        spec: Py::new(py, spec)?,
        lanes: num_envs,
        groups,
        format: config.format,
        stop,
        recorder,
        policy,
    };
    let env = Py::new(py, env)?;
    if let Some(policy) = &env.get().policy {
        policy.play_in(env.get());
    }
    Ok(env)
}

/// A batch of games, made by `darkqi.make`.
///
/// One thread at a time may use an env: a call during a call of another thread raises
/// RuntimeError, and so does a policy that uses the env in which it plays. An env can be neither pickled
/// nor copied. Calls release the GIL, so other Python threads run; these must not use the arrays
/// that the call reads or writes.
///
/// `step` plays all lanes and returns when it is done. `send` and `recv` play group by group: a
/// native thread steps one group while the policy works on another.
///
///     env = darkqi.make("jieqi", num_envs=4096, groups=2)
///     env.reset()
///     while training:
///         ts = env.recv()            # the group's rows; ts.lanes says which lanes they are
///         env.send(policy(ts))       # returns at once
#[pyclass(frozen, module = "darkqi")]
pub(crate) struct Env {
    /// Only for `try_lock`; see [`Env::with_games`].
    games: Mutex<Games>,
    /// The game with its options.
    #[pyo3(get)]
    spec: Py<Spec>,
    /// Number of lanes, N.
    #[pyo3(get, name = "num_envs")]
    lanes: usize,
    /// Number of groups of lanes.
    #[pyo3(get)]
    groups: usize,
    format: Format,
    /// Stops an opponent that may take long.
    stop: Option<Arc<AtomicBool>>,
    recorder: Option<Arc<Recorder>>,
    /// The opponent, if it is a callable of Python, which may refer to this env.
    policy: Option<Arc<PythonPolicy>>,
}

/// The games of an env and the rows that show them.
struct Games {
    /// The seed of the batch.
    seed: u64,
    groups: Groups,
    rows: EnvRows,
}

impl Env {
    /// Runs native work on the lanes.
    ///
    /// # Errors
    /// If another thread or a call that led to this one is using the env, or a panic has left it
    /// unusable.
    fn with_games<R>(&self, work: impl FnOnce(&mut Games) -> PyResult<R>) -> PyResult<R> {
        // The thread of `send` asks a policy without the lock.
        in_use::check("env", self)?;
        catch_panics(|| {
            let games = self.games.try_lock();
            let mut games = games.map_err(|error| lock_error("env", self, error))?;
            let _use = Use::of(self);
            work(&mut games)
        })
    }

    /// # Errors
    /// If the env has a log that is closed.
    fn check_open(&self, call: &str) -> PyResult<()> {
        if self.recorder.as_ref().is_some_and(|recorder| recorder.is_closed()) {
            return Err(PyRuntimeError::new_err(format!(
                "{call}: the env was closed, and its log with it; make another env, which may log to \
                 the same folder"
            )));
        }
        Ok(())
    }

    /// # Errors
    /// If games that end could not be logged.
    fn check_log(&self) -> Result<(), BatchError> {
        self.recorder.as_ref().map_or(Ok(()), |recorder| recorder.check()).map_err(BatchError::Log)
    }

    /// [`with_games`](Self::with_games) for work that needs no rows.
    fn with_groups<R>(&self, work: impl FnOnce(&mut Groups) -> PyResult<R>) -> PyResult<R> {
        self.with_games(|games| work(&mut games.groups))
    }

    /// Writes the rows of all lanes by native work that does not hold the GIL. With `keep` they have the
    /// results of the last rows before.
    ///
    /// # Errors
    /// That of the work, by `refused`. Where an interrupt ends it, the games have to be reset.
    fn write_all(
        &self,
        py: Python<'_>,
        Games { groups, rows, .. }: &mut Games,
        call: &str,
        keep: bool,
        work: impl FnOnce(AllLanes<'_>, Rows<'_>) -> Result<(), BatchError> + Send,
        refused: impl FnOnce(BatchError) -> PyErr,
    ) -> PyResult<Py<TimeStep>> {
        let lanes = groups.all_lanes(call)?;
        let mut is_lost = false;
        let written = rows.write_all(py, keep, |time_step| {
            let done = time_step.with_rows(py, |rows| {
                let work = || self.check_log().and_then(|()| work(lanes, rows));
                detached(py, self.stop.as_deref(), work)
            })?;
            is_lost = done.is_err();
            done?.map_err(refused)
        });
        if is_lost {
            groups.tear();
        }
        written
    }

    /// What is said of the actions in this many lanes, for the log.
    fn decisions(
        &self,
        value: Option<Bound<'_, PyAny>>,
        policy: Option<Bound<'_, PyAny>>,
        lanes: usize,
    ) -> PyResult<[Option<Vec<f32>>; 2]> {
        let spec = &self.spec.get().0;
        let read = |what, given: Option<Bound<'_, PyAny>>, length| {
            given.map(|given| policy::floats(what, given, &[lanes, length])).transpose()
        };
        Ok([read("value", value, spec.num_players)?, read("policy", policy, spec.num_actions)?])
    }
}

impl Drop for Env {
    /// Dropping the groups waits for their steps, which a search may not end by itself.
    fn drop(&mut self) {
        if let Some(stop) = &self.stop {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

#[pymethods]
impl Env {
    /// Deals a new game in every lane, or in some lanes.
    ///
    /// Args:
    ///     seed: An integer restarts the env as a new env with this seed. A sequence of N integers
    ///         restarts each lane as lane 0 of a new env with that seed; None in it deals the
    ///         lane's next game. None deals each lane's next game; the first call shows the games
    ///         that `make` dealt.
    ///     lanes: N bools, True for the lanes that are dealt a game; None for all lanes. The other
    ///         lanes keep their games, rewards and ends. A single integer `seed` needs None.
    ///
    /// Returns:
    ///     The rows of all lanes, as a `TimeStep`.
    ///
    /// Raises:
    ///     ValueError: `seed` or `lanes` does not have N elements, or a seed is out of range.
    ///     TypeError: The elements are not integers, or not bools.
    ///     RuntimeError: A group is being stepped; call `recv` or `wait` first. The env had a log and was
    ///         closed.
    ///     OSError: As for `step`.
    ///     KeyboardInterrupt: Ctrl-C while an opponent searches, asks a net or a program. All lanes
    ///         must be reset again.
    #[pyo3(signature = (seed=None, *, lanes=None))]
    fn reset(
        &self,
        py: Python<'_>,
        seed: Option<&Bound<'_, PyAny>>,
        lanes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<TimeStep>> {
        let request = ResetRequest::new(seed, lanes, self.lanes)?;
        let keep = matches!(request, ResetRequest::Lanes(_));
        let reset = |lanes: AllLanes<'_>, rows: Rows<'_>| match &request {
            ResetRequest::Batch(seed) => lanes.reset(*seed, rows),
            ResetRequest::Lanes(resets) => lanes.reset_lanes(resets, rows),
        };
        self.with_games(|games| {
            self.check_open("reset")?;
            let time_step =
                self.write_all(py, games, "reset", keep, reset, IntoPyErr::into_py_err)?;
            if let ResetRequest::Batch(Some(seed)) = request {
                games.seed = seed;
            }
            Ok(time_step)
        })
    }

    /// Plays one action in every lane. With `autoreset="same_step"` a lane whose game ends deals
    /// its next one in the same call.
    ///
    /// Args:
    ///     actions: N integers: an array of any integer dtype, or a list. Contiguous int64 is not
    ///         copied.
    ///     value: With `make(log=...)`, (N, P) floats for the log: the expected result of each seat, from
    ///         -1 to 1, in seat order.
    ///     policy: With `make(log=...)`, (N, A) floats for the log: the probabilities of the actions,
    ///         0 for illegal ones.
    ///
    /// Returns:
    ///     The rows of all lanes, as a `TimeStep`.
    ///
    /// Raises:
    ///     IllegalActionError: An action is not legal in its lane. The message names the first such
    ///         lane.
    ///     ValueError: A shape is wrong, a value is no finite number from -1 to 1, or a row of `policy` is not
    ///         made of probabilities of legal actions.
    ///     TypeError: An action is not an integer, or a `value` or `policy` not a float.
    ///     RuntimeError: Another thread is using the env, a group is being stepped, the game of a
    ///         lane is over and needs `reset`, or the env had a log and was closed.
    ///     OSError: The log cannot be written. Games that ended before are kept in memory, and the same
    ///         call resumes once they can be written.
    ///     KeyboardInterrupt: Ctrl-C while an opponent searches, asks a net or a program.
    ///
    /// After another error neither the games nor the arrays have changed, unless it comes from an
    /// opponent or is an interrupt: then `reset` must follow.
    #[pyo3(signature = (actions, value=None, policy=None))]
    fn step(
        &self,
        py: Python<'_>,
        actions: &Bound<'_, PyAny>,
        value: Option<Bound<'_, PyAny>>,
        policy: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Py<TimeStep>> {
        let given = arrays::actions(actions, self.lanes)?;
        let actions = given.as_slice()?;
        let [value, policy] = self.decisions(value, policy, self.lanes)?;
        let decisions = Decisions { value: value.as_deref(), policy: policy.as_deref() };
        let step = |lanes: AllLanes<'_>, rows: Rows<'_>| lanes.step(actions, decisions, rows);
        let refused = |error| given.refused(error, 0);
        self.with_games(|games| {
            self.check_open("step")?;
            self.write_all(py, games, "step", false, step, refused)
        })
    }

    /// Waits for the next group and returns its rows. The group is then current until `send`.
    ///
    /// Groups come in the order of their lanes, round after round. The first round after `reset` or
    /// `step` returns the rows that these wrote.
    ///
    /// Returns:
    ///     The rows of the group's lanes, as a `TimeStep`.
    ///
    /// Raises:
    ///     RuntimeError: The current group waits for its actions, `reset` was not called yet,
    ///         another thread is using the env, or the process was forked after the first `send`.
    ///     KeyboardInterrupt: Ctrl-C. It interrupts the wait, not the step; `recv` can be called again,
    ///         and dropping the env stops an opponent that searches.
    fn recv(&self, py: Python<'_>) -> PyResult<Py<TimeStep>> {
        self.with_games(|Games { groups, rows, .. }| Ok(rows.latest(py, groups.receive(py)?)))
    }

    /// Starts playing one action in every lane of the current group, and returns at once.
    ///
    /// A native thread of the env plays them. With `make(copy=False)` it writes the group's rows until
    /// the next `recv` of the group: do not use them until then, and copy what you keep before.
    ///
    /// Args:
    ///     actions: n integers for the group's n lanes, as for `step`. They are copied.
    ///     value: (n, P) floats for the log, as for `step`.
    ///     policy: (n, A) floats for the log, as for `step`.
    ///
    /// Raises:
    ///     IllegalActionError: An action is not legal in its lane. The message names the first such
    ///         lane.
    ///     ValueError: As for `step`, with n lanes.
    ///     TypeError: As for `step`.
    ///     RuntimeError: No group is current, another thread is using the env, the process was forked
    ///         after the first `send`, or the env had a log and was closed.
    ///     OSError: As for `step`.
    ///
    /// After an error nothing has changed, and the group is still current.
    #[pyo3(signature = (actions, value=None, policy=None))]
    fn send(
        &self,
        py: Python<'_>,
        actions: &Bound<'_, PyAny>,
        value: Option<Bound<'_, PyAny>>,
        policy: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.with_games(|Games { groups, rows, .. }| {
            self.check_open("send")?;
            let (group, lanes) = groups.current()?;
            let actions = arrays::actions(actions, lanes)?;
            let [value, policy] = self.decisions(value, policy, lanes)?;
            let next = rows.next(py, group)?;
            py.detach(|| self.check_log()).into_py_result()?;
            // The thread writes without numpy's borrow checks, so they are made here.
            next.get().with_rows(py, |_| ())?;
            // SAFETY: Nobody else has these rows: either nothing refers to them, or they are those
            // that only this group's steps write, one at a time. Other native code writes the latter
            // only in `reset` and `step`, after `Groups::all_lanes` has checked that no group is being
            // stepped; `make` tells its callers not to read them meanwhile.
            let written = unsafe { next.get().exclusive_rows(py) };
            let refuse = |error, first_lane| actions.refused(error, first_lane);
            let given = actions.as_slice()?;
            let decisions = Decisions { value: value.as_deref(), policy: policy.as_deref() };
            groups.send(given, decisions, written, refuse)?;
            rows.show(group, next);
            Ok(())
        })
    }

    /// Writes what is still to be logged, and marks the dataset as complete: an env with a log is not
    /// stepped after that. Without a log it does nothing.
    ///
    /// Raises:
    ///     OSError: The log cannot be written. Games that are in no part are kept in memory, and another
    ///         `close` resumes.
    ///     RuntimeError: Another thread is using the env.
    ///     KeyboardInterrupt: Ctrl-C. The dataset is not complete; parts have the games that are in
    ///         no shard, and an env that logs to the same folder adds them.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let Some(recorder) = &self.recorder else { return Ok(()) };
        self.with_groups(|groups| {
            groups.wait(py)?;
            // Another `close` may have been interrupted.
            recorder.leaving().store(false, Ordering::Relaxed);
            interruptible(py, recorder.leaving(), || {
                recorder.close().map_err(BatchError::Log).into_py_result()
            })
        })
    }

    fn __reduce__(&self) -> PyResult<()> {
        let (name, lanes) = (self.spec.get().0.name, self.lanes);
        let instead = format!(
            "its games are in progress; call darkqi.make({name:?}, {lanes}, ...) with the same arguments \
             and seed where it is needed, such as in the worker (`Env.state` copies a single game)"
        );
        Err(not_copied("an Env", &instead))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.policy.as_ref().map_or(Ok(()), |policy| policy.traverse(&visit))
    }

    /// The garbage collector found that only the opponent refers to the env.
    fn __clear__(&self) {
        if let Some(policy) = &self.policy {
            policy.clear();
        }
    }

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        _type: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.close(py)
    }

    /// Waits until no group is being stepped.
    ///
    /// After that `recv` continues with the same group. `step` and `reset` may be called as well. They
    /// overwrite rows that were not received.
    ///
    /// Raises:
    ///     RuntimeError: Another thread is using the env, or the process was forked after the first
    ///         `send`.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        self.with_groups(|groups| groups.wait(py))
    }

    /// Encodes what a seat or a spectator sees now, in the lanes of the current group, or in all
    /// lanes if no group is current.
    ///
    /// Args:
    ///     viewer: A seat (0 to P - 1) or "public".
    ///
    /// Returns:
    ///     A new uint8 array of shape (N, C, H, W), or (N, T) with `observation="tokens"`.
    ///
    /// Raises:
    ///     ValueError: There is no such viewer.
    ///     RuntimeError: No group is current and one is being stepped.
    fn observe<'py>(
        &self,
        py: Python<'py>,
        viewer: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
        let spec = self.spec.get();
        let viewer = arguments::viewer(viewer, spec.0.num_players)?;
        self.with_groups(|groups| {
            let lanes = groups.current_lanes("observe")?;
            let shape = spec.batch_shape(lanes.len(), self.format);
            written(py, &shape, |out| lanes.observe(viewer, out))
        })
    }

    /// Returns the covered pieces, which no observation has, in the lanes of the current group, or in
    /// all lanes if no group is current.
    ///
    /// They are for parts of a learner that are dropped after training, such as a critic that sees the
    /// truth. A policy that gets them cheats.
    ///
    /// Returns:
    ///     A new uint8 array of shape (N, S), squares as in the lane's observation: the token that the
    ///     piece would have face up, which is 1 + the index of its plane; 0 where nothing is covered.
    ///
    /// Raises:
    ///     RuntimeError: No group is current and one is being stepped.
    fn covered_pieces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
        let squares = self.spec.get().0.layout.size.squares();
        self.with_groups(|groups| {
            let lanes = groups.current_lanes("covered_pieces")?;
            written(py, &[lanes.len(), squares], |out| lanes.covered_pieces(out))
        })
    }

    /// Copies one lane's game.
    ///
    /// Args:
    ///     i: The lane, 0 to N - 1.
    ///
    /// Returns:
    ///     A `State` that is independent of the env.
    ///
    /// Raises:
    ///     IndexError: There is no such lane.
    ///     TypeError: `i` is not an integer.
    ///     RuntimeError: The lane is being stepped.
    fn state(&self, py: Python<'_>, i: &Bound<'_, PyAny>) -> PyResult<State> {
        let expected = |found| format!("lane: expected an integer, got {found}");
        let number = index(i).map_err(|error| type_error(error, i, expected))?;
        let lane = number.extract().ok();
        let game = lane.map(|lane| self.with_groups(|groups| groups.state(lane))).transpose()?;
        let game = game.flatten().ok_or_else(|| {
            let last = self.lanes - 1;
            PyIndexError::new_err(format!("lane {i}: expected a lane from 0 to {last}"))
        })?;
        Ok(State::new(self.spec.clone_ref(py), game, None))
    }

    /// Samples a uniformly random legal action in every lane, from the lane's own random stream: in
    /// the lanes of the current group, or in all lanes if no group is current.
    ///
    /// Returns:
    ///     A new int64 array of shape (N,) for `step`, or (n,) for `send` if a group is current. 0
    ///     in a lane whose game is over.
    ///
    /// Raises:
    ///     RuntimeError: No group is current and one is being stepped.
    fn sample_actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let actions = self.with_groups(|groups| {
            let lanes = groups.current_lanes("sample_actions")?;
            py.detach(|| lanes.sample_actions())
        })?;
        Ok(actions.into_pyarray(py))
    }

    /// The seed of the batch: of `make`, or of the last `reset` with an integer.
    #[getter]
    fn seed(&self) -> PyResult<u64> {
        self.with_games(|games| Ok(games.seed))
    }

    /// The seed of each lane's game: a new uint64 array of shape (N,), or (n,) for the n lanes of
    /// the current group.
    ///
    /// `State(name, seed=env.seeds[i], **options)` is the game that lane i was dealt.
    #[getter]
    fn seeds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let seeds = self.with_groups(|groups| Ok(groups.current_lanes("seeds")?.seeds()))?;
        Ok(seeds.into_pyarray(py))
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
        let groups = self.groups;
        Ok(format!(
            "Env({name:?}, num_envs={lanes}, groups={groups}, observation={observation:?}, \
             options={options})"
        ))
    }
}

/// A new array of this shape, which `write` fills without the interpreter.
fn written<'py>(
    py: Python<'py>,
    shape: &[usize],
    write: impl FnOnce(&mut [u8]) -> PyResult<()> + Send,
) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
    let array = zeros(py, shape)?;
    let mut rows = array.try_readwrite()?;
    let out = rows.as_slice_mut()?;
    py.detach(|| write(out))?;
    drop(rows);
    Ok(array)
}
