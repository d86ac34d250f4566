//! banqi and gaiqi on small boards: the exact values of `darkqi solve`, compared with plain
//! expectiminimax by the rules of the engine, and with what the search claims; what agents lose there.

use std::collections::HashMap;

use darkqi_engine::agent::NEVER;
use darkqi_engine::agents::AgentSpec;
use darkqi_engine::evaluation::Evaluation;
use darkqi_engine::small_boards::SmallBoard;
use darkqi_engine::tables::generate_tables;
use darkqi_env::games::{banqi::Banqi, gaiqi::Gaiqi};
use darkqi_env::{
    Action, AnyState, Event, Kind, Registered, Rng, Session, Value, Viewer,
    board::BoardSize,
    fen::write_board,
    game::{GameExt, configure},
};
use darkqi_tests::ask::decide;
use darkqi_tests::{test_rng, texts};

/// The largest board.
const WHOLE: BoardSize = BoardSize { files: 8, ranks: 4 };

fn rules<G: Registered>(settings: &[(&str, &str)]) -> G {
    let settings = [&[("repetition", "off")], settings].concat();
    configure(&texts(&settings)).expect("the options exist")
}

/// The rules on a board of this size, with as many pieces as these letters have.
fn designed<G: Registered>(settings: &[(&str, &str)], size: BoardSize, pieces: &str) -> G {
    let mut options = texts(&[&[("repetition", "off")], settings].concat());
    let BoardSize { files, ranks } = size;
    options.insert("board".to_owned(), Value::Text(format!("{files}x{ranks}")));
    for letter in Kind::LETTERS {
        let count = |letter| pieces.matches::<char>(letter).count();
        let counts = format!("{}/{}", count(letter), count(letter.to_ascii_lowercase()));
        options.insert(format!("army.{letter}"), Value::Text(counts));
    }
    configure(&options).expect("the board and the army exist")
}

/// Plain expectiminimax by the rules of the engine.
struct Plain<'a, G: Registered> {
    rules: &'a G,
    /// By what the mover knows.
    known: HashMap<String, f64>,
}

impl<'a, G: Registered> Plain<'a, G> {
    fn new(rules: &'a G) -> Self {
        Self { rules, known: HashMap::new() }
    }

    /// The value of a position for its mover.
    fn value(&mut self, state: &G::State) -> f64 {
        let rules = self.rules;
        let key = rules.view_fen(&rules.view(state, Viewer::Public));
        let mut fields: Vec<String> = key.split(' ').map(str::to_owned).collect();
        // Neither the order of captures nor the number of plies counts.
        let mut captured: Vec<char> = fields[3].chars().collect();
        captured.sort_unstable();
        fields[3] = captured.into_iter().collect();
        fields.remove(5);
        let key = fields.join(" ");
        if let Some(&value) = self.known.get(&key) {
            return value;
        }
        let value = match rules.outcome(state) {
            Some(outcome) => outcome.rewards()[rules.to_move(state)].into(),
            None => {
                let values = rules.actions(state).into_iter();
                let values = values.map(|action| self.value_after(state, action));
                values.fold(f64::NEG_INFINITY, f64::max)
            }
        };
        self.known.insert(key, value);
        value
    }

    /// The value of an action for its mover.
    fn value_after(&mut self, state: &G::State, action: Action) -> f64 {
        let rules = self.rules;
        let mut reveals: Vec<(Event, f64)> = Vec::new();
        let view = rules.view(state, Viewer::Public);
        rules.each_reveal(&view, action, |event, odds| reveals.push((event, odds)));
        let mut sum = 0.0;
        for (event, odds) in reveals {
            let mut after = state.clone();
            rules.arrange(&mut after, Viewer::Public, action, &event);
            rules.play(&mut after, action);
            sum -= odds * self.value(&after);
        }
        sum
    }
}

