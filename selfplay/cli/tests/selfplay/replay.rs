//! Replays of logged games.

use std::fs;
use std::path::Path;

use darkqi_env::{
    Action, Options, Spec, Viewer,
    game::{Army, Hides},
    games,
};
use darkqi_format::{DRAW, Dataset, PieceName};
use darkqi_play::replay::replay;

use super::cli::{printed, run};
use super::cli_json::json_and_result;
use super::{config, folder_with, play, replays, write_dataset};

/// Each ply by `Session`, independently of the transcript.
#[test]
fn records_agree_with_sessions() {
    for game in games::names() {
        let spec = Spec::new(game, &Options::new()).expect("the game exists");
        let hides_nothing = spec.hides == Hides::Nothing;
        let army = |name: &str| {
            let has = |army: &&Army| spec.kinds.iter().any(|&kind| army.piece_name(kind) == name);
            spec.armies.iter().find(has).expect("an army has it").letter
        };
        let (_folder, dir) = folder_with("games");
        play(&config(game, "random", 20, &dir));
        for record in replays(&dir) {
            let mut state =
                darkqi_env::from_fen(game, &Options::new(), &record.deal).expect("a FEN");
            assert_eq!(i64::from(record.first_player), state.current_player() as i64);
            let mut first_reveal = None;
            for ply in &record.moves {
                assert_eq!(i64::from(ply.player), state.current_player() as i64);
                assert_eq!(usize::from(ply.legal_count), state.legal_actions().len());
                let action = state.action_index(&ply.mv).expect("it is an action");
                assert_eq!(action.0, ply.action);
                // Records of a game that hides nothing hold the letter of the kind alone.
                let logged = |name: &Option<String>| {
                    let name = name.as_ref()?;
                    let start = if hides_nothing { name.len() - 1 } else { 0 };
                    PieceName::from(&name[start..]).ok()
                };
                let reveals = state.reveals(action).expect("it is legal");
                let possible = reveals.iter().any(|reveal| {
                    logged(&reveal.revealed) == ply.revealed
                        && logged(&reveal.captured) == ply.captured
                        && reveal.captured_covered == ply.captured_covered
                });
                assert!(possible, "{ply:?} is none of {reveals:?}");
                if let (None, Some(piece)) = (&first_reveal, ply.revealed) {
                    let kind = piece.chars().next_back().expect("a name has letters");
                    let square = ply.mv[..2].to_owned();
                    let kind = kind.to_ascii_uppercase();
                    first_reveal = Some((square, kind, army(&piece), ply.player));
                }
                state.apply(action).expect("it is legal");
            }
            let logged = record.first_reveal.map(|it| (it.square, it.kind, it.color, it.player));
            // Names of squares on the tenth rank have three letters.
            let logged = logged
                .map(|(square, kind, color, player)| (square[..2].to_owned(), kind, color, player));
            assert_eq!(logged, first_reveal);
            let outcome = state.outcome().expect("the game is over");
            assert_eq!(record.reason, outcome.reason.name());
            assert_eq!(record.rewards, outcome.rewards());
            let winners: Vec<i8> = outcome.winners().map(|seat| seat as i8).collect();
            assert_eq!(record.winner, if let [winner] = winners[..] { winner } else { DRAW });
            assert_eq!(record.terminated, !outcome.truncated());
        }
    }
}

#[test]
fn the_replay_command_names_a_tampered_record() {
    let (folder, dir) = folder_with("games");
    play(&config("gaiqi", "greedy", 3, &dir));
    let replay =
        |dir: &Path, id: &str| printed(["replay", dir.to_str().expect("the path is plain"), id]);
    let (text, result) = replay(&dir, "1");
    assert_eq!(result, Ok(()));
    assert!(text.ends_with("the replay agrees with the log\n"), "{text}");

    let mut games = replays(&dir);
    games[1].moves[2].legal_count += 1;
    let honest = games[1].moves[2].legal_count - 1;
    let sound = Dataset::open(&dir).expect("the dataset can be opened");
    let forged = folder.path().join("forged");
    write_dataset(&forged, sound.metadata(), None, &games, games.len());
    assert_eq!(replay(&forged, "0").1, Ok(()));
    let expected = format!(
        "game 1: the log and its replay differ\n  ply 2, legal_count: logged {}, replayed {honest}",
        honest + 1
    );
    let (text, result) = replay(&forged, "1");
    assert_eq!(result.as_ref(), Err(&expected));
    assert!(text.lines().count() > 5 && !text.contains("agrees"), "{text}");
    let (found, result) = json_and_result(&format!("replay {} 1 --json", forged.display()));
    assert_eq!(result, Err(expected));
    let difference = format!("ply 2, legal_count: logged {}, replayed {honest}", honest + 1);
    assert_eq!(found["differences"], serde_json::json!([difference]));
    assert_eq!(found["plies"][2]["legal_count"], honest);
    // A viewer is told where, and not what.
    let seen = format!("replay {} 1 --json --viewer 0", forged.display());
    let difference = "ply 2, legal_count: logged (not shown), replayed (not shown)";
    assert_eq!(json_and_result(&seen).0["differences"], serde_json::json!([difference]));
    let missing = replay(&forged, "9").1.expect_err("there is no such game");
    assert!(missing.starts_with("no game 9 in "), "{missing}");
}

