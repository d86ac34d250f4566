//! The covariates have mean 0 under any policy, and agree with values computed by hand.

use darkqi_env::game::{configure, texts};
use darkqi_env::games::banqi::Banqi;
use darkqi_env::games::gaiqi::Gaiqi;
use darkqi_env::games::jieqi::Jieqi;
use darkqi_env::games::mystery::Mystery;
use darkqi_env::{Registered, Spec};

use super::{GameLuck, RevealLuck};
use crate::games::fixtures;
use crate::games::fixtures::Player;
use darkqi_format::{FirstReveal, GameRecord, PieceName, PlyRecord};

/// Mean, standard error and number of non-zero games of each covariate.
fn averages<G: Registered>(rules: &G, luck: &RevealLuck, player: Player) -> Vec<(f64, f64, u32)> {
    const GAMES: u64 = 1000;
    let mut sums = vec![(0.0, 0.0, 0); luck.width()];
    let mut own = vec![0.0; luck.width()];
    for game_id in 0..GAMES {
        let game = fixtures::play(rules, game_id, game_id, player);
        luck.covariates(&game, &mut own).expect("the game is sound");
        for ((sum, squares, count), own) in sums.iter_mut().zip(&own) {
            *sum += own;
            *squares += own * own;
            *count += u32::from(*own != 0.0);
        }
    }
    let games = GAMES as f64;
    let finish = |(sum, squares, count): (f64, f64, u32)| {
        let mean = sum / games;
        (mean, ((squares / games - mean * mean) / games).sqrt(), count)
    };
    sums.into_iter().map(finish).collect()
}

/// `general`, `others`: which chance events occur, for generals and for other kinds.
fn assert_mean_zero<G: Registered>(rules: G, general: [bool; 3], others: [bool; 3]) {
    let luck = RevealLuck::new(&Spec::of(&rules));
    for player in [Player::Random, Player::Greedy] {
        let found = averages(&rules, &luck, player);
        for (at, (mean, error, count)) in found.into_iter().enumerate() {
            let (event, kind) = (at / G::KINDS.len(), G::KINDS[at % G::KINDS.len()]);
            let what = format!("{} {player:?}, {event}, {kind}: {mean} +- {error}", G::NAME);
            let varies = if kind == 'K' { general } else { others }[event];
            assert_eq!(count > 0, varies, "{what}");
            if varies {
                assert!(error > 0.0 && mean.abs() < 4.0 * error, "{what}");
            }
        }
    }
}

#[test]
fn luck_has_mean_zero_in_banqi() {
    // Covered pieces cannot be captured.
    assert_mean_zero(Banqi::default(), [true, true, false], [true, true, false]);
}

#[test]
fn luck_has_mean_zero_where_captures_of_covered_pieces_may_fail() {
    // Which they do for what is too strong: sorted by that, no chance event would have mean 0.
    let options = texts(&[("covered_captures", "attempt")]);
    let rules: Banqi = configure(&options).expect("the option exists");
    assert_mean_zero(rules, [true; 3], [true; 3]);
}

#[test]
fn luck_has_mean_zero_in_gaiqi() {
    assert_mean_zero(Gaiqi::default(), [true; 3], [true; 3]);
}

#[test]
fn luck_has_mean_zero_in_jieqi() {
    assert_mean_zero(Jieqi::default(), [false; 3], [true; 3]);
}

/// Coefficients that no fit would give.
fn wild(width: usize) -> Vec<f64> {
    (0..width).map(|at| [0.6, -0.4, 0.3, -0.2, 0.1][at % 5]).collect()
}

/// The bounded sums of games with wild coefficients, and how many of them are not the whole sum.
fn bounded_sums<G: Registered + Default>(games: u64, bound: f64) -> (Vec<f64>, usize) {
    let rules = G::default();
    let luck = RevealLuck::new(&Spec::of(&rules));
    let coefficients = wild(luck.width());
    let mut covariates = vec![0.0; luck.width()];
    let mut cut = 0;
    let sum = |game: GameLuck| {
        game.covariates(&mut covariates);
        let whole: f64 = covariates.iter().zip(&coefficients).map(|(z, b)| z * b).sum();
        let free = game.bounded_sum(&coefficients, f64::INFINITY);
        assert!((whole - free).abs() < 1e-12, "{whole} {free}");
        let bounded = game.bounded_sum(&coefficients, bound);
        cut += usize::from(bounded != free);
        bounded
    };
    let games = (0..games).map(|id| fixtures::play(&rules, id, id, Player::Greedy));
    let sums = games.map(|game| luck.of(&game).expect("the game is sound")).map(sum).collect();
    (sums, cut)
}

