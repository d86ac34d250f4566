//! The contents of the served folders: datasets, their games and reports, trainings.
//!
//! - `folders`: what is found, and which paths are served;
//! - `listing`: the lists of datasets and trainings;
//! - `games`: the games of a dataset, filtered;
//! - `replays`: logged games, stepped through;
//! - `reports`: the report of a dataset.

mod folders;
mod games;
mod listing;
mod replays;
mod reports;

pub(super) use folders::{Folders, Place};
pub(super) use games::{Filter, games_page};
pub(super) use listing::{Listing, Search};
pub(super) use replays::{LoggedGame, LoggedPosition, Question, ask, replayed, views};
pub(super) use reports::{Reports, state_of};
