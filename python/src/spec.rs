//! Facts about a game: `darkqi.games`, `darkqi.spec` and `Spec`.

use std::hash::{Hash, Hasher};

use darkqi_env::{Format, games as registry};
use numpy::ndarray::Array2;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments;
use crate::arrays::read_only;
use crate::error::IntoPyResult;
use crate::records::{self, python_value};

/// The names of the games, in alphabetical order.
#[pyfunction]
pub(crate) fn games() -> Vec<&'static str> {
    registry::names().to_vec()
}

/// Describes a game: its shapes, names and options.
///
/// Args:
///     name: One of `darkqi.games()`.
///     **options: Rule options (int, bool or str); `Spec.options` lists them. `rules` takes them
///         from a TOML file, a variant of the program by name, or a dict as such a file has it.
///
/// Returns:
///     The `Spec`.
///
/// Raises:
///     ValueError: The game or an option does not exist, or a value is out of range.
///     TypeError: An option's value is neither int, bool nor str.
#[pyfunction]
#[pyo3(signature = (name, **options))]
pub(crate) fn spec(name: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<Spec> {
    Spec::new(name, options)
}

/// A game with its options: the shapes, names and counts that a network and a training loop need.
///
/// `darkqi.spec(name, **options)`, `Env.spec` and `State.spec` return it. Specs of one game with the same
/// options are equal; they can be pickled and copied.
#[pyclass(frozen, eq, hash, module = "darkqi")]
pub(crate) struct Spec(pub(crate) darkqi_env::Spec);

impl Spec {
    /// A game's spec from Python's arguments.
    pub(crate) fn new(name: &str, given: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        darkqi_env::Spec::new(name, &arguments::options(name, given)?).into_py_result().map(Self)
    }

    /// The shape of one observation: (C, H, W) or (T,).
    pub(crate) fn shape(&self, format: Format) -> Vec<usize> {
        format.shape(&self.0.layout)
    }

    /// The shape of the observations of some lanes: (N, C, H, W) or (N, T).
    pub(crate) fn batch_shape(&self, lanes: usize, format: Format) -> Vec<usize> {
        [&[lanes], &*self.shape(format)].concat()
    }

    /// The options in force as keyword arguments.
    pub(crate) fn keywords<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let keywords = PyDict::new(py);
        for (name, value) in self.0.options_in_force() {
            keywords.set_item(name, python_value(py, &value)?)?;
        }
        Ok(keywords)
    }
}

/// A game and its options say all that a spec does.
impl PartialEq for Spec {
    fn eq(&self, other: &Self) -> bool {
        (self.0.name, &self.0.options) == (other.0.name, &other.0.options)
    }
}

impl Eq for Spec {}

impl Hash for Spec {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.name.hash(hasher);
    }
}

