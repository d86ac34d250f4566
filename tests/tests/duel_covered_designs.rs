//! The fast engine against the slow referee on rules of designers for covered xiangqi: pools,
//! movement, captures and ends (RULES.md section 11).

use darkqi_env::board::BoardSize;
use darkqi_env::{AnyState, Options, Rng, Spec, Viewer, fen};
use darkqi_tests::arbitrary::{fits, pairs, random_design};
use darkqi_tests::duel::{Counts, agreed, draw, play_out, read_by_both};
use darkqi_tests::sound::viewers;
use darkqi_tests::{cases, referee, test_rng, texts};

use super::design_duel::{
    Duels, PLIES, check_bad, check_even, check_refused, check_taken, check_texts, refusals, value,
};
use super::duel_seven_kingdoms::hungry;

const DUELS: Duels =
    Duels { games: ["jieqi", "mystery"], sparse, is_forcing: |after| after.is_check(), look };

const SIZE: BoardSize = BoardSize { files: 9, ranks: 10 };

/// Where pieces stand at the start.
const START: &str = "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR";

/// What stands on each square: a letter, after `~` if it is covered.
fn cells(board: &str) -> Vec<Option<String>> {
    let mut cells = vec![None; SIZE.squares()];
    fen::read_board(SIZE, board, |square, symbol| {
        let cover = if symbol.covered { "~" } else { "" };
        cells[square.index()] = Some(format!("{cover}{}", symbol.letter));
        Ok(())
    })
    .expect("it is a board");
    cells
}

fn write(cells: &[Option<String>]) -> String {
    fen::write_board(SIZE, |square| cells[square.index()].clone())
}

/// The fields of a FEN: board, mover, captured, quiet, ply, and `unused` or nothing.
fn fields(fen: &str) -> [&str; 6] {
    let mut fields = fen.split(' ');
    [(); 6].map(|()| fields.next().unwrap_or("-"))
}

/// The letters behind a `~`, of one colour.
fn covered_letters(text: &str, is_red: bool) -> Vec<char> {
    let letters = text.split('~').skip(1).filter_map(|rest| rest.chars().next());
    letters.filter(|letter| letter.is_uppercase() == is_red).collect()
}

/// Asserts what a viewer is told of a step, and that each piece of a side that the viewer has not seen
/// is as likely to be one that it shows (RULES.md 11.1).
fn check_odds(state: &dyn AnyState, is_public: bool, name: &str) {
    let fen = state.fen();
    let [board, mover, captured, _, _, unused] = fields(&fen);
    let cells = cells(board);
    let (from, rest) = SIZE.parse_prefix(name).expect("a step begins with a square");
    let to = SIZE.parse(rest).expect("a step ends with a square");
    let piece = cells[from.index()].as_deref().expect("a piece moves");
    let victim = cells[to.index()].as_deref();
    let mover = usize::from(mover == "b");
    let action = state.action_index(name).expect("listed names are known");
    for viewer in viewers(state) {
        let sees_captures_by = |captor: usize| is_public || viewer == Viewer::Player(captor);
        let odds = |piece: &str| {
            let letter = piece.chars().next_back().expect("it has a letter");
            let is_red = letter.is_uppercase();
            let mut unseen = covered_letters(board, is_red);
            unseen.extend(covered_letters(unused, is_red));
            // Red, player 0, has captured what is black.
            if !sees_captures_by(usize::from(is_red)) {
                unseen.extend(covered_letters(captured, is_red));
            }
            let alike = unseen.iter().filter(|one| **one == letter).count();
            alike as f64 / unseen.len() as f64
        };
        let seen = state.event(action, viewer).expect("it is legal");
        let revealed = piece.strip_prefix('~');
        assert_eq!(seen.revealed.as_deref(), revealed, "{name} to {viewer:?}: {fen}");
        let mut expected = revealed.map_or(1.0, odds);
        let is_covered = victim.is_some_and(|victim| victim.starts_with('~'));
        assert_eq!(seen.captured_covered, is_covered, "{name} to {viewer:?}: {fen}");
        let is_shown = !is_covered || sees_captures_by(mover);
        let taken = victim.filter(|_| is_shown).map(|victim| victim.trim_start_matches('~'));
        assert_eq!(seen.captured.as_deref(), taken, "{name} to {viewer:?}: {fen}");
        if is_covered {
            expected *= taken.map_or(1.0, odds);
        }
        let odds = seen.probability;
        assert!((odds - expected).abs() < 1e-9, "{name} to {viewer:?}, {odds}: {fen}");
    }
}

