//! banqi on small boards: the exact values of `darkqi solve`, compared with plain expectiminimax by the
//! rules of the engine, and with what the search claims.

use std::collections::HashMap;

use darkqi_engine::agent::NEVER;
use darkqi_engine::evaluation::Evaluation;
use darkqi_engine::small_boards::SmallBoard;
use darkqi_engine::tables::generate_tables;
use darkqi_env::games::banqi::Banqi;
use darkqi_env::{
    AnyState, Event, Game, Kind, Move, Options, Reason, Rng, Session, Viewer,
    board::BoardSize,
    game::{GameExt, Hidden, Notation},
};
use darkqi_tests::{options, test_rng};

/// The engine's board.
const WHOLE: BoardSize = BoardSize { files: 8, ranks: 4 };

fn rules(settings: &[(&str, &str)]) -> Banqi {
    let options: Options = options(settings);
    darkqi_env::game::configure(&options).expect("the options exist")
}

/// Plain expectiminimax on a corner of the engine's board: of its legal actions those that stay there.
struct Corner<'a> {
    rules: &'a Banqi,
    size: BoardSize,
    /// By what the mover knows.
    known: HashMap<String, f64>,
}

impl Corner<'_> {
    /// The whole board's FEN of a position in the corner, with all other pieces captured.
    fn fen(&self, board: &str, mover: char, colours: char) -> String {
        // The squares to the right are empty: they add to the run at the end of a rank.
        let widen = |rank: &str| {
            let pieces = rank.trim_end_matches(|letter: char| letter.is_ascii_digit());
            let run = rank[pieces.len()..].parse().unwrap_or(0) + WHOLE.files - self.size.files;
            if run > 0 { format!("{pieces}{run}") } else { pieces.to_owned() }
        };
        let ranks: Vec<String> = board.split('/').map(widen).collect();
        let empty = vec!["8".to_owned(); WHOLE.ranks - self.size.ranks];
        let mut captured = String::new();
        for colour in [char::to_ascii_uppercase, char::to_ascii_lowercase] {
            for (letter, count) in Kind::LETTERS.iter().zip(Kind::COUNTS) {
                let letter = colour(letter);
                let left = board.matches(letter).count();
                captured.extend(std::iter::repeat_n(letter, usize::from(count) - left));
            }
        }
        format!("{} {mover} {colours} {captured} 0 0", [empty, ranks].concat().join("/"))
    }

    /// The value of a position for its mover.
    fn value(&mut self, state: &<Banqi as Game>::State) -> f64 {
        let rules = self.rules;
        let view = rules.view(state, Viewer::Public);
        let key = rules.view_fen(&view);
        let key = key.rsplit_once(' ').expect("the last field is the ply").0.to_owned();
        if let Some(&value) = self.known.get(&key) {
            return value;
        }
        let ending = rules.ending(state);
        let is_inside = |mv: Move| {
            let is = |square| {
                WHOLE.file(square) < self.size.files && WHOLE.rank(square) < self.size.ranks
            };
            match mv {
                Move::Flip(square) => is(square),
                Move::Step { from, to } => is(from) && is(to),
                Move::Pass => false,
            }
        };
        let perspective = rules.perspective(rules.to_move(state));
        let actions: Vec<_> = rules
            .actions(state)
            .into_iter()
            .filter(|&action| is_inside(rules.table().get_move(action, perspective)))
            .collect();
        let value = match ending {
            // The captor has moved.
            Some(outcome) if outcome.reason == Reason::NoPieces => -1.0,
            _ if actions.is_empty() => -1.0,
            Some(outcome) => {
                assert_eq!(outcome.reason, Reason::QuietLimit);
                0.0
            }
            None => {
                let values = actions.into_iter().map(|action| {
                    let mut reveals: Vec<(Event, f64)> = Vec::new();
                    rules.each_reveal(&view, action, |event, odds| reveals.push((event, odds)));
                    let mut sum = 0.0;
                    for (event, odds) in reveals {
                        let mut after = state.clone();
                        rules.arrange(&mut after, Viewer::Public, action, &event);
                        rules.play(&mut after, action);
                        sum -= odds * self.value(&after);
                    }
                    sum
                });
                values.fold(f64::NEG_INFINITY, f64::max)
            }
        };
        self.known.insert(key, value);
        value
    }
}

/// The start and its first flips on a board, by both.
fn compare(files: usize, ranks: usize, army: &str, settings: &[(&str, &str)]) {
    let size = BoardSize { files, ranks };
    let settings = [&[("repetition", "off")], settings].concat();
    let rules = rules(&settings);
    let board = SmallBoard::new(&rules, size).expect("the board is small");
    let solution = board.solve_start(army, &NEVER).expect("it can be solved");
    let mut corner = Corner { rules: &rules, size, known: HashMap::new() };
    assert_eq!(solution.actions.len(), size.squares());
    for action in &solution.actions {
        let flipped = (0..size.squares())
            .find(|&square| size.name(size.at(square % files, square / files)) == action.action)
            .expect("a flip has the name of a square");
        for reveal in &action.reveals {
            // The others in any order: they are covered.
            let all = army.chars().chain(army.to_ascii_lowercase().chars()).collect::<Vec<_>>();
            let place = all.iter().position(|&piece| piece == reveal.piece).expect("it is there");
            let mut others = all.clone();
            others.remove(place);
            others.insert(flipped, reveal.piece);
            let text = darkqi_env::fen::write_board(size, |square| {
                let covered = if square.index() == flipped { "" } else { "~" };
                Some(format!("{covered}{}", others[square.index()]))
            });
            let colours = if reveal.piece.is_uppercase() { 'r' } else { 'b' };
            let fen = corner.fen(&text, '2', colours);
            let state = rules.parse_fen(&fen).expect("a valid FEN");
            let value = -corner.value(&state);
            assert!((value - reveal.value).abs() < 1e-12, "{fen}: {value}, {reveal:?}");
        }
        let mean: f64 = action.reveals.iter().map(|one| one.probability * one.value).sum();
        assert!((mean - action.value).abs() < 1e-12, "{action:?}");
    }
    assert_eq!(solution.value, solution.actions[0].value);
}

