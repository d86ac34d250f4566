//! Studies of strength and of rules.

use std::fs;
use std::path::Path;

use darkqi_format::{Dataset, MANIFEST_FILE};
use serde_json::Value as Json;

use super::cli::{error, run};
use super::cli_json::json;
use super::{files, folder, folder_with, plain_folder};

/// What a command prints.
fn said(command: &str) -> String {
    run(command).expect("it succeeds")
}

/// The study without its wall times.
fn timeless(mut study: Json) -> Json {
    if let Some(ladder) = study.get_mut("ladder") {
        for field in ["seconds", "resumed_games"] {
            ladder[field] = Json::Null;
        }
        for agent in ladder["agents"].as_array_mut().expect("there are agents") {
            for field in ["seconds", "decisions", "decisions_per_second"] {
                agent[field] = Json::Null;
            }
        }
    }
    study
}

#[test]
fn strength_is_measured_against_elo() {
    let folder = folder();
    let dir = folder.path().display();
    let agents = "random,greedy,expectimax:depth=1";
    let command = format!("strength gaiqi -a {agents} -n 60 --match-games 40 -o {dir} -q");
    let found = json(&format!("{command} --json"));
    let rungs = found["rungs"].as_array().expect("there are agents");
    let elo = |place: usize| rungs[place]["elo"]["value"].as_f64().expect("it is finite");
    assert!(elo(0) == 0.0 && elo(1) > 100.0 && elo(2) > elo(1), "{rungs:?}");
    for rung in rungs {
        assert_eq!(rung["first_reveal"]["games"], 60);
        let [wide, narrow] = [0, 1].map(|place| rung["games_needed"][place][1].as_u64());
        let (wide, narrow) = (wide.expect("a number"), narrow.expect("a number"));
        // Four times as many, but for what Wilson's interval adds.
        assert!(narrow.abs_diff(4 * wide) <= wide / 10, "{rung}");
    }
    assert!(found["trends"]["score"]["slope"]["error"].as_f64().is_some_and(|error| error > 0.0));
    // The dots are the agents, and the page begins with them.
    let page = fs::read_to_string(folder.path().join("report.html")).expect("it is written");
    assert!(page.contains("The score against strength") && page.contains("random: Elo 0, score"));
    // What is there is kept.
    let again = timeless(json(&format!("{command} --json")));
    assert_eq!(again, timeless(found));
    let text = said(&command);
    assert!(text.contains("score per 100 Elo: "), "{text}");
}

#[test]
fn a_sweep_compares_all_rules_on_common_deals() {
    let folder = folder();
    let dir = folder.path().display();
    let command = format!(
        "sweep banqi --vary quiet_limit=4,60 --vary remove=none,R+C -a greedy -n 120 -o {dir} -q"
    );
    let found = json(&format!("{command} --json"));
    let agent = &found["agents"][0];
    let labels: Vec<&str> = agent["sets"]
        .as_array()
        .expect("there are sets")
        .iter()
        .map(|set| set["label"].as_str().expect("it has one"))
        .collect();
    assert_eq!(
        labels,
        [
            "quiet_limit=4, remove=none",
            "quiet_limit=4, remove=R+C",
            "quiet_limit=60, remove=none",
            "quiet_limit=60, remove=R+C"
        ]
    );
    // Games that are drawn after 4 quiet plies are shorter.
    let plies = agent["differences"]["plies"].as_array().expect("there are differences");
    assert_eq!(plies.len(), 6);
    let of = |first: u64, second: u64| {
        let is_it = |one: &&Json| one["first"] == first && one["second"] == second;
        plies.iter().find(is_it).expect("each pair is compared")
    };
    assert!(of(0, 2)["difference"]["low"].as_f64().is_some_and(|low| low > 5.0), "{plies:?}");
    assert!(of(0, 1)["paired"] == true && of(0, 2)["paired"] == true);
    assert!(agent["as_fair"].as_array().is_some_and(|sets| !sets.is_empty()));
    assert!(found["skill"].as_array().is_some_and(Vec::is_empty));
    let text = said(&command);
    for set in agent["sets"].as_array().expect("there are sets") {
        let [label, said] = [&set["label"], &set["fairness"]["sentence"]].map(|it| it.as_str());
        let sentence = format!("{}: {}", label.expect("a text"), said.expect("a text"));
        assert!(text.contains(&sentence), "{sentence}: {text}");
    }
    let page = fs::read_to_string(folder.path().join("report.html")).expect("it is written");
    assert!(page.contains("Rules, greedy against itself"), "{page}");
    let title = "<h1>Rules of banqi compared: quiet_limit 4, 60; remove none, R+C</h1>";
    assert!(page.contains(title), "{page}");
    assert!(page.contains("further from even by") && page.contains("p (Holm)"), "{page}");
    // The command of the page makes the page.
    let (_, rest) = page.split_once("<pre>darkqi ").expect("it has a command");
    let (line, _) = rest.split_once("</pre>").expect("it ends");
    let other = folder.path().join("again");
    said(&format!("{} -q", line.replace("DIR", &other.display().to_string())));
    assert_eq!(fs::read_to_string(other.join("report.html")).expect("it is written"), page);
}

