//! How the answers depend on the rules.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use darkqi_datasets::analysis::{
    Comparison, Difference, Estimate, FirstRevealValue, Quantity, first_reveal,
};
use darkqi_datasets::{Dataset, with_threads};
use darkqi_env::{Spec, Value};
use serde::Serialize;

use super::error::Error;
use super::folder::{Study, check_agents, folder_name};
use super::strength::best_score;
use crate::agents::AgentSpec;
use crate::arena::Results;
use crate::reporting::{Progress, Score};

/// The name of a variation of the pieces that are taken off, instead of an option.
const REMOVE: &str = "remove";

/// The value of [`REMOVE`] with which all pieces stay.
const NOTHING: &str = "none";

/// The most option sets: each is a run of its own.
const MAX_SETS: usize = 500;

/// The level of tests.
const SIGNIFICANT: f64 = 0.05;

/// An option and the values that it takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variation {
    /// The option, or `remove` for handicaps.
    pub option: String,
    /// Its values as text, at least one. Those of `remove` are names of pieces joined by `+`, or
    /// `none`.
    pub values: Vec<String>,
}

/// A study of all combinations of values of some options.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// What its runs have in common.
    pub study: Study,
    /// What is varied, the last most quickly.
    pub vary: Vec<Variation>,
    /// The agents, from the weakest to the strongest, each against itself. With several, each also
    /// plays the one before it, under each option set.
    pub agents: Vec<AgentSpec>,
}

/// What a sweep found. The keys of the JSON are the names of the fields.
#[derive(Clone, Debug, Serialize)]
pub struct SweepResults {
    /// The figures of each agent, in the order given.
    pub agents: Vec<AgentSweep>,
    /// Matches of each agent against the one before it, under each option set.
    pub skill: Vec<Skill>,
}

/// The figures of an agent against itself under all option sets.
#[derive(Clone, Debug, Serialize)]
pub struct AgentSweep {
    /// The agent.
    pub agent: String,
    /// The option sets, in the order of the variations.
    pub sets: Vec<OptionSet>,
    /// The place of the fairest set: its score is nearest to the even one. None with teams, where no
    /// score is even.
    pub fairest: Option<usize>,
    /// The sets that are not significantly less fair than the fairest (5 %, Holm over all pairs), that
    /// set included.
    pub as_fair: Vec<usize>,
    /// The differences in unfairness, `|score - even|`, between every two sets.
    pub unfairness: Vec<Difference>,
    /// The differences between every two sets in each quantity.
    pub differences: BTreeMap<Quantity, Vec<Difference>>,
}

/// The figures of an option set.
#[derive(Clone, Debug, Serialize)]
pub struct OptionSet {
    /// What is varied, as in `cannon=jump, quiet_limit=40`.
    pub label: String,
    /// The folder of its dataset.
    pub path: String,
    /// The score of the first revealer or, without covered pieces, mover: the luck-adjusted one where
    /// it is narrower.
    pub score: Estimate,
    /// The means over games, by [`Quantity`]; null where no game has a value.
    pub means: BTreeMap<Quantity, Option<Estimate>>,
    /// Games by the reason of their end.
    pub endings: BTreeMap<String, u64>,
    /// Whether no other set is at least as fair, as decisive and as short, and better in one of these.
    pub is_on_front: bool,
    /// What the first reveal is worth, and all that is measured with it.
    pub first_reveal: FirstRevealValue,
}

/// The score of an agent against the weaker one before it.
#[derive(Clone, Debug, Serialize)]
pub struct Skill {
    /// The label of the option set.
    pub set: String,
    /// The stronger agent.
    pub agent: String,
    /// The weaker one.
    pub opponent: String,
    /// Its score; null without games.
    pub score: Option<Score>,
    /// The Elo difference of that score.
    pub elo: Option<Estimate>,
}

/// A set of options that is played.
struct Played {
    label: String,
    study: Study,
}

