//! The library that computes nets: ONNX Runtime, loaded when the first net is.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use ort::environment::Environment;

/// The environment variable that names the library.
const VARIABLE: &str = "ORT_DYLIB_PATH";

/// The library's name where nothing says where it is; the system looks for it.
#[cfg(windows)]
const LIBRARY: &str = "onnxruntime.dll";
#[cfg(target_vendor = "apple")]
const LIBRARY: &str = "libonnxruntime.dylib";
#[cfg(not(any(windows, target_vendor = "apple")))]
const LIBRARY: &str = "libonnxruntime.so";

/// The path given to [`set_onnx_library`].
static GIVEN: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Says where the library of ONNX Runtime is (`libonnxruntime.so` or its like), unless the environment
/// variable `ORT_DYLIB_PATH` does. It is loaded with the first net, and stays.
pub fn set_onnx_library(path: &Path) {
    *GIVEN.lock().expect("nothing panics that holds the lock") = Some(path.into());
}

/// The loaded library.
///
/// # Errors
/// If it cannot be loaded.
pub(super) fn environment() -> Result<&'static Environment, String> {
    static LOADED: OnceLock<Result<Environment, String>> = OnceLock::new();
    LOADED.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Environment, String> {
    let given = || GIVEN.lock().expect("nothing panics that holds the lock").clone();
    let named = env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let path = named.or_else(given).unwrap_or_else(|| LIBRARY.into());
    let fail = |cause: &dyn std::fmt::Display| {
        format!(
            "cannot load ONNX Runtime from {}: {cause}; install Python's `onnxruntime`, and set \
             {VARIABLE} to its library (`python -m darkqi.onnx` prints the path)",
            path.display()
        )
    };
    let builder = ort::init_from(&path).map_err(|cause| fail(&cause))?;
    builder.with_telemetry(false).build().map_err(|cause| fail(&cause))
}
