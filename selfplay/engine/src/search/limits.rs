//! When a search stops.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Nodes between two readings of the clock and of the flag that stops a search: a reading of the clock
/// costs a tenth of a node.
const CLOCK_INTERVAL: u64 = 16;

/// How far a search goes. The limit that is met first ends it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Layers of full-width search: a ply is one, a chance node another. Quiescence search follows.
    pub depth: u32,
    /// Positions searched.
    pub nodes: Option<u64>,
    /// Time for one decision. The result then depends on the machine.
    pub time: Option<Duration>,
}

impl Limits {
    /// The deepest search.
    pub const MAX_DEPTH: u32 = 64;
    pub(crate) const MAX_NODES: u64 = 1_000_000_000_000;
    /// A day.
    pub(crate) const MAX_MILLISECONDS: u64 = 86_400_000;

    /// A limit of depth alone.
    pub const fn depth(depth: u32) -> Self {
        Self { depth, nodes: None, time: None }
    }
}

/// How much of its limits a search has used up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget<'a> {
    nodes: u64,
    most: u64,
    deadline: Option<Instant>,
    stop: Option<&'a AtomicBool>,
    spent: bool,
}

impl<'a> Budget<'a> {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            stop: None,
            nodes: 0,
            most: limits.nodes.unwrap_or(u64::MAX),
            // A deadline beyond the clock's range is none.
            deadline: limits.time.and_then(|time| Instant::now().checked_add(time)),
            spent: false,
        }
    }

    /// The budget, spent once the flag is set.
    pub(super) const fn until(self, stop: &'a AtomicBool) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// The budget of as many nodes as were searched, up to the same time.
    pub(super) const fn again(self) -> Self {
        Self { nodes: 0, most: self.nodes, spent: false, ..self }
    }

    /// Counts a node, unless the budget is spent.
    #[inline]
    pub(super) fn spend(&mut self) {
        let is_time_to_look = self.nodes.is_multiple_of(CLOCK_INTERVAL);
        self.spent |= self.nodes >= self.most || is_time_to_look && self.is_over();
        self.nodes += u64::from(!self.spent);
    }

    /// Whether it is too late, or the search is to stop.
    #[inline]
    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Whether the search must end.
    #[inline]
    pub(super) const fn is_spent(&self) -> bool {
        self.spent
    }

    /// Positions searched.
    pub(super) const fn nodes(&self) -> u64 {
        self.nodes
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::{Budget, CLOCK_INTERVAL, Limits};

    #[test]
    fn nodes_are_counted_up_to_the_limit() {
        let mut budget = Budget::new(&Limits { nodes: Some(3), ..Limits::depth(1) });
        for _ in 0..3 {
            budget.spend();
            assert!(!budget.is_spent());
        }
        budget.spend();
        assert!(budget.is_spent());
        assert_eq!(budget.nodes(), 3);
    }

    #[test]
    fn a_flag_ends_the_search_soon() {
        let stop = AtomicBool::new(false);
        let mut budget = Budget::new(&Limits::depth(1)).until(&stop);
        for _ in 0..100 {
            budget.spend();
        }
        assert!(!budget.is_spent());
        stop.store(true, Ordering::Relaxed);
        for _ in 0..CLOCK_INTERVAL {
            budget.spend();
        }
        assert!(budget.is_spent() && budget.nodes() < 100 + CLOCK_INTERVAL);
    }
}
