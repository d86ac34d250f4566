//! Matches: determinism, duplicate deals, tests, faulty configurations.

use std::fs;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use darkqi_engine::agent::{AgentFailure, NEVER};
use darkqi_engine::agents::{AgentSpec, Policy, PolicyDecisions};
use darkqi_engine::nets::Block;
use darkqi_env::game::texts;
use darkqi_env::{Format, games};
use darkqi_play::arena::{self, Decision, RatingKind, Results};
use darkqi_play::generation::Job;

use super::{folder, folder_with};

/// A match on one thread.
pub(crate) fn matched(game: &str, agents: &str, games: u64) -> Job {
    let agents = AgentSpec::parse_list(agents).expect("the agents exist");
    Job { games, threads: NonZeroUsize::MIN, ..Job::new(game, agents) }
}

/// The results of a match, without times and without the number of resumed games.
pub(crate) fn play(config: &Job) -> Results {
    let results = arena::play(config, &(), &NEVER).expect("the match succeeds");
    timeless(results)
}

/// Without what is counted of games of one run only.
pub(crate) fn undecided(mut results: Results) -> Results {
    results.agents.iter_mut().for_each(|agent| agent.decisions = 0);
    results
}

pub(crate) fn timeless(mut results: Results) -> Results {
    results.seconds = 0.0;
    results.resumed_games = 0;
    for agent in &mut results.agents {
        agent.seconds = 0.0;
        agent.decisions_per_second = None;
    }
    results
}

/// Plays the first legal action, and fails at its n-th decision.
#[derive(Debug)]
struct Failing {
    left: AtomicU64,
}

impl Policy for Failing {
    fn format(&self) -> Format {
        Format::Tokens
    }

    fn rows(&self) -> usize {
        1
    }

    fn decide(&self, block: &Block) -> Result<PolicyDecisions, AgentFailure> {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            return Err(AgentFailure::new(0, "no idea"));
        }
        let first = block.action_mask().iter().position(|is_legal| *is_legal);
        let actions = vec![first.expect("an action is legal") as i64];
        Ok(PolicyDecisions { actions, ..PolicyDecisions::default() })
    }
}

#[test]
fn a_failure_keeps_the_results_so_far() {
    let folder = folder();
    let config = |left: u64, out: Option<&str>| {
        let policy = AgentSpec::of_policy("first", Arc::new(Failing { left: left.into() }));
        let agents = vec![policy, "random".parse().expect("it exists")];
        let dir = out.map(|name| folder.path().join(name));
        let options = texts(&[("max_plies", "40")]);
        let threads = NonZeroUsize::MIN;
        Job { games: 60, threads, dir, options, ..Job::new("flipping", agents) }
    };
    let fail = |config: &Job| arena::play(config, &(), &NEVER).expect_err("it fails");
    let whole = play(&config(u64::MAX, None));
    let failed = fail(&config(500, Some("match")));
    assert!(failed.to_string().contains("agent python:first: no idea"), "{failed}");
    let so_far = failed.so_far.expect("games were played");
    assert!((10..60).contains(&so_far.played()) && so_far.asked() == 60, "{so_far:?}");
    assert!(!so_far.complete && so_far.agents[0].score.is_some());
    // The same match goes on from its log.
    let resumed = play(&config(u64::MAX, Some("match")));
    assert_eq!(undecided(resumed), undecided(whole));
    // Without a finished block there is nothing to tell.
    assert!(fail(&config(1, None)).so_far.is_none());
}

pub(crate) fn error(config: &Job) -> String {
    let result = arena::play(config, &(), &NEVER);
    result.expect_err("the match is faulty").to_string()
}

pub(crate) fn threads(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).expect("it is not zero")
}

#[test]
fn threads_do_not_change_results() {
    for game in games::names() {
        let config =
            matched(game, "greedy,random", if *game == "seven_kingdoms" { 14 } else { 21 });
        let one = play(&config);
        assert!(one.complete, "{game}");
        assert_eq!(one.pairs[0].games % one.games_per_block as u64, 0, "{game}");
        assert_eq!(one.pairs[0].games, if *game == "seven_kingdoms" { 14 } else { 22 });
        for number in [2, 5] {
            assert_eq!(one, play(&Job { threads: threads(number), ..config.clone() }), "{game}");
        }
    }
}

