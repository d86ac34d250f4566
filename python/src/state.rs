//! One game: `State`.

use std::sync::RwLock;

use darkqi_env::{Action, AnyState, Picture, Reveal, Viewer, render};
use darkqi_selfplay::{AgentSpec, choose};
use numpy::{PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString, PyType};

use crate::arrays::zeros;
use crate::error::{OrRaise, locked, native};
use crate::options;
use crate::records;
use crate::spec::Spec;

/// Plies that perft looks ahead between two looks at Ctrl-C.
const PERFT_STRIDE: u32 = 3;

/// One game in progress, for search, interfaces and adapters.
///
/// A state knows everything, covered pieces included; what one player may know is in what takes a
/// `viewer`: a seat (0 to P - 1) or "public", a spectator. Actions are indices seen from the
/// mover's side, or names in absolute squares such as "b3e3".
///
/// States are equal when their game, options and FEN are; `copy.copy` and `clone` keep everything,
/// a pickle keeps what the FEN does: all but the history that repetitions are judged by.
///
/// Args:
///     name: One of `darkqi.games()`.
///     seed: Which game is dealt, from 0 to 2**64 - 1.
///     **options: Rule options (int, bool or str); `darkqi.spec(name).options` lists them.
///
/// Raises:
///     ValueError: There is no such game or option, or a value is out of range.
///     TypeError: A value has the wrong type.
#[pyclass(frozen, module = "darkqi")]
pub(crate) struct State {
    /// The game with its options.
    #[pyo3(get)]
    spec: Py<Spec>,
    /// Never waited for: see [`State::read`] and [`State::write`].
    game: RwLock<Box<dyn AnyState>>,
}

impl State {
    /// A game of this spec.
    pub(crate) fn new(spec: Py<Spec>, game: Box<dyn AnyState>) -> Self {
        Self { spec, game: RwLock::new(game) }
    }

    /// Looks at the game.
    ///
    /// # Errors
    /// If another thread is changing it, or an earlier panic left it broken.
    fn read<R>(&self, work: impl FnOnce(&dyn AnyState) -> PyResult<R>) -> PyResult<R> {
        native(|| {
            let game = self.game.try_read().map_err(|error| locked("state", error))?;
            work(&**game)
        })
    }

    /// Changes the game.
    ///
    /// # Errors
    /// If another thread is at it, or an earlier panic left it broken.
    fn write<R>(&self, work: impl FnOnce(&mut dyn AnyState) -> PyResult<R>) -> PyResult<R> {
        native(|| {
            let mut game = self.game.try_write().map_err(|error| locked("state", error))?;
            work(&mut **game)
        })
    }

    fn viewer(&self, given: &Bound<'_, PyAny>) -> PyResult<Viewer> {
        options::viewer(given, self.spec.get().0.num_players)
    }

    fn viewer_or_none(&self, given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Viewer>> {
        given.map(|given| self.viewer(given)).transpose()
    }
}

#[pymethods]
impl State {
    #[new]
    #[pyo3(signature = (name, seed=0, **options))]
    fn deal(
        py: Python<'_>,
        name: &str,
        #[pyo3(from_py_with = options::seed)] seed: u64,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let spec = Spec::new(name, options)?;
        let options = spec.0.options_in_force();
        let game = native(|| darkqi_env::deal(name, &options, seed).or_raise())?;
        Ok(Self::new(Py::new(py, spec)?, game))
    }

    /// Sets up a game from a full FEN.
    ///
    /// The history that repetitions are judged by starts empty. A position that is already over
    /// is judged at once.
    ///
    /// Args:
    ///     name: One of `darkqi.games()`.
    ///     fen: What `fen()` gave; a viewer's FEN lacks identities and cannot be read back.
    ///     **options: Rule options, as for `State`.
    ///
    /// Raises:
    ///     FenError: The FEN is malformed; names the field and the fault.
    ///     ValueError: There is no such game or option, or a value is out of range.
    #[classmethod]
    #[pyo3(signature = (name, fen, **options))]
    fn from_fen(
        class: &Bound<'_, PyType>,
        name: &str,
        fen: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let spec = Spec::new(name, options)?;
        let options = spec.0.options_in_force();
        let game = native(|| darkqi_env::from_fen(name, &options, fen).or_raise())?;
        Ok(Self::new(Py::new(class.py(), spec)?, game))
    }

    /// The game's name.
    #[getter]
    fn name(&self) -> &'static str {
        self.spec.get().0.name
    }