/// Files of rules may lie anywhere, and are called by names that tell them apart.
#[test]
fn files_of_varied_rules_are_told_apart() {
    let folder = folder();
    let dir = folder.path().display();
    let file = |path: &str, limit: u32| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
        fs::write(&path, format!("game = \"banqi\"\nquiet_limit = {limit}\n")).expect("a file");
        path.display().to_string()
    };
    let paths = [file("a,b/规则.toml", 5), file("c/规则.toml", 6), file("c/taiwan.toml", 7)];
    let [one, other, taiwan] = &paths;
    let own = file("own.toml", 8);
    let vary = format!("rules=\"{one}\",{other},{taiwan},{own},taiwan");
    let found = json(&format!("sweep banqi --vary {vary} -a random -n 4 -o {dir}/s -q --json"));
    let sets = found["agents"][0]["sets"].as_array().expect("there are sets");
    let labels: Vec<_> = sets.iter().map(|set| set["label"].as_str().expect("a text")).collect();
    let names = [&*paths[0], &*paths[1], &*paths[2], "own", "taiwan"];
    assert_eq!(labels, names.map(|name| format!("rules={name}")));
}

/// What is set or varied beside rules changes them further, and rules are either set or varied.
#[test]
fn varied_rules_leave_other_options_as_they_are_called() {
    let folder = folder();
    let dir = folder.path().display();
    let cannon = |label: &str| {
        let dataset = Dataset::open(folder.path().join("random").join(label));
        dataset.expect("it is played").metadata().options["cannon"].clone()
    };
    said(&format!("sweep banqi --vary rules=usual,taiwan -a random -n 4 -o {dir} -q"));
    assert_eq!([cannon("rules-usual"), cannon("rules-taiwan")], ["step", "jump"]);
    for vary in [
        "--set cannon=step --vary rules=usual,hongkong",
        "--rules hongkong --set cannon=step --vary quiet_limit=7,9",
    ] {
        let other = format!("{dir}/{}", vary.len());
        said(&format!("sweep banqi {vary} -a random -n 4 -o {other} -q"));
        let mut found = files(Path::new(&other)).into_iter();
        assert!(found.any(|(name, _)| name.ends_with("dataset.json")), "{vary}");
        for (name, contents) in files(Path::new(&other)) {
            if name.ends_with("dataset.json") {
                let manifest: Json = serde_json::from_slice(&contents).expect("it is JSON");
                assert_eq!(manifest["options"]["cannon"], "step", "{vary}: {name}");
            }
        }
    }
    // All that distinguishes these is set.
    for vary in ["--set cannon=step", "--vary cannon=step"] {
        let equal =
            error(&format!("sweep banqi {vary} --vary rules=usual,taiwan -a random -o {dir}/x"));
        assert!(equal.starts_with("vary: expected different rules, got "), "{equal}");
    }
    let both = error(&format!(
        "sweep banqi --rules taiwan --vary rules=usual,hongkong -a random -o {dir}/x"
    ));
    assert_eq!(both, "vary: expected rules either set or varied, got both");
}

