//! Paths that name datasets.

use std::path::{self, PathBuf};

use darkqi_format::{is_remote, location};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::arguments;

/// A path in Python, whose `pathlib` cannot hold URLs.
#[derive(IntoPyObject)]
pub(crate) enum Location {
    Folder(PathBuf),
    Url(String),
}

impl Location {
    pub(crate) fn of(path: PathBuf) -> Self {
        if is_remote(&path) { Self::Url(path.display().to_string()) } else { Self::Folder(path) }
    }
}

/// The path of a folder, or a URL of object storage: for `from_py_with` of arguments that name
/// datasets. A relative path is made absolute: while a dataset is read or written, the program may
/// change its working directory.
///
/// # Errors
/// `TypeError` if it is no path, `ValueError` for a URL that is not one of object storage.
pub(crate) fn dataset_path(object: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    let path: PathBuf = object.extract()?;
    let path = location(&path).map_err(PyValueError::new_err)?;
    if is_remote(&path) {
        return Ok(path);
    }
    // Without a working directory it stays as it is, and what opens it tells the fault.
    Ok(path::absolute(&path).unwrap_or(path))
}

/// [`dataset_path`] of an argument that may be None.
pub(crate) fn optional_dataset_path(object: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
    if object.is_none() { Ok(None) } else { dataset_path(object).map(Some) }
}

/// The path of a dataset, or the paths of several: for `from_py_with` of the argument `paths`.
pub(crate) fn dataset_paths(object: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    match dataset_path(object) {
        Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => {
            arguments::items("paths", object, "a path or a sequence of paths", dataset_path)
        }
        path => Ok(vec![path?]),
    }
}

/// The absolute path of a dataset's folder, or its URL in object storage.
///
/// Args:
///     path: The folder or the URL.
///
/// Raises:
///     ValueError: The URL is not one of object storage.
#[pyfunction]
pub(crate) fn absolute(#[pyo3(from_py_with = dataset_path)] path: PathBuf) -> Location {
    Location::of(path)
}
