//! One game: `State`.

use std::sync::RwLock;
use std::sync::atomic::AtomicBool;

use darkqi_env::{
    AnyState, Format, Viewer,
    game::RecordedHistory,
    render,
    session::{Reveal, standing},
};
use darkqi_play::opponents::choose;
use darkqi_play::play::Game;
use numpy::ndarray::ArrayD;
use numpy::{IntoPyArray, PyArray1, PyArrayDyn};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyType};

use crate::arguments;
use crate::error::{IntoPyResult, catch_panics};
use crate::in_use::{Use, lock_error};
use crate::interrupt::{detached, interruptible};
use crate::pictures::{self, RenderMode};
use crate::play;
use crate::policy::{self, Asking, BLOCK_ROWS};
use crate::records;
use crate::spec::Spec;

/// The greatest depth of perft that ends too soon to be interrupted.
const SHORT_PERFT: u32 = 3;

/// The greatest depth of perft. A count keeps the positions of a whole path with their histories, and
/// no count of this depth ends unless nearly every position has a single action.
const MAX_PERFT: u32 = 1000;

/// One game in progress, for search, interfaces and adapters.
///
/// A state knows everything, including covered pieces. Methods with an argument `viewer` return
/// the knowledge of a seat (0 to P - 1) or of a spectator ("public"). Actions are indices from the
/// mover's perspective, or names in absolute squares such as "b3e3".
///
/// States are equal when their game, options, FEN and outcome are equal. `copy.copy`, `clone` and
/// pickles keep everything, with the history of positions, which decides repetitions and which a FEN
/// leaves out.
///
/// Args:
///     name: One of `darkqi.games()`.
///     seed: The seed of the deal, any 64 bits: from 0 to `2**64 - 1`, or from `-2**63`, where a
///         negative integer stands for the same bits, as a reader without unsigned integers gives
///         them. None draws one below `2**63`, which `State.seed` shows.
///     **options: Rule options (int, bool or str); `darkqi.spec(name).options` lists them. `rules` takes them
///         from a TOML file, a variant of the program by name, or a dict as such a file has it.
///
/// Raises:
///     ValueError: The game or an option does not exist, or a value is out of range.
///     TypeError: A value has the wrong type.
#[pyclass(frozen, module = "darkqi")]
pub(crate) struct State {
    /// The game with its options.
    #[pyo3(get)]
    spec: Py<Spec>,
    /// The seed that dealt the game; None for a state from a FEN, from an env or from a sample.
    #[pyo3(get)]
    seed: Option<u64>,
    /// Only for `try_read` and `try_write`; see [`State::read`] and [`State::write`].
    game: RwLock<Box<dyn AnyState>>,
}

impl State {
    /// The Python object of a game.
    pub(crate) fn new(spec: Py<Spec>, game: Box<dyn AnyState>, seed: Option<u64>) -> Self {
        Self { spec, seed, game: RwLock::new(game) }
    }

    /// Runs native work that reads the game.
    ///
    /// # Errors
    /// If another thread or a call that led to this one is changing it, or a panic has left it unusable.
    fn read<R>(&self, work: impl FnOnce(&dyn AnyState) -> PyResult<R>) -> PyResult<R> {
        catch_panics(|| {
            let game = self.game.try_read().map_err(|error| lock_error("state", self, error))?;
            let _use = Use::of(self);
            work(&**game)
        })
    }

    /// Runs native work that changes the game.
    ///
    /// # Errors
    /// If another thread or a call that led to this one is using it, or a panic has left it unusable.
    fn write<R>(&self, work: impl FnOnce(&mut Box<dyn AnyState>) -> PyResult<R>) -> PyResult<R> {
        catch_panics(|| {
            let mut game =
                self.game.try_write().map_err(|error| lock_error("state", self, error))?;
            let _use = Use::of(self);
            work(&mut game)
        })
    }

    fn viewer(&self, given: &Bound<'_, PyAny>) -> PyResult<Viewer> {
        arguments::viewer(given, self.spec.get().0.num_players)
    }

    fn viewer_or_none(&self, given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Viewer>> {
        given.map(|given| self.viewer(given)).transpose()
    }
}

#[pymethods]
impl State {
    #[new]
    #[pyo3(signature = (name, seed=None, **options))]
    fn deal(
        py: Python<'_>,
        name: &str,
        #[pyo3(from_py_with = arguments::optional_seed)] seed: Option<u64>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let seed = arguments::seed_or_new(seed)?;
        let spec = Spec::new(name, options)?;
        let game = catch_panics(|| Ok(spec.0.deal(seed)))?;
        Ok(Self::new(Py::new(py, spec)?, game, Some(seed)))
    }

