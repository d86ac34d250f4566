//! What each piece is worth.
//!
//! A logistic regression of final results on differences of piece counts: the odds of two seats to win are as
//! `exp(sum value * difference)`. Up to so many quiet positions are drawn from each game and weigh one game together;
//! errors are clustered by deal. Draws count as half a win; an ordered logit, which tells draws apart, stands beside.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_env::Kind;
use darkqi_env::Registered;
use darkqi_env::games::{self, Visitor};
use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use serde::Serialize;
use serde_json::Value as Json;

use super::calibration::{Calibration, Quality};
use super::deals::Deals;
use super::distinct::Distinct;
use super::first_reveal::only_agent;
use super::positions::{Column, Position, Sampler, Scratch};
use super::regression::{Fit, Rows, logit, ordered_logit};
use super::row_file::{Block, Kept, RowFile};
use super::{Error, Estimate, Measurement, Result, scores};
use crate::options::options_from_json;
use crate::{Dataset, Metadata};

/// Positions drawn from a game unless asked otherwise.
pub const POSITIONS_PER_GAME: usize = 8;

/// Shards turned into rows before these are written, so that memory does not grow with their number.
const AT_ONCE: usize = 16;

/// As many enemies to be feared as a circle is told for: all soldiers of a side.
const MOST_FEARED: u8 = Kind::COUNTS[Kind::Soldier.index()];

/// One in so many deals is kept from the fit that is judged on it.
const HELD_OUT: u64 = 5;

/// What a dataset says of the pieces' values.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PieceValues {
    /// The game's registry name.
    pub game: String,
    /// All options in force.
    pub options: BTreeMap<String, Json>,
    /// The agent that played all seats.
    pub agent: String,
    /// The dataset's seed.
    pub seed: u64,
    /// The version that played.
    pub software_version: String,
    /// Games with quiet positions.
    pub games: u64,
    /// Their deals, which are the independent observations.
    pub deals: u64,
    /// Positions.
    pub positions: u64,
    /// Games of the dataset that differ in their deal or in an action, as in
    /// [`FirstReveal`](super::FirstReveal::distinct_games).
    pub distinct_games: u64,
    /// The kinds whose mean value is the unit.
    pub unit: Vec<char>,
    /// The value that they are given.
    pub unit_value: f64,
    /// The columns.
    pub terms: Vec<Term>,
    /// Values of kinds that turn into one another: the means of the two.
    pub forms: Vec<Form>,
    /// The value of a kind that has a lower one to fear, by how many of these the enemy has face up.
    pub feared: Option<Feared>,
    /// The probabilities of draws by an ordered logit.
    pub ordered: Option<Ordered>,
    /// How well values fitted to four deals in five foretell the results of the fifth.
    pub held_out: Option<HeldOut>,
}

/// One column of the regression.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Term {
    /// What is counted, a piece letter, with `~` if the piece is covered and moves as such, or words.
    pub name: String,
    /// The piece letter, of face-up pieces.
    pub kind: Option<char>,
    /// Whether it counts pieces, which have values.
    pub is_piece: bool,
    /// What one more adds to the log odds of winning; null where the games do not tell it.
    pub log_odds: Option<Estimate>,
    /// The same in units, with Fieller's interval; null for all where the unit's own log odds are not clearly above 0.
    pub value: Option<Estimate>,
    /// The value by the ordered logit.
    pub ordered_value: Option<Estimate>,
    /// Why there is none.
    pub left_out: Option<String>,
}

/// Two kinds that turn into one another.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Form {
    /// Their letters.
    pub kinds: [char; 2],
    /// The mean of their values.
    pub value: Estimate,
}

/// A kind that has a lower one to fear.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Feared {
    /// Its letter.
    pub kind: char,
    /// The lower one's.
    pub feared: char,
    /// Its value against none of them, one, and so on.
    pub values: Vec<Estimate>,
}

/// What an ordered logit says beyond the values.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Ordered {
    /// The log odds at which a loss turns into a draw, and a draw into a win.
    pub cuts: [Estimate; 2],
}

/// Predictions of games that the values were not fitted to.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HeldOut {
    /// Deals that were predicted.
    pub deals: u64,
    /// How good the predictions were.
    pub quality: Quality,
    /// How good it would have been to predict the mean score each time.
    pub without_values: Quality,
}

impl PieceValues {
    /// Whether so many games repeat others that the intervals are narrower than what the games show.
    pub fn is_repetitive(&self) -> bool {
        (self.distinct_games as f64) < 0.9 * self.games as f64
    }

    /// Whether the unit's own log odds are clearly above 0, so that there are values.
    pub fn is_told(&self) -> bool {
        self.terms.iter().any(|term| term.value.is_some())
    }
}

