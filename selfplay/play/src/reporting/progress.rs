//! Progress of a run.

/// Follows a run. Called from all playing threads.
pub trait Progress: Sync {
    /// A run of `games` games begins. `finished` of them were played before.
    fn begin(&self, _games: u64, _finished: u64) {}

    /// A game of this many plies has ended.
    fn played(&self, plies: u16);

    /// The state of the run, in a few words.
    fn standing(&self, _text: &str) {}

    /// The runs of this agent begin.
    fn agent(&self, _name: &str) {}

    /// This part of what the agent plays is done, as far as it can be told.
    fn advanced(&self, _share: f64) {}

    /// What is to be known is known to this half-width.
    fn narrowed(&self, half_width: f64) {
        self.standing(&format!("± {half_width:.4}"));
    }
}

/// No progress is shown.
impl Progress for () {
    fn played(&self, _: u16) {}
}

/// Progress is shown if there is something to show it.
impl<P: Progress> Progress for Option<P> {
    fn begin(&self, games: u64, finished: u64) {
        if let Some(shown) = self {
            shown.begin(games, finished);
        }
    }

    fn played(&self, plies: u16) {
        if let Some(shown) = self {
            shown.played(plies);
        }
    }

    fn standing(&self, text: &str) {
        if let Some(shown) = self {
            shown.standing(text);
        }
    }

    fn agent(&self, name: &str) {
        if let Some(shown) = self {
            shown.agent(name);
        }
    }

    fn advanced(&self, share: f64) {
        if let Some(shown) = self {
            shown.advanced(share);
        }
    }

    fn narrowed(&self, half_width: f64) {
        if let Some(shown) = self {
            shown.narrowed(half_width);
        }
    }
}
