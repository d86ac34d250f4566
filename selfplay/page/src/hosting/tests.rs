//! The position that a key is shown, and what its holders may do.

use std::fs;
use std::time::{Duration, Instant};

use darkqi_engine::agent::Decision;
use darkqi_engine::agents::AgentSpec;
use darkqi_env::{AnyState, Options, Player, Rng, Spec, Stream, Viewer, games};
use darkqi_play::play::{Game, Settlement};
use serde_json::Value;
use tempfile::tempdir;

use super::clock::Limits;
use super::position::Look;
use super::position::Position;
use super::record::{KeyOfSeats, Record};
use super::store::Store;
use super::table::{NamedAgent, Table};
use crate::answer::Refusal;
use crate::app::{App, KeptGames, Settings};

/// A game of people from this position.
fn table(game: &str, fen: &str) -> Table {
    let game = Game::new(game, &Options::new(), 1, Some(fen));
    let game = game.expect("the position has a next ply");
    let seats = game.spec().num_players;
    let mut table = Table::new(game, vec![None; seats], greedy());
    table.fen = Some(fen.to_owned());
    table
}

/// A game of people from a deal.
fn dealt(game: &str) -> Table {
    table(game, &deal(game).fen())
}

fn deal(game: &str) -> Box<dyn AnyState> {
    darkqi_env::deal(game, &Options::new(), 5).expect("the game exists")
}

fn greedy() -> NamedAgent {
    let spec = "greedy".parse().expect("the agent exists");
    NamedAgent { name: "greedy".to_owned(), spec }
}

/// Plays the first legal action at this moment.
fn play_at(table: &mut Table, now: Instant) {
    let action = table.state().legal_actions()[0];
    table.play(action.into(), now).expect("it is legal");
    table.renew_clock(now);
}

fn play_random(table: &mut Table, rng: &mut Rng) {
    let action = *rng.choose(table.state().legal_actions());
    table.game.play(action.into()).expect("it is legal");
}

fn shown(table: &Table, seats: &[Player]) -> Value {
    shown_since(table, seats, None)
}

fn shown_since(table: &Table, seats: &[Player], turn: Option<u64>) -> Value {
    serde_json::to_value(Position::new(table, seats, turn)).expect("positions are JSON")
}

/// The plies up to now as a key is shown them.
fn looks(table: &Table, seats: &[Player]) -> Vec<Value> {
    let all = (0..).map_while(|ply| Look::new(table, seats, ply));
    all.map(|look| serde_json::to_value(look).expect("looks are JSON")).collect()
}

/// Plays random plies from the deal. Returns the FEN, unless the game has ended.
fn later(game: &str, plies: usize, rng: &mut Rng) -> Option<String> {
    let mut state = deal(game);
    for _ in 0..plies {
        let legal = state.legal_actions();
        let action = *legal.get(rng.below(legal.len().max(1) as u32) as usize)?;
        state.apply(action).expect("it is legal");
    }
    state.outcome().is_none().then(|| state.fen())
}

#[test]
fn worlds_that_a_key_cannot_tell_apart_are_shown_alike() {
    let mut rng = Rng::new(1, Stream::Seat);
    let mut compared = 0;
    for game in games::names() {
        for plies in [0, 9, 30, 60] {
            let Some(fen) = later(game, plies, &mut rng) else { continue };
            for viewer in [Viewer::Player(0), Viewer::Player(1), Viewer::Public] {
                let seats: Vec<Player> = match viewer {
                    Viewer::Player(seat) => vec![seat],
                    Viewer::Public => Vec::new(),
                };
                let truth = darkqi_env::from_fen(game, &Options::new(), &fen).expect("a FEN");
                let other = truth.resample(viewer, plies as u64).fen();
                let mut worlds = [table(game, &fen), table(game, &other)];
                // The same plies show the same until one of them turns over another piece.
                for _ in 0..12 {
                    let [one, two] = &worlds;
                    if one.state().view_fen(viewer) != two.state().view_fen(viewer) {
                        break;
                    }
                    if one.game.end().is_some() || two.game.end().is_some() {
                        break;
                    }
                    assert_eq!(shown(one, &seats), shown(two, &seats), "{game} {viewer:?}: {fen}");
                    assert_eq!(looks(one, &seats), looks(two, &seats), "{game} {viewer:?}: {fen}");
                    compared += 1;
                    let legal = one.state().legal_actions();
                    let action = *rng.choose(legal);
                    if !two.state().legal_actions().contains(&action) {
                        break;
                    }
                    for world in &mut worlds {
                        world.game.play(action.into()).expect("it is legal");
                    }
                }
            }
        }
    }
    assert!(compared > 200, "only {compared} positions were compared");
}

