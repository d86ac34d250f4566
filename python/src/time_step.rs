//! `TimeStep`: the arrays that a batch writes its rows into.

use std::ops::Range;

use darkqi_env::{BatchConfig, MaskFormat, Rows};
use numpy::{Element, PyArrayMethods, PyReadwriteArrayDyn, dtype};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::arrays::{Array, aligned_zeros};
use crate::exclusive_rows::{ExclusiveArray, ExclusiveRows};
use crate::spec::Spec;

/// The rows of N lanes in numpy arrays, as `Env.reset`, `Env.step` and `Env.recv` return them.
///
/// An env has one `TimeStep` for all lanes and one for each group, whose arrays are views of the
/// former's. Every call returns the same objects and writes into the same memory, so nothing is
/// copied. The row of a lane is valid until the next `step`, `reset` or `send` of that lane. Copy
/// what you keep: `ts.copy()`, or `ts.reward.copy()` for one array. With `make(copy=True)` every
/// call returns a copy. The memory is freed with the last array that refers to it.
///
/// PyTorch and JAX share the memory: `torch.from_numpy(ts.observation)`, `torch.from_dlpack`,
/// `jax.dlpack.from_dlpack`. JAX shares only arrays that begin at a multiple of 64 bytes: those of
/// all lanes do, and those of a group whose first lane is a multiple of 64. JAX assumes that arrays
/// never change, and computes asynchronously: block until it is done before the next step, or copy.
///
/// Letters: N lanes, A actions, P seats; (C, H, W) and T are shapes of the `Spec`.
#[pyclass(frozen, module = "darkqi")]
pub(crate) struct TimeStep {
    lanes: Range<usize>,
    /// What the player to move sees, from its perspective: uint8 of shape (N, C, H, W), or (N, T)
    /// with `observation="tokens"`.
    #[pyo3(get)]
    observation: Array<u8>,
    /// The legal actions of the player to move: bool of shape (N, A). With `mask="bits"`, uint8 of
    /// shape (N, ceil(A / 8)), in which action 0 is the lowest bit of the first byte. Where DLPack
    /// does not support bool, `action_mask.view(numpy.uint8)` is the same memory.
    #[pyo3(get)]
    action_mask: Py<PyAny>,
    /// The memory of `action_mask`, of shape (N, bytes of a mask).
    mask_bytes: Array<u8>,
    /// The seat to move: int8 of shape (N,).
    #[pyo3(get)]
    current_player: Array<i8>,
    /// The reward of each seat in the last step: float32 of shape (N, P), zeros unless a game
    /// ended.
    #[pyo3(get)]
    reward: Array<f32>,
    /// Whether the last step ended the lane's game by its rules: bool of shape (N,). With
    /// `autoreset="same_step"` the other arrays already show the lane's next game.
    #[pyo3(get)]
    terminated: Array<bool>,
    /// Whether the last step ended the lane's game at its ply limit: bool of shape (N,). Never true
    /// together with `terminated`.
    #[pyo3(get)]
    truncated: Array<bool>,
    /// The last position of the games that the last step ended, as the seat that would move next
    /// sees it: shape and dtype of `observation`. The rows of other lanes hold values of earlier
    /// steps. None without `final_observation=True`.
    #[pyo3(get)]
    final_observation: Option<Array<u8>>,
}

impl TimeStep {
    /// New arrays for a batch.
    ///
    /// # Errors
    /// `MemoryError`.
    pub(crate) fn new(
        py: Python<'_>,
        spec: &Spec,
        config: &BatchConfig,
        final_observation: bool,
    ) -> PyResult<Self> {
        let lanes = config.lanes;
        let observation_shape = spec.batch_shape(lanes, config.format);
        let mask_bytes = aligned_zeros::<u8>(py, &[lanes, config.mask.len(spec.0.num_actions)])?;
        let action_mask = match config.mask {
            MaskFormat::Bool => {
                mask_bytes.call_method1(intern!(py, "view"), (dtype::<bool>(py),))?
            }
            MaskFormat::Bits => mask_bytes.clone().into_any(),
        };
        let final_observation =
            final_observation.then(|| aligned_zeros(py, &observation_shape)).transpose()?;
        Ok(Self {
            lanes: 0..lanes,
            observation: aligned_zeros(py, &observation_shape)?.unbind(),
            action_mask: action_mask.unbind(),
            mask_bytes: mask_bytes.unbind(),
            current_player: aligned_zeros(py, &[lanes])?.unbind(),
            reward: aligned_zeros(py, &[lanes, spec.0.num_players])?.unbind(),
            terminated: aligned_zeros(py, &[lanes])?.unbind(),
            truncated: aligned_zeros(py, &[lanes])?.unbind(),
            final_observation: final_observation.map(Bound::unbind),
        })
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
        Ok(Self {
            lanes,
            observation: map(py, &self.observation, &function)?,
            action_mask: mask_bytes.call_method1(py, intern!(py, "view"), (mask_dtype,))?,
            mask_bytes,
            current_player: map(py, &self.current_player, &function)?,
            reward: map(py, &self.reward, &function)?,
            terminated: map(py, &self.terminated, &function)?,
            truncated: map(py, &self.truncated, &function)?,
            final_observation: final_observation
                .map(|array| map(py, array, &function))
                .transpose()?,
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
                final_observation: self
                    .final_observation
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
        let final_observation = self.final_observation.as_ref();
        let mut final_observation =
            final_observation.map(|array| array.bind(py).try_readwrite()).transpose()?;
        Ok(work(Rows {
            observation: observation.as_slice_mut()?,
            mask: mask.as_slice_mut()?,
            current_player: current_player.as_slice_mut()?,
            reward: reward.as_slice_mut()?,
            terminated: terminated.as_slice_mut()?,
            truncated: truncated.as_slice_mut()?,
            final_observation: final_observation
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
