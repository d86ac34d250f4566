//! Journals of self-play: reading any file succeeds, and games appended to it are read back.
//!
//! Input (bytes): the use of the rest (1), then the rest: the whole file, the file after its
//! beginning, or the contents of an entry with a correct checksum.

#![no_main]

use std::fs;

use darkqi_datasets::{GameRecord, Journals};
use darkqi_fuzz::{Input, temp_folder};
use libfuzzer_sys::fuzz_target;
use twox_hash::XxHash64;

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    let (mode, rest) = (input.below(3), input.rest());
    let folder = temp_folder();
    let file = folder.join(".00000.journal");
    let journals = Journals::<GameRecord>::new(&folder, *b"fuzz");
    let _ = fs::remove_file(&file);
    drop(journals.open(0).expect("it can be created"));
    let begun = fs::read(&file).expect("it was written");
    let head = [rest.len() as u64, XxHash64::oneshot(0, rest)].map(u64::to_le_bytes);
    let contents = match mode {
        0 => rest.to_vec(),
        1 => [&begun, rest].concat(),
        _ => [&begun, head.as_flattened(), rest].concat(),
    };
    fs::write(&file, contents).expect("the file can be written");
    let games = journals.read(0).expect("the file can be read");
    let mut journal = journals.open(0).expect("the file can be written");
    journal.append(&games).expect("the file can be written");
    let twice = journals.read(0).expect("the file can be read");
    assert_eq!(twice.len(), 2 * games.len());
    // As text, because a number may be NaN.
    let text = |games| format!("{games:?}");
    assert_eq!(text(&twice[..games.len()]), text(&games[..]));
    assert_eq!(text(&twice[games.len()..]), text(&games[..]));
});