#[test]
fn a_pair_plays_the_same_beside_other_agents() {
    let folder = folder();
    let file = folder.path().join("values.toml");
    fs::write(&file, "[gaiqi]\nP = 50\n").expect("the file can be written");
    let three = format!("greedy,random,greedy:values={}", file.display());
    let round = play(&matched("gaiqi", &three, 40));
    assert_eq!(round.pairs.len(), 3);
    let two = play(&matched("gaiqi", "greedy,random", 40));
    assert_eq!(round.pairs[0], two.pairs[0]);
    assert_eq!(round.agents[0].games, 80);
    let points: f64 = round.agents.iter().map(|agent| agent.points).sum();
    assert_eq!(points, 120.0);
    assert_eq!(round.agents[0].elo.map(|elo| elo.value), Some(0.0));
}

#[test]
fn seeds_change_games_and_longer_matches_begin_with_the_same_games() {
    let config = matched("gaiqi", "greedy,random", 40);
    let results = play(&config);
    assert_ne!(results.pairs, play(&Job { seed: 1, ..config.clone() }).pairs);
    // The first blocks of a longer match are those of a shorter one.
    let longer = play(&Job { games: 60, ..config });
    let (short, long) = (&results.pairs[0], &longer.pairs[0]);
    let pentanomials = short.pentanomial.into_iter().flatten();
    let mut grown = pentanomials.zip(long.pentanomial.into_iter().flatten());
    assert!(grown.all(|(short, long)| short <= long), "{short:?}, {long:?}");
}

#[test]
fn figures_are_consistent() {
    let results = play(&matched("gaiqi", "greedy,random", 100));
    let pair = &results.pairs[0];
    assert_eq!(pair.wins + pair.draws + pair.losses, 100);
    assert_eq!(pair.endings.values().sum::<u64>(), 100);
    assert_eq!(pair.block_scores.iter().map(|cell| cell.blocks).sum::<u64>(), 50);
    let counts = pair.pentanomial.expect("there are two seats");
    let points: u64 = (0..).zip(counts).map(|(halves, count)| halves * count).sum();
    assert_eq!(points, 2 * pair.wins + pair.draws);
    let score = pair.score.expect("there are games");
    assert_eq!(score.value, points as f64 / 200.0);
    assert!(score.low > 0.5 && pair.los > Some(0.99), "{pair:?}");
    let elo = pair.elo.expect("there are games");
    let rating = results.agents[1].elo.expect("both have scored");
    assert!((rating.value + elo.value).abs() < 1e-6);
    assert_eq!(results.agents[0].points, points as f64 / 2.0);
    let plies = pair.mean_plies.expect("there are games") * 100.0;
    let decisions: u64 = results.agents.iter().map(|agent| agent.decisions).sum();
    assert!((plies - decisions as f64).abs() < 1e-6);
}

#[test]
fn an_agent_is_as_strong_as_itself() {
    let results = play(&matched("gaiqi", "greedy,greedy:values=built-in", 400));
    let score = results.pairs[0].score.expect("there are games");
    assert!(score.low < 0.5 && score.high > 0.5, "{score:?}");
    // Each game has its own random streams, so the second game is not the first with seats
    // exchanged.
    assert_ne!(results.pairs[0].pentanomial, Some([0, 0, 200, 0, 0]));
}

#[test]
fn random_plies_make_openings_differ() {
    let results = play(&matched("flipping", "greedy,random", 4));
    assert_eq!(results.random_plies, 4);
    let config = Job { random_plies: Some(0), ..matched("flipping", "greedy,random", 4) };
    assert_eq!(play(&config).random_plies, 0);
    // The plies include random ones, the decisions do not.
    let short = Job {
        random_plies: Some(3),
        options: texts(&[("max_plies", "5")]),
        ..matched("jieqi", "greedy,random", 2)
    };
    let results = play(&short);
    assert_eq!(results.pairs[0].mean_plies, Some(5.0));
    assert_eq!(results.agents[0].decisions + results.agents[1].decisions, 4);
    assert_eq!((results.pairs[0].truncated, results.pairs[0].draws), (2, 2));
    let none_left = Job { random_plies: Some(5), ..short };
    assert_eq!(
        error(&none_left),
        "random_plies: expected fewer, got 5: 1000 openings in a row ended the game with seed 0"
    );
}

