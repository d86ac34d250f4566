//! The memory of a search about actions, to try the best ones first.
//!
//! - Killers: the latest quiet actions that caused a cut-off at the same distance from the root
//!   (Akl and Newborn, "The Principal Continuation and the Killer Heuristic", ACM 1977).
//! - Counter moves: the quiet action that refuted an action last (Uiterwijk, "The Countermove
//!   Heuristic", ICCA Journal 15, 1992).
//! - History: how often an action caused a cut-off (Schaeffer, "The History Heuristic", ICCA Journal
//!   6, 1983). What fails counts against it, and older results fade as newer ones come in.

use darkqi_env::Action;

/// Stands for no action.
pub(super) const NONE: Action = Action(u16::MAX);

/// Distances from the root that have killers.
const PLIES: usize = 64;

/// The greatest magnitude of an action's history.
pub(super) const MOST: i32 = 1 << 13;

/// The greatest change of an action's history by one cut-off.
const MAX_BONUS: i32 = 400;

/// A cut-off by a quiet action.
#[derive(Clone, Copy, Debug)]
pub(super) struct CutOff {
    /// 0 for the searcher's side, 1 for the others'.
    pub(super) side: usize,
    /// Distance from the root.
    pub(super) ply: usize,
    /// The action before.
    pub(super) before: Action,
    pub(super) action: Action,
    /// Layers that were left to search.
    pub(super) depth: u32,
}

/// The memory of a search about its actions.
#[derive(Debug)]
pub(super) struct Ordering {
    killers: [[Action; 2]; PLIES],
    /// By the action before.
    counters: Vec<Action>,
    /// By side, 0 the searcher's and 1 the others', then by action.
    history: [Vec<i16>; 2],
}

impl Ordering {
    pub(super) const fn new() -> Self {
        Self {
            killers: [[NONE; 2]; PLIES],
            counters: Vec::new(),
            history: [Vec::new(), Vec::new()],
        }
    }

    /// Forgets everything. The game has this many actions.
    pub(super) fn restart(&mut self, actions: usize) {
        self.killers.fill([NONE; 2]);
        self.counters.clear();
        self.counters.resize(actions, NONE);
        for history in &mut self.history {
            history.clear();
            history.resize(actions, 0);
        }
    }

    /// Prepares for the next search of a game: killers are forgotten and history fades.
    pub(super) fn age(&mut self) {
        self.killers.fill([NONE; 2]);
        self.history.iter_mut().flatten().for_each(|value| *value /= 2);
    }

    /// The history of an action.
    #[inline]
    pub(super) fn history(&self, side: usize, action: Action) -> i32 {
        self.history[side][action.index()].into()
    }

    /// The killers at a distance from the root.
    #[inline]
    pub(super) fn killers(&self, ply: usize) -> [Action; 2] {
        self.killers[ply.min(PLIES - 1)]
    }

    /// The counter move to an action.
    #[inline]
    pub(super) fn counter(&self, before: Action) -> Action {
        self.counters.get(before.index()).copied().unwrap_or(NONE)
    }

    /// Records a cut-off that the actions `failed` had not caused.
    pub(super) fn cut_off(
        &mut self,
        CutOff { side, ply, before, action, depth }: CutOff,
        failed: &[Action],
    ) {
        let [first, second] = &mut self.killers[ply.min(PLIES - 1)];
        if *first != action {
            *second = *first;
            *first = action;
        }
        if let Some(counter) = self.counters.get_mut(before.index()) {
            *counter = action;
        }
        let bonus = (depth * depth * 4).min(MAX_BONUS as u32) as i32;
        let history = &mut self.history[side];
        let mut add = |action: Action, bonus: i32| {
            let value = &mut history[action.index()];
            let old = i32::from(*value);
            // Values approach `MOST` and never pass it.
            *value = (old + bonus - old * bonus.abs() / MOST) as i16;
        };
        add(action, bonus);
        for &action in failed {
            add(action, -bonus);
        }
    }
}

#[cfg(test)]
mod tests {
    use darkqi_env::Action;

    use super::{CutOff, MOST, NONE, Ordering};

    #[test]
    fn cut_offs_are_remembered_and_fade() {
        let [first, second, failed] = [1, 2, 3].map(Action);
        let mut ordering = Ordering::new();
        ordering.restart(4);
        let cut_off = CutOff { side: 0, ply: 5, before: second, action: first, depth: 20 };
        for _ in 0..1000 {
            ordering.cut_off(cut_off, &[failed]);
        }
        assert_eq!(ordering.killers(5), [first, NONE]);
        assert_eq!((ordering.counter(second), ordering.counter(NONE)), (first, NONE));
        let history = ordering.history(0, first);
        assert!(history <= MOST && history > MOST / 2, "{history}");
        assert_eq!(ordering.history(0, failed), -history);
        assert_eq!(ordering.history(1, first), 0);
        ordering.cut_off(CutOff { action: second, ..cut_off }, &[]);
        assert_eq!(ordering.killers(5), [second, first]);
        ordering.age();
        assert_eq!((ordering.killers(5), ordering.history(0, first)), ([NONE; 2], history / 2));
    }
}
