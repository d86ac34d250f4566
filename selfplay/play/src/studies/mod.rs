//! Studies: many runs and matches that answer one question.
//!
//! - [`strength()`]: how the answers depend on the strength of the players;
//! - [`sweep()`]: how they depend on the rules.
//!
//! Each run is a dataset and each match another in the folder of the study. What is there already is
//! kept, so that a study that was interrupted goes on.

mod equivalence;
mod fairness;
mod folder;
mod handicaps;
mod strength;
mod sweep;
mod until;
mod verdict;
mod worth;

pub use equivalence::Equivalence;
pub use fairness::{Fairness, Finding};
pub use folder::{MATCHES, STUDY_PAGE, Study};
pub use strength::{Rung, StrengthResults, strength};
pub use sweep::{
    AgentSweep, OptionSet, Skill, Sweep, SweepResults, Variation, check_no_rules_vary, sweep,
};
pub use verdict::agreement;
pub use worth::{Worth, worth};
