//! The native part of the Python package: the private module `darkqi._darkqi`.
//!
//! A thin layer over the crates in Rust. Shapes, names and most
//! messages come from there.
//!
//! - `env`, `state`, `spec`, `time_step`, `agents`, `selfplay`, `finish`, `arena`, `dataset`,
//!   `learning`, `replay`, `verify`, `analysis`, `balance`, `studies`, `report`, `output`: the
//!   classes and functions of Python
//! - `parts`: the work of some shards, and what it adds up to
//! - `command_line`: the `darkqi` command
//! - `env_rows`, `rotation`: which arrays are written next, and who still holds them
//! - `gymnasium`: what the vector environments of `darkqi.gymnasium` return
//! - `groups`, `step_thread`, `exclusive_rows`: groups of lanes that are stepped while Python runs
//! - `declared`: keywords that are declared once for Python and the command line
//! - `arguments`, `reset`, `location`, `numbers`, `arrays`: Python arguments, and numpy arrays
//! - `play`: a game at the terminal
//! - `policy`, `caller`: Python callables as agents, and the thread that calls them
//! - `records`, `pictures`, `error`, `panics`: results and errors as Python objects
//! - `interrupt`, `ending`, `in_use`: long calls and Ctrl-C, the end of Python, calls within calls

mod agents;
mod analysis;
mod arena;
mod arguments;
mod arrays;
mod balance;
mod bounded;
mod caller;
mod command_line;
mod dataset;
mod declared;
mod ending;
mod env;
mod env_rows;
mod error;
mod exclusive_rows;
mod finish;
mod groups;
mod gymnasium;
mod in_use;
mod interrupt;
mod learning;
mod location;
mod numbers;
mod output;
mod panics;
mod parts;
mod pictures;
mod play;
mod policy;
mod records;
mod replay;
mod report;
mod reset;
mod rotation;
mod selfplay;
mod spec;
mod state;
mod step_thread;
mod studies;
mod time_step;
mod verify;

/// The native part of darkqi. Import `darkqi` instead: names that it does not export are private.
// With `gil_used`, since who writes rows is known by the reference counts of arrays (`rotation`), which
// only the GIL keeps still.
#[pyo3::pymodule(gil_used = true)]
mod _darkqi {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::agents::{agents, baseline_net, levels};
    #[pymodule_export]
    use crate::analysis::{
        compare, first_reveal, piece_values, piece_values_by_phase, piece_values_by_region,
    };
    #[pymodule_export]
    use crate::arena::{arena, match_sizes};
    #[pymodule_export]
    use crate::balance::balance_values;
    #[pymodule_export]
    use crate::command_line::command_line;
    #[pymodule_export]
    use crate::dataset::{DatasetFolder, Replays, Sampler};
    #[pymodule_export]
    use crate::env::{Env, make};
    #[pymodule_export]
    use crate::finish::finish;
    #[pymodule_export]
    use crate::gymnasium::GymnasiumResults;
    #[pymodule_export]
    use crate::learning::value_positions;
    #[pymodule_export]
    use crate::location::absolute;
    #[pymodule_export]
    use crate::output::write_output;
    #[pymodule_export]
    use crate::parts::{
        add_first_reveal, add_piece_values, add_verification, answer_about_rows, first_reveal_part,
        list_shards, listed_shards, piece_values_part, survey_shards, verify_part,
    };
    #[pymodule_export]
    use crate::replay::replay;
    #[pymodule_export]
    use crate::report::write_report;
    #[pymodule_export]
    use crate::selfplay::{prepare_shards, selfplay};
    #[pymodule_export]
    use crate::spec::{Spec, games, restore_spec, spec};
    #[pymodule_export]
    use crate::state::{State, restore_state};
    #[pymodule_export]
    use crate::studies::{strength, sweep};
    #[pymodule_export]
    use crate::time_step::{TimeStep, restore_time_step};
    #[pymodule_export]
    use crate::verify::verify;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::error::prepare(module.py())?;
        crate::declared::describe(module)?;
        crate::ending::prepare(module)
    }

    #[expect(non_upper_case_globals, reason = "the name that Python gives it")]
    #[pymodule_export]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
