//! The layout of DESIGN.md section 2: the registry is complete, and crates depend in one direction.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use darkqi_env::games;
use darkqi_tests::{folder, rust_files, shipped_games};

/// The crates from left to right. Each uses only crates before it.
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

fn table(file: &Path) -> toml::Table {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{file:?}: {error}"));
    toml::from_str(&text).unwrap_or_else(|error| panic!("{file:?}: {error}"))
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

#[test]
fn no_crate_uses_one_to_its_right() {
    for (position, (crate_folder, name)) in CHAIN.into_iter().enumerate() {
        let manifest = table(&folder("..").join(crate_folder).join("Cargo.toml"));
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

/// The compiler denies unsafe code where no file expects it.
#[test]
fn files_with_unsafe_code_are_listed_with_their_reasons() {
    let root = folder("..");
    let page = fs::read_to_string(root.join("docs/reliability.md")).expect("there is a page");
    let mut count = 0;
    for crate_folder in ["env", "datasets", "selfplay", "python"] {
        for file in rust_files(&root.join(crate_folder)) {
            let text = fs::read_to_string(&file).expect("sources are text");
            if text.contains("(unsafe_code, reason") {
                let path = file.strip_prefix(&root).expect("it is below").to_string_lossy();
                // A folder's own file stands for the folder.
                let path = path.replace('\\', "/").replace("/mod.rs", "/");
                assert!(page.contains(&path), "docs/reliability.md lacks {path}");
                count += 1;
            }
        }
    }
    assert!(count > 5, "{count}");
}

/// A lock file has each crate's source and checksum. Without the checksum a crate could be
/// replaced.
#[test]
fn dependencies_come_from_crates_io_alone() {
    const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";
    for lock in ["../Cargo.lock", "../fuzz/Cargo.lock"] {
        let lock = table(&folder(lock));
        let packages = lock["package"].as_array().expect("packages are listed");
        assert!(packages.len() > 100);
        for package in packages {
            let name = package["name"].as_str().expect("packages have names");
            let source = package.get("source").and_then(toml::Value::as_str);
            let is_ours = name.starts_with("darkqi-");
            assert_eq!(source, (!is_ours).then_some(CRATES_IO), "{name}");
            assert_eq!(package.get("checksum").is_some(), !is_ours, "{name}");
        }
    }
}

/// The workspace of the fuzz targets has a lock file of its own, which `make test` does not use.
#[test]
fn the_fuzz_targets_lock_what_the_workspace_locks() {
    let [ours, fuzz] = ["../Cargo.lock", "../fuzz/Cargo.lock"].map(dependencies);
    let locked_ones =
        fuzz.keys().filter(|name| name.starts_with("darkqi-") && *name != "darkqi-fuzz");
    assert_eq!(locked_ones.count(), 4, "env, datasets, selfplay and tests");
    for (crate_folder, name) in CHAIN.into_iter().chain([("tests", "darkqi-tests")]) {
        // Of another workspace's crates only what they are built from is locked.
        let manifest = table(&folder(&format!("../{crate_folder}/Cargo.toml")));
        let keys = |section: &str| {
            let section = manifest.get(section).and_then(toml::Value::as_table);
            section.into_iter().flat_map(|table| table.keys().cloned()).collect::<BTreeSet<_>>()
        };
        let only_tests: BTreeSet<_> =
            keys("dev-dependencies").difference(&keys("dependencies")).cloned().collect();
        let Some(locked) = fuzz.get(name) else { continue };
        let mut expected = ours[name].clone();
        // Nor what they are built from with features that the targets lack.
        let features = manifest.get("features").map(toml::Value::to_string).unwrap_or_default();
        expected.retain(|(dependency, _)| {
            !only_tests.contains(dependency) && !features.contains(&format!("\"dep:{dependency}\""))
        });
        assert_eq!(
            *locked, expected,
            "{name}: copy Cargo.lock to fuzz/ and run `cargo metadata` there"
        );
    }
}

/// What each crate of a lock file is built from, with the versions.
fn dependencies(lock: &str) -> BTreeMap<String, BTreeSet<(String, String)>> {
    let lock = table(&folder(lock));
    let packages = lock["package"].as_array().expect("packages are listed");
    let text = |value: &toml::Value| value.as_str().expect("names are text").to_owned();
    let with_version = |dependency: &toml::Value| {
        let mut words = dependency.as_str().expect("names are text").split(' ');
        let name = words.next().expect("a dependency has a name").to_owned();
        // A version is stated where there are several.
        let version = words.next().map(str::to_owned).unwrap_or_else(|| {
            let package = packages.iter().find(|package| package["name"].as_str() == Some(&name));
            text(&package.expect("it is locked")["version"])
        });
        (name, version)
    };
    let of = |package: &toml::Value| {
        let listed = package.get("dependencies").and_then(toml::Value::as_array);
        let listed = listed.into_iter().flatten().map(with_version).collect();
        (text(&package["name"]), listed)
    };
    packages.iter().map(of).collect()
}

/// `docs/attacks.md` names the tests that hold its lines.
#[test]
fn the_tests_that_hold_against_attacks_exist() {
    let root = folder("..");
    let page = fs::read_to_string(root.join("docs/attacks.md")).expect("the page exists");
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
    assert!(names.len() > 40, "{}", names.len());
    for name in names {
        let is_there =
            ["fn ", "def "].iter().any(|word| sources.contains(&format!("{word}{name}(")));
        assert!(is_there, "docs/attacks.md: there is no test `{name}`");
    }
}
