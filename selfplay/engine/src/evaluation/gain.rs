//! The material that an action is expected to capture.

use darkqi_env::{Action, Event, Registered};

/// The expected change of material by an action, by what a viewer knows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Gain {
    /// The expected value of the captured piece over all outcomes, negative for the mover's own.
    pub(crate) expected: f64,
    /// How many outcomes the viewer may see.
    pub(crate) outcomes: usize,
}

impl Gain {
    /// The gain of a legal action of the mover. `value` gives the value of a kind, `unknown` that of a
    /// piece which is captured unseen.
    #[inline]
    pub(crate) fn of<G: Registered>(
        rules: &G,
        view: &G::View<'_>,
        action: Action,
        value: impl Fn(u8) -> f64,
        unknown: f64,
    ) -> Self {
        let mover = G::view_to_move(view);
        let captured = |event: &Event| match event.captured {
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
            gain.expected += odds * captured(&event);
            gain.outcomes += 1;
        });
        gain
    }
}
