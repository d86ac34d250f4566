//! Parts of analyses, of verification and of the finisher, for processes that share the work:
//! `darkqi.ray`. What they give one another are bytes that only this module reads.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use darkqi_analysis::piece_values::{
    PieceValueParts, SampledPart, answer_about_rows as rows_answer,
    piece_values_part as values_part,
};
use darkqi_analysis::{Error, FirstRevealParts, first_reveal_part as reveal_part};
use darkqi_format::Dataset;
use darkqi_play::balance;
use darkqi_play::verify::VerificationParts;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::analysis::{check_files, open};
use crate::arguments;
use crate::error::IntoPyResult;
use crate::interrupt::{interruptible, pooled, reading};
use crate::location::dataset_path;
use crate::records::result;

/// The number of shards that a dataset lists.
#[pyfunction]
pub(crate) fn listed_shards(
    py: Python<'_>,
    #[pyo3(from_py_with = dataset_path)] path: PathBuf,
) -> PyResult<usize> {
    let dataset = reading(py, &path, || Dataset::open_unchecked(&path).into_py_result())?;
    Ok(dataset.shards().len())
}

/// The part of `first_reveal` that shards [first, end) of a dataset's list give; `deals` if it has
/// `until`.
#[pyfunction]
pub(crate) fn first_reveal_part(
    py: Python<'_>,
    #[pyo3(from_py_with = dataset_path)] path: PathBuf,
    shards: (usize, usize),
    deals: bool,
    threads: usize,
) -> PyResult<Bound<'_, PyBytes>> {
    let part = pooled(py, Some(threads), |stop| {
        reveal_part(&open(&path)?, range(shards), deals, stop).into_py_result()
    })?;
    Ok(PyBytes::new(py, &part))
}

/// `first_reveal` of a dataset, by an iterable of the parts of all its shards in their order.
#[pyfunction]
pub(crate) fn add_first_reveal<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = dataset_path)] path: PathBuf,
    parts: &Bound<'py, PyAny>,
    until: Option<f64>,
) -> PyResult<Bound<'py, PyAny>> {
    let dataset = reading(py, &path, || open(&path))?;
    let mut sums = FirstRevealParts::new(&dataset, until).into_py_result()?;
    each(parts, |part| sums.add(part).into_py_result())?;
    result(py, "FirstReveal", &sums.finish().into_py_result()?)
}

/// The part of `piece_values` that shards [first, end) of a dataset's list give, and the rows that are
/// sampled.
#[pyfunction]
pub(crate) fn piece_values_part(
    py: Python<'_>,
    #[pyo3(from_py_with = dataset_path)] path: PathBuf,
    shards: (usize, usize),
    #[pyo3(from_py_with = arguments::positions)] positions: usize,
    threads: usize,
) -> PyResult<(Bound<'_, PyBytes>, Bound<'_, PyBytes>)> {
    let SampledPart { counts, rows } = pooled(py, Some(threads), |stop| {
        values_part(&open(&path)?, range(shards), positions, stop).into_py_result()
    })?;
    Ok((PyBytes::new(py, &counts), PyBytes::new(py, &rows)))
}

/// The answer to a question of `add_piece_values` about such rows.
#[pyfunction]
pub(crate) fn answer_about_rows<'py>(
    py: Python<'py>,
    rows: &[u8],
    question: &[u8],
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let answer = pooled(py, Some(threads), |_| rows_answer(rows, question).into_py_result())?;
    Ok(PyBytes::new(py, &answer))
}