/// What a viewer is shown, by `Session`.
#[test]
fn a_game_is_shown_as_a_viewer_saw_it() {
    let (_folder, dir) = folder_with("games");
    play(&config("jieqi", "ismcts:sims=4,random", 3, &dir));
    let dataset = Dataset::open(&dir).expect("the dataset can be opened");
    let mut secret = 0;
    for (id, viewer) in (0..3).zip([Viewer::Player(0), Viewer::Player(1), Viewer::Public]) {
        let game = replay(&dataset, id, Some(viewer)).expect("it can be replayed");
        assert!(game.differences.is_empty());
        let deal = &game.record.deal;
        let mut state = darkqi_env::from_fen("jieqi", &Options::new(), deal).expect("a FEN");
        assert_eq!(game.deal.expect("there is a deal").fen, state.view_fen(viewer));
        for (replayed, logged) in game.plies.iter().zip(&game.record.moves) {
            let action = Action(logged.action);
            let event = state.event(action, viewer).expect("it is legal");
            state.apply(action).expect("it is legal");
            let ply = &replayed.ply;
            assert_eq!(ply.revealed.as_deref(), event.revealed.as_deref());
            assert_eq!(ply.captured.as_deref(), event.captured.as_deref());
            secret += usize::from(ply.captured.is_none() && logged.captured.is_some());
            let is_own = viewer == Viewer::Player(logged.player as usize);
            assert_eq!(ply.policy.is_some(), is_own && logged.policy.is_some());
            assert_eq!(replayed.position.fen, state.view_fen(viewer));
            assert_eq!(replayed.position.picture, state.picture(Some(viewer)));
        }
    }
    assert!(secret > 0, "no capture was secret");

    let show = |rest: &str| run(&format!("replay {} {rest}", dir.display()));
    let text = show("2 --viewer public").expect("it can be shown");
    let boards: Vec<&str> = text.split("\n10 ").skip(1).collect();
    assert!(!boards[0].contains('['), "{}", boards[0]);
    assert!(boards[1..].iter().all(|board| board.contains('[')));
    assert!(!text.contains('~') && text.contains("  takes a covered piece that is not shown"));
    assert!(!show("2").expect("it can be shown").contains('['));
    // The deal follows from the seed.
    assert!(!text.contains("seed") && show("2").expect("it can be shown").contains(", seed "));
    let (found, result) = json_and_result(&format!("replay {} 1 --json --viewer 1", dir.display()));
    assert_eq!(result, Ok(()));
    assert_eq!(found["seed"], serde_json::Value::Null);
    for ply in found["plies"].as_array().expect("plies") {
        let is_own = ply["player"] == 1;
        assert!(is_own || (ply["value"].is_null() && ply["policy"].is_null()), "{ply}");
    }
    assert!(found["deal"].as_str().is_some_and(|deal| !deal.contains('~')), "{found}");
    let seat = show("1 --viewer 2").expect_err("there are two seats");
    assert_eq!(seat, "seat 2: expected a seat from 0 to 1");
    let viewer = show("1 --viewer red").expect_err("it is no viewer");
    assert!(viewer.contains("expected the number of a seat, or `public`"), "{viewer}");
}

#[test]
fn a_game_is_drawn() {
    let (folder, dir) = folder_with("games");
    play(&config("gaiqi", "greedy", 1, &dir));
    let draw = |rest: &str| run(&format!("replay {} 0 {rest}", dir.display()));
    let file = |name: &str| folder.path().join(name).display().to_string();
    let read = |name: &str| fs::read(folder.path().join(name)).expect("it was written");
    let text = |name: &str| String::from_utf8(read(name)).expect("it is text");

    let told = draw(&format!("--gif {} --width 96", file("a.gif"))).expect("it can be drawn");
    assert_eq!(told, format!("{}: gaiqi game 0\n", file("a.gif")));
    assert!(read("a.gif").starts_with(b"GIF89a"));
    draw(&format!("--png {} --ply 0 --width 96", file("a.png"))).expect("it can be drawn");
    assert!(read("a.png").starts_with(b"\x89PNG"));
    draw(&format!("--svg {}", file("all.svg"))).expect("it can be drawn");
    draw(&format!("--svg {} --ply 0 --viewer public", file("deal.svg"))).expect("it can be drawn");
    // The truth has characters on covered pieces; a spectator sees none at the deal.
    let characters = |drawn: &str| drawn.chars().filter(|c| !c.is_ascii()).count();
    assert!(characters(&text("all.svg")) > 0);
    assert_eq!(characters(&text("deal.svg")), 0);
    draw(&format!("--html {}", file("a.html"))).expect("it can be drawn");
    let plies = Dataset::open(&dir).expect("a dataset").game(0).expect("a game").plies;
    assert_eq!(text("a.html").matches("<section>").count(), usize::from(plies) + 1);
    let on_stdout = draw("--svg -").expect("it can be drawn");
    assert_eq!(on_stdout, text("all.svg"));

    let late = draw("--svg x.svg --ply 9999").expect_err("there are fewer plies");
    assert_eq!(late, format!("ply: expected 0 to {plies}, got 9999"));
    let inside = dir.join("games").join("x.png").display().to_string();
    let refused = draw(&format!("--png {inside}")).expect_err("a dataset holds no pictures");
    assert!(refused.contains(&inside), "{refused}");
    assert!(draw("--svg x.svg --png y.png").is_err());
    let alone = draw("--ply 3").expect_err("a picture is needed").to_string();
    assert!(alone.contains("<--svg <FILE>|--png <FILE>>"), "{alone}");
}
