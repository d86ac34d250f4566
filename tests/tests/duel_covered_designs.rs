//! The fast engine against the slow referee on rules of designers for covered xiangqi: pools,
//! movement, captures and ends (RULES.md section 11).

use std::collections::BTreeMap;
use std::path::Path;

use darkqi_env::board::BoardSize;
use darkqi_env::{AnyState, Options, Registered, Rng, Session, Spec, Viewer, Visitor, fen, games};
use darkqi_play::variants::{self, Variant};
use darkqi_tests::arbitrary::{Named, fits, pairs, random_design};
use darkqi_tests::duel::{both_read, compare, draw, play_out};
use darkqi_tests::sound::viewers;
use darkqi_tests::{random_action, referee, test_rng, texts};

use super::duel::stubborn;
use super::duel_designs::{Counts, refusal, value};
use super::duel_seven_kingdoms::hungry;

/// The games that designers may change.
const GAMES: [&str; 2] = ["jieqi", "mystery"];

const SIZE: BoardSize = BoardSize { files: 9, ranks: 10 };

/// Where pieces stand at the start.
const START: &str = "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR";

/// Some games are very long. They are compared up to this ply.
const PLIES: usize = 150;

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

/// Looks at a position and the action that is played next.
fn look(counts: &mut Counts, state: &dyn AnyState, is_public: bool, name: &str) {
    counts.plies += 1;
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
    check_odds(state, is_public, name);
}

/// Games of one design, in the engine and with the referee.
struct Duel<'a> {
    game: &'static str,
    given: &'a [Named],
    /// The deals, by their seeds.
    seeds: std::ops::Range<u64>,
    /// From positions with few pieces, not from deals.
    is_sparse: bool,
    counts: &'a mut Counts,
}

impl Visitor for Duel<'_> {
    type Output = ();

    fn visit<G: Registered>(self, rules: G) {
        let Self { game, given, seeds, is_sparse, counts } = self;
        let choice = pairs(given);
        let is_public = choice.contains(&("captured", "public"));
        for seed in seeds {
            let mut rng = test_rng(seed);
            let dealt = Session::deal(rules.clone(), seed).fen();
            let fen = if is_sparse { sparse(game, &dealt, &mut rng) } else { dealt };
            let read = |fen: &str| {
                let fast = Session::from_fen(rules.clone(), fen);
                match (fast, referee::from_fen(game, fen, &choice)) {
                    (Ok(fast), Ok(slow)) => Some((fast, slow)),
                    (Err(_), Err(_)) => None,
                    (Err(error), Ok(_)) => panic!("{choice:?}: the engine refuses {fen}: {error}"),
                    (Ok(_), Err(error)) => panic!("{choice:?}: the referee refuses {fen}: {error}"),
                }
            };
            let Some((mut fast, mut slow)) = read(&fen) else {
                assert!(is_sparse, "{fen}");
                counts.refused += 1;
                continue;
            };
            let mut last = [None, None];
            let is_stubborn = is_sparse && rng.below(4) > 0;
            let is_hungry = !is_sparse && rng.below(2) > 0;
            let reason = play_out(&mut fast, slow.as_mut(), PLIES, |state| {
                let name = if is_stubborn {
                    stubborn(state, &mut last, |after| after.is_check(), &mut rng)
                } else if is_hungry {
                    hungry(state, &mut rng)
                } else {
                    state.action_name(random_action(state, &mut rng))
                };
                look(counts, state, is_public, &name);
                name
            });
            counts.games += 1;
            counts.add(reason);
            // Without its history the last position is judged alike, too.
            let (fast, slow) = read(&slow.fen()).expect("it was written");
            compare(&fast, slow.as_ref());
        }
    }
}