#[test]
fn numbers_of_games_are_checked_before_any_is_played() {
    let folder = folder();
    let dir = folder.path().join("out");
    let (out, many) = (dir.display(), u64::MAX);
    for (command, fault) in [
        (format!("values balance banqi --test-games {many}"), "test_games: expected at most"),
        (format!("values balance banqi -n {many}"), "games: expected at most"),
        (
            format!("sweep gaiqi --vary quiet_limit=3,4 -a random,greedy --match-games {many}"),
            "match_games: expected at most",
        ),
        (format!("strength gaiqi -a random,greedy -n {many}"), "games: expected at most"),
    ] {
        let found = error(&format!("{command} -o {out} -q"));
        assert!(found.starts_with(fault), "{command}: {found}");
        assert!(!dir.exists(), "{command}");
    }
    let found = error(&format!("solve banqi --size 2x2 --army KP -a greedy -n {many}"));
    assert!(found.contains("1..=1000000000"), "{found}");
}

#[test]
fn handicaps_that_make_a_game_fair_are_found() {
    let folder = folder();
    let dir = folder.path().display();
    let command =
        format!("sweep jieqi --vary remove=each -a random -n 300 --margin 0.2 -o {dir} -q");
    let found = json(&format!("{command} --json"));
    let sets = found["agents"][0]["sets"].as_array().expect("there are sets");
    let labels: Vec<&str> = sets.iter().filter_map(|set| set["label"].as_str()).collect();
    // A general cannot be given.
    let expected = ["none", "A", "E", "H", "R", "C", "P"].map(|name| format!("remove={name}"));
    assert_eq!(labels, expected);
    for set in sets {
        let test = &set["equivalence"];
        assert_eq!(test["margin"], 0.2);
        assert!(test["p_value"].as_f64() <= test["p_holm"].as_f64(), "{test}");
    }
    let text = said(&command);
    assert!(text.contains("remove=none: fair within 0.2: the score is 0."), "{text}");
    let strict = said(&command.replace("--margin 0.2", "--margin 0.001"));
    assert!(
        strict.contains("remove=none: not decided: ") && !strict.contains("fair within 0.001"),
        "{strict}"
    );
}

#[test]
fn a_sweep_stops_when_its_differences_are_known() {
    let folder = folder();
    let until = |dir: &str, options: &str| {
        let dir = folder.path().join(dir);
        format!(
            "sweep banqi --vary quiet_limit=4,60 --vary cannon=step,jump -a greedy {options} -o {} -q",
            dir.display()
        )
    };
    let asked = "--until 0.07 -n 5000";
    let found = json(&format!("{} --json", until("whole", asked)));
    let agent = &found["agents"][0];
    let settled = &agent["settled"];
    let deals = settled["deals"].as_u64().expect("a number");
    assert!(settled["is_reached"] == true && settled["half_width"] == 0.07, "{settled}");
    assert!((200..5000).contains(&deals), "{settled}");
    let differences = settled["differences"].as_array().expect("there are differences");
    assert_eq!(differences.len(), 6);
    for (one, other) in
        differences.iter().zip(agent["differences"]["score"].as_array().expect("as many"))
    {
        let figure = |name: &str| one["difference"][name].as_f64().expect("it is finite");
        assert!(figure("high") - figure("low") <= 0.14 + 1e-12, "{one}");
        assert!(figure("low") <= figure("value") && figure("value") <= figure("high"));
        assert_eq!([&one["first"], &one["second"]], [&other["first"], &other["second"]]);
        // All games have a first reveal, so both differences are those of the same means.
        let same = other["difference"]["value"].as_f64().expect("it is finite");
        assert!((figure("value") - same).abs() < 1e-9, "{one} {other}");
    }
    for set in agent["sets"].as_array().expect("there are sets") {
        assert_eq!(set["first_reveal"]["games"], deals);
    }
    let text = said(&until("whole", asked));
    let known = format!("is known to ±0.07 after {deals} games of each");
    assert!(text.contains(&known) && text.contains("score less that of quiet_limit="), "{text}");

    // Another number of threads, and rounds that were interrupted or ended early, change nothing.
    let again = |dir: &str| {
        let found = json(&format!("{} --json", until(dir, asked)));
        let mut agents = found["agents"].clone();
        for set in agents[0]["sets"].as_array_mut().expect("there are sets") {
            set["path"] = Json::Null;
        }
        agents
    };
    let expected = again("whole");
    let early = json(&format!("{} --json", until("parts", "--until 0.07 -n 300 --threads 1")));
    let early = &early["agents"][0]["settled"];
    assert!(early["is_reached"] == false && early["deals"] == 300, "{early}");
    let text = said(&until("parts", "--until 0.07 -n 300"));
    assert!(text.contains("not every difference in score between two sets is known"), "{text}");
    assert_eq!(again("parts"), expected);

    // More games than the half-width needs are not left out of the other figures.
    let fault = error(&until("parts", "--until 0.3 -n 5000"));
    let expected = format!("until: expected a half-width that needs all {deals} games in");
    assert!(fault.contains(&expected), "{fault}");
}

