//! The schedule of a job: a pure function from a game's number to its deal and its players.

use std::collections::BTreeSet;
use std::ops::Range;

use darkqi_engine::agents::AgentSpec;
use darkqi_env::{Player, Rng, Spec, Stream, batch::MAX_THREADS, rng::game_seed};
use darkqi_format::Openings;

use super::job::{Job, Seating};
use super::lockstep::{Seat, Seats};
use super::seats::PairSeats;
use crate::error::Error;

/// The most games in a shard. They take gigabytes; of many more the numbers alone do not fit memory,
/// and the system then ends the process.
const MAX_SHARD_GAMES: u64 = 10_000_000;

/// A checked job, and what follows from it for each game.
///
/// The games of a deal follow one another. A *block* is the games of a deal that are one observation:
/// its game, its rotations or, in a match, the seatings of one pair.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    /// The agents: one for each seat or, in a match, all of them.
    pub(crate) agents: Vec<AgentSpec>,
    /// The agents without repetition: one with several seats is asked about all of them at once.
    pub(crate) roster: Vec<AgentSpec>,
    /// By agent, its place among these.
    places: Vec<usize>,
    /// By game of a deal, the agent of each seat.
    rounds: Vec<Vec<usize>>,
    /// Number of games in a block.
    pub(crate) block_games: u64,
    /// Number of games in a shard.
    pub(crate) shard_games: u64,
    /// Number of all games.
    pub(crate) games: u64,
    pub(super) seating: Seating,
    /// How games begin, besides the deal.
    pub(crate) openings: Openings,
    seed: u64,
}

/// More games than a study can play.
const MOST_GAMES: u64 = 1_000_000_000_000;

/// Checks a number of games before others are played.
///
/// # Errors
/// If it is 0 or too large.
pub(crate) fn check_games(option: &'static str, games: u64) -> Result<(), Error> {
    match games {
        0 => Err(Error::config(option, "at least 1", games)),
        1..=MOST_GAMES => Ok(()),
        _ => Err(Error::config(option, format!("at most {MOST_GAMES}"), games)),
    }
}

impl Schedule {
    /// # Errors
    /// If agents or numbers of games do not fit the game, or an option has nothing to do.
    pub(crate) fn new(job: &Job, seating: Seating, spec: &Spec) -> Result<Self, Error> {
        check_idle(job, seating)?;
        let agents = agents(job, seating, spec)?;
        check(job, &agents)?;
        let pair = PairSeats::of(spec);
        let (rounds, block_games) = match seating {
            Seating::Seats if job.duplicate => (rotations(spec.num_players), spec.num_players),
            Seating::Seats => (vec![(0..spec.num_players).collect()], 1),
            Seating::Pairs => (rounds_of_pairs(&pair, agents.len()), pair.games()),
        };
        let (deal_games, block_games) = (rounds.len() as u64, block_games as u64);
        let games = games(job, seating, deal_games, block_games)?;
        let shard_games = shard_games(job, games, deal_games)?;
        let (roster, places) = roster(&agents);
        Ok(Self {
            agents,
            roster,
            places,
            rounds,
            block_games,
            shard_games,
            games,
            seating,
            openings: job.all_openings(spec, seating),
            seed: job.seed,
        })
    }

    /// The number of seats.
    pub(crate) fn seats(&self) -> usize {
        self.rounds[0].len()
    }

    /// The number of all games of a run like this one, given that of a job.
    pub(super) fn all_games(&self, of_job: u64) -> u64 {
        match self.seating {
            Seating::Pairs => of_job.div_ceil(self.block_games).saturating_mul(self.deal_games()),
            Seating::Seats => of_job,
        }
    }

    /// The number of games that share a deal.
    pub(crate) fn deal_games(&self) -> u64 {
        self.rounds.len() as u64
    }

    /// The number of shards.
    pub(crate) fn shards(&self) -> u64 {
        self.games.div_ceil(self.shard_games)
    }

    /// The games of a shard. The range is empty beyond the last shard.
    pub(crate) fn shard(&self, shard: u64) -> Range<u64> {
        let first = shard.saturating_mul(self.shard_games).min(self.games);
        first..first.saturating_add(self.shard_games).min(self.games)
    }

    /// The number of a game's deal.
    pub(crate) fn deal(&self, game_id: u64) -> u64 {
        game_id / self.deal_games()
    }

    /// The seed of a game's deal.
    pub(crate) fn game_seed(&self, game_id: u64) -> u64 {
        game_seed(self.seed, self.deal(game_id))
    }

    /// The number of a game's block among those of its deal: that of the pair in a match.
    pub(crate) fn block(&self, game_id: u64) -> usize {
        (game_id % self.deal_games() / self.block_games) as usize
    }

