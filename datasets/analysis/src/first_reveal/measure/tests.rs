//! Simulated games with a known value of the first reveal.

use darkqi_env::games::{banqi::Banqi, jieqi::Jieqi, mystery::Mystery};
use darkqi_env::{Registered, Rng, Spec, Stream};
use rand::RngExt as _;
use rand::distr::Open01;

use super::{FirstRevealValue, Outcomes, RuleFacts, Tally, value_of};
use crate::Estimate;
use crate::first_reveal::running_score::RunningScore;
use crate::first_reveal::tally::DealTally;
use crate::games::fixtures;
use crate::games::fixtures::metadata;
use darkqi_format::{FirstReveal as Reveal, GameRecord, Openings, PieceName, PlyRecord};

/// Repetitions. The standard error of a coverage of 95 % is then 0.6 %.
const RUNS: u32 = 1200;

const DEAL: &str = "~K~A~A~E~E~H~H~R/~R~C~C~P~P~P~P~P/~k~a~a~e~e~h~h~r/~r~c~c~p~p~p~p~p 1 - - 0 0";

/// The kinds, with their number per side.
const KINDS: [(char, u32); 7] =
    [('K', 1), ('A', 2), ('E', 2), ('H', 2), ('R', 2), ('C', 2), ('P', 5)];

/// The parameters of simulated games.
struct Truth {
    deals: u64,
    /// The probability that the player who makes the first reveal wins, if the game is not drawn.
    advantage: f64,
    /// The effect of each kind.
    kinds: [f64; 7],
    /// The share of draws.
    draws: f64,
    /// The effect of the deal, added or subtracted in all of its games.
    deal: f64,
    /// The effect of one more chariot than expected among later reveals.
    chariot: f64,
}

impl Truth {
    fn score(&self, effect: f64) -> f64 {
        self.draws / 2.0 + (1.0 - self.draws) * (self.advantage + effect)
    }

    fn overall(&self) -> f64 {
        let mean =
            self.kinds.iter().zip(KINDS).map(|(effect, (_, count))| effect * f64::from(count));
        self.score(mean.sum::<f64>() / 16.0)
    }

    fn play(&self, rng: &mut Rng) -> FirstRevealValue {
        let mut games = Vec::new();
        for deal_id in 0..self.deals {
            let shared = if rng.below(2) == 0 { self.deal } else { -self.deal };
            for _ in 0..1 + rng.below(2) {
                games.push(self.game(rng, games.len() as u64, deal_id, shared));
            }
        }
        found(&tally_of(games))
    }

    fn game(&self, rng: &mut Rng, game_id: u64, deal_id: u64, shared: f64) -> GameRecord {
        // One game in ten has no reveal.
        if rng.below(10) == 0 {
            return record(game_id, deal_id, None, Vec::new(), rng.sample::<f64, _>(Open01) < 0.5);
        }
        let (first, second) = (rng.below(32), rng.below(31));
        let second = if second == first { 31 } else { second };
        let [(letter, kind), (later, other)] = [first, second].map(piece);
        let is_own = letter.is_ascii_uppercase() == later.is_ascii_uppercase();
        let sign = if is_own { 1.0 } else { -1.0 };
        // If the first reveal was a chariot, its side has one fewer left.
        let expected = if kind == 4 { -1.0 / 31.0 } else { 0.0 };
        let luck = if other == 4 { sign } else { 0.0 } - expected;
        let chance = self.advantage + self.kinds[kind] + shared + self.chariot * luck;
        let is_drawn = rng.sample::<f64, _>(Open01) < self.draws;
        let is_won = rng.sample::<f64, _>(Open01) < chance;
        let reveal = Reveal {
            square: format!("{}{}", char::from(b'a' + rng.below(8) as u8), 1 + rng.below(4)),
            kind: letter.to_ascii_uppercase(),
            color: if letter.is_ascii_uppercase() { 'r' } else { 'b' },
            player: 0,
        };
        let moves = vec![flip(0, letter), flip(1, later)];
        let mut game = record(game_id, deal_id, Some(reveal), moves, is_won);
        if is_drawn {
            game.rewards = vec![0.0, 0.0];
        }
        game
    }
}