    /// Sets up a game from a full FEN.
    ///
    /// The history of positions, which decides repetitions, starts empty. If the position is over,
    /// the state is terminal from the start.
    ///
    /// Args:
    ///     name: One of `darkqi.games()`.
    ///     fen: A full FEN, as `fen()` returns it. A viewer's FEN lacks identities and cannot be
    ///         read back.
    ///     **options: Rule options, as for `State`.
    ///
    /// Returns:
    ///     A new `State`, whose `seed` is None.
    ///
    /// Raises:
    ///     FenError: The FEN is malformed. The message names the field and what is wrong with it.
    ///     ValueError: The game or an option does not exist, or a value is out of range.
    #[classmethod]
    #[pyo3(signature = (name, fen, **options))]
    fn from_fen(
        class: &Bound<'_, PyType>,
        name: &str,
        fen: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let spec = Spec::new(name, options)?;
        let game = catch_panics(|| spec.0.parse_fen(fen).into_py_result())?;
        Ok(Self::new(Py::new(class.py(), spec)?, game, None))
    }

    /// The game's name.
    #[getter]
    fn name(&self) -> &'static str {
        self.spec.get().0.name
    }

    /// Returns the FEN of the position.
    ///
    /// Args:
    ///     viewer: A seat or "public" for the FEN of what that viewer may know; None for the full
    ///         FEN.
    ///
    /// Returns:
    ///     The FEN, in the notation of docs/DESIGN.md.
    ///
    /// Raises:
    ///     ValueError: There is no such viewer.
    #[pyo3(signature = (viewer=None))]
    fn fen(&self, viewer: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let viewer = self.viewer_or_none(viewer)?;
        self.read(|game| Ok(viewer.map_or_else(|| game.fen(), |viewer| game.view_fen(viewer))))
    }

    /// The seat to move; in a finished game, the seat that would move next.
    #[getter]
    fn current_player(&self) -> PyResult<usize> {
        self.read(|game| Ok(game.current_player()))
    }

    /// Whose turn it is, or how the game has ended, in a few words: "Red to move", "Black won: checkmate".
    #[getter]
    fn standing(&self) -> PyResult<String> {
        self.read(|game| Ok(standing(game, None)))
    }

    /// Plies played since the deal.
    #[getter]
    fn ply(&self) -> PyResult<u16> {
        self.read(|game| Ok(game.ply()))
    }

    /// Lists the indices of the legal actions in ascending order; empty when the game is over.
    fn legal_actions(&self) -> PyResult<Vec<u16>> {
        self.read(|game| Ok(game.legal_actions().iter().map(|action| action.0).collect()))
    }

    /// Lists the names of the legal actions, sorted; empty when the game is over.
    fn legal_moves(&self) -> PyResult<Vec<String>> {
        self.read(|game| Ok(game.legal_moves()))
    }

    /// Plays an action.
    ///
    /// Args:
    ///     action: Its index or its name.
    ///
    /// Raises:
    ///     IllegalActionError: It is not legal here, or the game is over. Nothing has changed then.
    fn apply(&self, action: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write(|game| {
            let chosen = arguments::action(&**game, action)?;
            game.apply(chosen).map_err(|error| arguments::refused(error, action))
        })
    }

    /// Whether the game is over, for any reason, truncation included.
    #[getter]
    fn is_terminal(&self) -> PyResult<bool> {
        self.read(|game| Ok(game.outcome().is_some()))
    }

    /// Whether the game ended at its ply limit.
    #[getter]
    fn is_truncated(&self) -> PyResult<bool> {
        self.read(|game| Ok(game.outcome().is_some_and(|outcome| outcome.truncated())))
    }

    /// Lists the reward of each seat; zeros before the end.
    fn rewards(&self) -> PyResult<Vec<f32>> {
        self.read(|game| {
            let zeros = || vec![0.0; self.spec.get().0.num_players];
            Ok(game.outcome().map_or_else(zeros, |outcome| outcome.rewards().to_vec()))
        })
    }

