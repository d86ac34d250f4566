//! What an action is expected to take.

use darkqi_env::{Action, Event, Registered};

/// What an action does to the material, as far as a viewer can foresee.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Gain {
    /// The value of what it takes, negative for the mover's own, as expected over all that it may
    /// turn up.
    pub(crate) expected: f64,
    /// In how many ways it may turn out for the viewer.
    pub(crate) outcomes: usize,
}

impl Gain {
    /// The gain of a legal action of the mover. `value` tells what a kind is worth, `unknown` what
    /// something is worth that is taken unseen.
    #[inline]
    pub(crate) fn of<G: Registered>(
        rules: &G,
        view: &G::View<'_>,
        action: Action,
        value: impl Fn(u8) -> f64,
        unknown: f64,
    ) -> Self {
        let mover = G::view_to_move(view);
        let taken = |event: &Event| match event.captured {
            Some(piece) => match G::owner(view, piece.army) {
                Some(owner) if owner == mover => -value(piece.kind),
                Some(_) => value(piece.kind),
                None => 0.0,
            },
            None if event.captured_covered => unknown,
            None => 0.0,
        };
        let mut gain = Self { expected: 0.0, outcomes: 0 };
        rules.each_reveal(view, action, |event, odds| {
            gain.expected += odds * taken(&event);
            gain.outcomes += 1;
        });
        gain
    }
}