/// The letter and kind of a piece, by its number.
fn piece(number: u32) -> (char, usize) {
    let mut left = number % 16;
    let mut kind = 0;
    while left >= KINDS[kind].1 {
        left -= KINDS[kind].1;
        kind += 1;
    }
    let letter = KINDS[kind].0;
    (if number < 16 { letter } else { letter.to_ascii_lowercase() }, kind)
}

fn flip(player: i8, letter: char) -> PlyRecord {
    PlyRecord {
        player,
        revealed: PieceName::from(&letter.to_string()).ok(),
        ..PlyRecord::default()
    }
}

fn record(
    game_id: u64,
    deal_id: u64,
    first_reveal: Option<Reveal>,
    moves: Vec<PlyRecord>,
    is_won: bool,
) -> GameRecord {
    GameRecord {
        game_id,
        seed: game_id,
        deal: DEAL.into(),
        plies: moves.len() as u16,
        rewards: if is_won { vec![1.0, -1.0] } else { vec![-1.0, 1.0] },
        terminated: true,
        first_reveal,
        deal_id,
        moves,
        ..GameRecord::default()
    }
}

fn facts() -> RuleFacts {
    RuleFacts::new(&Spec::of(&Banqi::default()))
}

/// The tally of games whose deals are in no other.
fn tally_of(games: impl IntoIterator<Item = GameRecord>) -> Tally {
    let facts = facts();
    let (mut tally, mut deal) = (Tally::new(&facts), DealTally::new(&facts));
    for game in games {
        tally.add(&facts, &game, 0.0, None, &mut deal).expect("the game is sound");
    }
    tally.close(&mut deal).expect("its figures are finite");
    tally
}

fn found(tally: &Tally) -> FirstRevealValue {
    let found = value_of(&metadata("banqi"), &Openings::default(), &facts(), tally);
    found.expect("there are games")
}

/// A proportion.
#[derive(Clone, Default)]
struct Share {
    yes: u32,
    all: u32,
}

impl Share {
    fn ask(&mut self, yes: bool) {
        self.yes += u32::from(yes);
        self.all += 1;
    }

    fn covers(&mut self, interval: Estimate, truth: f64) {
        self.ask(interval.low <= truth && truth <= interval.high);
    }

    fn value(&self) -> f64 {
        f64::from(self.yes) / f64::from(self.all)
    }

    fn is_right(&self, what: &str) {
        println!("{what}: {:.4} of {}", self.value(), self.all);
        assert!((0.93..=0.97).contains(&self.value()), "{what}: {}", self.value());
    }
}