fn look(counts: &mut Counts, choice: &[(&str, &str)], state: &dyn AnyState, name: &str) {
    let fen = state.fen();
    let [board, _, captured, _, _, unused] = fields(&fen);
    if unused != "-" {
        counts.add("left over");
    }
    if captured.contains('~') {
        counts.add("captured face down");
    }
    if state.is_check() {
        counts.add("check");
    }
    if board.contains('~') {
        counts.add("covered");
    }
    check_odds(state, choice.contains(&("captured", "public")), name);
}

#[test]
fn designs_from_deals() {
    DUELS.play(false, 200, 2).check(&[
        "left over",
        "captured face down",
        "check",
        "checkmate",
        "quiet_limit",
        "progress_limit",
        "max_plies",
    ]);
}

#[test]
fn designs_from_sparse_positions() {
    let counts = DUELS.play(true, 500, 8);
    assert!(counts.games > counts.refused, "{counts:?}");
    counts.check(&[
        "left over",
        "covered",
        "captured face down",
        "check",
        "checkmate",
        "stalemate",
        "perpetual_check",
        "perpetual_chase",
        "repetition",
        "quiet_limit",
        "progress_limit",
        "effective_limit",
    ]);
}

#[test]
fn variants_that_come_with_the_program() {
    DUELS.play_variants().check(&["checkmate", "check"]);
}

/// The position of a deal with most pieces taken away, and others turned over and moved.
fn sparse(spec: &Spec, dealt: &str, rng: &mut Rng) -> String {
    let [board, .., unused] = fields(dealt);
    let mut cells_left = vec![None; SIZE.squares()];
    let mut captured = String::new();
    let mut moved = Vec::new();
    let kept = 1 + rng.below(4);
    for (square, cell) in cells(board).into_iter().enumerate() {
        let Some(cell) = cell else { continue };
        let letter = cell.trim_start_matches('~').to_owned();
        if letter.eq_ignore_ascii_case("k") {
            let rank = if letter == "K" { 0 } else { 7 };
            let square = (rank + rng.below(3)) * 9 + 3 + rng.below(3);
            moved.push((square as usize, letter));
        } else if rng.below(12) >= kept {
            if rng.below(6) == 0 {
                captured += &cell;
            }
        } else if cell.len() == 1 || rng.below(2) == 0 {
            moved.push((rng.below(90) as usize, letter));
        } else {
            cells_left[square] = Some(cell);
        }
    }
    for (square, letter) in moved {
        let is_general = letter.eq_ignore_ascii_case("k");
        if is_general || cells_left[square].is_none() {
            cells_left[square] = Some(letter);
        }
    }
    if captured.is_empty() {
        captured.push('-');
    }
    let quiet = match spec.name {
        "mystery" => format!("{},{},{}", rng.below(3), rng.below(20), rng.below(20)),
        _ => rng.below(3).to_string(),
    };
    let mover = draw(&["w", "b"], rng);
    let mut text = format!("{} {mover} {captured} {quiet} 40", write(&cells_left));
    if dealt.split(' ').count() == 6 {
        let mut unused: Vec<&str> =
            unused.trim_matches('-').split_inclusive(char::is_alphabetic).collect();
        // In any order, and perhaps fewer.
        rng.shuffle(&mut unused);
        if rng.below(2) == 0 {
            unused.truncate(rng.below(4) as usize);
        }
        text += " ";
        text += if unused.is_empty() { "-" } else { "" };
        text += &unused.concat();
    }
    text
}

