//! What the commands that check a dataset share.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread;

use anyhow::Result;
use darkqi_datasets::location;

use super::interrupt::{self, Interrupted};
use crate::error::Error;
use crate::reporting::{Bar, Progress};

/// Their arguments.
#[derive(Debug, clap::Args)]
pub(super) struct CheckArgs {
    /// The dataset's folder, or its URL in object storage
    #[arg(value_parser = location)]
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
        let threads = self.threads.or_else(|| thread::available_parallelism().ok());
        let bar = (!self.quiet).then(|| Bar::new(0));
        let progress: &dyn Progress = bar.as_ref().map_or(&(), |bar| bar);
        let threads = threads.unwrap_or(NonZeroUsize::MIN);
        match check(&self.dir, threads, progress, interrupt::watch()) {
            Err(Error::Stopped) => Err(Interrupted::new(stopped).into()),
            found => Ok(found?),
        }
    }
}
