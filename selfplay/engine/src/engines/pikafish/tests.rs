use darkqi_env::games::jieqi::Jieqi;
use darkqi_env::{
    Colour, Game, Options, Rng, Stream, Viewer, from_fen,
    game::{GameExt, Hidden, Notation},
};

use super::{Told, fen, move_name, read_move, world};

/// The start, which tells nothing.
const START: &str = "xxxxkxxxx/9/1x5x1/x1x1x1x1x/9/9/X1X1X1X1X/1X5X1/9/XXXXKXXXX w \
                     R2A2C2P5N2B2r2a2c2p5n2b2 0 1";

fn full(text: &str) -> String {
    world(text).expect("it is well formed").expect("it is in the dialect")
}

#[test]
fn the_start_tells_nothing() {
    let rules = Jieqi::default();
    for seed in 0..3 {
        let state = rules.deal(&mut Rng::new(seed, Stream::Deal));
        let view = rules.view(&state, Viewer::Player(0));
        assert_eq!(fen(&rules.view_fen(&view), &rules.fen(&state)), START);
    }
    let view = from_fen("jieqi", &Options::new(), &full(START)).expect("it is a position");
    let expected = "xxxxkxxxx/9/1x5x1/x1x1x1x1x/9/9/X1X1X1X1X/1X5X1/9/XXXXKXXXX w - 0 0";
    assert_eq!(view.view_fen(Viewer::Player(0)), expected);
}

/// The leak law: the text is the same in all worlds that the seat cannot tell apart. It is read back
/// as a world with the seat's view.
#[test]
fn worlds_that_a_seat_cannot_tell_apart_are_written_alike() {
    let rules = Jieqi::default();
    let (mut hidden, mut face_down) = (0, 0);
    for seed in 0..20 {
        let mut rng = Rng::new(seed, Stream::Sample);
        let mut state = rules.deal(&mut Rng::new(seed, Stream::Deal));
        while rules.outcome(&state).is_none() {
            let mover = rules.to_move(&state);
            let viewer = Viewer::Player(mover);
            let view = rules.view(&state, viewer);
            let seen = rules.view_fen(&view);
            let written = |world: &_| {
                let view = rules.view(world, viewer);
                fen(&rules.view_fen(&view), &rules.fen(world))
            };
            let text = written(&state);
            for _ in 0..3 {
                let other = rules.determinize(&view, &mut rng);
                hidden += u32::from(rules.fen(&other) != rules.fen(&state));
                assert_eq!(written(&other), text);
            }
            let read = rules.parse_fen(&full(&text)).expect("it is a position");
            assert_eq!(written(&read), text);
            // Captured pieces are listed in another order, and lose that they were covered.
            let pieces = |fen: &str| {
                let fields: Vec<&str> = fen.split(' ').collect();
                let mut captured: Vec<char> = fields[2].replace('~', "").chars().collect();
                captured.sort_unstable();
                face_down += usize::from(captured.iter().any(|letter| "Xx".contains(*letter)));
                (fields[0].to_owned(), fields[1].to_owned(), captured, fields[3..].join(" "))
            };
            let mut pieces = pieces;
            assert_eq!(pieces(&rules.view_fen(&rules.view(&read, viewer))), pieces(&seen));
            let legal = rules.actions(&state);
            rules.play(&mut state, *rng.choose(&legal));
        }
    }
    assert!(hidden > 1000 && face_down > 100, "{hidden}, {face_down}");
}

#[test]
fn what_a_seat_captured_is_told_and_what_it_lost_is_not() {
    // Red took a covered horse and lost a covered chariot.
    let rules = Jieqi::default();
    let state = rules.parse_fen("3k5/9/9/~p7r/9/R8/8~P/9/9/4K4 w ~h~Rc 3 21").expect("a position");
    let seen = |seat| {
        let view = rules.view(&state, Viewer::Player(seat));
        fen(&rules.view_fen(&view), &rules.fen(&state))
    };
    let board = "3k5/9/9/x7r/9/R8/8X/9/9/4K4 w";
    assert_eq!(seen(0), format!("{board} R1A0C0P1N0B0r0a0c0p1n0b0 3 11"));
    assert_eq!(seen(1), format!("{board} R0A0C0P1N0B0r0a0c0p1n1b0 3 11"));
}

