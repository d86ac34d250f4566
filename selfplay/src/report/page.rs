//! Measures datasets and writes the page.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::{fs, io};

use darkqi_datasets::Dataset;
use darkqi_datasets::analysis::{self, POSITIONS_PER_GAME, first_reveal, piece_values};
use darkqi_datasets::report::{Entry, Reference, Report, one_game};
use darkqi_env::games::{self, Visitor};
use darkqi_env::{Options, Registered, SetupError};

use super::error::Error;
use crate::evaluation::PieceValues;

/// A page that was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The file.
    pub path: PathBuf,
    /// The main result, in one sentence.
    pub headline: String,
}

/// Writes one page of HTML about datasets of one game, each of an agent against itself, from the
/// weakest agent to the strongest. The same datasets give the same bytes. A file that exists is
/// replaced.
///
/// # Errors
/// If there are no datasets, they are of different games or cannot be measured, or the page cannot be
/// written; [`Error::Stopped`] when `stop` becomes true. A file that exists is unchanged then.
pub fn write(
    dirs: &[impl AsRef<Path>],
    output: &Path,
    stop: &AtomicBool,
) -> Result<Written, Error> {
    let datasets: Vec<Dataset> = dirs.iter().map(Dataset::open).collect::<Result<_, _>>()?;
    let game = one_game(datasets.iter().map(|dataset| dataset.metadata().game.as_str()))?;
    let reference = built_in(game)?;
    let entries =
        datasets.iter().map(|dataset| measure(dataset, stop)).collect::<Result<_, _>>()?;
    let report = Report::new(entries, Some(reference))?;
    save(output, &report.html())
        .map_err(|cause| Error::Write { path: output.to_owned(), cause })?;
    Ok(Written { path: output.to_owned(), headline: report.headline() })
}

fn measure(dataset: &Dataset, stop: &AtomicBool) -> Result<Entry, Error> {
    let measured = || -> Result<Entry, analysis::Error> {
        Ok(Entry {
            first_reveal: first_reveal(dataset, stop)?,
            values: match piece_values(dataset, POSITIONS_PER_GAME, stop) {
                Err(why) if why.is_inconclusive() => Err(why.to_string()),
                fitted => Ok(fitted?),
            },
            is_complete: dataset.is_complete(),
        })
    };
    measured().map_err(|cause| match cause {
        analysis::Error::Stopped => Error::Stopped,
        cause => Error::Measure { dir: dataset.dir().to_owned(), cause },
    })
}

/// The built-in values, for comparison.
fn built_in(game: &str) -> Result<Reference, SetupError> {
    struct BuiltIn;
    impl Visitor for BuiltIn {
        type Output = Reference;
        fn visit<G: Registered>(self, _: G) -> Reference {
            let values = PieceValues::built_in().of::<G>();
            let about = match G::NAME {
                "flipping" => "the inventor's estimates, which agents go by",
                _ => "the values that agents go by",
            };
            Reference {
                about: about.to_owned(),
                values: G::KINDS.iter().copied().zip(values).collect(),
            }
        }
    }
    games::with(game, &Options::new(), BuiltIn)
}

/// Writes the page to a temporary file and renames it, so that the page is complete or absent.
fn save(path: &Path, page: &str) -> io::Result<()> {
    let name = path.file_name().ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidInput, "expected the name of a file")
    })?;
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(".tmp");
    let temporary = path.with_file_name(temporary);
    let written = fs::write(&temporary, page).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // If the file could not be written, it may not be removable either.
        let _ = fs::remove_file(&temporary);
    }
    written
}
