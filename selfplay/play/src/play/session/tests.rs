//! Games that scripts play.

use std::path::PathBuf;

use darkqi_engine::agent::NEVER;
use darkqi_env::{Format, Options, Rng, Stream, Viewer, game::texts, games, session::standing};
use darkqi_format::Dataset;
use tempfile::tempdir;

use super::{People, Reply, Session, Settings, Turn};
use crate::replay::replay;

/// Two generals and two chariots, long after the last capture.
const CHARIOTS: &str = "3k4r/9/9/9/9/9/9/9/9/R3K4 w - 40 90";

fn settings(game: &str, people: People, agent: &str) -> Settings {
    Settings {
        game: game.to_owned(),
        options: Options::new(),
        agent: agent.parse().expect("the agent exists"),
        people,
        seed: 5,
        fen: None,
        out: None,
        is_verbose: false,
        is_coloured: false,
    }
}

fn with_options(settings: Settings, options: &[(&str, &str)]) -> Settings {
    Settings { options: texts(options), ..settings }
}

fn begin(settings: Settings) -> Session {
    Session::new(settings).expect("the settings can be used")
}

/// The answer to a line.
fn answer(session: &mut Session, line: &str) -> String {
    match session.answer(line, &NEVER).expect("agents decide") {
        Reply::Said(told) => told,
        Reply::Left => "left".to_owned(),
    }
}

/// The texts until a person is asked or the game is over, and whether it goes on.
fn until_asked(session: &mut Session) -> (String, bool) {
    let mut screen = String::new();
    loop {
        let (told, goes_on) = match session.turn(&NEVER).expect("agents decide") {
            Turn::Played(told) => {
                screen += &(told + "\n");
                continue;
            }
            Turn::Asked { board, prompt } => (board.unwrap_or_default() + "\n" + &prompt, true),
            Turn::Over(told) => (told, false),
        };
        return (screen + &told + "\n", goes_on);
    }
}

/// The whole screen of a game in which `choose` picks the number of a legal move at each turn.
fn whole_game(session: &mut Session, mut choose: impl FnMut(usize) -> usize) -> String {
    let mut screen = session.greeting() + "\n";
    loop {
        let (told, goes_on) = until_asked(session);
        screen += &told;
        if !goes_on {
            return screen;
        }
        let moves = session.state().legal_moves();
        let name = &moves[choose(moves.len())];
        let told = answer(session, name);
        assert!(told.contains(name.as_str()), "{name}: {told}");
        screen += &(told + "\n");
    }
}

/// The last line but the verdict: the result.
fn assert_ends(session: &Session, screen: &str) {
    let outcome = session.state().outcome().expect("the game is over");
    let end = format!("\n\n{}.", standing(session.state(), None));
    assert!(screen.contains(&end), "no `{end}` in {}", &screen[screen.len() - 200..]);
    assert!(!end.contains("to move"), "{end}");
    let verdict = match session.settings.people {
        People::One(seat) if outcome.rewards()[seat] > 0.0 => "You win.\n",
        People::One(seat) if outcome.rewards()[seat] < 0.0 => "You lose.\n",
        _ => "",
    };
    assert!(screen.ends_with(verdict));
    assert_eq!(screen.contains("You win") || screen.contains("You lose"), !verdict.is_empty());
}

#[test]
fn people_play_every_game_to_its_end() {
    let mut checks = 0;
    for game in games::names() {
        for is_random in [false, true] {
            let limit = [("max_plies", "150")];
            let people = settings(game, People::All, "random");
            let mut session = begin(with_options(people, &limit));
            let mut rng = Rng::new(3, Stream::Seat);
            let screen = whole_game(&mut session, |moves| {
                if is_random { rng.below(moves as u32) as usize } else { 0 }
            });
            assert_ends(&session, &screen);
            assert_eq!(screen.matches(" to move").count(), session.game.past().len(), "{game}");
            let captions = screen.matches(" to move, in check").count();
            assert_eq!(screen.matches("is in check").count(), captions);
            checks += captions;
        }
    }
    assert!(checks > 0, "no game had a check");
}

#[test]
fn a_person_plays_every_game_against_an_agent() {
    for game in games::names() {
        for seat in [0, 1] {
            let person = settings(game, People::One(seat), "random");
            let mut session = begin(with_options(person, &[("max_plies", "120")]));
            let screen = whole_game(&mut session, |_| 0);
            assert_ends(&session, &screen);
            let own =
                session.game.past().iter().filter(|past| past.before.current_player() == seat);
            assert_eq!(screen.matches("You play ").count(), own.count(), "{game}");
            assert!(screen.contains(" plays "), "{game}: the agent plays, too");
        }
    }
}

