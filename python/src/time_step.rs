//! `TimeStep`: the arrays that a batch writes its rows into.

#![expect(unsafe_code, reason = "rows are written while Python runs")]

use std::mem;
use std::ops::Range;

use darkqi_env::{
    batch::{MaskFormat, RowLengths, Rows},
    for_row_columns,
};
use numpy::{
    Element, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods, dtype,
};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyEllipsis, PySlice};

use crate::arrays::{Array, Memory, aligned_zeros, describe};
use crate::ending::visiting;
use crate::exclusive_rows::{ExclusiveArray, ExclusiveRows, elements};

/// What a column that is `always` written or `asked` for makes of its array.
macro_rules! array {
    (always map $array:expr, $function:expr) => {
        ($function)(&$array)
    };
    (asked map $array:expr, $function:expr) => {
        $array.as_ref().map($function)
    };
    (always try_map $array:expr, $function:expr) => {
        ($function)(&$array)?
    };
    (asked try_map $array:expr, $function:expr) => {
        $array.as_ref().map($function).transpose()?
    };
    (always new $is_asked:expr, $array:expr) => {
        $array?
    };
    (asked new $is_asked:expr, $array:expr) => {
        if $is_asked { Some($array?) } else { None }
    };
    (always restored $field:expr) => {
        array($field.ok_or_else(|| PyValueError::new_err("expected an array, got None"))?)?
    };
    (asked restored $field:expr) => {
        $field.map(array).transpose()?
    };
    (always untyped $array:expr, $py:expr) => {
        Some($array.bind($py).as_untyped())
    };
    (asked untyped $array:expr, $py:expr) => {
        $array.as_ref().map(|array| array.bind($py).as_untyped())
    };
    (always writable $array:expr, $py:expr) => {
        $array.bind($py).try_readwrite()?
    };
    (asked writable $array:expr, $py:expr) => {
        $array.as_ref().map(|array| array.bind($py).try_readwrite()).transpose()?
    };
    (always slice $array:expr) => {
        elements(&mut $array)?
    };
    (asked slice $array:expr) => {
        $array.as_mut().map(elements).transpose()?
    };
}

