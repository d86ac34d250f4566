//! RevealLuck is none on average, whoever plays, and adds up as by hand.

use darkqi_env::Registered;
use darkqi_env::games::banqi::Banqi;
use darkqi_env::games::gaiqi::Gaiqi;
use darkqi_env::games::jieqi::Jieqi;
use darkqi_env::games::mystery::Mystery;

use super::RevealLuck;
use crate::analysis::games::fixtures::{self, Player};
use crate::format::{DRAW, FirstReveal, GameRecord, MoveName, PlyRecord};

/// Mean, standard error and number of games in which it is not 0, of each component.
fn averages<G: Registered>(rules: &G, luck: &RevealLuck, player: Player) -> Vec<(f64, f64, u32)> {
    const GAMES: u64 = 4000;
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

/// `moves`: which kinds of draws there are, for generals and for others.
fn is_fair<G: Registered + Default>(colours_show: bool, general: [bool; 3], others: [bool; 3]) {
    let rules = G::default();
    let luck = RevealLuck::new(G::KINDS, colours_show);
    for player in [Player::Random, Player::Greedy] {
        let found = averages(&rules, &luck, player);
        for (at, (mean, error, count)) in found.into_iter().enumerate() {
            let (draw, kind) = (at / G::KINDS.len(), G::KINDS[at % G::KINDS.len()]);
            let what = format!("{} {player:?}, {draw}, {kind}: {mean} +- {error}", G::NAME);
            let varies = if kind == 'K' { general } else { others }[draw];
            assert_eq!(count > 0, varies, "{what}");
            if varies {
                assert!(error > 0.0 && mean.abs() < 4.0 * error, "{what}");
            }
        }
    }
}

#[test]
fn luck_is_none_on_average_in_banqi() {
    // UnseenPieces pieces cannot be taken.
    is_fair::<Banqi>(false, [true, true, false], [true, true, false]);
}

#[test]
fn luck_is_none_on_average_in_gaiqi() {
    is_fair::<Gaiqi>(false, [true; 3], [true; 3]);
}

#[test]
fn luck_is_none_on_average_in_jieqi() {
    is_fair::<Jieqi>(true, [false; 3], [true; 3]);
}

#[test]
fn luck_is_none_on_average_in_mystery() {
    is_fair::<Mystery>(true, [false; 3], [true; 3]);
}

/// A ply: what it turns over and what it takes, `~` before it if that was covered.
fn ply(player: i8, revealed: Option<char>, captured: &str) -> PlyRecord {
    PlyRecord {
        player,
        action: 0,
        mv: MoveName::from("a1").expect("it is short"),
        legal_count: 1,
        revealed,
        captured: captured.chars().next_back(),
        captured_covered: captured.starts_with('~'),
    }
}

fn game(deal: &str, first: Option<(char, char, i8)>, moves: Vec<PlyRecord>) -> GameRecord {
    GameRecord {
        game_id: 7,
        seed: 0,
        deal: deal.into(),
        agents: vec!["random".into(); 2],
        plies: moves.len() as u16,
        winner: DRAW,
        rewards: vec![0.0; 2],
        terminated: true,
        reason: "repetition".into(),
        first_player: 0,
        first_reveal: first.map(|(kind, color, player)| FirstReveal {
            square: "a1".into(),
            kind,
            color,
            player,
        }),
        pair_id: 7,
        moves,
    }
}

/// The components that are not 0, as draw, kind and number.
fn by_hand<G: Registered>(colours_show: bool, game: &GameRecord, expected: &[(usize, char, f64)]) {
    let luck = RevealLuck::new(G::KINDS, colours_show);
    let mut found = vec![f64::NAN; luck.width()];
    luck.covariates(game, &mut found).expect("the game is sound");
    for (at, found) in found.into_iter().enumerate() {
        let (draw, kind) = (at / G::KINDS.len(), G::KINDS[at % G::KINDS.len()]);
        let expected = expected.iter().find(|known| (known.0, known.1) == (draw, kind));
        let expected = expected.map_or(0.0, |known| known.2);
        assert!((found - expected).abs() < 1e-15, "{draw}, {kind}: {found}, not {expected}");
    }
}

#[test]
fn banqi_by_hand() {
    // Red is the first seat's once it turns over a red soldier: a soldier where 3 of 4 are some soldier.
    let moves = vec![ply(0, Some('P'), ""), ply(1, Some('p'), ""), ply(0, Some('K'), "p")];
    let game = game("~K~P6/8/8/~p~p6 1 - - 0 0", Some(('P', 'r', 0)), moves);
    // Then an enemy's soldier of K, p, p, and the general of K, p.
    let later_general = -1.0 / 3.0 + 0.5;
    let later_soldier = (-1.0 + 2.0 / 3.0) + 0.5;
    by_hand::<Banqi>(
        false,
        &game,
        &[(0, 'K', -0.25), (0, 'P', 0.25), (1, 'K', later_general), (1, 'P', later_soldier)],
    );
}

#[test]
fn gaiqi_by_hand() {
    // Black turns out to be the first seat's: a chariot, as 3 of 5 are. The second takes a covered red chariot, of its
    // own colour, of K, R, r, p.
    let moves = vec![ply(0, Some('r'), ""), ply(1, None, "~R"), ply(0, None, "P")];
    let game = game("~K~R6/8/8/~r~r~p5 1 - - 0 0", Some(('R', 'b', 0)), moves);
    by_hand::<Gaiqi>(
        false,
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

#[test]
fn jieqi_by_hand() {
    // Red moves its general; black makes the first reveal, a horse of h, c, h, and takes a covered chariot of R, P by it.
    // Red's last covered piece is no surprise.
    let moves = vec![
        ply(0, None, ""),
        ply(1, Some('h'), "~R"),
        ply(0, Some('P'), ""),
        ply(1, Some('c'), "P"),
    ];
    let game = game("~h~c2k3~h/9/9/9/9/9/9/9/9/~R~P2K4 w - 0 0", Some(('H', 'b', 1)), moves);
    by_hand::<Jieqi>(
        true,
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
    // What is taken before the first reveal is nobody's luck, but is gone: a horse of h, c is left.
    let moves = vec![ply(0, None, "~c"), ply(1, Some('h'), "")];
    let game = game("~h~c2k3~c/9/9/9/9/9/9/9/9/~R3K4 w - 0,0,0 0", Some(('H', 'b', 1)), moves);
    by_hand::<Mystery>(true, &game, &[(0, 'H', 0.5), (0, 'C', -0.5)]);
}

#[test]
fn what_cannot_be_is_refused() {
    let deal = "~h~c2k3~c/9/9/9/9/9/9/9/9/~R3K4 w - 0 0";
    let fault = |deal, first, moves| {
        let luck = RevealLuck::new(<Jieqi as darkqi_env::Game>::KINDS, true);
        luck.covariates(&game(deal, first, moves), &mut vec![0.0; luck.width()])
            .expect_err("it cannot be")
    };
    let red = Some(('R', 'r', 0));
    let own = || ply(0, Some('R'), "");
    assert_eq!(
        fault(deal, red, vec![own(), ply(1, Some('a'), "")]),
        "ply 1 shows a, of which none is left covered"
    );
    assert_eq!(
        fault(deal, red, vec![own(), ply(1, None, "~R")]),
        "ply 1 shows R, of which none is left covered"
    );
    assert_eq!(
        fault(deal, red, vec![own(), ply(1, Some('Z'), "")]),
        "ply 1 shows Z, of which none is left covered"
    );
    assert_eq!(
        fault(deal, Some(('C', 'b', 1)), vec![ply(0, None, ""), ply(1, Some('h'), "")]),
        "ply 1 is the first to turn over: h by seat 1, not C of colour b by seat 1"
    );
    assert_eq!(
        fault(deal, None, vec![own()]),
        "ply 0 is the first to turn over: R by seat 0, not nothing"
    );
    assert_eq!(
        fault(deal, red, vec![ply(0, None, "")]),
        "R is said to be turned over first, but nothing is"
    );
    assert_eq!(
        fault(deal, red, vec![own(), PlyRecord { captured: None, ..ply(1, None, "~h") }]),
        "ply 1 takes a covered nothing"
    );
    assert_eq!(fault("~", None, Vec::new()), "deal \"~\" has no piece after one of its `~`");
}
