//! The rule cases of `cases/`: positions worked out by hand, a case or more for every sentence of
//! the rules. Both the fast engine and the slow referee must pass each.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use darkqi_env::{Options, Value};
use darkqi_tests::referee::{self, Referee, Viewer};
use darkqi_tests::{folder, texts};
use serde::Deserialize;

/// How a game ends.
#[derive(Deserialize, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct Expected {
    /// One of the names of RULES.md section 8.
    reason: String,
    /// In the engine's precision, so that thirds compare equal.
    rewards: Vec<f32>,
}

/// One position and what the rules say about it. Lists hold actions by name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    /// The sentence of RULES.md.
    rule: String,
    fen: String,
    #[serde(default)]
    options: BTreeMap<String, String>,
    /// All legal actions in byte order.
    legal: Option<Vec<String>>,
    /// Some legal actions.
    #[serde(default)]
    allows: Vec<String>,
    /// Some actions that are not legal.
    #[serde(default)]
    forbids: Vec<String>,
    /// Plies to play; what follows is about the position after them.
    #[serde(default)]
    play: Vec<String>,
    after: Option<String>,
    then_legal: Option<Vec<String>>,
    #[serde(default)]
    then_allows: Vec<String>,
    #[serde(default)]
    then_forbids: Vec<String>,
    /// FENs by viewer: a player's number or `public`.
    #[serde(default)]
    viewers: BTreeMap<String, String>,
    outcome: Option<Expected>,
    #[serde(default)]
    ongoing: bool,
    /// The FEN is refused with an error that holds this word.
    error: Option<String>,
}

#[derive(Deserialize)]
struct Table {
    case: Vec<Case>,
}

/// Checks a case with `player`. The error says what is wrong.
fn judge(case: &Case, player: Result<Box<dyn Referee>, String>) -> Result<(), String> {
    let mut player = match (player, &case.error) {
        (Ok(player), None) => player,
        (Err(error), Some(word)) if error.contains(word.as_str()) => return Ok(()),
        (Err(error), _) => return Err(format!("refuses the FEN: {error}")),
        (Ok(_), Some(word)) => return Err(format!("reads a FEN whose {word} is at fault")),
    };
    if player.fen() != case.fen {
        return Err(format!("writes the FEN as {}", player.fen()));
    }
    check_actions(&player.legal_moves(), case.legal.as_ref(), &case.allows, &case.forbids)?;
    for action in &case.forbids {
        if player.apply(action).is_ok() {
            return Err(format!("plays {action}"));
        }
    }
    for action in &case.play {
        player.apply(action).map_err(|error| format!("refuses {action}: {error}"))?;
    }
    if let Some(after) = case.after.as_ref().filter(|&after| *after != player.fen()) {
        return Err(format!("comes to {}\ninstead of         {after}", player.fen()));
    }
    check_actions(
        &player.legal_moves(),
        case.then_legal.as_ref(),
        &case.then_allows,
        &case.then_forbids,
    )?;
    for (viewer, fen) in &case.viewers {
        let known = viewer.parse().map_or(Viewer::Public, Viewer::Player);
        let shown = player.viewer_fen(known);
        if shown != *fen {
            return Err(format!("shows {viewer} {shown}\ninstead of {fen}"));
        }
    }
    let outcome = player.outcome().map(|outcome| Expected {
        reason: outcome.reason.to_owned(),
        rewards: outcome.rewards.iter().map(|&reward| reward as f32).collect(),
    });
    let decided = case.outcome.is_some() || case.ongoing;
    if decided && outcome != case.outcome {
        return Err(format!("ends with {outcome:?}"));
    }
    Ok(())
}

fn check_actions(
    legal: &[String],
    exactly: Option<&Vec<String>>,
    allows: &[String],
    forbids: &[String],
) -> Result<(), String> {
    let wrong = exactly.is_some_and(|exactly| exactly != legal)
        || allows.iter().any(|action| !legal.contains(action))
        || forbids.iter().any(|action| legal.contains(action));
    if wrong { Err(format!("lists {legal:?}")) } else { Ok(()) }
}

/// The cases of every file whose name begins with the game's.
fn cases(game: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for entry in fs::read_dir(folder("cases")).expect("the folder exists") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
        if name.split(['-', '.']).next() == Some(game) {
            let text = fs::read_to_string(&path).expect("the file can be read");
            let table: Table =
                toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            cases.extend(table.case);
        }
    }
    cases
}

fn check_game(game: &str, least: usize) {
    let cases = cases(game);
    assert!(cases.len() >= least, "only {} cases of {game}", cases.len());
    let mut faults = Vec::new();
    let mut names = BTreeSet::new();
    for case in &cases {
        assert!(names.insert(&case.name), "two cases are called {}", case.name);
        let pairs: Vec<(&str, &str)> =
            case.options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let options = texts(&pairs);
        let engine = |options: &Options| match darkqi_env::from_fen(game, options, &case.fen) {
            Ok(state) => Ok(Box::new(state) as Box<dyn Referee>),
            Err(error) => Err(error.to_string()),
        };
        let slow = referee::from_fen(game, &case.fen, &pairs);
        // The movement of xiangqi in other words is played by the code for movement of any kind.
        let mut spelled = options.clone();
        if ["jieqi", "mystery"].contains(&game) {
            let other_words = [("moves.H", "nNnN"), ("moves.R", "RW"), ("moves.C", "cpRmR")];
            for (name, text) in other_words {
                // A case may have another movement.
                spelled.entry(name.to_owned()).or_insert(Value::Text(text.to_owned()));
            }
        }
        for (who, verdict) in [
            ("engine", judge(case, engine(&options))),
            ("referee", judge(case, slow)),
            ("engine with movement in other words", judge(case, engine(&spelled))),
        ] {
            if let Err(fault) = verdict {
                faults.push(format!("{}: the {who} {fault}\n  {}", case.name, case.rule));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n\n"));
}

#[test]
fn engine_and_referee_pass_all_cases() {
    for (game, least) in [
        ("flipping", 100),
        ("gaiqi", 40),
        ("banqi", 100),
        ("jieqi", 40),
        ("mystery", 150),
        ("seven_kingdoms", 100),
    ] {
        check_game(game, least);
    }
}
