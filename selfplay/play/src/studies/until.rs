//! Playing option sets in common rounds until their differences are known.

use std::iter;
use std::sync::atomic::AtomicBool;

use darkqi_analysis::{PairedDifferences, SettledDifferences};
use darkqi_engine::agents::AgentSpec;
use darkqi_format::{self as datasets, Dataset};

use super::error::Error;
use super::folder::Study;
use crate::reporting::Progress;

/// The games of the first round, and the least of the others.
const FIRST: u64 = 200;

/// Each later round adds this part of the games before. A run is then at most that much longer than it
/// need be, and each look at the games, which a longer round saves, costs a constant share of playing.
const GROWTH: u64 = 8;

/// A run of the comparison: its name in the folder, and its study.
pub(super) struct Run {
    pub(super) name: String,
    pub(super) study: Study,
}

/// The numbers of games of each run after which a comparison may stop. They follow from the greatest
/// number alone, so an interrupted comparison stops where it would have.
fn rounds(games: u64) -> impl Iterator<Item = u64> {
    let more = |&played: &u64| Some(played.saturating_add(FIRST.max(played / GROWTH)));
    iter::successors(Some(FIRST), more).take_while(move |&played| played < games).chain([games])
}

/// Plays the runs in common rounds until every difference in score is known to this half-width, or all
/// games are played.
///
/// # Errors
/// If a run cannot be played or read, or holds more games than the half-width needs;
/// [`Error::Stopped`] when `stop` becomes true.
pub(super) fn play_until(
    runs: &[Run],
    agent: &AgentSpec,
    half_width: f64,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<(Vec<Dataset>, SettledDifferences), Error> {
    let Some(most) = runs.iter().map(|run| run.study.job.games).min() else {
        return Ok((Vec::new(), PairedDifferences::new(0, half_width)?.settled()));
    };
    let play = |run: &Run, games: u64| {
        let mut study = run.study.clone();
        study.job.games = games;
        study.run(&run.name, agent, progress, stop)
    };
    // What was begun is finished, or repaired, before its games are looked at.
    let begun = |run: &Run| match run.study.begun(&run.name)? {
        Some(games) => Ok::<_, Error>(Some(play(run, games.min(most))?)),
        None => Ok(None),
    };
    let mut played: Vec<Option<Dataset>> = runs.iter().map(begun).collect::<Result<_, _>>()?;
    let mut found = PairedDifferences::new(runs.len(), half_width)?;
    let mut last = 0;
    for games in rounds(most) {
        for (run, played) in runs.iter().zip(&mut played) {
            if played.as_ref().is_none_or(|dataset| dataset.num_games() < games) {
                *played = Some(play(run, games)?);
            }
        }
        let datasets: Vec<Dataset> = played.iter().flatten().cloned().collect();
        found.extend(&datasets, last..games, stop)?;
        last = games;
        let settled = found.settled();
        progress.standing(&format!("differences ± {:.4}", settled.widest));
        if settled.is_reached || games == most {
            check_no_more(&datasets, &settled)?;
            return Ok((datasets, settled));
        }
    }
    unreachable!("the last round has all games")
}

/// # Errors
/// If a run has games that the comparison does not need: its other figures would be those of more games
/// than a run in an empty folder has.
fn check_no_more(datasets: &[Dataset], settled: &SettledDifferences) -> Result<(), Error> {
    match datasets.iter().find(|dataset| dataset.num_games() > settled.deals) {
        None => Ok(()),
        Some(dataset) => Err(Error::config(
            "until",
            format!(
                "a half-width that needs all {} games in {}, or another folder",
                dataset.num_games(),
                dataset.dir().display()
            ),
            format!("{}, known after {}", settled.half_width, settled.deals),
        )),
    }
}

impl Study {
    /// The number of games that the run in a folder of the study was begun with; None if there is none.
    ///
    /// # Errors
    /// If the folder holds something else.
    fn begun(&self, name: &str) -> Result<Option<u64>, Error> {
        match Dataset::open_unchecked(self.dir()?.join(name)) {
            Ok(dataset) => Ok(Some(dataset.run().map_or(dataset.num_games(), |run| run.games))),
            Err(datasets::Error::MissingFolder { .. } | datasets::Error::NotADataset { .. }) => {
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::rounds;

    #[test]
    fn rounds_grow_and_end_with_all_games() {
        let found: Vec<u64> = rounds(3000).collect();
        assert_eq!(found[..9], [200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800]);
        assert_eq!(found[9..], [2025, 2278, 2562, 2882, 3000]);
        assert_eq!(rounds(200).collect::<Vec<_>>(), [200]);
        assert_eq!(rounds(7).collect::<Vec<_>>(), [7]);
        assert!(rounds(u64::MAX).count() < 400);
    }
}
