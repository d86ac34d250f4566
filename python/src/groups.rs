//! The lanes of an env, in groups that are stepped together or in turn.

use std::ops::Range;

use darkqi_env::{AnyBatch, AnyState, BatchConfig, BatchError, Reset, Rows, Viewer};
use darkqi_selfplay::Error;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error::OrRaise;
use crate::loan::Loan;
use crate::worker::{Stepper, Worker};

/// Groups of lanes, and whose turn it is.
///
/// The groups are received and sent in a fixed order. A group that was sent is away: its stepper
/// is with the worker, which is what makes it safe to step without the GIL.
pub(crate) struct Groups {
    groups: Vec<Group>,
    /// Whether the arrays show the lanes.
    shown: bool,
    /// The group that is received next, or is at hand.
    turn: usize,
    /// Whether the group whose turn it is has been received and waits for its actions.
    at_hand: bool,
    /// Started by the first `send`.
    worker: Option<Worker>,
}

struct Group {
    lanes: Range<usize>,
    /// `None` while it is away.
    stepper: Option<Stepper>,
}

/// The lanes of each group: they are as equal as can be, the first ones a lane longer.
pub(crate) fn shares(lanes: usize, groups: usize) -> Vec<Range<usize>> {
    let (each, longer) = (lanes / groups, lanes % groups);
    let start = |group: usize| group * each + group.min(longer);
    (0..groups).map(|group| start(group)..start(group + 1)).collect()
}

impl Groups {
    /// Deals games for the lanes of each group, which writes its rows by the loan beside them.
    ///
    /// # Errors
    /// As those of `make`.
    pub(crate) fn new(
        py: Python<'_>,
        make: impl Fn(BatchConfig) -> Result<Box<dyn AnyBatch>, Error> + Sync,
        config: &BatchConfig,
        shares: Vec<(Range<usize>, Loan)>,
    ) -> PyResult<Self> {
        let group = |(lanes, loan): (Range<usize>, Loan)| {
            let config =
                BatchConfig { lanes: lanes.len(), first_lane: lanes.start, ..config.clone() };
            let batch = make(config)?;
            let actions = Vec::with_capacity(lanes.len());
            Ok::<_, Error>(Group { lanes, stepper: Some(Stepper { batch, loan, actions }) })
        };
        let groups = py.detach(|| shares.into_iter().map(group).collect::<Result<Vec<_>, _>>());
        let groups = groups.or_raise()?;
        Ok(Self { groups, shown: false, turn: 0, at_hand: false, worker: None })
    }

    /// All lanes, for calls that write all rows.
    ///
    /// # Errors
    /// If a group is away.
    pub(crate) fn all_home(&mut self, call: &str) -> PyResult<AllHome<'_>> {
        self.none_away(call)?;
        Ok(AllHome(self))
    }

    /// Waits for the group whose turn it is, and says which it is.
    ///
    /// # Errors
    /// If there is nothing to receive, or a signal raises something.
    pub(crate) fn receive(&mut self, py: Python<'_>) -> PyResult<usize> {
        if !self.shown {
            return Err(refuse("recv: nothing is under way; call reset first"));
        }
        if self.at_hand {
            let Range { start, end } = self.groups[self.turn].lanes;
            let last = end - 1;
            return Err(refuse(format!(
                "recv: lanes {start} to {last} wait for their actions; send them first"
            )));
        }
        while self.groups[self.turn].stepper.is_none() {
            self.bring_home(py)?;
        }
        self.at_hand = true;
        Ok(self.turn)
    }

    /// Waits until no group is away.
    ///
    /// # Errors
    /// If a signal raises something.
    pub(crate) fn wait(&mut self, py: Python<'_>) -> PyResult<()> {
        while self.groups.iter().any(|group| group.stepper.is_none()) {
            self.bring_home(py)?;
        }
        Ok(())
    }

    fn bring_home(&mut self, py: Python<'_>) -> PyResult<()> {
        let worker = self.worker.as_mut().expect("a group is away, so there is a worker");
        let (group, stepper) = worker.receive(py)?;
        self.groups[group].stepper = Some(stepper);
        Ok(())
    }

    /// The group that waits for actions to be sent, and its number of lanes.
    ///
    /// # Errors
    /// If none does.
    pub(crate) fn awaited(&self) -> PyResult<(usize, usize)> {
        if self.at_hand {
            Ok((self.turn, self.groups[self.turn].lanes.len()))
        } else {
            Err(refuse("send: no group is at hand; call recv first"))
        }
    }

    /// Starts playing an action in the lanes at hand.
    ///
    /// # Errors
    /// If no group is at hand, an action is illegal, or the thread cannot be had; nothing is
    /// changed then.
    pub(crate) fn send(&mut self, actions: &[i64]) -> PyResult<()> {
        self.awaited()?;
        let count = self.groups.len();
        let group = &mut self.groups[self.turn];
        let stepper = group.stepper.as_mut().expect("a group at hand is not away");
        stepper.actions.clear();
        stepper.actions.extend_from_slice(actions);
        // What is checked is what will be played, whatever becomes of the caller's buffer.
        stepper.batch.check_actions(&stepper.actions).or_raise()?;
        let worker = match &mut self.worker {
            Some(worker) => worker,
            none => none.insert(Worker::start(count)?),
        };
        worker.send(self.turn, &mut group.stepper)?;
        (self.turn, self.at_hand) = ((self.turn + 1) % count, false);
        Ok(())
    }

    /// The group that was received, or all of them if none was.
    ///
    /// # Errors
    /// If none was while another is away.
    pub(crate) fn at_hand(&mut self, call: &str) -> PyResult<AtHand<'_>> {
        if self.at_hand {
            return Ok(AtHand(&mut self.groups[self.turn..=self.turn]));
        }
        self.none_away(call)?;
        Ok(AtHand(&mut self.groups))
    }

    /// A copy of one lane's game, unless there is no such lane.
    ///
    /// # Errors
    /// If the lane is away.
    pub(crate) fn state(&self, lane: usize) -> PyResult<Option<Box<dyn AnyState>>> {
        let Some(group) = self.groups.iter().find(|group| group.lanes.contains(&lane)) else {
            return Ok(None);
        };
        let stepper = group.stepper.as_ref().ok_or_else(|| away("state", &group.lanes))?;
        Ok(stepper.batch.state(lane - group.lanes.start))
    }

    /// # Errors
    /// If a group is away.
    fn none_away(&self, call: &str) -> PyResult<()> {
        let group = self.groups.iter().find(|group| group.stepper.is_none());
        group.map_or(Ok(()), |group| Err(away(call, &group.lanes)))
    }
}