/// The start of a game on a board, by both.
fn compare<G: Registered>(files: usize, ranks: usize, army: &str, settings: &[(&str, &str)]) {
    let size = BoardSize { files, ranks };
    let board = SmallBoard::new(&rules::<G>(settings), size).expect("the board is small");
    let solution = board.solve_start(army, &NEVER).expect("it can be solved");
    let rules: G = designed(settings, size, &(army.to_owned() + &army.to_ascii_lowercase()));
    let start = Session::deal(rules.clone(), 0);
    let mut plain = Plain::new(&rules);
    assert_eq!(solution.actions.len(), start.legal_actions().len());
    for action in &solution.actions {
        let value = start.action_index(&action.action).expect("the action is legal");
        let value = plain.value_after(start.state(), value);
        assert!((value - action.value).abs() < 1e-12, "{army}: {value}, {action:?}");
        let mean: f64 = action.reveals.iter().map(|one| one.probability * one.value).sum();
        assert!((mean - action.value).abs() < 1e-12, "{action:?}");
    }
    assert_eq!(solution.value, solution.actions[0].value);
}

#[test]
fn starts_have_the_values_of_plain_expectiminimax() {
    compare::<Banqi>(2, 2, "KP", &[]);
    compare::<Banqi>(2, 2, "RP", &[("quiet_limit", "5")]);
    compare::<Banqi>(3, 2, "KCP", &[("quiet_limit", "3")]);
    let hongkong = [("quiet_limit", "3"), ("cannon", "jump"), ("ranking", "hongkong")];
    compare::<Banqi>(3, 2, "RCP", &hongkong);
    compare::<Gaiqi>(2, 2, "KP", &[]);
    compare::<Gaiqi>(2, 2, "KA", &[("quiet_limit", "5")]);
    compare::<Gaiqi>(3, 2, "KRC", &[("quiet_limit", "1")]);
}

/// The value of a position, which is compared with its actions by both.
fn compare_position<G: Registered>(size: BoardSize, fen: &str, settings: &[(&str, &str)]) -> f64 {
    let small = SmallBoard::new(&rules::<G>(settings), size).expect("the board is small");
    let board = fen.split(' ').next().expect("the first field");
    let rules: G = designed(settings, size, board);
    let mut plain = Plain::new(&rules);
    let state = Session::from_fen(rules.clone(), fen).expect("a valid FEN");
    let solution = small.solve_position(fen, &NEVER).expect("it can be solved");
    let value = plain.value(state.state());
    assert!((value - solution.value).abs() < 1e-12, "{fen}: {value}, {solution:?}");
    assert_eq!(solution.actions.len(), state.legal_actions().len(), "{fen}");
    for action in &solution.actions {
        let index = state.action_index(&action.action).expect("it is legal");
        let value = plain.value_after(state.state(), index);
        assert!((value - action.value).abs() < 1e-12, "{fen}: {action:?}, {value}");
    }
    solution.value
}

#[test]
fn positions_have_the_values_of_plain_expectiminimax() {
    let settings = [("quiet_limit", "4"), ("cannon", "jump")];
    for (files, ranks, board) in [(4, 2, "K1~p1/1r~C1"), (4, 2, "KP2/2cr"), (3, 2, "~k~R1/CPp")] {
        for mover in ['1', '2'] {
            let fen = format!("{board} {mover} r - 0 0");
            compare_position::<Banqi>(BoardSize { files, ranks }, &fen, &settings);
        }
    }
    for (files, ranks, board) in [
        (4, 2, "K1~p1/1r~k1"),
        (4, 2, "~K1~a1/h1~k1"),
        (3, 3, "~K1e/E1~k/3"),
        (4, 2, "KC1~p/r1~k1"),
        (3, 2, "k~R1/CPK"),
    ] {
        for mover in ['1', '2'] {
            let fen = format!("{board} {mover} r - 1 9 -");
            let settings = [("quiet_limit", "4")];
            compare_position::<Gaiqi>(BoardSize { files, ranks }, &fen, &settings);
        }
    }
}

