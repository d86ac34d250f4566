//! `TimeStep`: the arrays that a batch writes its rows into.

#![expect(unsafe_code, reason = "rows are written while Python runs")]

use std::ops::Range;

use darkqi_env::{MaskFormat, Rows};
use numpy::{
    Element, PyArrayDescrMethods, PyArrayMethods, PyReadwriteArrayDyn, PyUntypedArray,
    PyUntypedArrayMethods, dtype,
};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyEllipsis, PySlice};

use crate::arrays::{Array, aligned_zeros, describe};
use crate::exclusive_rows::{ExclusiveArray, ExclusiveRows};

/// The rows of N lanes in numpy arrays, as `Env.reset`, `Env.step` and `Env.recv` return them.
///
/// Rows stay as they are: the next call writes other arrays, as long as you hold this object, one of
/// its arrays or a view of one. Memory that nobody holds is written again. With `make(copy=False)`
/// every call returns the same objects and writes the same memory; the row of a lane is then valid
/// until the next `step`, `reset` or `send` of that lane, and `ts.copy()` keeps it.
///
/// PyTorch and JAX share the memory: `torch.from_numpy(ts.observation)`, `torch.from_dlpack`,
/// `jax.dlpack.from_dlpack`. Their arrays count as views, so they stay as they are, too. JAX assumes
/// that arrays never change and computes asynchronously: with `copy=False`, block until it is done
/// before the next step, or copy.
///
/// Letters: N lanes, A actions, P seats; (C, H, W) and T are shapes of the `Spec`.
#[pyclass(frozen, module = "darkqi")]
pub(crate) struct TimeStep {
    lanes: Range<usize>,
    /// What the player to move sees, from its perspective: uint8 of shape (N, C, H, W), or (N, T)
    /// with `observation="tokens"`.
    #[pyo3(get)]
    pub(crate) observation: Array<u8>,
    /// The legal actions of the player to move: bool of shape (N, A). With `mask="bits"`, uint8 of
    /// shape (N, ceil(A / 8)), in which action 0 is the lowest bit of the first byte. Where DLPack
    /// does not support bool, `action_mask.view(numpy.uint8)` is the same memory.
    #[pyo3(get)]
    action_mask: Py<PyAny>,
    /// The memory of `action_mask`, of shape (N, bytes of a mask).
    pub(crate) mask_bytes: Array<u8>,
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

impl TimeStep {
    /// New arrays.
    ///
    /// # Errors
    /// `MemoryError`.
    pub(crate) fn new(py: Python<'_>, shapes: &RowShapes) -> PyResult<Self> {
        let lanes = shapes.lanes.len();
        let observation = [&[lanes], &*shapes.observation].concat();
        let mask_bytes = aligned_zeros::<u8>(py, &[lanes, shapes.mask.len(shapes.actions)])?;
        let action_mask = match shapes.mask {
            MaskFormat::Bool => {
                mask_bytes.call_method1(intern!(py, "view"), (dtype::<bool>(py),))?
            }
            MaskFormat::Bits => mask_bytes.clone().into_any(),
        };
        let final_observation =
            shapes.final_observation.then(|| aligned_zeros(py, &observation)).transpose()?;
        let final_player =
            shapes.final_observation.then(|| aligned_zeros(py, &[lanes])).transpose()?;
        Ok(Self {
            lanes: shapes.lanes.clone(),
            observation: aligned_zeros(py, &observation)?.unbind(),
            action_mask: action_mask.unbind(),
            mask_bytes: mask_bytes.unbind(),
            current_player: aligned_zeros(py, &[lanes])?.unbind(),
            reward: aligned_zeros(py, &[lanes, shapes.players])?.unbind(),
            terminated: aligned_zeros(py, &[lanes])?.unbind(),
            truncated: aligned_zeros(py, &[lanes])?.unbind(),
            forfeited: aligned_zeros(py, &[lanes])?.unbind(),
            final_observation: final_observation.map(Bound::unbind),
            final_player: final_player.map(Bound::unbind),
        })
    }