/// The text with another piece somewhere, or one more, or one turned over.
fn mutate(text: &str, rng: &mut Rng) -> String {
    let mut fields: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let mut with_pieces = vec![0, 2];
    with_pieces.extend((5..fields.len()).take(1));
    let field = &mut fields[draw(&with_pieces, rng)];
    let piece = draw(&["A", "e", "H", "r", "C", "p", "P", "K"], rng);
    let letters: Vec<usize> = field
        .char_indices()
        .filter(|(_, letter)| letter.is_alphabetic() && !letter.eq_ignore_ascii_case(&'k'))
        .map(|(place, _)| place)
        .collect();
    if letters.is_empty() {
        *field = field.replace('-', &format!("~{piece}"));
        return fields.join(" ");
    }
    let place = draw(&letters, rng);
    match rng.below(4) {
        0 => field.insert(place, '~'),
        1 => field.replace_range(place..=place, piece),
        2 if field.contains('/') => field.replace_range(place..=place, "1"),
        2 => field.replace_range(place..=place, &format!("{piece}~{piece}")),
        _ if place > 0 && field[..place].ends_with('~') => {
            field.remove(place - 1);
        }
        _ => field.replace_range(place..=place, &format!("~{piece}")),
    }
    fields.join(" ")
}

/// Counts of pieces and places of covered ones (RULES.md 11.6).
#[test]
fn positions_are_read_or_refused_by_both() {
    let [mut read, mut refused] = [0, 0];
    for game in DUELS.games {
        for seed in 0..cases(400) {
            let rng = &mut test_rng(seed);
            // Of few more pieces than usual, so that changes matter.
            let pools = [
                ("pool.R", draw(&["2", "3", "4", "2/3"], rng)),
                ("pool.A", "3"),
                ("pool.P", "5/4"),
            ];
            let mut given = pools.to_vec();
            given.push(("covered", draw(&["AEHRCP", "ARCP", "EHP", "A"], rng)));
            let spec = Spec::new(game, &texts(&given)).expect("the options are valid");
            let dealt = spec.deal(seed).fen();
            for _ in 0..20 {
                let mut text =
                    if rng.below(3) > 0 { sparse(&spec, &dealt, rng) } else { dealt.clone() };
                for _ in 0..1 + rng.below(2) {
                    text = mutate(&text, rng);
                }
                if read_by_both(game, &text, &given).is_some() { read += 1 } else { refused += 1 }
            }
        }
    }
    println!("{read} positions are read, {refused} refused");
    let least = cases(1000);
    assert!(read > least && refused > least, "{read} positions are read, {refused} refused");
}

/// The usual rules in other words.
fn usual_in_words() -> Vec<(&'static str, &'static str)> {
    vec![
        ("covered", "PCRHEA"),
        ("pool.A", "2"),
        ("pool.E", "2/2"),
        ("pool.P", "5"),
        ("moves.K", "W"),
        // No covered elephant could cross the river.
        ("moves.E", "nA"),
        ("moves.H", "nN"),
        ("moves.R", "R"),
        ("moves.C", "mRcpR"),
        ("moves.P", "xiangqi"),
        ("takes.K", "PCRHEAK"),
        ("takes.A", "KAEHRCP"),
        ("takes.P", "KAEHRCP"),
        ("covered_captures", "usual"),
        ("no_moves", "loss"),
    ]
}