macro_rules! names {
    ($($(#[$doc:meta])* $when:ident $name:ident $label:literal: $type:ty, $width:expr;)*) => {
        &[$($label),*]
    };
}

/// The names of the columns.
const COLUMNS: &[&str] = for_row_columns!(names);

/// The column that Python sees a view of.
const ACTION_MASK: &str = "action_mask";

/// The place of that column.
fn mask_place() -> usize {
    COLUMNS.iter().position(|name| *name == ACTION_MASK).expect("the mask is a column")
}

/// The rows of N lanes in numpy arrays, as `Env.reset`, `Env.step` and `Env.recv` return them.
///
/// Rows are never overwritten while you hold this object, one of its arrays or a view of one: the next
/// call writes other arrays. Memory that nobody holds is written again. With `make(copy=False)`
/// every call returns the same objects and writes the same memory; the row of a lane is then valid
/// until the next `step`, `reset` or `send` of that lane, and `ts.copy()` keeps it.
///
/// PyTorch and JAX share the memory: `torch.from_numpy(ts.observation)`, `torch.from_dlpack`,
/// `jax.dlpack.from_dlpack`. Their arrays count as views, so they stay as they are. JAX assumes
/// that arrays never change and computes asynchronously: with `copy=False`, block until it is done
/// before the next step, or copy.
///
/// Time steps are equal when their lanes and arrays are. Pickles and copies have arrays of their own.
#[pyclass(frozen, module = "darkqi")]
pub(crate) struct TimeStep {
    lanes: Range<usize>,
    /// The view of the player to move, from its perspective: uint8 of shape (N, C, H, W), or (N, T)
    /// with `observation="tokens"`.
    #[pyo3(get)]
    pub(crate) observation: Array<u8>,
    /// The legal actions of the player to move: bool of shape (N, A). With `mask="bits"`, uint8 of
    /// shape (N, ceil(A / 8)), in which action 0 is the lowest bit of the first byte. Where DLPack
    /// does not support bool, `action_mask.view(numpy.uint8)` is the same memory.
    #[pyo3(get)]
    action_mask: Py<PyAny>,
    /// The memory of `action_mask`, of shape (N, bytes of a mask).
    pub(crate) mask: Array<u8>,
    /// The seat to move: int8 of shape (N,).
    #[pyo3(get)]
    pub(crate) current_player: Array<i8>,
    /// The reward of each seat in the last step: float32 of shape (N, P), zeros unless a game
    /// ended.
    #[pyo3(get)]
    pub(crate) reward: Array<f32>,
    /// Whether the last step ended the lane's game by its rules: bool of shape (N,). With
    /// `autoreset="same_step"` the other arrays already show the lane's next game.
    #[pyo3(get)]
    pub(crate) terminated: Array<bool>,
    /// Whether the last step ended the lane's game at its ply limit: bool of shape (N,). Never true
    /// together with `terminated`.
    #[pyo3(get)]
    pub(crate) truncated: Array<bool>,
    /// Whether the last step ended the lane's game, because the action was not legal: bool of shape
    /// (N,). Never true without `illegal="forfeit"`.
    #[pyo3(get)]
    pub(crate) forfeited: Array<bool>,
    /// The last position of the games that the last step ended, as `final_player` sees it: shape and
    /// dtype of `observation`. The rows of other lanes have no meaning. None without
    /// `final_observation=True`.
    #[pyo3(get)]
    pub(crate) final_observation: Option<Array<u8>>,
    /// The seat that would move next in the games that the last step ended, or the caller's against
    /// an opponent: int8 of shape (N,). Those of other lanes have no meaning. None without
    /// `final_observation=True`.
    #[pyo3(get)]
    pub(crate) final_player: Option<Array<i8>>,
    /// The memory of the arrays, as long as native code writes it.
    memory: Vec<Py<Memory>>,
}

/// What the arrays of a time step are made by.
#[derive(Clone)]
pub(crate) struct RowShapes {
    /// The lanes of the rows.
    pub(crate) lanes: Range<usize>,
    /// The shape of one observation.
    pub(crate) observation: Vec<usize>,
    pub(crate) mask: MaskFormat,
    pub(crate) actions: usize,
    pub(crate) players: usize,
    pub(crate) final_observation: bool,
}

impl RowShapes {
    fn lengths(&self) -> RowLengths {
        RowLengths {
            observation: self.observation.iter().product(),
            mask: self.mask.len(self.actions),
            players: self.players,
        }
    }
}

impl TimeStep {
    /// New arrays.
    ///
    /// # Errors
    /// `MemoryError`.
    pub(crate) fn new(py: Python<'_>, shapes: &RowShapes) -> PyResult<Self> {
        fn array<T: Element>(
            py: Python<'_>,
            memory: &mut Vec<Py<Memory>>,
            shapes: &RowShapes,
            label: &str,
            width: fn(&RowLengths) -> usize,
        ) -> PyResult<Array<T>> {
            let mut shape = vec![shapes.lanes.len()];
            match (label, width(&shapes.lengths())) {
                ("observation" | "final_observation", _) => shape.extend(&shapes.observation),
                (_, 1) => {}
                (_, width) => shape.push(width),
            }
            let (array, own) = aligned_zeros(py, &shape)?;
            memory.push(own);
            Ok(array.unbind())
        }
        let memory = &mut Vec::new();
        macro_rules! new {
            ($($(#[$doc:meta])* $when:ident $name:ident $label:literal: $type:ty, $width:expr;)*) => {
                Self {
                    lanes: shapes.lanes.clone(),
                    $($name: array!($when new shapes.final_observation,
                        array(py, memory, shapes, $label, $width)),)*
                    action_mask: py.None(),
                    memory: mem::take(memory),
                }
            };
        }
        let dtype = match shapes.mask {
            MaskFormat::Bool => dtype::<bool>(py),
            MaskFormat::Bits => dtype::<u8>(py),
        };
        for_row_columns!(new).with_action_mask(py, dtype.as_any())
    }

    /// The same with `action_mask` as a view of `mask`.
    fn with_action_mask(self, py: Python<'_>, dtype: &Bound<'_, PyAny>) -> PyResult<Self> {
        let action_mask = self.mask.call_method1(py, intern!(py, "view"), (dtype,))?;
        Ok(Self { action_mask, ..self })
    }

    /// The arrays that native code writes, in the order of their columns.
    fn columns<'a, 'py>(
        &'a self,
        py: Python<'py>,
    ) -> [Option<&'a Bound<'py, PyUntypedArray>>; COLUMNS.len()] {
        macro_rules! columns {
            ($($(#[$doc:meta])* $when:ident $name:ident $label:literal: $type:ty, $width:expr;)*) => {
                [$(array!($when untyped self.$name, py)),*]
            };
        }
        for_row_columns!(columns)
    }

    /// All arrays that Python can reach, with their names.
    pub(crate) fn arrays<'a, 'py: 'a>(
        &'a self,
        py: Python<'py>,
    ) -> impl Iterator<Item = (&'static str, &'a Bound<'py, PyUntypedArray>)> {
        let columns = COLUMNS.iter().copied().zip(self.columns(py));
        let written = columns.filter_map(|(name, array)| Some((name, array?)));
        written.chain([(ACTION_MASK, self.action_mask(py))])
    }

    fn action_mask<'a, 'py>(&'a self, py: Python<'py>) -> &'a Bound<'py, PyUntypedArray> {
        self.action_mask.bind(py).cast().expect("a view of an array is an array")
    }

    /// Takes over what a partial reset keeps: the results and last positions of all lanes.
    ///
    /// # Errors
    /// `ValueError` if somebody has given an array of `from` another shape or dtype.
    pub(crate) fn copy_results(&self, py: Python<'_>, from: &Self) -> PyResult<()> {
        let rows = PySlice::new(
            py,
            (from.lanes.start - self.lanes.start) as isize,
            (from.lanes.end - self.lanes.start) as isize,
            1,
        );
        const KEPT: [&str; 6] =
            ["reward", "terminated", "truncated", "forfeited", "final_observation", "final_player"];
        let arrays =
            self.arrays(py).zip(from.arrays(py)).filter(|((name, _), _)| KEPT.contains(name));
        for ((name, to), (_, from)) in arrays {
            let to = to.get_item(&rows)?.cast_into::<PyUntypedArray>()?;
            if to.shape() != from.shape() || !to.dtype().is_equiv_to(&from.dtype()) {
                let (expected, found) = (describe(&to)?, describe(from)?);
                return Err(PyValueError::new_err(format!(
                    "{name}: the lanes that are kept: expected {expected}, got {found}"
                )));
            }
            visiting(|| to.set_item(PyEllipsis::get(py), from))?;
        }
        Ok(())
    }

    /// All arrays of Python's attributes, in their order.
    fn fields<'py>(&self, py: Python<'py>) -> Fields<'py> {
        let mut fields = self.columns(py);
        fields[mask_place()] = Some(self.action_mask(py));
        fields.map(Option::<&Bound<'py, PyUntypedArray>>::cloned)
    }

    /// The rows of some of the lanes, as views of the same memory.
    pub(crate) fn rows_of(&self, py: Python<'_>, lanes: Range<usize>) -> PyResult<Self> {
        let rows = PySlice::new(py, lanes.start as isize, lanes.end as isize, 1);
        let memory = self.memory(py);
        Ok(Self { memory, ..self.map_arrays(py, lanes, |array| array.get_item(&rows))? })
    }

    fn memory(&self, py: Python<'_>) -> Vec<Py<Memory>> {
        self.memory.iter().map(|memory| memory.clone_ref(py)).collect()
    }

    /// A time step of the results of a function for each array, which native code does not write.
    fn map_arrays<'py>(
        &self,
        py: Python<'py>,
        lanes: Range<usize>,
        function: impl Fn(&Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        // A closure cannot be generic over the element type.
        fn map<'py, T: Element>(
            py: Python<'py>,
            array: &Array<T>,
            function: impl Fn(&Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>,
        ) -> PyResult<Array<T>> {
            Ok(function(array.bind(py))?.cast_into()?.unbind())
        }
        macro_rules! map {
            ($($(#[$doc:meta])* $when:ident $name:ident $label:literal: $type:ty, $width:expr;)*) => {
                Self {
                    lanes,
                    $($name: array!($when try_map self.$name, |array| map(py, array, &function)),)*
                    action_mask: py.None(),
                    memory: Vec::new(),
                }
            };
        }
        let dtype = self.action_mask.bind(py).getattr(intern!(py, "dtype"))?;
        for_row_columns!(map).with_action_mask(py, &dtype)
    }

    /// Takes the exclusive right to write the rows from any thread.
    ///
    /// # Safety
    /// As [`ExclusiveArray::new`] requires, for all rows. The arrays must be those that
    /// [`TimeStep::new`] or [`TimeStep::rows_of`] made.
    pub(crate) unsafe fn exclusive_rows(&self, py: Python<'_>) -> ExclusiveRows {
        macro_rules! exclusive {
            ($($(#[$doc:meta])* $when:ident $name:ident $label:literal: $type:ty, $width:expr;)*) => {
                // SAFETY: Arrays made there are contiguous, and their memory is kept beside them. The
                // caller promises the rest.
                unsafe {
                    ExclusiveRows {
                        $($name: array!($when map self.$name, |array| ExclusiveArray::new(py, array)),)*
                        _memory: self.memory(py),
                    }
                }
            };
        }
        for_row_columns!(exclusive)
    }

    /// Runs native work that writes the rows, with numpy's dynamic borrow checks.
    ///
    /// # Errors
    /// If an array was made read-only, or other native code is using it.
    pub(crate) fn with_rows<R>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(Rows<'_>) -> R,
    ) -> PyResult<R> {
        macro_rules! run {
            ($($(#[$doc:meta])* $when:ident $name:ident $label:literal: $type:ty, $width:expr;)*) => {{
                $(let mut $name = array!($when writable self.$name, py);)*
                Ok(work(Rows { $($name: array!($when slice $name)),* }))
            }};
        }
        for_row_columns!(run)
    }
}

#[pymethods]
impl TimeStep {
    /// The lanes of the rows, as a slice: `values[ts.lanes]` are theirs in an array of all lanes.
    #[getter]
    fn lanes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<PySlice>().call1((self.lanes.start, self.lanes.end))
    }

    /// Copies every array. The env does not write into the copies.
    pub(crate) fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let copy = intern!(py, "copy");
        visiting(|| self.map_arrays(py, self.lanes.clone(), |array| array.call_method0(copy)))
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.copy(py)
    }

    /// Whether lanes and arrays are equal, in shapes, types and elements.
    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        let array_equal = py.import(intern!(py, "numpy"))?.getattr(intern!(py, "array_equal"))?;
        for pair in self.fields(py).into_iter().zip(other.fields(py)) {
            let is_equal = match pair {
                (None, None) => true,
                (Some(one), Some(other)) => {
                    one.dtype().is_equiv_to(&other.dtype())
                        && visiting(|| array_equal.call1((one, other))?.is_truthy())?
                }
                _ => false,
            };
            if !is_equal {
                return Ok(false);
            }
        }
        Ok(self.lanes == other.lanes)
    }

    /// Pickles lanes and arrays. The env does not write what is restored.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let (py, time_step) = (slf.py(), slf.get());
        let restore = py.import("darkqi._darkqi")?.getattr("restore_time_step")?;
        let Range { start, end } = time_step.lanes;
        Ok((restore, (start, end, time_step.fields(py))))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let shape = intern!(py, "shape");
        Ok(format!(
            "TimeStep(observation={}, action_mask={}, reward={}, final_observation={})",
            self.observation.bind(py).getattr(shape)?,
            self.action_mask.bind(py).getattr(shape)?,
            self.reward.bind(py).getattr(shape)?,
            match &self.final_observation {
                Some(array) => array.bind(py).getattr(shape)?,
                None => py.None().into_bound(py),
            },
        ))
    }
}

/// The arrays of Python's attributes, in the order of the columns.
type Fields<'py> = [Option<Bound<'py, PyUntypedArray>>; COLUMNS.len()];

/// What a pickle of a time step holds: the first of its lanes, the end of them, and the arrays.
type Pickled<'py> = (usize, usize, Fields<'py>);

/// The time step of what a pickle of a `TimeStep` holds.
///
/// Raises:
///     ValueError: There is not one row per lane.
///     TypeError: An array has another type.
#[pyfunction]
pub(crate) fn restore_time_step<'py>(
    py: Python<'py>,
    first: usize,
    end: usize,
    mut fields: Fields<'py>,
) -> PyResult<TimeStep> {
    fn array<T: Element>(field: Bound<'_, PyUntypedArray>) -> PyResult<Array<T>> {
        Ok(field.into_any().cast_into()?.unbind())
    }
    let rows = end.checked_sub(first);
    for field in fields.iter().flatten() {
        if field.shape().first().copied() != rows {
            let (lanes, found) = (rows.unwrap_or_default(), describe(field)?);
            return Err(PyValueError::new_err(format!("expected {lanes} rows, got {found}")));
        }
    }
    let Some(action_mask) = fields[mask_place()].take() else {
        return Err(PyValueError::new_err("expected an array, got None"));
    };
    let bytes = action_mask.call_method1(intern!(py, "view"), (dtype::<u8>(py),))?;
    fields[mask_place()] = Some(bytes.cast_into()?);
    macro_rules! restored {
        ($($(#[$doc:meta])* $when:ident $name:ident $label:literal: $type:ty, $width:expr;)*) => {{
            let [$($name),*] = fields;
            TimeStep {
                lanes: first..end,
                $($name: array!($when restored $name),)*
                action_mask: action_mask.unbind().into_any(),
                memory: Vec::new(),
            }
        }};
    }
    Ok(for_row_columns!(restored))
}
