//! `darkqi report`: the page, and faults.

use std::fs;

use crate::cli::{error, played, printed, run};
use crate::cli_json::json;

use super::plain_folder;

/// The page about the dataset `games`.
fn page(root: &str) -> String {
    run(&format!("report {root}/games -o {root}/page.html")).expect("it is written");
    fs::read_to_string(format!("{root}/page.html")).expect("it is there")
}

#[test]
fn datasets_become_a_page() {
    let (_folder, root) = plain_folder();
    for (game, agent) in [("banqi", "random"), ("banqi", "greedy"), ("flipping", "random")] {
        let settings = format!("{game} -n 60 -a {agent} --seed 3 --set max_plies=300");
        played(&settings, format!("{root}/{game}-{agent}"));
    }
    let page = |name: &str| fs::read_to_string(format!("{root}/{name}")).expect("it is there");
    let line = format!("report {root}/banqi-random {root}/banqi-greedy -o {root}");
    let text = run(&format!("{line}/one.html")).expect("it succeeds");
    let start =
        format!("{root}/one.html: In banqi, when greedy plays itself, the player who makes the ");
    assert!(text.starts_with(&start) && text.lines().count() == 1, "{text}");
    let one = page("one.html");
    assert!(one.contains("--agents greedy --seed 3 --set max_plies=300 --out DIR2"), "{one}");
    // The same datasets, another name: the same page.
    assert!(run(&format!("{line}/two.html")).is_ok());
    assert_eq!(one, page("two.html"));

    let text = run(&format!("report {root}/flipping-random -o {root}/one.html"));
    assert!(text.is_ok_and(|text| text.contains("the seat that moves first scores ")));
    assert!(page("one.html").contains("the inventor's estimates"));
    let left: Vec<_> = fs::read_dir(root).expect("it is a folder").flatten().collect();
    assert_eq!(left.len(), 5, "{left:?}");
}

/// Games of fewer positions than there are values to fit have a page, which says so.
#[test]
fn few_games_have_a_page_without_values() {
    let (_folder, root) = plain_folder();
    played("seven_kingdoms -n 3 -a greedy --seed 1", format!("{root}/games"));
    let page = page(&root);
    assert!(page.contains("coefficients and cut points, found 6; more games help"), "{page}");
}

/// The command on a page plays the same games, whatever they begin with.
#[test]
fn a_page_says_how_games_begin() {
    let (_folder, root) = plain_folder();
    for (name, openings) in [
        ("removed", "--remove R --random-plies 4"),
        ("begun", "--fen '~K~P6/8/8/~p~k6 1 - - 0 0 -'"),
    ] {
        let words =
            shlex::split(&format!("selfplay gaiqi -n 30 -a greedy {openings} -o {root}/{name} -q"))
                .expect("words");
        printed(words.iter().map(String::as_str)).1.expect("the games are played");
        run(&format!("report {root}/{name} -o {root}/{name}.html")).expect("it succeeds");
        let page = fs::read_to_string(format!("{root}/{name}.html")).expect("it is there");
        let shown = page.replace("&#39;", "'").replace("&#x27;", "'");
        let (_, rest) = shown.split_once("<pre>darkqi ").expect("it has a command");
        let line = rest.lines().next().expect("a line").replace("DIR", &format!("{root}/{name}-2"));
        let words = shlex::split(&line).expect("words");
        printed(words.iter().map(String::as_str)).1.expect("the games are played again");
        let games = |name: &str| {
            fs::read(format!("{root}/{name}/games/00000.parquet")).expect("it is there")
        };
        assert_eq!(games(name), games(&format!("{name}-2")), "{line}");
    }
}

