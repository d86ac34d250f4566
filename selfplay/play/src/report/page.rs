//! Measures datasets and writes the page.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use darkqi_analysis as analysis;
use darkqi_analysis::piece_values::POSITIONS_PER_GAME;
use darkqi_analysis::{PieceValues as PieceValueFit, first_reveal, piece_values};
use darkqi_engine::evaluation::PieceValues;
use darkqi_env::SetupError;
use darkqi_format::{Dataset, check_output, with_pool, write_output};
use darkqi_report::{Entry, Lead, Reference, Report, one_game};

use crate::error::Error;

/// A page about datasets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// The page.
    pub html: String,
    /// The main result, in one sentence.
    pub headline: String,
}

/// Makes one page of HTML about datasets of one game, each of an agent against itself, from the
/// weakest agent to the strongest. The same datasets give the same bytes.
///
/// # Errors
/// If there are no datasets, they are of different games or cannot be measured; [`Error::Stopped`]
/// when `stop` becomes true.
pub fn page(dirs: &[impl AsRef<Path>], stop: &AtomicBool) -> Result<Page, Error> {
    page_of_study(dirs, Lead::default(), stop)
}

/// The [`page`] with what a study found at its beginning.
///
/// # Errors
/// As [`page`].
pub fn page_of_study(
    dirs: &[impl AsRef<Path>],
    lead: Lead,
    stop: &AtomicBool,
) -> Result<Page, Error> {
    let datasets: Vec<Dataset> = dirs.iter().map(Dataset::open).collect::<Result<_, _>>()?;
    let game = one_game(datasets.iter().map(|dataset| dataset.metadata().game.as_str()))?;
    let reference = built_in(game)?;
    let measure =
        || -> Result<_, Error> { datasets.iter().map(|dataset| measure(dataset, stop)).collect() };
    let entries: Vec<Entry> = with_pool(measure)??;
    let report = Report::new(entries, Some(reference), lead)?;
    Ok(Page { html: report.html(), headline: report.headline() })
}

/// Makes the [`page`] and writes it to a file as [`write_output`] does. Returns the headline.
///
/// # Errors
/// As [`page`], or if the file cannot be written. It is unchanged then.
pub fn write(dirs: &[impl AsRef<Path>], output: &Path, stop: &AtomicBool) -> Result<String, Error> {
    // Measuring takes a while.
    check_output(output)?;
    let Page { html, headline } = page(dirs, stop)?;
    write_output(output, html.as_bytes(), stop)?;
    Ok(headline)
}

fn measure(dataset: &Dataset, stop: &AtomicBool) -> Result<Entry, Error> {
    let measured = || -> Result<Entry, analysis::Error> {
        Ok(Entry {
            first_reveal: first_reveal(dataset, stop)?,
            values: values_of(dataset, stop)?,
            is_complete: dataset.is_complete(),
            is_played_again: dataset.run().is_some() && has_first_games(dataset),
            openings: dataset.run().map(|run| run.openings.clone()).unwrap_or_default(),
        })
    };
    measured().map_err(|cause| match cause {
        analysis::Error::Stopped => Error::Stopped,
        cause => Error::Measure { dir: dataset.dir().to_owned(), cause },
    })
}

/// Whether the games are those of a run from the first one on.
fn has_first_games(dataset: &Dataset) -> bool {
    dataset.shards().last().is_none_or(|last| last.last_game_id + 1 == dataset.num_games())
}

/// The values of pieces, or why there are none.
///
/// # Errors
/// If the dataset cannot be read, or `stop` becomes true.
pub(crate) fn values_of(
    dataset: &Dataset,
    stop: &AtomicBool,
) -> Result<Result<PieceValueFit, String>, analysis::Error> {
    match piece_values(dataset, POSITIONS_PER_GAME, stop) {
        Err(why) if why.is_inconclusive() => Ok(Err(why.to_string())),
        Ok(values) if values.judgement.withheld.is_some() => {
            Ok(Err(values.without_values().unwrap_or_default()))
        }
        fitted => fitted.map(Ok),
    }
}

/// The built-in values, for comparison.
fn built_in(game: &str) -> Result<Reference, SetupError> {
    let about = match game {
        "flipping" => "the inventor's estimates, which agents go by",
        _ => "the values that agents go by",
    };
    Ok(Reference { about: about.to_owned(), values: PieceValues::built_in().by_letter(game)? })
}
