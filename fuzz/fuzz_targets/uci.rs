//! `darkqi uci`: whatever lines come, the engine ends without a panic and answers in words of UCI.
//!
//! Input (bytes): game (1), then the lines. `quit` is added, which ends searches.

#![no_main]

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::OnceLock;

use darkqi_fuzz::{Input, temp_folder};
use libfuzzer_sys::fuzz_target;
use rustix::stdio::dup2_stdin;

/// Tables of gigabytes are not asked for here, nor boards, which UCI does not have.
fn is_modest(line: &str) -> bool {
    !line.to_ascii_lowercase().contains("hash") && line.split_whitespace().next() != Some("d")
}

fuzz_target!(|bytes: &[u8]| {
    static FILE: OnceLock<PathBuf> = OnceLock::new();
    let mut input = Input::new(bytes);
    let game = input.game();
    let Some(text) = input.text().filter(|text| text.lines().all(is_modest)) else { return };
    let file = FILE.get_or_init(|| temp_folder().join("lines.txt"));
    fs::write(file, format!("{text}\nquit\n")).expect("the file can be written");
    dup2_stdin(File::open(file).expect("it was written")).expect("standard input can be replaced");
    let mut out = Vec::new();
    darkqi_cli::run(["darkqi", "uci", game], &mut out).expect("the output can be written");
    let answers = String::from_utf8(out).expect("answers are text");
    for line in answers.lines() {
        let word = line.split(' ').next().unwrap_or_default();
        assert!(
            ["id", "option", "uciok", "readyok", "info", "bestmove"].contains(&word),
            "an answer that UCI does not have: {line}"
        );
    }
});