#[test]
fn matches_with_more_than_two_seats_are_balanced() {
    let seats = |seats: &str| Job {
        options: texts(&[("seats", seats)]),
        ..matched("seven_kingdoms", "greedy,random", 1)
    };
    for (given, players, block) in [("01-012-", 3, 6), ("0123012", 4, 2), ("01-----", 2, 2)] {
        let results = play(&seats(given));
        assert_eq!((results.seats, results.games_per_block), (players, block));
        assert_eq!((results.pairs[0].games, results.pairs[0].blocks), (block as u64, 1));
        assert_eq!(results.pairs[0].pentanomial.is_some(), players == 2);
    }
    // The seats of a team have the same agent: otherwise no agent could win.
    let mut teams = seats("0123012");
    teams.options.extend(texts(&[("teams", "ABBA")]));
    let results = play(&Job { games: 40, ..teams });
    assert_eq!((results.seats, results.games_per_block), (4, 2));
    let pair = &results.pairs[0];
    assert_eq!(pair.pentanomial.map(|counts| counts.iter().sum()), Some(20));
    assert!(pair.wins > 30 && pair.draws < 5, "{pair:?}");
    let test = Job { games: 60, sprt: Some([0.0, 200.0]), ..seats("01-012-") };
    let results = play(&test);
    let verdict = results.sprt.expect("there is a test");
    assert!(verdict.llr.is_finite(), "{verdict:?}");
}

#[test]
fn tests_do_not_depend_on_the_number_of_threads() {
    let config = Job { sprt: Some([0.0, 100.0]), ..matched("gaiqi", "greedy,random", 2000) };
    let one = play(&config);
    let verdict = one.sprt.expect("there is a test");
    assert_eq!(verdict.decision, Decision::H1);
    assert!(verdict.llr >= verdict.upper && one.complete);
    assert!(one.pairs[0].games < 2000);
    for number in [2, 5] {
        assert_eq!(one, play(&Job { threads: threads(number), ..config.clone() }));
    }
    let reversed = Job {
        agents: AgentSpec::parse_list("random,greedy").expect("they exist"),
        ..config.clone()
    };
    assert_eq!(play(&reversed).sprt.map(|verdict| verdict.decision), Some(Decision::H0));
    let short = play(&Job { games: 4, ..config });
    assert_eq!(short.sprt.map(|verdict| verdict.decision), Some(Decision::Undecided));
    assert!(short.complete && short.pairs[0].games == 4);
}

#[test]
fn without_games_figures_are_none() {
    let config = matched("gaiqi", "greedy,random", 10);
    let stopped = arena::play(&config, &(), &AtomicBool::new(true)).expect("it stops");
    let pair = &stopped.pairs[0];
    assert!(pair.score.is_none() && pair.elo.is_none() && pair.los.is_none());
    assert_eq!(stopped.agents[1].elo_kind, RatingKind::Unknown);
    assert_eq!(stopped.agents[1].score, None);
}

#[test]
fn faulty_configurations_write_nothing() {
    let (_folder, dir) = folder_with("match");
    let fault = |config: Job| {
        let text = error(&Job { dir: Some(dir.clone()), ..config });
        assert!(!dir.exists(), "{text}");
        text
    };
    let pair = || matched("gaiqi", "greedy,random", 10);
    assert_eq!(fault(matched("gaiqi", "greedy", 10)), "agents: expected at least two, got 1");
    assert_eq!(
        fault(matched("gaiqi", "greedy,random,greedy", 10)),
        "agents: expected different agents, got `greedy` twice"
    );
    assert_eq!(fault(Job { games: 0, ..pair() }), "games: expected at least 1, got 0");
    assert!(fault(matched("chess", "greedy,random", 10)).starts_with("unknown game `chess`"));
    let options = texts(&[("quiet", "1")]);
    assert!(fault(Job { options, ..pair() }).starts_with("gaiqi has no option `quiet`"));
    let sprt = Some([5.0, 1.0]);
    assert!(fault(Job { sprt, ..pair() }).starts_with("sprt: expected two Elo differences"));
    assert!(
        fault(matched("gaiqi", "greedy:values=none.toml,random", 10))
            .starts_with("piece values none.toml: ")
    );
    let plies = Job { random_plies: Some(100_000), ..pair() };
    assert!(fault(plies).starts_with("random_plies: expected fewer, got 100000"));
}
