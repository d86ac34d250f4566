//! How the answers depend on the rules.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use darkqi_analysis::{
    Comparison, Difference, Doubt, Estimate, FirstRevealValue, PairedDifferences, Quantity,
    SIGNIFICANT, SettledDifferences, first_reveal,
};
use darkqi_env::{Spec, Value};
use darkqi_format::{Dataset, MANIFEST_FILE, with_threads};
use serde::Serialize;

use super::equivalence::{Equivalence, equivalence};
use super::fairness::{Fairness, Judged, verdicts};
use super::folder::{Study, check_agents, check_folders, folder_name};
use super::handicaps::{self, NOTHING};
use super::until::{Clock, Run, StopRule, play_until};
use super::verdict;
use crate::arena::Results;
use crate::error::Error;
use crate::options;
use crate::reporting::{Progress, as_text};
use crate::variants::{self, Variant};

/// The name of a variation of the pieces that are taken off, instead of an option.
const REMOVE: &str = "remove";

/// The option that plays by the rules of a file, and its value for none.
const RULES: &str = "rules";
const USUAL: &str = "usual";

/// The value of [`REMOVE`] that stands for nothing and each kind of piece.
const EACH: &str = "each";

/// The most option sets: each is a run of its own.
const MAX_SETS: usize = 500;

/// The most minutes: a week.
const MOST_MINUTES: f64 = 10_080.0;

/// An option and the values that it takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variation {
    /// The option, or `remove` for handicaps.
    pub option: String,
    /// Its values as text, at least one. Those of `remove` are names of pieces joined by `+`,
    /// `none`, or `each`: `none`, and one piece of each kind that the first mover can spare.
    pub values: Vec<String>,
}

/// A study of all combinations of values of some options.
#[derive(Clone, Debug, Args)]
pub struct Sweep {
    /// What its runs have in common. Each agent plays itself. With several, each also plays the one before
    /// it, under each option set.
    #[arg(skip)]
    pub study: Study,
    /// The options that are varied, the last most quickly.
    #[arg(skip)]
    pub vary: Vec<Variation>,
    /// Test which rules are fair within this distance of the even score, above 0 and at most 0.5
    #[arg(long, value_name = "M", default_value_t = 0.02)]
    pub margin: f64,
    /// Play all sets in common rounds until every difference in score between two of them, or the score of a
    /// single set, is known to this half-width, above 0 and at most 0.5; the number of games is then the
    /// greatest. All intervals together hold at 95 %, at the stop as at any time
    #[arg(long, value_name = "HALF_WIDTH")]
    pub until: Option<f64>,
    /// Play all sets in common rounds for about this many minutes, which the agents share equally; the number
    /// of games is then the greatest. The first round is always played. Matches come on top
    #[arg(long, value_name = "MINUTES")]
    pub minutes: Option<f64>,
}

impl Sweep {
    /// A comparison of these option sets.
    pub fn new(study: Study, vary: Vec<Variation>) -> Self {
        Self { study, vary, ..options::defaults() }
    }

    /// The labels of its option sets. All that [`sweep`] refuses before it plays is refused here.
    ///
    /// # Errors
    /// If it cannot be played.
    pub fn labels(&self) -> Result<Vec<String>, Error> {
        Ok(checked(self)?.into_iter().map(|set| set.label).collect())
    }
}

/// The results of a sweep. The keys of the JSON are the names of the fields.
#[derive(Clone, Debug, Serialize)]
pub struct SweepResults {
    /// The figures of each agent, in the order given.
    pub agents: Vec<AgentSweep>,
    /// Matches of each agent against the one before it, under each option set; none if matches have no games.
    pub skill: Vec<Skill>,
    /// Whether the agents agree on each set, in sentences; none of a single agent.
    pub agreement: Vec<String>,
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
    /// With [`Sweep::until`], the differences in score at which play stopped, with intervals that hold
    /// together although they decide when to stop. The other figures are not corrected for stopping.
    pub settled: Option<SettledDifferences>,
    /// What the games have shown, in sentences.
    pub verdict: Vec<String>,
    /// The time that a game of each set took together, if games were played. It is not among the results,
    /// which are the same at any speed.
    #[serde(skip)]
    pub pace: Option<Duration>,
}

