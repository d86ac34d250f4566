//! Agents by name, with their options.

use std::fs;
use std::ops::Range;

use darkqi_engine::agent::{NEVER, Request};
use darkqi_engine::agents::{AgentSpec, baseline_net};
use darkqi_engine::evaluation::PieceValues;
use darkqi_env::{
    Game, Rng, Spec, Stream, Viewer,
    game::{GameExt, Hidden, Notation, texts},
    games,
};

use super::{config, folder, refusal};

fn error(text: &str) -> String {
    text.parse::<AgentSpec>().expect_err(text).to_string()
}

#[test]
fn specs_round_trip_as_text() {
    for text in [
        "random",
        "greedy",
        "greedy:values=some/file.toml",
        "expectimax:depth=3,epsilon=0.1",
        "ismcts:sims=100",
    ] {
        let spec: AgentSpec = text.parse().expect(text);
        assert_eq!(spec.to_string(), text);
    }
    let spec: AgentSpec = "greedy".parse().expect("greedy exists");
    assert_eq!(spec.given("values"), None);
}

#[test]
fn quotes_protect_commas() {
    let list = |text: &str| -> Vec<String> {
        let specs = AgentSpec::parse_list(text).expect(text);
        specs.iter().map(AgentSpec::to_string).collect()
    };
    let canonical = "greedy:values=\"lr=0.1,n=4/v.toml\"";
    for text in
        [canonical, "greedy:values='lr=0.1,n=4/v.toml'", "greedy:values=lr=0.1\\,n=4/v.toml"]
    {
        let spec: AgentSpec = text.parse().expect(text);
        assert_eq!(spec.given("values"), Some("lr=0.1,n=4/v.toml"));
        assert_eq!(spec.to_string(), canonical);
        let both = format!("{text},epsilon=0.1,random");
        assert_eq!(list(&both), ["greedy:epsilon=0.1,values=\"lr=0.1,n=4/v.toml\"", "random"]);
    }
    assert_eq!(list("onnx:'a,b.onnx',batch=1,random"), ["onnx:\"a,b.onnx\",batch=1", "random"]);
    // The quotes of a command are those of its words.
    let engine = "uci:cmd=sh 'a,b.sh' \"c,d\" e\\,f,nodes=5";
    assert_eq!(list(&format!("random,{engine},greedy")), ["random", engine, "greedy"]);
    let spec = AgentSpec::of_options("uci", [("cmd", "sh 'a,b.sh' e,f".to_owned())]);
    assert_eq!(spec.expect("it is sound").to_string(), "uci:cmd=sh 'a,b.sh' e\\,f");
}

