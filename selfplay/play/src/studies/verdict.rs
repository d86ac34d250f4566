//! The findings of a sweep in sentences.

use darkqi_analysis::{Difference, SIGNIFICANT, counted};
use darkqi_env::session::Phrase;

use super::fairness::Finding;
use super::sweep::{AgentSweep, OptionSet};
use crate::reporting::figures::p_value;

/// What an agent's games have shown: a verdict on each set, and which one is the fairest, if that is more
/// than chance.
pub(super) fn sentences(agent: &AgentSweep) -> Vec<String> {
    let Some(best) = agent.fairest else {
        let none = "no rules are the fairest: teams share victories".to_owned();
        return [none].into_iter().chain(needed(agent)).collect();
    };
    let label = |place: usize| agent.sets[place].label.as_str();
    let judged = agent.sets.iter().filter_map(|set| Some((set, set.fairness.as_ref()?)));
    let mut sentences: Vec<String> = judged
        .flat_map(|(set, verdict)| {
            let said = [Some(&verdict.sentence), verdict.warning.as_ref()];
            said.into_iter().flatten().map(|phrase| format!("{}: {phrase}", set.label))
        })
        .collect();
    sentences.extend(needed(agent));
    match agent.as_fair.len() {
        1 if agent.sets.len() > 1 => sentences.push(format!("fairest: {}", label(best))),
        _ if agent.sets.len() > 1 => {
            sentences.push("no rules are shown to be fairer than all others".to_owned());
        }
        _ => {}
    }
    let others: Vec<&str> =
        agent.as_fair.iter().filter(|&&place| place != best).map(|&place| label(place)).collect();
    let is_other =
        |one: &&Difference| [one.first, one.second].contains(&best) && one.p_holm < SIGNIFICANT;
    for one in agent.unfairness.iter().filter(is_other) {
        let other = if one.first == best { one.second } else { one.first };
        let sign = if one.first == best { 1.0 } else { -1.0 };
        let ends = [sign * one.difference.low, sign * one.difference.high];
        sentences.push(format!(
            "less fair: {}, further from even by {:.4} ({:.4} to {:.4}; p {} after Holm)",
            label(other),
            sign * one.difference.value,
            ends[0].min(ends[1]),
            ends[0].max(ends[1]),
            p_value(one.p_holm)
        ));
    }
    // Where nothing is told apart, the sentence above says so.
    if !others.is_empty() && agent.as_fair.len() < agent.sets.len() {
        sentences.push(format!("not told apart from {}: {}", label(best), others.join("; ")));
    }
    sentences
}

/// With a half-width, how many games were needed.
fn needed(agent: &AgentSweep) -> Option<String> {
    let settled = agent.settled.as_ref()?;
    let (half_width, games) = (settled.half_width, counted(settled.deals, "game"));
    let (what, of_each) = match (agent.sets.len(), settled.is_reached) {
        (1, true) => ("the score is", ""),
        (1, false) => ("the score is not", ""),
        (_, true) => ("every difference in score between two sets is", " of each"),
        (_, false) => ("not every difference in score between two sets is", " of each"),
    };
    let known = format!("{what} known to ±{half_width} after {games}{of_each}");
    Some(if settled.is_reached {
        known
    } else {
        format!(
            "{known}: the widest interval is ±{:.4}; more games (--games) go on",
            settled.widest
        )
    })
}

/// Whether agents of different strength agree on each set: its label, and the answer. A single agent has
/// nobody to agree with.
pub fn agreement(agents: &[AgentSweep]) -> Vec<(String, Phrase)> {
    let [first, _, ..] = agents else { return Vec::new() };
    let finding =
        |agent: &AgentSweep, place: usize| Some(agent.sets[place].fairness.as_ref()?.finding);
    let on = |(place, set): (usize, &OptionSet)| {
        let found = agents.iter().map(|agent| Some((agent.agent.as_str(), finding(agent, place)?)));
        let found: Vec<_> = found.collect::<Option<_>>()?;
        Some((set.label.clone(), agreed(&found)))
    };
    first.sets.iter().enumerate().filter_map(on).collect()
}

/// Whether agents agree, given what the games of each have shown.
fn agreed(found: &[(&str, Finding)]) -> Phrase {
    let by = |it: Finding| {
        let who = found.iter().filter(|(_, finding)| *finding == it).map(|(agent, _)| *agent);
        who.collect::<Vec<_>>().join(", ")
    };
    let [fair, not_fair, open] = [Finding::Fair, Finding::NotFair, Finding::NotDecided].map(by);
    match (fair.is_empty(), not_fair.is_empty(), open.is_empty()) {
        (true, true, _) => "the games of no agent have decided it".into(),
        (false, true, true) => "all agents agree: fair".into(),
        (true, false, true) => "all agents agree: not fair".into(),
        (false, true, false) => Phrase::new(
            "fair by {who}; not decided by {others}",
            [("who", fair.into()), ("others", open.into())],
        ),
        (true, false, false) => Phrase::new(
            "not fair by {who}; not decided by {others}",
            [("who", not_fair.into()), ("others", open.into())],
        ),
        (false, false, _) => Phrase::new(
            "the agents disagree: fair by {who}, not fair by {others}; the answer depends on who plays",
            [("who", fair.into()), ("others", not_fair.into())],
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::Finding::{self, Fair, NotDecided, NotFair};
    use super::agreed;

    #[test]
    fn agents_agree_or_not() {
        let said = |findings: &[Finding]| {
            let found: Vec<_> = ["a", "b", "c"].into_iter().zip(findings.iter().copied()).collect();
            agreed(&found).to_string()
        };
        assert_eq!(said(&[Fair, Fair]), "all agents agree: fair");
        assert_eq!(said(&[NotFair, NotFair]), "all agents agree: not fair");
        assert_eq!(said(&[NotDecided, NotDecided]), "the games of no agent have decided it");
        assert_eq!(said(&[NotDecided, NotFair]), "not fair by b; not decided by a");
        assert_eq!(said(&[Fair, Fair, NotDecided]), "fair by a, b; not decided by c");
        let disagree = said(&[Fair, NotFair, NotDecided]);
        assert!(
            disagree.starts_with("the agents disagree: fair by a, not fair by b"),
            "{disagree}"
        );
    }
}
