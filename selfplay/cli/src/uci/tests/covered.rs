//! Positions with covered pieces, and the dialect of jieqi.

use darkqi_engine::engines::Dialect;
use darkqi_env::{AnyState, Options, Rng, Stream, Viewer, deal};

use super::{answer, answers, best, field};

const START: &str = "xxxxkxxxx/9/1x5x1/x1x1x1x1x/9/9/X1X1X1X1X/1X5X1/9/XXXXKXXXX w \
                     R2A2C2P5N2B2r2a2c2p5n2b2 0 1";

/// The FEN of the position after these words.
fn fen(game: &str, position: &str) -> String {
    let lines = answers(game, &[&format!("position {position}"), "d"]);
    let last = lines.last().expect("it is shown");
    last.strip_prefix("fen ").unwrap_or_else(|| panic!("{position}: {lines:?}")).to_owned()
}

#[test]
fn every_game_has_a_start() {
    for game in darkqi_env::games::names() {
        let go = "go nodes 40";
        let moves = best(game, &[go, "ucinewgame", "position startpos", go]);
        assert_eq!((moves.len(), &moves[0]), (2, &moves[1]));
        let dialect = if *game == "jieqi" { Dialect::Pikafish } else { Dialect::Darkqi };
        let legal = deal(game, &Options::new(), 9).expect("the game exists").legal_moves();
        let legal: Vec<_> = legal.iter().map(|name| dialect.move_name(name)).collect();
        assert!(legal.contains(&moves[0]), "{game}: {moves:?}");
    }
    let lines = answers("jieqi", &["position startpos", "d"]);
    assert_eq!(lines.last(), Some(&format!("fen {START}")));
    // The identities of the world behind it are nobody's business.
    assert!(lines[0].contains(" x ") && !lines[0].contains('~'), "{}", lines[0]);
}

#[test]
fn a_move_may_say_what_it_shows() {
    let board = |moves: &str| fen("banqi", &format!("fen 8/8/~k~p6/RR4KC 1 r - 0 0 moves {moves}"));
    assert_eq!(board("a2"), "8/8/k~p6/RR4KC 2 r - 0 1");
    assert_eq!(board("a2=k"), board("a2"));
    assert_eq!(board("a2=p"), "8/8/p~k6/RR4KC 2 r - 0 1");
    for (moves, fault) in [("a2=c", "`a2=c`"), ("a2=kxp", "`a2=kxp`"), ("a2=xk", "`a2=xk`")] {
        let line =
            answer("banqi", &[&format!("position fen 8/8/~k~p6/RR4KC 1 r - 0 0 moves {moves}")]);
        let expected = format!("info string {fault} does not say what the move can show: k p");
        assert_eq!(line, expected);
    }
    // What is captured need not be told.
    let capture = "fen 3k5/9/9/~h7r/9/R8/8~P/9/9/4K4 w - 3 20 moves a5a7";
    for shown in ["", "=", "=xh"] {
        assert!(fen("jieqi", &format!("{capture}{shown}")).contains(" ~h 0 21"), "{shown}");
    }
}

#[test]
fn where_identities_are_not_given_a_move_must_say_what_it_shows() {
    let line = answer("banqi", &["position startpos moves a1"]);
    let start = "info string `a1` does not say what the move can show: ";
    assert!(line.starts_with(start) && line.ends_with(" c p"), "{line}");
    assert!(fen("banqi", "startpos moves a1=k h4=R").ends_with(" b - 0 2"));
    let line = answer("jieqi", &["position startpos moves a3a4"]);
    let all = "`a3a4` does not say what the move can show: A B N R C P";
    assert_eq!(line, format!("info string {all}"));
}

#[test]
fn jieqi_is_told_in_the_dialect_of_its_engines() {
    for start in ["startpos".to_owned(), format!("fen {START}")] {
        assert_eq!(
            fen("jieqi", &format!("{start} moves a3a4R a6a5c")),
            "xxxxkxxxx/9/1x5x1/2x1x1x1x/c8/R8/2X1X1X1X/1X5X1/9/XXXXKXXXX w \
             R1A2C2P5N2B2r2a2c1p5n2b2 2 2"
        );
    }
    // Red takes a covered piece, and one side knows which.
    let after = |capture: &str, answered: &str| {
        let fen = fen("jieqi", &format!("startpos moves {capture}{answered}"));
        fen.split(' ').nth(2).expect("it has a pool").to_owned()
    };
    assert_eq!(after("b2b9R", ""), "R1A2C2P5N2B2r2a2c2p5n2b2");
    assert_eq!(after("b2b9Rn", " a9b9p"), "R1A2C2P5N2B2r2a2c2p4n1b2");
    // It is red's turn, who must have seen what it took: it is not told, and drawn.
    let drawn = after("b2b9R", " a9b9p");
    let left: u32 = drawn.chars().filter_map(|text| text.to_digit(10)).sum();
    assert_eq!(left, 14 + 13, "{drawn}");
}