/// Plays the games of a sweep, or what is left of them, and measures them.
///
/// # Errors
/// If options, agents or numbers cannot be used (nothing is played then), a run or match cannot be
/// played or measured; [`Error::Stopped`] when `stop` becomes true. What was played stays.
pub fn sweep(
    config: &Sweep,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<SweepResults, Error> {
    check_agents(&config.agents, 1)?;
    let sets = option_sets(config)?;
    let mut agents = Vec::with_capacity(config.agents.len());
    for agent in &config.agents {
        let text = agent.to_string();
        let mut datasets = Vec::with_capacity(sets.len());
        for set in &sets {
            let name = format!("{}/{}", folder_name(&text), folder_name(&set.label));
            datasets.push(set.study.run(&name, agent, progress, stop)?);
        }
        let labels: Vec<&str> = sets.iter().map(|set| set.label.as_str()).collect();
        let threads = Some(config.study.threads.get());
        agents.push(with_threads(threads, || measure(&text, &labels, &datasets, stop))??);
    }
    let mut skill = Vec::new();
    for two in config.agents.windows(2) {
        for set in &sets {
            let [weaker, stronger] = [&two[0], &two[1]];
            let name = format!("{} {}", set.label, stronger);
            let both = vec![stronger.clone(), weaker.clone()];
            let found = set.study.match_of(&folder_name(&name), both, progress, stop)?;
            skill.push(skill_of(&set.label, found));
        }
    }
    Ok(SweepResults { agents, skill })
}

fn skill_of(set: &str, found: Results) -> Skill {
    let pair = found.pairs.into_iter().next().expect("two agents are a pair");
    Skill {
        set: set.to_owned(),
        agent: pair.first,
        opponent: pair.second,
        score: pair.score,
        elo: pair.elo,
    }
}

/// All combinations of the values, with their studies. Options and agents are tried.
fn option_sets(config: &Sweep) -> Result<Vec<Played>, Error> {
    let refuse =
        |expected: String, found: String| Err(Error::Config { field: "vary", expected, found });
    let mut sets = vec![Played { label: String::new(), study: config.study.clone() }];
    for (place, Variation { option, values }) in config.vary.iter().enumerate() {
        if config.vary[..place].iter().any(|other| other.option == *option) {
            return refuse("different options".to_owned(), format!("`{option}` twice"));
        }
        for (place, value) in values.iter().enumerate() {
            if value.is_empty() || values[..place].contains(value) {
                let expected = format!("different values of {option}");
                return refuse(expected, format!("`{}`", values.join(",")));
            }
        }
        let more = |set: &Played| -> Vec<Played> {
            values.iter().map(|value| with(set, option, value)).collect()
        };
        sets = sets.iter().flat_map(more).collect();
        if sets.len() > MAX_SETS {
            return refuse(format!("at most {MAX_SETS} option sets"), "more".to_owned());
        }
    }
    if config.vary.is_empty() || config.vary.iter().any(|one| one.values.is_empty()) {
        return refuse("OPTION=VALUE,VALUE".to_owned(), "nothing to vary".to_owned());
    }
    for set in &sets {
        Spec::new(&set.study.game, &set.study.options).map_err(crate::Error::from)?;
    }
    Ok(sets)
}

/// A set with one more value.
fn with(set: &Played, option: &str, value: &str) -> Played {
    let mut study = set.study.clone();
    match option {
        REMOVE if value == NOTHING => {}
        REMOVE => study.openings.remove.extend(value.split('+').map(str::to_owned)),
        _ => drop(study.options.insert(option.to_owned(), Value::Text(value.to_owned()))),
    }
    let separator = if set.label.is_empty() { "" } else { ", " };
    Played { label: format!("{}{separator}{option}={value}", set.label), study }
}

fn measure(
    agent: &str,
    labels: &[&str],
    datasets: &[Dataset],
    stop: &AtomicBool,
) -> Result<AgentSweep, Error> {
    let comparison = Comparison::new(datasets, stop)?;
    let mut sets = Vec::with_capacity(datasets.len());
    let mut even = None;
    for (place, (label, dataset)) in labels.iter().zip(datasets).enumerate() {
        let found = first_reveal(dataset, stop)?;
        even = found.even;
        let mean = |quantity| Ok((quantity, comparison.mean(place, quantity)?));
        sets.push(OptionSet {
            label: (*label).to_owned(),
            path: dataset.dir().display().to_string(),
            score: best_score(&found),
            means: Quantity::ALL.into_iter().map(mean).collect::<Result<_, Error>>()?,
            endings: found.endings.clone(),
            is_on_front: false,
            first_reveal: found,
        });
    }
    mark_front(&mut sets, even);
    let differences = |quantity| Ok((quantity, comparison.differences(quantity)?));
    let differences = Quantity::ALL.into_iter().map(differences).collect::<Result<_, Error>>()?;
    let unfairness = match even {
        Some(even) => comparison.unfairness(even)?,
        None => Vec::new(),
    };
    let (fairest, as_fair) = fairest(&comparison, sets.len(), even, &unfairness)?;
    Ok(AgentSweep { agent: agent.to_owned(), sets, fairest, as_fair, unfairness, differences })
}

/// The set whose raw score, which is what the differences are of, is nearest to the even one, and those
/// that are not significantly less fair.
fn fairest(
    comparison: &Comparison,
    sets: usize,
    even: Option<f64>,
    unfairness: &[Difference],
) -> Result<(Option<usize>, Vec<usize>), Error> {
    let Some(even) = even else { return Ok((None, Vec::new())) };
    let mut distances = Vec::with_capacity(sets);
    for set in 0..sets {
        let score = comparison.mean(set, Quantity::Score)?;
        distances.push(score.map_or(f64::INFINITY, |score| (score.value - even).abs()));
    }
    let Some(best) = (0..sets).min_by(|&a, &b| distances[a].total_cmp(&distances[b])) else {
        return Ok((None, Vec::new()));
    };
    let is_as_fair = |&set: &usize| {
        let same = |one: &&Difference| [one.first, one.second] == [best.min(set), best.max(set)];
        unfairness.iter().find(same).is_none_or(|one| one.p_holm >= SIGNIFICANT)
    };
    Ok((Some(best), (0..sets).filter(is_as_fair).collect()))
}

/// Marks the sets that are not dominated: fair, decisive and short (Pareto).
fn mark_front(sets: &mut [OptionSet], even: Option<f64>) {
    let mean = |set: &OptionSet, quantity| set.means[&quantity].map_or(f64::NAN, |mean| mean.value);
    // The smaller, the better.
    let costs: Vec<[f64; 3]> = sets
        .iter()
        .map(|set| {
            let unfairness = even.map_or(0.0, |even| (set.score.value - even).abs());
            [unfairness, -mean(set, Quantity::Decisive), mean(set, Quantity::Plies)]
        })
        .collect();
    for (set, own) in sets.iter_mut().zip(&costs) {
        let dominates = |other: &[f64; 3]| {
            let pairs = || other.iter().zip(own);
            pairs().all(|(other, own)| other <= own) && pairs().any(|(other, own)| other < own)
        };
        set.is_on_front = !costs.iter().any(dominates);
    }
}
