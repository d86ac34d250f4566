//! The fast engine against the slow referee, ply by ply: positions, legal actions, what each
//! viewer may know, results.

use darkqi_env::{AnyState, Rng, board::BoardSize};
use darkqi_tests::duel::{Choices, Counts, draw, draw_options, play_out, read_by_both, way_back};
use darkqi_tests::{cases, random_action, referee, test_rng, texts};

/// Some games without limits are very long. They are compared up to this ply.
const PLIES: usize = 400;

/// Options to draw from. Small limits make every ending occur.
const GAIQI: Choices = &[
    ("quiet_limit", &["0", "7", "60"]),
    ("repetition", &["on", "off"]),
    ("max_plies", &["1", "60", "1000"]),
];
const JIEQI: Choices = &[
    ("captured", &["captor", "public"]),
    ("chase", &["on", "off"]),
    ("repetition", &["on", "on", "off"]),
    ("quiet_limit", &["0", "12", "80"]),
    ("max_plies", &["50", "600"]),
];

const BANQI: Choices = &[
    ("quiet_limit", &["0", "7", "60"]),
    ("repetition", &["on", "off"]),
    ("max_plies", &["60", "1000"]),
    ("ranking", &["standard", "hongkong"]),
    ("cannon", &["step", "jump"]),
];
const MYSTERY: Choices = &[
    ("captured", &["captor", "public"]),
    ("chase", &["on", "off"]),
    ("repetition", &["on", "on", "off"]),
    ("progress_limit", &["0", "8", "30"]),
    ("effective_limit", &["0", "20", "120"]),
    ("moves_limit", &["0", "40", "300"]),
    ("max_plies", &["70", "700"]),
];

const FLIPPING: Choices = &[
    ("repetition", &["on", "on", "off"]),
    ("quiet_limit", &["0", "0", "20"]),
    ("max_plies", &["60", "400"]),
];

fn duel_from_deals(game: &str, choices: Choices, games: u64) {
    let mut reasons = Counts::default();
    for seed in 0..cases(games) {
        let mut rng = test_rng(seed);
        let choice = draw_options(choices, &mut rng);
        let mut fast = darkqi_env::deal(game, &texts(&choice), seed).expect("valid options");
        let mut slow = referee::from_fen(game, &fast.fen(), &choice).expect("a deal can be read");
        let reason = play_out(fast.as_mut(), slow.as_mut(), PLIES, |state| {
            state.action_name(random_action(state, &mut rng))
        });
        reasons.add(reason);
    }
    println!("{game} from deals: {reasons:?}");
}

#[test]
fn games_from_deals() {
    for (game, choices, games) in [
        ("gaiqi", GAIQI, 1500),
        ("jieqi", JIEQI, 150),
        ("banqi", BANQI, 1000),
        ("mystery", MYSTERY, 100),
        ("flipping", FLIPPING, 300),
    ] {
        duel_from_deals(game, choices, games);
    }
}

/// A board with a few pieces at random, written as in a FEN.
fn sparse_board(size: BoardSize, pieces: &[(usize, String)]) -> String {
    let at = |square: usize| pieces.iter().find(|(place, _)| *place == square);
    darkqi_env::fen::write_board(size, |square| at(square.index()).map(|(_, piece)| piece.clone()))
}

fn sparse_banqi(rng: &mut Rng) -> String {
    let fen = sparse_gaiqi(rng);
    // Without the state of the three-check rule, and often with an army that is almost captured.
    let fen = fen.trim_end_matches(" -");
    let army = draw(&["-", "AAEEHHRRCCPPPPP", "kaaeehhrrccppppp"], rng);
    fen.replace(" - ", &format!(" {army} "))
}

fn sparse_mystery(rng: &mut Rng) -> String {
    let fen = sparse_jieqi(rng);
    let (rest, ply) = fen.rsplit_once(' ').expect("fields");
    format!("{rest},{},{} {ply}", rng.below(20), rng.below(20))
}

fn sparse_gaiqi(rng: &mut Rng) -> String {
    let size = BoardSize { files: 8, ranks: 4 };
    let mut squares: Vec<usize> = (0..size.squares()).collect();
    rng.shuffle(&mut squares);
    let letters: Vec<char> = "AAEEHHRRCCPPaaeehhrrccpp".chars().collect();
    let mut pieces = vec![(squares[0], "K".to_owned()), (squares[1], "k".to_owned())];
    let mut bag = letters;
    rng.shuffle(&mut bag);
    for index in 0..2 + rng.below(6) as usize {
        let cover = if rng.below(8) == 0 { "~" } else { "" };
        pieces.push((squares[2 + index], format!("{cover}{}", bag[index])));
    }
    let mover = 1 + rng.below(2);
    let colours = draw(&["r", "b"], rng);
    format!("{} {mover} {colours} - {} 40 -", sparse_board(size, &pieces), rng.below(3))
}