/// The figures of an option set.
#[derive(Clone, Debug, Serialize)]
pub struct OptionSet {
    /// The options that are varied, as in `cannon=jump, quiet_limit=40`.
    pub label: String,
    /// The folder of its dataset.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// The score of the first revealer or, without covered pieces, mover. It is not luck-adjusted, as
    /// the differences are not.
    pub score: Estimate,
    /// Whether that score is shown to be even within the margin; None with teams.
    pub equivalence: Option<Equivalence>,
    /// Whether the rules are fair for the agent; None with teams.
    pub fairness: Option<Fairness>,
    /// The means over games, by [`Quantity`]; null where no game has a value.
    pub means: BTreeMap<Quantity, Option<Estimate>>,
    /// Games by the reason of their end.
    pub endings: BTreeMap<String, u64>,
    /// Whether no other set is at least as fair, as decisive and as short, and better in one of these.
    pub is_on_front: bool,
    /// The value of the first reveal, and all that is measured with it.
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
    pub score: Option<Estimate>,
    /// The Elo difference of that score.
    pub elo: Option<Estimate>,
    /// Why they may mislead.
    pub warnings: Vec<Doubt>,
}

/// A set of options that is played.
struct Played {
    label: String,
    study: Study,
}

/// Plays the games of a sweep, or what is left of them, and measures them.
///
/// # Errors
/// If options, openings, agents or numbers cannot be used (nothing is played then), a run or match
/// cannot be played or measured; [`Error::Stopped`] when `stop` becomes true. What was played
/// stays.
pub fn sweep(
    config: &Sweep,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<SweepResults, Error> {
    let sets = checked(config)?;
    let all_agents = &config.study.job.agents;
    let mut agents = Vec::with_capacity(all_agents.len());
    for agent in all_agents {
        let text = agent.to_string();
        let run = |set: &Played| Run {
            name: format!("{}/{}", folder_name(&text), folder_name(&set.label)),
            study: set.study.clone(),
        };
        let runs: Vec<Run> = sets.iter().map(run).collect();
        let share =
            |minutes: f64| Duration::from_secs_f64(minutes * 60.0 / all_agents.len() as f64);
        let rule = StopRule { half_width: config.until, time: config.minutes.map(share) };
        let clock = Clock::new(&runs, rule)?;
        progress.agent(&text);
        let (datasets, settled) = if rule.is_none() {
            let play = |run: &Run| run.study.run(&run.name, agent, progress, stop);
            (runs.iter().map(play).collect::<Result<_, _>>()?, None)
        } else {
            play_until(&runs, agent, rule, &clock, progress, stop)?
        };
        let pace = clock.pace(&runs)?;
        let labels: Vec<&str> = sets.iter().map(|set| set.label.as_str()).collect();
        let threads = Some(config.study.job.threads.get());
        let mut found =
            with_threads(threads, || measure(&text, &labels, &datasets, config.margin, stop))??;
        found.settled = settled;
        found.pace = pace;
        found.verdict = verdict::sentences(&found);
        agents.push(found);
    }
    let mut skill = Vec::new();
    for two in all_agents.windows(2).filter(|_| config.study.match_games > 0) {
        for set in &sets {
            let [weaker, stronger] = [&two[0], &two[1]];
            let both = vec![stronger.clone(), weaker.clone()];
            let found = set.study.match_of(&set.label, both, progress, stop)?;
            skill.push(skill_of(&set.label, found));
        }
    }
    let agreement = verdict::agreement(&agents);
    let agreement = agreement.iter().map(|(label, phrase)| format!("{label}: {phrase}")).collect();
    Ok(SweepResults { agents, skill, agreement })
}

/// The option sets of a sweep that can be played.
///
/// # Errors
/// If it cannot.
fn checked(config: &Sweep) -> Result<Vec<Played>, Error> {
    check_agents(&config.study.job.agents, 1)?;
    if !(config.margin > 0.0 && config.margin <= 0.5) {
        return Err(Error::config("margin", "a number above 0 and at most 0.5", config.margin));
    }
    let sets = option_sets(config)?;
    check_until(config, &sets)?;
    Ok(sets)
}

/// # Errors
/// If the half-width or the time is out of range.
fn check_until(config: &Sweep, sets: &[Played]) -> Result<(), Error> {
    if let Some(half_width) = config.until
        && PairedDifferences::new(sets.len(), half_width).is_err()
    {
        return Err(Error::config("until", "a half-width above 0 and at most 0.5", half_width));
    }
    match config.minutes {
        Some(minutes) if !(minutes > 0.0 && minutes <= MOST_MINUTES) => {
            let expected = format!("a number above 0 and at most {MOST_MINUTES}");
            Err(Error::config("minutes", expected, minutes))
        }
        _ => Ok(()),
    }
}

fn skill_of(set: &str, found: Results) -> Skill {
    let pair = found.pairs.into_iter().next().expect("two agents are a pair");
    Skill {
        set: set.to_owned(),
        agent: pair.first,
        opponent: pair.second,
        score: pair.score,
        elo: pair.elo,
        warnings: pair.warnings,
    }
}

/// Refuses rules that all sets have beside rules that are varied: each would be called by the name of the
/// latter.
///
/// # Errors
/// If `rules` are varied.
pub fn check_no_rules_vary(vary: &[Variation]) -> Result<(), Error> {
    if vary.iter().any(|one| one.option == RULES) {
        return Err(Error::config("vary", "rules either set or varied", "both"));
    }
    Ok(())
}

/// All combinations of the values, with their studies. Options, openings and agents are tried.
fn option_sets(config: &Sweep) -> Result<Vec<Played>, Error> {
    let refuse = |expected: &str, found: &str| Err(Error::config("vary", expected, found));
    let mut sets = vec![Played { label: String::new(), study: config.study.clone() }];
    let vary: Vec<Variation> =
        config.vary.iter().map(|one| expanded(one, config)).collect::<Result<_, _>>()?;
    for (place, Variation { option, values }) in vary.iter().enumerate() {
        if vary[..place].iter().any(|other| other.option == *option) {
            return refuse("different options", &format!("`{option}` twice"));
        }
        let is_set = match option.as_str() {
            REMOVE => !config.study.job.remove.is_empty(),
            option => config.study.job.options.contains_key(option),
        };
        if is_set {
            let expected = format!("{option} either set or varied");
            return refuse(&expected, "both");
        }
        for (place, value) in values.iter().enumerate() {
            if value.is_empty() {
                return refuse(&format!("a value after each comma of {option}"), "none");
            }
            if values[..place].contains(value) {
                let expected = format!("different values of {option}");
                return refuse(&expected, &format!("`{}`", values.join(",")));
            }
        }
        let names = names(option, values);
        let more = |set: &Played| {
            let named = values.iter().zip(&names);
            named.map(|(value, name)| with(set, option, value, name)).collect()
        };
        let more: Vec<Vec<Played>> = sets.iter().map(more).collect::<Result<_, _>>()?;
        sets = more.into_iter().flatten().collect();
        if sets.len() > MAX_SETS {
            return refuse(&format!("at most {MAX_SETS} option sets"), "more");
        }
    }
    if config.vary.is_empty() || config.vary.iter().any(|one| one.values.is_empty()) {
        return refuse("OPTION=VALUE,VALUE", "nothing to vary");
    }
    let mut rules: Vec<(_, Vec<String>)> = Vec::with_capacity(sets.len());
    for set in &sets {
        let spec = Spec::new(&set.study.job.game, &set.study.job.options)?;
        let mut remove = set.study.job.remove.clone();
        remove.sort_unstable();
        let own = (spec.options_in_force(), remove);
        if rules.contains(&own) {
            return refuse("different rules", &format!("{} twice", set.label));
        }
        rules.push(own);
        set.study.check()?;
    }
    let is_dataset = |folder: &Path| folder.join(MANIFEST_FILE).exists();
    config.study.check_kind("the study of strength", is_dataset)?;
    check_folders("vary", &sets.iter().map(|set| set.label.clone()).collect::<Vec<_>>())?;
    Ok(sets)
}

/// The variation with all values in the place of `each`.
fn expanded(variation: &Variation, config: &Sweep) -> Result<Variation, Error> {
    let Variation { option, values } = variation;
    let is_each = |value: &String| option == REMOVE && value == EACH;
    let mut all = Vec::with_capacity(values.len());
    for value in values {
        if is_each(value) {
            all.extend(handicaps::each(&config.study)?)
        } else {
            all.push(value.clone())
        }
    }
    Ok(Variation { option: option.clone(), values: all })
}

/// What the values of an option are called. A file of rules is called by its name, wherever it lies, if no
/// other file and no variant that comes with the program has it.
fn names<'a>(option: &str, values: &'a [String]) -> Vec<&'a str> {
    let stem = |value: &'a String| match Path::new(value).file_stem().and_then(OsStr::to_str) {
        Some(stem) if option == RULES => stem,
        _ => value,
    };
    let stems: Vec<&str> = values.iter().map(stem).collect();
    let is_taken = |name: &str| {
        variants::names().any(|one| one == name)
            || stems.iter().filter(|&&one| one == name).count() > 1
    };
    let name = |(value, &stem)| if is_taken(stem) { value } else { stem };
    values.iter().map(String::as_str).zip(&stems).map(name).collect()
}

