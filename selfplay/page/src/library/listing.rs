//! The lists of datasets and of trainings.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_format::{Dataset, MANIFEST_FILE, read_file};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::folders::{Folders, Place};

/// The file in which `python -m darkqi.train` keeps its settings.
const TRAINING_FILE: &str = "settings.json";

/// The contents of the served folders.
#[derive(Serialize)]
pub(crate) struct Listing {
    datasets: Vec<DatasetRow>,
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
    /// The part of them that is there, while the run is not complete.
    progress: Option<f64>,
    made_by: &'static str,
    error: Option<String>,
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
    elo: Option<f64>,
    is_accepted: Option<bool>,
}

impl Listing {
    /// The contents; nothing more once `stop` is set.
    pub(crate) fn new(folders: &Folders, stop: &AtomicBool) -> Self {
        let find = |file| {
            let found = folders.find(file, stop).into_iter();
            found.take_while(|_| !stop.load(Ordering::Relaxed))
        };
        Self {
            datasets: find(MANIFEST_FILE).map(DatasetRow::new).collect(),
            trainings: find(TRAINING_FILE).filter_map(TrainingRow::new).collect(),
        }
    }
}

impl DatasetRow {
    fn new(Place { id, path }: Place) -> Self {
        let named = Self { id, path: path.display().to_string(), ..Self::default() };
        let dataset = match Dataset::open_unchecked(&path) {
            Ok(dataset) => dataset,
            Err(error) => return Self { error: Some(error.to_string()), ..named },
        };
        let metadata = dataset.metadata();
        let wanted = dataset.run().map(|run| run.games);
        let games = dataset.num_games();
        let part = wanted.map(|wanted| games as f64 / wanted.max(1) as f64);
        Self {
            game: metadata.game.clone(),
            options: metadata.options.clone(),
            agents: metadata.agents.clone(),
            games,
            plies: dataset.num_plies(),
            is_complete: dataset.is_complete(),
            wanted,
            progress: part.filter(|_| !dataset.is_complete()),
            made_by: if dataset.run().is_some() { "selfplay" } else { "recorder" },
            ..named
        }
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
        let folder = training.join(format!("generation-{number}"));
        if !folder.is_dir() {
            return None;
        }
        Some(match read(&folder.join("result.json")) {
            Some(Outcome { elo, is_accepted }) => {
                Self { number, elo, is_accepted: Some(is_accepted) }
            }
            None => Self { number, elo: None, is_accepted: None },
        })
    }
}

/// A JSON file of this form; `None` if there is none, or it is not of this form.
fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Option<T> {
    serde_json::from_slice(&read_file(path).ok()?).ok()
}