#[test]
fn bounded_luck_has_mean_zero_and_keeps_its_bound() {
    for (bound, (sums, cut)) in [
        (0.5, bounded_sums::<Gaiqi>(1500, 0.5)),
        (0.7, bounded_sums::<Gaiqi>(1500, 0.7)),
        (0.5, bounded_sums::<Jieqi>(300, 0.5)),
    ] {
        let games = sums.len() as f64;
        assert!(cut * 10 > sums.len(), "{cut} are cut");
        assert!(sums.iter().all(|sum| sum.abs() <= bound + 1e-12));
        let mean = sums.iter().sum::<f64>() / games;
        let error = (sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>()).sqrt() / games;
        assert!(error > 0.0 && mean.abs() < 4.0 * error, "{mean} +- {error}");
    }
}

/// A ply: the piece it reveals and the piece it captures, with `~` before it if that was covered.
fn ply(player: i8, revealed: Option<&str>, captured: &str) -> PlyRecord {
    let piece = |name| PieceName::from(name).expect("it is short");
    PlyRecord {
        player,
        revealed: revealed.map(piece),
        captured: (!captured.is_empty()).then(|| piece(captured.trim_start_matches('~'))),
        captured_covered: captured.starts_with('~'),
        ..PlyRecord::default()
    }
}

fn game(deal: &str, first: Option<(char, char, i8)>, moves: Vec<PlyRecord>) -> GameRecord {
    let first_reveal =
        first.map(|(kind, color, player)| FirstReveal { square: "a1".into(), kind, color, player });
    GameRecord { deal: deal.into(), first_reveal, moves, ..GameRecord::default() }
}

/// The covariates that are not 0, as chance event, kind and value.
fn assert_covariates<G: Registered>(game: &GameRecord, expected: &[(usize, char, f64)]) {
    let luck = RevealLuck::new(&Spec::of(&G::default()));
    let mut found = vec![f64::NAN; luck.width()];
    luck.covariates(game, &mut found).expect("the game is sound");
    for (at, found) in found.into_iter().enumerate() {
        let (event, kind) = (at / G::KINDS.len(), G::KINDS[at % G::KINDS.len()]);
        let expected = expected.iter().find(|known| (known.0, known.1) == (event, kind));
        let expected = expected.map_or(0.0, |known| known.2);
        assert!((found - expected).abs() < 1e-15, "{event}, {kind}: {found}, not {expected}");
    }
}

#[test]
fn banqi_by_hand() {
    // Seat 0 reveals a red soldier and so plays red. 3 of the 4 covered pieces are soldiers.
    let moves = vec![ply(0, Some("P"), ""), ply(1, Some("p"), ""), ply(0, Some("K"), "p")];
    let game = game("~K~P6/8/8/~p~p6 1 - - 0 0", Some(('P', 'r', 0)), moves);
    // Then seat 1 reveals its own soldier of K, p, p, and seat 0 the general of K, p.
    let later_general = -1.0 / 3.0 + 0.5;
    let later_soldier = (-1.0 + 2.0 / 3.0) + 0.5;
    assert_covariates::<Banqi>(
        &game,
        &[(0, 'K', -0.25), (0, 'P', 0.25), (1, 'K', later_general), (1, 'P', later_soldier)],
    );
}

#[test]
fn gaiqi_by_hand() {
    // Seat 0 reveals a black chariot and so plays black. 3 of the 5 covered pieces are chariots.
    // Seat 1 captures a covered red chariot, of its own colour, of K, R, r, p.
    let moves = vec![ply(0, Some("r"), ""), ply(1, None, "~R"), ply(0, None, "P")];
    let game = game("~K~R6/8/8/~r~r~p5 1 - - 0 0 -", Some(('R', 'b', 0)), moves);
    assert_covariates::<Gaiqi>(
        &game,
        &[
            (0, 'K', -0.2),
            (0, 'R', 0.4),
            (0, 'P', -0.2),
            (2, 'K', 0.25),
            (2, 'R', -1.0),
            (2, 'P', -0.25),
        ],
    );
}

