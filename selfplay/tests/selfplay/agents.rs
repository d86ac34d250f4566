//! Agents by name, with their options.

use std::fs;

use darkqi_env::games;
use darkqi_selfplay::{AgentSpec, PieceValues, agents};

use super::{config, play};

fn error(text: &str) -> String {
    text.parse::<AgentSpec>().expect_err(text).to_string()
}

#[test]
fn specs_are_written_as_they_are_read() {
    for text in ["random", "greedy", "greedy:values=some/file.toml"] {
        let spec: AgentSpec = text.parse().expect(text);
        assert_eq!(spec.to_string(), text);
    }
    let spec: AgentSpec = "greedy".parse().expect("greedy exists");
    assert_eq!(spec.option("values"), "built-in");
}

#[test]
fn bad_specs_are_explained() {
    assert_eq!(error("gredy"), "unknown agent `gredy`; the agents are: greedy, random");
    assert_eq!(error(""), "unknown agent ``; the agents are: greedy, random");
    assert_eq!(
        error("greedy:depth=2"),
        "agent greedy has no option `depth`; its options are: values"
    );
    assert_eq!(error("random:depth=2"), "agent random has no option `depth`; it has none");
    for (text, fault) in [
        ("greedy:", "`` sets no option"),
        ("greedy:values", "`values` sets no option"),
        ("greedy:values=", "`values=` sets no option"),
        ("greedy:values=a,values=b", "`values` is set twice"),
    ] {
        let expected = "expected `name` or `name:option=value,option=value`";
        assert_eq!(error(text), format!("agent `{text}`: {fault}; {expected}"));
    }
}

#[test]
fn commas_separate_agents_or_options() {
    let list = |text| -> Result<Vec<String>, String> {
        let specs = AgentSpec::parse_list(text).map_err(|error| error.to_string())?;
        Ok(specs.iter().map(AgentSpec::to_string).collect())
    };
    let expected = ["greedy:values=a:b.toml", "random", "greedy"].map(str::to_owned);
    assert_eq!(list("greedy:values=a:b.toml,random,greedy"), Ok(expected.to_vec()));
    let error = list("greedy:values=a,depth=2,random").expect_err("there is no such option");
    assert!(error.contains("no option `depth`"), "{error}");
    assert!(list("values=a,random").is_err());
    assert!(list("random,,random").is_err());
}

#[test]
fn values_are_read_over_the_built_in_ones() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("values.toml");
    let read = |text| {
        fs::write(&path, text).expect("the file can be written");
        PieceValues::read(&path).map_err(|error| error.fault)
    };
    let values = read("[gaiqi]\nR = 7\n").expect("the file is well formed");
    let built_in = PieceValues::built_in();
    let mut expected = built_in.of::<games::gaiqi::Gaiqi>();
    expected[4] = 7.0;
    assert_eq!(values.of::<games::gaiqi::Gaiqi>(), expected);
    let jieqi = values.of::<games::jieqi::Jieqi>();
    assert_eq!(jieqi, built_in.of::<games::jieqi::Jieqi>());

    for (text, fault) in [
        ("[chess]\nQ = 9", "unknown game `[chess]`; the games are: "),
        ("[gaiqi]\nQ = 9", "gaiqi has no kind `Q`; its kinds are: K, A, E, H, R, C, P"),
        ("[gaiqi]\nR = inf", "gaiqi.R: expected a finite number, found inf"),
        ("[gaiqi]\nR = \"9\"", "invalid type"),
        ("R = 9", "invalid type"),
        ("[gaiqi", "unclosed table"),
    ] {
        let error = read(text).expect_err(text);
        assert!(error.contains(fault), "{text}: {error}");
    }
    let missing = PieceValues::read(&folder.path().join("none.toml")).expect_err("no such file");
    assert!(missing.to_string().contains("none.toml"), "{missing}");
}

#[test]
fn every_agent_plays_every_game() {
    for game in games::names() {
        for agent in agents::all() {
            let folder = tempfile::tempdir().expect("a folder can be made");
            let summary = play(&config(game, agent.name, 3, &folder.path().join("games")));
            assert_eq!(summary.games, 3, "{game}, {}", agent.name);
        }
    }
}