fn sparse_jieqi(rng: &mut Rng) -> String {
    let size = BoardSize { files: 9, ranks: 10 };
    let palace = |rng: &mut Rng, rank: u32| (rank + rng.below(3)) * 9 + 3 + rng.below(3);
    let mut pieces =
        vec![(palace(rng, 0) as usize, "K".to_owned()), (palace(rng, 7) as usize, "k".to_owned())];
    let mut bag: Vec<char> = "AAEEHHRRCCPPPaaeehhrrccppp".chars().collect();
    rng.shuffle(&mut bag);
    let covered_homes = [0, 1, 2, 3, 19, 25, 27, 31, 89, 88, 87, 86, 70, 64, 62, 58];
    let pieces_beside = 2 + rng.below(6) as usize;
    for &letter in bag.iter().take(pieces_beside) {
        let home = covered_homes[if letter.is_uppercase() { 0 } else { 8 } + rng.below(8) as usize];
        let covered = rng.below(4) == 0;
        let square = if covered { home } else { rng.below(90) as usize };
        if pieces.iter().all(|(place, _)| *place != square) {
            let cover = if covered { "~" } else { "" };
            pieces.push((square, format!("{cover}{letter}")));
        }
    }
    let mover = draw(&["w", "b"], rng);
    let board = sparse_board(size, &pieces);
    format!("{board} {mover} {} {} 40", draw(&["-", "~aP"], rng), rng.below(3))
}

fn sparse_flipping(rng: &mut Rng) -> String {
    let size = BoardSize { files: 7, ranks: 7 };
    let palace = |rng: &mut Rng, rank: u32| (rank + rng.below(3)) * 7 + 2 + rng.below(3);
    let mut pieces =
        vec![(palace(rng, 0) as usize, "K".to_owned()), (palace(rng, 4) as usize, "k".to_owned())];
    let mut bag: Vec<char> = "SHSFCERshsfcer".chars().collect();
    rng.shuffle(&mut bag);
    let pieces_beside = rng.below(6) as usize;
    for &letter in bag.iter().take(pieces_beside) {
        let square = rng.below(49) as usize;
        if pieces.iter().all(|(place, _)| *place != square) {
            pieces.push((square, letter.to_string()));
        }
    }
    let mover = draw(&["w", "b"], rng);
    format!("{} {mover} {} 40", sparse_board(size, &pieces), rng.below(3))
}

/// Chooses so that positions repeat and generals are attacked: often a step back to where the piece
/// came from, often a forcing ply.
pub(super) fn stubborn(
    state: &dyn AnyState,
    last: &mut [Option<String>; 2],
    mut is_forcing: impl FnMut(&dyn AnyState) -> bool,
    rng: &mut Rng,
) -> String {
    let player = state.current_player();
    let legal = state.legal_moves();
    let back = last[player].as_deref().and_then(way_back);
    let back = back.filter(|name| legal.contains(name) && rng.below(3) > 0);
    let name = back.unwrap_or_else(|| {
        let forcing: Vec<&String> = legal
            .iter()
            .filter(|name| {
                let mut after = state.boxed_clone();
                let action = after.action_index(name).expect("listed names are known");
                after.apply(action).expect("listed actions are legal");
                is_forcing(after.as_ref())
            })
            .collect();
        if !forcing.is_empty() && rng.below(3) > 0 {
            draw(&forcing, rng).clone()
        } else {
            rng.choose(&legal).clone()
        }
    });
    last[player] = Some(name.clone());
    name
}

fn duel_from_endgames(
    game: &str,
    choices: Choices,
    games: u64,
    position: impl Fn(&mut Rng) -> String,
    mut is_forcing: impl FnMut(&dyn AnyState) -> bool,
) -> Counts {
    let mut reasons = Counts::default();
    for seed in 0..cases(games) {
        let mut rng = test_rng(seed);
        let choice = draw_options(choices, &mut rng);
        let fen = position(&mut rng);
        let Some((mut fast, mut slow)) = read_by_both(game, &fen, &choice) else { continue };
        let mut last = [None, None];
        let reason = play_out(fast.as_mut(), slow.as_mut(), PLIES, |state| {
            stubborn(state, &mut last, &mut is_forcing, &mut rng)
        });
        reasons.add(reason);
    }
    reasons
}

#[test]
fn gaiqi_endgames_with_three_checks() {
    let mut third_checks = 0;
    let reasons = duel_from_endgames("gaiqi", GAIQI, 2000, sparse_gaiqi, |state| {
        let fen = state.fen();
        third_checks += u32::from(fen.contains("x3"));
        !fen.ends_with(" -")
    });
    assert!(third_checks > 100, "only {third_checks} third checks");
    reasons.check(&["general_captured", "repetition", "quiet_limit", "max_plies"]);
}

#[test]
fn jieqi_endgames_with_perpetual_checks_and_chases() {
    let reasons = duel_from_endgames("jieqi", JIEQI, 2500, sparse_jieqi, |state| state.is_check());
    reasons.check(&[
        "checkmate",
        "stalemate",
        "perpetual_check",
        "perpetual_chase",
        "repetition",
        "quiet_limit",
    ]);
}

#[test]
fn banqi_endgames() {
    let reasons = duel_from_endgames("banqi", BANQI, 2000, sparse_banqi, |_| false);
    reasons.check(&["no_pieces", "no_moves", "repetition", "quiet_limit"]);
}

#[test]
fn mystery_endgames_with_all_drawing_rules() {
    let reasons =
        duel_from_endgames("mystery", MYSTERY, 2000, sparse_mystery, |state| state.is_check());
    reasons.check(&[
        "checkmate",
        "stalemate",
        "perpetual_check",
        "perpetual_chase",
        "repetition",
        "progress_limit",
        "effective_limit",
        "moves_limit",
    ]);
}

#[test]
fn flipping_endgames_with_perpetual_checks() {
    let reasons =
        duel_from_endgames("flipping", FLIPPING, 2500, sparse_flipping, |state| state.is_check());
    reasons.check(&["checkmate", "stalemate", "perpetual_check", "quiet_limit", "bare_kings"]);
}
