//! The README's commands are run as they stand, apart from where they write.

use std::ffi::OsString;
use std::fs;

use darkqi_selfplay::cli;

#[test]
fn commands_of_the_readme_work() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md");
    let readme = fs::read_to_string(path).expect("the README is there");
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let data = format!("{}/", folder.path().display());
    let commands: Vec<String> = readme
        .lines()
        .filter(|line| line.starts_with("darkqi "))
        .map(|line| line.replace("data/", &data))
        .collect();
    assert!(commands.len() >= 4, "{commands:?}");
    for command in commands {
        let mut out = Vec::new();
        cli::run(command.split_whitespace().map(OsString::from), &mut out)
            .unwrap_or_else(|error| panic!("{command}: {error}"));
        assert!(!out.is_empty(), "{command} says nothing");
    }
}