    /// All arrays that Python can reach, with their names.
    pub(crate) fn arrays<'a, 'py: 'a>(
        &'a self,
        py: Python<'py>,
    ) -> impl Iterator<Item = (&'static str, &'a Bound<'py, PyUntypedArray>)> {
        let mask = self.action_mask.bind(py).cast().expect("a view of an array is an array");
        let final_observation = self.final_observation.as_ref();
        let final_player = self.final_player.as_ref();
        [
            ("observation", self.observation.bind(py).as_untyped()),
            ("action_mask", self.mask_bytes.bind(py).as_untyped()),
            ("action_mask", mask),
            ("current_player", self.current_player.bind(py).as_untyped()),
            ("reward", self.reward.bind(py).as_untyped()),
            ("terminated", self.terminated.bind(py).as_untyped()),
            ("truncated", self.truncated.bind(py).as_untyped()),
            ("forfeited", self.forfeited.bind(py).as_untyped()),
        ]
        .into_iter()
        .chain(final_observation.map(|array| ("final_observation", array.bind(py).as_untyped())))
        .chain(final_player.map(|array| ("final_player", array.bind(py).as_untyped())))
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
            to.set_item(PyEllipsis::get(py), from)?;
        }
        Ok(())
    }

    /// The rows of some of the lanes, as views of the same memory.
    pub(crate) fn rows_of(&self, py: Python<'_>, lanes: Range<usize>) -> PyResult<Self> {
        let rows = PySlice::new(py, lanes.start as isize, lanes.end as isize, 1);
        self.map_arrays(py, lanes, |array| array.get_item(&rows))
    }

    /// A time step of the results of a function for each array.
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
        let mask_bytes = map(py, &self.mask_bytes, &function)?;
        let mask_dtype = self.action_mask.getattr(py, intern!(py, "dtype"))?;
        let final_observation = self.final_observation.as_ref();
        let final_player = self.final_player.as_ref();
        Ok(Self {
            lanes,
            observation: map(py, &self.observation, &function)?,
            action_mask: mask_bytes.call_method1(py, intern!(py, "view"), (mask_dtype,))?,
            mask_bytes,
            current_player: map(py, &self.current_player, &function)?,
            reward: map(py, &self.reward, &function)?,
            terminated: map(py, &self.terminated, &function)?,
            truncated: map(py, &self.truncated, &function)?,
            forfeited: map(py, &self.forfeited, &function)?,
            final_observation: final_observation
                .map(|array| map(py, array, &function))
                .transpose()?,
            final_player: final_player.map(|array| map(py, array, &function)).transpose()?,
        })
    }

    /// Takes the exclusive right to write the rows from any thread.
    ///
    /// # Safety
    /// As [`ExclusiveArray::new`] requires, for all rows. The arrays must be those that
    /// [`TimeStep::new`] or [`TimeStep::rows_of`] made.
    pub(crate) unsafe fn exclusive_rows(&self, py: Python<'_>) -> ExclusiveRows {
        // SAFETY: Arrays made there are contiguous. The caller promises the rest.
        unsafe {
            ExclusiveRows {
                observation: ExclusiveArray::new(py, &self.observation),
                mask: ExclusiveArray::new(py, &self.mask_bytes),
                current_player: ExclusiveArray::new(py, &self.current_player),
                reward: ExclusiveArray::new(py, &self.reward),
                terminated: ExclusiveArray::new(py, &self.terminated),
                truncated: ExclusiveArray::new(py, &self.truncated),
                forfeited: ExclusiveArray::new(py, &self.forfeited),
                final_observation: self
                    .final_observation
                    .as_ref()
                    .map(|array| ExclusiveArray::new(py, array)),
                final_player: self
                    .final_player
                    .as_ref()
                    .map(|array| ExclusiveArray::new(py, array)),
            }
        }
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
        let mut observation = self.observation.bind(py).try_readwrite()?;
        let mut mask = self.mask_bytes.bind(py).try_readwrite()?;
        let mut current_player = self.current_player.bind(py).try_readwrite()?;
        let mut reward = self.reward.bind(py).try_readwrite()?;
        let mut terminated = self.terminated.bind(py).try_readwrite()?;
        let mut truncated = self.truncated.bind(py).try_readwrite()?;
        let mut forfeited = self.forfeited.bind(py).try_readwrite()?;
        let final_observation = self.final_observation.as_ref();
        let mut final_observation =
            final_observation.map(|array| array.bind(py).try_readwrite()).transpose()?;
        let final_player = self.final_player.as_ref();
        let mut final_player =
            final_player.map(|array| array.bind(py).try_readwrite()).transpose()?;
        Ok(work(Rows {
            observation: observation.as_slice_mut()?,
            mask: mask.as_slice_mut()?,
            current_player: current_player.as_slice_mut()?,
            reward: reward.as_slice_mut()?,
            terminated: terminated.as_slice_mut()?,
            truncated: truncated.as_slice_mut()?,
            forfeited: forfeited.as_slice_mut()?,
            final_observation: final_observation
                .as_mut()
                .map(PyReadwriteArrayDyn::as_slice_mut)
                .transpose()?,
            final_player: final_player
                .as_mut()
                .map(PyReadwriteArrayDyn::as_slice_mut)
                .transpose()?,
        }))
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
        self.map_arrays(py, self.lanes.clone(), |array| array.call_method0(intern!(py, "copy")))
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
