//! The interval holds at the stop in games with known truth, and luck that explains results saves
//! games.

use darkqi_env::{Rng, Stream};
use rand::RngExt as _;

use super::{AdjustedScore, LuckyDeal};
use crate::Estimate;
use crate::first_reveal::luck::{ChanceEvent, GameLuck};
use crate::statistics::ConfidenceSequence;

/// The covered pieces of the two armies by kind: a general, two chariots, five soldiers.
const COVERED: [[u32; 3]; 2] = [[1, 2, 5]; 2];

/// How many of them come up in a game.
const DRAWS: usize = 8;

/// The value of own pieces to the player who makes the first reveal, by event and kind.
const WORTH: [f64; 9] = [0.4, 0.25, -0.1, 0.4, 0.25, -0.1, 0.3, 0.1, 0.0];

/// The most that luck changes the expected result of a game.
const REACH: f64 = 0.4;

/// Games with known truth.
#[derive(Clone, Copy, Debug)]
struct Truth {
    /// The expected score.
    score: f64,
    /// How often a result is a draw or, where one half is not likely enough for that, a win or a loss.
    drawn: f64,
    /// By how much luck decides: 0 not at all, 1 within [`REACH`].
    luck: f64,
    games_per_deal: u32,
}

/// A game in which pieces come up one after another, each of those left with the same probability.
fn draw(rng: &mut Rng) -> GameLuck {
    let mut left: Vec<(usize, usize)> = (0..COVERED.len())
        .flat_map(|army| {
            (0..3).flat_map(move |kind| (0..COVERED[army][kind]).map(move |_| (army, kind)))
        })
        .collect();
    let mut next = || left.swap_remove(rng.below(left.len() as u32) as usize);
    let first = next();
    // The first piece assigns its army.
    let signs = if first.0 == 0 { [1, -1] } else { [-1, 1] };
    let mut luck = GameLuck::new(&COVERED.map(Vec::from), &signs, false, true);
    luck.draw(Some(ChanceEvent::First), first);
    for place in 1..DRAWS {
        let event = if place % 3 == 0 { ChanceEvent::Taken } else { ChanceEvent::Later };
        luck.draw(Some(event), next());
    }
    luck
}

impl Truth {
    fn deal(&self, rng: &mut Rng) -> LuckyDeal {
        let mut deal = LuckyDeal::default();
        for _ in 0..self.games_per_deal {
            let luck = draw(rng);
            // Bounded luck has mean 0, and the result stays a probability.
            let wins = self.score + self.luck * luck.bounded_sum(&WORTH, REACH);
            assert!((0.0..=1.0).contains(&wins));
            let mut tossed = |odds: f64| f64::from(u8::from(rng.random::<f64>() < odds));
            // Both ways the expected score is that probability.
            let result = if tossed(self.drawn) > 0.0 {
                0.5 * (tossed(2.0 * wins) + tossed(2.0 * wins - 1.0))
            } else {
                tossed(wins)
            };
            deal.scores.add(result, 1.0);
            deal.luck.push(luck);
        }
        deal
    }
}

const RUNS: u32 = 200;

/// Runs of these games until the interval has this half-width, looked at after every `file` deals: the
/// share of intervals that hold, at the stop, and the mean numbers of deals, luck-adjusted and not.
fn stops(truth: Truth, half_width: f64, file: u64, rng: &mut Rng) -> (f64, [f64; 2]) {
    let is_narrow = |found: Estimate| found.high - found.low <= 2.0 * half_width;
    let (mut held, mut deals) = (0, [0; 2]);
    for _ in 0..RUNS {
        let mut adjusted = AdjustedScore::new(half_width, WORTH.len(), 0.5).expect("it is usable");
        let mut raw = ConfidenceSequence::new(0.05, half_width).expect("it is usable");
        let (mut has_stopped, mut is_raw_wide) = (false, true);
        while !has_stopped || is_raw_wide {
            let deal = truth.deal(rng);
            adjusted.add(&deal).expect("it is a deal");
            if is_raw_wide {
                raw.add(deal.scores.sum / deal.scores.weight).expect("it is in range");
                is_raw_wide = !is_narrow(raw.estimate());
            }
            if !has_stopped
                && adjusted.count().is_multiple_of(file)
                && is_narrow(adjusted.estimate())
            {
                let found = adjusted.estimate();
                held += u32::from(found.low <= truth.score && truth.score <= found.high);
                (has_stopped, deals[0]) = (true, deals[0] + adjusted.count());
            }
        }
        deals[1] += raw.count();
    }
    let mean = |deals: u64| deals as f64 / f64::from(RUNS);
    (f64::from(held) / f64::from(RUNS), deals.map(mean))
}

#[test]
fn simulated_runs_that_stop_at_a_half_width_of_the_adjusted_score_cover() {
    let rng = &mut Rng::new(27, Stream::Sample);
    let truth = |score, drawn, luck, games_per_deal| Truth { score, drawn, luck, games_per_deal };
    for (truth, most) in [
        // Luck decides much of a result, in games of one and of two on a deal.
        (truth(0.55, 0.0, 1.0, 1), 0.95),
        (truth(0.5, 0.8, 1.0, 2), 1.1),
        // Luck decides nothing, so coefficients are noise; far from even, distances are taken from 0.6.
        (truth(0.6, 0.0, 0.0, 1), 1.5),
        (truth(0.97, 0.0, 0.0, 1), 5.0),
        (truth(0.5, 0.95, 0.0, 1), 2.0),
    ] {
        for file in [1, 50] {
            let (held, [adjusted, raw]) = stops(truth, 0.06, file, rng);
            println!(
                "{truth:?}, files of {file}: {held:.3}, {adjusted:.0} deals instead of {raw:.0}"
            );
            assert!(held >= 0.95, "{truth:?}: {held}");
            assert!(adjusted < most * raw + file as f64, "{truth:?}: {adjusted} and {raw}");
        }
    }
}
