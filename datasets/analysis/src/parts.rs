//! Parts of an analysis or a verification: what one process has computed of some shards, as bytes
//! for another.
//!
//! Sums of different shards stay apart in the bytes, because rounding depends on the order of
//! additions. However the shards are divided, they are added up in the order of shards, and
//! the figures are bit for bit those of one process.

use std::ops::Range;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use twox_hash::XxHash64;

use super::error::{Error, Result};
use darkqi_format::Dataset;

/// The first bytes of a part.
#[derive(PartialEq, Debug, Serialize, Deserialize)]
struct Header {
    software_version: String,
    /// The question to the shards.
    question: String,
    /// The indices of the shards among those of the dataset.
    shards: Range<usize>,
    /// The XXH64 of what the dataset says about itself and about them.
    dataset: u64,
    /// The XXH64 of what follows.
    sums: u64,
}

/// The next part that is expected of a dataset.
#[derive(Debug)]
pub struct Parts {
    question: String,
    next: usize,
}

/// Checks that these are shards of the dataset.
///
/// # Errors
/// [`Error::Shards`] otherwise.
pub fn check_shards(dataset: &Dataset, found: &Range<usize>) -> Result<()> {
    let shards = dataset.shards().len();
    if found.start <= found.end && found.end <= shards {
        Ok(())
    } else {
        Err(Error::Shards { found: found.clone(), shards })
    }
}

/// A part as bytes: what was computed of these shards, an item each.
///
/// # Errors
/// [`Error::Part`] if this cannot be written as bytes.
pub fn to_bytes<T: Serialize>(
    dataset: &Dataset,
    question: &str,
    shards: Range<usize>,
    sums: &[T],
) -> Result<Vec<u8>> {
    let failed = |cause| Error::Part { fault: format!("{cause}") };
    let sums = postcard::to_allocvec(sums).map_err(failed)?;
    let mut bytes = postcard::to_allocvec(&Header {
        software_version: env!("CARGO_PKG_VERSION").to_owned(),
        question: question.to_owned(),
        dataset: hash_of(dataset, &shards)?,
        shards,
        sums: XxHash64::oneshot(0, &sums),
    })
    .map_err(failed)?;
    bytes.extend(sums);
    Ok(bytes)
}

/// The XXH64 of the metadata, the settings of the run and these shards with their checksums.
fn hash_of(dataset: &Dataset, shards: &Range<usize>) -> Result<u64> {
    let known = (dataset.metadata(), dataset.run(), &dataset.shards()[shards.clone()]);
    let text = serde_json::to_vec(&known).map_err(|cause| Error::Part { fault: cause.to_string() });
    Ok(XxHash64::oneshot(0, &text?))
}

impl Parts {
    /// Waits for the first shard's answer to this question.
    pub fn new(question: String) -> Self {
        Self { question, next: 0 }
    }

    /// The results of the next shards, an item each.
    ///
    /// # Errors
    /// [`Error::Part`] if these are not the next shards of this dataset, the bytes are of another
    /// question or version, or damaged.
    pub fn take<T: DeserializeOwned>(&mut self, dataset: &Dataset, bytes: &[u8]) -> Result<Vec<T>> {
        let fault = |fault: String| Error::Part { fault };
        let damaged = |cause: postcard::Error| fault(format!("damaged bytes: {cause}"));
        let (header, sums) = postcard::take_from_bytes::<Header>(bytes).map_err(damaged)?;
        let Header { software_version, question, shards, .. } = &header;
        if software_version != env!("CARGO_PKG_VERSION") {
            let expected = env!("CARGO_PKG_VERSION");
            return Err(fault(format!(
                "expected one by darkqi {expected}, as this process is, found {software_version}"
            )));
        }
        if *question != self.question {
            let expected = &self.question;
            return Err(fault(format!("expected one of {expected}, found {question}")));
        }
        let whole = dataset.shards().len();
        if shards.start != self.next || shards.end < shards.start || shards.end > whole {
            let expected = self.next;
            return Err(fault(format!(
                "expected shards from {expected} on, of {whole}, found {shards:?}"
            )));
        }
        if hash_of(dataset, shards)? != header.dataset {
            return Err(fault(format!(
                "shards {shards:?} are not those of this dataset, which may have changed meanwhile"
            )));
        }
        if XxHash64::oneshot(0, sums) != header.sums {
            return Err(fault("damaged bytes: the checksum differs".to_owned()));
        }
        let sums: Vec<T> = postcard::from_bytes(sums).map_err(damaged)?;
        Error::check_equal("shards of a part", shards.len(), sums.len())?;
        self.next = shards.end;
        Ok(sums)
    }

    /// Checks that all shards of the dataset were there.
    ///
    /// # Errors
    /// [`Error::Part`] otherwise.
    pub fn finish(&self, dataset: &Dataset) -> Result<()> {
        let (next, whole) = (self.next, dataset.shards().len());
        if next == whole {
            Ok(())
        } else {
            Err(Error::Part { fault: format!("shards {next} to {whole} are missing") })
        }
    }
}