#[test]
fn starts_have_the_values_of_plain_expectiminimax() {
    compare(2, 1, "K", &[("quiet_limit", "4")]);
    compare(2, 2, "KP", &[]);
    compare(2, 2, "RP", &[("quiet_limit", "5")]);
    compare(4, 1, "KC", &[("cannon", "jump")]);
    compare(3, 2, "KCP", &[("quiet_limit", "3")]);
    compare(3, 2, "RCP", &[("quiet_limit", "3"), ("cannon", "jump"), ("ranking", "hongkong")]);
}

#[test]
fn positions_have_the_values_of_plain_expectiminimax() {
    let settings = [("repetition", "off"), ("quiet_limit", "4"), ("cannon", "jump")];
    let rules = rules(&settings);
    for (files, ranks, board) in
        [(4, 2, "K1~p1/1r~C1"), (4, 2, "KP2/2cr"), (4, 1, "C~pp~K"), (3, 2, "~k~R1/CPp")]
    {
        let size = BoardSize { files, ranks };
        let small = SmallBoard::new(&rules, size).expect("the board is small");
        let mut corner = Corner { rules: &rules, size, known: HashMap::new() };
        for mover in ['1', '2'] {
            let solution = small.solve_position(&format!("{board} {mover} r"), &NEVER);
            let solution = solution.expect("it can be solved");
            let state = rules.parse_fen(&corner.fen(board, mover, 'r')).expect("a valid FEN");
            let value = corner.value(&state);
            assert!((value - solution.value).abs() < 1e-12, "{board} {mover}: {value}");
            for action in &solution.actions {
                let perspective = rules.perspective(rules.to_move(&state));
                let index = rules.table().parse(&action.action, perspective);
                let index = index.expect("the action exists on the whole board");
                let mut sum = 0.0;
                let mut reveals = Vec::new();
                let view = rules.view(&state, Viewer::Public);
                rules.each_reveal(&view, index, |event, odds| reveals.push((event, odds)));
                for (event, odds) in reveals {
                    let mut after = state.clone();
                    rules.arrange(&mut after, Viewer::Public, index, &event);
                    rules.play(&mut after, index);
                    sum -= odds * corner.value(&after);
                }
                assert!((sum - action.value).abs() < 1e-12, "{board} {mover}: {action:?}, {sum}");
            }
        }
    }
}

/// What the search claims on the whole board is true: with endgame tables below the last flip, it knows
/// results that are far away.
#[test]
fn the_search_claims_no_false_result_of_positions_with_a_covered_piece() {
    let rules = rules(&[("repetition", "off")]);
    let tables = tempfile::tempdir().expect("a folder can be made");
    generate_tables(&rules, 3, tables.path(), &NEVER).expect("they can be solved");
    let spec = format!("expectimax:depth=4,tables={}", tables.path().display());
    let spec: darkqi_engine::agents::AgentSpec = spec.parse().expect("the agent exists");
    let board = SmallBoard::new(&rules, WHOLE).expect("it fits");
    let mut claims = 0;
    let rng = &mut test_rng(4);
    for pieces in [["K", "p", "~R"], ["K", "p", "~k"], ["R", "h", "~P"], ["P", "r", "~k"]] {
        for _ in 0..4 {
            let text = scattered(&pieces, rng);
            let game = Session::from_fen(rules.clone(), &format!("{text} 1 r - 0 0"));
            let game = game.expect("a valid FEN");
            let mut agent = spec.build(&rules).expect("the agent can be built");
            let view = rules.view(game.state(), Viewer::Player(0));
            let legal = game.legal_actions();
            let mut request =
                darkqi_engine::agent::Request { game: 0, view, legal, rng, stop: &NEVER };
            let decision = agent.decide(&rules, &mut request).expect("it decides");
            let Some(claim) = decision.value.map(|values| values[0]) else { continue };
            if claim.abs() > Evaluation::MOST {
                let solution = board.solve_position(&format!("{text} 1 r"), &NEVER);
                let value = solution.expect("it can be solved").value;
                assert_eq!(value, f64::from(claim.signum()), "{claim} claimed: {text}");
                claims += 1;
            }
        }
    }
    assert!(claims >= 4, "{claims}");
}

/// A board with these pieces on random squares.
fn scattered(pieces: &[&str], rng: &mut Rng) -> String {
    let mut squares: Vec<_> = WHOLE.all().collect();
    rng.shuffle(&mut squares);
    darkqi_env::fen::write_board(WHOLE, |square| {
        let piece = squares.iter().position(|&place| place == square)?;
        pieces.get(piece).map(|&piece| piece.to_owned())
    })
}
