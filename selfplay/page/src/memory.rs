//! How much memory an agent may take.
//!
//! A page asks for agents by text, and hundreds of games may be under way. What an agent takes is
//! estimated by its options, from above.

use darkqi_engine::agents::{AgentInfo, AgentSpec, agents};
use darkqi_play::threads::all_threads;

use super::answer::Refusal;

const MEBIBYTE: u64 = 1 << 20;

/// The least memory of an agent: an evaluation, a net, memory for one decision.
const LEAST: u64 = 2 * MEBIBYTE;

/// An option that takes memory, or threads.
struct Cost {
    option: &'static str,
    /// The most that a page may ask for.
    most: u64,
    /// Bytes of a unit.
    bytes: u64,
}

fn costs() -> [Cost; 4] {
    [
        Cost { option: "hash", most: 16, bytes: MEBIBYTE },
        // A node with an edge for each of a hundred actions.
        Cost { option: "sims", most: 1 << 14, bytes: 4 << 10 },
        // The inputs and outputs of a net, and what lies between them.
        Cost { option: "batch", most: 64, bytes: 128 << 10 },
        Cost { option: "threads", most: all_threads().get() as u64, bytes: MEBIBYTE },
    ]
}

fn info(agent: &AgentSpec) -> Option<&'static AgentInfo> {
    agents().iter().find(|info| info.name == agent.name())
}

/// Whether a page may ask for an agent with options like these.
///
/// # Errors
/// If one would take too much.
pub(super) fn check(agent: &AgentSpec) -> Result<(), Refusal> {
    for Cost { option, most, .. } in costs() {
        let has = info(agent).is_some_and(|info| info.options.iter().any(|it| it.name == option));
        let given = has.then(|| agent.given(option)).flatten();
        if let Some(given) = given
            && given.parse().is_ok_and(|given: u64| given > most)
        {
            let reason = format!("agent: {option}: expected at most {most}, got {given}");
            return Err(Refusal::faulty(reason));
        }
    }
    Ok(())
}

/// Bytes that an agent takes at most while its game is under way.
pub(super) fn of(agent: &AgentSpec, game: &str) -> u64 {
    let agent = &*agent.in_game(game);
    let options = info(agent).map_or(&[][..], |info| info.options);
    let bytes = options.iter().filter_map(|option| {
        let Cost { bytes, .. } = costs().into_iter().find(|cost| cost.option == option.name)?;
        let value = agent.given(option.name).unwrap_or(option.default);
        Some(value.parse::<u64>().ok()?.saturating_mul(bytes))
    });
    bytes.fold(LEAST, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use darkqi_engine::agents::AgentSpec;

    use super::MEBIBYTE;
    use super::check;
    use super::of;

    fn agent(text: &str) -> AgentSpec {
        text.parse().expect("the agent exists")
    }

    #[test]
    fn what_takes_much_is_refused_by_name() {
        for (text, option, most) in [
            ("expectimax:hash=17", "hash", "16"),
            ("ismcts:sims=1000000", "sims", "16384"),
            ("baseline:sims=1000000,root=gumbel", "sims", "16384"),
            ("baseline:batch=65536", "batch", "64"),
            ("expectimax:time=9,threads=256", "threads", ""),
        ] {
            let refusal = check(&agent(text)).expect_err(text).to_string();
            let expected = format!("agent: {option}: expected at most {most}");
            assert!(refusal.starts_with(&expected), "{refusal}");
        }
        for text in ["greedy", "ismcts:sims=16384", "baseline", "expectimax:depth=64"] {
            assert!(check(&agent(text)).is_ok(), "{text}");
        }
    }

    #[test]
    fn memory_grows_with_the_options_that_take_it() {
        assert_eq!(of(&agent("greedy"), "jieqi"), 2 * MEBIBYTE);
        assert_eq!(of(&agent("expectimax"), "jieqi"), 5 * MEBIBYTE);
        assert_eq!(of(&agent("expectimax:hash=16"), "jieqi"), 19 * MEBIBYTE);
        assert_eq!(of(&agent("ismcts:sims=16384"), "jieqi"), 66 * MEBIBYTE);
        assert_eq!(of(&agent("baseline:sims=16384"), "jieqi"), 74 * MEBIBYTE);
    }
}
