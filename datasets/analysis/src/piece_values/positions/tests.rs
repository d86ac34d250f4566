//! Rows of positions, computed by hand.

use darkqi_env::games::banqi::Banqi;
use darkqi_env::games::flipping::Flipping;
use darkqi_env::games::gaiqi::Gaiqi;
use darkqi_env::games::jieqi::Jieqi;
use darkqi_env::games::mystery::Mystery;
use darkqi_env::games::seven_kingdoms::SevenKingdoms;
use darkqi_env::{
    Player, Registered, Rng, Stream,
    game::{configure, texts},
};

use super::{PositionSampler, Scratch, Seats};
use crate::games::fixtures;

/// The non-zero features from the perspective of a seat.
fn row<G: Registered>(
    rules: G,
    fen: &str,
    seat: Player,
    taken_unseen: &[f32],
) -> Option<Vec<(String, f32)>> {
    let state = rules.parse_fen(fen).expect("it is a position");
    let sampler = PositionSampler::new(rules.clone(), 1);
    let mut x = Vec::new();
    let is_settled =
        sampler.fill(&rules, &state, Seats { began: 0, own: seat }, taken_unseen, &mut x);
    assert_eq!(x.len(), sampler.columns().len());
    let named = sampler.columns().iter().zip(x).filter(|(_, value)| *value != 0.0);
    is_settled.then(|| named.map(|(column, value)| (column.to_string(), value)).collect())
}

/// Checks both seats of a two-player game: all features but the constant change their sign.
fn both<G: Registered>(rules: G, fen: &str, taken_unseen: &[f32], expected: &[(&str, f32)]) {
    for (seat, sign) in [(0, 1.0), (1, -1.0)] {
        let mut expected: Vec<_> =
            expected.iter().map(|&(name, value)| (name.to_owned(), sign * value)).collect();
        expected.push(("first move".to_owned(), 1.0));
        let mut found = row(rules.clone(), fen, seat, taken_unseen).expect("it is settled");
        for names in [&mut found, &mut expected] {
            names.sort_by(|one, other| one.0.cmp(&other.0));
        }
        assert_eq!(found, expected, "{fen}, seat {seat}");
    }
}

#[test]
fn banqi() {
    // Red has K and a covered P, black p, p and a covered r: both soldiers threaten the general.
    let fen = "K1~P5/p7/2p~r4/8 1 r A 3 10";
    let expected = [("K", 1.0), ("P", -2.0), ("to move", 1.0), ("K per enemy P", 2.0)];
    both(Banqi::default(), fen, &[0.0; 2], &expected);
    // Seat 0 plays black and has both covered pieces; its soldier threatens.
    let fen = "K1~p5/p7/2P~r4/8 2 b A 3 11";
    let expected = [("K", -1.0), ("~", 2.0), ("to move", -1.0), ("K per enemy P", -1.0)];
    both(Banqi::default(), fen, &[0.0; 2], &expected);
    // Before the first flip no piece has an owner.
    let fen = Banqi::default();
    let deal = darkqi_env::game::Notation::fen(
        &fen,
        &darkqi_env::Game::deal(&fen, &mut Rng::new(0, Stream::Deal)),
    );
    assert_eq!(row(Banqi::default(), &deal, 0, &[0.0; 2]), None);
}

#[test]
fn gaiqi() {
    // Generals are royal: neither the red one nor the covered black one counts.
    let fen = "K1~P5/r7/2H~k4/8 2 r - 3 10 -";
    let expected = [("R", -1.0), ("H", 1.0), ("~", 1.0), ("to move", -1.0)];
    both(Gaiqi::default(), fen, &[0.0; 2], &expected);
}

#[test]
fn jieqi() {
    // Covered pieces count as what they move as: a10 a chariot, b3 and h3 cannons.
    let fen = "~h3k4/9/9/p8/4R4/9/9/1~P5~A1/9/4K4 b - 0 21";
    let expected = [
        ("R", 1.0),
        ("P", -1.0),
        ("~R", -1.0),
        ("~C", 2.0),
        ("taken unseen", 2.0),
        ("to move", -1.0),
    ];
    // Red has captured 3 pieces that only it saw, black 1.
    both(Jieqi::default(), fen, &[3.0, 1.0], &expected);
}

#[test]
fn mystery() {
    let fen = "4k1~c2/9/1~h7/9/4C4/4c4/9/9/9/2A1K4 w R 0,0,0 20";
    let expected =
        [("A", 1.0), ("~E", -1.0), ("~C", -1.0), ("taken unseen", -1.0), ("to move", 1.0)];
    both(Mystery::default(), fen, &[0.0, 1.0], &expected);
}