/// Plays with the engine under one set of options, and with the referee under another.
fn duel_in_words(fast: &[(&str, &str)], slow: &[(&str, &str)]) {
    for game in DUELS.games {
        let usual = Spec::new(game, &Options::new()).expect("it exists");
        let fast = Spec::new(game, &texts(fast)).expect("the options are valid");
        for seed in 0..60 {
            let mut rng = test_rng(seed);
            let dealt = usual.deal(seed).fen();
            let fen = if seed < 20 { dealt } else { sparse(&usual, &dealt, &mut rng) };
            let slow = referee::from_fen(game, &fen, slow);
            let Some((mut fast, mut slow)) = agreed(&fen, fast.parse_fen(&fen), slow) else {
                continue;
            };
            play_out(fast.as_mut(), slow.as_mut(), PLIES, |state| hungry(state, &mut rng));
        }
    }
}

/// A value that says the same as `usual` is read as `usual` (RULES.md section 11).
#[test]
fn the_usual_rules_in_other_words_are_no_design() {
    for game in DUELS.games {
        let usual = Spec::new(game, &Options::new()).expect("it exists").options_in_force();
        // `nA` is bound by no river: another rule, though no covered elephant comes so far.
        for word in usual_in_words().into_iter().filter(|word| *word != ("moves.E", "nA")) {
            let spec = Spec::new(game, &texts(&[word])).expect("it is valid");
            assert_eq!(spec.options_in_force(), usual, "{word:?}");
        }
    }
}

#[test]
fn the_usual_rules_in_other_words_for_the_referee() {
    duel_in_words(&[], &usual_in_words());
}

#[test]
fn the_usual_rules_in_other_words_for_the_engine() {
    duel_in_words(&usual_in_words(), &[]);
}

/// All pieces are dealt as their options say (RULES.md 11.1).
#[test]
fn deals_have_the_pieces_of_their_options() {
    for game in DUELS.games {
        for seed in 0..150 {
            let given = random_design(game, &mut test_rng(seed));
            let options = texts(&pairs(&given));
            let spec = Spec::new(game, &options).expect("they are valid");
            let state = darkqi_env::deal(game, &options, seed).expect("it can be dealt");
            let fen = state.fen();
            let [board, mover, captured, _, ply, unused] = fields(&fen);
            assert_eq!((mover, captured, ply), ("w", "-", "0"), "{fen}");
            let begins_covered = value(&spec, "covered");
            let begins_covered =
                |letter: char| begins_covered.contains(letter.to_ascii_uppercase());
            let seen: String = START
                .chars()
                .map(|letter| match letter {
                    _ if !letter.is_alphabetic() || !begins_covered(letter) => letter,
                    _ if letter.is_uppercase() => 'X',
                    _ => 'x',
                })
                .collect();
            let public = state.view_fen(Viewer::Public);
            assert_eq!(fields(&public)[0], seen, "{given:?}");
            let mut has_left_over = false;
            for is_red in [true, false] {
                let mut dealt = covered_letters(board, is_red);
                let squares = dealt.len();
                dealt.extend(covered_letters(unused, is_red));
                has_left_over |= dealt.len() > squares;
                for kind in "AEHRCP".chars() {
                    let pool = value(&spec, &format!("pool.{kind}"));
                    let (red, black) = pool.split_once('/').unwrap_or((&pool, &pool));
                    let usual = if begins_covered(kind) { START.matches(kind).count() } else { 0 };
                    let (letter, pool) =
                        if is_red { (kind, red) } else { (kind.to_ascii_lowercase(), black) };
                    let found = dealt.iter().filter(|one| **one == letter).count();
                    let expected = if pool == "usual" { usual } else { pool.parse().expect("n") };
                    assert_eq!(found, expected, "{letter} of {given:?}: {fen}");
                }
            }
            assert_eq!(fen.split(' ').count() == 6, has_left_over, "{given:?}: {fen}");
        }
    }
}

#[test]
fn every_piece_of_the_pool_is_as_likely() {
    // Red has two of three pieces, black both of two that are alike.
    let given = [("covered", "A"), ("pool.A", "1/2"), ("pool.R", "1/0"), ("pool.P", "1/0")];
    check_even("jieqi", &given, 6);
}