#[test]
fn pools_of_other_programs_are_read() {
    let board = "4k4/9/9/x8/9/9/8X/9/9/4K4";
    // Nothing is said of the others, so that they have been captured.
    let plain = full(&format!("{board} b P1r1 5 30"));
    assert!(plain.starts_with("4k4/9/9/~r8/9/9/8~P/9/9/4K4 b "), "{plain}");
    assert!(plain.ends_with(" 5 59"), "{plain}");
    for other in ["b r1P1 - 5 30", "b Pr - 5 30", "b P1R0r1 5 30"] {
        assert_eq!(full(&format!("{board} {other}")), plain, "{other}");
    }
    assert_eq!(full(&format!("{board} P1r1 b - - 5 30")), plain);
    // Captured face down, and known: the reader's black chariot is not in the pool.
    let known = full(&format!("{board} w P1r1 r1 5 30"));
    let captured = known.split(' ').nth(2).expect("it has captured pieces");
    assert!(captured.ends_with("~r") && !captured[..captured.len() - 2].contains('r'), "{known}");
    // Captured face down, and not known.
    let unknown = full(&format!("{board} w P1C1r1 5 30"));
    assert!(unknown.contains("8~C/") && unknown.contains("~P "), "{unknown}");
    for bare in ["w - - 0 1", "w 0 1"] {
        assert!(full(&format!("4k4/9/9/9/9/9/9/9/9/3K5 {bare}")).ends_with(" 0 0"), "{bare}");
    }
}

#[test]
fn positions_of_darkqi_are_left_alone() {
    for fen in ["3k5/9/9/~h7r/9/R8/8~P/9/9/4K4 w - 3 20", "4k4/9 w pR~c 3 20", "", "x"] {
        assert_eq!(world(fen), Ok(None), "{fen}");
    }
}

#[test]
fn faulty_fields_are_named() {
    for (fen, fault) in [
        ("X w P0 0 1", "field `pool`: `P0` has fewer pieces than there are `X` on the board"),
        ("X w P6 0 1", "field `pool`: more `P` than a set has"),
        ("X w P99999999999999999999 0 1", "field `pool`: more `P` than a set has"),
        ("X w K1 0 1", "field `pool`: `K` is no piece that may be covered"),
        ("X w R2é1 0 1", "field `pool`: `é` is no piece"),
        ("X w P1 p6 0 1", "field `captured`: more `p` than a set has"),
        ("XRR w R1 0 1", "field `board`: more `R` than a set has"),
        ("XH w R1 0 1", "field `board`: `H` is no piece; expected K A B N R C P, X"),
        ("X w R1 0 x", "field `fullmove`: `x` is not the number of a move"),
    ] {
        let error = world(fen).expect_err(fen);
        assert!(error.contains(fault), "{fen}: {error}");
    }
}

#[test]
fn moves_begin_at_rank_0_and_say_what_they_show() {
    for (name, dialect) in [("a4a5", "a3a4"), ("h10g8", "h9g7"), ("a1a10", "a0a9")] {
        assert_eq!(move_name(name), dialect);
        assert_eq!(read_move(dialect, Colour::Red).map(|(name, _)| name).as_deref(), Ok(name));
    }
    let shown = |text, mover| {
        let (_, Told { revealed, captured }) = read_move(text, mover).expect(text);
        (revealed.unwrap_or_default(), captured.unwrap_or_default())
    };
    let (red, black) = (Colour::Red, Colour::Black);
    for (text, mover, expected) in [
        ("a3a4N", red, ("H", "")),
        ("b2b9Bn", red, ("E", "h")),
        ("b2b9n", red, ("", "h")),
        ("b7b0nB", black, ("h", "E")),
        ("b7b0B", black, ("", "E")),
    ] {
        let expected = (expected.0.to_owned(), expected.1.to_owned());
        assert_eq!(shown(text, mover), expected, "{text}");
    }
    for text in ["", "a3", "a3j4", "a3a4K", "a3a4X", "a3a4H", "a3a4nR", "a3a4RR", "a3a4Rnn", "é3a4"]
    {
        let error = read_move(text, red).expect_err(text);
        assert!(
            error.starts_with(&format!("`{text}` is no move; expected two squares")),
            "{error}"
        );
    }
}
