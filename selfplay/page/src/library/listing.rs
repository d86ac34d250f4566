//! The lists of datasets and of trainings.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_format::{Dataset, Error, MANIFEST_FILE, read_file};
use darkqi_play::report::quoted;
use darkqi_play::studies::{MATCHES, STUDY_PAGE};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::folders::{Folders, Place};
use crate::studies::QUESTION_FILE;

/// The file in which `python -m darkqi.train` keeps its settings.
const TRAINING_FILE: &str = "settings.json";

/// Rows of a page unless it asks for another number, and the most that it gets.
const ROWS: usize = 50;
const MAX_ROWS: usize = 1_000;

/// Which datasets are asked for.
#[derive(Debug, Deserialize)]
pub(crate) struct Search {
    /// Words in the path, the game's name or those of agents.
    #[serde(default)]
    words: String,
    /// Those of one game.
    #[serde(default)]
    game: String,
    #[serde(default)]
    offset: usize,
    limit: Option<usize>,
}

/// The contents of the served folders: a page of the datasets that fit, and all trainings.
#[derive(Serialize)]
pub(crate) struct Listing {
    total: usize,
    matching: usize,
    offset: usize,
    datasets: Vec<DatasetRow>,
    /// The games that there are datasets of.
    games: BTreeSet<String>,
    trainings: Vec<TrainingRow>,
}

#[derive(Default, Serialize)]
struct DatasetRow {
    id: String,
    path: String,
    game: String,
    options: BTreeMap<String, Value>,
    agents: Vec<String>,
    games: u64,
    plies: u64,
    is_complete: bool,
    /// The games that the run is to have.
    wanted: Option<u64>,
    /// The games that have ended and are in no finished file yet.
    unfinished: u64,
    /// The part of the games that has ended, while the run is not complete.
    progress: Option<f64>,
    /// Whether a process goes on with it.
    is_running: bool,
    /// The command that goes on with a run that has stopped.
    resume: Option<String>,
    /// The study that it belongs to.
    study: Option<Study>,
    made_by: &'static str,
    error: Option<String>,
}

/// The folder of a study, which holds several datasets and a page about them.
#[derive(Serialize)]
struct Study {
    id: String,
    path: String,
    /// Whether its page is there. The last step of a study writes it.
    has_report: bool,
    /// Whether it was asked for by a page, which shows it.
    is_asked: bool,
}

#[derive(Serialize)]
struct TrainingRow {
    id: String,
    path: String,
    game: String,
    wanted: u64,
    generations: Vec<GenerationRow>,
}

#[derive(Serialize)]
struct GenerationRow {
    number: u64,
    /// The mean squared error of the net on positions that it was not fitted to, once it is fitted.
    error: Option<f64>,
    elo: Option<f64>,
    is_accepted: Option<bool>,
}

impl Listing {
    /// The contents; nothing more once `stop` is set.
    pub(crate) fn new(folders: &Folders, search: &Search, stop: &AtomicBool) -> Self {
        let find = |file| {
            let found = folders.find(file, stop).into_iter();
            found.take_while(|_| !stop.load(Ordering::Relaxed))
        };
        let limit = search.limit.unwrap_or(ROWS).min(MAX_ROWS);
        let words: Vec<String> =
            search.words.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let (mut total, mut matching) = (0, 0);
        let (mut datasets, mut games) = (Vec::new(), BTreeSet::new());
        for place in find(MANIFEST_FILE) {
            let dataset = Dataset::open_unchecked(&place.path);
            total += 1;
            if let Ok(dataset) = &dataset {
                games.insert(dataset.metadata().game.clone());
            }
            if !search.fits(&words, &place, dataset.as_ref().ok()) {
                continue;
            }
            if matching >= search.offset && datasets.len() < limit {
                datasets.push(DatasetRow::new(place, dataset));
            }
            matching += 1;
        }
        Self {
            total,
            matching,
            offset: search.offset,
            datasets,
            games,
            trainings: find(TRAINING_FILE).filter_map(TrainingRow::new).collect(),
        }
    }
}

impl Search {
    fn fits(&self, words: &[String], place: &Place, dataset: Option<&Dataset>) -> bool {
        let metadata = dataset.map(Dataset::metadata);
        let game = metadata.map_or("", |metadata| &metadata.game);
        let agents = metadata.map_or(String::new(), |metadata| metadata.agents.join(" "));
        let text = format!("{} {game} {agents}", place.path.display()).to_lowercase();
        (self.game.is_empty() || self.game == game) && words.iter().all(|word| text.contains(word))
    }
}

