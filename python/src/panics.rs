//! The exception of a panic.

use pyo3::exceptions::PyRuntimeError;
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCFunction, PyDict, PyTuple, PyType};

/// `darkqi.InternalError`, of which the exception of every panic is one.
pub(crate) fn internal_error(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static TYPE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let make = || {
        let about = "A bug in darkqi. An object that was being changed when it occurred cannot be \
                     used any more.";
        let namespace = PyDict::new(py);
        namespace.set_item("__module__", "darkqi")?;
        namespace.set_item("__doc__", about)?;
        // So that it can become a base of another exception.
        namespace.set_item("__slots__", PyTuple::empty(py))?;
        let base = PyTuple::new(py, [py.get_type::<PyRuntimeError>()])?;
        let made = py.get_type::<PyType>().call1(("InternalError", base, namespace))?;
        let made = made.cast_into::<PyType>()?;
        adopt(&made)?;
        Ok(made.unbind())
    };
    TYPE.get_or_try_init(py, make).map(|made| made.bind(py))
}

/// Makes the exception that PyO3 raises for panics one of these.
///
/// PyO3 catches a panic wherever Python calls native code of this module, and raises an exception of its
/// own, a `BaseException`, which `except Exception` lets pass. Its base is exchanged, once for all calls,
/// those of later versions, too. Other modules have an exception of their own.
fn adopt(internal_error: &Bound<'_, PyType>) -> PyResult<()> {
    let py = internal_error.py();
    let of_panics = py.get_type::<PanicException>();
    of_panics.setattr("__bases__", (internal_error,))?;
    for name in ["__module__", "__doc__", "__name__", "__qualname__"] {
        of_panics.setattr(name, internal_error.getattr(name)?)?;
    }
    // Pickles and copies are those of the exception by whose name it goes.
    let kind = internal_error.clone().unbind();
    let reduce = PyCFunction::new_closure(py, None, None, move |given, _| {
        let arguments = given.get_item(0)?.getattr("args")?.unbind();
        PyResult::Ok((kind.clone_ref(given.py()), arguments))
    })?;
    py.import("copyreg")?.call_method1("pickle", (of_panics, reduce))?;
    Ok(())
}
