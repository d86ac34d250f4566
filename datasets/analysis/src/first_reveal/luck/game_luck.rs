//! The chance events of a game, and what they add up to.

use serde::{Deserialize, Serialize};

/// The chance events that have covariates of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(in crate::first_reveal) enum ChanceEvent {
    /// The first reveal.
    First,
    /// A later one.
    Later,
    /// The capture of a covered piece, or its try.
    Taken,
}

/// The number of kinds of chance events.
pub(super) const CHANCE_EVENTS: usize = 3;

/// The pieces that a game turns over or takes covered, in the order of play, for the player who makes
/// its first reveal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(in crate::first_reveal) struct GameLuck {
    /// The number of kinds.
    kinds: usize,
    /// The covered pieces of the deal, by army and kind.
    covered: Vec<u32>,
    /// By army: 1 for own ones, -1 for others; 0 without a first reveal.
    signs: Vec<i8>,
    /// Whether covered pieces show their army.
    armies_show: bool,
    /// Whether the first piece revealed is one's own by rule, since it assigns the armies.
    first_is_own: bool,
    drawn: Vec<Drawn>,
}

/// A piece that comes to light.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
struct Drawn {
    /// None before the first reveal, when it is unknown whose luck to count.
    event: Option<ChanceEvent>,
    /// Its place among the pieces by army and kind.
    piece: u16,
}

/// The possible outcomes of a chance event, and the outcome.
struct Chance<'a> {
    event: ChanceEvent,
    /// Army and kind of the piece that came up.
    drawn: (usize, usize),
    /// The possible outcomes: army, and the numbers of pieces by kind.
    possible: Vec<(usize, &'a [u32])>,
    /// The number of pieces that could have come up.
    all: u32,
    /// By army.
    signs: &'a [f64],
}

impl GameLuck {
    /// A game whose deal has these covered pieces, by army and kind.
    pub(in crate::first_reveal) fn new(
        covered: &[Vec<u32>],
        signs: &[i8],
        armies_show: bool,
        first_is_own: bool,
    ) -> Self {
        Self {
            kinds: covered.first().map_or(0, Vec::len),
            covered: covered.concat(),
            signs: signs.to_vec(),
            armies_show,
            first_is_own,
            drawn: Vec::new(),
        }
    }

    /// Adds the next piece, which must be among the covered ones.
    pub(in crate::first_reveal) fn draw(
        &mut self,
        event: Option<ChanceEvent>,
        (army, kind): (usize, usize),
    ) {
        let piece = (army * self.kinds + kind) as u16;
        self.drawn.push(Drawn { event, piece });
    }

    /// The covariates, one for each chance event and kind: the number of pieces minus its expectation.
    /// Pieces of the enemy count negatively.
    pub(in crate::first_reveal) fn covariates(&self, out: &mut [f64]) {
        out.fill(0.0);
        self.each(|chance| {
            let out = &mut out[chance.event as usize * self.kinds..][..self.kinds];
            for (army, counts) in &chance.possible {
                for (out, &count) in out.iter_mut().zip(*counts) {
                    *out -= chance.signs[*army] * f64::from(count) / f64::from(chance.all);
                }
            }
            let (army, kind) = chance.drawn;
            out[kind] += chance.signs[army];
        });
    }

    /// The covariates times these coefficients, added up event by event. Each event counts with the
    /// greatest factor up to 1 with which none of its outcomes takes the sum further than `bound`
    /// from 0.
    ///
    /// That factor follows from what was seen before the event, so the sum has mean 0 as the covariates
    /// have (a martingale transform: Williams, "Probability with Martingales", 10.7). It is at most
    /// `bound`, but for rounding, whatever the coefficients are.
    pub(in crate::first_reveal) fn bounded_sum(&self, coefficients: &[f64], bound: f64) -> f64 {
        let mut sum = 0.0;
        self.each(|chance| {
            let own = &coefficients[chance.event as usize * self.kinds..][..self.kinds];
            let worth = |army: usize, kind: usize| chance.signs[army] * own[kind];
            let (mut total, mut least, mut most) = (0.0, f64::INFINITY, f64::NEG_INFINITY);
            for &(army, counts) in &chance.possible {
                for (kind, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
                    let worth = worth(army, kind);
                    total += worth * f64::from(count);
                    (least, most) = (least.min(worth), most.max(worth));
                }
            }
            let mean = total / f64::from(chance.all);
            // By rounding they may be on the wrong side of 0.
            let [below, above] = [mean - least, most - mean].map(|reach| reach.max(0.0));
            let factor = ((bound - sum) / above).min((bound + sum) / below).min(1.0);
            let (army, kind) = chance.drawn;
            // Where nothing can be won or lost, the factor may be 0 / 0, which `min` leaves out.
            sum += factor.max(0.0) * (worth(army, kind) - mean);
        });
        sum
    }

    /// Calls `visit` for each chance event, in the order of play.
    fn each(&self, mut visit: impl FnMut(&Chance<'_>)) {
        let signs: Vec<f64> = self.signs.iter().map(|&sign| f64::from(sign)).collect();
        let ones = vec![1.0; signs.len()];
        let mut covered = self.covered.clone();
        for &Drawn { event, piece } in &self.drawn {
            let drawn = (usize::from(piece) / self.kinds, usize::from(piece) % self.kinds);
            if let Some(event) = event {
                // The armies that it could have belonged to, given what was visible.
                let armies =
                    if self.armies_show { drawn.0..drawn.0 + 1 } else { 0..self.signs.len() };
                let counts = |army: usize| &covered[army * self.kinds..][..self.kinds];
                let possible: Vec<_> = armies.map(|army| (army, counts(army))).collect();
                let all = possible.iter().flat_map(|(_, counts)| *counts).sum();
                let is_own = event == ChanceEvent::First && self.first_is_own;
                let signs = if is_own { &ones } else { &signs };
                visit(&Chance { event, drawn, possible, all, signs });
            }
            covered[usize::from(piece)] -= 1;
        }
    }
}