    /// The number of a game within its block.
    pub(crate) fn place(&self, game_id: u64) -> usize {
        (game_id % self.block_games) as usize
    }

    /// The number of the agent in a seat.
    pub(crate) fn agent(&self, game_id: u64, seat: Player) -> usize {
        self.rounds[(game_id % self.deal_games()) as usize][seat]
    }

    /// The agent in a seat as text.
    pub(crate) fn name(&self, game_id: u64, seat: Player) -> String {
        self.agents[self.agent(game_id, seat)].to_string()
    }

    /// The agent of each seat as text.
    pub(crate) fn names(&self, game_id: u64) -> Vec<String> {
        (0..self.seats()).map(|seat| self.name(game_id, seat)).collect()
    }

    /// Who plays, by places in the roster, with the random stream of each. The games of a deal share a
    /// seed, so each game of a block has streams of its own: the random numbers of one must not come
    /// back in the next.
    pub(crate) fn players(&self, game_id: u64) -> Seats {
        let seed = self.game_seed(game_id);
        let first = self.place(game_id) * self.seats();
        let player = |seat: Player| Seat {
            agent: self.places[self.agent(game_id, seat)],
            rng: Rng::new(seed, Stream::Agent((first + seat) as u8)),
        };
        (0..self.seats()).map(player).collect()
    }
}

/// Refuses options that have nothing to do with this seating.
fn check_idle(job: &Job, seating: Seating) -> Result<(), Error> {
    let idle = match seating {
        Seating::Seats if job.sprt.is_some() => "sprt",
        Seating::Pairs if job.until.is_some() => "until",
        Seating::Pairs if job.duplicate => "duplicate",
        Seating::Pairs if job.observations => "observations",
        _ => return Ok(()),
    };
    let [expected, found] = match seating {
        Seating::Seats => ["a match", "self-play"],
        Seating::Pairs => ["self-play", "a match"],
    };
    Err(Error::config(idle, expected, found))
}

/// The agents: one for each seat or, in a match, all of them.
fn agents(job: &Job, seating: Seating, spec: &Spec) -> Result<Vec<AgentSpec>, Error> {
    let (game, seats) = (spec.name, spec.num_players);
    match job.agents.as_slice() {
        agents if seating == Seating::Pairs => different(agents),
        [one] => Ok(vec![one.clone(); seats]),
        agents if agents.len() == seats => Ok(agents.to_vec()),
        agents => Err(Error::Seats { game, seats, agents: agents.len() }),
    }
}

/// Refuses what no schedule is needed to refuse.
fn check(job: &Job, agents: &[AgentSpec]) -> Result<(), Error> {
    let texts: BTreeSet<String> = agents.iter().map(AgentSpec::to_string).collect();
    if job.until.is_some() && texts.len() > 1 {
        return Err(Error::Until { agents: texts.into_iter().collect() });
    }
    if job.luck_adjusted && job.until.is_none() {
        return Err(Error::NoHalfWidth);
    }
    if job.threads.get() > MAX_THREADS {
        let expected = format!("at most {MAX_THREADS}");
        return Err(Error::config("threads", expected, job.threads));
    }
    for (option, games) in [("games", job.games), ("shard_games", job.shard_games)] {
        if games == 0 {
            return Err(Error::config(option, "at least 1", 0));
        }
    }
    Ok(())
}

/// The number of all games: that of self-play as it is, that of a match for each pair and rounded up to
/// whole blocks.
fn games(job: &Job, seating: Seating, deal_games: u64, block_games: u64) -> Result<u64, Error> {
    let refused = |expected| Err(Error::config("games", expected, job.games));
    match seating {
        Seating::Pairs => {
            let (blocks, pairs) = (job.games.div_ceil(block_games), deal_games / block_games);
            // All counts, those of plies included, must fit their types.
            let most = (u64::MAX >> 16) / block_games / pairs;
            if blocks > most {
                return refused(format!("at most {}", most * block_games));
            }
            Ok(blocks * deal_games)
        }
        Seating::Seats if !job.games.is_multiple_of(deal_games) => {
            refused(format!("a multiple of {deal_games}, the games of each duplicate deal"))
        }
        Seating::Seats => Ok(job.games),
    }
}

/// The number of games in a shard: whole deals.
fn shard_games(job: &Job, games: u64, deal_games: u64) -> Result<u64, Error> {
    let refused = |expected| Err(Error::config("shard_games", expected, job.shard_games));
    let wanted = job.shard_games.checked_next_multiple_of(deal_games);
    let shard_games = wanted.map_or(games, |wanted| wanted.min(games));
    if shard_games > MAX_SHARD_GAMES {
        return refused(format!("at most {MAX_SHARD_GAMES}, as memory holds the games of a shard"));
    }
    if games.div_ceil(shard_games) > u64::from(u32::MAX) {
        return refused(format!("at least {}", games.div_ceil(u32::MAX.into())));
    }
    Ok(shard_games)
}

