//! Parts of runs: reading any file succeeds, and its games are read back when they are written again.
//!
//! Input (bytes): the use of the rest (1), then the rest: the whole file, or what follows its
//! beginning. The name has the right checksum.

#![no_main]

use std::fs;

use darkqi_format::{GameRecord, Parts};
use darkqi_fuzz::{Input, temp_folder};
use libfuzzer_sys::fuzz_target;
use twox_hash::XxHash64;

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    let (mode, rest) = (input.below(2), input.rest());
    let folder = temp_folder().join("parts");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("parts")).expect("the folder can be made");
    // The version, and a run of four bytes.
    let contents = if mode == 0 { rest.to_vec() } else { [b"darkqiP\x01\x04fuzz", rest].concat() };
    let name = format!("00000-00000-{:016x}.part", XxHash64::oneshot(0, &contents));
    fs::write(folder.join("parts").join(name), contents).expect("the file can be written");
    let parts = Parts::<GameRecord>::new(&folder, *b"fuzz").expect("the folder can be opened");
    let games = parts.read(0).expect("the file can be read");
    parts.write(1, 0, &games).expect("the file can be written");
    // As text, because a number may be NaN.
    let again = parts.read(1).expect("the file can be read");
    assert_eq!(format!("{again:?}"), format!("{games:?}"));
});
