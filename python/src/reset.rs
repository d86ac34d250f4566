//! The arguments of `Env.reset`.

use darkqi_env::batch::Reset;
use numpy::{PyArray1, PyArrayDescrMethods, PyArrayMethods, PyUntypedArrayMethods, dtype};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFrozenSet, PySet, PyString};

use crate::arguments;
use crate::arrays::{as_array, describe, refuse_masked};

/// Which lanes are dealt a game, and by which seeds.
pub(crate) enum ResetRequest {
    /// All lanes: by a new seed of the batch, or without one each lane's next game.
    Batch(Option<u64>),
    /// Each lane by its own `Reset`.
    Lanes(Vec<Reset>),
}

impl ResetRequest {
    /// Reads the arguments of `Env.reset` for a batch of `count` lanes.
    ///
    /// # Errors
    /// `ValueError` for another number of lanes or a seed out of range, `TypeError` for other
    /// types.
    pub(crate) fn new(
        seed: Option<&Bound<'_, PyAny>>,
        lanes: Option<&Bound<'_, PyAny>>,
        count: usize,
    ) -> PyResult<Self> {
        let seeds = seed.filter(|seed| is_sequence(seed));
        match (seed, seeds, lanes) {
            (seed, None, None) => Ok(Self::Batch(seed.map(arguments::seed).transpose()?)),
            (Some(_), None, Some(_)) => Err(PyValueError::new_err(
                "seed: with lanes, expected None or a seed for each lane, got a single one",
            )),
            (_, seeds, lanes) => {
                let mut resets = match seeds {
                    Some(seeds) => lane_seeds(seeds, count)?,
                    None => vec![Reset::Next; count],
                };
                if let Some(lanes) = lanes {
                    for (reset, is_chosen) in resets.iter_mut().zip(lane_mask(lanes, count)?) {
                        if !is_chosen {
                            *reset = Reset::Keep;
                        }
                    }
                }
                Ok(Self::Lanes(resets))
            }
        }
    }
}

/// Whether this is a list, an array or another sequence that is not a string.
fn is_sequence(given: &Bound<'_, PyAny>) -> bool {
    let is_text = given.is_instance_of::<PyString>() || given.is_instance_of::<PyBytes>();
    let is_unordered = given.is_instance_of::<PyDict>()
        || given.is_instance_of::<PySet>()
        || given.is_instance_of::<PyFrozenSet>();
    given.len().is_ok() && !is_text && !is_unordered
}

/// A seed, or none, for each lane.
fn lane_seeds(given: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<Reset>> {
    refuse_masked("seed", given)?;
    let reset = |seed: PyResult<Bound<'_, PyAny>>| {
        Ok(arguments::optional_seed(&seed?)?.map_or(Reset::Next, Reset::Seed))
    };
    // A sequence may have other items than it tells. One more is enough to know that they are too many.
    let resets = given.try_iter()?.take(count + 1).map(reset).collect::<PyResult<Vec<_>>>()?;
    let told = given.len().ok().filter(|&told| told != count);
    let found = told.unwrap_or(resets.len());
    if resets.len() != count {
        return Err(PyValueError::new_err(format!(
            "seed: expected an integer or one for each of {count} lanes, got {found}"
        )));
    }
    Ok(resets)
}

/// A bool for each lane, copied from an array.
fn lane_mask(given: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<bool>> {
    let array = as_array("lanes", given)?;
    let message = || Ok(format!("lanes: expected {count} bools, got {}", describe(&array)?));
    if array.shape() != [count] {
        return Err(message().map_or_else(|error| error, PyValueError::new_err));
    }
    if !array.dtype().is_equiv_to(&dtype::<bool>(given.py())) {
        return Err(message().map_or_else(|error| error, PyTypeError::new_err));
    }
    // Any byte but 0 is true to numpy, while in Rust a bool is 0 or 1.
    let bytes = array.call_method1("view", (dtype::<u8>(given.py()),))?;
    let bytes = bytes.cast_into::<PyArray1<u8>>()?.try_readonly()?;
    Ok(bytes.as_array().iter().map(|&byte| byte != 0).collect())
}