/// `piece_values` of a dataset, by an iterable of the parts of all its shards in their order. `ask`
/// takes a question and returns the list of the answers about the rows of all parts, in that order.
#[pyfunction]
pub(crate) fn add_piece_values<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = dataset_path)] path: PathBuf,
    parts: &Bound<'py, PyAny>,
    ask: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = arguments::positions)] positions: usize,
    output: Option<PathBuf>,
    weights: Option<PathBuf>,
) -> PyResult<Bound<'py, PyAny>> {
    check_files(output.as_deref(), weights.as_deref())?;
    let dataset = reading(py, &path, || open(&path))?;
    let mut rows = PieceValueParts::new(&dataset, positions).into_py_result()?;
    each(parts, |part| rows.add(part).into_py_result())?;
    let mut raised = None;
    let mut asking = |question: &[u8]| {
        // A fit may go on without some of the answers, but not after an exception.
        if raised.is_none() {
            let answers = ask.call1((PyBytes::new(py, question),));
            match answers.and_then(|answers| answers.extract::<Vec<Vec<u8>>>()) {
                Ok(answers) => return Ok(answers),
                Err(error) => raised = Some(error),
            }
        }
        Err(Error::Stopped)
    };
    let values = rows.finish(&mut asking).into_py_result();
    if let Some(error) = raised {
        return Err(error);
    }
    let (values, stop) = (values?, &AtomicBool::new(false));
    interruptible(py, stop, || {
        balance::save(&values, output.as_deref(), weights.as_deref(), stop).into_py_result()
    })?;
    result(py, "PieceValues", &values)
}

/// The part of `verify` that shards [first, end) of a dataset's list give.
#[pyfunction]
pub(crate) fn verify_part(
    py: Python<'_>,
    #[pyo3(from_py_with = dataset_path)] path: PathBuf,
    shards: (usize, usize),
    threads: usize,
) -> PyResult<Bound<'_, PyBytes>> {
    let (threads, stop) = (number(threads)?, &AtomicBool::new(false));
    let part = interruptible(py, stop, || {
        darkqi_play::verify::verify_part(&path, range(shards), threads, &(), stop).into_py_result()
    })?;
    Ok(PyBytes::new(py, &part))
}

/// `verify` of a dataset, by an iterable of the parts of all its shards in their order.
#[pyfunction]
pub(crate) fn add_verification<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = dataset_path)] path: PathBuf,
    parts: &Bound<'py, PyAny>,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let (threads, stop) = (number(threads)?, &AtomicBool::new(false));
    let mut found = reading(py, &path, || VerificationParts::new(&path).into_py_result())?;
    each(parts, |part| found.add(part).into_py_result())?;
    let found = interruptible(py, stop, || found.finish(threads, stop).into_py_result())?;
    result(py, "Verification", &found)
}

/// What `finish` finds of shards [first, end) of a run, and how many of them are there and sound.
#[pyfunction]
pub(crate) fn survey_shards(
    py: Python<'_>,
    #[pyo3(from_py_with = dataset_path)] path: PathBuf,
    shards: (u64, u64),
    threads: usize,
) -> PyResult<(Bound<'_, PyBytes>, usize)> {
    let (threads, stop) = (number(threads)?, &AtomicBool::new(false));
    let found = interruptible(py, stop, || {
        let shards = shards.0..shards.1;
        darkqi_play::generation::survey(&path, shards, threads, &(), stop).into_py_result()
    })?;
    let bytes =
        serde_json::to_vec(&found).map_err(|error| PyValueError::new_err(error.to_string()));
    Ok((PyBytes::new(py, &bytes?), found.sound()))
}

/// `finish` of a dataset, by what `survey_shards` has found, in the order of shards.
#[pyfunction]
pub(crate) fn list_shards<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = dataset_path)] path: PathBuf,
    found: Vec<Vec<u8>>,
) -> PyResult<Bound<'py, PyAny>> {
    let found = found.iter().map(|bytes| serde_json::from_slice(bytes));
    let found = found.collect::<Result<_, _>>();
    let found = found.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let finished = interruptible(py, &AtomicBool::new(false), || {
        darkqi_play::generation::list(&path, found).into_py_result()
    })?;
    result(py, "Finished", &finished)
}

/// Gives the bytes of each part of an iterable to `add`.
fn each(parts: &Bound<'_, PyAny>, mut add: impl FnMut(&[u8]) -> PyResult<()>) -> PyResult<()> {
    for part in parts.try_iter()? {
        let part = part?;
        let bytes = part.cast::<PyBytes>()?;
        add(bytes.as_bytes())?;
    }
    Ok(())
}

fn range((first, end): (usize, usize)) -> Range<usize> {
    first..end
}

fn number(threads: usize) -> PyResult<NonZeroUsize> {
    let expected = || PyValueError::new_err("threads: expected at least 1, got 0");
    NonZeroUsize::new(threads).ok_or_else(expected)
}