/// A set with one more value, which has a name.
fn with(set: &Played, option: &str, value: &str, name: &str) -> Result<Played, Error> {
    let mut study = set.study.clone();
    match option {
        REMOVE if value == NOTHING => {}
        REMOVE => study.job.remove.extend(value.split('+').map(str::to_owned)),
        RULES if value == USUAL => {}
        RULES => {
            let variant = Variant::find(Path::new(value))?;
            // What is set or varied changes the rules further, in any order.
            let own = mem::take(&mut study.job.options);
            study.job.options = variant.options_for(&study.job.game)?;
            study.job.options.extend(own);
        }
        _ => drop(study.job.options.insert(option.to_owned(), Value::Text(value.to_owned()))),
    }
    let separator = if set.label.is_empty() { "" } else { ", " };
    Ok(Played { label: format!("{}{separator}{option}={name}", set.label), study })
}

fn measure(
    agent: &str,
    labels: &[&str],
    datasets: &[Dataset],
    margin: f64,
    stop: &AtomicBool,
) -> Result<AgentSweep, Error> {
    let comparison = Comparison::new(datasets, stop)?;
    let mut sets = Vec::with_capacity(datasets.len());
    for (place, (label, dataset)) in labels.iter().zip(datasets).enumerate() {
        let found = first_reveal(dataset, stop)?;
        let mean = |quantity| Ok((quantity, comparison.mean(place, quantity)?));
        sets.push(OptionSet {
            label: (*label).to_owned(),
            path: dataset.dir().to_owned(),
            equivalence: None,
            fairness: None,
            score: comparison.mean(place, Quantity::Score)?.unwrap_or(found.first_mover.score),
            means: Quantity::ALL.into_iter().map(mean).collect::<Result<_, Error>>()?,
            endings: found.endings.clone(),
            is_on_front: false,
            first_reveal: found,
        });
    }
    let even: Option<Vec<f64>> = sets.iter().map(|set| set.first_reveal.even).collect();
    mark_front(&mut sets);
    let differences = comparison.all_differences()?;
    let (unfairness, (fairest, as_fair)) = match even {
        Some(even) => {
            let unfairness = comparison.unfairness(&even)?;
            let scores: Vec<Estimate> = sets.iter().map(|set| set.score).collect();
            let degrees: Vec<f64> = sets.iter().map(degrees).collect();
            for (set, test) in sets.iter_mut().zip(equivalence(&scores, &even, &degrees, margin)?) {
                set.equivalence = Some(test);
            }
            judge(&mut sets, &even)?;
            let fairest = fairest(&sets, &even, &unfairness);
            (unfairness, fairest)
        }
        None => (Vec::new(), (None, Vec::new())),
    };
    let agent = agent.to_owned();
    Ok(AgentSweep {
        agent,
        sets,
        fairest,
        as_fair,
        unfairness,
        differences,
        settled: None,
        verdict: Vec::new(),
        pace: None,
    })
}