/// The agents without repetition and, by agent, its place among these.
fn roster(agents: &[AgentSpec]) -> (Vec<AgentSpec>, Vec<usize>) {
    let mut roster: Vec<AgentSpec> = Vec::new();
    let mut places = Vec::new();
    for agent in agents {
        let text = agent.to_string();
        let found = roster.iter().position(|other| other.to_string() == text);
        places.push(found.unwrap_or(roster.len()));
        if found.is_none() {
            roster.push(agent.clone());
        }
    }
    (roster, places)
}

/// The agents of a match.
///
/// # Errors
/// If they are fewer than two, or two are the same.
fn different(agents: &[AgentSpec]) -> Result<Vec<AgentSpec>, Error> {
    if agents.len() < 2 {
        return Err(Error::config("agents", "at least two", agents.len()));
    }
    let mut names = BTreeSet::new();
    match agents.iter().map(AgentSpec::to_string).find(|name| !names.insert(name.clone())) {
        Some(name) => Err(Error::config("agents", "different agents", format!("`{name}` twice"))),
        None => Ok(agents.to_vec()),
    }
}

fn rotations(seats: usize) -> Vec<Vec<usize>> {
    let rotated = |by| (0..seats).map(|seat| (seat + by) % seats).collect();
    (0..seats).map(rotated).collect()
}

/// The pairs of agents, the lower number first.
pub(crate) fn pairs(agents: usize) -> Vec<[usize; 2]> {
    let pairs = |first| (first + 1..agents).map(move |second| [first, second]);
    (0..agents).flat_map(pairs).collect()
}

fn rounds_of_pairs(seats: &PairSeats, agents: usize) -> Vec<Vec<usize>> {
    let round = |pair: [usize; 2], game| {
        (0..seats.seats()).map(|seat| pair[seats.agent(game, seat)]).collect()
    };
    let block = |pair| (0..seats.games()).map(move |game| round(pair, game));
    pairs(agents).into_iter().flat_map(block).collect()
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use darkqi_env::Spec;

    use super::{Job, Schedule, Seating};
    use darkqi_engine::agents::AgentSpec;

    fn schedule(
        agents: &str,
        seating: Seating,
        change: impl Fn(&mut Job),
    ) -> Result<Schedule, String> {
        let agents = AgentSpec::parse_list(agents).expect("the agents exist");
        let mut job = Job::new("jieqi", agents);
        change(&mut job);
        let spec = Spec::new(&job.game, &job.options).expect("the game exists");
        Schedule::new(&job, seating, &spec).map_err(|error| error.to_string())
    }

    #[test]
    fn pairs_take_turns_on_each_deal() {
        let agents = "greedy,random,greedy:values=a.toml";
        let schedule = schedule(agents, Seating::Pairs, |job| job.games = 5).expect("it is sound");
        assert_eq!((schedule.games, schedule.deal_games(), schedule.block_games), (18, 6, 2));
        let seated = |id| [0, 1].map(|seat| schedule.agent(id, seat));
        let rounds: Vec<_> = (0..7).map(seated).collect();
        assert_eq!(rounds, [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1], [0, 1]]);
        let places: Vec<_> =
            (0..7).map(|id| (schedule.deal(id), schedule.block(id), schedule.place(id))).collect();
        assert_eq!(places[..3], [(0, 0, 0), (0, 0, 1), (0, 1, 0)]);
        assert_eq!(places[6], (1, 0, 0));
    }

    #[test]
    fn the_games_of_a_block_have_streams_of_their_own() {
        for seating in [Seating::Seats, Seating::Pairs] {
            let duplicate = |job: &mut Job| job.duplicate = seating == Seating::Seats;
            let schedule = schedule("greedy,random", seating, duplicate).expect("it is sound");
            let draws = |id| schedule.players(id).into_iter().map(|mut seat| seat.rng.next_u64());
            let mut drawn: Vec<u64> = (0..2).flat_map(draws).collect();
            drawn.sort_unstable();
            drawn.dedup();
            assert_eq!(drawn.len(), 4);
        }
    }

    #[test]
    fn faults_are_named() {
        let fault = |change: &dyn Fn(&mut Job)| {
            schedule("greedy,random", Seating::Pairs, change).expect_err("it is faulty")
        };
        let many = fault(&|job| job.games = u64::MAX);
        assert!(many.starts_with("games: expected at most 28147497671065"), "{many}");
        let threads = |job: &mut Job| {
            job.threads = NonZeroUsize::new(1 << 40).expect("it is not zero");
        };
        assert!(fault(&threads).starts_with("threads: expected at most"));
        let idle = fault(&|job| job.duplicate = true);
        assert_eq!(idle, "duplicate: expected self-play, got a match");
    }
}