#[test]
fn intervals_contain_the_simulated_advantage_and_effects() {
    let truth = Truth {
        deals: 300,
        advantage: 0.55,
        kinds: [-0.3, 0.05, 0.0, 0.02, 0.2, -0.05, 0.0],
        draws: 0.3,
        deal: 0.15,
        chariot: 0.4,
    };
    let rng = &mut Rng::new(1, Stream::Sample);
    let [mut score, mut adjusted, mut decisive] = [const { Share { yes: 0, all: 0 } }; 3];
    let mut kinds = vec![[const { Share { yes: 0, all: 0 } }; 2]; 7];
    let (mut squares, mut shrunk, mut reduction) = (Share::default(), Share::default(), 0.0);
    for _ in 0..RUNS {
        let found = truth.play(rng);
        let revealer = found.revealer.expect("there are reveals");
        score.covers(revealer.outcomes.score, truth.overall());
        let luck = revealer.adjusted.expect("there are reveals");
        assert!((luck.raw.value - revealer.outcomes.score.value).abs() < 1e-12);
        adjusted.covers(luck.adjusted.estimate(), truth.overall());
        reduction += luck.reduction / f64::from(RUNS);
        // Games without reveals are never drawn.
        decisive.covers(found.decisive, 0.1 + 0.9 * (1.0 - truth.draws));
        for (kind, (covered, effect)) in kinds.iter_mut().zip(truth.kinds).enumerate() {
            let name = KINDS[kind].0.to_string();
            let group = revealer.kinds.groups.iter().find(|group| group.name == name);
            let group = group.expect("300 deals show all kinds");
            covered[0].covers(group.score, truth.score(effect));
            covered[1].covers(group.effect, truth.score(effect) - truth.overall());
        }
        for group in revealer.squares.groups {
            squares.covers(group.effect, 0.0);
            shrunk.covers(group.shrunk.expect("there are 8"), truth.overall());
        }
    }
    score.is_right("score");
    adjusted.is_right("luck-adjusted score");
    decisive.is_right("decisive");
    squares.is_right("squares");
    for ([score, effect], (kind, _)) in kinds.iter().zip(KINDS) {
        score.is_right(&format!("score of {kind}"));
        effect.is_right(&format!("effect of {kind}"));
    }
    println!("squares, shrunk: {:.4}; variance reduced by {reduction:.4}", shrunk.value());
    // Equal groups are shrunk to a common mean, which is no more certain than the overall mean.
    assert!(shrunk.value() > 0.93, "{}", shrunk.value());
    assert!(reduction > 0.005, "{reduction}");
}

/// The family-wise error rates if there are no effects: kinds, squares, and tests of heterogeneity.
/// `draws`: the share of drawn games.
fn families(deals: u64, draws: f64) -> [Share; 3] {
    let truth = Truth { deals, advantage: 0.5, kinds: [0.0; 7], draws, deal: 0.2, chariot: 0.0 };
    let rng = &mut Rng::new(2, Stream::Sample);
    let mut wrong: [Share; 3] = Default::default();
    for _ in 0..RUNS {
        let revealer = truth.play(rng).revealer.expect("there are reveals");
        for (wrong, effects) in wrong.iter_mut().zip([&revealer.kinds, &revealer.squares]) {
            wrong.ask(effects.groups.iter().any(|group| group.p_holm <= 0.05));
        }
        for effects in [&revealer.kinds, &revealer.squares] {
            wrong[2].ask(effects.spread.is_some_and(|spread| spread.p_value <= 0.05));
        }
    }
    println!(
        "{deals} deals, {draws} draws: kinds, squares, spread: {:?}",
        [wrong[0].value(), wrong[1].value(), wrong[2].value()]
    );
    wrong
}

#[test]
fn simulated_family_wise_error_rates_are_at_most_five_percent() {
    // With few deals, groups have about four games, which may all be won.
    for (deals, draws) in [(40, 0.0), (40, 0.6), (400, 0.3)] {
        for wrong in families(deals, draws) {
            // Two standard errors of 1,200 repetitions.
            assert!(wrong.value() < 0.05 + 0.0126, "{}", wrong.value());
        }
    }
}

#[test]
fn a_small_group_without_variance_is_not_significant() {
    let game = |game_id| {
        // Two generals, both of which win; all other pieces win every second game.
        let letter = if game_id < 2 { 'K' } else { 'P' };
        let reveal = Reveal { square: "a1".into(), kind: letter, color: 'r', player: 0 };
        let is_won = game_id < 2 || game_id % 2 == 0;
        record(game_id, game_id, Some(reveal), vec![flip(0, letter)], is_won)
    };
    let found = found(&tally_of((0..1000).map(game)));
    let kinds = found.revealer.expect("there are reveals").kinds.groups;
    let general = kinds.iter().find(|group| group.name == "K").expect("there are two");
    // One in four such groups has two wins by chance.
    assert!(general.p_value > 0.1 && general.p_holm > 0.2, "{general:?}");
    assert!(general.effect.low < 0.0 && general.effect.high > 0.49, "{general:?}");
}