#[test]
fn flipping() {
    let fen = "3k3/7/3S3/7/r3h2/7/3K1C1 w 0 10";
    let expected = [("S", 1.0), ("H", -1.0), ("R", -1.0), ("C", 1.0), ("to move", 1.0)];
    both(Flipping::default(), fen, &[0.0; 2], &expected);
}

/// The pieces by region, with the region's name, from the perspective of each seat.
fn by_region<G: Registered>(rules: G, fen: &str, expected: &[(&str, char, f32)]) {
    let state = rules.parse_fen(fen).expect("it is a position");
    let regions = G::REGIONS.expect("it has regions");
    let sampler = PositionSampler::new(rules.clone(), 1).by_region(regions);
    for (seat, sign) in [(0, 1.0), (1, -1.0)] {
        let x = sampler.by_kind_and_region(&rules, &state, seat, regions);
        let names = regions.names();
        assert_eq!(x.len(), names.len() * G::KINDS.len());
        let name = |at: usize| (names[at / G::KINDS.len()], G::KINDS[at % G::KINDS.len()]);
        let found = x.iter().enumerate().filter(|(_, x)| **x != 0.0);
        let mut found: Vec<_> = found.map(|(at, &x)| (name(at).0, name(at).1, sign * x)).collect();
        found.sort_by(|one, other| (one.0, one.1).cmp(&(other.0, other.1)));
        assert_eq!(found, expected, "{fen}, seat {seat}");
    }
}

#[test]
fn regions_are_seen_from_the_owners_side() {
    // A covered piece has no region. Seat 0 plays black in the second position.
    let expected = [("corner", 'K', 1.0), ("edge", 'P', -1.0), ("inner", 'P', -1.0)];
    by_region(Banqi::default(), "K1~P5/p7/2p~r4/8 1 r A 3 10", &expected);
    let expected = [("corner", 'K', -1.0), ("edge", 'P', 1.0), ("inner", 'P', -1.0)];
    by_region(Banqi::default(), "K1~p5/p7/2P~r4/8 2 b A 3 11", &expected);
    // A smaller board has corners of its own.
    let none = ["army.A", "army.E", "army.H", "army.R", "army.C"].map(|army| (army, "0"));
    let few = [&none[..], &[("army.P", "2"), ("board", "3x3")]].concat();
    let small: Banqi = configure(&texts(&few)).expect("the options are valid");
    let expected = [("corner", 'K', 1.0), ("corner", 'P', -1.0), ("inner", 'P', 1.0)];
    by_region(small, "K1p/1P1/3 1 r - 3 10", &expected);
    // The red chariot has crossed the river, the black soldier has not.
    let fen = "~h3k4/9/9/p8/4R4/9/9/1~P5~A1/9/4K4 b - 0 21";
    by_region(Jieqi::default(), fen, &[("across", 'R', 1.0), ("home", 'P', -1.0)]);
    // Both cannons have crossed.
    let fen = "4k1~c2/9/1~h7/9/4C4/4c4/9/9/9/2A1K4 w R 0,0,0 20";
    by_region(Mystery::default(), fen, &[("home", 'A', 1.0)]);
    let fen = "3k3/7/3S3/7/r3h2/7/3K1C1 w 0 10";
    let expected =
        [("home", 'C', 1.0), ("middle", 'H', -1.0), ("middle", 'R', -1.0), ("middle", 'S', 1.0)];
    by_region(Flipping::default(), fen, &expected);
}

#[test]
fn regions_divide_the_columns_of_kinds() {
    fn check<G: Registered + Default>() {
        let rules = G::default();
        let regions = G::REGIONS.expect("it has regions");
        let whole = PositionSampler::new(rules.clone(), 8);
        let divided = PositionSampler::new(rules.clone(), 8).by_region(regions);
        let (kinds, parts) = (G::KINDS.len(), regions.names().len());
        let mut rows = 0;
        for game_id in 0..20 {
            let game = fixtures::play(&rules, game_id, game_id, fixtures::Player::Random);
            let all = |sampler: &PositionSampler| {
                let mut all = Vec::new();
                let each = &mut |one: super::Position<'_>| all.push((one.x.to_vec(), one.score));
                sampler.sample(&game, &mut Scratch::default(), each).expect("the game is sound");
                all
            };
            for ((one, score), (other, same)) in all(&whole).into_iter().zip(all(&divided)) {
                assert_eq!((other.len(), score), (divided.width(), same));
                let (by_region, others) = other.split_at(parts * kinds);
                let sum = |kind| by_region.iter().skip(kind).step_by(kinds).sum::<f32>();
                assert_eq!((0..kinds).map(sum).collect::<Vec<_>>(), one[..kinds]);
                assert_eq!(others, &one[kinds..]);
                rows += 1;
            }
        }
        assert!(rows > 100, "{}: {rows}", G::NAME);
    }
    check::<Banqi>();
    check::<Gaiqi>();
    check::<Jieqi>();
    check::<Mystery>();
    check::<Flipping>();
}