/// Who has checked three times must let the general be.
#[test]
fn chases_have_the_values_of_plain_expectiminimax() {
    let size = BoardSize { files: 3, ranks: 2 };
    for (board, square, values) in [
        ("k1P/~r1K", "c2", [1.0, 1.0, -1.0]),
        ("rP1/k1K", "b2", [1.0, 1.0, 0.0]),
        ("K1k/R1p", "a1", [0.0, 0.0, -1.0]),
    ] {
        let found = ["-".to_owned(), format!("{square}x2,-"), format!("{square}x3,-")];
        let found = found.map(|chase| {
            let fen = format!("{board} 1 r - 0 0 {chase}");
            compare_position::<Gaiqi>(size, &fen, &[("quiet_limit", "8")])
        });
        assert_eq!(found, values, "{board}");
    }
}

#[test]
fn losses_are_those_of_the_solved_positions() {
    let size = BoardSize { files: 3, ranks: 2 };
    let rules: Gaiqi = rules(&[("quiet_limit", "6")]);
    let board = SmallBoard::new(&rules, size).expect("the board is small");
    let agents = AgentSpec::parse_list("random,expectimax:depth=2").expect("they exist");
    let losses = board.losses("KRC", &agents, 400, 1, &NEVER).expect("the board is solved");
    let losses: Vec<_> = losses.into_iter().map(|one| one.expect("it plays")).collect();
    let [random, search] = [0, 1].map(|agent| &losses[agent]);
    assert!(random.per_game > 2.0 * search.per_game, "{} {}", random.per_game, search.per_game);
    for one in &losses {
        // Luck aside, results are what losses leave.
        assert!((one.result + one.per_game).abs() < 0.2, "{} {}", one.result, one.per_game);
        assert_eq!(one.share, one.blunders.len() as f64 / one.decisions as f64);
        for blunder in one.blunders.iter().step_by(20) {
            let mut covered = blunder.covered.chars();
            let piece = |letter| match letter {
                '?' => format!("~{}", covered.next().expect("as many as squares")),
                letter => String::from(letter),
            };
            let fen: String = blunder.fen.chars().map(piece).collect();
            let solution = board.solve_position(&fen, &NEVER).expect("it can be solved");
            let (played, best) = (&blunder.played, &blunder.best);
            assert_eq!(solution.value, best.value, "{fen}");
            assert!(solution.actions.contains(played) && played.value < best.value, "{fen}");
        }
    }
}

/// What the search claims on the whole board is true: with endgame tables below the last flip, it knows
/// results that are far away.
#[test]
fn the_search_claims_no_false_result_of_positions_with_a_covered_piece() {
    let rules: Banqi = rules(&[]);
    let tables = tempfile::tempdir().expect("a folder can be made");
    generate_tables(&rules, 3, tables.path(), &NEVER).expect("they can be solved");
    let spec = format!("expectimax:depth=4,tables={}", tables.path().display());
    let spec: AgentSpec = spec.parse().expect("the agent exists");
    let board = SmallBoard::new(&rules, WHOLE).expect("it fits");
    let mut claims = 0;
    let rng = &mut test_rng(4);
    for pieces in [["K", "p", "~R"], ["K", "p", "~k"], ["R", "h", "~P"], ["P", "r", "~k"]] {
        for _ in 0..4 {
            let text = scattered(&pieces, rng);
            let game = Session::from_fen(rules.clone(), &format!("{text} 1 r - 0 0"));
            let game = game.expect("a valid FEN");
            let mut agent = spec.build(&rules).expect("the agent can be built");
            let decision = decide(&mut *agent, &game, rng);
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
    write_board(WHOLE, |square| {
        let piece = squares.iter().position(|&place| place == square)?;
        pieces.get(piece).map(|&piece| piece.to_owned())
    })
}
