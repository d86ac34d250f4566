//! The bench command: output and faults. No test depends on speed.

use darkqi_env::games;
use serde_json::Value;

use crate::cli::{assert_golden, columns, error, run};
use crate::cli_json;

/// Games truncated early and very short repeats: enough for every column to have a value.
const QUICK: &str = "--set max_plies=12 --seconds 0.0001 --repeats 2";

fn json(line: &str) -> Value {
    cli_json::json(&format!("bench --json {QUICK} {line}"))
}

#[test]
fn the_table_has_a_row_per_configuration() {
    let text = run(&format!("bench gaiqi flipping --lanes 3,70 --threads 2,1 {QUICK}"));
    let text = text.expect("it succeeds");
    // The first line names the machine. Its speed is in the columns that are dropped here.
    let (machine, table) = text.split_once('\n').expect("there are lines");
    assert!(machine.contains(" threads; darkqi ") && machine.contains(", rustc "), "{machine}");
    let (settings, table) = table.split_once("\n\n").expect("there is a table");
    let (rows, notes) = table.split_once("\n\n").expect("there are notes");
    let (header, rows) = rows.split_once('\n').expect("there are rows");
    let golden = [settings, "\n", &columns(header, 20), &columns(rows, 3), notes].concat();
    assert_golden("bench.txt", &golden);
}

#[test]
fn json_holds_every_figure() {
    let report = json("jieqi --lanes 5 --threads 2 --observation tokens --mask bits --seed 9");
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    assert!(report["machine"]["threads"].as_u64() >= Some(1));
    assert_eq!(report["command"]["observation"], "tokens");
    assert_eq!(report["command"]["mask"], "bits");
    assert_eq!(report["command"]["seed"], 9);
    let [row] = report["rows"].as_array().expect("there are rows").as_slice() else {
        panic!("one row, not {}", report["rows"]);
    };
    assert_eq!(
        (&row["game"], &row["lanes"], &row["threads"]),
        (&"jieqi".into(), &5.into(), &2.into())
    );
    assert_eq!(row["options"]["max_plies"], 12);
    assert_eq!(row["options"]["quiet_limit"], 80);
    assert_eq!(row["repeats"].as_array().map(Vec::len), Some(2));
    for figure in ["steps_per_second", "ns_per_step", "bytes_per_second", "share_of_fill"] {
        assert!(row[figure].as_f64() > Some(0.0), "{figure} of {row}");
    }
    // Almost all games end by truncation.
    let plies = row["mean_length"].as_f64().expect("games end");
    assert!(plies > 11.0 && plies <= 12.0, "{row}");
}

#[test]
fn games_of_one_ply_are_no_fault_of_the_engine() {
    let report = run("bench jieqi --set max_plies=1 --seconds 0.0001 --repeats 1 --lanes 8 --json")
        .expect("it is measured");
    assert!(report.contains(r#""mean_length": 1.0"#), "{report}");
}

#[test]
fn rows_are_compared_with_the_first_of_their_game() {
    let report = json("gaiqi flipping --lanes 2,3 --threads 1");
    let rows = report["rows"].as_array().expect("there are rows");
    let rates = |row: &Value| {
        let rates = row["repeats"].as_array().expect("there are repeats");
        [0, 1].map(|round| rates[round].as_f64().expect("each has a rate"))
    };
    for [first, second] in rows.as_chunks::<2>().0 {
        assert_eq!(first["game"], second["game"]);
        assert_eq!(first["cost_to_first"], 1.0);
        let [a, b] = [0, 1].map(|round| rates(first)[round] / rates(second)[round]);
        let cost = second["cost_to_first"].as_f64().expect("it has a cost");
        // The median of two.
        assert!((cost - (a + b) / 2.0).abs() < 1e-9 * cost, "{cost} of {a} and {b}");
    }
}

#[test]
fn bytes_per_step_are_those_of_the_rows() {
    let bytes =
        |line: &str| json(&format!("gaiqi --lanes 1 {line}"))["rows"][0]["bytes_per_step"].as_u64();
    let spec = darkqi_env::Spec::new("gaiqi", &darkqi_env::Options::new()).expect("it exists");
    // Two rewards of four bytes, the player, two flags and the action.
    let results = 2 * 4 + 1 + 2 + 8;
    let planes = spec.layout.plane_len() + spec.num_actions + results;
    assert_eq!(bytes(""), Some(planes as u64));
    let tokens = spec.layout.token_len() + spec.num_actions.div_ceil(8) + results;
    assert_eq!(bytes("--observation tokens --mask bits"), Some(tokens as u64));
}

#[test]
fn all_games_are_measured_by_default() {
    let report = json("--lanes 2 --threads 1");
    let rows = report["rows"].as_array().expect("there are rows");
    let measured: Vec<_> = rows.iter().filter_map(|row| row["game"].as_str()).collect();
    assert_eq!(measured, games::names());
}

#[test]
fn bad_input_is_named() {
    assert!(error("bench gaiqi chess").starts_with("unknown game `chess`; the games are: "));
    assert!(error("bench --lanes 64,0").contains("'0' for '--lanes"));
    let many = "'many' for '--lanes <N,...>': expected a whole number, not negative";
    assert!(error("bench --lanes many").contains(many));
    assert!(error("bench --threads 0").contains("'0' for '--threads"));
    assert!(error("bench --threads 2000").contains("2000 is not in 1..=1024"));
    assert!(error("bench --seconds 0").contains("expected more than 0"));
    assert!(error("bench --repeats 0").contains("'0' for '--repeats"));
    assert!(error("bench --observation pixels").contains("[possible values: planes, tokens]"));
    assert!(error("bench gaiqi --set quiet=1").starts_with("gaiqi has no option `quiet`"));
    // Only on Linux does the system say how much memory is available.
    if cfg!(target_os = "linux") {
        let memory = error("bench gaiqi --lanes 4294967296");
        assert!(memory.starts_with("gaiqi with 4294967296 lanes: the rows"), "{memory}");
    }
}
