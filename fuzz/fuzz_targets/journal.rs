//! Arena journals: an error that changes nothing, or a match that is resumed and finished.
//!
//! Input: the file.

#![no_main]

use std::fs;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use darkqi_fuzz::{short_match, temp_folder};
use darkqi_play::arena;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let file = temp_folder().join("journal.jsonl");
    fs::write(&file, bytes).expect("the file can be written");
    let config = short_match(&file);
    assert_eq!(config.threads, NonZeroUsize::MIN);
    match arena::play(&config, &(), &AtomicBool::new(false)) {
        Ok(_) => {
            // The match is complete now: playing it again changes nothing.
            let written = fs::read(&file).expect("the journal exists");
            arena::play(&config, &(), &AtomicBool::new(false))
                .expect("the journal was written by the match");
            assert_eq!(fs::read(&file).expect("the journal exists"), written);
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert_eq!(fs::read(&file).expect("the journal exists"), bytes, "{error}");
        }
    }
});