/// All groups; none of them is away.
pub(crate) struct AllHome<'a>(&'a mut Groups);

impl AllHome<'_> {
    /// Deals new games in all lanes.
    ///
    /// # Errors
    /// If there are not as many rows as lanes; nothing is changed then.
    pub(crate) fn reset(self, seed: Option<u64>, rows: Rows<'_>) -> Result<(), BatchError> {
        self.write(rows, |batch, _, rows| batch.reset(seed, rows))
    }

    /// Resets each lane as told.
    ///
    /// # Errors
    /// If there are not as many rows as lanes; nothing is changed then.
    pub(crate) fn reset_lanes(self, resets: &[Reset], rows: Rows<'_>) -> Result<(), BatchError> {
        self.write(rows, |batch, lanes, rows| batch.reset_lanes(&resets[lanes], rows))
    }

    /// Plays an action in all lanes.
    ///
    /// # Errors
    /// If an action is illegal or there are not as many rows as lanes; nothing is changed then.
    pub(crate) fn step(self, actions: &[i64], rows: Rows<'_>) -> Result<(), BatchError> {
        if self.0.groups.len() == 1 {
            return self.write(rows, |batch, _, rows| batch.step(actions, rows));
        }
        // No group is stepped unless all can be, and what is checked is what will be played,
        // whatever becomes of the caller's buffer.
        let actions = actions.to_vec();
        for (lanes, batch) in at_home(&mut self.0.groups) {
            batch.check_actions(&actions[lanes])?;
        }
        self.write(rows, |batch, lanes, rows| batch.step(&actions[lanes], rows))
    }

    fn write(
        self,
        mut rows: Rows<'_>,
        mut work: impl FnMut(&mut dyn AnyBatch, Range<usize>, Rows<'_>) -> Result<(), BatchError>,
    ) -> Result<(), BatchError> {
        // All rows are checked before any is written: only then can they be shared out.
        let lanes = self.0.groups.iter().map(|group| group.lanes.len()).sum();
        if let Some((_, batch)) = at_home(&mut self.0.groups).next() {
            rows.check(lanes, &batch.lengths())?;
        }
        for (lanes, batch) in at_home(&mut self.0.groups) {
            let (own, others) = rows.split_at(lanes.len(), &batch.lengths());
            work(batch, lanes, own)?;
            rows = others;
        }
        (self.0.shown, self.0.turn, self.0.at_hand) = (true, 0, false);
        Ok(())
    }
}

/// The groups that calls without actions are about; none of them is away.
pub(crate) struct AtHand<'a>(&'a mut [Group]);

impl AtHand<'_> {
    /// Number of their lanes.
    pub(crate) fn lanes(&self) -> usize {
        self.0.iter().map(|group| group.lanes.len()).sum()
    }

    /// Writes what a viewer sees of each lane.
    ///
    /// # Errors
    /// If there is no such viewer.
    pub(crate) fn observe(self, viewer: Viewer, mut out: &mut [u8]) -> PyResult<()> {
        for (lanes, batch) in at_home(self.0) {
            let (own, others) = out.split_at_mut(lanes.len() * batch.lengths().observation);
            batch.observe(viewer, own).or_raise()?;
            out = others;
        }
        Ok(())
    }

    /// Draws a legal action for each lane.
    pub(crate) fn sample_actions(self) -> PyResult<Vec<i64>> {
        let mut actions = vec![0; self.lanes()];
        let mut rest = actions.as_mut_slice();
        for (lanes, batch) in at_home(self.0) {
            let (own, others) = rest.split_at_mut(lanes.len());
            batch.sample_actions(own).or_raise()?;
            rest = others;
        }
        Ok(actions)
    }

    /// The seed of each lane's game.
    pub(crate) fn seeds(self) -> Vec<u64> {
        at_home(self.0).flat_map(|(_, batch)| batch.seeds()).collect()
    }
}

/// The lanes and the batch of each group that is not away.
fn at_home(
    groups: &mut [Group],
) -> impl Iterator<Item = (Range<usize>, &mut (dyn AnyBatch + 'static))> {
    groups.iter_mut().filter_map(|group| {
        let stepper = group.stepper.as_mut()?;
        Some((group.lanes.clone(), &mut *stepper.batch))
    })
}

fn away(call: &str, lanes: &Range<usize>) -> PyErr {
    let (first, last) = (lanes.start, lanes.end - 1);
    refuse(format!(
        "{call}: lanes {first} to {last} are being stepped; receive them with recv, or call wait"
    ))
}

fn refuse(message: impl Into<String>) -> PyErr {
    PyRuntimeError::new_err(message.into())
}
