//! The static evaluation of a position: the expected result of each seat.

use std::sync::Arc;

use arrayvec::ArrayVec;
use darkqi_env::{
    Player, Registered,
    game::{Face, Fall, MAX_PLAYERS},
};
// The standard library's functions may differ between machines.
use libm::{expf, logf, tanhf};

use super::piece_values::PieceValues;
use super::sharing::team_size;
use super::value_net::{Accumulator, ValueNet};
use super::weights::Weights;
use crate::tables::{TableValue, Tables};

/// A linear evaluation of material, mobility and the generals' safety, mapped to expected results.
///
/// The strength of a seat is the sum of
///
/// - the values of its pieces; a covered piece has its expected value times `covered`;
/// - `mobility` for each square that its pieces could move to;
/// - `pressure` for each of these squares that is on or next to an enemy's general;
/// - `progress` times its progress to a victory by counting;
/// - minus `threat` and `second` times the two most valuable pieces of each of its armies that others could
///   capture before its next turn, or, if one or two such captures bring the army down, minus the fraction
///   `fall` or `brink` of all this;
/// - `turn` if it is to move.
///
/// The probabilities of seats to win are the softmax of `scale * strength`, as in a logistic
/// regression of results on material. Winners and losers share the rewards of RULES.md 9.24; a team
/// has the mean strength of its members. With two players the expected result is
/// `tanh(scale * d / 2)`, where d is the difference of strengths. A [`ValueNet`] adds to half the log
/// odds that the viewer's team wins; with two players these are `scale * d / 2`. All results fade as a
/// draw by counters comes near.
#[derive(Clone, PartialEq, Debug)]
pub struct Evaluation {
    /// By index of kind.
    values: Vec<f32>,
    weights: Weights,
    unknown: f32,
    net: Option<Arc<ValueNet>>,
    tables: Option<Arc<Tables>>,
}

/// By how many squares more than its opponent a mover is assumed to reach at most.
const IDLE_SQUARES: f32 = 25.0;

/// Weights for squares on or next to the enemy's general.
const IDLE_PRESSURE: f32 = 3.0;

/// The evaluation of a game of two for its mover.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Duel {
    /// The mover's strength less the other's.
    pub(crate) lead: f32,
    /// The mover's expected result.
    pub(crate) value: f32,
}

/// The linear evaluation of a seat: its expected result, with `output` of a value net, is
/// `fading * (teams - 2 + teams * tanh(logit + output)) / (2 * teams - 2)`.
#[derive(Clone, Copy, Debug)]
pub struct Prior {
    /// Half the log odds that the seat's team wins.
    pub logit: f32,
    /// The seat's share of a victory, and the part of it that is left as a draw by counters comes near.
    pub fading: f32,
    /// Number of teams; a seat without allies is one.
    pub(crate) teams: usize,
}

impl Prior {
    /// The expected result before it fades.
    pub fn result(&self) -> f32 {
        let teams = self.teams as f32;
        (teams - 2.0 + teams * tanhf(self.logit)) / (2.0 * teams - 2.0)
    }
}

/// Expected results by seat.
pub(crate) type SeatValues = [f32; MAX_PLAYERS];

impl Evaluation {
    /// The greatest magnitude of an evaluation. Only certain results lie beyond it.
    pub const MOST: f32 = 0.9;

    /// An evaluation by these values and weights.
    ///
    /// It keeps them in the unit of the built-in values, in which searches have their thresholds: ten times
    /// the values, with weights to match, play the same.
    pub fn new<G: Registered>(values: &PieceValues, weights: Weights) -> Self {
        let (built_in, values) = (PieceValues::built_in().of::<G>(), values.of::<G>());
        let sum = |values: &[f64]| -> f64 {
            let kinds = G::KINDS.iter().zip(values);
            kinds.filter(|(kind, _)| G::UNIT.0.contains(kind)).map(|(_, value)| value).sum()
        };
        // Of these kinds, as where values are fitted: the value of a general would dominate all others.
        let unit = Some(sum(&values) / sum(&built_in));
        let unit = unit.filter(|unit| unit.is_finite() && *unit > 0.0).unwrap_or(1.0);
        let values: Vec<f32> = values.iter().map(|value| (value / unit) as f32).collect();
        let weights = weights.in_unit(unit as f32);
        // The median and not the mean, which the value of generals would dominate.
        let mut sorted = values.clone();
        sorted.sort_by(f32::total_cmp);
        let unknown = sorted[sorted.len() / 2];
        Self { values, weights, unknown, net: None, tables: None }
    }

    /// The values and weights that come with the program.
    pub fn built_in<G: Registered>() -> Self {
        Self::new::<G>(&PieceValues::built_in(), Weights::built_in(G::NAME))
    }

