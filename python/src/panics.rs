//! The exception of a panic.

use pyo3::panic::PanicException;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyType};

/// Makes the exception that PyO3 raises for panics a `darkqi.InternalError`.
///
/// PyO3 catches a panic wherever Python calls native code of this module, and raises an exception of its
/// own, a `BaseException`, which `except Exception` lets pass. Its base is exchanged, once for all calls,
/// those of later versions, too. Other modules have an exception of their own.
pub(crate) fn adopt_panics(internal_error: &Bound<'_, PyType>) -> PyResult<()> {
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