    /// How the game ended, as an `Outcome`; None before the end.
    #[getter]
    fn outcome<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let outcome = self.read(|game| Ok(game.outcome()))?;
        outcome.map(|outcome| records::outcome(py, &outcome)).transpose()
    }

    /// Encodes what a viewer sees, from the viewer's perspective.
    ///
    /// Args:
    ///     viewer: A seat or "public"; None for the seat to move.
    ///     format: "planes" or "tokens".
    ///
    /// Returns:
    ///     A new uint8 array of shape (C, H, W), or (T,) for tokens.
    ///
    /// Raises:
    ///     ValueError: There is no such viewer or format.
    #[pyo3(signature = (viewer=None, format="planes"))]
    fn observation<'py>(
        &self,
        py: Python<'py>,
        viewer: Option<&Bound<'py, PyAny>>,
        format: &str,
    ) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
        let viewer = self.viewer_or_none(viewer)?;
        let format = arguments::format("format", format)?;
        let mut observation = ArrayD::zeros(self.spec.get().shape(format));
        self.read(|game| {
            let viewer = viewer.unwrap_or(Viewer::Player(game.current_player()));
            let bytes = observation.as_slice_mut().expect("a new array is contiguous");
            game.observe(viewer, format, bytes);
            Ok(())
        })?;
        Ok(observation.into_pyarray(py))
    }

    /// Returns the mask of the legal actions: a new bool array of shape (A,), all False when the
    /// game is over.
    fn action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let mut mask = vec![false; self.spec.get().0.num_actions];
        self.read(|game| {
            game.legal_actions().iter().for_each(|action| mask[action.index()] = true);
            Ok(())
        })?;
        Ok(mask.into_pyarray(py))
    }

    /// Copies the game, including its history.
    fn clone(&self, py: Python<'_>) -> PyResult<Self> {
        let game = self.read(|game| Ok(game.boxed_clone()))?;
        Ok(Self::new(self.spec.clone_ref(py), game, self.seed))
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.clone(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.clone(py)
    }

    /// Samples a state that a viewer cannot distinguish from this one, uniformly from all such
    /// states (determinization).
    ///
    /// Args:
    ///     viewer: A seat or "public".
    ///     seed: The seed of the sample, as of `State`.
    ///
    /// Returns:
    ///     A new `State`.
    ///
    /// Raises:
    ///     ValueError: There is no such viewer, or the seed is out of range.
    ///     TypeError: The seed is not an integer.
    fn resample(
        &self,
        py: Python<'_>,
        viewer: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arguments::seed)] seed: u64,
    ) -> PyResult<Self> {
        let viewer = self.viewer(viewer)?;
        let game = self.read(|game| Ok(game.resample(viewer, seed)))?;
        Ok(Self::new(self.spec.clone_ref(py), game, None))
    }

    /// Lists the pieces that a legal action can turn over and capture, with exact probabilities given
    /// the knowledge of the player to move.
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
        let reveals = self.read(|game| {
            let reveals = game.reveals(arguments::action(game, action)?);
            reveals.map_err(|error| arguments::refused(error, action))
        })?;
        reveals.iter().map(|reveal| records::reveal(py, reveal)).collect()
    }

    /// Says why a move is not legal, in a sentence for people, by what a viewer may know.
    ///
    /// Args:
    ///     origin: The square of a piece, such as "b3".
    ///     target: The square that it should go to; its own is a flip, None is any.
    ///     viewer: A seat or "public"; None for the seat to move.
    ///
    /// Returns:
    ///     The reason; None if a legal action does this.
    ///
    /// Raises:
    ///     ValueError: There is no such square or viewer.
    #[pyo3(signature = (origin, target=None, viewer=None))]
    fn objection(
        &self,
        origin: &str,
        target: Option<&str>,
        viewer: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<String>> {
        let viewer = self.viewer_or_none(viewer)?;
        let size = self.spec.get().0.layout.size;
        let from = arguments::square("origin", size, origin)?;
        let to = target.map(|name| arguments::square("target", size, name)).transpose()?;
        self.read(|game| {
            let viewer = viewer.unwrap_or(Viewer::Player(game.current_player()));
            Ok(game.objection(viewer, from, to).map(|words| words.en.into_owned()))
        })
    }

    /// Returns the pieces that a legal action will turn over and capture, as far as a viewer will see.
    ///
    /// This uses the identities of covered pieces. It is for referees, and for interfaces that show
    /// an action that is played next.
    ///
    /// Args:
    ///     action: Its index or its name.
    ///     viewer: A seat or "public".
    ///
    /// Returns:
    ///     A `Reveal`, with its probability given the viewer's knowledge before the action.
    ///
    /// Raises:
    ///     IllegalActionError: The action is not legal here, or the game is over.
    ///     ValueError: There is no such viewer.
    fn event<'py>(
        &self,
        py: Python<'py>,
        action: &Bound<'py, PyAny>,
        viewer: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let viewer = self.viewer(viewer)?;
        let event = self.read(|game| {
            let event = game.event(arguments::action(game, action)?, viewer);
            event.map_err(|error| arguments::refused(error, action))
        })?;
        records::reveal(py, &event)
    }

    /// Returns a state that the player to move cannot distinguish from this one, in which a legal
    /// action has the given reveal: a chosen outcome of a chance node.
    ///
    /// The pieces shown swap places with covered pieces of their kinds on the board; if there are
    /// none, with pieces that were captured face down. The history is kept.
    ///
    /// Args:
    ///     action: Its index or its name.
    ///     reveal: One of `reveals(action)`; its probability does not matter.
    ///
    /// Returns:
    ///     A new `State`, in which the action has not been played yet.
    ///
    /// Raises:
    ///     IllegalActionError: The action is not legal here, or the game is over.
    ///     ValueError: The action cannot have this reveal, given the knowledge of its player.
    ///     TypeError: `reveal` is not a `Reveal`.
    fn arrange(
        &self,
        py: Python<'_>,
        action: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = records::read_reveal)] reveal: Reveal,
    ) -> PyResult<Self> {
        let game = self.read(|game| {
            let arranged = game.arrange(arguments::action(game, action)?, &reveal);
            arranged.map_err(|error| arguments::refused(error, action))
        })?;
        Ok(Self::new(self.spec.clone_ref(py), game, None))
    }

    /// Returns the action of an agent for the seat to move, chosen by the knowledge of that seat.
    ///
    /// It works on a copy of the game and releases the GIL.
    ///
    /// Args:
    ///     agent: An agent such as "greedy" or "expectimax:depth=2", or a policy, a callable as in
    ///         `selfplay`, that sees 64 rows of planes.
    ///     seed: The seed of its random choices, as of `State`; None draws one. With a lane's
    ///         seed (`Env.seeds`), it is the action that an opponent in that lane plays.
    ///
    /// Returns:
    ///     The index of a legal action.
    ///
    /// Raises:
    ///     ValueError: There is no such agent, or it has no such option.
    ///     IllegalActionError: A policy gave an action that is not legal or does not exist.
    ///     RuntimeError: The game is over.
    ///     KeyboardInterrupt: Ctrl-C while the agent searches or asks a net.
    #[pyo3(signature = (agent, seed=None))]
    fn choose(
        &self,
        py: Python<'_>,
        agent: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = arguments::optional_seed)] seed: Option<u64>,
    ) -> PyResult<u16> {
        let asking = Asking { format: Format::Planes, rows: BLOCK_ROWS };
        let seed = arguments::seed_or_new(seed)?;
        let (agent, _) = policy::agent("agent", agent, &self.spec.get().0, asking)?;
        let game = self.read(|game| Ok(game.boxed_clone()))?;
        let stop = AtomicBool::new(false);
        let choose = || catch_panics(|| choose(&*game, &agent, seed, &stop).into_py_result());
        Ok(detached(py, agent.may_take_long().then_some(&stop), choose)??.0)
    }

    /// Plays this game at the terminal against an agent, as `darkqi play` does.
    ///
    /// Shows the knowledge of the player's seat, asks for moves by name, and reports the moves and reveals
    /// of each seat. `help` lists the commands, such as `moves`, `odds MOVE`, `hint` and `back`. `quit`,
    /// `resign`, Ctrl-C and the end of the input keep the game as it stands, and another call continues it.
    ///
    /// Args:
    ///     opponent: An agent such as "greedy" or "expectimax:depth=2", for every other seat.
    ///     seat: The player's seat, from 0.
    ///     seed: The seed of the opponent's random choices, as of `State`. None draws one and
    ///         prints it.
    ///
    /// Raises:
    ///     ValueError: There is no such agent or seat.
    ///     RuntimeError: The agent has failed, and what it says may be of what it alone knows, and is left
    ///         out. Or another thread has played in the state meanwhile, which stays as that left it.
    #[pyo3(signature = (opponent="greedy", seat=0, seed=None))]
    fn play(
        &self,
        py: Python<'_>,
        opponent: &str,
        #[pyo3(from_py_with = arguments::seat)] seat: usize,
        #[pyo3(from_py_with = arguments::optional_seed)] seed: Option<u64>,
    ) -> PyResult<()> {
        let agent = policy::named_agent(&PyString::new(py, opponent))?;
        let seed = arguments::seed_or_new(seed)?;
        let (before, game) =
            self.read(|game| Ok((game.fen(), Game::of(game.boxed_clone(), seed))))?;
        let mut session = play::begin(game, agent, seat)?;
        let played = play::play(py, &mut session);
        let state = session.into_game().into_state();
        self.write(|game| {
            if game.fen() != before {
                let message = "play: expected that nobody else plays in the state meanwhile";
                return Err(PyRuntimeError::new_err(message));
            }
            *game = state;
            Ok(())
        })?;
        played
    }

    /// Returns the name of an action of the player to move.
    ///
    /// Args:
    ///     k: Its index, 0 to A - 1; it need not be legal.
    ///
    /// Returns:
    ///     The name, in absolute squares, such as "b3e3".
    ///
    /// Raises:
    ///     IllegalActionError: There is no such index.
    fn action_name(&self, k: &Bound<'_, PyAny>) -> PyResult<String> {
        self.read(|game| Ok(game.action_name(arguments::action_at(game, k, "an index (int)")?)))
    }

    /// Returns the index of an action of the player to move.
    ///
    /// Args:
    ///     name: Its name, such as "b3e3"; it need not be legal.
    ///
    /// Returns:
    ///     The index, 0 to A - 1, from the perspective of the player to move.
    ///
    /// Raises:
    ///     IllegalActionError: The game has no action of that name.
    fn action_index(&self, name: &Bound<'_, PyString>) -> PyResult<u16> {
        self.read(|game| Ok(arguments::action(game, name)?.0))
    }

    /// Draws the board.
    ///
    /// A seat sees the board from its own side.
    ///
    /// Args:
    ///     mode: "text" for lines of ASCII, "svg" for a complete SVG document, "png" for the contents
    ///         of a PNG file, "rgb_array" for its pixels.
    ///     viewer: A seat or "public" for what that viewer may know; None for everything.
    ///     width: Pixels of a row, 64 to 4096, for "png" and "rgb_array". The height follows from the
    ///         board and does not change during a game.
    ///     marked: Names of squares to mark, such as "e4".
    ///
    /// Returns:
    ///     A str, bytes for "png", or a uint8 array of shape (height, width, 3) for "rgb_array".
    ///
    /// Raises:
    ///     ValueError: There is no such mode, viewer or square, or the width is out of range.
    #[pyo3(signature = (mode="text", viewer=None, width=480, marked=Vec::new()))]
    fn render<'py>(
        &self,
        py: Python<'py>,
        mode: &str,
        viewer: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arguments::width)] width: u16,
        #[pyo3(from_py_with = arguments::marked)] marked: Vec<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let modes = [
            ("text", RenderMode::Text),
            ("svg", RenderMode::Svg),
            ("png", RenderMode::Png),
            ("rgb_array", RenderMode::Pixels),
        ];
        let mode = arguments::one_of("mode", modes, mode)?;
        let viewer = self.viewer_or_none(viewer)?;
        let picture = self.read(|game| Ok(game.picture(viewer)))?;
        let square = |name: &String| arguments::square("marked", picture.size, name);
        let marked = marked.iter().map(square).collect::<PyResult<Vec<_>>>()?;
        pictures::render(py, &picture, &marked, mode, width)
    }

    /// Returns the name of the square at a point of the drawing that `render("svg")` gives the viewer.
    ///
    /// Args:
    ///     x: To the right from the upper left corner, in units of the drawing's `viewBox`.
    ///     y: Downwards from there.
    ///     viewer: As for `render`.
    ///
    /// Returns:
    ///     The name. None for a point outside the board.
    ///
    /// Raises:
    ///     ValueError: There is no such viewer.
    #[pyo3(signature = (x, y, viewer=None))]
    fn square_at(
        &self,
        x: f64,
        y: f64,
        viewer: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<String>> {
        let viewer = self.viewer_or_none(viewer)?;
        let picture = self.read(|game| Ok(game.picture(viewer)))?;
        Ok(render::square_at(&picture, (x, y)).map(|square| picture.size.name(square)))
    }

    /// The picture in a notebook, for a spectator.
    fn _repr_svg_(&self) -> PyResult<String> {
        self.read(|game| Ok(render::svg(&game.picture(Some(Viewer::Public)))))
    }

    /// Counts the legal sequences of actions of a length (perft), with the actual identities of the
    /// covered pieces.
    ///
    /// Args:
    ///     depth: The length in plies, at most 1,000.
    ///
    /// Returns:
    ///     The number of sequences of exactly this length.
    ///
    /// Raises:
    ///     ValueError: `depth` is out of range.
    ///     KeyboardInterrupt: Ctrl-C.
    fn perft(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::depth)] depth: u32,
    ) -> PyResult<u64> {
        if depth > MAX_PERFT {
            let message = format!("depth: expected an integer from 0 to {MAX_PERFT}, got {depth}");
            return Err(PyValueError::new_err(message));
        }
        self.read(|game| perft(py, game, depth))
    }

    fn __eq__(&self, other: &Self) -> PyResult<bool> {
        let same = self.spec.get() == other.spec.get();
        let outcome = |state: &Self| state.read(|game| Ok(game.outcome()));
        // A FEN holds no repetitions: of two states with one FEN, one may have ended by them.
        Ok(same && self.fen(None)? == other.fen(None)? && outcome(self)? == outcome(other)?)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let (py, state) = (slf.py(), slf.get());
        let restore = py.import("darkqi._darkqi")?.getattr("restore_state")?;
        let history = state.read(|game| Ok(game.history().map(|history| history.to_bytes())))?;
        let history = history.map(|bytes| PyBytes::new(py, &bytes));
        let options = state.spec.get().keywords(py)?;
        Ok((restore, (state.name(), options, state.fen(None)?, history, state.seed)))
    }

    /// The board as the seat to move may see it.
    fn __str__(&self) -> PyResult<String> {
        self.read(|game| {
            let viewer = Viewer::Player(game.current_player());
            Ok(render::text(&game.picture(Some(viewer))))
        })
    }

    /// What a spectator may know.
    fn __repr__(&self) -> PyResult<String> {
        let name = self.name();
        self.read(|game| {
            let (ply, fen) = (game.ply(), game.view_fen(Viewer::Public));
            Ok(format!("<State {name}, ply {ply}: {fen}>"))
        })
    }
}