#[test]
fn agents_alone_ask_nobody() {
    let mut session = begin(settings("gaiqi", People::None, "greedy"));
    assert!(session.greeting().contains("taken from red: -"), "the deal is shown");
    let (screen, goes_on) = until_asked(&mut session);
    assert!(!goes_on);
    assert_ends(&session, &screen);
    assert_eq!(screen.matches(" to move").count() + 1, session.game.past().len());
}

#[test]
fn three_seats_take_turns() {
    let three = settings("seven_kingdoms", People::One(1), "random");
    let mut session = begin(with_options(three, &[("seats", "0120120"), ("max_plies", "80")]));
    assert_eq!(session.game.spec().num_players, 3);
    let screen = whole_game(&mut session, |moves| moves / 2);
    assert_ends(&session, &screen);
    for seat in [0, 2] {
        assert!(screen.contains(&format!("random (seat {seat}) plays ")), "{seat}");
    }
    assert!(!screen.contains("(seat 1) plays"));
    let mut session = begin(with_options(
        settings("seven_kingdoms", People::All, "random"),
        &[("seats", "0120120")],
    ));
    let prompts: Vec<String> = (0..3)
        .map(|_| {
            let (screen, _) = until_asked(&mut session);
            let first = session.state().legal_moves().swap_remove(0);
            answer(&mut session, &first);
            screen.trim_end().rsplit('\n').next().expect("a prompt").to_owned()
        })
        .collect();
    assert_eq!(prompts, ["seat 0> ", "seat 1> ", "seat 2> "].map(|prompt| prompt.trim_end()));
    answer(&mut session, "resign");
    let (screen, goes_on) = until_asked(&mut session);
    assert!(!goes_on && screen.ends_with("\n\nSeat 0 lost: resignation.\n"), "{screen}");
}

/// A position after some random plies.
fn position(game: &str, seed: u64, plies: usize) -> Box<dyn darkqi_env::AnyState> {
    let mut state = darkqi_env::deal(game, &Options::new(), seed).expect("the game exists");
    let mut rng = Rng::new(seed, Stream::Resample);
    for _ in 0..plies {
        let legal = state.legal_actions();
        if legal.is_empty() {
            break;
        }
        let action = *rng.choose(legal);
        state.apply(action).expect("it is legal");
    }
    state
}

/// In two worlds that a seat cannot tell apart its screens are equal, for as long as it cannot.
#[test]
fn the_screen_shows_no_more_than_the_seat_may_see() {
    let mut compared = 0;
    let mut is_secret = false;
    for game in ["banqi", "gaiqi", "jieqi", "mystery"] {
        for seed in 0..40 {
            let seat = (seed % 2) as usize;
            let viewer = Viewer::Player(seat);
            let truth = position(game, seed, 6 * (seed as usize % 5));
            if truth.outcome().is_some() {
                continue;
            }
            let other = truth.resample(viewer, seed);
            let mut worlds = [truth, other].map(|state| {
                let fen = Some(state.fen());
                let agent = ["greedy", "random", "expectimax:depth=1"][seed as usize % 3];
                begin(Settings { fen, ..settings(game, People::One(seat), agent) })
            });
            let mut rng = Rng::new(seed, Stream::Seat);
            for _ in 0..12 {
                let told = worlds.each_mut().map(until_asked);
                let seen = worlds.each_ref().map(|session| {
                    let mut row = vec![0; session.game.spec().layout.plane_len()];
                    session.state().observe(viewer, Format::Planes, &mut row);
                    let moves: Vec<_> =
                        session.game.past().iter().map(|past| past.decision.action).collect();
                    (row, session.state().view_fen(viewer), moves)
                });
                if seen[0] != seen[1] || !told[0].1 || !told[1].1 {
                    break;
                }
                is_secret |= told[0].0.contains("that you are not shown");
                assert_eq!(told[0], told[1], "{game}, seed {seed}");
                let moves = worlds[0].state().legal_moves();
                let name = rng.choose(&moves).clone();
                let ask = format!("odds {name}");
                for line in ["board", "fen", "moves", &ask, "hint", "help", "fly", "a1a1"] {
                    let [one, two] = worlds.each_mut().map(|session| answer(session, line));
                    assert_eq!(one, two, "{game}, seed {seed}: {line}");
                    compared += 1;
                }
                let [one, two] = worlds.each_mut().map(|session| {
                    let told = answer(session, &name);
                    (told, session.state().view_fen(viewer))
                });
                if one.1 != two.1 {
                    break;
                }
                assert_eq!(one, two, "{game}, seed {seed}: {name}");
            }
        }
    }
    assert!(compared > 800, "{compared}");
    assert!(is_secret, "no capture was secret");
}