#[test]
fn a_seat_sees_more_than_an_onlooker_and_all_see_the_end() {
    // A covered piece was taken by seat 0, which alone knows what it was.
    let mut table = dealt("jieqi");
    let action = table.state().action_index("b3b10").expect("an action");
    table.game.play(action.into()).expect("the cannon takes the covered horse");
    let captured = |seats: &[Player]| shown(&table, seats)["history"][0]["captured"].clone();
    assert!(captured(&[0]).is_string());
    assert!(captured(&[1]).is_null());
    assert!(captured(&[]).is_null());
    assert_eq!(shown(&table, &[0])["seed"], Value::Null);
    table.game.settle(Settlement::Resignation(1));
    for seats in [&[0][..], &[1], &[]] {
        let shown = shown(&table, seats);
        assert!(shown["history"][0]["captured"].is_string());
        assert_eq!((&shown["viewer"], &shown["seed"]), (&"all".into(), &"1".into()));
        assert_eq!(shown["outcome"]["winners"], serde_json::json!([0]));
    }
}

#[test]
fn only_the_seat_to_move_has_moves() {
    let table = dealt("gaiqi");
    let moves = |seats: &[Player]| shown(&table, seats)["legal"].as_array().map_or(0, Vec::len);
    assert_eq!((moves(&[0]), moves(&[1]), moves(&[]), moves(&[0, 1])), (32, 0, 0, 32));
}

#[test]
fn a_look_back_shows_what_a_seat_knew_then() {
    let mut rng = Rng::new(4, Stream::Seat);
    for game in games::names() {
        let mut table = dealt(game);
        for _ in 0..40 {
            play_random(&mut table, &mut rng);
            if table.game.end().is_some() {
                break;
            }
        }
        let check = |table: &Table, seats: &[Player], viewer: Option<Viewer>| {
            let past = table.game.past().iter().map(|past| &*past.before);
            let states: Vec<_> = past.chain([table.state()]).collect();
            let looks = looks(table, seats);
            assert_eq!(looks.len(), states.len());
            for (ply, (look, state)) in looks.iter().zip(states).enumerate() {
                let fen = viewer.map_or_else(|| state.fen(), |viewer| state.view_fen(viewer));
                assert_eq!((&look["ply"], &look["fen"]), (&ply.into(), &fen.into()), "{game}");
                // A covered piece keeps its secret from a viewer who does not know it.
                for piece in look["picture"]["pieces"].as_array().expect("pieces") {
                    let is_secret = viewer.is_some() && piece["covered"] == true;
                    assert!(!is_secret || piece["letter"].is_null(), "{game}: {piece}");
                }
            }
        };
        if table.game.end().is_none() {
            for seat in 0..table.agents.len() {
                check(&table, &[seat], Some(Viewer::Player(seat)));
            }
            check(&table, &[], Some(Viewer::Public));
            // At one screen all looks are those of the seat that the board is shown to.
            let all: Vec<Player> = (0..table.agents.len()).collect();
            check(&table, &all, Some(Viewer::Player(table.state().current_player())));
            table.game.settle(Settlement::Resignation(0));
        }
        check(&table, &[0], None);
    }
}

