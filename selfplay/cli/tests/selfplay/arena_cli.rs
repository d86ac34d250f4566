//! The output of `darkqi arena`.

use serde_json::Value as Json;

use super::cli::{assert_golden, error, run};
use super::cli_json::json;
use super::folder;

/// The text without the last lines, which give the time, and without the agents' speed.
fn untimed(text: &str) -> String {
    let (text, _) = text.trim_end().rsplit_once("\n\n").expect("the time stands apart");
    let speed = |line: &str| {
        let line = line.trim_end();
        let cut = line.rsplit_once(' ').map_or(line, |(rest, _)| rest);
        cut.trim_end().to_owned()
    };
    let mut in_agents = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        in_agents = line.starts_with("agent ") || (in_agents && !line.starts_with("rating:"));
        lines.push(if in_agents { speed(line) } else { line.trim_end().to_owned() });
    }
    lines.join("\n") + "\n"
}

#[test]
fn tables_agree_with_golden_files() {
    let text = run("arena gaiqi -a greedy,random -n 199 --seed 3").expect("it succeeds");
    assert_golden("arena.txt", &untimed(&text));
    let line = "arena gaiqi -a greedy,random -n 2000 --sprt 0,100 --random-plies 2";
    assert_golden("arena-sprt.txt", &untimed(&run(line).expect("it succeeds")));
}

#[test]
fn few_openings_come_with_a_warning() {
    let folder = folder();
    let file = folder.path().join("openings.txt");
    let warning = "WARNING: 2 openings only, so intervals and tests are rough; 30 are enough";
    for (lines, warns) in [("c2c3\nd2d3\n", true), ("c2c3\n", false)] {
        std::fs::write(&file, lines).expect("it can be written");
        let line = format!(
            "arena flipping -a greedy,random -n 4 --random-plies 2 --openings {}",
            file.display()
        );
        let text = run(&line).expect("it succeeds");
        assert_eq!(text.contains(warning), warns, "{text}");
    }
}

#[test]
fn json_has_all_figures() {
    let line = "arena gaiqi -a greedy,random -n 20 --sprt=-5,5 --alpha 0.1 --json";
    let json = json(line);
    let keys = |json: &Json| -> Vec<String> {
        let object = json.as_object().expect("it is an object");
        object.keys().cloned().collect()
    };
    let has = |json: &Json, expected: &str| {
        let mut expected: Vec<&str> = expected.split_whitespace().collect();
        let mut found = keys(json);
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected);
    };
    has(
        &json,
        "software_version game options seed openings remove random_plies seats games_per_block games_per_pair \
         complete agents reference pairs cycles sprt warnings resumed_games restarts seconds",
    );
    has(
        &json["agents"][0],
        "agent elo elo_kind group group_elo games points score \
         decisions seconds decisions_per_second",
    );
    has(
        &json["pairs"][0],
        "first second games blocks effective_blocks warnings wins draws losses truncated pentanomial block_scores score elo \
         normalized_elo los mean_plies endings adjusted",
    );
    has(&json["pairs"][0]["score"], "value low high");
    has(&json["pairs"][0]["elo"], "value low high");
    has(&json["pairs"][0]["block_scores"][0], "score blocks");
    has(&json["sprt"], "elo0 elo1 alpha beta lower upper llr decision");
    assert_eq!((&json["sprt"]["elo0"], &json["sprt"]["alpha"]), (&(-5.0).into(), &0.1.into()));
    assert_eq!(json["options"]["max_plies"].as_u64().map(|plies| plies > 0), Some(true));
    assert_eq!(json["pairs"][0]["first"], "greedy");
    assert_eq!(json["agents"][0]["elo"]["value"], 0.0);
}

