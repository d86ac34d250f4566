//! `darkqi report`: a page of HTML about datasets.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use darkqi_datasets::Dataset;
use darkqi_datasets::analysis::{Error, POSITIONS_PER_GAME, first_reveal, piece_values};
use darkqi_datasets::report::{Entry, Reference, Report, one_game};
use darkqi_env::games::{self, Visitor};
use darkqi_env::{Options, Registered};

use super::interrupt::{self, Interrupted};
use crate::evaluation::PieceValues;

/// Write one page of HTML about datasets of one game
///
/// It shows the value of the first reveal and of each piece, with 95 % intervals, statistics of the
/// games, and the commands that make the page again. It needs only a browser. The same datasets give
/// the same bytes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Datasets of one game, each of an agent against itself, from the weakest agent to the strongest
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// The page
    #[arg(long, short, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let datasets: Vec<Dataset> = args.dirs.iter().map(Dataset::open).collect::<Result<_, _>>()?;
    let game = one_game(datasets.iter().map(|dataset| dataset.metadata().game.as_str()))?;
    let reference = reference(game)?;
    let entries = datasets.iter().map(measure).collect::<Result<_>>()?;
    let report = Report::new(entries, Some(reference))?;
    save(&args.output, &report.html())?;
    writeln!(out, "{}: {}", args.output.display(), report.headline())?;
    Ok(())
}

fn measure(dataset: &Dataset) -> Result<Entry> {
    let stop = interrupt::watch();
    let measured = || -> Result<Entry, Error> {
        Ok(Entry {
            first_reveal: first_reveal(dataset, stop)?,
            values: match piece_values(dataset, POSITIONS_PER_GAME, stop) {
                Err(why) if why.is_inconclusive() => Err(why.to_string()),
                fitted => Ok(fitted?),
            },
            is_complete: dataset.is_complete(),
        })
    };
    match measured() {
        Err(Error::Stopped) => Err(Interrupted::new("no report was written").into()),
        measured => measured.with_context(|| dataset.dir().display().to_string()),
    }
}

/// The built-in values, for comparison.
fn reference(game: &str) -> Result<Reference> {
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
    Ok(games::with(game, &Options::new(), BuiltIn)?)
}

/// Writes the page to a temporary file and renames it, so that the page is complete or absent.
fn save(path: &Path, page: &str) -> Result<()> {
    let fail = || format!("cannot write {}", path.display());
    let name = path.file_name().context("expected the name of a file").with_context(fail)?;
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(".tmp");
    let temporary = path.with_file_name(temporary);
    let written = fs::write(&temporary, page).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // If the file could not be written, it may not be removable either.
        let _ = fs::remove_file(&temporary);
    }
    written.with_context(fail)
}