#[test]
fn what_a_ply_does_is_said_and_marked() {
    let mut session = begin(Settings {
        fen: Some(CHARIOTS.to_owned()),
        ..settings("jieqi", People::All, "random")
    });
    let (screen, _) = until_asked(&mut session);
    assert!(
        screen.contains("Red to move, ply 90, 40 quiet\n40 of 80 plies without capture\n"),
        "{screen}"
    );
    assert!(!screen.contains('['), "nothing was played yet: {screen}");
    assert_eq!(answer(&mut session, "A1-A10"), "Seat 0 plays a1a10; seat 1 is in check.");
    let (screen, _) = until_asked(&mut session);
    // Black sees the board from its own side.
    for part in ["\n10  r . . . . k . .[R]\n", "1  . . . . K . . .[.]\n", "Black to move, in check"]
    {
        assert!(screen.contains(part), "no {part} in {screen}");
    }
    // The board is shown once.
    assert_eq!(until_asked(&mut session).0, "\nseat 1> \n");
    assert!(answer(&mut session, "board").contains("[R]"));
    assert_eq!(answer(&mut session, "back"), "Taken back: a1a10.");
    for name in ["e1e2", "d10d9", "e2e1", "d9d10"] {
        assert_eq!(until_asked(&mut session).0.matches("repetition").count(), 0);
        answer(&mut session, name);
    }
    let (screen, _) = until_asked(&mut session);
    assert!(screen.contains("\nrepetition: this position has occurred 2 times\n"), "{screen}");
}

#[test]
fn faults_are_answered_and_change_nothing() {
    let mut session = begin(settings("jieqi", People::One(0), "random"));
    until_asked(&mut session);
    let fen = session.state().fen();
    for (line, fault) in [
        ("fly", "`fly` is no command and no move; expected a move such as `a1a2`, or one of: help"),
        ("odds", "help, moves [SQUARE], odds MOVE, hint"),
        ("a4a9", "cannot go from a4 to a9. `moves a4` lists what is legal."),
        ("a1b9", "cannot go from a1 to b9."),
        ("a10", "`moves a10` lists what is legal."),
        ("z9", "`z9` is no action of jieqi"),
        ("pass", "`pass` is no action of jieqi"),
        ("99999", "action 99999 is no action of jieqi; expected an index from 0 to 2549"),
        ("-1", "action -1 is no action of jieqi"),
        ("moves e5", "No legal move begins on `e5`; expected one of:\n  a1 "),
        ("odds a4a9", "is not legal here"),
        ("back", "There is nothing to take back"),
    ] {
        let told = answer(&mut session, line);
        assert!(told.contains(fault), "{line}: {told}");
        assert_eq!(session.state().fen(), fen, "{line}");
    }
    assert_eq!(answer(&mut session, "moves A4"), "  a4a5");
    assert_eq!(answer(&mut session, ""), "");
    assert_eq!(answer(&mut session, "fen"), session.state().view_fen(Viewer::Player(0)));
    assert!(!answer(&mut session, "fen").contains('~'));
    let odds = answer(&mut session, "odds a4a5");
    assert!(odds.starts_with("  turns over  P 33 %, ") && !odds.contains("takes"), "{odds}");
    let index = session.state().action_index("a4a5").expect("it is an action").0;
    assert!(answer(&mut session, &index.to_string()).starts_with("You play a4a5, turning over "));
    assert!(matches!(session.answer("QUIT", &NEVER), Ok(Reply::Left)));
}

#[test]
fn plies_are_taken_back_to_the_own_turn() {
    let mut session = begin(settings("jieqi", People::One(1), "random"));
    until_asked(&mut session);
    assert!(answer(&mut session, "back").starts_with("There is nothing"), "the agent began");
    let fen = session.state().fen();
    let reply = session.state().legal_moves().swap_remove(0);
    let told = answer(&mut session, &reply);
    until_asked(&mut session);
    assert_eq!(session.game.past().len(), 3);
    let back = answer(&mut session, "back");
    assert!(back.starts_with(&format!("Taken back: {reply}, ")), "{back}");
    assert!(back.ends_with("you know now what was turned over."), "{back}");
    assert_eq!(session.state().fen(), fen);
    assert!(until_asked(&mut session).0.contains("to move"), "the board is shown again");
    assert_eq!(answer(&mut session, &reply), told, "it turns over the same");

    let mut session = begin(settings("flipping", People::All, "random"));
    let fen = session.state().fen();
    until_asked(&mut session);
    answer(&mut session, "c2c3");
    assert_eq!(answer(&mut session, "back"), "Taken back: c2c3.", "nothing was hidden");
    assert_eq!(session.state().fen(), fen);
}

