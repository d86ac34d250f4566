//! The layout of DESIGN.md section 2: the registry is complete, and crates depend in one direction.

use std::collections::BTreeSet;
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

/// Unsafe code is in few files, each listed with its reasons in docs/reliability.md.
#[test]
fn unsafe_code_keeps_to_its_files() {
    const FILES: [&str; 12] = [
        "env/src/batch/memory.rs",
        "env/src/batch/thread_pool.rs",
        "env/src/simd/line.rs",
        "env/src/simd/mod.rs",
        "env/src/simd/tests.rs",
        "env/src/simd/x86_64_v3.rs",
        "env/src/simd/x86_64_v4.rs",
        "python/src/env.rs",
        "python/src/exclusive_rows.rs",
        "python/src/rotation.rs",
        "python/src/time_step.rs",
        "tests/tests/allocation.rs",
    ];
    let root = folder("..");
    let mut found = BTreeSet::new();
    for (crate_folder, _) in CHAIN.into_iter().chain([("tests", "")]) {
        for file in rust_files(&root.join(crate_folder)) {
            let text = fs::read_to_string(&file).expect("sources are text");
            let is_code = |line: &&str| !line.trim_start().starts_with("//");
            let starts = ["unsafe {", "unsafe fn ", "unsafe impl ", "unsafe extern "];
            let has_any = |line: &str| starts.iter().any(|start| line.contains(start));
            if text.lines().filter(is_code).any(has_any) {
                let path = file.strip_prefix(&root).expect("it is below");
                found.insert(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    // This file contains the strings that it searches for.
    found.remove("tests/tests/structure.rs");
    assert_eq!(found, FILES.map(str::to_owned).into());
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