#[test]
fn a_single_set_stops_when_its_score_is_known() {
    let folder = folder();
    let command = format!(
        "sweep banqi --vary quiet_limit=10 -a random --until 0.1 -qn 5000 -o {}",
        folder.path().display()
    );
    let found = json(&format!("{command} --json"));
    let agent = &found["agents"][0];
    let (settled, set) = (&agent["settled"], &agent["sets"][0]);
    assert!(settled["is_reached"] == true && settled["differences"] == serde_json::json!([]));
    assert_eq!(set["first_reveal"]["games"], settled["deals"]);
    // Wider than one that says nothing of stopping, and as narrow as was asked for.
    let ends = |score: &Json| ["low", "high"].map(|end| score[end].as_f64().expect("it is finite"));
    let [[low, high], [inner, outer]] =
        [&settled["score"], &set["first_reveal"]["revealer"]["outcomes"]["score"]].map(ends);
    assert!(low < inner && outer < high && high - low <= 0.2, "{low} {inner} {outer} {high}");
    assert!(said(&command).contains("anytime-valid score: "), "{command}");
    let known = format!("the score is known to ±0.1 after {} games", settled["deals"]);
    let verdict = agent["verdict"].as_array().expect("there are sentences");
    assert!(verdict.contains(&Json::from(known)), "{verdict:?}");
    assert_eq!(found["agreement"], serde_json::json!([]));
    let page = fs::read_to_string(folder.path().join("report.html")).expect("there is a page");
    assert!(page.contains(" --until 0.1 -n 5000 --out DIR"), "options without values are left out");
}

#[test]
fn time_ends_a_sweep_and_its_command_plays_the_same_games() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let study = |options: &str, dir: &str| {
        format!("sweep banqi --vary quiet_limit=4,6 {options} -o {} -q --json", at(dir).display())
    };
    let timed = study("-a random,greedy --minutes 0.02 --match-games 0 -n 100000", "timed");
    let found = json(&timed);
    assert!(found["skill"] == serde_json::json!([]), "matches have no games");
    assert_eq!(found["agreement"].as_array().map(Vec::len), Some(2));
    for agent in found["agents"].as_array().expect("there are agents") {
        let games = &agent["sets"][0]["first_reveal"]["games"];
        assert_eq!(*games, agent["sets"][1]["first_reveal"]["games"], "sets have equal games");
        assert!((20..100_000).contains(&games.as_u64().expect("a number")), "{games}");
        let name = agent["agent"].as_str().expect("it is a text");
        let options = format!("-a {name} --games {games} --match-games 0");
        json(&study(&options, "again"));
        let page = fs::read_to_string(at("timed/report.html")).expect("there is a page");
        assert!(page.contains(&format!("--agents {name} --games {games}")), "{options}");
        for set in ["quiet-limit-4", "quiet-limit-6"] {
            let of = |dir: &str| files(&at(dir).join(name).join(set));
            assert_eq!(of("timed"), of("again"), "{name} {set}");
        }
    }
    // Time is up: the same command plays no more.
    assert_eq!(json(&timed)["agents"], found["agents"]);
    // A note of more time than there was says nothing.
    fs::write(at("timed/random/time.json"), "[1e19, 20]").expect("it can be written");
    assert_eq!(json(&timed)["agents"].as_array().map(Vec::len), Some(2));
}

#[test]
fn rules_of_a_file_are_called_by_its_name() {
    let folder = folder();
    let file = folder.path().join("mine.toml");
    fs::write(&file, "game = 'banqi'\nchain = true\n").expect("it can be written");
    let found = json(&format!(
        "sweep banqi --vary rules=usual,{} --set max_plies=20 -a random -n 4 -o {} -q --json",
        file.display(),
        folder.path().join("study").display()
    ));
    let sets = found["agents"][0]["sets"].as_array().expect("there are sets");
    let labels: Vec<&Json> = sets.iter().map(|set| &set["label"]).collect();
    assert_eq!(labels, ["rules=usual", "rules=mine"]);
}

