//! What the games of a study have shown, as the page tells it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use darkqi_analysis::{Estimate, Quantity, SIGNIFICANT};
use darkqi_env::session::Phrase;
use darkqi_format::Dataset;
use darkqi_play::Error;
use darkqi_play::studies::{AgentSweep, Finding, OptionSet, SweepResults, Worth, agreement, worth};
use serde::Serialize;

/// What the games of a study have shown.
#[derive(Serialize)]
pub(super) struct Findings {
    agents: Vec<ByAgent>,
    /// Whether the agents agree on each set.
    agreement: Vec<(String, Phrase)>,
    /// The worth of the pieces under each set of rules, by the games of the strongest agent.
    worth: Vec<WorthOf>,
    /// The commands that play the same games.
    commands: Vec<String>,
}

/// The worth of the pieces under a set of rules.
#[derive(Serialize)]
struct WorthOf {
    label: String,
    worth: Option<Worth>,
    /// Why the games do not tell it.
    why: Option<String>,
}

/// What the games of one agent have shown.
#[derive(Serialize)]
struct ByAgent {
    agent: String,
    /// Games of each set.
    games: u64,
    /// The time that a game of each set takes together, in seconds, if it is known.
    seconds: Option<f64>,
    sets: Vec<Set>,
    /// The label of the fairest set, if all others are shown to be less fair.
    fairest: Option<String>,
    /// The differences between every two sets, by quantity.
    differences: Vec<Differing>,
}

#[derive(Serialize)]
struct Set {
    label: String,
    /// Its dataset, below the folder of the study.
    dataset: String,
    score: Estimate,
    /// The score of a fair game; none where teams share victories.
    even: Option<f64>,
    finding: Option<Finding>,
    sentence: Option<Phrase>,
    warning: Option<Phrase>,
    more_games: Option<u64>,
    means: BTreeMap<Quantity, Option<Estimate>>,
    /// Games by the reason of their end.
    endings: BTreeMap<String, u64>,
    /// Why the figures may mislead.
    doubts: Vec<String>,
}

#[derive(Serialize)]
struct Differing {
    quantity: Quantity,
    /// The labels of the sets; the difference is that of the second less that of the first.
    first: String,
    second: String,
    difference: Estimate,
    is_significant: bool,
}

impl Findings {
    /// # Errors
    /// If a dataset cannot be measured, or `stop` becomes true.
    pub(super) fn new(
        found: &SweepResults,
        commands: Vec<String>,
        dir: &Path,
        stop: &AtomicBool,
    ) -> Result<Self, Error> {
        let agents = found.agents.iter().map(|agent| ByAgent::new(agent, dir)).collect();
        let strongest = found.agents.iter().rev().take(1).flat_map(|agent| &agent.sets);
        let worth = strongest.map(|set| WorthOf::new(set, stop)).collect::<Result<_, _>>()?;
        Ok(Self { agents, agreement: agreement(&found.agents), worth, commands })
    }
}

impl WorthOf {
    fn new(set: &OptionSet, stop: &AtomicBool) -> Result<Self, Error> {
        let found = worth(&Dataset::open(&set.path)?, stop)?;
        let why = found.as_ref().err().cloned();
        Ok(Self { label: set.label.clone(), worth: found.ok(), why })
    }
}

impl ByAgent {
    fn new(found: &AgentSweep, dir: &Path) -> Self {
        let label = |at: usize| found.sets[at].label.clone();
        let differences = found.differences.iter().flat_map(|(&quantity, all)| {
            all.iter().map(move |one| Differing {
                quantity,
                first: label(one.first),
                second: label(one.second),
                difference: one.difference,
                is_significant: one.p_holm < SIGNIFICANT,
            })
        });
        let is_known = found.sets.len() > 1 && found.as_fair.len() == 1;
        Self {
            agent: found.agent.clone(),
            games: found.sets.first().map_or(0, |set| set.first_reveal.games),
            seconds: found.pace.as_ref().map(Duration::as_secs_f64),
            sets: found.sets.iter().map(|set| Set::new(set, dir)).collect(),
            fairest: found.fairest.filter(|_| is_known).map(label),
            differences: differences.collect(),
        }
    }
}

impl Set {
    fn new(set: &OptionSet, dir: &Path) -> Self {
        let below = set.path.strip_prefix(dir).unwrap_or(&set.path);
        let fairness = set.fairness.as_ref();
        Self {
            label: set.label.clone(),
            dataset: below.display().to_string(),
            score: set.score,
            even: set.first_reveal.even,
            finding: fairness.map(|it| it.finding),
            sentence: fairness.map(|it| it.sentence.clone()),
            warning: fairness.and_then(|it| it.warning.clone()),
            more_games: fairness.and_then(|it| it.more_games),
            means: set.means.clone(),
            endings: set.endings.clone(),
            doubts: set.first_reveal.warnings.iter().map(ToString::to_string).collect(),
        }
    }
}
