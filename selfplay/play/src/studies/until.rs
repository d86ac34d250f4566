//! Playing option sets in common rounds until their differences are known, or time is up.

use std::iter;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use darkqi_analysis::{PairedDifferences, SettledDifferences};
use darkqi_engine::agents::AgentSpec;
use darkqi_format::{Dataset, read_file, write_output};

use super::folder::Study;
use crate::error::Error;
use crate::reporting::Progress;

/// The games of the first round, and the least of the others.
const FIRST: u64 = 200;

/// The games of the first round where time is short.
const FIRST_IN_TIME: u64 = 20;

/// Each later round adds this part of the games before. A run is then at most that much longer than it
/// need be, and each look at the games, which a longer round saves, costs a constant share of playing.
const GROWTH: u64 = 8;

/// A run of the comparison: its name in the folder, and its study.
pub(super) struct Run {
    pub(super) name: String,
    pub(super) study: Study,
}

/// When a comparison stops before all its games are played.
#[derive(Clone, Copy, Debug)]
pub(super) struct StopRule {
    /// Once every difference in score, or the score of a single run, is known to this half-width.
    pub(super) half_width: Option<f64>,
    /// Before a round after which all games of the folder, those of before included, would have taken longer
    /// than this.
    pub(super) time: Option<Duration>,
}

/// The longest time that a note may say, in seconds: ten years. More is not a note of this program.
const LONGEST: f64 = 10.0 * 365.25 * 86_400.0;

/// The file in which the runs of an agent note how long they have taken, where time is limited.
const TIME_FILE: &str = "time.json";

/// The time that the runs of an agent take.
pub(super) struct Clock {
    file: Option<PathBuf>,
    /// The time of games that were played before, if it is known.
    before: Duration,
    started: Instant,
    /// Games whose time is not known.
    untimed: u64,
}

impl Clock {
    /// A clock that starts now. Where time is limited, it goes on from what the folder of these runs says,
    /// and notes there how long they take. Without a limit the same games are the same files.
    pub(super) fn new(runs: &[Run], rule: StopRule) -> Result<Self, Error> {
        let folder = match (rule.time, runs.first()) {
            (Some(_), Some(run)) => run.study.dir()?.join(&run.name).parent().map(Path::to_owned),
            _ => None,
        };
        let file = folder.map(|folder| folder.join(TIME_FILE));
        let noted = file.as_deref().and_then(|file| read_file(file).ok());
        let noted = noted.and_then(|text| serde_json::from_slice::<(f64, u64)>(&text).ok());
        let there = games_of(runs)?;
        let is_sound =
            |&(seconds, games): &(f64, u64)| (0.0..=LONGEST).contains(&seconds) && games <= there;
        let (seconds, timed) = noted.filter(is_sound).unwrap_or_default();
        let before = Duration::from_secs_f64(seconds);
        Ok(Self { file, before, started: Instant::now(), untimed: there - timed })
    }

    fn elapsed(&self) -> Duration {
        self.before + self.started.elapsed()
    }

    /// The time that a game of each run takes together, if one of these has taken time.
    pub(super) fn pace(&self, runs: &[Run]) -> Result<Option<Duration>, Error> {
        let timed = self.timed(runs)?;
        let pace = |timed| self.elapsed().mul_f64(runs.len() as f64 / timed as f64);
        Ok((timed > 0).then(|| pace(timed)))
    }

    /// The number of games that have taken the time.
    fn timed(&self, runs: &[Run]) -> Result<u64, Error> {
        Ok(games_of(runs)?.saturating_sub(self.untimed))
    }

    /// Notes the seconds, and how many games have taken them.
    fn note(&self, runs: &[Run]) -> Result<(), Error> {
        let Some(file) = &self.file else { return Ok(()) };
        let noted = (self.elapsed().as_secs_f64(), self.timed(runs)?);
        let text = serde_json::to_vec(&noted).expect("numbers are JSON");
        Ok(write_output(file, &text, &AtomicBool::new(false))?)
    }
}

/// The number of games in the datasets of these runs.
fn games_of(runs: &[Run]) -> Result<u64, Error> {
    let mut games = 0;
    for run in runs {
        games += run.found()?.map_or(0, |dataset| dataset.num_games());
    }
    Ok(games)
}

/// The numbers of games of each run after which a comparison may stop. Without a limit of time they follow
/// from the greatest number alone, so an interrupted comparison stops where it would have.
fn rounds(first: u64, games: u64) -> impl Iterator<Item = u64> {
    let more = move |&played: &u64| Some(played.saturating_add(first.max(played / GROWTH)));
    iter::successors(Some(first), more).take_while(move |&played| played < games).chain([games])
}