#[test]
fn who_has_fallen_can_only_watch() {
    let mut rng = Rng::new(5, Stream::Seat);
    let mut table = dealt("seven_kingdoms");
    for seat in 0..7 {
        assert_eq!(shown(&table, &[seat])["can_resign"], true);
    }
    while table.out().is_empty() {
        assert!(table.game.end().is_none(), "a kingdom falls first");
        play_random(&mut table, &mut rng);
    }
    let out = table.out();
    for seat in 0..7 {
        let shown = shown(&table, &[seat]);
        assert_eq!(shown["can_resign"], !out.contains(&seat));
        assert_eq!(shown["out"], serde_json::json!(out));
    }
}

#[test]
fn what_was_captured_is_shown_where_nothing_is_hidden() {
    let mut rng = Rng::new(6, Stream::Seat);
    let mut table = dealt("flipping");
    while table.game.end().is_none() {
        play_random(&mut table, &mut rng);
    }
    let history = shown(&table, &[0])["history"].clone();
    let taken: Vec<Option<&str>> =
        history.as_array().expect("plies").iter().map(|ply| ply["captured"].as_str()).collect();
    assert!(taken.iter().flatten().count() > 3, "{taken:?}");
    for (ply, look) in looks(&table, &[0]).iter().enumerate() {
        let discs = look["picture"]["captured"].as_array().expect("discs");
        let letters = discs.iter().map(|disc| {
            assert!(disc["character"].is_string());
            let letter = disc["letter"].as_str().expect("a letter");
            if disc["army"] == 1 { letter.to_lowercase() } else { letter.to_owned() }
        });
        let expected = taken[..ply].iter().flatten().map(|name| (*name).to_owned());
        assert!(letters.eq(expected), "{discs:?}");
    }
}

#[test]
fn what_is_new_completes_what_was_known() {
    let mut rng = Rng::new(7, Stream::Seat);
    for game in games::names() {
        let mut table = dealt(game);
        let all: Vec<Player> = (0..table.agents.len()).collect();
        let keys = [vec![], vec![0], vec![1], all];
        // By key, each version that a page may have, and the plies that it has then.
        let mut pages: Vec<Vec<(u64, Vec<Value>)>> = vec![Vec::new(); keys.len()];
        let mut longest = 0;
        for change in 0..60 {
            for (seats, pages) in keys.iter().zip(&mut pages) {
                let whole = shown(&table, seats);
                let expected = whole["history"].as_array().expect("plies").clone();
                // The last versions, and some of the others.
                let last = pages.len().saturating_sub(2);
                let asked = (0..)
                    .zip(&*pages)
                    .filter(|(place, _)| *place >= last || (place + change) % 9 == 0);
                for (_, (turn, known)) in asked {
                    let news = shown_since(&table, seats, Some(*turn));
                    let news = news["history"].as_array().expect("plies");
                    let mut plies = known.clone();
                    plies.truncate(table.game.past().len());
                    for ply in news {
                        let place = ply["ply"].as_u64().expect("a number") as usize;
                        plies.truncate(plies.len().max(place));
                        if place == plies.len() {
                            plies.push(ply.clone());
                        } else {
                            plies[place] = ply.clone();
                        }
                    }
                    assert_eq!(plies, expected, "{game}: {seats:?} since {turn}");
                    if *turn + 1 == table.turn() && !whole["is_over"].as_bool().expect("a bool") {
                        longest = longest.max(news.len());
                    }
                }
                pages.push((table.turn(), expected));
            }
            if table.game.end().is_some() {
                break;
            }
            match change {
                20 | 40 => drop(table.game.take_back(|seat| seat == 0)),
                59 => table.game.settle(Settlement::Resignation(0)),
                _ => play_random(&mut table, &mut rng),
            }
            table.versions.push(table.game.past().len());
        }
        // One, and what was taken covered.
        assert!((1..20).contains(&longest), "{game}: {longest}");
    }
}

