//! Damaged datasets: an error, or the games that were written.
//!
//! Input: which file (1) and how (1): its bytes anew, or edits of it, each a place (2), what to do
//! (1) and a byte (1). The checksums in `dataset.json` stay as they were written: a Parquet file
//! that was damaged by accident must not get past them.

#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use darkqi_datasets::{Dataset, GameRecord, Metadata};
use darkqi_fuzz::{Input, scratch, use_dataset, write_dataset};
use libfuzzer_sys::fuzz_target;

const FILES: [&str; 3] = ["dataset.json", "games-00000.parquet", "plies-00001.parquet"];

/// A dataset as it was written.
struct Whole {
    folder: PathBuf,
    files: [Vec<u8>; 3],
    games: Vec<GameRecord>,
}

fn whole() -> &'static Whole {
    static WHOLE: OnceLock<Whole> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let folder = scratch().join("dataset");
        let _ = fs::remove_dir_all(&folder);
        write_dataset("gaiqi", &folder);
        let files = FILES.map(|file| fs::read(folder.join(file)).expect("it was written"));
        let dataset = Dataset::open(&folder).expect("it was written");
        let games = dataset.replays().collect::<Result<_, _>>().expect("it was written");
        Whole { folder, files, games }
    })
}

fn edited(mut bytes: Vec<u8>, mut input: Input<'_>) -> Vec<u8> {
    while !input.is_empty() && !bytes.is_empty() {
        let place = usize::from(input.word()) % bytes.len();
        match (input.below(4), input.byte()) {
            (0, byte) => bytes.insert(place, byte),
            (1, _) => drop(bytes.remove(place)),
            (2, _) => bytes.truncate(place),
            (_, byte) => bytes[place] = byte,
        }
    }
    bytes
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    let whole = whole();
    let number = input.below(FILES.len());
    let file = whole.folder.join(FILES[number]);
    let before = &whole.files[number];
    let damaged = match input.below(2) {
        0 => input.rest().to_vec(),
        _ => edited(before.clone(), input),
    };
    fs::write(&file, &damaged).expect("there is room");
    use_dataset(&whole.folder);
    let _ = Metadata::of_file(&file);
    if number > 0 {
        let dataset = Dataset::open(&whole.folder).expect("`dataset.json` is whole");
        let games: Result<Vec<GameRecord>, _> = dataset.replays().collect();
        assert_eq!(games.is_ok(), damaged == *before);
        assert!(games.is_err() || games.is_ok_and(|games| games == whole.games));
    }
    fs::write(&file, before).expect("there is room");
});