#[test]
fn texts_are_read_as_values_or_refused_by_both() {
    for case in [
        ("moves.P", "WFDANRBKQWFDANRBKWFDANRKfmcnp01239x", 7),
        ("moves.K", "WFNRfmcnp12", 6),
        ("pool.P", "0123456789/-+ n", 4),
        ("takes.P", "KAEHRCPk-X", 5),
        ("covered", "AEHRCPAEHRCPK-x", 5),
    ] {
        // With these there are always pieces enough.
        check_texts("jieqi", &[("pool.A", "15")], case);
    }
}

#[test]
fn both_refuse_bad_values_by_the_name_of_their_option() {
    let bad: &[(&str, &[&str])] = &[
        ("covered", &["", "K", "AKE", "AA", "a", "usual", "A-", "all"]),
        ("pool.A", &["", "-1", "+1", "x", "1/", "/1", "1/1/1", "1.5", "16", "2/16", "01", "-"]),
        ("pool.P", &["usual/usual", "5/usual"]),
        (
            "moves.A",
            &[
                "", "X", "w", "f", "Wf", "ffW", "mfcW", "Q", "fQ", "pQ", "B", "fB", "pB", "pB2",
                "B3", "F3", "fF4", "mB9", "B0", "nW", "pW", "nR", "WQ", "N2", "Xiangqi",
                "xiangqiW",
            ],
        ),
        ("takes.P", &["", "k", "X", "K-", "--", "KK", "all"]),
        ("covered_captures", &["", "always", "attempt", "on"]),
        ("no_moves", &["", "win", "usual"]),
    ];
    check_bad(DUELS.games, bad);
    for game in DUELS.games {
        // There is no pool of generals.
        let general = [("pool.K", "1")];
        assert!(!fits(game, &general), "{game}");
        assert!(referee::from_fen(game, "", &general).err().expect("unknown").contains("unknown"));
    }
}

/// All pieces only capture, and have nothing in reach at the start.
fn no_ply() -> Vec<(&'static str, &'static str)> {
    ["moves.K", "moves.A", "moves.E", "moves.H", "moves.R", "moves.C", "moves.P"]
        .map(|name| (name, "cfW"))
        .to_vec()
}

/// No general begins attacked, and red has a ply (RULES.md 11.2).
#[test]
fn both_refuse_movement_that_attacks_a_general_at_the_start() {
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[("moves.P", "pR")], "moves.P"),
        (&[("moves.P", "cfpR"), ("moves.R", "pR"), ("covered", "R")], "moves.P"),
        (&[("moves.P", "WmDcpR"), ("covered", "-")], "moves.P"),
    ];
    for game in DUELS.games {
        for (given, name) in cases {
            check_refused(game, given, name);
        }
        refusals(game, &no_ply());
        for given in
            [[("moves.P", "mpR"), ("takes.P", "-")], [("moves.P", "pR"), ("takes.P", "AR")]]
        {
            check_taken(game, &given);
        }
    }
}

/// A side's pool has at least as many pieces as it has covered squares (RULES.md 11.1).
#[test]
fn both_refuse_pools_with_too_few_pieces() {
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[("pool.A", "1")], "pool.A"),
        (&[("pool.A", "3"), ("pool.C", "0")], "pool.C"),
        (&[("pool.P", "5/4")], "pool.P"),
        // Red's pieces are counted first.
        (&[("pool.A", "2/1"), ("pool.E", "1/2")], "pool.E"),
        (&[("pool.E", "0"), ("pool.H", "0"), ("pool.P", "8")], "pool.E"),
        (&[("covered", "R"), ("pool.P", "1"), ("pool.R", "0")], "pool.R"),
    ];
    for game in DUELS.games {
        for (given, name) in cases {
            check_refused(game, given, name);
        }
        for given in [[("pool.A", "0"), ("pool.P", "7")], [("covered", "-"), ("pool.R", "0")]] {
            check_taken(game, &given);
        }
    }
}