#[test]
fn the_seat_that_lost_a_piece_does_not_learn_from_its_engine() {
    let pool = |moves: &str| {
        let fen = fen("jieqi", &format!("startpos moves b2b9R{moves}"));
        fen.split(' ').nth(2).expect("it has a pool").to_owned()
    };
    // Black's rook takes back and shows a soldier; red answers; black's pool has all it has not seen.
    assert_eq!(pool(" a9b9p a3a4C"), "R1A2C1P5N2B2r2a2c2p4n2b2");
    // Black turns over what may be the piece that it lost, as often as it has it.
    let all = " a9b9p a3a4C a6a5n c3c4A c6c5n g3g4P g6g5c i3i4P";
    assert_eq!(pool(all), "R1A1C1P3N2B2r2a2c1p4n0b2");
    let moves = format!("startpos moves b2b9R{all} i6i5c e3e4P e6e5n");
    let line = answer("jieqi", &[&format!("position {moves}")]);
    let expected = "info string `e6e5n` does not say what the move can show: a b r p";
    assert_eq!(line, expected);
}

#[test]
fn faults_of_the_dialect_are_named() {
    for (position, fault) in [
        ("startpos moves a4a5R", "`a4a5R`, which darkqi calls a5a6: a5a6 (action "),
        (
            "startpos moves a3b9R",
            "`a3b9R`, which darkqi calls a4b10: `a4b10` is no action of jieqi",
        ),
        ("startpos moves a3a10", "`a3a10` is no move; expected two squares from a0 to i9"),
        ("startpos moves a3a4r", "`a3a4r` does not say what the move can show: A B N R C P"),
        ("fen 4k4/9/9/9/9/9/9/9/9/X3K4 w C0 0 1", "field `pool`: `C0` has fewer pieces"),
        ("fen 4k4/9/9/9/9/9/9/9/9/X3K4 w C3 0 1", "field `pool`: more `C` than a set has"),
        ("fen 4k4/9/9/9/X8/9/9/9/9/4K4 w C1 0 1", "field `board`: `~C` cannot be covered on a6"),
        ("fen 4k4/9/9/9/9/9/9/9/9/X3K4 w - 0 1", "hides an identity"),
    ] {
        let line = answer("jieqi", &[&format!("position {position}")]);
        assert!(line.starts_with("info string ") && line.contains(fault), "{position}: {line}");
    }
    // Nothing is left of the position.
    let lines = answers("jieqi", &["position startpos moves a3a4", "go depth 1"]);
    assert_eq!(lines.last().map(String::as_str), Some("bestmove (none)"));
}

/// The search goes by the pool, which is what a seat knows, whatever stands on the board.
#[test]
fn the_pool_decides_what_covered_pieces_are_worth() {
    let score = |pool: &str| {
        let fen = format!("position fen 4k4/9/9/x8/9/9/8X/9/9/3K5 w {pool} 0 30");
        let lines = answers("jieqi", &[&fen, "go depth 1"]);
        field(&lines[0], "cp").parse::<i32>().expect("it is a number")
    };
    let even = score("P1p1");
    assert!(score("R1p1") > even && score("P1r1") < even);
    // Red has lost one of two, and does not know which.
    let between = score("P1R1p1");
    assert!(even < between && between < score("R1p1"), "{even} {between}");
}

/// All worlds that a seat cannot tell apart, in either notation, get the same answers.
#[test]
fn the_world_behind_a_position_does_not_matter() {
    let go = |fen: &str| {
        let lines = answers("jieqi", &[&format!("position fen {fen}"), "go depth 2"]);
        let best = lines.last().expect("it has a move").clone();
        let scores: Vec<_> =
            lines[..lines.len() - 1].iter().map(|info| field(info, "cp").to_owned()).collect();
        (scores, best)
    };
    let mut known = 0;
    let mut state = deal("jieqi", &Options::new(), 5).expect("the game exists");
    let mut rng = Rng::new(5, Stream::Sample);
    for ply in 0..60 {
        let legal = state.legal_actions();
        let action = *rng.choose(legal);
        state.apply(action).expect("it is legal");
        if ply % 12 == 11 && state.outcome().is_none() {
            let viewer = Viewer::Player(state.current_player());
            let (scores, best) = go(&state.fen());
            for seed in 0..3 {
                let other: Box<dyn AnyState> = state.resample(viewer, seed);
                assert_eq!(go(&other.fen()), (scores.clone(), best.clone()));
            }
            let dialect = Dialect::Pikafish;
            let seen = state.view_fen(viewer);
            let fen = dialect.fen(&seen, &state.fen());
            let fields: Vec<&str> = fen.split(' ').collect();
            let [board, mover, pool, quiet, number] = fields[..] else {
                panic!("{fen} has five fields")
            };
            // With the sixth field, for what the seat captured face down, nothing is left out.
            let captured = seen.split(' ').nth(2).expect("it has captured pieces");
            let face_down = captured.split('~').skip(1).filter_map(|rest| rest.get(..1));
            let mut face_down: String = face_down.map(|piece| dialect.piece_name(piece)).collect();
            known += face_down.len();
            if face_down.is_empty() {
                face_down.push('-');
            }
            let (same, in_dialect) =
                go(&format!("{board} {mover} {pool} {face_down} {quiet} {number}"));
            let name = best.strip_prefix("bestmove ").expect("it plays");
            assert_eq!(same, scores);
            assert_eq!(in_dialect, format!("bestmove {}", dialect.move_name(name)));
        }
    }
    assert!(known > 0);
}
