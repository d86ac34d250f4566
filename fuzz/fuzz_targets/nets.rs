//! Files of value nets: an error, or an agent that plays with them.
//!
//! Input (bytes): game (1), then 0 and the file, or 1 and edits of the game's own net, each of a
//! place (2), an operation (1) and a byte (1). A game without a net takes the rest as the file.

#![no_main]

use std::fs;

use darkqi_fuzz::{Input, choose_once, temp_folder};
use darkqi_tests::folder;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    let game = input.game();
    let own = folder("../selfplay/engine/data/nets").join(format!("{game}.safetensors"));
    let net = match (input.below(2), fs::read(own)) {
        (1, Ok(own)) => input.edit(own),
        _ => input.rest().to_vec(),
    };
    let file = temp_folder().join("net.safetensors");
    fs::write(&file, net).expect("the file can be written");
    choose_once(game, &format!("expectimax:depth=1,net={}", file.display()));
});