/// The game of the seven kingdoms with these seats and teams.
fn kingdoms(seats: &str, teams: &str) -> SevenKingdoms {
    let options = texts(&[("seats", seats), ("teams", teams)]);
    darkqi_env::game::configure(&options).expect("they are its options")
}

/// The armies at the start from the perspective of a seat: the difference in armies, and the other
/// features.
fn armies(seats: &str, teams: &str, seat: Player) -> (f32, Vec<(String, f32)>) {
    let rules = kingdoms(seats, teams);
    let deal = darkqi_env::Game::deal(&rules, &mut Rng::new(0, Stream::Deal));
    let fen = darkqi_env::game::Notation::fen(&rules, &deal);
    let players = darkqi_env::Game::players(&rules);
    let found = row(rules, &fen, seat, &vec![0.0; players]).expect("it is settled");
    let value = |name: &str| found.iter().find(|one| one.0 == name).map_or(0.0, |one| one.1);
    let more = value("Q");
    for (kind, count) in
        [("R", 1), ("B", 1), ("C", 1), ("G", 1), ("H", 1), ("W", 1), ("A", 2), ("S", 4), ("N", 4)]
    {
        let expected = more * count as f32;
        assert!((value(kind) - expected).abs() < 1e-5, "{kind}: {} of {more}", value(kind));
    }
    let is_other = |one: &(String, f32)| one.0.len() > 1;
    (more, found.into_iter().filter(is_other).collect())
}

#[test]
fn seven_kingdoms() {
    let others = |turn: f32, began: bool| {
        let mut others = vec![("to move".to_owned(), turn), ("constant".to_owned(), 1.0)];
        others.extend(began.then(|| ("began".to_owned(), 1.0)));
        others
    };
    // Seven equal armies: one's own minus the mean of the others.
    assert_eq!(armies("0123456", "", 0), (0.0, others(1.0, true)));
    assert_eq!(armies("0123456", "", 3), (0.0, others(-1.0, false)));
    // Seat 0 plays two armies; the others face the mean of six armies at five seats.
    assert_eq!(armies("0123450", "", 0), (1.0, others(1.0, true)));
    let (more, _) = armies("0123450", "", 3);
    assert!((more + 0.2).abs() < 1e-6, "{more}");
    // Four armies against three, from the perspective of any team member.
    for seat in 0..7 {
        let (more, _) = armies("0123456", "ABABABA", seat);
        assert_eq!(more, if seat % 2 == 0 { 1.0 } else { -1.0 }, "seat {seat}");
    }
    // Three teams: 3 armies, and the mean of 2 and 2.
    assert_eq!(armies("0123456", "ABCABCA", 0).0, 1.0);
    assert_eq!(armies("0123456", "ABCABCA", 1).0, 2.0 - 2.5);
    // Two seats: the perspective does not matter.
    let others = |turn| vec![("to move".to_owned(), turn), ("first move".to_owned(), 1.0)];
    assert_eq!(armies("0101010", "", 0), (1.0, others(1.0)));
    assert_eq!(armies("0101010", "", 1), (-1.0, others(-1.0)));
}

#[test]
fn a_team_scores_together() {
    let rules = kingdoms("0123456", "ABABABA");
    let sampler = PositionSampler::new(rules.clone(), 3);
    let mut found = [0; 2];
    for game_id in 0..30 {
        let mut game = fixtures::play(&rules, game_id, game_id, fixtures::Player::Greedy);
        let mut scores = Vec::new();
        let mut sample = |game: &_| {
            scores.clear();
            let each =
                &mut |position: super::Position<'_>| scores.push((position.score, position.x[0]));
            sampler.sample(game, &mut Scratch::default(), each).expect("the game is sound");
            scores.clone()
        };
        let won = game.rewards.iter().any(|&reward| reward > 0.0);
        for (score, _) in sample(&game) {
            // 4 times 1/4 and 3 times 1/3, which rounds in 32 bits.
            let is_whole = score.abs() < 1e-6 || (score - 1.0).abs() < 1e-6;
            assert!(!won || is_whole, "{score}");
            found[usize::from(score > 0.5)] += 1;
        }
        game.rewards = vec![0.0; 7];
        for (score, _) in sample(&game) {
            let is_even =
                [3.0 / 7.0, 4.0 / 7.0].iter().any(|even: &f32| (score - even).abs() < 1e-6);
            assert!(is_even, "{score}");
        }
    }
    assert!(found.iter().all(|&count| count > 5), "{found:?}");
}
