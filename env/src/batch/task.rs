//! The work of a step, shared out among threads.

use std::cell::RefCell;

use super::course::Course;
use super::lane::{Choice, Lane};
use super::rows::{Row, RowLengths, Rows};
use crate::games::Registered;
use crate::simd;

/// From this size on, rows are written past the caches: they would only push out the games, and be
/// pushed out themselves before anybody reads them.
const STREAMED_BYTES: usize = 10 << 20;

/// As many rows as fit in this are streamed at once: it lies well within the nearest cache.
const DRAFT_BYTES: usize = 24 << 10;

thread_local! {
    /// Where a thread writes rows that it then streams out.
    static DRAFT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A run of lanes with their rows.
pub(super) struct Task<'a, G: Registered> {
    course: &'a Course<G>,
    lengths: &'a RowLengths,
    lanes: &'a mut [Lane<G>],
    choices: &'a mut [Choice],
    rows: Rows<'a>,
    /// Whether rows are written past the caches.
    streamed: bool,
}

impl<'a, G: Registered> Task<'a, G> {
    pub(super) fn new(
        course: &'a Course<G>,
        lengths: &'a RowLengths,
        lanes: &'a mut [Lane<G>],
        choices: &'a mut [Choice],
        rows: Rows<'a>,
    ) -> Self {
        let streamed = lanes.len() * (lengths.observation + lengths.mask) >= STREAMED_BYTES;
        Self { course, lengths, lanes, choices, rows, streamed }
    }

    /// Halves the run until it is short, so that idle threads can take the other half.
    pub(super) fn share<W>(self, least: usize, work: &W)
    where
        W: Fn(&Course<G>, &mut Lane<G>, &mut Choice, &mut Row<'_>) + Sync,
    {
        if self.lanes.len() <= least {
            return self.run(work);
        }
        let half = self.lanes.len() / 2;
        let (left, right) = self.split_at(half);
        rayon::join(|| left.share(least, work), || right.share(least, work));
    }

    /// The first lanes, and the others.
    fn split_at(self, lanes: usize) -> (Self, Self) {
        let (lanes, other_lanes) = self.lanes.split_at_mut(lanes);
        let (choices, other_choices) = self.choices.split_at_mut(lanes.len());
        let (rows, other_rows) = self.rows.split_at(lanes.len(), self.lengths);
        (
            Self { lanes, choices, rows, ..self },
            Self { lanes: other_lanes, choices: other_choices, rows: other_rows, ..self },
        )
    }

    pub(super) fn run<W>(self, work: &W)
    where
        W: Fn(&Course<G>, &mut Lane<G>, &mut Choice, &mut Row<'_>) + Sync,
    {
        if !self.streamed {
            return self.run_in_place(work);
        }
        let drafted = (DRAFT_BYTES / (self.lengths.observation + self.lengths.mask)).max(1);
        DRAFT.with_borrow_mut(|draft| {
            let mut rest = self;
            while !rest.lanes.is_empty() {
                let count = drafted.min(rest.lanes.len());
                let (some, others) = rest.split_at(count);
                let Self { course, lengths, lanes, choices, rows, streamed } = some;
                rows.stream(draft, |rows| {
                    Task { course, lengths, lanes, choices, rows, streamed }.run_in_place(work);
                });
                rest = others;
            }
        });
        simd::publish();
    }

    fn run_in_place<W>(self, work: &W)
    where
        W: Fn(&Course<G>, &mut Lane<G>, &mut Choice, &mut Row<'_>) + Sync,
    {
        let mut lanes = self.lanes.iter_mut().peekable();
        for (choice, mut row) in self.choices.iter_mut().zip(self.rows.each(self.lengths)) {
            let Some(lane) = lanes.next() else { break };
            // The next game comes into reach while this one is played.
            if let Some(next) = lanes.peek() {
                simd::prefetch(&**next);
            }
            work(self.course, lane, choice, &mut row);
        }
    }
}
