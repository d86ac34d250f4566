//! `TimeStep`: the arrays that a batch writes its steps into.

use std::ops::Range;

use darkqi_env::{BatchConfig, MaskFormat, Rows};
use numpy::{PyArrayDyn, PyArrayMethods, PyReadwriteArrayDyn, dtype};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::arrays::aligned_zeros;
use crate::loan::{Loan, Part};
use crate::spec::Spec;

pub(crate) type Array<T> = Py<PyArrayDyn<T>>;

/// What `Env.reset`, `Env.step` and `Env.recv` tell about N lanes, in numpy arrays.
///
/// An env has one `TimeStep` for all lanes and one for each group, whose rows lie within it. It
/// returns them again and again and writes into the same memory, so that nothing is copied: a row
/// lasts until `step`, `reset` or `send` is called for its lane. Copy what you keep: `ts.copy()`,
/// or `ts.reward.copy()` for one array; or have every call return a copy, by `make(copy=True)`.
/// The memory itself lives as long as any array of it.
///
/// PyTorch and JAX take the arrays without copying: `torch.from_numpy(ts.observation)`,
/// `torch.from_dlpack`, `jax.dlpack.from_dlpack`. JAX does so only where an array begins at a
/// multiple of 64 bytes: those of all lanes do, and those of a group whose first lane is a
/// multiple of 64. JAX also takes it that arrays never change, and computes while Python runs on:
/// block until it is done before the next step, or copy.
///
/// Letters: N lanes, A actions, P seats; (C, H, W) and T are shapes of the `Spec`.
#[pyclass(frozen, module = "darkqi")]
pub(crate) struct TimeStep {
    /// The lanes that the rows are of.
    lanes: Range<usize>,
    /// What the player to move sees, turned to its side: uint8 of shape (N, C, H, W), or (N, T)
    /// with `observation="tokens"`.
    #[pyo3(get)]
    observation: Array<u8>,
    /// The legal actions of the player to move: bool of shape (N, A), or with `mask="bits"` uint8
    /// of shape (N, ceil(A / 8)), the lowest bit of the first byte for action 0. For consumers of
    /// DLPack that know no bool, `action_mask.view(numpy.uint8)` is the same memory.
    #[pyo3(get)]
    action_mask: Py<PyAny>,
    /// The memory of `action_mask`.
    mask_bytes: Array<u8>,
    /// The seat to move: int8 of shape (N,).
    #[pyo3(get)]
    current_player: Array<i8>,
    /// What the last step gave each seat: float32 of shape (N, P), zeros unless a game ended.
    #[pyo3(get)]
    reward: Array<f32>,
    /// Whether the last step ended the lane's game by its rules: bool of shape (N,). The other
    /// arrays then show the lane's next game already.
    #[pyo3(get)]
    terminated: Array<bool>,
    /// Whether the last step ended the lane's game at its ply limit: bool of shape (N,), never
    /// true together with `terminated`.
    #[pyo3(get)]
    truncated: Array<bool>,
    /// With `final_observation=True`, the last position of the games that the last step ended, as
    /// the seat sees it that would be to move: shape and dtype of `observation`. Rows of other
    /// lanes hold what an earlier step left there. Otherwise None.
    #[pyo3(get)]
    final_observation: Option<Array<u8>>,
}