/// Plays the runs in common rounds until the rule says to stop, or all games are played.
///
/// # Errors
/// If a run cannot be played or read, or holds more games than the half-width needs;
/// [`Error::Stopped`] when `stop` becomes true.
pub(super) fn play_until(
    runs: &[Run],
    agent: &AgentSpec,
    rule: StopRule,
    clock: &Clock,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<(Vec<Dataset>, Option<SettledDifferences>), Error> {
    let Some(most) = runs.iter().map(|run| run.study.job.games).min() else {
        return Ok((Vec::new(), None));
    };
    let play = |run: &Run, games: u64| {
        let mut study = run.study.clone();
        study.job.games = games;
        let played = study.run(&run.name, agent, progress, stop);
        let noted = clock.note(runs);
        // The first fault is the cause of the other.
        played.and_then(|dataset| noted.map(|()| dataset))
    };
    // What was begun is finished, or repaired, before its games are looked at.
    let begun = |run: &Run| -> Result<Option<Dataset>, Error> {
        let Some(dataset) = run.found()? else { return Ok(None) };
        let asked = dataset.run().map_or(dataset.num_games(), |run| run.games);
        Ok(Some(play(run, asked.min(most))?))
    };
    let mut played: Vec<Option<Dataset>> = runs.iter().map(begun).collect::<Result<_, _>>()?;
    let mut found = rule
        .half_width
        .map(|half_width| PairedDifferences::new(runs.len(), half_width))
        .transpose()?;
    let first = if rule.time.is_some() { FIRST_IN_TIME } else { FIRST };
    let least = played.iter().flatten().map(Dataset::num_games).min().unwrap_or(0);
    let mut last = 0;
    for games in rounds(first, most) {
        if games > least && rule.is_up(clock.pace(runs)?, games) {
            break;
        }
        for (run, played) in runs.iter().zip(&mut played) {
            if played.as_ref().is_none_or(|dataset| dataset.num_games() < games) {
                *played = Some(play(run, games)?);
            }
        }
        if let Some(found) = &mut found {
            let datasets: Vec<Dataset> = played.iter().flatten().cloned().collect();
            found.extend(&datasets, last..games, stop)?;
            let settled = found.settled();
            progress.narrowed(settled.widest);
            // Intervals shrink with the root of the number of games.
            progress.advanced((settled.half_width / settled.widest).powi(2).min(1.0));
            if settled.is_reached || games == most {
                check_no_more(&datasets, &settled)?;
                return Ok((datasets, Some(settled)));
            }
        }
        if let Some(time) = rule.time {
            progress.advanced(clock.elapsed().div_duration_f64(time).min(1.0));
        }
        last = games;
    }
    // A run that was stopped may have more games than the others.
    let most = played.iter().flatten().map(Dataset::num_games).max().unwrap_or(last);
    for (run, played) in runs.iter().zip(&mut played) {
        if played.as_ref().is_none_or(|dataset| dataset.num_games() < most) {
            *played = Some(play(run, most)?);
        }
    }
    let datasets: Vec<Dataset> = played.into_iter().flatten().collect();
    if let Some(found) = &mut found {
        found.extend(&datasets, last..most, stop)?;
    }
    Ok((datasets, found.map(|found| found.settled())))
}

impl StopRule {
    pub(super) const fn is_none(&self) -> bool {
        self.half_width.is_none() && self.time.is_none()
    }

    /// Whether this number of games of each run would take too long at this pace. Without one, the time of no
    /// game is known.
    fn is_up(&self, pace: Option<Duration>, games: u64) -> bool {
        let is_longer = |(pace, time): (Duration, Duration)| pace.mul_f64(games as f64) > time;
        pace.zip(self.time).is_some_and(is_longer)
    }
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

impl Run {
    /// The dataset that was begun in its folder, if there is one.
    ///
    /// # Errors
    /// If the folder holds something else.
    fn found(&self) -> Result<Option<Dataset>, Error> {
        match Dataset::open_unchecked(self.study.dir()?.join(&self.name)) {
            Ok(dataset) => Ok(Some(dataset)),
            Err(error) if error.is_no_dataset() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::rounds;

    #[test]
    fn rounds_grow_and_end_with_all_games() {
        let rounds = |games| rounds(super::FIRST, games);
        let found: Vec<u64> = rounds(3000).collect();
        assert_eq!(found[..9], [200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800]);
        assert_eq!(found[9..], [2025, 2278, 2562, 2882, 3000]);
        assert_eq!(rounds(200).collect::<Vec<_>>(), [200]);
        assert_eq!(rounds(7).collect::<Vec<_>>(), [7]);
        assert!(rounds(u64::MAX).count() < 400);
    }
}
