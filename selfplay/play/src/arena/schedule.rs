//! Which pair plays which block, and how a block is seated.

use std::ops::Range;

use darkqi_datasets::Openings;
use darkqi_engine::agents::AgentSpec;
use darkqi_env::{MAX_THREADS, Registered, game_seed};

use super::config::Match;
use super::error::Error;
use super::luck::Luck;
use super::seats::Seating;
use crate::openings::default_plies;

/// A checked configuration, and what follows from it for each block.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    pub(super) seating: Seating,
    /// The agents of each pair, the lower number first.
    pub(super) pairs: Vec<[usize; 2]>,
    /// Number of blocks per pair.
    pub(super) blocks: u64,
    pub(super) openings: Openings,
    /// The number of covariates of luck; 0 where nothing is covered.
    pub(super) covariates: usize,
    /// The plies at which games are truncated.
    pub(super) max_plies: u16,
    /// The blocks that this process plays, in the order of [`Schedule::nth`].
    pub(super) own: Range<u64>,
    seed: u64,
}

impl Schedule {
    /// # Errors
    /// If the agents or the numbers cannot be used.
    pub(super) fn new(config: &Match, rules: &impl Registered) -> Result<Self, Error> {
        let names: Vec<String> = config.agents.iter().map(AgentSpec::to_string).collect();
        if names.len() < 2 {
            return Err(Error::config("agents", "at least two", names.len()));
        }
        for (number, name) in names.iter().enumerate() {
            if names[..number].contains(name) {
                return Err(Error::config("agents", "different agents", format!("`{name}` twice")));
            }
        }
        if config.games == 0 {
            return Err(Error::config("games", "at least 1", 0));
        }
        if config.threads.get() > MAX_THREADS {
            let expected = format!("at most {MAX_THREADS}");
            return Err(Error::config("threads", expected, config.threads));
        }
        if let Some(sprt) = config.sprt {
            if names.len() != 2 {
                let found = format!("{} agents", names.len());
                return Err(Error::config("sprt", "exactly two agents", found));
            }
            sprt.check()?;
        }
        let seating = Seating::of(rules);
        let pairs: Vec<[usize; 2]> = (0..names.len())
            .flat_map(|first| (first + 1..names.len()).map(move |second| [first, second]))
            .collect();
        let games = seating.games() as u64;
        let blocks = config.games.div_ceil(games);
        // All counts, those of plies included, must fit their types.
        let most = (u64::MAX >> 16) / games / pairs.len() as u64;
        if blocks > most {
            let expected = format!("at most {}", most * games);
            return Err(Error::config("games", expected, config.games));
        }
        let random_plies = match config.random_plies {
            Some(plies) => plies,
            None => default_plies(rules, &config.openings),
        };
        let (lines, remove) = (config.openings.clone(), config.remove.clone());
        let openings = Openings { lines, remove, random_plies };
        let all = blocks * pairs.len() as u64;
        let own = config.blocks.clone().unwrap_or(0..all);
        if own.start > own.end || own.end > all {
            let found = format!("{}..{}", own.start, own.end);
            return Err(Error::config("blocks", format!("a range within 0..{all}"), found));
        }
        if config.blocks.is_some() {
            let is_its_own =
                |agent: &&AgentSpec| agent.depends_on_the_clock() || agent.starts_a_program();
            if let Some(agent) = config.agents.iter().find(is_its_own) {
                let expected = "agents whose play follows from the settings alone: without time=, and \
                                no programs";
                return Err(Error::config("blocks", expected, format!("agent {agent}")));
            }
        }
        let covariates = Luck::new(rules).map_or(0, |luck| luck.width());
        let (max_plies, seed) = (rules.max_plies(), config.seed);
        Ok(Self { seating, pairs, blocks, openings, covariates, max_plies, own, seed })
    }

    /// Number of blocks of all pairs.
    pub(super) fn all_blocks(&self) -> u64 {
        self.blocks * self.pairs.len() as u64
    }

    /// The pair of the n-th block to be played, and the block's number among those of the pair. The
    /// pairs take turns, so that a match that is stopped has played about as much of each.
    pub(super) fn nth(&self, n: u64) -> (usize, u64) {
        let pairs = self.pairs.len() as u64;
        ((n % pairs) as usize, n / pairs)
    }

    /// Whether this process plays the block of this pair.
    pub(super) fn is_own(&self, pair: usize, block: u64) -> bool {
        let n = || block * self.pairs.len() as u64 + pair as u64;
        block < self.blocks && self.own.contains(&n())
    }

    /// The seed of a block. It is the same for all pairs.
    pub(super) fn block_seed(&self, block: u64) -> u64 {
        game_seed(self.seed, block)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use darkqi_engine::agents::AgentSpec;
    use darkqi_env::games::jieqi::Jieqi;

    use super::{Match, Schedule};
    use crate::arena::Sprt;

    fn schedule(agents: &str, change: impl Fn(&mut Match)) -> Result<Schedule, String> {
        let agents = AgentSpec::parse_list(agents).expect("the agents exist");
        let mut config = Match::new("jieqi", agents);
        change(&mut config);
        Schedule::new(&config, &Jieqi::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn pairs_take_turns() {
        let agents = "greedy,random,greedy:values=a.toml";
        let schedule = schedule(agents, |config| config.games = 5).expect("it is sound");
        assert_eq!(schedule.pairs, [[0, 1], [0, 2], [1, 2]]);
        assert_eq!((schedule.blocks, schedule.all_blocks(), schedule.seating.games()), (3, 9, 2));
        let order: Vec<_> = (0..schedule.all_blocks()).map(|n| schedule.nth(n)).collect();
        assert_eq!(order[..4], [(0, 0), (1, 0), (2, 0), (0, 1)]);
    }

    #[test]
    fn faults_are_named() {
        let fault = |agents, change: &dyn Fn(&mut Match)| {
            schedule(agents, change).expect_err("it is faulty")
        };
        assert_eq!(fault("random", &|_| {}), "agents: expected at least two, got 1");
        assert_eq!(
            fault("random,greedy,random", &|_| {}),
            "agents: expected different agents, got `random` twice"
        );
        let pair = "greedy,random";
        assert_eq!(fault(pair, &|config| config.games = 0), "games: expected at least 1, got 0");
        let greedy = |config: &mut Match| config.games = u64::MAX;
        assert!(fault(pair, &greedy).starts_with("games: expected at most 28147497671065"));
        let threads = |config: &mut Match| {
            config.threads = NonZeroUsize::new(1 << 40).expect("it is not zero");
        };
        assert!(fault(pair, &threads).starts_with("threads: expected at most"));
        let test = |config: &mut Match| config.sprt = Some(Sprt::new(0.0, 5.0));
        assert_eq!(
            fault("greedy,random,greedy:values=a.toml", &test),
            "sprt: expected exactly two agents, got 3 agents"
        );
        let backwards = |config: &mut Match| config.sprt = Some(Sprt::new(5.0, 0.0));
        assert!(fault(pair, &backwards).starts_with("sprt: expected two Elo differences"));
    }
}
