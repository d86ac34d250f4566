//! Studies of strength: the answers at rising strength.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use darkqi_analysis::statistics::Trend;
use darkqi_analysis::{
    Comparison, Equality, Estimate, FirstRevealValue, Measurement, Quantity, first_reveal,
};
use darkqi_format::{Dataset, MANIFEST_FILE, with_threads};
use serde::Serialize;

use super::folder::{Study, check_agents, folder_name};
use crate::arena::Results;
use crate::error::Error;
use crate::reporting::{Progress, as_text};

/// The results of a study of strength. The keys of the JSON are the names of the fields.
#[derive(Clone, Debug, Serialize)]
pub struct StrengthResults {
    /// The agents, in the order given.
    pub rungs: Vec<Rung>,
    /// A line through the agents' figures against their Elo: of the score, the share of decisive games
    /// and the plies. None with fewer than three agents of finite Elo and finite intervals.
    pub trends: BTreeMap<Quantity, Option<Trend>>,
    /// Tests that a figure is the same of all agents, whatever their strength: of the score without luck
    /// adjustment, the share of decisive games and the plies. None where nothing varies or deals are few.
    pub equality: BTreeMap<Quantity, Option<Equality>>,
    /// The match that gives the Elo.
    pub ladder: Results,
}

/// The figures of an agent against itself.
#[derive(Clone, Debug, Serialize)]
pub struct Rung {
    /// The agent.
    pub agent: String,
    /// The folder of its dataset.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// Its Elo above the ladder's [`reference`](Results::reference); None unless finite.
    pub elo: Option<Estimate>,
    /// The value of the first reveal, and all that is measured with it.
    pub first_reveal: FirstRevealValue,
    /// The score of the first revealer or, without covered pieces, mover: the luck-adjusted one where
    /// it is narrower.
    pub score: Estimate,
    /// The number of games with which the score would have this half-width: 0.02, 0.01 and 0.005. None
    /// where openings are the clusters: more games of the same openings do not narrow it so.
    pub games_needed: Vec<(f64, u64)>,
}

/// The quantities whose trend is fitted.
const TRENDS: [Quantity; 3] = [Quantity::Score, Quantity::Decisive, Quantity::Plies];

/// The half-widths for which the number of games is told.
const HALF_WIDTHS: [f64; 3] = [0.02, 0.01, 0.005];

/// Plays at least two agents of rising strength, each against itself and against the others, or what is left
/// of these games, and measures them.
///
/// # Errors
/// If agents or numbers cannot be used, a run or match cannot be played or measured;
/// [`Error::Stopped`] when `stop` becomes true. What was played stays.
pub fn strength(
    study: &Study,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<StrengthResults, Error> {
    let agents = &study.job.agents;
    check_agents(agents, 2)?;
    if study.match_games == 0 {
        return Err(Error::config("match_games", "at least 1", 0));
    }
    study.check()?;
    let has_datasets = |folder: &Path| {
        let is_dataset = |entry: io::Result<DirEntry>| {
            entry.is_ok_and(|entry| entry.path().join(MANIFEST_FILE).exists())
        };
        fs::read_dir(folder).is_ok_and(|mut entries| entries.any(is_dataset))
    };
    study.check_kind("a sweep", has_datasets)?;
    let ladder = study.match_of("ladder", agents.clone(), progress, stop)?;
    let datasets: Vec<Dataset> = agents
        .iter()
        .map(|agent| study.run(&folder_name(&agent.to_string()), agent, progress, stop))
        .collect::<Result<_, _>>()?;
    with_threads(Some(study.job.threads.get()), || measure(&datasets, ladder, stop))?
}

fn measure(
    datasets: &[Dataset],
    ladder: Results,
    stop: &AtomicBool,
) -> Result<StrengthResults, Error> {
    let comparison = Comparison::new(datasets, stop)?;
    let mut rungs = Vec::with_capacity(datasets.len());
    for (dataset, ranking) in datasets.iter().zip(&ladder.agents) {
        let found = first_reveal(dataset, stop)?;
        let score = best_score(&found);
        rungs.push(Rung {
            agent: ranking.agent.clone(),
            path: dataset.dir().to_owned(),
            elo: ranking.elo,
            games_needed: if found.clusters < found.deals {
                Vec::new()
            } else {
                HALF_WIDTHS.map(|half| (half, games_needed(found.games, score, half))).into()
            },
            score,
            first_reveal: found,
        });
    }
    let mut trends = BTreeMap::new();
    for quantity in TRENDS {
        let mut points = Vec::with_capacity(rungs.len());
        for (place, rung) in rungs.iter().enumerate() {
            let mean = match quantity {
                Quantity::Score => Some(rung.score),
                quantity => comparison.mean(place, quantity)?,
            };
            if let (Some(elo), Some(mean)) = (rung.elo, mean) {
                let (value, error) = (mean.value, mean.standard_error());
                points.push((elo.value, Measurement { value, error }));
            }
        }
        trends.insert(quantity, Trend::new(&points));
    }
    let test = |quantity| Ok((quantity, comparison.equality(quantity)?));
    let equality = TRENDS.into_iter().map(test).collect::<Result<_, Error>>()?;
    Ok(StrengthResults { rungs, trends, equality, ladder })
}

/// The score that a measurement is about, by the narrower of its two estimates.
pub(super) fn best_score(found: &FirstRevealValue) -> Estimate {
    let Some(revealer) = &found.revealer else { return found.first_mover.score };
    let adjusted = revealer.adjusted.as_ref().map(|adjusted| adjusted.score);
    let raw = revealer.outcomes.score;
    adjusted.filter(|adjusted| adjusted.half_width() < raw.half_width()).unwrap_or(raw)
}

/// The number of games with which an interval would have a half-width.
fn games_needed(games: u64, score: Estimate, half_width: f64) -> u64 {
    let grown = score.trials(half_width) / score.trials(score.half_width());
    (games as f64 * grown).round() as u64
}

#[cfg(test)]
mod tests {
    use darkqi_analysis::statistics::MeanScore;

    use super::games_needed;

    #[test]
    fn as_many_games_as_needed_have_the_half_width() {
        let score_of = |games| MeanScore::independent(0.3, 0.21 / games, games).estimate();
        for half_width in [0.04, 0.02, 0.01] {
            let needed = games_needed(40, score_of(40.0), half_width);
            let error = score_of(needed as f64).half_width() - half_width;
            assert!(error.abs() < 1e-4 * half_width.sqrt(), "{half_width}: {needed} games");
        }
    }
}