/// Reads a dataset once, on all threads of rayon's pool; keeps what it drew in a temporary file.
///
/// # Errors
///
/// If `per_game` is 0, the dataset cannot be read, is of several agents, holds a game that cannot have been played or no
/// quiet positions, the temporary file cannot be written, the results do not tell any value, or `stop` becomes true.
pub fn piece_values(dataset: &Dataset, per_game: usize, stop: &AtomicBool) -> Result<PieceValues> {
    struct Analysis<'a>(&'a Dataset, usize, &'a AtomicBool);
    impl Visitor for Analysis<'_> {
        type Output = Result<PieceValues>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            let Self(dataset, per_game, stop) = self;
            let sampler = Sampler::new(rules, per_game);
            let metadata = dataset.metadata();
            let drawn = draw(dataset, &sampler, only_agent(metadata)?, stop)?;
            finish::<G>(metadata, sampler.columns(), &drawn)
        }
    }
    let metadata = dataset.metadata();
    only_agent(metadata)?;
    if per_game == 0 {
        let (what, expected) = ("positions per game", "at least 1");
        return Err(Error::Value { what, expected, found: 0.0 });
    }
    let options = options_from_json(&metadata.options)?;
    games::with(&metadata.game, &options, Analysis(dataset, per_game, stop))?
}

/// What was drawn from a dataset, or from a part of it.
struct Drawn<R> {
    rows: R,
    /// Games that were looked at.
    games: u64,
    /// Those with quiet positions.
    quiet: u64,
    distinct: Distinct,
    deals: Deals,
}

impl<R> Drawn<R> {
    fn new(rows: R) -> Self {
        Self { rows, games: 0, quiet: 0, distinct: Distinct::default(), deals: Deals::default() }
    }
}

/// Draws the rows of a dataset.
fn draw<G: Registered>(
    dataset: &Dataset,
    sampler: &Sampler<G>,
    agent: &str,
    stop: &AtomicBool,
) -> Result<Drawn<RowFile>> {
    let mut all = Drawn::new(RowFile::new(sampler.columns().len())?);
    let shards = dataset.shards().len();
    for first in (0..shards).step_by(AT_ONCE) {
        let parts: Vec<Drawn<Block>> = (first..shards.min(first + AT_ONCE))
            .into_par_iter()
            .map(|shard| draw_shard(dataset, shard, sampler, agent, stop))
            .collect::<Result<_>>()?;
        for part in &parts {
            all.rows.add(&part.rows)?;
            all.games += part.games;
            all.quiet += part.quiet;
            all.distinct.merge(&part.distinct);
            all.deals.merge(&part.deals)?;
        }
    }
    Ok(all)
}

fn draw_shard<G: Registered>(
    dataset: &Dataset,
    shard: usize,
    sampler: &Sampler<G>,
    agent: &str,
    stop: &AtomicBool,
) -> Result<Drawn<Block>> {
    let mut drawn = Drawn::new(Block::default());
    let mut scratch = Scratch::default();
    let mut x = Vec::new();
    let mut deal = None;
    for game in dataset.shard_replays(shard) {
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Stopped);
        }
        let game = game?;
        let fault = |fault| Error::Game { game_id: game.game_id, fault };
        scores::check(&game, sampler.players(), agent).map_err(fault)?;
        if deal.replace(game.pair_id) != Some(game.pair_id) {
            drawn.deals.begin(game.pair_id)?;
        }
        x.clear();
        let (mut positions, mut score) = (0_usize, 0.0);
        sampler
            .sample(&game, &mut scratch, |position: Position<'_>| {
                x.extend_from_slice(position.x);
                score = position.score;
                positions += 1;
            })
            .map_err(fault)?;
        for x in x.chunks_exact(sampler.columns().len()) {
            drawn.rows.push(game.pair_id, score, 1.0 / positions as f32, x);
        }
        drawn.games += 1;
        drawn.distinct.add(&game);
        drawn.quiet += u64::from(positions > 0);
    }
    Ok(drawn)
}

