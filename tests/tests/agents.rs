//! Laws of every registered agent in every registered game: it plays by what its seat may know, and
//! its choice depends on the request alone.

use std::{env, thread};

use darkqi_engine::agent::Agent;
use darkqi_engine::agents::{AgentSpec, agents, baseline_net};
use darkqi_env::{Action, AnyState, Registered, Rng, Session, Spec, Viewer, Visitor, games};
use darkqi_tests::ask::{agent, choose};
use darkqi_tests::{cases, short_games, test_rng};
use rayon::prelude::*;

/// Positions of each game at which each agent is asked, at most.
const POSITIONS: u64 = 80;

/// New agents and copies are asked at every seventh position: their nets are loaded anew each time.
const NEW_AT: usize = 7;

/// Worlds drawn at each position.
const WORLDS: usize = 2;

/// Settings that make searching agents and nets quick. Each agent gets those that it has.
const QUICK: [&str; 4] = ["depth=2", "nodes=200", "sims=10", "batch=1"];

/// A setting that changes how an agent plays. Agents that have it are tested with and without it.
const VARIED: &str = "epsilon=0.5";

/// The agent that needs the library of ONNX Runtime, and its specs without search, and with Gumbel
/// noise at the root.
const BASELINE: (&str, [&str; 2]) =
    ("baseline", ["baseline:batch=1", "baseline:batch=1,sims=4,root=gumbel,temperature=1"]);

/// The specs of every registered agent that plays the game, without and with [`VARIED`].
fn specs<G: Registered>() -> Vec<String> {
    let mut specs = Vec::new();
    // `make test` says where the library is; then it must be usable.
    let has_library = env::var_os("ORT_DYLIB_PATH").is_some_and(|path| !path.is_empty());
    let has_baseline = has_library && baseline_net(&Spec::of(&G::default())).is_ok();
    if has_baseline {
        specs.extend(BASELINE.1.map(str::to_owned));
    }
    // The others need a file or a program.
    for info in agents().iter().filter(|info| info.stands_alone()) {
        if info.name == BASELINE.0 && !has_baseline {
            continue;
        }
        let mut spec = info.name.to_owned();
        for setting in QUICK {
            spec = with(&spec, setting).unwrap_or(spec);
        }
        let varied = with(&spec, VARIED);
        specs.extend([spec].into_iter().chain(varied));
    }
    specs
}

/// The spec with this setting added, if the agent has the setting.
fn with(spec: &str, setting: &str) -> Option<String> {
    let separator = if spec.contains(':') { ',' } else { ':' };
    let longer = format!("{spec}{separator}{setting}");
    longer.parse::<AgentSpec>().is_ok().then_some(longer)
}

/// A law of agents that holds in any game.
trait Law: Sync {
    fn check<G: Registered>(&self, spec: &str, positions: &[Session<G>]);
}

/// Checks a law for every agent in every game.
fn for_every_agent(law: impl Law) {
    struct Check<'a, L>(&'a L);
    impl<L: Law> Visitor for Check<'_, L> {
        type Output = ();
        fn visit<G: Registered>(self, rules: G) {
            let positions = positions(rules);
            for spec in specs::<G>() {
                self.0.check(&spec, &positions);
            }
        }
    }
    games::names().par_iter().for_each(|name| {
        games::with(name, &short_games(name), Check(&law)).expect("registered games exist");
    });
}

/// Positions from all stages of random games.
fn positions<G: Registered>(rules: G) -> Vec<Session<G>> {
    /// The mean number of plies between two positions of a game.
    const APART: u32 = 20;
    let rng = &mut test_rng(0);
    let mut positions = Vec::new();
    for seed in 0.. {
        let mut session = Session::deal(rules.clone(), seed);
        while session.outcome().is_none() {
            if rng.below(APART) == 0 {
                positions.push(session.clone());
                if positions.len() as u64 == cases(POSITIONS) {
                    return positions;
                }
            }
            let legal = session.legal_actions();
            session.play(*rng.choose(legal));
        }
    }
    unreachable!("there are enough deals")
}

/// Whether `choose`, with the same seed, returns the same action in sampled worlds that the mover
/// cannot tell apart.
fn plays_blind<G: Registered>(
    session: &Session<G>,
    seed: u64,
    mut choose: impl FnMut(&Session<G>, &mut Rng) -> Action,
) -> bool {
    let rules = session.rules();
    let view = rules.view(session.state(), Viewer::Player(session.current_player()));
    let choice = choose(session, &mut test_rng(seed));
    (0..WORLDS).all(|world| {
        let world = rules.determinize(&view, &mut test_rng(world as u64));
        choose(&Session::new(rules.clone(), world), &mut test_rng(seed)) == choice
    })
}

struct Blind;
impl Law for Blind {
    fn check<G: Registered>(&self, spec: &str, positions: &[Session<G>]) {
        let mut asked = agent::<G>(spec);
        for (seed, session) in (0..).zip(positions) {
            let blind = plays_blind(session, seed, |world, rng| choose(&mut *asked, world, rng));
            assert!(blind, "{spec} sees through {}", session.fen());
        }
    }
}

#[test]
fn choices_are_equal_in_worlds_that_the_mover_cannot_tell_apart() {
    for_every_agent(Blind);
}

/// Chooses by the full state, which is cheating.
fn peek<G: Registered>(session: &Session<G>, _: &mut Rng) -> Action {
    let sum: usize = session.fen().bytes().zip(1..).map(|(byte, at)| usize::from(byte) * at).sum();
    let legal = session.legal_actions();
    legal[sum % legal.len()]
}

#[test]
fn an_agent_that_sees_covered_pieces_is_caught() {
    struct Caught;
    impl Visitor for Caught {
        type Output = ();
        fn visit<G: Registered>(self, rules: G) {
            let deal = Session::deal(rules.clone(), 0);
            let hides = deal.view_fen(Viewer::Public) != deal.fen();
            let positions = positions(rules);
            let sees = |(seed, session): &(u64, &Session<G>)| !plays_blind(session, *seed, peek);
            let caught = (0..).zip(&positions).filter(sees).count();
            // Late in a game little is covered.
            let expected = if hides { positions.len() / 10..=positions.len() } else { 0..=0 };
            assert!(expected.contains(&caught), "{}: caught {caught} times", G::NAME);
        }
    }
    for name in games::names() {
        games::with(name, &short_games(name), Caught).expect("registered games exist");
    }
}

struct Unmoved;
impl Law for Unmoved {
    fn check<G: Registered>(&self, spec: &str, positions: &[Session<G>]) {
        let mut used = agent::<G>(spec);
        for (seed, session) in (0..).zip(positions).step_by(NEW_AT) {
            let ask = |agent: &mut dyn Agent<G>| choose(agent, session, &mut test_rng(seed));
            let choice = ask(&mut *agent(spec));
            let where_asked = || format!("{spec} at {}", session.fen());
            assert!(session.legal_actions().contains(&choice), "{}", where_asked());
            assert_eq!(ask(&mut *used), choice, "asked before, {}", where_asked());
            let mut copy = used.boxed_clone();
            let elsewhere = thread::scope(|scope| scope.spawn(|| ask(&mut *copy)).join());
            assert_eq!(elsewhere.expect("it chooses"), choice, "copied, {}", where_asked());
        }
    }
}

#[test]
fn choices_are_legal_and_depend_on_the_request_alone() {
    for_every_agent(Unmoved);
}
