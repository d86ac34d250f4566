//! The work of a step, shared out among threads.

use std::cell::RefCell;

use super::choice::{Choice, Plan};
use super::column::Draft;
use super::course::Course;
use super::crew::Divisible;
use super::lane::Lane;
use super::rows::{RowLengths, Rows};
use crate::games::Registered;
use crate::simd;

/// Where games and rows take more than this together, rows are written past the caches: they would
/// only push out the games, and be pushed out themselves before anybody reads them.
const CACHED_BYTES: usize = 12 << 20;

/// Games are asked for so much ahead: memory takes as long as a few small games or one great one.
const AHEAD_BYTES: usize = 2 << 10;

thread_local! {
    /// Where a thread writes observations and masks that it then streams out.
    static DRAFTS: RefCell<[Draft; 2]> = const { RefCell::new([const { Draft::new() }; 2]) };
}

/// Two things of every lane.
pub(super) struct Pairs<'a, A, B>(pub(super) &'a mut [A], pub(super) &'a mut [B]);

impl<A: Send, B: Send> Divisible for Pairs<'_, A, B> {
    fn lanes(&self) -> usize {
        self.0.len()
    }

    fn split_at(self, lanes: usize) -> (Self, Self) {
        let (first, others) = self.0.split_at_mut(lanes);
        let (second, other_seconds) = self.1.split_at_mut(lanes);
        (Self(first, second), Self(others, other_seconds))
    }
}

/// Lanes, and a row for what is seen of each.
pub(super) struct Views<'a, G: Registered> {
    pub(super) rows: &'a mut [u8],
    /// Bytes of a row.
    pub(super) length: usize,
    pub(super) lanes: &'a [Lane<G>],
}

impl<G: Registered> Divisible for Views<'_, G> {
    fn lanes(&self) -> usize {
        self.lanes.len()
    }

    fn split_at(self, lanes: usize) -> (Self, Self) {
        let (rows, other_rows) = self.rows.split_at_mut(lanes * self.length);
        let (lanes, other_lanes) = self.lanes.split_at(lanes);
        (Self { rows, lanes, ..self }, Self { rows: other_rows, lanes: other_lanes, ..self })
    }
}

/// A run of lanes with their rows.
pub(super) struct Task<'a, G: Registered> {
    pub(super) course: &'a Course<G>,
    pub(super) lengths: &'a RowLengths,
    pub(super) lanes: &'a mut [Lane<G>],
    pub(super) choices: &'a mut [Choice],
    pub(super) plans: &'a [Plan],
    pub(super) rows: Rows<'a>,
    /// Whether rows are written past the caches.
    pub(super) streamed: bool,
}

impl<G: Registered> Divisible for Task<'_, G> {
    fn lanes(&self) -> usize {
        self.lanes.len()
    }

    fn split_at(self, lanes: usize) -> (Self, Self) {
        let (lanes, other_lanes) = self.lanes.split_at_mut(lanes);
        let (choices, other_choices) = self.choices.split_at_mut(lanes.len());
        let (plans, other_plans) = self.plans.split_at(lanes.len());
        let (rows, other_rows) = self.rows.split_at(lanes.len(), self.lengths);
        (
            Self { lanes, choices, plans, rows, ..self },
            Self {
                lanes: other_lanes,
                choices: other_choices,
                plans: other_plans,
                rows: other_rows,
                ..self
            },
        )
    }
}

impl<G: Registered> Task<'_, G> {
    /// Whether rows of so many lanes are to be written past the caches.
    pub(super) fn streams(course: &Course<G>, lengths: &RowLengths, lanes: usize) -> bool {
        let legal = course.rules.table().len() / 8;
        let game = size_of::<Lane<G>>() + size_of::<Choice>() + legal;
        lanes * (game + lengths.observation + lengths.mask) > CACHED_BYTES
    }

    /// Does in every lane what is planned, and writes its rows.
    pub(super) fn run(self) {
        if self.streamed {
            DRAFTS.with_borrow_mut(|drafts| self.run_with(Some(drafts)));
            simd::publish();
        } else {
            self.run_with(None);
        }
    }

    fn run_with(self, drafts: Option<&mut [Draft; 2]>) {
        let Self { course, lengths, lanes, choices, plans, rows, .. } = self;
        let mut columns = rows.columns(lengths, drafts);
        let ahead = (AHEAD_BYTES / size_of::<Lane<G>>()).max(1);
        for number in 0..lanes.len() {
            // The next games come into reach while this one is played.
            if let Some(far) = lanes.get(number + ahead) {
                simd::prefetch(far);
            }
            let near = number + ahead / 2;
            if let (Some(lane), Some(choice)) = (lanes.get(near), choices.get(near)) {
                course.rules.prefetch(&lane.state);
                choice.prefetch();
            }
            let Some(mut row) = columns.next() else { break };
            let (lane, choice) = (&mut lanes[number], &mut choices[number]);
            lane.step(course, plans[number], choice, &mut row);
            lane.write(course, choice, &mut row);
        }
        columns.finish();
    }
}