    /// Writes the position down.
    ///
    /// Args:
    ///     viewer: A seat or "public" for what that viewer may know; None for everything.
    #[pyo3(signature = (viewer=None))]
    fn fen(&self, viewer: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let viewer = self.viewer_or_none(viewer)?;
        self.read(|game| Ok(viewer.map_or_else(|| game.fen(), |viewer| game.view_fen(viewer))))
    }

    /// The seat to move; in a finished game, the one that would be.
    #[getter]
    fn current_player(&self) -> PyResult<usize> {
        self.read(|game| Ok(game.current_player()))
    }

    /// Plies played since the deal.
    #[getter]
    fn ply(&self) -> PyResult<u16> {
        self.read(|game| Ok(game.ply()))
    }

    /// Lists the indices of the legal actions in ascending order; none once the game is over.
    fn legal_actions(&self) -> PyResult<Vec<u16>> {
        self.read(|game| Ok(game.legal_actions().iter().map(|action| action.0).collect()))
    }

    /// Lists the names of the legal actions, sorted; none once the game is over.
    fn legal_moves(&self) -> PyResult<Vec<String>> {
        self.read(|game| Ok(game.legal_moves()))
    }

    /// Plays an action.
    ///
    /// Args:
    ///     action: Its index or its name.
    ///
    /// Raises:
    ///     IllegalActionError: It is not legal here, or the game is over. Nothing has changed.
    fn apply(&self, action: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write(|game| {
            let action = parse_action(game, action)?;
            game.apply(action).or_raise()
        })
    }

    /// Whether the game is over, for any cause.
    #[getter]
    fn is_terminal(&self) -> PyResult<bool> {
        self.read(|game| Ok(game.outcome().is_some()))
    }

    /// Whether the game was cut off at its ply limit.
    #[getter]
    fn is_truncated(&self) -> PyResult<bool> {
        self.read(|game| Ok(game.outcome().is_some_and(|outcome| outcome.truncated())))
    }

    /// Lists what each seat gets; zeros before the end.
    fn rewards(&self) -> PyResult<Vec<f32>> {
        self.read(|game| {
            let even = || vec![0.0; self.spec.get().0.num_players];
            Ok(game.outcome().map_or_else(even, |outcome| outcome.rewards().to_vec()))
        })
    }

