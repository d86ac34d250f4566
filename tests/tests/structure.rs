//! Faults that no tool refuses: a game that is not registered, unsafe code that no page lists, a test that a
//! page makes up.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use darkqi_env::games;
use darkqi_tests::{folder, rust_files, shipped_games};

fn stems(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    entries
        .map(|entry| entry.expect("the folder can be read").path())
        .map(|path| path.file_stem().expect("it has a name").to_string_lossy().into_owned())
        .collect()
}

#[test]
fn every_game_file_is_registered() {
    let mut files = stems(&folder("../env/src/games"));
    files.remove("mod");
    let names: BTreeSet<String> = shipped_games().into_iter().map(str::to_owned).collect();
    assert_eq!(files, names);
    assert!(games::names().is_sorted());
}

#[test]
fn every_game_has_a_golden_playthrough() {
    let names: BTreeSet<String> = shipped_games().into_iter().map(str::to_owned).collect();
    assert_eq!(stems(&folder("playthroughs")), names);
}

/// The compiler denies unsafe code where no file expects it.
#[test]
fn files_with_unsafe_code_are_listed_with_their_reasons() {
    let root = folder("..");
    let page = fs::read_to_string(root.join("docs/testing.md")).expect("there is a page");
    let mut count = 0;
    for crate_folder in ["env", "datasets", "selfplay", "python"] {
        for file in rust_files(&root.join(crate_folder)) {
            let text = fs::read_to_string(&file).expect("sources are text");
            if text.contains("(unsafe_code, reason") {
                let path = file.strip_prefix(&root).expect("it is below").to_string_lossy();
                // A folder's own file stands for the folder.
                let path = path.replace('\\', "/").replace("/mod.rs", "/");
                assert!(page.contains(&path), "docs/testing.md lacks {path}");
                count += 1;
            }
        }
    }
    assert!(count > 5, "{count}");
}

/// `docs/testing.md` and `docs/statistics.md` name the tests that hold what they say.
#[test]
fn the_tests_that_pages_name_exist() {
    let root = folder("..");
    let page = ["docs/testing.md", "docs/statistics.md"]
        .map(|page| fs::read_to_string(root.join(page)).expect("the page exists"))
        .concat();
    let mut sources = String::new();
    for folder in ["env", "datasets", "selfplay", "tests"] {
        for file in rust_files(&root.join(folder)) {
            sources += &fs::read_to_string(&file).expect("sources are text");
        }
    }
    for entry in fs::read_dir(root.join("tests/python")).expect("the folder exists") {
        let path = entry.expect("it can be read").path();
        if path.extension().is_some_and(|extension| extension == "py") {
            sources += &fs::read_to_string(&path).expect("sources are text");
        }
    }
    let is_word = |text: &str| {
        text.chars().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_')
    };
    let is_name = |text: &&str| text.matches('_').count() > 1 && is_word(text);
    let names: Vec<&str> = page.split('`').skip(1).step_by(2).filter(is_name).collect();
    assert!(names.len() > 20, "{}", names.len());
    for name in names {
        let is_there =
            ["fn ", "def "].iter().any(|word| sources.contains(&format!("{word}{name}(")));
        assert!(is_there, "there is no test `{name}`");
    }
}