#[test]
fn faults_are_named() {
    let (_folder, root) = plain_folder();
    for (game, agents) in [("banqi", "random"), ("gaiqi", "random"), ("jieqi", "random,greedy")] {
        played(&format!("{game} -n 4 -a {agents}"), format!("{root}/{game}"));
    }
    let page = format!("{root}/page.html");
    fs::write(&page, "old").expect("the folder is writable");
    let several = error(&format!("report {root}/banqi {root}/gaiqi -o {page}"));
    assert_eq!(several, "expected datasets of one game, found banqi and gaiqi");
    let agents = error(&format!("report {root}/jieqi -o {page}"));
    assert!(agents.starts_with(&format!("{root}/jieqi: expected games of an agent against")));
    assert!(error(&format!("report {root}/chess -o {page}")).starts_with("no dataset at "));
    assert_eq!(fs::read_to_string(&page).expect("it is there"), "old");
    let same = error(&format!("values fit {root}/banqi -o {root}/x.toml --weights {root}/x.toml"));
    assert_eq!(same, "`--weights`: expected another file than `--out`");
    let missing = error(&format!("report {root}/banqi -o {root}/no/page.html"));
    assert!(missing.starts_with(&format!("cannot write {root}/no/page.html: ")), "{missing}");
}

#[test]
fn a_page_and_values_can_go_to_standard_output() {
    let (_folder, root) = plain_folder();
    played("flipping -n 1500 -a greedy:epsilon=0.2", format!("{root}/games"));
    let printed = run(&format!("report {root}/games -o -")).expect("it is printed");
    assert_eq!(printed, page(&root));
    let both = error(&format!("report {root}/games -o - --json"));
    assert_eq!(both, "--json: expected another output than `-`, which takes the page");

    let files = format!("-o {root}/values.toml --weights {root}/weights.toml");
    run(&format!("values fit {root}/games {files}")).expect("they are written");
    for (option, file) in [("--out", "values.toml"), ("--weights", "weights.toml")] {
        let printed = run(&format!("values fit {root}/games {option} -")).expect("it is printed");
        assert_eq!(printed, fs::read_to_string(format!("{root}/{file}")).expect("it is there"));
    }
    let both = error(&format!("values fit {root}/games -o - --weights -"));
    assert!(both.ends_with("which all print"), "{both}");
}

#[test]
fn values_of_few_deals_come_with_a_warning() {
    let (_folder, root) = plain_folder();
    for (name, games, is_few) in [("few", 60, true), ("many", 600, false)] {
        played(&format!("banqi -n {games} -a greedy"), format!("{root}/{name}"));
        for (option, needed) in [("", "110"), ("--by-phase covered", "220")] {
            let text = run(&format!("values fit {root}/{name} {option}")).expect("it is printed");
            let warning =
                format!("WARNING: 60 deals only, so intervals are too narrow; {needed} are");
            assert_eq!(text.contains(&warning), is_few, "{text}");
            assert_eq!(text.contains("WARNING"), is_few, "{text}");
        }
    }
    // Generals are counted in banqi, where their loss ends nothing.
    played("gaiqi -n 60 -a greedy", format!("{root}/gaiqi"));
    let text = run(&format!("values fit {root}/gaiqi")).expect("it is printed");
    assert!(text.contains("left out: its loss ends the game, it is not counted"), "{text}");
}

#[test]
fn a_game_that_is_played_again_and_again_is_warned_of_everywhere() {
    let (_folder, root) = plain_folder();
    let line = format!("selfplay flipping -n 40 -a expectimax:depth=2 -o {root}/games");
    let warning =
        "40 deals begin as if there were only 1, so the figures are those of few openings";
    let told = run(&line).expect("it plays");
    assert!(told.contains(&format!("WARNING: {warning}")), "{told}");
    // So they are where nothing is played any more.
    let again = run(&format!("{line} --resume")).expect("it plays");
    assert!(again.contains(&format!("WARNING: {warning}")), "{again}");
    let told = run(&format!("report {root}/games -o {root}/page.html")).expect("it is written");
    assert!(told.contains(&format!("Warning: {warning}")), "{told}");
    let page = fs::read_to_string(format!("{root}/page.html")).expect("it is there");
    assert!(page.contains(warning), "the page warns");
    let told = run(&format!("first-reveal {root}/games {root}/games --json")).expect("it is read");
    // Each of the two, and each of their differences.
    assert!(told.matches(warning).count() > 4, "{told}");
}

/// Whether some estimate has an interval.
fn has_interval(json: &serde_json::Value) -> bool {
    match json {
        serde_json::Value::Object(fields) => {
            let is_estimate = fields.contains_key("value") && fields.contains_key("low");
            (is_estimate && !fields["low"].is_null()) || fields.values().any(has_interval)
        }
        serde_json::Value::Array(items) => items.iter().any(has_interval),
        _ => false,
    }
}

