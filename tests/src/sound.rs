//! Checks that hold for every position of every game, however it was reached.

use darkqi_env::{Action, AnyState, Format, Outcome, Rng, Viewer, render};

/// A spectator and every seat.
pub fn viewers(state: &dyn AnyState) -> impl Iterator<Item = Viewer> + use<> {
    let seats = state.spec().num_players;
    [Viewer::Public].into_iter().chain((0..seats).map(Viewer::Player))
}

/// Asserts everything that must hold for a position. Whether a world that a viewer cannot tell apart is
/// another one.
///
/// # Panics
/// If something does not hold.
pub fn check(state: &dyn AnyState, rng: &mut Rng) -> bool {
    check_actions(state);
    check_fen(state);
    if let Some(outcome) = state.outcome() {
        check_outcome(state, &outcome);
    } else {
        let legal = state.legal_actions();
        check_reveals(state, *rng.choose(legal));
    }
    assert!(render::svg(&state.picture(None)).contains("</svg>"));
    let mut differs = false;
    for viewer in viewers(state) {
        differs |= check_view(state, viewer, rng.next_u64());
    }
    differs
}

fn check_actions(state: &dyn AnyState) {
    let (spec, legal, fen) = (state.spec(), state.legal_actions(), state.fen());
    assert!(state.current_player() < spec.num_players, "{fen}");
    assert_eq!(legal.is_empty(), state.outcome().is_some(), "{fen}");
    assert!(legal.is_sorted_by(|one, other| one < other), "{fen}");
    for &action in legal {
        assert!(action.index() < spec.num_actions, "{fen}");
        assert_eq!(state.action_index(&state.action_name(action)), Ok(action), "{fen}");
    }
}

/// A FEN keeps everything but the history of repetitions.
fn check_fen(state: &dyn AnyState) {
    let (spec, fen) = (state.spec(), state.fen());
    let read = darkqi_env::from_fen(spec.name, &spec.options_in_force(), &fen);
    let read = read.unwrap_or_else(|error| panic!("{fen}: {error}"));
    assert_eq!(read.fen(), fen);
    assert_eq!(read.current_player(), state.current_player(), "{fen}");
    for viewer in viewers(state) {
        let seen = state.view_fen(viewer);
        assert_eq!(read.view_fen(viewer), seen);
        // What hides something cannot be played on.
        let read = darkqi_env::from_fen(spec.name, &spec.options_in_force(), &seen);
        assert_eq!(read.is_err(), seen != fen, "{seen}");
    }
    if state.outcome().is_none() {
        assert_eq!(read.legal_actions(), state.legal_actions(), "{fen}");
        assert!(read.outcome().is_none(), "{fen}");
    }
}

/// Checks the rewards (RULES.md 9.24).
fn check_outcome(state: &dyn AnyState, outcome: &Outcome) {
    let (rewards, fen) = (outcome.rewards(), state.fen());
    assert_eq!(rewards.len(), state.spec().num_players, "{fen}");
    assert!(rewards.iter().sum::<f32>().abs() < 1e-5, "{rewards:?} of {fen}");
    assert!(rewards.iter().all(|reward| (-1.0..=1.0).contains(reward)), "{rewards:?} of {fen}");
    assert!(!outcome.truncated() || rewards.iter().all(|&reward| reward == 0.0), "{fen}");
}

fn check_reveals(state: &dyn AnyState, action: Action) {
    let fen = state.fen();
    let reveals = state.reveals(action).expect("the action is legal");
    let odds: f64 = reveals.iter().map(|reveal| reveal.probability).sum();
    assert!((odds - 1.0).abs() < 1e-9, "{odds} of {} in {fen}", state.action_name(action));
    let mover = Viewer::Player(state.current_player());
    // What happens is among them: otherwise it panics.
    state.event(action, mover).expect("the action is legal");
    for reveal in &reveals {
        let world = state.arrange(action, reveal).expect("the reveal is possible");
        assert_eq!(world.view_fen(mover), state.view_fen(mover), "{fen}");
    }
}

fn check_view(state: &dyn AnyState, viewer: Viewer, seed: u64) -> bool {
    let fen = state.view_fen(viewer);
    let world = state.resample(viewer, seed);
    assert_eq!(world.view_fen(viewer), fen);
    assert_eq!(world.legal_actions().is_empty(), state.outcome().is_some(), "{fen}");
    if viewer == Viewer::Player(state.current_player()) {
        assert_eq!(world.legal_actions(), state.legal_actions(), "{fen}");
    }
    for format in [Format::Planes, Format::Tokens] {
        let [shown, sampled] = [state, world.as_ref()].map(|state| {
            let mut row = vec![0xFF; format.len(&state.spec().layout)];
            state.observe(viewer, format, &mut row);
            row
        });
        assert_eq!(shown, sampled, "{fen}");
    }
    let [shown, sampled] = [state, &*world].map(|state| state.picture(Some(viewer)));
    assert_eq!(shown, sampled, "{fen}");
    assert!(!render::text(&shown).is_empty());
    world.fen() != state.fen()
}
