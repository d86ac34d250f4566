//! The common part of the commands that check a dataset.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use darkqi_play::Error;
use darkqi_play::reporting::Progress;
use darkqi_play::threads::all_threads;

use super::interrupt::{self, Interrupted};
use super::location;
use crate::Bar;

/// Their arguments.
#[derive(Debug, clap::Args)]
pub(super) struct CheckArgs {
    /// The dataset's folder, or its URL in object storage
    #[arg(value_parser = location())]
    pub(super) dir: PathBuf,
    /// Number of threads that check [default: one per core]
    #[arg(long, short, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Print one JSON object instead of lines
    #[arg(long)]
    pub(super) json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

impl CheckArgs {
    /// Does the check with its progress shown. `stopped` says what Ctrl-C left undone.
    pub(super) fn run<T>(
        &self,
        stopped: &'static str,
        check: fn(&Path, NonZeroUsize, &dyn Progress, &AtomicBool) -> Result<T, Error>,
    ) -> Result<T> {
        let bar = Bar::new(0, !self.quiet);
        let threads = self.threads.unwrap_or_else(all_threads);
        match check(&self.dir, threads, &bar, interrupt::watch()) {
            Err(Error::Stopped) => Err(Interrupted::new(stopped).into()),
            found => Ok(found?),
        }
    }
}
