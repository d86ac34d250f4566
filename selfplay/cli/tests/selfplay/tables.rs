//! Endgame tables: the command, its files, and the agent that is given them.

use std::fs;
use std::path::Path;

use darkqi_engine::agents::AgentSpec;
use darkqi_engine::tables::Tables;
use darkqi_env::Registered;
use darkqi_env::game::{configure, texts};
use darkqi_env::games::banqi::Banqi;
use darkqi_env::games::gaiqi::Gaiqi;
use darkqi_play::generation::Job;
use tempfile::TempDir;

use super::cli::{error, run};
use super::cli_json::json;
use super::{config, folder, refusal};

/// A folder with the tables of two pieces.
fn with_tables(settings: &str) -> TempDir {
    let dir = folder();
    let path = dir.path().display();
    run(&format!("tables banqi --pieces 2 --out {path} {settings}")).expect("it succeeds");
    dir
}

fn banqi(settings: &[(&str, &str)]) -> Banqi {
    configure(&texts(settings)).expect("the options exist")
}

/// Why tables cannot be used, without the folder's name.
fn fault<G: Registered>(rules: &G, dir: &Path) -> String {
    let error = Tables::read(rules, dir).expect_err("they cannot be used").to_string();
    error.replace(&*dir.to_string_lossy(), "DIR")
}

#[test]
fn the_command_prints_what_it_wrote() {
    let dir = folder();
    let path = dir.path().join("new/tables");
    let line = format!("tables banqi --pieces 3 --out {}", path.display());
    let text = run(&line).expect("it succeeds");
    let found = json(&format!("{line} --json --threads 1"));
    assert_eq!(found["options"], serde_json::json!({ "cannon": "step", "ranking": "standard" }));
    for (number, [pieces, sets, won]) in [[2, 28, 17_920], [3, 189, 4_359_192]].iter().enumerate() {
        let tables = &found["tables"][number];
        let counts = ["pieces", "sets", "won"].map(|name| tables[name].as_u64().expect(name));
        assert_eq!(counts, [*pieces, *sets, *won]);
        let file = tables["file"].as_str().expect("a path");
        let bytes = fs::metadata(file).expect("it was written").len();
        assert_eq!(tables["bytes"], bytes);
        assert!(text.contains(file), "{text}");
    }
    assert_eq!(fs::read_dir(&path).expect("the folder exists").count(), 2, "and nothing else");
}

#[test]
fn what_has_no_tables_is_refused() {
    let dir = folder();
    let line = |rest: &str| format!("tables {rest} --out {}", dir.path().display());
    assert_eq!(error(&line("jieqi")), "endgame tables are of banqi; jieqi has none");
    for pieces in [1, 5] {
        let fault = error(&line(&format!("banqi --pieces {pieces}")));
        assert_eq!(fault, format!("pieces: expected 2 to 4, got {pieces}"));
    }
    assert_eq!(fs::read_dir(dir.path()).expect("the folder exists").count(), 0);
}

#[test]
fn tables_of_other_rules_are_refused() {
    let dir = with_tables("--set ranking=hongkong");
    let rules = banqi(&[("ranking", "hongkong"), ("quiet_limit", "7"), ("repetition", "off")]);
    Tables::read(&rules, dir.path()).expect("limits do not enter tables");
    let file = "tables DIR/banqi-2.tables: ";
    assert_eq!(
        fault(&banqi(&[]), dir.path()),
        format!("{file}expected cannon=step ranking=standard, found cannon=step ranking=hongkong")
    );
    assert_eq!(fault(&Gaiqi::default(), dir.path()), "endgame tables are of banqi; gaiqi has none");
}

#[test]
fn other_files_are_not_written_over() {
    let dir = with_tables("");
    let path = dir.path().join("banqi-2.tables");
    let whole = fs::read(&path).expect("it was written");
    let line = format!("tables banqi --pieces 2 --out {}", dir.path().display());
    run(&line).expect("tables of the same rules are written again");
    let fault = error(&format!("{line} --set ranking=hongkong"));
    assert!(fault.ends_with("tables of other rules are there; expected another folder"), "{fault}");
    assert_eq!(fs::read(&path).expect("it is there"), whole);
    fs::write(&path, "a text").expect("it can be written");
    let fault = error(&line);
    assert!(fault.ends_with("another file is there; expected another folder"), "{fault}");
    assert_eq!(fs::read(&path).expect("it is there"), b"a text");
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    let dir = with_tables("");
    let path = dir.path().join("banqi-2.tables");
    let whole = fs::read(&path).expect("it was written");
    let fault_of = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("it can be written");
        let fault = fault(&banqi(&[]), dir.path());
        fault.strip_prefix("tables DIR/banqi-2.tables: ").expect("it names the file").to_owned()
    };
    let mut changed = whole.clone();
    *changed.last_mut().expect("it is not empty") ^= 1;
    assert!(fault_of(&changed).starts_with("damaged: expected digest "));
    let short = &whole[..whole.len() - 1];
    assert!(fault_of(short).starts_with("damaged: expected "), "{}", fault_of(short));
    assert_eq!(fault_of(&whole[..40]), "damaged: its header does not end");
    let foreign = "expected a file that begins with `darkqi endgame tables 1`";
    assert_eq!(fault_of(b"PK"), foreign);
    assert_eq!(fault_of(b""), foreign);
    let text = String::from_utf8_lossy(&whole[..whole.len() - 1024]).into_owned();
    let other = |from: &str, to: &str| [text.replace(from, to).as_bytes(), b"\n"].concat();
    assert_eq!(
        fault_of(&other("\"pieces\":2", "\"pieces\":3")),
        "expected 2 pieces of banqi, found 3 of banqi"
    );
    assert!(fault_of(&other("\"digest\"", "\"sum\"")).starts_with("damaged: its header "));
    fs::remove_file(&path).expect("it can be removed");
    assert_eq!(
        fault(&banqi(&[]), dir.path()),
        "tables DIR: expected a folder with banqi-2.tables, as `darkqi tables` writes it"
    );
}

#[test]
fn agents_with_tables_that_cannot_be_used_are_refused() {
    let spec: AgentSpec = "expectimax:tables=no/such/folder".parse().expect("the agent exists");
    let error = spec.build(&banqi(&[])).err().expect("there are no tables").to_string();
    assert!(error.starts_with("tables no/such/folder: expected a folder"), "{error}");
    let error = spec.build(&Gaiqi::default()).err().expect("gaiqi has none").to_string();
    assert_eq!(error, "endgame tables are of banqi; gaiqi has none");
    let none: AgentSpec = "expectimax:tables=none".parse().expect("the agent exists");
    none.build(&Gaiqi::default()).map(drop).expect("no tables are needed");
}

#[test]
fn a_run_goes_on_only_with_tables_as_large() {
    let tables = with_tables("");
    let dir = folder();
    let agents = format!("expectimax:depth=1,tables={}", tables.path().display());
    let config = config("banqi", &agents, 2, dir.path());
    super::play(&config);
    run(&format!("tables banqi --pieces 3 --out {}", tables.path().display()))
        .expect("it succeeds");
    let error = refusal(&Job { games: 3, resume: true, ..config });
    assert!(error.contains("other settings") && error.contains("tables"), "{error}");
}