impl TimeStep {
    /// Arrays for a batch.
    pub(crate) fn new(
        py: Python<'_>,
        spec: &Spec,
        config: &BatchConfig,
        final_observation: bool,
    ) -> PyResult<Self> {
        let lanes = config.lanes;
        let observation_shape = [&[lanes], &*spec.shape(config.format)].concat();
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

    /// Some of the rows: arrays of the same memory.
    pub(crate) fn part(&self, py: Python<'_>, lanes: Range<usize>) -> PyResult<Self> {
        let rows = PySlice::new(py, lanes.start as isize, lanes.end as isize, 1);
        let mask_bytes = cut(&self.mask_bytes, &rows)?;
        let final_observation = self.final_observation.as_ref();
        Ok(Self {
            observation: cut(&self.observation, &rows)?,
            action_mask: self.action_mask.bind(py).get_item(&rows)?.unbind(),
            mask_bytes,
            current_player: cut(&self.current_player, &rows)?,
            reward: cut(&self.reward, &rows)?,
            terminated: cut(&self.terminated, &rows)?,
            truncated: cut(&self.truncated, &rows)?,
            final_observation: final_observation.map(|array| cut(array, &rows)).transpose()?,
            lanes,
        })
    }

    /// Lends the memory of the rows for good to one who may write it from any thread.
    ///
    /// # Safety
    /// See [`Part::new`]; this must be as [`TimeStep::new`] or [`TimeStep::part`] made it.
    pub(crate) unsafe fn loan(&self, py: Python<'_>) -> Loan {
        // SAFETY: The arrays are fresh, so they are contiguous; the rest is the caller's word.
        unsafe {
            Loan {
                observation: Part::new(py, &self.observation),
                mask: Part::new(py, &self.mask_bytes),
                current_player: Part::new(py, &self.current_player),
                reward: Part::new(py, &self.reward),
                terminated: Part::new(py, &self.terminated),
                truncated: Part::new(py, &self.truncated),
                final_observation: self
                    .final_observation
                    .as_ref()
                    .map(|array| Part::new(py, array)),
            }
        }
    }

    /// Whether the arrays could be lent: what [`TimeStep::loan`] does not ask.
    ///
    /// # Errors
    /// If an array was made read-only, or other native code is using it.
    pub(crate) fn check_writable(&self, py: Python<'_>) -> PyResult<()> {
        self.observation.bind(py).try_readwrite()?;
        self.mask_bytes.bind(py).try_readwrite()?;
        self.current_player.bind(py).try_readwrite()?;
        self.reward.bind(py).try_readwrite()?;
        self.terminated.bind(py).try_readwrite()?;
        self.truncated.bind(py).try_readwrite()?;
        self.final_observation.as_ref().map(|array| array.bind(py).try_readwrite()).transpose()?;
        Ok(())
    }

    /// Lends the arrays' memory to a native call.
    ///
    /// # Errors
    /// If an array was made read-only.
    pub(crate) fn lend<R>(&self, py: Python<'_>, work: impl FnOnce(Rows<'_>) -> R) -> PyResult<R> {
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
    /// The lanes that the rows are of, as a slice: `values[ts.lanes]` are theirs among all lanes'.
    #[getter]
    fn lanes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<PySlice>().call1((self.lanes.start, self.lanes.end))
    }

    /// Copies every array, for keeping: the env goes on writing into its own.
    pub(crate) fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let mask_bytes = duplicate(py, &self.mask_bytes)?;
        let kind = self.action_mask.getattr(py, intern!(py, "dtype"))?;
        let action_mask = mask_bytes.call_method1(py, intern!(py, "view"), (kind,))?;
        let final_observation = self.final_observation.as_ref();
        Ok(Self {
            lanes: self.lanes.clone(),
            observation: duplicate(py, &self.observation)?,
            action_mask,
            mask_bytes,
            current_player: duplicate(py, &self.current_player)?,
            reward: duplicate(py, &self.reward)?,
            terminated: duplicate(py, &self.terminated)?,
            truncated: duplicate(py, &self.truncated)?,
            final_observation: final_observation.map(|array| duplicate(py, array)).transpose()?,
        })
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

/// Some rows of an array.
fn cut<T: numpy::Element>(array: &Array<T>, rows: &Bound<'_, PySlice>) -> PyResult<Array<T>> {
    Ok(array.bind(rows.py()).get_item(rows)?.cast_into()?.unbind())
}

/// A copy of an array.
fn duplicate<T: numpy::Element>(py: Python<'_>, array: &Array<T>) -> PyResult<Array<T>> {
    let copy = array.bind(py).call_method0(intern!(py, "copy"))?;
    Ok(copy.cast_into()?.unbind())
}