/// A game that begins with a piece face up: its owner is known before the first reveal.
#[test]
fn armies_that_the_deal_assigns_keep_their_owner() {
    // Seat 0 has black. It reveals a red chariot of K, R, r, p, then its own soldier of K, r, p.
    let moves = vec![ply(0, Some("R"), ""), ply(1, None, ""), ply(0, Some("p"), "")];
    let game = game("~K~R6/8/2r5/~r~p6 1 b - 0 0 -", Some(('R', 'r', 0)), moves);
    assert_covariates::<Gaiqi>(
        &game,
        &[
            (0, 'K', 0.25),
            (0, 'R', -1.0),
            (0, 'P', -0.25),
            (1, 'K', 1.0 / 3.0),
            (1, 'R', -1.0 / 3.0),
            (1, 'P', 2.0 / 3.0),
        ],
    );
}

#[test]
fn jieqi_by_hand() {
    // Red moves its general; black makes the first reveal, a horse of h, c, h, and captures a
    // covered chariot of R, P with it. Red's last covered piece is certain.
    let moves = vec![
        ply(0, None, ""),
        ply(1, Some("h"), "~R"),
        ply(0, Some("P"), ""),
        ply(1, Some("c"), "P"),
    ];
    let game = game("~h~c2k3~h/9/9/9/9/9/9/9/9/~R~P2K4 w - 0 0", Some(('H', 'b', 1)), moves);
    assert_covariates::<Jieqi>(
        &game,
        &[
            (0, 'H', 1.0 / 3.0),
            (0, 'C', -1.0 / 3.0),
            (1, 'H', -0.5),
            (1, 'C', 0.5),
            (2, 'R', -0.5),
            (2, 'P', 0.5),
        ],
    );
}

#[test]
fn mystery_by_hand() {
    // A capture before the first reveal is not counted, but the piece is gone: a horse of h, c is
    // left.
    let moves = vec![ply(0, None, "~c"), ply(1, Some("h"), "")];
    let game = game("~h~c2k3~c/9/9/9/9/9/9/9/9/~R3K4 w - 0,0,0 0", Some(('H', 'b', 1)), moves);
    assert_covariates::<Mystery>(&game, &[(0, 'H', 0.5), (0, 'C', -0.5)]);
}

#[test]
fn impossible_games_are_refused() {
    let deal = "~h~c2k3~c/9/9/9/9/9/9/9/9/~R3K4 w - 0 0";
    let fault = |deal, first, moves| {
        let luck = RevealLuck::new(&Spec::of(&Jieqi::default()));
        luck.covariates(&game(deal, first, moves), &mut vec![0.0; luck.width()])
            .expect_err("it cannot be")
    };
    let red = Some(('R', 'r', 0));
    let own = || ply(0, Some("R"), "");
    assert_eq!(
        fault(deal, red, vec![own(), ply(1, Some("a"), "")]),
        "ply 1 shows a, but no covered one is left"
    );
    assert_eq!(
        fault(deal, red, vec![own(), ply(1, None, "~R")]),
        "ply 1 shows R, but no covered one is left"
    );
    assert_eq!(
        fault(deal, red, vec![own(), ply(1, Some("Z"), "")]),
        "ply 1 shows Z, but no covered one is left"
    );
    assert_eq!(
        fault(deal, Some(('C', 'b', 1)), vec![ply(0, None, ""), ply(1, Some("h"), "")]),
        "ply 1 is the first reveal: h by seat 1, but the log has C of colour b by seat 1"
    );
    assert_eq!(
        fault(deal, None, vec![own()]),
        "ply 0 is the first reveal: R by seat 0, but the log has none"
    );
    assert_eq!(
        fault(deal, red, vec![ply(0, None, "")]),
        "R is logged as the first reveal, but nothing is revealed"
    );
    assert_eq!(
        fault(deal, red, vec![own(), PlyRecord { captured: None, ..ply(1, None, "~h") }]),
        "ply 1 captures a covered piece without a letter"
    );
    assert_eq!(fault("~", None, Vec::new()), "deal \"~\": expected a piece after each `~`");
}
