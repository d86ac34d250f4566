//! The lanes of an env, in groups that are stepped together or in turn.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use darkqi_env::{
    AnyBatch, AnyState, BatchConfig, BatchError, Viewer,
    batch::{Decisions, Reset, Rows},
};
use darkqi_play::Error;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error::IntoPyResult;
use crate::exclusive_rows::ExclusiveRows;
use crate::interrupt::detached;
use crate::step_thread::StepThread;

/// Groups of lanes, received and sent in a fixed order.
///
/// While a group is being stepped, its batch and its rows are with the stepping thread. So no other
/// native code can touch them, and they can be stepped without the GIL.
pub(crate) struct Groups {
    groups: Vec<Group>,
    /// Whether `reset` or `step` has written the rows of all lanes, and no step has failed since.
    has_rows: bool,
    /// The group that is current, or will be with the next `receive`.
    turn: usize,
    /// Whether that group is current: received, with its actions not sent yet.
    is_current: bool,
    /// Started by the first `send`.
    thread: Option<StepThread>,
}

struct Group {
    lanes: Range<usize>,
    /// `None` while it is being stepped.
    batch: Option<Box<dyn AnyBatch>>,
}

/// Divides the lanes into groups of neighbours; the first ones are one lane longer if needed.
pub(crate) fn split_lanes(lanes: usize, groups: usize) -> Vec<Range<usize>> {
    let (each, longer) = (lanes / groups, lanes % groups);
    let start = |group: usize| group * each + group.min(longer);
    (0..groups).map(|group| start(group)..start(group + 1)).collect()
}

impl Groups {
    /// Deals games for the lanes of each group. Opponents that move before the caller give up when
    /// `stop` is set.
    ///
    /// # Errors
    /// As those of `make`, or if a signal handler raises.
    pub(crate) fn new(
        py: Python<'_>,
        make: impl Fn(BatchConfig) -> Result<Box<dyn AnyBatch>, Error> + Sync,
        config: &BatchConfig,
        groups: Vec<Range<usize>>,
        stop: Option<&AtomicBool>,
    ) -> PyResult<Self> {
        let group = |lanes: Range<usize>| {
            let config =
                BatchConfig { lanes: lanes.len(), first_lane: lanes.start, ..config.clone() };
            Ok::<_, Error>(Group { lanes, batch: Some(make(config)?) })
        };
        let deal = || groups.into_iter().map(group).collect::<Result<Vec<_>, _>>();
        let groups = detached(py, stop, deal)?;
        let groups = groups.into_py_result()?;
        Ok(Self { groups, has_rows: false, turn: 0, is_current: false, thread: None })
    }