#[test]
fn a_deal_in_two_places_is_an_error() {
    let facts = facts();
    let (mut tally, mut deal) = (Tally::new(&facts), DealTally::new(&facts));
    for (game_id, deal_id) in [(0, 3), (1, 3), (2, 4)] {
        let game = record(game_id, deal_id, None, Vec::new(), true);
        tally.add(&facts, &game, 0.0, None, &mut deal).expect("the game is sound");
    }
    let game = record(3, 3, None, Vec::new(), true);
    let error =
        tally.add(&facts, &game, 0.0, None, &mut deal).expect_err("it is split").to_string();
    assert_eq!(
        error,
        "deal 3: expected its games to be adjacent in one shard, found some elsewhere"
    );
}

#[test]
fn lengths_are_clustered_by_deal() {
    // Both games of a deal have the same length.
    let game = |(game_id, plies)| GameRecord {
        plies,
        ..record(game_id, game_id / 2, None, Vec::new(), true)
    };
    let tally = tally_of((0..).zip([10, 10, 20, 20, 30, 30, 40, 40]).map(game));
    let found = tally.lengths().expect("there are games");
    // Four deals with a variance of 500 / 3.
    let error = (500.0_f64 / 3.0 / 4.0).sqrt();
    assert_eq!((found.mean.value, found.median), (25.0, 25.0));
    // Student's 97.5 % point with three degrees of freedom.
    assert!((found.mean.high - 25.0 - 3.182446305 * error).abs() < 1e-8, "{found:?}");
}

/// In jieqi and mystery the first mover may open with its general, which is never covered. The
/// enemy then makes the first reveal, by its own turn.
fn check_games_that_open_with_the_general<G: Registered>(rules: &G) {
    let spec = Spec::of(rules);
    let facts = RuleFacts::new(&spec);
    let (mut tally, mut deal) = (Tally::new(&facts), DealTally::new(&facts));
    let mut running = RunningScore::new(&spec, 0.1, false).expect("it is a half-width");
    // Wins and draws of seat 1. Games that it lost are left out: with as many wins as losses the
    // results of both seats would be equal.
    let (mut wins, mut draws) = (0, 0);
    let games = (0..600).map(|id| fixtures::play(rules, id, id, fixtures::Player::Random));
    for game in games.filter(|game| game.moves[0].revealed.is_none()) {
        assert_eq!((game.first_player, &game.moves[0].mv[..2]), (0, "e1"), "{}", G::NAME);
        if game.moves[1].revealed.is_none() || game.rewards[1] < 0.0 {
            continue;
        }
        wins += u64::from(game.rewards[1] > 0.0);
        draws += u64::from(game.rewards[1] == 0.0);
        tally.add(&facts, &game, 0.0, None, &mut deal).expect("the game is sound");
        running.add(&game).expect("the game is sound");
    }
    tally.close(&mut deal).expect("its figures are finite");
    running.close().expect("its figures are finite");
    let metadata = metadata(G::NAME);
    let found = value_of(&metadata, &Openings::default(), &facts, &tally).expect("there are games");
    let revealer = found.revealer.expect("there are reveals");
    let outcomes = |found: &Outcomes| [found.wins, found.draws, found.losses];
    assert!(wins > 0, "{}", G::NAME);
    assert_eq!(outcomes(&revealer.outcomes), [wins, draws, 0], "{}", G::NAME);
    assert_eq!(outcomes(&found.first_mover), [0, draws, wins], "{}", G::NAME);
    assert_eq!(revealer.moved_first.value, 0.0, "{}", G::NAME);
    let score = running.estimate().value;
    assert!((score - revealer.outcomes.score.value).abs() < 1e-12, "{}: {score}", G::NAME);
}

