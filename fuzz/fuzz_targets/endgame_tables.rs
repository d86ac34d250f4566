//! Files of endgame tables: an error, or the tables that were written.
//!
//! Input (bytes): 0 and the file of two pieces, or 1 and edits of the right one, each of a place (2),
//! an operation (1) and a byte (1).

#![no_main]

use std::fs;
use std::sync::OnceLock;

use darkqi_engine::agent::NEVER;
use darkqi_engine::tables::{Tables, generate_tables};
use darkqi_env::games::banqi::Banqi;
use darkqi_fuzz::{Input, temp_folder};
use libfuzzer_sys::fuzz_target;

const FILE: &str = "banqi-2.tables";

fn original() -> &'static [u8] {
    static ORIGINAL: OnceLock<Vec<u8>> = OnceLock::new();
    ORIGINAL.get_or_init(|| {
        let folder = temp_folder().join("tables");
        generate_tables(&Banqi::default(), 2, &folder, &NEVER).expect("the tables can be written");
        fs::read(folder.join(FILE)).expect("the tables were written")
    })
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    let original = original();
    let damaged = match input.below(2) {
        0 => input.rest().to_vec(),
        _ => input.edit(original.to_vec()),
    };
    let folder = temp_folder();
    fs::write(folder.join(FILE), &damaged).expect("the file can be written");
    if let Ok(tables) = Tables::read(&Banqi::default(), &folder) {
        assert_eq!(tables.most_pieces(), 2);
        // The header may be written in other ways, the values may not.
        let values = |file: &[u8]| file.splitn(3, |&byte| byte == b'\n').nth(2).map(<[u8]>::to_vec);
        assert_eq!(values(&damaged), values(original));
    }
});