    /// All lanes, for calls that write all rows.
    ///
    /// # Errors
    /// If a group is being stepped.
    pub(crate) fn all_lanes(&mut self, call: &str) -> PyResult<AllLanes<'_>> {
        self.check_idle(call)?;
        Ok(AllLanes(self))
    }

    /// Waits for the next group, makes it current and returns its index.
    ///
    /// # Errors
    /// If there is nothing to receive, or a signal handler raises.
    pub(crate) fn receive(&mut self, py: Python<'_>) -> PyResult<usize> {
        if !self.has_rows {
            return Err(state_error("recv: there are no rows; call reset first"));
        }
        if self.is_current {
            let Range { start, end } = self.groups[self.turn].lanes;
            let last = end - 1;
            return Err(state_error(format!(
                "recv: lanes {start} to {last} wait for their actions; send them first"
            )));
        }
        while self.groups[self.turn].batch.is_none() {
            self.receive_batch(py)?;
        }
        self.is_current = true;
        Ok(self.turn)
    }

    /// Waits until no group is being stepped.
    ///
    /// # Errors
    /// If a signal handler raises.
    pub(crate) fn wait(&mut self, py: Python<'_>) -> PyResult<()> {
        while self.groups.iter().any(|group| group.batch.is_none()) {
            self.receive_batch(py)?;
        }
        Ok(())
    }

    fn receive_batch(&mut self, py: Python<'_>) -> PyResult<()> {
        let thread = self.thread.as_mut().expect("a group is being stepped by the thread");
        let (group, (batch, _, stepped)) = thread.receive(py)?;
        self.groups[group].batch = Some(batch);
        // A step that failed has left rows out.
        self.has_rows &= stepped.is_ok();
        stepped.into_py_result()
    }

    /// The index of the current group, and its number of lanes.
    ///
    /// # Errors
    /// If no group is current.
    pub(crate) fn current(&self) -> PyResult<(usize, usize)> {
        if self.is_current {
            Ok((self.turn, self.groups[self.turn].lanes.len()))
        } else {
            Err(state_error("send: no group has been received; call recv first"))
        }
    }

    /// Starts a step of the current group, which writes these rows. `refuse` makes the exception for an
    /// illegal action, given the group's first lane.
    ///
    /// # Errors
    /// If no group is current, an action is illegal, the decisions cannot be logged, or the thread
    /// cannot be started or was lost in a fork. Nothing has changed then.
    pub(crate) fn send(
        &mut self,
        actions: &[i64],
        decisions: Decisions<'_>,
        rows: ExclusiveRows,
        refuse: impl Fn(BatchError, usize) -> PyErr,
    ) -> PyResult<()> {
        self.current()?;
        let count = self.groups.len();
        let group = &mut self.groups[self.turn];
        let batch = group.batch.as_mut().expect("the current group is not being stepped");
        let prepared = batch.prepare(actions, decisions);
        prepared.map_err(|error| refuse(error, group.lanes.start))?;
        let thread = match &mut self.thread {
            Some(thread) => thread,
            none => none.insert(StepThread::start(count)?),
        };
        thread.send(self.turn, &mut group.batch, rows)?;
        (self.turn, self.is_current) = ((self.turn + 1) % count, false);
        Ok(())
    }

    /// The lanes of the current group, or all lanes if no group is current.
    ///
    /// # Errors
    /// If no group is current and one is being stepped.
    pub(crate) fn current_lanes(&mut self, call: &str) -> PyResult<CurrentLanes<'_>> {
        if self.is_current {
            return Ok(CurrentLanes(&mut self.groups[self.turn..=self.turn]));
        }
        self.check_idle(call)?;
        Ok(CurrentLanes(&mut self.groups))
    }

    /// Refuses steps until all lanes are reset. Groups that are being stepped are left out.
    pub(crate) fn tear(&mut self) {
        idle_batches(&mut self.groups).for_each(|(_, batch)| batch.tear());
    }

    /// A copy of one lane's game; `None` if there is no such lane.
    ///
    /// # Errors
    /// If the lane is being stepped.
    pub(crate) fn state(&self, lane: usize) -> PyResult<Option<Box<dyn AnyState>>> {
        let Some(group) = self.groups.iter().find(|group| group.lanes.contains(&lane)) else {
            return Ok(None);
        };
        let batch = group.batch.as_ref().ok_or_else(|| being_stepped("state", &group.lanes))?;
        Ok(batch.state(lane - group.lanes.start))
    }

    /// # Errors
    /// If a group is being stepped.
    fn check_idle(&self, call: &str) -> PyResult<()> {
        let group = self.groups.iter().find(|group| group.batch.is_none());
        group.map_or(Ok(()), |group| Err(being_stepped(call, &group.lanes)))
    }
}

/// All lanes; none of them is being stepped.
pub(crate) struct AllLanes<'a>(&'a mut Groups);