#[test]
fn the_enemy_of_a_first_mover_that_opens_with_its_general_makes_the_first_reveal() {
    check_games_that_open_with_the_general(&Jieqi::default());
    check_games_that_open_with_the_general(&Mystery::default());
}

/// Openings of different worth: their sample is what the interval has to account for.
#[test]
fn simulated_intervals_cover_the_mean_over_openings() {
    const OPENINGS: u64 = 60;
    let facts = facts();
    let rng = &mut Rng::new(11, Stream::Sample);
    let (mut by_opening, mut by_deal) = (0, 0);
    for run in 0..RUNS / 2 {
        // Half of all openings there are win 7 games of 10, the others 3.
        let worth: Vec<f64> = (0..OPENINGS).map(|_| [0.3, 0.7][rng.below(2) as usize]).collect();
        let mut covers = |clusters: bool| {
            let mut shards = [Tally::new(&facts), Tally::new(&facts)];
            for (shard, tally) in shards.iter_mut().enumerate() {
                let mut deal = DealTally::new(&facts);
                for game in 0..600 {
                    let id = 600 * shard as u64 + game;
                    let opening = u64::from(rng.below(OPENINGS as u32));
                    let is_won = rng.sample::<f64, _>(Open01) < worth[opening as usize];
                    let game = record(id, id, None, Vec::new(), is_won);
                    let opening = clusters.then_some(opening);
                    tally.add(&facts, &game, 0.0, opening, &mut deal).expect("the game is sound");
                }
                tally.close(&mut deal).expect("its figures are finite");
            }
            let [mut all, other] = shards;
            all.merge(&other).expect("the deals differ");
            all.close_openings().expect("its figures are finite");
            let found = found(&all);
            assert_eq!((found.deals, found.games), (1200, 1200));
            assert!(found.clusters == if clusters { OPENINGS } else { 1200 });
            let Estimate { low, high, .. } = found.first_mover.score;
            u32::from(low <= 0.5 && 0.5 <= high)
        };
        by_opening += covers(true);
        if run % 10 == 0 {
            by_deal += covers(false);
        }
    }
    let share = |covered: u32| 2.0 * f64::from(covered) / f64::from(RUNS);
    assert!((0.93..=0.97).contains(&share(by_opening)), "{}", share(by_opening));
    let by_deal = 10.0 * share(by_deal);
    assert!(by_deal < 0.7, "{by_deal}");
}

#[test]
fn parts_add_up_to_the_games_by_result_and_length() {
    let of = |lengths: &'static [u16]| {
        let game = |(id, &plies): (u64, &u16)| {
            let id = id + 100 * u64::from(lengths[0]);
            let mut game = record(id, id, None, Vec::new(), id % 2 == 0);
            game.plies = plies;
            // Longer games are drawn, and the longest are cut off.
            if plies > 50 {
                game.rewards = vec![0.0, 0.0];
                game.terminated = plies < 90;
            }
            game
        };
        tally_of((0..).zip(lengths).map(game))
    };
    let mut tally = of(&[10, 11, 30, 51]);
    tally.merge(&of(&[49, 60, 95, 99])).expect("they are of the same game");
    let found = found(&tally);
    let Outcomes { wins, draws, losses, cut_off, .. } = found.first_mover;
    assert_eq!([wins, draws, losses, cut_off], [3, 4, 1, 2]);
    let lengths = found.plies;
    assert_eq!((lengths.p5, lengths.median, lengths.p95), (10, 50.0, 99));
    // Bins of 5 reach 99 plies with 20 of them, bins of 2 would take 50.
    let bins: Vec<_> =
        lengths.bins.iter().map(|bin| (bin.shortest, bin.longest, bin.games)).collect();
    let expected = [(10, 14, 2), (30, 34, 1), (45, 49, 1), (50, 54, 1), (60, 64, 1), (95, 99, 2)];
    assert_eq!(bins, expected);
}
