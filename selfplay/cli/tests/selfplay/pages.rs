//! Runs the commands of the README, the tutorials and the pages of games. Only the folders are replaced.
//! A `text` block right after a `sh` block must be part of the output of its last command. Blocks after a
//! comment `omit` are left out.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// Runs the commands of a page in turn. Returns their number.
fn run_commands(page: &Path) -> usize {
    let text = fs::read_to_string(page).unwrap_or_else(|error| panic!("{page:?}: {error}"));
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let data = format!("{}/", folder.path().display());
    // Prose and blocks alternate.
    let parts: Vec<_> = text.split("```").collect();
    let mut count = 0;
    for (place, block) in parts.iter().enumerate().skip(1).step_by(2) {
        let Some(block) = block.strip_prefix("sh\n") else { continue };
        let mut marks = parts[place - 1].lines().rev().take_while(|line| line.starts_with("<!-- "));
        if marks.any(|mark| mark.starts_with("<!-- omit: ")) {
            continue;
        }
        let mut told = String::new();
        for command in block.lines().filter(|line| line.starts_with("darkqi ")) {
            let mut out = Vec::new();
            let words = command.split_whitespace().map(|word| word.replace("data/", &data));
            darkqi_cli::run(words.map(OsString::from), &mut out)
                .unwrap_or_else(|error| panic!("{page:?}: {command}: {error}"));
            assert!(!out.is_empty(), "{page:?}: {command} prints nothing");
            told = String::from_utf8(out).expect("it is text").replace(&data, "data/");
            count += 1;
        }
        if let [between, after, ..] = parts[place + 1..]
            && between.trim().is_empty()
            && let Some(shown) = after.strip_prefix("text\n")
        {
            assert!(told.contains(shown), "{page:?}: expected\n{shown}\nin\n{told}");
        }
    }
    count
}

#[test]
fn commands_of_the_readme_work() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    assert!(run_commands(&readme) >= 3);
}

#[test]
fn commands_of_the_tutorials_and_of_the_games_work() {
    for folder in ["tutorials", "games"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(folder);
        let entries = fs::read_dir(folder).expect("there are pages");
        let pages = entries.map(|entry| entry.expect("it can be listed").path());
        let pages = pages.filter(|page| page.extension().is_some_and(|end| end == "md"));
        assert!(pages.map(|page| run_commands(&page)).sum::<usize>() >= 4);
    }
}
