//! The static evaluation of a position: the expected result of each seat.

use arrayvec::ArrayVec;
use darkqi_env::{Face, MAX_PLAYERS, Player, Registered};
// The standard library's functions may differ between machines.
use libm::{expf, tanhf};

use super::piece_values::PieceValues;
use super::weights::Weights;

/// A linear evaluation of material, mobility and the generals' safety, mapped to expected results.
///
/// The strength of a seat is the sum of
///
/// - the values of its pieces; a covered piece has its expected value times `covered`;
/// - `mobility` for each square that its pieces could move to;
/// - `pressure` for each of these squares that is on or next to an enemy's general;
/// - `progress` times its progress to a victory by counting;
/// - minus `threat` times the most valuable of its pieces that an enemy could capture, unless it is
///   to move;
/// - `turn` if it is to move.
///
/// The probabilities of seats to win are the softmax of `scale * strength`, as in a logistic
/// regression of results on material. Winners and losers share the rewards of RULES.md 9.24; a team
/// has the mean strength of its members. With two players the expected result is
/// `tanh(scale * d / 2)`, where d is the difference of strengths. All results fade as a draw by
/// counters comes near.
#[derive(Clone, PartialEq, Debug)]
pub struct Evaluation {
    /// By index of kind.
    values: Vec<f32>,
    weights: Weights,
    unknown: f32,
}

/// Expected results by seat.
pub(crate) type SeatValues = [f32; MAX_PLAYERS];

impl Evaluation {
    /// The greatest magnitude of an evaluation. Only certain results lie beyond it.
    pub const MOST: f32 = 0.9;

    /// An evaluation by these values and weights.
    pub fn new<G: Registered>(values: &PieceValues, weights: Weights) -> Self {
        let values: Vec<f32> = values.of::<G>().into_iter().map(|value| value as f32).collect();
        // The median and not the mean, which the value of generals would dominate.
        let mut sorted = values.clone();
        sorted.sort_by(f32::total_cmp);
        let unknown = sorted[sorted.len() / 2];
        Self { values, weights, unknown }
    }

    /// The values and weights that come with the program.
    pub fn built_in<G: Registered>() -> Self {
        Self::new::<G>(&PieceValues::built_in(), Weights::built_in::<G>())
    }

    /// The value of a piece of this kind.
    #[inline]
    pub(crate) fn value(&self, kind: u8) -> f32 {
        self.values[usize::from(kind)]
    }

    /// The value of a piece of which nothing is known: the median of all kinds.
    #[inline]
    pub(crate) const fn unknown(&self) -> f32 {
        self.unknown
    }

    /// The expected result of each seat, in the range of -[`Self::MOST`] to [`Self::MOST`].
    pub fn evaluate<G: Registered>(&self, rules: &G, view: &G::View<'_>) -> SeatValues {
        let weights = &self.weights;
        let players = rules.players();
        let mut strengths = [0.0; MAX_PLAYERS];
        rules.each_piece(view, |token, face, count| {
            let Some(owner) = G::owner(view, token.army) else { return };
            let weight = if face == Face::Up { 1.0 } else { weights.covered };
            strengths[owner] += weight * count * self.value(token.kind);
        });
        let needs_activity = weights.mobility != 0.0 || weights.pressure != 0.0;
        for (player, strength) in strengths.iter_mut().enumerate().take(players) {
            *strength += weights.progress * rules.progress(view, player);
            if needs_activity {
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
            // The same as below, written so that equal strengths give exactly 0.
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

/// Allied seats, which win and lose together.
#[derive(Clone, Copy)]
struct Team {
    first: Player,
    size: f32,
    /// The mean of its members' strengths.
    strength: f32,
}