/// Plays so many designs of each game, and so many games of each.
fn duels(is_sparse: bool, designs: u64, games_each: u64) -> Counts {
    let mut counts = Counts::default();
    for game in GAMES {
        for seed in 0..designs {
            let given = random_design(game, &mut test_rng(seed));
            // If it fails, this tells in which game.
            println!("{game} {given:?}");
            let seeds = games_each * seed..games_each * (seed + 1);
            let duel = Duel { game, given: &given, seeds, is_sparse, counts: &mut counts };
            games::with(game, &texts(&pairs(&given)), duel).expect("the options are valid");
        }
    }
    counts
}

#[test]
fn designs_from_deals() {
    duels(false, 80, 2).check(&[
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
#[ignore = "takes minutes: `scripts/test-long.sh` runs it"]
fn many_designs() {
    println!("{:?}", [duels(false, 800, 2), duels(true, 800, 10)]);
}

#[test]
fn designs_from_sparse_positions() {
    let counts = duels(true, 250, 8);
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
    let mut counts = Counts::default();
    for name in variants::names() {
        let variant = Variant::find(Path::new(name)).expect("it comes with the program");
        let Some(&game) = GAMES.iter().find(|game| **game == variant.game) else { continue };
        let spec = Spec::new(game, &variant.options).expect("the options are valid");
        let changed = spec.options.iter().filter(|info| variant.options.contains_key(info.name));
        let given: Vec<Named> = changed.map(|info| (info.name, value(&spec, info.name))).collect();
        for is_sparse in [false, true] {
            let (given, counts) = (&given, &mut counts);
            let duel = Duel { game, given, seeds: 0..20, is_sparse, counts };
            games::with(game, &variant.options, duel).expect("the options are valid");
        }
    }
    counts.check(&["checkmate", "check"]);
}

/// The position of a deal with most pieces taken away, and others turned over and moved.
fn sparse(game: &str, dealt: &str, rng: &mut Rng) -> String {
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
    let quiet = match game {
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
    for game in GAMES {
        for seed in 0..400 {
            let rng = &mut test_rng(seed);
            // Of few more pieces than usual, so that changes matter.
            let pools = [
                ("pool.R", draw(&["2", "3", "4", "2/3"], rng)),
                ("pool.A", "3"),
                ("pool.P", "5/4"),
            ];
            let mut given = pools.to_vec();
            given.push(("covered", draw(&["AEHRCP", "ARCP", "EHP", "A"], rng)));
            let dealt =
                darkqi_env::deal(game, &texts(&given), seed).expect("it can be dealt").fen();
            for _ in 0..20 {
                let mut text =
                    if rng.below(3) > 0 { sparse(game, &dealt, rng) } else { dealt.clone() };
                for _ in 0..1 + rng.below(2) {
                    text = mutate(&text, rng);
                }
                if both_read(game, &text, &given) { read += 1 } else { refused += 1 }
            }
        }
    }
    println!("{read} positions are read, {refused} refused");
    assert!(read > 1000 && refused > 1000, "{read} positions are read, {refused} refused");
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
    for game in GAMES {
        for seed in 0..60 {
            let mut rng = test_rng(seed);
            let dealt = darkqi_env::deal(game, &Options::new(), seed).expect("it exists").fen();
            let fen = if seed < 20 { dealt } else { sparse(game, &dealt, &mut rng) };
            let fast = darkqi_env::from_fen(game, &texts(fast), &fen);
            let (mut fast, mut slow) = match (fast, referee::from_fen(game, &fen, slow)) {
                (Ok(fast), Ok(slow)) => (fast, slow),
                (fast, slow) => {
                    assert!(fast.is_err() && slow.is_err(), "only one of the two reads {fen}");
                    continue;
                }
            };
            play_out(fast.as_mut(), slow.as_mut(), PLIES, |state| hungry(state, &mut rng));
        }
    }
}

/// A value that says the same as `usual` is read as `usual` (RULES.md section 11).
#[test]
fn the_usual_rules_in_other_words_are_no_design() {
    for game in GAMES {
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
    for game in GAMES {
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
    struct Deals;
    impl Visitor for Deals {
        type Output = BTreeMap<String, u32>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            let mut found = BTreeMap::new();
            for seed in 0..6000 {
                *found.entry(Session::deal(rules.clone(), seed).fen()).or_insert(0) += 1;
            }
            found
        }
    }
    let given = [("covered", "A"), ("pool.A", "1/2"), ("pool.R", "1/0"), ("pool.P", "1/0")];
    let found = games::with("jieqi", &texts(&given), Deals).expect("they are valid");
    // Red has two of three pieces, black both of two that are alike.
    assert_eq!(found.len(), 6, "{found:?}");
    assert!(found.values().all(|&deals| (850..1150).contains(&deals)), "{found:?}");
}

#[test]
fn texts_are_read_as_values_or_refused_by_both() {
    for (name, letters, longest) in [
        ("moves.P", "WFDANRBKQWFDANRBKWFDANRKfmcnp01239x", 7),
        ("moves.K", "WFNRfmcnp12", 6),
        ("pool.P", "0123456789/-+ n", 4),
        ("takes.P", "KAEHRCPk-X", 5),
        ("covered", "AEHRCPAEHRCPK-x", 5),
    ] {
        let letters: Vec<char> = letters.chars().collect();
        let mut taken = 0;
        for seed in 0..1500 {
            let mut rng = test_rng(seed);
            let length = rng.below(longest + 1);
            let text: String = (0..length).map(|_| draw(&letters, &mut rng)).collect();
            // With these there are always pieces enough.
            let given = [("pool.A", "15"), (name, &text)];
            let refused = refusal("jieqi", &given);
            let fits = fits("jieqi", &given);
            assert_eq!(fits, refused.is_none(), "{name}: {text:?} {refused:?}");
            taken += u32::from(fits);
        }
        println!("{name}: {taken} texts are values");
        assert!(taken > 10, "{name}: only {taken} texts are values");
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
    for game in GAMES {
        for (name, values) in bad {
            for value in *values {
                let given = [(*name, *value)];
                let slow = refusal(game, &given);
                let slow = slow.unwrap_or_else(|| panic!("the referee takes {name}={value}"));
                assert!(slow.starts_with(&format!("option {name}: ")), "{slow}");
                let fast = Spec::new(game, &texts(&given)).err();
                let fast = fast.unwrap_or_else(|| panic!("the engine takes {name}={value}"));
                let fast = fast.to_string();
                assert!(fast.starts_with(&format!("option `{name}` of {game}: ")), "{fast}");
            }
        }
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
    for game in GAMES {
        for (given, name) in cases {
            let slow =
                refusal(game, given).unwrap_or_else(|| panic!("the referee takes {given:?}"));
            assert!(slow.starts_with(&format!("option {name}: ")), "{slow}");
            let fast = Spec::new(game, &texts(given)).err();
            let fast = fast.unwrap_or_else(|| panic!("the engine takes {given:?}")).to_string();
            assert!(fast.starts_with(&format!("option `{name}` of {game}: ")), "{fast}");
        }
        let no_ply = no_ply();
        assert!(refusal(game, &no_ply).is_some() && !fits(game, &no_ply));
        for given in
            [[("moves.P", "mpR"), ("takes.P", "-")], [("moves.P", "pR"), ("takes.P", "AR")]]
        {
            assert_eq!((refusal(game, &given), fits(game, &given)), (None, true), "{given:?}");
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
    for game in GAMES {
        for (given, name) in cases {
            let slow =
                refusal(game, given).unwrap_or_else(|| panic!("the referee takes {given:?}"));
            assert!(slow.starts_with(&format!("option {name}: ")), "{slow}");
            let fast = Spec::new(game, &texts(given)).err();
            let fast = fast.unwrap_or_else(|| panic!("the engine takes {given:?}")).to_string();
            assert!(fast.starts_with(&format!("option `{name}` of {game}: ")), "{fast}");
        }
        for given in [[("pool.A", "0"), ("pool.P", "7")], [("covered", "-"), ("pool.R", "0")]] {
            assert_eq!((refusal(game, &given), fits(game, &given)), (None, true), "{given:?}");
        }
    }
}