impl DatasetRow {
    fn new(Place { id, path }: Place, dataset: Result<Dataset, Error>) -> Self {
        let named = Self {
            path: path.display().to_string(),
            study: Study::of(&id, &path),
            id,
            ..Self::default()
        };
        let dataset = match dataset {
            Ok(dataset) => dataset,
            Err(error) => return Self { error: Some(error.to_string()), ..named },
        };
        let metadata = dataset.metadata();
        let wanted = dataset.run().map(|run| run.games);
        let (games, is_complete) = (dataset.num_games(), dataset.is_complete());
        // What cannot be read counts for nothing here; the run itself says what is wrong.
        let unfinished = if is_complete { 0 } else { dataset.games_in_parts().unwrap_or_default() };
        let part = |wanted: u64| {
            let ended = games.saturating_add(unfinished);
            (ended as f64 / wanted.max(1) as f64).min(1.0)
        };
        let is_running = !is_complete && dataset.is_being_written();
        let is_alone = dataset.run().is_some_and(|run| !run.all_pairs) && named.study.is_none();
        Self {
            game: metadata.game.clone(),
            options: metadata.options.clone(),
            agents: metadata.agents.clone(),
            games,
            plies: dataset.num_plies(),
            is_complete,
            wanted,
            unfinished,
            progress: wanted.map(part).filter(|_| !is_complete),
            is_running,
            resume: (is_alone && !is_complete && !is_running)
                .then(|| format!("darkqi selfplay --resume --out {}", quoted(&named.path))),
            made_by: if dataset.run().is_some() { "selfplay" } else { "recorder" },
            ..named
        }
    }
}

impl Study {
    /// The study of the dataset with this id and path: the folder above it, or above the folder of its agent,
    /// that has matches or, of a sweep of rules, a study's page.
    fn of(id: &str, path: &Path) -> Option<Self> {
        let above = |(id, path): (&str, &Path)| -> Option<(String, PathBuf)> {
            Some((id.rsplit_once('/')?.0.to_owned(), path.parent()?.to_owned()))
        };
        let parent = above((id, path))?;
        let outer = above((&parent.0, &parent.1));
        let has_matches = |(_, folder): &(String, PathBuf)| folder.join(MATCHES).is_dir();
        let has_page = |(_, folder): &(String, PathBuf)| folder.join(STUDY_PAGE).is_file();
        let is_asked = |(_, folder): &(String, PathBuf)| folder.join(QUESTION_FILE).is_file();
        let is_study = |folder: &(String, PathBuf)| {
            has_matches(folder) || has_page(folder) || is_asked(folder)
        };
        let found = Some(parent).filter(has_matches).or_else(|| outer.filter(is_study))?;
        Some(Self {
            has_report: has_page(&found),
            is_asked: is_asked(&found),
            path: found.1.display().to_string(),
            id: found.0,
        })
    }
}

impl TrainingRow {
    /// A training, or `None` if the file is another program's.
    fn new(Place { id, path }: Place) -> Option<Self> {
        #[derive(Deserialize)]
        struct Settings {
            game: String,
            generations: u64,
        }
        let Settings { game, generations: wanted } = read(&path.join(TRAINING_FILE))?;
        let rows = (1..=wanted).map_while(|number| GenerationRow::new(&path, number));
        let generations = rows.collect();
        Some(Self { id, path: path.display().to_string(), game, wanted, generations })
    }
}

impl GenerationRow {
    /// A generation that has begun; its match is missing until it is finished.
    fn new(training: &Path, number: u64) -> Option<Self> {
        #[derive(Deserialize)]
        struct Outcome {
            elo: Option<f64>,
            is_accepted: bool,
        }
        #[derive(Deserialize)]
        struct Fit {
            fit: Errors,
        }
        #[derive(Deserialize)]
        struct Errors {
            net: f64,
        }
        let folder = training.join(format!("generation-{number}"));
        if !folder.is_dir() {
            return None;
        }
        let fit: Option<Fit> = read(&folder.join("fit.json"));
        let error = fit.map(|Fit { fit }| fit.net);
        Some(match read(&folder.join("result.json")) {
            Some(Outcome { elo, is_accepted }) => {
                Self { number, error, elo, is_accepted: Some(is_accepted) }
            }
            None => Self { number, error, elo: None, is_accepted: None },
        })
    }
}

/// A JSON file of this form; `None` if there is none, or it is not of this form.
fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Option<T> {
    serde_json::from_slice(&read_file(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::Study;

    #[test]
    fn datasets_belong_to_the_study_above_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |path: &str| folder.path().join(path);
        fs::create_dir_all(at("strength/matches/one")).expect("folders");
        fs::create_dir_all(at("sweep/greedy/set")).expect("folders");
        let study = |path: &str| {
            let found = Study::of(&format!("0/{path}"), &at(path));
            found.map(|found| (found.id, found.has_report))
        };
        let of_strength = Some(("0/strength".to_owned(), false));
        assert_eq!(study("strength/greedy"), of_strength);
        assert_eq!(study("strength/matches/one"), of_strength);
        assert_eq!(study("sweep/greedy/set"), None, "it goes on");
        fs::write(at("sweep/report.html"), "").expect("a file");
        assert_eq!(study("sweep/greedy/set"), Some(("0/sweep".to_owned(), true)));
        assert_eq!(study("strength"), None, "nothing of a study is above it");
        assert!(Study::of("0", Path::new("/")).is_none());
    }
}
