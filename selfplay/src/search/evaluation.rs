//! What a position is worth to each seat, without looking ahead.

// The same on every machine, which the standard library does not promise.
use arrayvec::ArrayVec;
use darkqi_env::{Face, MAX_PLAYERS, Player, Registered};
use libm::{expf, tanhf};

use super::Weights;
use crate::agents::PieceValues;

/// A linear judgement of pieces, mobility and the generals' safety, squeezed into the range of
/// results.
///
/// The strength of a seat is
///
/// - the values of its pieces; a covered piece counts as what it is expected to be, times `covered`;
/// - `mobility` for each square that its pieces could go to;
/// - `pressure` for each of these that is on or next to an enemy's general;
/// - `progress` times its way to a victory by counting;
/// - less `threat` times the most valuable of its pieces that an enemy could take, unless it has the
///   move;
/// - `turn` if it has the move.
///
/// The odds of two seats to win are as `exp(scale * strength)`, as in a logistic regression of
/// results on pieces; what the winner gets and the losers pay is that of RULES.md 9.24, teams by
/// the mean of their members. With two players that makes `tanh(scale * d / 2)`, d being the
/// difference of strengths. All results fade as a draw by counters comes near.
#[derive(Clone, PartialEq, Debug)]
pub struct Evaluation {
    /// By index of kind.
    values: Vec<f32>,
    weights: Weights,
    unknown: f32,
}

/// Expected results by seat.
pub(super) type Results = [f32; MAX_PLAYERS];

impl Evaluation {
    /// No judgement goes farther than this from 0; results that are certain do.
    pub const MOST: f32 = 0.9;

    /// Judges by these values and weights.
    pub fn new<G: Registered>(values: &PieceValues, weights: Weights) -> Self {
        let values: Vec<f32> = values.of::<G>().into_iter().map(|value| value as f32).collect();
        // A general outweighs all and would make every unknown piece one.
        let mut sorted = values.clone();
        sorted.sort_by(f32::total_cmp);
        let unknown = sorted[sorted.len() / 2];
        Self { values, weights, unknown }
    }

    /// The values and weights that come with the program.
    pub fn built_in<G: Registered>() -> Self {
        Self::new::<G>(&PieceValues::built_in(), Weights::built_in::<G>())
    }

    /// What a piece of this kind is worth.
    #[inline]
    pub(super) fn value(&self, kind: u8) -> f32 {
        self.values[usize::from(kind)]
    }

    /// What a piece of which nothing is known may be worth: the median of all kinds.
    #[inline]
    pub(super) const fn unknown(&self) -> f32 {
        self.unknown
    }

    /// The expected result of each seat, in the range of -[`Self::MOST`] to [`Self::MOST`].
    pub fn results<G: Registered>(&self, rules: &G, view: &G::View<'_>) -> Results {
        let weights = &self.weights;
        let players = rules.players();
        let mut strengths = [0.0; MAX_PLAYERS];
        rules.each_piece(view, |token, face, count| {
            let Some(owner) = G::owner(view, token.army) else { return };
            let weight = if face == Face::Up { 1.0 } else { weights.covered };
            strengths[owner] += weight * count * self.value(token.kind);
        });
        let weighs_activity = weights.mobility != 0.0 || weights.pressure != 0.0;
        for (player, strength) in strengths.iter_mut().enumerate().take(players) {
            *strength += weights.progress * rules.progress(view, player);
            if weighs_activity {
                let activity = rules.activity(view, player);
                *strength += weights.mobility * activity.mobility as f32
                    + weights.pressure * activity.pressure as f32;
            }
        }
        let mover = G::view_to_move(view);
        strengths[mover] += weights.turn;
        if weights.threat != 0.0 {
            let mut most = [0.0_f32; MAX_PLAYERS];
            rules.each_threatened(view, |piece| {
                if let Some(owner) = G::owner(view, piece.army).filter(|&owner| owner != mover) {
                    most[owner] = most[owner].max(self.value(piece.kind));
                }
            });
            for (strength, most) in strengths.iter_mut().zip(most) {
                *strength -= weights.threat * most;
            }
        }
        let fading = Self::MOST * (1.0 - weights.staleness * rules.staleness(view));
        let mut results = [0.0; MAX_PLAYERS];
        if players == 2 {
            // The general case, written so that equal strengths give exactly 0.
            results[0] = fading * tanhf(weights.scale * (strengths[0] - strengths[1]) / 2.0);
            results[1] = -results[0];
            return results;
        }
        let is_first_of_team = |&seat: &Player| !(0..seat).any(|other| rules.allied(seat, other));
        let teams: ArrayVec<Team, MAX_PLAYERS> = (0..players)
            .filter(is_first_of_team)
            .map(|first| {
                let members = || (0..players).filter(|&seat| rules.allied(first, seat));
                let size = members().count() as f32;
                let strength = members().map(|seat| strengths[seat]).sum::<f32>() / size;
                Team { first, size, strength }
            })
            .collect();
        let highest = teams.iter().map(|team| team.strength).fold(f32::NEG_INFINITY, f32::max);
        let odds = |team: &Team| expf(weights.scale * (team.strength - highest));
        let all: f32 = teams.iter().map(odds).sum();
        for team in &teams {
            let wins = odds(team) / all;
            let loses = (1.0 - wins) / (teams.len() - 1) as f32;
            for seat in (0..players).filter(|&seat| rules.allied(team.first, seat)) {
                results[seat] = fading * (wins - loses) / team.size;
            }
        }
        results
    }
}

/// Seats that win and lose together.
#[derive(Clone, Copy)]
struct Team {
    first: Player,
    size: f32,
    /// The mean of its members'.
    strength: f32,
}