impl AllLanes<'_> {
    /// Deals new games in all lanes.
    ///
    /// # Errors
    /// If there is not one row per lane. Nothing has changed then.
    pub(crate) fn reset(self, seed: Option<u64>, rows: Rows<'_>) -> Result<(), BatchError> {
        self.write(rows, |batch, _, rows| batch.reset(seed, rows))
    }

    /// Resets each lane by its own `Reset`.
    ///
    /// # Errors
    /// If there is not one row per lane, or lanes are kept of a step that failed. Nothing has changed
    /// then.
    pub(crate) fn reset_lanes(self, resets: &[Reset], rows: Rows<'_>) -> Result<(), BatchError> {
        for (lanes, batch) in idle_batches(&mut self.0.groups) {
            batch.check_resets(&resets[lanes])?;
        }
        self.write(rows, |batch, lanes, rows| batch.reset_lanes(&resets[lanes], rows))
    }

    /// Plays an action in every lane. The decisions are logged.
    ///
    /// # Errors
    /// If an action is illegal, the decisions cannot be logged, or there is not one row per lane.
    /// Nothing has changed then.
    pub(crate) fn step(
        self,
        actions: &[i64],
        decisions: Decisions<'_>,
        rows: Rows<'_>,
    ) -> Result<(), BatchError> {
        let Decisions { value, policy } = decisions;
        let count = self.0.groups.iter().map(|group| group.lanes.len()).sum::<usize>();
        fn part<'a>(all: Option<&'a [f32]>, own: &Range<usize>, count: usize) -> Option<&'a [f32]> {
            let each = all?.len() / count;
            all?.get(own.start * each..own.end * each)
        }
        // Either all groups are stepped or none.
        for (own, batch) in idle_batches(&mut self.0.groups) {
            let decisions =
                Decisions { value: part(value, &own, count), policy: part(policy, &own, count) };
            batch.prepare(&actions[own], decisions)?;
        }
        self.write(rows, |batch, _, rows| batch.play(rows))
    }

    fn write(
        self,
        mut rows: Rows<'_>,
        mut work: impl FnMut(&mut dyn AnyBatch, Range<usize>, Rows<'_>) -> Result<(), BatchError>,
    ) -> Result<(), BatchError> {
        // Checked for all lanes first: `split_at` panics if there are too few rows.
        let lanes = self.0.groups.iter().map(|group| group.lanes.len()).sum();
        if let Some((_, batch)) = idle_batches(&mut self.0.groups).next() {
            rows.check(lanes, &batch.lengths())?;
        }
        for (lanes, batch) in idle_batches(&mut self.0.groups) {
            let (own, others) = rows.split_at(lanes.len(), &batch.lengths());
            work(batch, lanes, own)?;
            rows = others;
        }
        (self.0.has_rows, self.0.turn, self.0.is_current) = (true, 0, false);
        Ok(())
    }
}

/// The lanes that calls without actions refer to; none of them is being stepped.
pub(crate) struct CurrentLanes<'a>(&'a mut [Group]);

impl CurrentLanes<'_> {
    /// Number of lanes.
    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|group| group.lanes.len()).sum()
    }

    /// Writes what a viewer sees of each lane.
    ///
    /// # Errors
    /// If there is no such viewer.
    pub(crate) fn observe(self, viewer: Viewer, out: &mut [u8]) -> PyResult<()> {
        self.fill(out, |batch, own| batch.observe(viewer, own))
    }

    /// Writes what lies covered in each lane.
    ///
    /// # Errors
    /// If the length is not a byte for each square of each lane.
    pub(crate) fn covered_pieces(self, out: &mut [u8]) -> PyResult<()> {
        self.fill(out, |batch, own| batch.covered_pieces(own))
    }

    /// Samples a legal action for each lane.
    pub(crate) fn sample_actions(self) -> PyResult<Vec<i64>> {
        let mut actions = vec![0; self.len()];
        self.fill(&mut actions, |batch, own| batch.sample_actions(own))?;
        Ok(actions)
    }

    /// Fills rows of equal length, one for each lane.
    fn fill<T>(
        self,
        mut rows: &mut [T],
        write: impl Fn(&mut dyn AnyBatch, &mut [T]) -> Result<(), BatchError>,
    ) -> PyResult<()> {
        let length = rows.len() / self.len();
        for (lanes, batch) in idle_batches(self.0) {
            let (own, others) = rows.split_at_mut(lanes.len() * length);
            write(batch, own).into_py_result()?;
            rows = others;
        }
        Ok(())
    }

    /// The seed of each lane's game.
    pub(crate) fn seeds(self) -> Vec<u64> {
        idle_batches(self.0).flat_map(|(_, batch)| batch.seeds()).collect()
    }
}

/// The lanes and the batch of each group that is not being stepped.
fn idle_batches(
    groups: &mut [Group],
) -> impl Iterator<Item = (Range<usize>, &mut (dyn AnyBatch + 'static))> {
    groups.iter_mut().filter_map(|group| Some((group.lanes.clone(), &mut **group.batch.as_mut()?)))
}

fn being_stepped(call: &str, lanes: &Range<usize>) -> PyErr {
    let (first, last) = (lanes.start, lanes.end - 1);
    state_error(format!(
        "{call}: lanes {first} to {last} are being stepped; receive them with recv, or call wait"
    ))
}

/// The exception for a call that the state of the groups does not allow.
fn state_error(message: impl Into<String>) -> PyErr {
    PyRuntimeError::new_err(message.into())
}
