//! The Python face of darkqi: the private module `darkqi._darkqi`.
//!
//! Everything here is a thin layer over `darkqi-env` and `darkqi-selfplay`; shapes, names and messages come from there.

mod analysis;
mod arrays;
mod batch;
mod dataset;
mod error;
mod groups;
mod interrupt;
mod loan;
mod options;
mod records;
mod resets;
mod selfplay;
mod spec;
mod state;
mod timestep;
mod verify;
mod worker;

/// The native part of darkqi. Import `darkqi` instead: what it does not export is private.
#[pyo3::pymodule]
mod _darkqi {
    #[pymodule_export]
    use crate::analysis::{first_reveal, piece_values};
    #[pymodule_export]
    use crate::batch::{Env, make};
    #[pymodule_export]
    use crate::dataset::{DatasetFolder, Replays, Sampler};
    #[pymodule_export]
    use crate::error::{FenError, IllegalActionError, InternalError};
    #[pymodule_export]
    use crate::selfplay::selfplay;
    #[pymodule_export]
    use crate::spec::{Spec, games, spec};
    #[pymodule_export]
    use crate::state::State;
    #[pymodule_export]
    use crate::timestep::TimeStep;
    #[pymodule_export]
    use crate::verify::verify;

    #[expect(non_upper_case_globals, reason = "the name that Python gives it")]
    #[pymodule_export]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
