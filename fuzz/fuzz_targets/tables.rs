//! TOML files of piece values and of evaluation weights: an error, or an agent that plays with
//! them.
//!
//! Input (bytes): game (1), the file.

#![no_main]

use std::fs;

use darkqi_fuzz::{Input, choose_once, temp_folder};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    let game = input.game();
    let file = temp_folder().join("tables.toml");
    fs::write(&file, input.rest()).expect("the file can be written");
    for option in ["values", "weights"] {
        choose_once(game, &format!("expectimax:depth=1,{option}={}", file.display()));
    }
});