    /// How the game ended, as an `Outcome`; None before the end.
    #[getter]
    fn outcome<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let outcome = self.read(|game| Ok(game.outcome()))?;
        outcome.map(|outcome| records::outcome(py, &outcome)).transpose()
    }

    /// Encodes the position for learners, turned to the viewer's side.
    ///
    /// Args:
    ///     viewer: A seat or "public"; None for the seat to move.
    ///     format: "planes" or "tokens".
    ///
    /// Returns:
    ///     A new uint8 array of shape (C, H, W), or (T,) for tokens.
    #[pyo3(signature = (viewer=None, format="planes"))]
    fn observation<'py>(
        &self,
        py: Python<'py>,
        viewer: Option<&Bound<'py, PyAny>>,
        format: &str,
    ) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
        let viewer = self.viewer_or_none(viewer)?;
        let format = options::format("format", format)?;
        let array = zeros(py, &self.spec.get().shape(format))?;
        self.read(|game| {
            let viewer = viewer.unwrap_or(Viewer::Player(game.current_player()));
            game.observe(viewer, format, array.try_readwrite()?.as_slice_mut()?);
            Ok(())
        })?;
        Ok(array)
    }

    /// Marks the legal actions: a new bool array of shape (A,), all False once the game is over.
    fn action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<bool>>> {
        let array = zeros(py, &[self.spec.get().0.num_actions])?;
        self.read(|game| {
            let mut row = array.try_readwrite()?;
            let row = row.as_slice_mut()?;
            game.legal_actions().iter().for_each(|action| row[action.index()] = true);
            Ok(())
        })?;
        Ok(array)
    }

    /// Copies the game, its history included.
    fn clone(&self, py: Python<'_>) -> PyResult<Self> {
        let game = self.read(|game| Ok(game.boxed_clone()))?;
        Ok(Self::new(self.spec.clone_ref(py), game))
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.clone(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.clone(py)
    }

    /// Draws another world that a viewer cannot tell from this one, uniformly from all of them.
    ///
    /// Args:
    ///     viewer: A seat or "public".
    ///     seed: Which world, from 0 to 2**64 - 1.
    ///
    /// Returns:
    ///     A new `State`.
    fn resample(
        &self,
        py: Python<'_>,
        viewer: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = options::seed)] seed: u64,
    ) -> PyResult<Self> {
        let viewer = self.viewer(viewer)?;
        let game = self.read(|game| Ok(game.resample(viewer, seed)))?;
        Ok(Self::new(self.spec.clone_ref(py), game))
    }

    /// Lists what a legal action can turn over and take, with exact odds for all its player knows.
    ///
    /// Args:
    ///     action: Its index or its name.
    ///
    /// Returns:
    ///     A list of `Reveal`; the probabilities add up to 1.
    ///
    /// Raises:
    ///     IllegalActionError: The action is not legal here, or the game is over.
    fn reveals<'py>(
        &self,
        py: Python<'py>,
        action: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let reveals = self.read(|game| game.reveals(parse_action(game, action)?).or_raise())?;
        reveals.iter().map(|reveal| records::reveal(py, reveal)).collect()
    }

    /// Tells what a legal action will turn over and take, as far as a viewer will be shown it.
    ///
    /// This looks below the covered pieces: for referees, and for interfaces that tell their player
    /// about an action that is played next.
    ///
    /// Args:
    ///     action: Its index or its name.
    ///     viewer: A seat or "public".
    ///
    /// Returns:
    ///     A `Reveal`; its probability is what it was for all the viewer knows.
    ///
    /// Raises:
    ///     IllegalActionError: The action is not legal here, or the game is over.
    fn event<'py>(
        &self,
        py: Python<'py>,
        action: &Bound<'py, PyAny>,
        viewer: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let viewer = self.viewer(viewer)?;
        let event = self.read(|game| game.event(parse_action(game, action)?, viewer).or_raise())?;
        records::reveal(py, &event)
    }

    /// Makes another world, which the player to move cannot tell from this one, in which a legal
    /// action turns over and takes what `reveal` says: a chance node's outcome of one's choice.
    ///
    /// The pieces shown change places with covered ones on the board, if some there are of their
    /// kinds; what was taken face down stays as it is then. The history is kept.
    ///
    /// Args:
    ///     action: Its index or its name.
    ///     reveal: One of `reveals(action)`; its probability does not matter.
    ///
    /// Returns:
    ///     A new `State`, in which the action is yet to be played.
    ///
    /// Raises:
    ///     IllegalActionError: The action is not legal here, or the game is over.
    ///     ValueError: The action cannot show this, for all its player knows.
    ///     TypeError: `reveal` is no `Reveal`.
    fn arrange(
        &self,
        py: Python<'_>,
        action: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = records::read_reveal)] reveal: Reveal,
    ) -> PyResult<Self> {
        let game =
            self.read(|game| game.arrange(parse_action(game, action)?, &reveal).or_raise())?;
        Ok(Self::new(self.spec.clone_ref(py), game))
    }

    /// Asks an agent what it would play for the seat to move, knowing what that seat may know.
    ///
    /// Other Python threads run meanwhile; the choice is made in a copy of the game. It cannot be
    /// interrupted, so give agents that search a limit that suits you.
    ///
    /// Args:
    ///     agent: An agent such as "greedy" or "expectimax:depth=2".
    ///     seed: What its random choices follow from, from 0 to 2**64 - 1. The opponents of a lane
    ///         of an `Env` play what this gives for the lane's seed (`Env.seeds`).
    ///
    /// Returns:
    ///     The index of a legal action.
    ///
    /// Raises:
    ///     ValueError: There is no such agent, or it has no such option.
    ///     RuntimeError: The game is over.
    #[pyo3(signature = (agent, seed=0))]
    fn choose(
        &self,
        py: Python<'_>,
        agent: &str,
        #[pyo3(from_py_with = options::seed)] seed: u64,
    ) -> PyResult<u16> {
        let agent: AgentSpec = agent.parse().or_raise()?;
        let game = self.read(|game| Ok(game.boxed_clone()))?;
        Ok(py.detach(|| native(|| choose(&*game, &agent, seed).or_raise()))?.0)
    }

    /// Lets somebody at the terminal play this game against an agent.
    ///
    /// Shows what the player's seat may know, asks for moves by name, and tells what both sides
    /// play and turn over. `moves`, `board` and `help` are answered; `quit`, Ctrl-C or the end of
    /// the input leaves the game as it stands, to be played on by another call.
    ///
    /// Args:
    ///     opponent: An agent such as "greedy" or "expectimax:depth=2", for every other seat.
    ///     seat: The player's seat, from 0.
    ///     seed: What the opponent's random choices follow from, from 0 to 2**64 - 1.
    ///
    /// Raises:
    ///     ValueError: There is no such agent or seat.
    #[pyo3(signature = (opponent="greedy", seat=0, seed=0))]
    fn play(
        slf: &Bound<'_, Self>,
        opponent: &str,
        #[pyo3(from_py_with = options::seat)] seat: usize,
        #[pyo3(from_py_with = options::seed)] seed: u64,
    ) -> PyResult<()> {
        let play = slf.py().import("darkqi._play")?.getattr("play")?;
        play.call1((slf, opponent, seat, seed)).map(drop)
    }

    /// Names an action of the player to move.
    ///
    /// Args:
    ///     k: Its index, 0 to A - 1; it need not be legal.
    ///
    /// Raises:
    ///     IllegalActionError: There is no such index.
    fn action_name(&self, k: &Bound<'_, PyAny>) -> PyResult<String> {
        self.read(|game| Ok(game.action_name(action_at(game, k)?)))
    }

    /// Finds the index of an action of the player to move.
    ///
    /// Args:
    ///     name: Its name, such as "b3e3"; it need not be legal.
    ///
    /// Raises:
    ///     IllegalActionError: No piece moves like that anywhere in the game.
    fn action_index(&self, name: &str) -> PyResult<u16> {
        self.read(|game| Ok(game.action_index(name).or_raise()?.0))
    }

    /// Draws the board.
    ///
    /// Args:
    ///     mode: "text" for a terminal, "svg" for a page.
    ///     viewer: A seat or "public" for what that viewer may know; None for everything.
    ///
    /// Returns:
    ///     ASCII lines, or a complete SVG document.
    #[pyo3(signature = (mode="text", viewer=None))]
    fn render(&self, mode: &str, viewer: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let draw: fn(&Picture) -> String = match mode {
            "text" => render::text,
            "svg" => render::svg,
            _ => return Err(options::neither("mode", ["text", "svg"], mode)),
        };
        let viewer = self.viewer_or_none(viewer)?;
        self.read(|game| Ok(draw(&game.picture(viewer))))
    }

    /// What a notebook draws: what a spectator may know. `repr`, which is for finding faults, shows
    /// everything.
    fn _repr_svg_(&self) -> PyResult<String> {
        self.read(|game| Ok(render::svg(&game.picture(Some(Viewer::Public)))))
    }

    /// Counts the action sequences of a length, covered pieces being what they are.
    ///
    /// Args:
    ///     depth: The length in plies.
    fn perft(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = options::depth)] depth: u32,
    ) -> PyResult<u64> {
        self.read(|game| perft(py, game, depth))
    }

    fn __eq__(&self, other: &Self) -> PyResult<bool> {
        let (spec, others) = (&self.spec.get().0, &other.spec.get().0);
        let same = spec.name == others.name && spec.options == others.options;
        Ok(same && self.fen(None)? == other.fen(None)?)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (&'static str, String))> {
        let (py, state) = (slf.py(), slf.get());
        let read = slf.get_type().getattr(intern!(py, "from_fen"))?;
        let keywords = state.spec.get().keywords(py)?;
        let partial = py.import("functools")?.getattr("partial")?.call((read,), Some(&keywords))?;
        Ok((partial, (state.name(), state.fen(None)?)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (name, fen) = (self.name(), self.fen(None)?);
        let options = self.spec.get().keywords(py)?;
        Ok(format!("State.from_fen({name:?}, {fen:?}, **{options})"))
    }
}

/// An action by its index or its name.
fn parse_action(game: &dyn AnyState, given: &Bound<'_, PyAny>) -> PyResult<Action> {
    match given.cast::<PyString>() {
        Ok(name) => game.action_index(name.to_str()?).or_raise(),
        Err(_) => action_at(game, given),
    }
}

/// An action by its index.
fn action_at(game: &dyn AnyState, given: &Bound<'_, PyAny>) -> PyResult<Action> {
    let index = match given.extract::<i64>() {
        // A bool counts as an integer in Python, but nobody means an action by it.
        Ok(index) if !given.is_instance_of::<PyBool>() => index,
        // No game has so many actions; which of them it is does not matter.
        Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => i64::MAX,
        _ => {
            let found = given.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "action: expected an index (int) or a name (str), got {found}"
            )));
        }
    };
    game.action(index).or_raise()
}

/// Perft that lets other threads run and stops on Ctrl-C.
fn perft(py: Python<'_>, game: &dyn AnyState, depth: u32) -> PyResult<u64> {
    py.check_signals()?;
    if depth <= PERFT_STRIDE {
        return Ok(py.detach(|| game.perft(depth)));
    }
    let mut count = 0;
    for &action in game.legal_actions() {
        let mut next = game.boxed_clone();
        next.apply(action).or_raise()?;
        count += perft(py, &*next, depth - 1)?;
    }
    Ok(count)
}
