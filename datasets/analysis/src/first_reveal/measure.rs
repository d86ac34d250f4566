//! Measures what the first reveal is worth in a dataset.

use std::sync::atomic::AtomicBool;

use super::counts::Counts;
use super::luck::RevealJudge;
use super::results::{
    DEALS_PER_COVARIATE, Effect, Effects, FirstRevealValue, Heterogeneity, Outcomes, Revealer,
};
use super::rules::RuleFacts;
use super::tally::{Reading, Tally};
use crate::games::{Clusters, cluster_name, only_agent};
use crate::statistics::{Adjusted, ClusteredSums, holm, shrink};
use crate::{Error, Estimate, Evidence, Measurement, Result};
use darkqi_format::{Dataset, Metadata, Openings};

/// Reads a dataset once, on all threads of the caller's rayon pool
/// ([`with_threads`](darkqi_format::with_threads)) and in constant memory.
///
/// # Errors
/// If the dataset cannot be read, has several agents, no games, or a game that contradicts the
/// rules, or `stop` becomes true.
pub fn first_reveal(dataset: &Dataset, stop: &AtomicBool) -> Result<FirstRevealValue> {
    first_reveal_judged(dataset, None, stop)
}

/// As [`first_reveal`], with a luck-adjusted score that uses what a judge says of reveals.
///
/// # Errors
/// As [`first_reveal`], and those of the judge.
pub fn first_reveal_judged(
    dataset: &Dataset,
    judge: Option<&dyn RevealJudge>,
    stop: &AtomicBool,
) -> Result<FirstRevealValue> {
    let metadata = dataset.metadata();
    let agent = only_agent(metadata)?;
    let facts = &RuleFacts::of(metadata)?;
    let clusters = &Clusters::of(dataset)?;
    let tally = Tally::of(&Reading { dataset, facts, agent, clusters, judge, stop })?;
    value_of(metadata, clusters.openings(), facts, &tally)
}

/// The results of the tally of all games.
pub(super) fn value_of(
    metadata: &Metadata,
    openings: &Openings,
    facts: &RuleFacts,
    tally: &Tally,
) -> Result<FirstRevealValue> {
    let first_mover = outcomes(&tally.first_mover, facts).ok_or(Error::NoGames)?;
    let revealer = match outcomes(&tally.revealer, facts) {
        Some(outcomes) => Some(Revealer {
            design_effect: (facts.seats() == 2).then(|| design_effect(&tally.revealer)).flatten(),
            outcomes,
            adjusted: tally.luck.finish().filter(has_enough_deals),
            without_reveal: tally.without_reveal,
            moved_first: overall(&tally.moved_first).ok_or(Error::NoGames)?,
            kinds: effects(&tally.kinds, &facts.kind_names())?,
            squares: effects(&tally.squares, &facts.class_names())?,
        }),
        None => None,
    };
    let (deals, clusters) = (tally.beginnings.deals(), tally.clusters());
    let effective_deals = tally.beginnings.effective();
    let evidence = Evidence {
        clusters: (clusters < deals).then_some((clusters, cluster_name(openings))),
        ..Evidence::of("deal", deals, Some(effective_deals))
    };
    Ok(FirstRevealValue {
        game: metadata.game.clone(),
        options: metadata.options.clone(),
        agent: metadata.agents.first().cloned().unwrap_or_default(),
        seed: metadata.seed,
        software_version: metadata.software_version.clone(),
        games: tally.games(),
        distinct_games: tally.distinct.count().min(tally.games()),
        deals,
        clusters,
        effective_deals,
        openings: (!openings.is_plain()).then(|| openings.clone()),
        revealer,
        first_mover,
        even: facts.even_share(),
        decisive: overall(&tally.decisive).ok_or(Error::NoGames)?,
        plies: tally.lengths().ok_or(Error::NoGames)?,
        endings: tally.endings.clone(),
        cut_off: tally.cut_off.clone(),
        warnings: evidence.judge().warnings,
        settled: None,
        settled_adjusted: None,
    })
}

/// The design effect (Kish, "Survey Sampling", 1965): the variance of the clustered score over that
/// of independent games; None without variance.
fn design_effect(counts: &Counts) -> Option<f64> {
    let means = counts.scores.finish();
    let error = means.mean(means.overall())?.error;
    let games = (counts.wins + counts.draws + counts.losses) as f64;
    let (won, drawn) = (counts.wins as f64 / games, counts.draws as f64 / games);
    let variance = won + drawn / 4.0 - (won + drawn / 2.0).powi(2);
    let effect = error * error / (variance / (games - 1.0));
    effect.is_finite().then_some(effect)
}

/// The overall mean of proportions; None without games.
fn overall(means: &ClusteredSums) -> Option<Estimate> {
    let means = means.finish();
    means.score(means.overall())
}

fn outcomes(counts: &Counts, facts: &RuleFacts) -> Option<Outcomes> {
    let score = overall(&counts.scores)?;
    Some(Outcomes {
        wins: counts.wins,
        draws: counts.draws,
        losses: counts.losses,
        cut_off: counts.cut_off,
        score,
        elo: (facts.seats() == 2).then(|| score.elo()),
    })
}

/// Whether there are enough deals for the covariates.
fn has_enough_deals(adjusted: &Adjusted) -> bool {
    adjusted.clusters >= DEALS_PER_COVARIATE * adjusted.covariates as u64
}

fn effects(means: &ClusteredSums, names: &[String]) -> Result<Effects> {
    let means = means.finish();
    let mut groups = Vec::new();
    let mut measured = Vec::new();
    for (group, name) in names.iter().enumerate() {
        let (Some(score), Some(effect)) = (means.score(group), means.effect(group)) else {
            continue;
        };
        let (Some(p_value), Some(mean)) = (means.p_value(group), means.mean_under_null(group))
        else {
            continue;
        };
        // Without any variation there is no error to weight the group by.
        if mean.error > 0.0 && mean.error.is_finite() {
            measured.push((groups.len(), mean));
        }
        groups.push(Effect {
            name: name.clone(),
            games: means.weight(group) as u64,
            score,
            effect,
            p_value,
            p_holm: 1.0,
            shrunk: None,
        });
    }
    let p_values: Vec<f64> = groups.iter().map(|group| group.p_value).collect();
    for (group, p_holm) in groups.iter_mut().zip(holm(&p_values)?) {
        group.p_holm = p_holm;
    }
    let (places, measured): (Vec<usize>, Vec<Measurement>) = measured.into_iter().unzip();
    let spread = shrink(&measured).ok().map(|shrinkage| {
        for (&group, shrunk) in places.iter().zip(&shrinkage.shrunk) {
            // The model is normal, and scores end at 0 and 1.
            let (low, high) = (shrunk.low.max(0.0), shrunk.high.min(1.0));
            groups[group].shrunk = Some(Estimate { low, high, ..*shrunk });
        }
        Heterogeneity { deviation: shrinkage.tau, p_value: shrinkage.p_value }
    });
    Ok(Effects { groups, spread })
}

#[cfg(test)]
mod tests;