    /// The evaluation corrected by a net for its game.
    #[must_use]
    pub fn with_net(self, net: Option<Arc<ValueNet>>) -> Self {
        Self { net, ..self }
    }

    /// The evaluation with endgame tables for the rules that it is used with.
    #[must_use]
    pub fn with_tables(self, tables: Option<Arc<Tables>>) -> Self {
        Self { tables, ..self }
    }

    /// The certain result of a game that is not over, if endgame tables have it.
    #[inline]
    pub(crate) fn solved<G: Registered>(
        &self,
        rules: &G,
        view: &G::View<'_>,
    ) -> Option<TableValue> {
        self.tables.as_ref()?.probe(rules, view)
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

    /// The strengths of all seats, with what armies may lose and with the net, but without what pieces can
    /// do, which takes longest to find out. `viewer` is the seat whose view it is.
    fn material<G: Registered>(
        &self,
        rules: &G,
        view: &G::View<'_>,
        viewer: Player,
        accumulator: &mut Accumulator,
    ) -> SeatValues {
        let weights = &self.weights;
        let mut strengths = [0.0; MAX_PLAYERS];
        rules.each_piece(view, |piece, face, count| {
            let Some(owner) = G::owner(view, piece.army) else { return };
            let weight = if face == Face::Up { 1.0 } else { weights.covered };
            strengths[owner] += weight * count * self.value(piece.kind);
        });
        for (player, strength) in strengths.iter_mut().enumerate().take(rules.players()) {
            *strength += weights.progress * rules.progress(view, player);
        }
        strengths[G::view_to_move(view)] += weights.turn;
        if weights.has_threats() {
            // A share of an army is taken, and none of what the net says.
            self.take_perils(rules, view, &mut strengths);
        }
        if let Some(net) = &self.net {
            // A team has the mean of its members' strengths.
            let size = team_size(rules, viewer);
            strengths[viewer] += size * net.logit(rules, view, accumulator) * 2.0 / weights.scale;
        }
        strengths
    }

    /// Adds what pieces can do.
    fn add_activity<G: Registered>(
        &self,
        rules: &G,
        view: &G::View<'_>,
        strengths: &mut SeatValues,
    ) {
        let weights = &self.weights;
        if weights.mobility != 0.0 || weights.pressure != 0.0 {
            for (player, strength) in strengths.iter_mut().enumerate().take(rules.players()) {
                let activity = rules.activity(view, player);
                *strength += weights.mobility * activity.mobility as f32
                    + weights.pressure * activity.pressure as f32;
            }
        }
    }

    /// Takes away what armies may lose before their next turns.
    fn take_perils<G: Registered>(
        &self,
        rules: &G,
        view: &G::View<'_>,
        strengths: &mut SeatValues,
    ) {
        let weights = &self.weights;
        let [mut whole, mut falling, mut lost] = [[0.0_f32; MAX_PLAYERS]; 3];
        rules.each_peril(
            view,
            |kind| self.value(kind),
            |peril| {
                let Some(owner) = G::owner(view, peril.army) else { return };
                let [most, second] = peril.highest;
                whole[owner] += peril.whole;
                match peril.fall {
                    Fall::Next => falling[owner] += weights.fall * peril.whole,
                    Fall::Near => falling[owner] += weights.brink * peril.whole,
                    Fall::Distant => lost[owner] += weights.threat * most + weights.second * second,
                }
            },
        );
        for (seat, strength) in strengths.iter_mut().enumerate() {
            if falling[seat] > 0.0 {
                *strength -= *strength * falling[seat] / whole[seat];
            }
            *strength -= lost[seat];
        }
    }

    /// The part of a result that is left as a draw by counters comes near.
    fn fading<G: Registered>(&self, rules: &G, view: &G::View<'_>) -> f32 {
        Self::MOST * (1.0 - self.weights.staleness * rules.staleness(view))
    }

    /// The expected result of the mover of a game of two, for a search with this window.
    ///
    /// If material alone is so far outside the window that activity would hardly bring it back, the
    /// result is a bound by material and [`IDLE_SQUARES`] (lazy evaluation). The accumulator is one
    /// that only this evaluation uses.
    #[inline]
    pub(crate) fn duel<G: Registered>(
        &self,
        rules: &G,
        view: &G::View<'_>,
        viewer: Player,
        [alpha, beta]: [f32; 2],
        accumulator: &mut Accumulator,
    ) -> Duel {
        let mover = G::view_to_move(view);
        let lead = |strengths: &SeatValues| strengths[mover] - strengths[1 - mover];
        let mut strengths = self.material(rules, view, viewer, accumulator);
        let fading = self.fading(rules, view);
        let duel = |lead| Duel { lead, value: fading * self.result_of_lead(lead) };
        let weights = &self.weights;
        let swing = weights.mobility * IDLE_SQUARES + weights.pressure * IDLE_PRESSURE;
        if !weights.has_threats() {
            let least = duel(lead(&strengths) - swing);
            if least.value >= beta {
                return least;
            }
            let most = duel(lead(&strengths) + swing);
            if most.value <= alpha {
                return most;
            }
        }
        self.add_activity(rules, view, &mut strengths);
        duel(lead(&strengths))
    }

    /// The result that is expected of a lead in strength where no draw by counters comes near.
    #[inline]
    fn result_of_lead(&self, lead: f32) -> f32 {
        tanhf(self.weights.scale * lead / 2.0)
    }

    /// The least result that is expected of a lead in strength, in a position where `duel` was found.
    #[inline]
    pub(crate) fn least_result_of_lead<G: Registered>(
        &self,
        rules: &G,
        view: &G::View<'_>,
        lead: f32,
    ) -> f32 {
        self.fading(rules, view) * self.result_of_lead(lead)
    }

    /// The greatest result that is expected of a lead in strength after a capture, in a position where
    /// `duel` was found. The capture sets back the counters by which results fade; as long as these are low,
    /// that hardly matters.
    #[inline]
    pub(crate) fn greatest_result_of_lead<G: Registered>(
        &self,
        rules: &G,
        view: &G::View<'_>,
        lead: f32,
    ) -> f32 {
        /// The staleness from which it matters.
        const LATE: f32 = 0.5;
        let result = self.result_of_lead(lead);
        if result > 0.0 && rules.staleness(view) >= LATE {
            Self::MOST * result
        } else {
            self.fading(rules, view) * result
        }
    }

    /// The linear evaluation of a seat, in its view.
    pub fn prior<G: Registered>(&self, rules: &G, view: &G::View<'_>, viewer: Player) -> Prior {
        let scale = self.weights.scale;
        let mut strengths = self.material(rules, view, viewer, &mut Accumulator::new());
        self.add_activity(rules, view, &mut strengths);
        let fading = self.fading(rules, view);
        if rules.players() == 2 {
            let lead = strengths[viewer] - strengths[1 - viewer];
            return Prior { logit: scale * lead / 2.0, fading, teams: 2 };
        }
        let teams = teams(rules, &strengths);
        let is_own = |team: &&Team| rules.allied(team.first, viewer);
        let own = teams.iter().find(is_own).expect("every seat has a team");
        let odds = |team: &Team| expf(scale * (team.strength - own.strength));
        let against: f32 = teams.iter().filter(|team| !is_own(team)).map(odds).sum();
        Prior { logit: -logf(against) / 2.0, fading: fading / own.size, teams: teams.len() }
    }

    /// The expected result of each seat, in the range of -[`Self::MOST`] to [`Self::MOST`], in the view
    /// of a seat.
    pub fn evaluate<G: Registered>(
        &self,
        rules: &G,
        view: &G::View<'_>,
        viewer: Player,
    ) -> SeatValues {
        self.evaluate_next(rules, view, viewer, &mut Accumulator::new())
    }

    /// As [`Evaluation::evaluate`], with an accumulator that only this evaluation uses.
    pub(crate) fn evaluate_next<G: Registered>(
        &self,
        rules: &G,
        view: &G::View<'_>,
        viewer: Player,
        accumulator: &mut Accumulator,
    ) -> SeatValues {
        let weights = &self.weights;
        let players = rules.players();
        let mut strengths = self.material(rules, view, viewer, accumulator);
        self.add_activity(rules, view, &mut strengths);
        let fading = self.fading(rules, view);
        let mut results = [0.0; MAX_PLAYERS];
        if players == 2 {
            // The same as below, written so that equal strengths give exactly 0.
            results[0] = fading * tanhf(weights.scale * (strengths[0] - strengths[1]) / 2.0);
            results[1] = -results[0];
            return results;
        }
        let teams = teams(rules, &strengths);
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

/// The teams of a game by these strengths of seats.
fn teams<G: Registered>(rules: &G, strengths: &SeatValues) -> ArrayVec<Team, MAX_PLAYERS> {
    let players = rules.players();
    let is_first_of_team = |&seat: &Player| !(0..seat).any(|other| rules.allied(seat, other));
    (0..players)
        .filter(is_first_of_team)
        .map(|first| {
            let size = team_size(rules, first);
            let members = (0..players).filter(|&seat| rules.allied(first, seat));
            let strength = members.map(|seat| strengths[seat]).sum::<f32>() / size;
            Team { first, size, strength }
        })
        .collect()
}
