//! The agent `level`: levels of play for people.

use darkqi_env::Registered;
use serde::Serialize;

use super::info::{AgentInfo, AgentOption, Built, REQUIRED, RegisteredAgent};
use super::options::AgentOptions;
use super::spec::AgentSpec;

/// The names of the levels, from the weakest on.
pub const LEVELS: [&str; 5] = ["beginner", "easy", "medium", "hard", "strong"];

/// A level of play in a game.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Level {
    /// The name.
    pub name: &'static str,
    /// The agent that plays it.
    pub agent: &'static str,
    /// The advantage over the level below in Elo, on duplicate deals; none of the weakest, and of
    /// what was not measured. docs/research/data/levels.csv has the intervals.
    pub elo: Option<i16>,
}

/// Agents with their advantage over the one before, if it was measured, from the weakest on.
type Ladder = [(&'static str, Option<i16>); LEVELS.len()];

/// The levels of the games that were measured. No agent uses a clock: a level plays alike on every
/// machine, and its games are reproducible.
const LADDERS: &[(&str, Ladder)] = &[
    (
        "banqi",
        [
            ("expectimax:depth=1,epsilon=0.4", None),
            ("expectimax:depth=1,epsilon=0.2", Some(285)),
            ("expectimax:depth=1,epsilon=0.05", Some(173)),
            ("expectimax:depth=3", Some(298)),
            ("expectimax:nodes=60000", Some(288)),
        ],
    ),
    (
        "flipping",
        [
            ("expectimax:depth=1,epsilon=0.27", None),
            ("expectimax:depth=1,epsilon=0.12", Some(203)),
            ("expectimax:depth=2,epsilon=0.08", Some(193)),
            ("expectimax:depth=3,epsilon=0.04", Some(249)),
            ("expectimax:nodes=2000", Some(402)),
        ],
    ),
    (
        "gaiqi",
        [
            ("greedy:epsilon=0.7", None),
            ("greedy", Some(119)),
            ("expectimax:depth=1,epsilon=0.2", Some(115)),
            ("expectimax:depth=1", Some(102)),
            ("expectimax:nodes=60000", Some(24)),
        ],
    ),
    (
        "jieqi",
        [
            ("expectimax:depth=1,epsilon=0.35", None),
            ("expectimax:depth=1,epsilon=0.15", Some(275)),
            ("expectimax:depth=2,epsilon=0.05", Some(258)),
            ("expectimax:depth=3", Some(315)),
            ("expectimax:nodes=60000", Some(288)),
        ],
    ),
    (
        "mystery",
        [
            ("expectimax:depth=1,epsilon=0.35", None),
            ("expectimax:depth=1,epsilon=0.15", Some(244)),
            ("expectimax:depth=2,epsilon=0.05", Some(269)),
            ("expectimax:depth=3", Some(288)),
            ("expectimax:nodes=60000", Some(246)),
        ],
    ),
    (
        "seven_kingdoms",
        [
            ("greedy:epsilon=0.4", None),
            ("greedy", Some(204)),
            ("expectimax:depth=1,epsilon=0.13", Some(204)),
            ("expectimax:depth=1", Some(191)),
            ("expectimax:depth=2", Some(108)),
        ],
    ),
];

/// The agents of any other game.
const OTHERS: [&str; LEVELS.len()] = [
    "greedy:epsilon=0.3",
    "greedy",
    "expectimax:depth=1,epsilon=0.1",
    "expectimax:depth=2",
    "expectimax:nodes=50000",
];

/// The levels of a game, from the weakest on.
pub fn levels(game: &str) -> [Level; LEVELS.len()] {
    let measured = LADDERS.iter().find(|(name, _)| *name == game);
    std::array::from_fn(|rank| {
        let name = LEVELS[rank];
        match measured {
            Some((_, ladder)) => {
                let (agent, elo) = ladder[rank];
                Level { name, agent, elo }
            }
            None => Level { name, agent: OTHERS[rank], elo: None },
        }
    })
}

/// The agent of this level in a game, if there is such a level.
pub(super) fn agent_of(game: &str, level: &str) -> Option<AgentSpec> {
    let level = levels(game).into_iter().find(|known| known.name == level)?;
    Some(level.agent.parse().expect("the agents of levels exist"))
}

/// The agent of the strongest level.
pub(super) fn strongest() -> AgentSpec {
    let [.., strongest] = LEVELS;
    let options = [(LEVEL, strongest.to_owned())];
    AgentSpec::of_options(LevelAgent::INFO.name, options).expect("the level exists")
}

/// The registry's entry for levels.
pub(super) struct LevelAgent;

/// The option that names the level.
pub(super) const LEVEL: &str = "level";

impl RegisteredAgent for LevelAgent {
    const INFO: AgentInfo = AgentInfo {
        name: "level",
        about: "A level for people: beginner, easy, medium, hard or strong. Each game has its own \
                agents for them.",
        argument: Some(LEVEL),
        options: &[AgentOption::plain(
            LEVEL,
            "The name of the level, written first and without this name: `level:easy`.",
            REQUIRED,
        )],
    };

    fn build<G: Registered>(rules: &G, options: &AgentOptions) -> Built<G> {
        let level = options.argument(LEVEL);
        let Some(agent) = agent_of(G::NAME, level) else {
            return Err(options.refuse(LEVEL, level, format!("one of {}", LEVELS.join(", "))));
        };
        agent.build_here(rules)
    }
}

#[cfg(test)]
mod tests {
    use darkqi_env::{Options, Spec, games};

    use super::{LEVELS, levels};
    use crate::agents::AgentSpec;

    #[test]
    fn every_game_has_every_level() {
        for game in games::names() {
            let spec = Spec::new(game, &Options::new()).expect("the game exists");
            for level in LEVELS {
                let agent: AgentSpec = format!("level:{level}").parse().expect("it is an agent");
                assert_eq!(agent.to_string(), format!("level:{level}"));
                agent.make(&spec).unwrap_or_else(|error| panic!("{game}: {error}"));
            }
            let agents = levels(game).map(|level| level.agent);
            assert!(agents.iter().all(|agent| !agent.contains("time=")), "{game}: {agents:?}");
        }
    }

    #[test]
    fn other_levels_are_refused() {
        let spec = Spec::new("gaiqi", &Options::new()).expect("the game exists");
        let agent: AgentSpec = "level:eazy".parse().expect("levels are known to games");
        let error = agent.make(&spec).err().expect("there is no such level").to_string();
        let expected = "agent level: option `level` is `eazy`; expected one of beginner, easy, \
                        medium, hard, strong";
        assert_eq!(error, expected);
    }
}