#[test]
fn agents_of_a_sweep_play_the_one_before() {
    let folder = folder();
    let dir = folder.path().display();
    let found = json(&format!(
        "sweep gaiqi --vary max_plies=60,100 -a random,greedy -n 20 --match-games 20 -o {dir} -q \
         --json"
    ));
    let skill = found["skill"].as_array().expect("it is a list");
    assert_eq!(skill.len(), 2);
    assert!(skill.iter().all(|one| one["agent"] == "greedy" && one["opponent"] == "random"));
    assert!(skill.iter().all(|one| one["score"]["value"].as_f64() > Some(0.6)), "{skill:?}");
}

#[test]
fn faulty_studies_are_refused_before_anything_is_played() {
    let (_folder, dir) = folder_with("study");
    let fault = |command: &str| error(&format!("{command} -n 10 -o {} -q", dir.display()));
    let check = |command: &str, expected: &str| {
        let found = fault(command);
        assert!(found.contains(expected), "{found}");
    };
    check("strength gaiqi -a greedy", "agents: expected at least 2, got 1");
    check("strength gaiqi -a greedy,greedy", "`greedy` twice");
    check("sweep gaiqi --vary max_plies=5,05 -a greedy", "max_plies=05 twice");
    check("sweep gaiqi --vary max_plies=5 --set max_plies=6 -a greedy", "either set or varied");
    check("sweep gaiqi --vary remove=none,R,r -a greedy", "twice");
    check("strength gaiqi -a random,greedy --match-games 0", "match_games: expected at least 1");
    check("sweep gaiqi --vary max_plies=5, -a greedy", "a value after each comma");
    check("sweep gaiqi --vary max_plies=5", "--agents");
    check("sweep gaiqi --vary none -a greedy", "expected OPTION=VALUE,VALUE");
    check("sweep gaiqi --vary quiet_limits=1,2 -a greedy", "gaiqi has no option `quiet_limits`");
    check(
        "sweep gaiqi --vary max_plies=5,5 -a greedy",
        "vary: expected different values of max_plies",
    );
    check("sweep gaiqi --vary max_plies=5 --vary max_plies=6 -a greedy", "`max_plies` twice");
    check(
        "sweep gaiqi --vary remove=each -a greedy",
        "expected names of pieces with remove, as the first reveal of gaiqi decides who owns an army, got each",
    );
    check(
        "sweep gaiqi --vary max_plies=5 -a greedy --margin 0",
        "margin: expected a number above 0",
    );
    check(
        "sweep gaiqi --vary max_plies=5,6 -a greedy --until 0",
        "until: expected a half-width above 0 and at most 0.5, got 0",
    );
    check(
        "sweep gaiqi --vary max_plies=5 -a greedy --minutes 0",
        "minutes: expected a number above 0 and at most 10080, got 0",
    );
    check("sweep gaiqi --vary remove=Z -a greedy", "remove: `Z` is no piece of gaiqi");
    assert!(!dir.exists());
    fs::create_dir(&dir).expect("it can be made");
    fs::write(dir.join(MANIFEST_FILE), "{}").expect("it can be written");
    let expected = "out: expected a folder for a study, got that of a dataset";
    check("sweep gaiqi --vary max_plies=5 -a greedy", expected);
    check("strength gaiqi -a random,greedy", expected);
}

#[test]
fn a_folder_has_one_kind_of_study() {
    let (_folder, root) = plain_folder();
    let sweep = "sweep gaiqi --vary max_plies=5,6 -a greedy -n 4 -q";
    let strength = "strength gaiqi -a random,greedy -n 4 --match-games 4 -q";
    for (first, second, of) in
        [(sweep, strength, "a sweep"), (strength, sweep, "the study of strength")]
    {
        let dir = format!("{root}/{}", of.replace(' ', "-"));
        run(&format!("{first} -o {dir}")).expect("it is played");
        let page = fs::read(format!("{dir}/report.html")).expect("it is there");
        let expected =
            format!("out: expected a folder of its own for each study, got that of {of}");
        assert_eq!(error(&format!("{second} -o {dir}")), expected);
        assert!(fs::read(format!("{dir}/report.html")).expect("it is there") == page);
        run(&format!("{first} -o {dir}")).expect("it is resumed");
    }
}
