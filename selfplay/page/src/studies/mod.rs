//! Studies of rules: what is asked, what is played, and the verdict.
//!
//! - `question`: what a page asks, and the sweep that answers it;
//! - `findings`: what the games have shown, as the page tells it;
//! - `under_way`: the study that is played now, its progress, and those that have stopped.
//!
//! All of a study lies in its folder, so that the next server goes on with it. The question is
//! [`QUESTION_FILE`], the findings are [`FINDINGS_FILE`].

mod findings;
mod question;
mod under_way;

pub(crate) use question::Question;
pub(crate) use under_way::{Studies, Told};

/// The file with what was asked.
pub(crate) const QUESTION_FILE: &str = "study.json";

/// The file with what was found.
const FINDINGS_FILE: &str = "findings.json";