#[test]
fn agents_are_made_of_options() {
    let made = |name, options: &[(&'static str, &str)]| {
        let options = options.iter().map(|&(option, value)| (option, value.to_owned()));
        AgentSpec::of_options(name, options)
            .map(|spec| spec.to_string())
            .map_err(|error| error.to_string())
    };
    assert_eq!(
        made("greedy", &[("values", "a,\"b\"\\")]),
        Ok("greedy:values=\"a,\\\"b\\\"\\\\\"".to_owned())
    );
    assert_eq!(made("onnx", &[("file", "n.onnx")]), Ok("onnx:n.onnx".to_owned()));
    assert!(made("onnx", &[]).is_err_and(|error| error.contains("with a FILE")));
    assert!(made("greedy", &[("depth", "1")]).is_err_and(|error| error.contains("no option")));
    assert!(made("gredy", &[]).is_err_and(|error| error.contains("unknown agent")));
    assert!(made("uci", &[("cmd", "sh 'a")]).is_err_and(|error| error.contains("not closed")));
}

#[test]
fn a_value_that_may_have_been_cut_at_a_comma_is_named() {
    let hint = "; if the comma before it is a part of the value of `values`, put that into quotes";
    let list = AgentSpec::parse_list("greedy:values=run/b=4,0.1/v.toml").expect_err("it is cut");
    for error in [
        error("greedy:values=run/b=4,lr=0.1/v.toml"),
        error("greedy:values=run/b=4,0.1/v.toml"),
        list.to_string(),
    ] {
        assert!(error.contains(hint), "{error}");
    }
}

#[test]
fn bad_specs_are_explained() {
    let agents = "the agents are: baseline, expectimax, greedy, ismcts, level, onnx, random, uci";
    assert_eq!(error("gredy"), format!("unknown agent `gredy` (did you mean `greedy`?); {agents}"));
    assert_eq!(error(""), format!("unknown agent ``; {agents}"));
    assert_eq!(
        error("greedy:depth=2"),
        "agent greedy has no option `depth`; its options are: values, epsilon"
    );
    assert_eq!(
        error("greedy:value=x"),
        "agent greedy has no option `value` (did you mean `values`?); its options are: values, epsilon"
    );
    assert_eq!(
        error("random:depth=2"),
        "agent random has no option `depth`; its options are: epsilon"
    );
    for (text, fault) in [
        ("greedy:", "`` sets no option"),
        ("greedy:values", "`values` sets no option"),
        ("greedy:values=", "`values=` sets no option"),
        ("greedy:values=a,values=b", "`values` is set twice"),
        ("greedy,values=a", "its options follow a comma, not a colon"),
    ] {
        let expected = "expected `name` or `name:option=value,option=value`";
        assert_eq!(error(text), format!("agent `{text}`: {fault}; {expected}"));
    }
}

#[test]
fn bad_values_of_options_are_explained() {
    for (text, fault) in [
        ("expectimax:depth=0", "option `depth` is `0`; expected a whole number from 1 to 64"),
        ("expectimax:depth=2.5", "option `depth` is `2.5`; expected a whole number from 1 to 64"),
        ("expectimax:nodes=-1", "option `nodes` is `-1`; expected a whole number from 1 to "),
        ("expectimax:nodes=1e6", "option `nodes` is `1e6`; expected a whole number from 1 to "),
        ("expectimax:time=0.5", "option `time` is `0.5`; expected a whole number from 1 to "),
        ("ismcts:sims=many", "option `sims` is `many`; expected a whole number from 1 to 1000000"),
        ("ismcts:c=nan", "option `c` is `nan`; expected a number from 0 to 1000"),
        ("baseline:sims=16,root=uct", "option `root` is `uct`; expected puct or gumbel"),
        ("baseline:c=3", "option `c` is `3`; expected none, since `sims` is 0"),
        ("baseline:root=gumbel", "option `root` is `gumbel`; expected puct, since `sims` is 0"),
        (
            "baseline:sims=16,root=gumbel,considered=0",
            "option `considered` is `0`; expected a whole number from 1 to 65536",
        ),
        (
            "onnx:none.onnx,sims=16,root=gumbel,scale=-1",
            "option `scale` is `-1`; expected a number from 0 to 1000",
        ),
        (
            "onnx:none.onnx,sims=16,scale=2",
            "option `scale` is `2`; expected none without root=gumbel",
        ),
        ("random:epsilon=1.5", "option `epsilon` is `1.5`; expected a number from 0 to 1"),
        ("expectimax:weights=none.toml", "weights none.toml: "),
        ("ismcts:values=none.toml", "piece values none.toml: "),
    ] {
        let spec: AgentSpec = text.parse().expect(text);
        let error = spec.build(&games::jieqi::Jieqi::default()).err().expect(text).to_string();
        assert!(error.contains(fault), "{text}: {error}");
    }
}

/// The capture of the general, one of three legal actions: greedy always plays it.
const TAKES: &str = "a1b1";

/// What an agent plays where it can capture the general, with the random numbers of some seeds.
fn choices(agent: &str, seeds: Range<u64>) -> Vec<String> {
    let rules = games::gaiqi::Gaiqi::default();
    let state = rules.parse_fen("8/8/8/Kk6 1 r - 0 0 -").expect("the FEN is well formed");
    let legal = rules.actions(&state);
    let spec: AgentSpec = agent.parse().expect("the agent exists");
    let mut agent = spec.build(&rules).expect("the agent can be built");
    let choice = |seed| {
        let rng = &mut Rng::new(seed, Stream::Agent(0));
        let view = rules.view(&state, Viewer::Player(0));
        let mut request = Request { game: 0, view, legal: &legal, rng, stop: &NEVER };
        let action = agent.decide(&rules, &mut request).expect("it always decides").action;
        rules.table().name(action, rules.perspective(rules.to_move(&state)))
    };
    seeds.map(choice).collect()
}

#[test]
fn epsilon_is_the_share_of_random_actions() {
    let choices = choices("greedy:epsilon=0.25", 0..4000);
    let others = choices.iter().filter(|&choice| choice != TAKES).count();
    let share = 0.25 * 2.0 / 3.0;
    let mean = choices.len() as f64 * share;
    let deviation = (mean * (1.0 - share)).sqrt();
    assert!((others as f64 - mean).abs() < 5.0 * deviation, "{others} instead of about {mean}");
}

#[test]
fn an_epsilon_of_zero_draws_nothing() {
    assert_eq!(choices("random:epsilon=0", 0..20), choices("random", 0..20));
}

/// With a gain this large, the tolerance for ties is less than the rounding.
#[test]
fn agents_play_by_the_largest_values_that_are_read() {
    let folder = folder();
    let path = folder.path().join("values.toml");
    fs::write(&path, "[gaiqi]\nK = 1e6\nR = 3e5\n").expect("the file can be written");
    for agent in ["greedy:", "expectimax:depth=1,", "ismcts:sims=40,"] {
        let agent = format!("{agent}values={}", path.display());
        assert_eq!(choices(&agent, 1..2), [TAKES], "{agent}");
    }
}

#[test]
fn arguments_come_first_and_without_their_name() {
    let spec: AgentSpec = "onnx:a:b/net.onnx,temperature=1".parse().expect("it is well formed");
    assert_eq!(spec.given("file"), Some("a:b/net.onnx"));
    assert_eq!(spec.to_string(), "onnx:a:b/net.onnx,temperature=1");
    for text in ["onnx", "onnx:"] {
        assert_eq!(error(text), "agent onnx: expected `onnx:FILE`, with a FILE");
    }
    assert!(error("onnx:net.onnx,file=other.onnx").contains("`file` is set twice"));
    let list = AgentSpec::parse_list("random,onnx:net.onnx,sims=8,greedy").expect("three agents");
    assert_eq!(list.len(), 3);
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
fn values_of_a_file_replace_built_in_ones() {
    let folder = folder();
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
        ("[gaiqi]\nR = inf", "gaiqi.R: expected a number from -1000000 to 1000000, found inf"),
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
fn the_baseline_names_what_it_cannot_play_and_what_it_lacks() {
    let fault = |game: &str, options: &[(&str, &str)]| {
        let spec = Spec::new(game, &texts(options)).expect("the game exists");
        baseline_net(&spec).expect_err("there is no net").to_string()
    };
    assert_eq!(
        fault("seven_kingdoms", &[]),
        "agent baseline cannot play seven_kingdoms: expected one of the games with a net: banqi, \
         flipping, gaiqi, jieqi, mystery"
    );
    assert_eq!(
        fault("banqi", &[("cannon", "jump")]),
        "agent baseline cannot play banqi: expected `cannon` to be `step`, for which its net was \
         made, not `jump`"
    );
    let limits = Spec::new("banqi", &texts(&[("quiet_limit", "20")]));
    let net = baseline_net(&limits.expect("the option exists")).expect("limits are free");
    assert!(net.len() < 1_000_000);

    let folder = folder();
    let error = refusal(&config("seven_kingdoms", "baseline", 1, &folder.path().join("games")));
    assert!(error.contains("cannot play seven_kingdoms"), "{error}");
}
