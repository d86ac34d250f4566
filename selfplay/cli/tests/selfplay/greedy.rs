//! The choices of the greedy agent.

use std::collections::BTreeMap;

use darkqi_engine::agent::{NEVER, Request};
use darkqi_engine::agents::AgentSpec;
use darkqi_env::games::{self, Visitor};
use darkqi_env::{Options, Registered, Rng, Stream, Viewer, game::GameExt};

const DECISIONS: u32 = 4000;

struct Choices<'a>(&'a str);

impl Visitor for Choices<'_> {
    type Output = BTreeMap<String, u32>;

    fn visit<G: Registered>(self, rules: G) -> Self::Output {
        let state = rules.parse_fen(self.0).expect("the FEN is well formed");
        let legal = rules.actions(&state);
        let view = rules.view(&state, Viewer::Player(rules.to_move(&state)));
        let spec: AgentSpec = "greedy".parse().expect("greedy exists");
        let mut agent = spec.build(&rules).expect("greedy can be built");
        let rng = &mut Rng::new(1, Stream::Agent(0));
        let mut request = Request { game: 0, view, legal: &legal, rng, stop: &NEVER };
        let mut counts = BTreeMap::new();
        for _ in 0..DECISIONS {
            let action = agent.decide(&rules, &mut request).expect("it always decides").action;
            *counts
                .entry(rules.table().name(action, rules.perspective(rules.to_move(&state))))
                .or_default() += 1;
        }
        counts
    }
}

/// How often each action is chosen.
fn choices(game: &str, fen: &str) -> BTreeMap<String, u32> {
    games::with(game, &Options::new(), Choices(fen)).expect("the game exists")
}

fn assert_always(game: &str, fen: &str, action: &str) {
    assert_eq!(choices(game, fen), BTreeMap::from([(action.to_owned(), DECISIONS)]), "{fen}");
}

/// Asserts that each of these actions and no other is chosen, equally often.
fn assert_uniform(game: &str, fen: &str, actions: &[&str]) {
    let counts = choices(game, fen);
    assert_eq!(counts.keys().collect::<Vec<_>>(), actions, "{fen}");
    let share = f64::from(DECISIONS) / actions.len() as f64;
    // Five standard deviations of a binomial count.
    let spread = 5.0 * (share * (1.0 - 1.0 / actions.len() as f64)).sqrt();
    let even = |&count: &u32| (f64::from(count) - share).abs() < spread;
    assert!(counts.values().all(even), "{fen}: {counts:?}");
}

#[test]
fn a_hanging_chariot_is_taken() {
    // The alternatives: a horse, and a covered piece that is a soldier or a cannon.
    assert_always("gaiqi", "8/3h4/2~cPr3/7~p 1 r - 0 10 -", "d2e2");
    // The general outweighs everything.
    assert_always("gaiqi", "8/3k4/2~cPr3/7~p 1 r - 0 10 -", "d2d3");
    assert_always("jieqi", "3k5/9/9/9/9/9/r8/9/9/R3K4 w - 0 10", "a1a4");
}

#[test]
fn covered_pieces_are_valued_by_their_odds() {
    // The covered piece is the own general or an enemy soldier: the capture is never chosen.
    let others = ["d2c2", "d2d1", "d2e2", "d3", "e3"];
    assert_uniform("gaiqi", "8/3~K~p3/3P4/8 1 r - 0 10 -", &others);
    // It is the enemy's general or an own soldier: the capture is chosen, whatever it is.
    for covered in ["~P~k", "~k~P"] {
        assert_always("gaiqi", &format!("8/3{covered}3/3P4/8 1 r - 0 10 -"), "d2d3");
    }
    // The same for seat 1 (`2` in the FEN), which plays black.
    assert_always("gaiqi", "8/3~p~K3/3p4/8 2 r - 0 11 -", "d2d3");
}

#[test]
fn ties_are_broken_uniformly() {
    assert_uniform("gaiqi", "8/8/3P4/8 1 r - 0 10 -", &["d2c2", "d2d1", "d2d3", "d2e2"]);
    // It may be either general: captures are worth 0 on average, like quiet actions.
    let actions = ["d2c2", "d2d1", "d2d3", "d2e2", "d3", "e3"];
    assert_uniform("gaiqi", "8/3~K~k3/3P4/8 1 r - 0 10 -", &actions);
    // The mean over the six kinds that the capturing piece may be rounds to the same value as that
    // of a capturing piece face up.
    let fen = "3k5/9/9/9/9/9/9/p7p/9/~A~A~E~HK~R~C~PR w - 0 10";
    let captures = ["a1a3", "b1a3", "c1a3", "g1i3", "h1i3", "i1i3"];
    assert_uniform("jieqi", fen, &captures);
}
