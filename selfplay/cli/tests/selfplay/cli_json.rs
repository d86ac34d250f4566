//! `--json`: one object on standard output, with the figures of the text and of the library.

use darkqi_engine::agents::{COMMON_OPTIONS, agents};
use darkqi_env::{Options, Spec, games};
use darkqi_format::Dataset;
use darkqi_play::replay::replay;
use serde_json::Value as Json;

use super::cli::{columns, played, printed, run};
use super::{folder, folder_with};

fn parse(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The output of a command.
pub(crate) fn json(line: &str) -> Json {
    parse(&run(line).expect(line))
}

/// The output of a command, which may fail, and its result.
pub(crate) fn json_and_result(line: &str) -> (Json, Result<(), String>) {
    let (text, result) = printed(line.split_whitespace());
    (parse(&text), result)
}

fn texts(json: &Json, key: &str) -> Vec<String> {
    let list = json.as_array().expect("it is a list");
    list.iter().map(|one| one[key].as_str().expect("it is text").to_owned()).collect()
}

#[test]
fn games_have_all_facts_of_their_specs() {
    let found = json("games --json");
    assert_eq!(texts(&found["games"], "name"), games::names());
    for game in found["games"].as_array().expect("it is a list") {
        let name = game["name"].as_str().expect("it is text");
        let spec = Spec::new(name, &Options::new()).expect("the game exists");
        assert_eq!(game["num_players"], spec.num_players);
        assert_eq!(game["num_actions"], spec.num_actions);
        assert_eq!(game["observation_shape"], Json::from(spec.layout.plane_shape().to_vec()));
        assert_eq!(game["plane_names"], Json::from(spec.layout.plane_names()));
        assert_eq!(game["armies"].as_array().map(Vec::len), Some(spec.armies.len()));
        let options: Vec<_> = spec.options.iter().map(|option| option.name).collect();
        assert_eq!(texts(&game["options"], "name"), options);
        assert!(game["options"][0]["default"] != Json::Null, "{game}");
    }
}

#[test]
fn agents_have_their_own_and_the_common_options() {
    let found = json("agents --json");
    let names: Vec<_> = agents().iter().map(|info| info.name).collect();
    assert_eq!(texts(&found["agents"], "name"), names);
    for (agent, info) in found["agents"].as_array().expect("it is a list").iter().zip(agents()) {
        assert_eq!(agent["about"], info.about);
        let options: Vec<_> =
            info.options.iter().chain(COMMON_OPTIONS).map(|option| option.name).collect();
        assert_eq!(texts(&agent["options"], "name"), options);
    }
}

#[test]
fn perft_counts_as_the_table_does() {
    let line = "perft jieqi --depth 3 --seed 7";
    let found = json(&format!("{line} --json"));
    let rows = found["counts"].as_array().expect("it is a list").iter();
    let rows: String = rows.map(|row| format!("{} {}\n", row["depth"], row["count"])).collect();
    let text = columns(&run(line).expect(line), 2);
    assert_eq!(text, format!("depth count\n{rows}"));
    assert_eq!((&found["game"], &found["ending"]), (&"jieqi".into(), &Json::Null));
    assert!(found["options"]["max_plies"].is_number() && found["fen"].is_string());

    let line = "perft jieqi --depth 2 --divide";
    let found = json(&format!("{line} --json"));
    let actions = found["actions"].as_array().expect("it is a list").iter();
    let text = |action: &Json| action["action"].as_str().expect("it is text").to_owned();
    let rows: String =
        actions.map(|action| format!("{} {}\n", text(action), action["count"])).collect();
    let expected = columns(&run(line).expect(line), 2);
    assert_eq!(expected, format!("action count\n{rows}total {}\n", found["count"]));
}

#[test]
fn selfplay_summarises_its_dataset() {
    let (folder, dir) = folder_with("games");
    let line = format!("selfplay gaiqi -n 60 -a greedy,random --duplicate --out {}", dir.display());
    let found = json(&format!("{line} --seed 4 --shard-games 20 --json"));
    let dataset = Dataset::open(&dir).expect("the dataset can be opened");
    assert_eq!((&found["game"], &found["seed"]), (&"gaiqi".into(), &4.into()));
    assert_eq!((&found["games"], &found["complete"]), (&60.into(), &true.into()));
    assert_eq!((&found["kept_games"], &found["settled"]), (&0.into(), &Json::Null));
    let games: Vec<_> = dataset.games().collect::<Result<_, _>>().expect("it can be read");
    assert_eq!(found["plies"], games.iter().map(|game| u64::from(game.plies)).sum::<u64>());
    assert_eq!(found["lengths"]["max"].as_u64(), games.iter().map(|one| one.plies.into()).max());
    let reasons = found["reasons"].as_object().expect("it is an object");
    for (reason, count) in reasons {
        let counted = games.iter().filter(|game| game.reason == reason.as_str()).count();
        assert_eq!(*count, counted, "{reason}");
    }
    assert_eq!(texts(&found["agents"], "name"), ["greedy", "random"]);
    let [greedy, random] = [0, 1].map(|agent| &found["agents"][agent]);
    assert_eq!(greedy["wins"], random["losses"]);
    let [low, score, high] = ["low", "value", "high"].map(|name| greedy["score"][name].as_f64());
    assert!(low < score && score < high, "{greedy}");

    let line = format!("selfplay --resume --out {} --games 80 --quiet --json", dir.display());
    let found = json(&line);
    assert_eq!((&found["games"], &found["kept_games"]), (&80.into(), &60.into()));
    let dir = folder.path().join("until");
    let line = format!("selfplay gaiqi -n 60 --until 0.2 --out {} --json", dir.display());
    let settled = &json(&line)["settled"];
    assert_eq!((&settled["half_width"], &settled["deals"]), (&0.2.into(), &60.into()));
    let again = &json(&format!("first-reveal {} --until 0.2 --json", dir.display()))[0]["settled"];
    assert_eq!(settled, again);
    assert_eq!(settled["is_luck_adjusted"], false);

    let dir = folder.path().join("adjusted");
    // Without a game nothing is known, not even within a half.
    let half = dir.with_file_name("half");
    let found = json(&format!("selfplay gaiqi -n 60 --until 0.5 --out {} --json", half.display()));
    assert!(found["games"].as_u64() > Some(0), "{found}");
    let line = format!("selfplay gaiqi -n 60 --until 0.2 --luck-adjusted --out {}", dir.display());
    let settled = &json(&format!("{line} --json"))["settled"];
    assert_eq!((&settled["is_luck_adjusted"], &settled["deals"]), (&true.into(), &60.into()));
    let line = format!("first-reveal {} --until 0.2", dir.display());
    let again = &json(&format!("{line} --json"))[0]["settled_adjusted"];
    assert_eq!(settled["score"], again["score"]);
    let text = run(&line).expect("it can be measured");
    assert!(text.contains("anytime-valid luck-adjusted score of the first revealer"), "{text}");
}

#[test]
fn differences_of_datasets_are_those_of_the_table() {
    let folder = folder();
    let dirs: Vec<_> = ["greedy", "random"]
        .map(|agent| {
            let dir = folder.path().join(agent);
            played(&format!("gaiqi -n 100 -a {agent}"), dir.display());
            dir.display().to_string()
        })
        .into();
    let line = format!("first-reveal {}", dirs.join(" "));
    let found = json(&format!("{line} --json"));
    assert_eq!(found[0]["differences"]["score"], Json::Array(Vec::new()));
    let score = &found[1]["differences"]["score"][0];
    assert_eq!((&score["first"], &score["second"]), (&0.into(), &1.into()));
    assert_eq!(score["paired"], true);
    let means = [0, 1].map(|at: usize| &found[at]["revealer"]["outcomes"]["score"]["value"]);
    let [greedy, random] = means.map(|mean| mean.as_f64().expect("it is a number"));
    let value = score["difference"]["value"].as_f64().expect("it is a number");
    assert!((random - greedy - value).abs() < 1e-12, "{score}");
    let p = score["p_holm"].as_f64().expect("it is a number");
    let text = run(&line).expect("they can be measured");
    let row = text.lines().find(|line| line.starts_with("score ") && line.contains("common"));
    let row = row.unwrap_or_else(|| panic!("{text}"));
    assert!(row.contains(&format!("{value:+.4} (")) && row.contains(&format!("{p:.4}")), "{row}");
    // One dataset differs from nothing.
    let alone = json(&format!("first-reveal {} --json", dirs[0]));
    assert!(alone[0].get("differences").is_none());
}

#[test]
fn replay_gives_the_logged_game_with_fens() {
    let (_folder, dir) = folder_with("games");
    played("jieqi -n 3 -a ismcts:sims=4,greedy --seed 2 --set max_plies=30", dir.display());
    let found = json(&format!("replay {} 1 --json", dir.display()));
    let dataset = Dataset::open(&dir).expect("the dataset can be opened");
    let record = dataset.game(1).expect("there is such a game");
    assert_eq!((&found["game"], &found["game_id"]), (&"jieqi".into(), &1.into()));
    assert_eq!(found["options"]["max_plies"], 30);
    assert_eq!(found["agents"], Json::from(record.agents.clone()));
    assert_eq!((&found["deal"], &found["winner"]), (&record.deal.into(), &record.winner.into()));
    assert!(found.get("differences").is_none());
    let plies = found["plies"].as_array().expect("it is a list");
    assert_eq!(plies.len(), record.moves.len());
    let replayed = replay(&dataset, 1, None).expect("it can be replayed");
    for ((ply, logged), replayed) in plies.iter().zip(&record.moves).zip(&replayed.plies) {
        assert_eq!(*logged, replayed.ply);
        assert_eq!(
            (&ply["move"], &ply["action"]),
            (&logged.mv.as_str().into(), &logged.action.into())
        );
        assert_eq!(ply["revealed"].as_str(), logged.revealed.as_deref());
        assert_eq!(ply["legal_count"], logged.legal_count);
        assert_eq!(ply["value"].as_array().map(Vec::len), logged.value.as_deref().map(<[_]>::len));
        let policy = logged.policy.as_deref();
        assert_eq!(ply["policy"].as_array().map(Vec::len), policy.map(<[_]>::len));
        assert_eq!(ply["fen"], replayed.position.fen);
    }
    assert!(plies.iter().any(|ply| ply["policy"][0]["probability"].is_number()));
    let last =
        darkqi_env::from_fen("jieqi", &Options::new(), plies[29]["fen"].as_str().expect("text"));
    assert_eq!(last.expect("it is a FEN").ply(), 30);
}

#[test]
fn report_prints_path_and_headline() {
    let folder = folder();
    let (dir, page) = (folder.path().join("games"), folder.path().join("page.html"));
    played("banqi -n 40 -a random --set max_plies=200", dir.display());
    let line = format!("report {} -o {}", dir.display(), page.display());
    let found = json(&format!("{line} --json"));
    assert_eq!(found["path"], page.display().to_string());
    let headline = found["headline"].as_str().expect("it is text");
    assert_eq!(run(&line), Ok(format!("{}: {headline}\n", page.display())));
}

#[test]
fn balance_prints_rounds_and_the_test() {
    let (_folder, dir) = folder_with("balance");
    let line = "values balance gaiqi -n 2000 --rounds 1 --test-games 40 --quiet --json";
    let found = json(&format!("{line} --out {}", dir.display()));
    let rounds = found["rounds"].as_array().expect("it is a list");
    assert_eq!(rounds.len(), 1);
    assert_eq!(found["file"], dir.join("values.toml").display().to_string());
    let value = &rounds[0]["values"][0];
    let fitted = [&value["fitted"]["low"], &value["fitted"]["value"], &value["fitted"]["high"]];
    let [low, value, high] = fitted.map(Json::as_f64);
    assert!(low < value && value < high);
    assert_eq!(rounds[0]["fit"]["games"], 2000);
    assert_eq!(found["test"]["sprt"]["elo0"], -20.0);
    assert_eq!(found["test"]["pairs"][0]["second"], "greedy");
    let fit = json(&format!("values fit {} --json", dir.join("round-01").display()));
    assert_eq!(fit, rounds[0]["fit"]);
}