/// The degrees of freedom of a set's score.
fn degrees(set: &OptionSet) -> f64 {
    (set.first_reveal.clusters as f64 - 1.0).max(1.0)
}

/// Gives every set its verdict.
fn judge(sets: &mut [OptionSet], even: &[f64]) -> Result<(), Error> {
    fn judged<'a>((set, even): (&'a OptionSet, &f64)) -> Option<Judged<'a>> {
        Some(Judged {
            score: set.score,
            even: *even,
            equivalence: set.equivalence?,
            games: set.endings.values().sum(),
            degrees: degrees(set),
            has_few_openings: set.first_reveal.clusters < set.first_reveal.deals,
            decisive: set.first_reveal.decisive.value,
            endings: &set.endings,
        })
    }
    let judged: Vec<Judged<'_>> = sets.iter().zip(even).filter_map(judged).collect();
    let verdicts = verdicts(&judged)?;
    for (set, verdict) in sets.iter_mut().zip(verdicts) {
        set.fairness = Some(verdict);
    }
    Ok(())
}

/// The set whose score is nearest to the even one, and those that are not significantly less fair.
fn fairest(
    sets: &[OptionSet],
    even: &[f64],
    unfairness: &[Difference],
) -> (Option<usize>, Vec<usize>) {
    let distance = |set: usize| (sets[set].score.value - even[set]).abs();
    let best = (0..sets.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
    let Some(best) = best else { return (None, Vec::new()) };
    let is_as_fair = |&set: &usize| {
        let same = |one: &&Difference| [one.first, one.second] == [best.min(set), best.max(set)];
        unfairness.iter().find(same).is_none_or(|one| one.p_holm >= SIGNIFICANT)
    };
    (Some(best), (0..sets.len()).filter(is_as_fair).collect())
}

/// Marks the sets that are not dominated: fair, decisive and short (Pareto).
fn mark_front(sets: &mut [OptionSet]) {
    let mean = |set: &OptionSet, quantity| set.means[&quantity].map_or(f64::NAN, |mean| mean.value);
    // The smaller, the better.
    let costs: Vec<[f64; 3]> = sets
        .iter()
        .map(|set| {
            let even = set.first_reveal.even;
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