/// What a server has that is begun anew, and may choose no agent with a file.
fn app() -> App {
    App::new(Settings {
        folders: Vec::new(),
        host: "127.0.0.1".parse().expect("an address"),
        port: 0,
        agent: "greedy".parse().expect("the agent exists"),
        extra_agents: Vec::new(),
        names: Vec::new(),
        games: KeptGames::InMemory,
        base: String::new(),
    })
    .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn games_that_are_read_back_are_shown_alike() {
    let (mut rng, app, dir) = (Rng::new(8, Stream::Seat), app(), tempdir().expect("a folder"));
    let store = Store::open(dir.path()).expect("nobody else is there");
    let key = |digit: u8| KeyOfSeats { key: format!("{digit:032x}"), seats: vec![1] };
    for (number, game) in games::names().iter().enumerate() {
        let mut table = dealt(game);
        for _ in 0..40 {
            let legal = table.state().legal_actions();
            let Some(&action) = legal.get(rng.below(legal.len().max(1) as u32) as usize) else {
                break;
            };
            let mut decision = Decision::from(action);
            decision.value = Some(vec![0.1; table.agents.len()].into_iter().collect());
            table.game.play(decision).expect("it is legal");
            table.versions.push(table.game.past().len());
        }
        if number % 2 == 0 && table.game.end().is_none() {
            table.game.settle(Settlement::Resignation(0));
            table.versions.push(table.game.past().len());
        }
        store.file(game).write(&Record::of(&table, &[key(number as u8)]));
        let (_, record) = store.load().pop().expect("it was written");
        assert_eq!(record.keys[0].key, key(number as u8).key);
        let again = record.table(&app).unwrap_or_else(|refusal| panic!("{refusal}"));
        for seats in [&[][..], &[0], &[1]] {
            assert_eq!(shown(&table, seats), shown(&again, seats), "{game}");
            // A page that has seen a version before is told all plies.
            assert_eq!(shown_since(&again, seats, Some(3)), shown(&again, seats));
        }
        let values = |table: &Table| {
            let past = table.game.past().iter();
            past.map(|past| past.decision.value.clone()).collect::<Vec<_>>()
        };
        assert_eq!(values(&table), values(&again));
    }
    let error = Store::open(dir.path()).map(drop).expect_err("it is locked");
    assert!(error.to_string().contains("another `darkqi serve`"), "{error}");
}

/// Clocks of a file, with limits that are out of range.
fn clock(left: &[Option<u64>]) -> Value {
    let limits = serde_json::json!({ "minutes": -1, "increment": 0 });
    serde_json::json!({ "limits": limits, "left": left, "running": null })
}

#[test]
fn what_is_no_game_is_named() {
    let (mut rng, app) = (Rng::new(9, Stream::Seat), app());
    let mut table = table("gaiqi", &later("gaiqi", 3, &mut rng).expect("a game"));
    let action = table.state().legal_actions()[0];
    table.game.play(action.into()).expect("it is legal");
    let agent: AgentSpec = greedy().spec;
    table.agents[1] = Some(NamedAgent { name: "uci:cmd=engine".to_owned(), spec: agent });
    let key = KeyOfSeats { key: "0".repeat(32), seats: vec![0] };
    let record = serde_json::to_value(Record::of(&table, &[key])).expect("games are JSON");
    let changed = |name: &str, value: Value| {
        let mut changed = record.clone();
        changed[name] = value;
        serde_json::to_vec(&changed).expect("it is JSON")
    };
    for (text, part) in [
        (b"{".to_vec(), "EOF"),
        (b"[1]".to_vec(), "expected"),
        (changed("format", 2.into()), "format: expected 1, got 2"),
        (changed("turn", u64::MAX.into()), "turn: expected at most"),
        (changed("keys", Value::Array(Vec::new())), "at least one"),
        (changed("keys", serde_json::json!([{ "key": "a", "seats": [] }])), "32 hexadecimal"),
        (changed("more", 1.into()), "more"),
    ] {
        let fault = Record::read(&text).expect_err("it is none");
        assert!(fault.contains(part), "{fault}");
    }
    for (name, value, part) in [
        ("game", "chess".into(), "chess"),
        ("options", serde_json::json!({ "speed": 1 }), "speed"),
        ("fen", "8/8/8/8 1 - - 0 0".into(), "this game cannot go on"),
        ("plies", serde_json::json!([{ "move": "z9" }]), "ply 1: "),
        ("plies", serde_json::json!([{ "move": "a1", "value": [7.0] }]), "ply 1: "),
        ("agents", Value::Array(vec![Value::Null]), "one for each of 2 seats, got 1"),
        ("settled", serde_json::json!({ "resignation": 5 }), "seat 5"),
        ("offers", serde_json::json!({ "made": [7], "declined": [] }), "seat 7"),
        ("clock", clock(&[Some(1), None]), "clock.minutes: expected"),
        ("clock", clock(&[Some(1)]), "clock.left: expected one for each of 2 seats, got 1"),
        // As it is: the agent was allowed, and is not now.
        ("turn", 4.into(), "expected one that the server was started with (`--allow`)"),
    ] {
        let record = Record::read(&changed(name, value)).expect("it has the form of a game");
        let refusal = record.table(&app).map(drop).expect_err(name).to_string();
        assert!(refusal.contains(part), "{refusal}");
    }
    let dir = tempdir().expect("a folder");
    let store = Store::open(dir.path()).expect("nobody else is there");
    for (name, text) in [("a.json", &b"{}"[..]), ("b.json", b"\xff"), ("c.txt", b"notes")] {
        fs::write(dir.path().join(name), text).expect("a file");
    }
    assert_eq!(store.load().len(), 0);
    assert!(dir.path().join("a.json").exists(), "what is none is left alone");
}

#[test]
fn the_fen_of_a_viewer_is_read_back() {
    let mut rng = Rng::new(10, Stream::Seat);
    let mut read = 0;
    for game in games::names() {
        for plies in [0, 9, 30, 60] {
            let Some(fen) = later(game, plies, &mut rng) else { continue };
            let truth = darkqi_env::from_fen(game, &Options::new(), &fen).expect("a FEN");
            for viewer in [Viewer::Player(0), Viewer::Player(1), Viewer::Public] {
                let seen = truth.view_fen(viewer);
                let Ok(state) = truth.spec().parse_view_fen(&seen, plies as u64) else { continue };
                assert_eq!(state.view_fen(viewer), seen, "{game}");
                read += 1;
            }
        }
    }
    assert!(read > 40, "only {read} were read");
    let spec = Spec::new("gaiqi", &Options::new()).expect("the game exists");
    // An `x` of another field is no piece.
    let chased = spec.parse_view_fen("8/8/k?6/RR4KC 1 r - 0 4 a1x2,-", 0).expect("a position");
    assert!(chased.fen().ends_with(" a1x2,-"), "{}", chased.fen());
    // More pieces than a set has.
    let crowded = ["????????"; 4].join("/").replacen('?', "K", 1);
    let fault = spec.parse_view_fen(&format!("{crowded} 1 r p 0 0 -"), 0).map(drop);
    let fault = fault.expect_err("there are 33").to_string();
    assert!(fault.contains("31 pieces are `?`, and a set has 30 left"), "{fault}");
}

#[test]
fn a_draw_needs_all_that_are_in_play() {
    let (mut rng, now) = (Rng::new(11, Stream::Seat), Instant::now());
    let mut table = dealt("jieqi");
    let draw = |table: &Table, seats: &[Player]| shown(table, seats)["draw"].clone();
    let refused = |done: Result<(), Refusal>, part: &str| {
        let refusal = done.expect_err(part).to_string();
        assert!(refusal.contains(part), "{refusal}");
    };
    refused(table.offer_draw(&[]), "draw: none of your seats is in play");
    refused(table.decline_draw(&[1]), "decline: nobody offers you a draw");
    table.offer_draw(&[0]).expect("it may offer one");
    refused(table.offer_draw(&[0]), "you have offered one already");
    refused(table.decline_draw(&[0]), "nobody offers you");
    refused(table.decline_draw(&[]), "nobody offers you");
    for (seats, can_answer) in [(&[0][..], false), (&[1], true), (&[], false)] {
        let draw = draw(&table, seats);
        assert_eq!(draw["offered_by"], serde_json::json!([0]));
        assert_eq!((&draw["can_offer"], &draw["can_answer"]), (&false.into(), &can_answer.into()));
    }
    table.decline_draw(&[1]).expect("it is offered one");
    assert_eq!(draw(&table, &[0])["is_declined"], true);
    assert_eq!(draw(&table, &[1])["is_declined"], false);
    refused(table.offer_draw(&[0]), "your offer was declined");
    // The other may still offer one, and the offer outlives the move of its own seat alone.
    play_at(&mut table, now);
    table.offer_draw(&[0]).expect("there was a ply");
    play_at(&mut table, now);
    assert_eq!(draw(&table, &[0])["offered_by"], serde_json::json!([]));
    table.offer_draw(&[0]).expect("there was a ply");
    play_at(&mut table, now);
    assert_eq!(draw(&table, &[1])["can_answer"], true);
    table.offer_draw(&[1]).expect("it is an answer");
    let outcome = shown(&table, &[0])["outcome"].clone();
    assert_eq!((&outcome["reason"], &outcome["is_settled"]), (&"agreement".into(), &true.into()));
    assert_eq!(outcome["rewards"], serde_json::json!([0.0, 0.0]));
    assert_eq!(table.game.end().expect("it is over").result.sentence(), "Draw: agreement");
    refused(table.offer_draw(&[0]), "draw: the game is over");
    // Of many seats those that have fallen are not asked, and agents agree to nothing.
    let mut table = dealt("seven_kingdoms");
    while table.out().is_empty() {
        let action = *rng.choose(table.state().legal_actions());
        table.play(action.into(), now).expect("it is legal");
    }
    let out = table.out();
    refused(table.offer_draw(&out), "none of your seats is in play");
    for seat in (0..7).filter(|seat| !out.contains(seat)) {
        assert!(table.game.end().is_none());
        table.offer_draw(&[seat]).expect("it is in play");
    }
    assert_eq!(table.game.settled(), Some(Settlement::Agreement));
    let mut table = dealt("jieqi");
    table.agents[1] = Some(greedy());
    refused(table.offer_draw(&[0]), "draw: agents play");
}

#[test]
fn who_has_no_time_left_loses() {
    let start = Instant::now();
    let at = |seconds: f64| start + Duration::from_secs_f64(seconds);
    let limits = Limits::new(&serde_json::json!({ "minutes": 0.5, "increment": 1 }));
    let limits = limits.unwrap_or_else(|refusal| panic!("{refusal}"));
    for (game, rewards) in
        [("jieqi", vec![-1.0, 1.0]), ("seven_kingdoms", vec![-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])]
    {
        let seats = rewards.len();
        let mut table = dealt(game);
        table.set_clock(Some(limits));
        // The first ply of each seat takes as long as it likes.
        for ply in 0..seats {
            table.renew_clock(at(1e3));
            assert!(!table.strike(at(1e6)), "{ply}");
            play_at(&mut table, at(1e6));
        }
        play_at(&mut table, at(1e6 + 12.0));
        let clock = table.clock.as_ref().expect("it has one").json(at(1e6 + 12.0));
        assert_eq!((clock.left[0], clock.left[1]), (Some(19_000), Some(30_000)));
        // In a file, and in the game that is read from it, time stands still.
        let key = KeyOfSeats { key: "0".repeat(32), seats: vec![0] };
        let mut again = Record::of(&table, &[key]).table(&app()).expect("it is a game");
        again.renew_clock(at(9e6));
        assert!(!again.strike(at(9e6 + 28.0)));
        assert!(again.strike(at(9e6 + 31.0)));
        assert_eq!(again.game.settled(), Some(Settlement::Time(1)));
        for _ in 1..seats {
            play_at(&mut table, at(1e6 + 12.0));
        }
        assert!(!table.strike(at(1e6 + 30.9)));
        assert!(table.strike(at(1e6 + 31.0)));
        let shown = shown(&table, &[0]);
        let outcome = &shown["outcome"];
        assert_eq!((&outcome["reason"], &outcome["is_settled"]), (&"time".into(), &true.into()));
        assert_eq!(outcome["rewards"], serde_json::json!(rewards));
        table.renew_clock(at(1e6 + 31.0));
        assert_eq!(shown_since(&table, &[0], None)["clock"]["running"], Value::Null);
    }
}

#[test]
fn a_rematch_deals_what_lies_covered_anew() {
    // Since the end both know it.
    let mut table = dealt("jieqi");
    table.game.settle(Settlement::Resignation(1));
    assert!(table.want_rematch(&[0]).expect("it may ask").is_none());
    let next = table.want_rematch(&[1]).expect("it may ask").expect("both have asked");
    assert!(next.fen.as_deref().is_some_and(|fen| !fen.contains('~')), "{:?}", next.fen);
    assert_ne!(next.state().fen(), table.state().fen());
    assert_eq!(next.state().view_fen(Viewer::Public), table.state().view_fen(Viewer::Public));
}

#[test]
fn a_rematch_that_cannot_begin_may_be_asked_for_again() {
    let mut table = dealt("jieqi");
    table.game.settle(Settlement::Resignation(1));
    table.fen = Some("no position".to_owned());
    assert!(table.want_rematch(&[0]).expect("it may ask").is_none());
    for _ in 0..2 {
        let refusal = table.want_rematch(&[1]).map(drop).expect_err("no game").to_string();
        assert!(!refusal.contains("already"), "{refusal}");
    }
}

#[test]
fn a_rematch_needs_all_people_and_begins_once() {
    let limits = serde_json::json!({ "minutes": 3, "increment": 2 });
    let limits = Limits::new(&limits).unwrap_or_else(|refusal| panic!("{refusal}"));
    let mut table = dealt("seven_kingdoms");
    for seat in 2..7 {
        table.agents[seat] = Some(greedy());
    }
    table.set_clock(Some(limits));
    let refused = |table: &mut Table, seats: &[Player], part: &str| {
        let refusal = table.want_rematch(seats).map(drop).expect_err(part).to_string();
        assert!(refusal.contains(part), "{refusal}");
    };
    refused(&mut table, &[0], "rematch: the game goes on");
    assert_eq!(shown(&table, &[0])["rematch"], Value::Null);
    table.game.settle(Settlement::Resignation(1));
    refused(&mut table, &[], "rematch: onlookers");
    assert!(table.want_rematch(&[0]).expect("it may ask").is_none());
    refused(&mut table, &[0], "you have asked for one already");
    let again = Record::of(&table, &[]).table(&app()).expect("it is a game");
    for table in [&table, &again] {
        assert_eq!(shown(table, &[1])["rematch"]["wanted_by"], serde_json::json!([0]));
    }
    let next = table.want_rematch(&[1]).expect("it may ask").expect("both have asked");
    let agents: Vec<bool> = next.agents.iter().map(Option::is_some).collect();
    assert_eq!(agents, [true, false, false, true, true, true, true]);
    assert_eq!(next.fen, table.fen);
    let left = next.clock.as_ref().expect("it has one").json(Instant::now()).left;
    assert_eq!(&left[..3], [None, Some(180_000), Some(180_000)]);
    refused(&mut table, &[1], "you have asked for one already");
    // A game that could not begin may be asked for again.
    table.begin_rematch(&[1], None);
    assert!(table.want_rematch(&[1]).expect("it may ask").is_some());
    let key = |digit: u8, seats: &[Player]| KeyOfSeats {
        key: format!("{digit:032x}"),
        seats: seats.to_vec(),
    };
    let keys = [key(1, &[1]), key(2, &[2]), key(3, &[])];
    table.begin_rematch(&[1], Some(&keys));
    refused(&mut table, &[0], "you have asked for one already");
    // Each is told the key of its own next seat, and no other.
    for (seats, own) in [(&[0][..], 0), (&[1], 1), (&[], 2)] {
        let text = shown(&table, seats).to_string();
        let told: Vec<bool> = keys.iter().map(|entry| text.contains(&entry.key)).collect();
        assert_eq!(told, [own == 0, own == 1, own == 2]);
    }
}