#[test]
fn infinite_and_unknown_values_are_null_or_bounds() {
    // Games truncated before a seat can win give equal blocks.
    let level = json("arena gaiqi -a greedy,random -n 20 --set max_plies=2 --json");
    let pair = &level["pairs"][0];
    assert_eq!((&pair["truncated"], &pair["draws"]), (&20.into(), &20.into()));
    assert_eq!((&pair["elo"]["value"], &pair["los"]), (&0.0.into(), &0.5.into()));
    assert!(pair["normalized_elo"].is_null());

    let sweep = "arena flipping -a greedy,random -n 2 --seed 1";
    let found = json(&format!("{sweep} --json"));
    let pair = &found["pairs"][0];
    assert_eq!(pair["wins"], 2, "choose another seed: greedy must win both games");
    assert!(pair["elo"]["value"].is_null() && pair["elo"]["high"].is_null(), "{pair}");
    assert!(pair["elo"]["low"].is_number() && pair["los"].as_f64() < Some(0.9));
    assert_eq!(found["agents"][1]["elo_kind"], "minus_infinity");
    let text = run(sweep).expect("it succeeds");
    assert!(text.contains("+inf") && text.contains("> -") && text.contains("-inf"), "{text}");
    assert!(!text.contains("NaN"), "{text}");
}

#[test]
fn copies_of_a_game_are_warned_of_and_decide_nothing() {
    let line = "arena flipping -a expectimax:depth=2,expectimax:depth=1 -n 60 --random-plies 0";
    let text = run(&format!("{line} --sprt 0,50")).expect("it succeeds");
    let warning =
        "WARNING: 30 blocks begin as if there were only 1, so the figures are those of few";
    assert!(text.contains(warning), "{text}");
    assert!(text.contains("undecided\n") && text.contains("count as few"), "{text}");
    let found = json(&format!("{line} --sprt 0,50 --json"));
    assert_eq!(
        (&found["pairs"][0]["effective_blocks"], &found["pairs"][0]["blocks"]),
        (&1.into(), &30.into())
    );
    assert!(found["pairs"][0]["warnings"][0].as_str().is_some_and(|text| text.contains("only 1")));
    assert_eq!(found["sprt"]["decision"], "undecided");
    // The same games, each begun otherwise.
    let others = json(&line.replace("--random-plies 0", "--json"));
    assert!(others["pairs"][0]["warnings"].as_array().is_some_and(Vec::is_empty), "{others}");
}

#[test]
fn rounding_up_is_reported() {
    let text = run("arena gaiqi -a greedy,random -n 5 --quiet").expect("it succeeds");
    assert!(text.starts_with("6 games of gaiqi"), "{text}");
    assert!(text.contains("games per pair: 5 rounded up to 6"), "{text}");
}

#[test]
fn a_match_resumes_from_its_log() {
    let folder = folder();
    let path = folder.path().join("match");
    let line = format!("arena gaiqi -a greedy,random -n 10 --out {}", path.display());
    let first = run(&line).expect("it succeeds");
    assert!(!first.contains("already"), "{first}");
    let second = run(&line).expect("it succeeds");
    assert!(second.contains("the dataset held 10 games already"), "{second}");
    assert!(error(&format!("{line} --seed 1")).contains("seed: 0 there, 1 asked for"));
}

#[test]
fn bad_input_is_named() {
    let arena = |rest: &str| error(&format!("arena gaiqi -n 2 {rest}"));
    let pair = "-a greedy,random";
    assert!(arena(&format!("{pair} --sprt 1")).contains("expected two Elo differences"));
    assert!(arena(&format!("{pair} --sprt 1,2,3")).contains("got 3 of them"));
    assert!(arena(&format!("{pair} --sprt 5,1")).contains("the lower one first"));
    assert!(arena(&format!("{pair} --sprt 1,x")).contains("--sprt"));
    assert!(arena(&format!("{pair} --alpha 0.1")).contains("--sprt"));
    assert!(arena(&format!("{pair} --sprt 0,5 --beta 0.5")).contains("from 1e-9 to below 0.5"));
    assert!(arena(&format!("{pair} --random-plies -1")).contains("-1"));
    assert!(error("arena gaiqi -a greedy,random").contains("--games"));
}