/// What a pickle of a state holds: game, options, FEN, history and seed.
type Pickled<'py> =
    (&'static str, Bound<'py, PyDict>, String, Option<Bound<'py, PyBytes>>, Option<u64>);

/// Sets up a game from what a pickle of a `State` holds.
///
/// Args:
///     name: One of `darkqi.games()`.
///     options: The rule options by name.
///     fen: The full FEN.
///     history: The positions since the last capture or reveal; None where the rules need none.
///     seed: The seed of the deal, or None.
///
/// Returns:
///     The `State`.
///
/// Raises:
///     ValueError: The game or an option does not exist, or the history leads to another position,
///         as one does that another version of darkqi may have written.
///     darkqi.FenError: The FEN is malformed.
#[pyfunction]
#[pyo3(signature = (name, options, fen, history, seed))]
pub(crate) fn restore_state(
    py: Python<'_>,
    name: &str,
    options: &Bound<'_, PyDict>,
    fen: &str,
    history: Option<&[u8]>,
    #[pyo3(from_py_with = arguments::optional_seed)] seed: Option<u64>,
) -> PyResult<State> {
    let spec = Spec::new(name, Some(options))?;
    let game = catch_panics(|| {
        let Some(bytes) = history else {
            return spec.0.parse_fen(fen).into_py_result();
        };
        let Some(history) = RecordedHistory::from_bytes(bytes) else {
            let length = bytes.len();
            let message = format!("history: expected 8 bytes and 10 for each ply, got {length}");
            return Err(PyValueError::new_err(message));
        };
        spec.0.parse_history(fen, &history).into_py_result()
    })?;
    Ok(State::new(Py::new(py, spec)?, game, seed))
}

/// Perft that releases the GIL and stops on Ctrl-C.
fn perft(py: Python<'_>, game: &dyn AnyState, depth: u32) -> PyResult<u64> {
    if depth <= SHORT_PERFT {
        return Ok(py.detach(|| game.perft(depth)));
    }
    let stop = &AtomicBool::new(false);
    interruptible(py, stop, || {
        let count = game.perft_until(depth, stop);
        // The interrupt is raised instead.
        Ok(count.unwrap_or_default())
    })
}