#[pymethods]
impl Spec {
    /// The name in the registry.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name
    }

    /// A description of the game in one line.
    #[getter]
    fn about(&self) -> &'static str {
        self.0.about
    }

    /// Number of seats P.
    #[getter]
    fn num_players(&self) -> usize {
        self.0.num_players
    }

    /// The fewest and the most seats that the options allow.
    #[getter]
    fn player_range(&self) -> (usize, usize) {
        (*self.0.player_range.start(), *self.0.player_range.end())
    }

    /// The team of each seat, numbered from 0 in the order of their first seats. The seats of a
    /// team win and lose together.
    #[getter]
    fn teams(&self) -> Vec<usize> {
        self.0.teams.clone()
    }

    /// Number of plies after which every game has ended.
    #[getter]
    fn max_plies(&self) -> u16 {
        self.0.max_plies
    }

    /// Number of actions A, legal or not.
    #[getter]
    fn num_actions(&self) -> usize {
        self.0.num_actions
    }

    /// The squares that each action leaves and goes to: a read-only int16 array of shape (A, 2).
    ///
    /// Squares are numbered `rank * files + file` from the mover's side, as in its observation:
    /// square `s` is `planes[:, s // files, s % files]`. A flip has its square twice, a pass has -1
    /// twice.
    #[getter]
    fn action_squares<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i16>> {
        read_only(PyArray2::from_owned_array(py, Array2::from(self.0.action_squares())))
    }

    /// The squares between the two of each action, in order: a read-only int16 array of shape (A, L),
    /// with -1 after the end of a path.
    ///
    /// Squares are numbered as in `action_squares`. They are the squares of a line between its ends,
    /// the leg of a horse or the eye of an elephant. A step, a flip and a pass have none.
    #[getter]
    fn action_paths<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i16>> {
        let paths = self.0.action_paths();
        let longest = paths.iter().map(Vec::len).max().unwrap_or(0);
        let mut squares = Array2::from_elem((paths.len(), longest), -1);
        for (mut row, path) in squares.rows_mut().into_iter().zip(&paths) {
            row.iter_mut().zip(path).for_each(|(out, square)| *out = square.index() as i16);
        }
        read_only(PyArray2::from_owned_array(py, squares))
    }

    /// How each piece attacks by each action: a read-only uint8 array of shape (K, A). Piece k is that
    /// of plane k.
    ///
    /// - 0: it does not.
    /// - 1: it does if no piece stands on the path of the action (`action_paths`).
    /// - 2: it does if exactly one does, as a cannon.
    /// - 3: it does in both cases, as a horse that jumps.
    ///
    /// The owner of the piece on the target, ranks and
    /// checks do not count, so a piece may attack another that it is not allowed to take.
    #[getter]
    fn attacks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        Ok(read_only(PyArray2::from_vec2(py, &self.0.attacks())?))
    }

    /// The piece that each piece is after it moved: a read-only int16 array of shape (K,) with places among the K
    /// pieces, which are those of the first K planes. -1 if it is not known before, as of a covered
    /// piece.
    ///
    /// In flipping xiangqi pieces turn into their other form; elsewhere a piece that is face up stays
    /// what it is.
    #[getter]
    fn moved_pieces<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i16>> {
        let number = |piece: Option<usize>| piece.map_or(-1, |piece| piece as i16);
        read_only(PyArray1::from_iter(py, self.0.moved_pieces().into_iter().map(number)))
    }

    /// The symmetries of the game beyond the identity, as a list of `Symmetry`.
    ///
    /// A deal is as likely as its image, and play continues from both alike. So a position, its mask
    /// and its policy can be taken to other squares and keep their value.
    #[getter]
    fn symmetries<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.0.symmetries().iter().map(|symmetry| records::symmetry(py, symmetry)).collect()
    }

    /// The regions of the board that players name, such as the two sides of the river: a dict of
    /// names to read-only int64 arrays of squares (`rank * files + file`), as the owner of a piece
    /// sees them. Empty where there are none.
    #[getter]
    fn regions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let regions = PyDict::new(py);
        for (name, squares) in self.0.region_squares() {
            let squares = squares.iter().map(|square| square.index() as i64);
            regions.set_item(name, read_only(PyArray1::from_iter(py, squares)))?;
        }
        Ok(regions)
    }

    /// Numbers of ranks and files of the board.
    #[getter]
    fn board_shape(&self) -> (usize, usize) {
        let size = self.0.layout.size;
        (size.ranks, size.files)
    }

    /// The shape (C, H, W) of one observation as planes: channels, ranks, files.
    #[getter]
    fn observation_shape(&self) -> (usize, usize, usize) {
        self.0.layout.plane_shape().into()
    }

    /// The names of the C planes.
    #[getter]
    fn plane_names(&self) -> Vec<&'static str> {
        self.0.layout.plane_names()
    }

    /// The greatest value of each of the C planes, by the rules and options: a read-only uint8 array
    /// of shape (C,), without zeros, so that planes can be divided by it.
    ///
    /// No game exceeds it that begins with a deal. A FEN can have counters beyond their limits.
    #[getter]
    fn plane_maxima<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        read_only(PyArray1::from_slice(py, &self.0.plane_maxima))
    }

    /// The shape (T,) of one observation as tokens.
    #[getter]
    fn token_shape(&self) -> (usize,) {
        (self.0.layout.token_len(),)
    }

    /// The names of the T tokens.
    #[getter]
    fn token_names(&self) -> Vec<String> {
        self.0.layout.token_names()
    }

    /// The letters of the kinds of pieces, as in FENs.
    #[getter]
    fn piece_letters(&self) -> Vec<char> {
        self.0.kinds.to_vec()
    }

    /// The armies, as a list of `Army`.
    #[getter]
    fn armies<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.0.armies.iter().map(|army| records::army(py, army, self.0.kinds)).collect()
    }

    /// The secret of a covered piece: `nothing` if no piece is ever covered, `kind`, or
    /// `kind and army`.
    #[getter]
    fn hides(&self) -> &'static str {
        self.0.hides.name()
    }

    /// Whether deals with different seeds differ.
    #[getter]
    fn deals_vary(&self) -> bool {
        self.0.deals_vary
    }

    /// Whether covered pieces can move.
    #[getter]
    fn covered_pieces_move(&self) -> bool {
        self.0.covered_pieces_move
    }

    /// Whether a seat may capture a piece that the others do not see.
    #[getter]
    fn captures_are_secret(&self) -> bool {
        self.0.captures_are_secret
    }

    /// The rule options with the values in force, as a list of `OptionInfo`.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.0.options.iter().map(|option| records::option_info(py, option)).collect()
    }

    /// Pickles the game's name and options.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let (py, spec) = (slf.py(), slf.get());
        let restore = py.import("darkqi._darkqi")?.getattr("restore_spec")?;
        Ok((restore, (spec.0.name, spec.keywords(py)?)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "Spec({:?}, num_players={}, num_actions={}, board_shape={:?}, observation_shape={:?}, \
             token_shape={:?}, options={})",
            self.0.name,
            self.num_players(),
            self.num_actions(),
            self.board_shape(),
            self.observation_shape(),
            self.token_shape(),
            self.keywords(py)?,
        ))
    }
}

/// What a pickle of a spec holds: game and options.
type Pickled<'py> = (&'static str, Bound<'py, PyDict>);

/// The spec of what a pickle of a `Spec` holds.
#[pyfunction]
pub(crate) fn restore_spec(name: &str, options: &Bound<'_, PyDict>) -> PyResult<Spec> {
    Spec::new(name, Some(options))
}
