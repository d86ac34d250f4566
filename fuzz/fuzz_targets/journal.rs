//! Arena journals: an error that changes nothing, or a match that goes on from there.
//!
//! Input: the file.

#![no_main]

use std::fs;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use darkqi_fuzz::{journalled, scratch};
use darkqi_selfplay::arena;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let file = scratch().join("journal.jsonl");
    fs::write(&file, bytes).expect("there is room");
    let config = journalled(&file);
    assert_eq!(config.threads, NonZeroUsize::MIN);
    match arena::play(&config, &(), &AtomicBool::new(false)) {
        Ok(_) => {
            // What was played is a journal from which nothing is left to play.
            let written = fs::read(&file).expect("it is there");
            arena::play(&config, &(), &AtomicBool::new(false)).expect("it was written");
            assert_eq!(fs::read(&file).expect("it is there"), written);
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert_eq!(fs::read(&file).expect("it is there"), bytes, "{error}");
        }
    }
});