fn finish<G: Registered>(
    metadata: &Metadata,
    columns: &[Column],
    drawn: &Drawn<RowFile>,
) -> Result<PieceValues> {
    let rows = &drawn.rows;
    match drawn.games {
        0 => return Err(Error::NoGames),
        games if drawn.quiet == 0 => return Err(Error::NoPositions { games }),
        _ => {}
    }
    let place = |kind: char| columns.iter().position(|&column| column == Column::Kind(kind));
    let mean = |kinds: &[char], factor: f64| -> Vec<(usize, f64)> {
        let factor = factor / kinds.len() as f64;
        kinds.iter().filter_map(|&kind| Some((place(kind)?, factor))).collect()
    };
    let (unit_kinds, unit_value) = G::UNIT;
    let unit = mean(unit_kinds, 1.0 / unit_value);
    let named = |error| match error {
        Error::Separated { column } => Error::Certain { name: columns[column].to_string() },
        error => error,
    };
    let fit = logit(rows).map_err(named)?;
    // What is not clearly above nothing cannot be a unit.
    let measures = |fit: &Fit| fit.contrast(&unit).is_some_and(|unit| unit.estimate().low > 0.0);
    let in_units = |fit: &Fit, factors: &[(usize, f64)]| {
        measures(fit).then(|| fit.ratio(factors, &unit)).flatten()
    };
    // Results without draws, or with shared wins, have no order of three.
    let ordered = ordered_logit(rows).ok();
    let coefficients = fit.coefficients();
    let terms = columns.iter().enumerate().map(|(column, name)| {
        let is_piece =
            !matches!(name, Column::Turn | Column::First | Column::Constant | Column::Began);
        let value = |fit: &Fit| is_piece.then(|| in_units(fit, &[(column, 1.0)])).flatten();
        Term {
            name: name.to_string(),
            kind: match name {
                Column::Kind(kind) => Some(*kind),
                _ => None,
            },
            is_piece,
            log_odds: coefficients[column].map(Measurement::estimate),
            value: value(&fit),
            ordered_value: ordered.as_ref().and_then(value),
            left_out: fit.why_dropped(column, &|other| columns[other].to_string()),
        }
    });
    Ok(PieceValues {
        game: metadata.game.clone(),
        options: metadata.options.clone(),
        agent: metadata.agents.first().cloned().unwrap_or_default(),
        seed: metadata.seed,
        software_version: metadata.software_version.clone(),
        games: drawn.quiet,
        deals: fit.clusters(),
        positions: fit.rows(),
        distinct_games: drawn.distinct.count().min(drawn.games),
        unit: unit_kinds.to_vec(),
        unit_value,
        terms: terms.collect(),
        forms: G::FORMS
            .iter()
            .filter_map(|kinds| {
                Some(Form { kinds: *kinds, value: in_units(&fit, &mean(kinds, 1.0))? })
            })
            .collect(),
        feared: G::CIRCLE.and_then(|circle| {
            let [kind, feared] = circle;
            let at = place(kind)?;
            let product = columns.iter().position(|&column| column == Column::Feared(circle))?;
            let value = |enemies| in_units(&fit, &[(at, 1.0), (product, f64::from(enemies))]);
            let values = (0..=MOST_FEARED).map(value).collect::<Option<_>>()?;
            Some(Feared { kind, feared, values })
        }),
        ordered: ordered
            .as_ref()
            .and_then(Fit::cuts)
            .map(|cuts| Ordered { cuts: cuts.map(Measurement::estimate) }),
        held_out: held_out(rows)?,
    })
}

/// Whether a deal is kept from the fit that is judged on it.
fn is_held_out(deal: u64) -> bool {
    deal.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32 < (1 << 32) / HELD_OUT
}

/// Fits the other deals and predicts those held out. None where there are too few to fit or to predict.
fn held_out(rows: &RowFile) -> Result<Option<HeldOut>> {
    let Ok(fit) = logit(&Kept { rows, keep: |deal| !is_held_out(deal) }) else { return Ok(None) };
    let mut mean = super::Cell::default();
    for block in 0..rows.blocks() {
        rows.visit(block, &mut |row| {
            if !is_held_out(row.cluster) {
                mean.add(row.y, row.weight);
            }
        })?;
    }
    let mean = mean.sum / mean.weight;
    let (mut quality, mut without_values) = (Calibration::default(), Calibration::default());
    let mut deals = 0;
    for block in 0..rows.blocks() {
        let mut result = Ok(());
        let mut last = None;
        rows.visit(block, &mut |row| {
            if result.is_ok() && is_held_out(row.cluster) {
                deals += u64::from(last.replace(row.cluster) != Some(row.cluster));
                let predicted = fit.expected_score(row.x);
                result = quality
                    .add(row.cluster, predicted, row.y, row.weight)
                    .and_then(|()| without_values.add(row.cluster, mean, row.y, row.weight));
            }
        })?;
        result?;
    }
    let (Some(quality), Some(without_values)) = (quality.finish(), without_values.finish()) else {
        return Ok(None);
    };
    Ok(Some(HeldOut { deals, quality, without_values }))
}

#[cfg(test)]
mod tests;