#[test]
fn equal_results_tell_no_values() {
    let (folder, root) = plain_folder();
    played("jieqi -n 60 -a random --set max_plies=30", format!("{root}/games"));
    let why = "all of 60 games end with the same result, which says nothing of the pieces";
    for option in ["", " --by-phase covered", " --by-region"] {
        let text = run(&format!("values fit {root}/games{option}")).expect("it is printed");
        assert!(text.contains(&format!("no values: {why}")), "{text}");
        let found = json(&format!("values fit {root}/games{option} --json"));
        assert_eq!(found["withheld"], why);
        assert!(!has_interval(&found["terms"]) && !has_interval(&found["forms"]), "{found}");
    }
    let fault = error(&format!("values fit {root}/games -o {root}/values.toml"));
    assert!(fault.contains(why) && fault.contains("wrote nothing"), "{fault}");
    assert!(!folder.path().join("values.toml").exists());
    assert!(page(&root).contains(why), "the page says why there are no values");
    // Other figures that equal results do not determine.
    let found = json(&format!("first-reveal {root}/games --json"));
    let adjusted = &found[0]["revealer"]["adjusted"];
    assert!(adjusted.is_null() || adjusted["adjusted"]["error"].is_null(), "{adjusted}");
    assert!(found[0]["plies"]["mean"]["low"].is_null(), "all games are as long");
}

#[test]
fn a_page_names_no_command_that_plays_other_games() {
    let (_folder, root) = plain_folder();
    let line = format!("selfplay gaiqi -n 60 -a random --shard-games 20 -o {root}/games");
    run(&format!("{line} --shards 1..2 -q")).expect("it plays");
    let fault = error(&format!("finish {root}/games"));
    assert!(fault.contains("--shards 0..1"), "{fault}");
    for (next, is_named) in [("0..1", false), ("2..3", true)] {
        let page = page(&root);
        let command = "darkqi selfplay gaiqi --games";
        assert_eq!(page.contains(command), is_named, "{next}");
        assert_ne!(page.contains("games that no command plays again"), is_named, "{next}");
        run(&format!("{line} --shards {next} -q")).expect("it plays");
        // It fails until all shards are there.
        drop(run(&format!("finish {root}/games")));
    }
}

#[test]
fn values_by_region_are_printed() {
    let (_folder, root) = plain_folder();
    played("jieqi -n 150 -a greedy", format!("{root}/games"));
    let text = run(&format!("values fit {root}/games --by-region")).expect("it is printed");
    assert!(text.contains("as the owner of a piece sees the board: home, across"), "{text}");
    assert!(text.contains("p: of equal log odds in all regions"), "{text}");
    // Soldiers differ in most deals, chariots across the river in few.
    assert!(text.contains("in fewer than 100 deals, and counted in"), "{text}");
    let found = json(&format!("values fit {root}/games --by-region --json"));
    assert_eq!(found["regions"], serde_json::json!(["home", "across"]));
    assert_eq!(found["kinds"].as_array().map(Vec::len), Some(7));
    let both = error(&format!("values fit {root}/games --by-region --by-phase covered"));
    assert!(both.contains("cannot be used with"), "{both}");
    played("seven_kingdoms -n 4 -a random", format!("{root}/kingdoms"));
    let none = error(&format!("values fit {root}/kingdoms --by-region"));
    assert!(none.contains("kingdoms: regions: the board of seven_kingdoms has none"), "{none}");
}

#[test]
fn no_command_writes_over_a_dataset() {
    let (_folder, root) = plain_folder();
    played("gaiqi -n 20 -a greedy", format!("{root}/games"));
    for file in ["dataset.json", "games/00000.parquet", "README.md", "agents", "parts"] {
        let path = format!("{root}/games/{file}");
        for line in [
            format!("report {root}/games -o {path}"),
            format!("values fit {root}/games -o {path}"),
            format!("values fit {root}/games --weights {path}"),
        ] {
            let text = error(&line);
            assert!(text.contains("it is a file of the dataset "), "{line}: {text}");
        }
    }
    assert!(run(&format!("verify {root}/games")).is_ok());
}