#[test]
fn hints_are_legal_moves_with_values() {
    let hint = |agent: &str| {
        let mut session = begin(settings("gaiqi", People::One(0), agent));
        until_asked(&mut session);
        let told = answer(&mut session, "hint");
        let prefix = format!("{agent} would play ");
        let name: String =
            told[prefix.len()..].chars().take_while(char::is_ascii_alphanumeric).collect();
        assert!(session.state().legal_moves().contains(&name), "{told}");
        assert!(session.game.past().is_empty());
        told
    };
    assert!(hint("expectimax:depth=1").contains(", with a value of "));
    assert!(!hint("random").contains("value"));
}

#[test]
fn who_resigns_loses() {
    let mut session = begin(settings("banqi", People::One(1), "random"));
    until_asked(&mut session);
    assert_eq!(answer(&mut session, "resign"), "You resign.");
    let (screen, goes_on) = until_asked(&mut session);
    assert!(!goes_on);
    assert!(screen.contains('~'), "the whole board is uncovered: {screen}");
    assert!(screen.ends_with(" (seat 0) won: resignation. You lose.\n"), "{screen}");
}

#[test]
fn games_are_added_to_a_dataset() {
    let folder = tempdir().expect("a folder can be made");
    let out: PathBuf = folder.path().join("games");
    let person = |seat| {
        let own =
            Settings { out: Some(out.clone()), ..settings("jieqi", People::One(seat), "greedy") };
        with_options(own, &[("max_plies", "4")])
    };
    for seat in [0, 1] {
        let mut session = begin(person(seat));
        until_asked(&mut session);
        let moves = session.state().legal_moves();
        answer(&mut session, &moves[0]);
        until_asked(&mut session);
        answer(&mut session, "back");
        whole_game(&mut session, |moves| moves - 1);
        let told = session.keep().expect("it can be written").expect("there is a dataset");
        assert!(told.starts_with(&format!("It is game {seat} of ")), "{told}");
        let game = replay(&Dataset::open(&out).expect("it is one"), seat as u64, None);
        let game = game.expect("the game is there");
        assert!(game.differences.is_empty());
        let mut agents = ["greedy", "greedy"];
        agents[seat] = "human";
        assert_eq!(game.record.agents, agents);
        let played = session.game.past().iter().map(|past| past.decision.action.0);
        assert!(played.eq(game.record.moves.iter().map(|ply| ply.action)));
    }
    // What has no end is not added.
    let mut session = begin(person(0));
    until_asked(&mut session);
    answer(&mut session, "resign");
    let told = session.keep().expect("nothing is written").expect("there is a dataset");
    assert!(told.starts_with("It is not added to "), "{told}");
    let dataset = Dataset::open(&out).expect("it is one");
    assert_eq!((dataset.num_games(), dataset.is_complete()), (2, true));
    // A game from a position has it for its deal.
    let deal = CHARIOTS.replace("40 90", "0 0");
    let mut session = begin(Settings { fen: Some(deal.clone()), ..person(0) });
    whole_game(&mut session, |_| 0);
    session.keep().expect("it can be written");
    let game =
        replay(&Dataset::open(&out).expect("it is one"), 2, None).expect("the game is there");
    assert_eq!((game.record.deal.as_str(), game.differences.len()), (deal.as_str(), 0));
    // Other agents are another dataset.
    let other = Settings { agent: "random".parse().expect("it exists"), ..person(0) };
    let error = Session::new(other).err().expect("the agents differ").to_string();
    assert!(error.contains("holds a run with other settings"), "{error}");
}

#[test]
fn unusable_settings_are_named() {
    let fault = |settings: Settings| match Session::new(settings) {
        Ok(_) => panic!("the settings can be used"),
        Err(error) => error.to_string(),
    };
    let fen = Some("3k3/7/7/7/7/7/2K4 w 0 0".to_owned());
    let over = fault(Settings { fen, ..settings("flipping", People::One(0), "random") });
    assert_eq!(over, "fen: expected a game that is not over, but it is (bare_kings)");
    assert!(fault(settings("gaiqi", People::All, "onnx:none.onnx")).contains("none.onnx"));
    assert_eq!("2".parse(), Ok(People::One(2)));
    assert_eq!("all".parse(), Ok(People::All));
}

#[test]
fn what_an_engine_is_told_is_not_for_its_opponent() {
    let engine = "uci:cmd=false";
    for is_verbose in [false, true] {
        // The engine is to move; then it is asked for a hint.
        let mut played =
            begin(Settings { is_verbose, ..settings("jieqi", People::One(1), engine) });
        let fault = played.turn(&NEVER).expect_err("it has no answer").to_string();
        let mut hinted =
            begin(Settings { is_verbose, ..settings("jieqi", People::One(0), engine) });
        hinted.turn(&NEVER).expect("a person is to move");
        for told in [fault, answer(&mut hinted, "hint")] {
            assert_eq!(told.contains("position `"), is_verbose, "{told}");
            assert_eq!(told.contains("has failed; `--verbose`"), !is_verbose, "{told}");
        }
    }
}
