//! What `Env.reset` is asked for.

use darkqi_env::Reset;
use numpy::{PyArray1, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods, get_array_module};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::options;

/// What becomes of each lane.
pub(crate) enum Resets {
    /// All start over with the batch's new seed, or go on.
    All(Option<u64>),
    /// Each as told.
    Some(Vec<Reset>),
}

impl Resets {
    /// From what Python gives for so many lanes.
    ///
    /// # Errors
    /// `ValueError` for another number of lanes or a seed out of range, `TypeError` for other types.
    pub(crate) fn new(
        seed: Option<&Bound<'_, PyAny>>,
        lanes: Option<&Bound<'_, PyAny>>,
        count: usize,
    ) -> PyResult<Self> {
        let seeds = seed.filter(|seed| is_sequence(seed));
        match (seed, seeds, lanes) {
            (seed, None, None) => Ok(Self::All(seed.map(options::seed).transpose()?)),
            (Some(_), None, Some(_)) => Err(PyValueError::new_err(
                "seed: with lanes, expected None or a seed for each lane, got a single one",
            )),
            (_, seeds, lanes) => {
                let mut resets = match seeds {
                    Some(seeds) => own_seeds(seeds, count)?,
                    None => vec![Reset::Next; count],
                };
                if let Some(lanes) = lanes {
                    for (reset, chosen) in resets.iter_mut().zip(chosen(lanes, count)?) {
                        if !chosen {
                            *reset = Reset::Keep;
                        }
                    }
                }
                Ok(Self::Some(resets))
            }
        }
    }
}

/// Whether this is a list, an array or the like.
fn is_sequence(given: &Bound<'_, PyAny>) -> bool {
    given.len().is_ok() && !given.is_instance_of::<PyString>()
}

/// A seed, or none, for each lane.
fn own_seeds(given: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<Reset>> {
    let found = given.len()?;
    if found != count {
        return Err(PyValueError::new_err(format!(
            "seed: expected an integer or one for each of {count} lanes, got {found}"
        )));
    }
    let reset = |seed: PyResult<Bound<'_, PyAny>>| {
        Ok(options::optional_seed(&seed?)?.map_or(Reset::Next, Reset::Seed))
    };
    given.try_iter()?.map(reset).collect()
}

/// Which lanes are meant.
fn chosen(given: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<bool>> {
    let py = given.py();
    let array = get_array_module(py)?.call_method1(intern!(py, "asarray"), (given,))?;
    let complaint = |array: &Bound<'_, PyUntypedArray>| {
        let (shape, kind) = (PyTuple::new(py, array.shape())?, array.dtype());
        Ok(format!("lanes: expected {count} bools, got shape {shape} and {kind}"))
    };
    let array = array.cast_into::<PyUntypedArray>()?;
    if array.shape() != [count] {
        return Err(complaint(&array).map_or_else(|error| error, PyValueError::new_err));
    }
    match array.cast::<PyArray1<bool>>() {
        // A copy: what is checked is what is used.
        Ok(lanes) => Ok(lanes.try_readonly()?.as_array().to_vec()),
        Err(_) => Err(complaint(&array).map_or_else(|error| error, PyTypeError::new_err)),
    }
}
