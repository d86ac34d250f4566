//! Damaged datasets: an error, or the games that were written.
//!
//! Input (bytes): the file (1), then 0 and its new contents, or 1 and edits, each of a place (2),
//! an operation (1) and a byte (1). The checksums in `dataset.json` are those of the original
//! files, so they must detect every change of a Parquet file.

#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use darkqi_format::{Dataset, GameRecord, Metadata};
use darkqi_fuzz::{Input, analyse_dataset, temp_folder, write_dataset};
use libfuzzer_sys::fuzz_target;

const FILES: [&str; 3] = ["dataset.json", "games/00000.parquet", "plies/00001.parquet"];

/// The dataset without damage.
struct Original {
    folder: PathBuf,
    files: [Vec<u8>; 3],
    games: Vec<GameRecord>,
}

fn original() -> &'static Original {
    static ORIGINAL: OnceLock<Original> = OnceLock::new();
    ORIGINAL.get_or_init(|| {
        let folder = temp_folder().join("dataset");
        let _ = fs::remove_dir_all(&folder);
        write_dataset("gaiqi", &folder);
        let files = FILES.map(|file| fs::read(folder.join(file)).expect("the dataset was written"));
        let dataset = Dataset::open(&folder).expect("the dataset was written");
        let games = dataset.replays().collect::<Result<_, _>>().expect("the dataset was written");
        Original { folder, files, games }
    })
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    let original = original();
    let number = input.below(FILES.len());
    let file = original.folder.join(FILES[number]);
    let before = &original.files[number];
    let damaged = match input.below(2) {
        0 => input.rest().to_vec(),
        _ => input.edit(before.clone()),
    };
    fs::write(&file, &damaged).expect("the file can be written");
    analyse_dataset(&original.folder);
    let _ = Metadata::of_file(&file);
    if number > 0 {
        let dataset = Dataset::open(&original.folder).expect("`dataset.json` is not damaged");
        let games: Result<Vec<GameRecord>, _> = dataset.replays().collect();
        assert_eq!(games.is_ok(), damaged == *before);
        assert!(games.is_err() || games.is_ok_and(|games| games == original.games));
    }
    fs::write(&file, before).expect("the file can be written");
});
