//! Reports of datasets, made when they are asked for.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use darkqi_format::{Dataset, MANIFEST_FILE, read_file};
use darkqi_play::report;

use crate::answer::Refusal;
use crate::work::lock;

/// Reports that are kept.
const KEPT: usize = 8;

/// The last reports, by dataset and its [`state_of`].
#[derive(Default)]
pub(crate) struct Reports(Mutex<Vec<(PathBuf, u64, String)>>);

/// A number that changes with a dataset: of its `dataset.json`, which has the checksums of all other
/// files.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn state_of(dataset: &Dataset) -> Result<u64, Refusal> {
    let manifest = read_file(&dataset.dir().join(MANIFEST_FILE)).map_err(Refusal::impossible)?;
    let mut hasher = DefaultHasher::new();
    manifest.hash(&mut hasher);
    Ok(hasher.finish())
}

impl Reports {
    /// The report of a dataset.
    ///
    /// # Errors
    /// If the dataset cannot be measured.
    pub(crate) fn html(&self, dataset: &Dataset, stop: &AtomicBool) -> Result<String, Refusal> {
        let (dir, state) = (dataset.dir(), state_of(dataset)?);
        if let Some(html) = self.kept(dir, state) {
            return Ok(html);
        }
        let html = report::page(&[dir], stop).map_err(Refusal::impossible)?.html;
        let mut kept = lock(&self.0);
        kept.retain(|(other, ..)| other != dir);
        kept.truncate(KEPT - 1);
        kept.insert(0, (dir.to_owned(), state, html.clone()));
        Ok(html)
    }

    fn kept(&self, dir: &Path, state: u64) -> Option<String> {
        let kept = lock(&self.0);
        let found = kept.iter().find(|(other, made_of, _)| other == dir && *made_of == state);
        found.map(|(_, _, html)| html.clone())
    }
}
