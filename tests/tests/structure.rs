//! The layout of DESIGN.md section 2: the registry is complete and crates reach one way only.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use darkqi_env::games;
use darkqi_tests::folder;

/// The crates from left to right: each uses only what stands before it.
const CHAIN: [(&str, &str); 4] = [
    ("env", "darkqi-env"),
    ("datasets", "darkqi-datasets"),
    ("selfplay", "darkqi-selfplay"),
    ("python", "darkqi-python"),
];

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
    let names: BTreeSet<String> = games::names().iter().map(|&name| name.to_owned()).collect();
    assert_eq!(files, names);
    assert!(games::names().is_sorted());
}

#[test]
fn every_game_has_a_golden_playthrough() {
    let names: BTreeSet<String> = games::names().iter().map(|&name| name.to_owned()).collect();
    assert_eq!(stems(&folder("playthroughs")), names);
}

#[test]
fn no_crate_reaches_to_its_right() {
    for (position, (crate_folder, name)) in CHAIN.into_iter().enumerate() {
        let manifest = folder("..").join(crate_folder).join("Cargo.toml");
        let text =
            fs::read_to_string(&manifest).unwrap_or_else(|error| panic!("{manifest:?}: {error}"));
        let manifest: toml::Table = toml::from_str(&text).expect("manifests are TOML");
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let Some(used) = manifest.get(section).and_then(toml::Value::as_table) else {
                continue;
            };
            for (_, right) in &CHAIN[position..] {
                assert!(!used.contains_key(*right), "{name} uses {right}");
            }
            assert!(!used.contains_key("darkqi-tests"), "{name} uses darkqi-tests");
        }
    }
}
