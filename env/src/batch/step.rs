//! The work of a step, divided among threads.

use std::cell::RefCell;
use std::sync::Mutex;

use super::config::BatchSetup;
use super::lane::{Lane, LaneCommand};
use super::legal_actions::LegalActions;
use super::log::Logs;
use super::round::{Round, Stage, Stuck};
use super::row_writer::StreamBuffer;
use super::rows::{RowLengths, Rows};
use super::thread_pool::Divisible;
use crate::games::Registered;
use crate::simd;

/// The fewest lanes of a chunk: few enough to balance threads, and enough to make the cost of taking
/// a chunk small.
pub(super) const CHUNK: usize = 16;

/// Lanes of a chunk whose actions are sampled.
pub(super) const SAMPLE_CHUNK: usize = 256;

/// Chunks per thread in large batches: enough to balance threads. Longer chunks leave more lanes to
/// prefetch.
const CHUNKS_PER_THREAD: usize = 16;

/// Where games and rows take more bytes than this together, rows are written with non-temporal
/// stores: in the caches they would evict the games, and be evicted before they are read. Callers
/// write two sets of rows in turn, so that the last ones can still be read.
const CACHED_BYTES: usize = 6 << 20;

/// Games are prefetched this far ahead: a cache miss takes as long as a few small games or one large
/// one.
const PREFETCH_BYTES: usize = 2 << 10;

thread_local! {
    /// Where a thread collects observations and masks before it streams them.
    static STREAM_BUFFERS: RefCell<[StreamBuffer; 2]> =
        const { RefCell::new([const { StreamBuffer::new() }; 2]) };
}

/// How many of these lanes a thread takes at once.
pub(super) fn chunk<G: Registered>(setup: &BatchSetup<G>, lanes: usize, threads: usize) -> usize {
    match &setup.config.opponents {
        None => CHUNK.max(lanes / (CHUNKS_PER_THREAD * threads)),
        Some(opponents) => opponents.batch_size().max(1),
    }
}

/// The failure of the opponents of a step: the one in the first lane.
#[derive(Debug, Default)]
pub(super) struct FirstStuck(Mutex<Option<Stuck>>);

impl FirstStuck {
    pub(super) fn report(&self, stuck: Stuck) {
        let mut first = self.0.lock().expect("nothing panics that holds the lock");
        if first.as_ref().is_none_or(|first| stuck.lane < first.lane) {
            *first = Some(stuck);
        }
    }

    pub(super) fn into_inner(self) -> Option<Stuck> {
        self.0.into_inner().expect("nothing panics that holds the lock")
    }
}

/// Legal actions of lanes, and a place for a sampled one of each.
pub(super) struct Samples<'a>(pub(super) &'a mut [i64], pub(super) &'a mut [LegalActions]);

impl Divisible for Samples<'_> {
    fn lanes(&self) -> usize {
        self.0.len()
    }

    fn split_at(self, lanes: usize) -> (Self, Self) {
        let (actions, other_actions) = self.0.split_at_mut(lanes);
        let (legal, other_legal) = self.1.split_at_mut(lanes);
        (Self(actions, legal), Self(other_actions, other_legal))
    }
}

impl Samples<'_> {
    pub(super) fn run(self) {
        for (action, legal) in self.0.iter_mut().zip(self.1) {
            *action = legal.sample().map_or(0, |sampled| sampled.0.into());
        }
    }
}

/// Lanes, and an observation row for each.
pub(super) struct Observations<'a, G: Registered> {
    pub(super) rows: &'a mut [u8],
    /// Bytes of a row.
    pub(super) length: usize,
    pub(super) lanes: &'a [Lane<G>],
}

impl<G: Registered> Divisible for Observations<'_, G> {
    fn lanes(&self) -> usize {
        self.lanes.len()
    }

    fn split_at(self, lanes: usize) -> (Self, Self) {
        let (rows, other_rows) = self.rows.split_at_mut(lanes * self.length);
        let (lanes, other_lanes) = self.lanes.split_at(lanes);
        (Self { rows, lanes, ..self }, Self { rows: other_rows, lanes: other_lanes, ..self })
    }
}

/// Neighbouring lanes whose first games have been dealt.
pub(super) struct Opening<'a, G: Registered> {
    pub(super) setup: &'a BatchSetup<G>,
    /// The place of the first lane in the batch.
    pub(super) first: usize,
    pub(super) lanes: &'a mut [Lane<G>],
    pub(super) legal: &'a mut [LegalActions],
    pub(super) logs: Logs<'a>,
    pub(super) stuck: &'a FirstStuck,
}

impl<G: Registered> Divisible for Opening<'_, G> {
    fn lanes(&self) -> usize {
        self.lanes.len()
    }

    fn split_at(self, lane_count: usize) -> (Self, Self) {
        let (lanes, other_lanes) = self.lanes.split_at_mut(lane_count);
        let (legal, other_legal) = self.legal.split_at_mut(lane_count);
        let (logs, other_logs) = self.logs.split_at(lane_count);
        let first = self.first + lane_count;
        let others =
            Self { first, lanes: other_lanes, legal: other_legal, logs: other_logs, ..self };
        (Self { lanes, legal, logs, ..self }, others)
    }
}

impl<G: Registered> Opening<'_, G> {
    /// Lists the legal actions, after the plies of opponents before the caller's first turn.
    pub(super) fn run(self) {
        let Self { setup, first, lanes, legal, mut logs, stuck } = self;
        lanes.iter().zip(&mut *legal).for_each(|(lane, legal)| lane.open(setup, legal));
        let Some(opponents) = setup.config.opponents.as_deref() else { return };
        let stages = vec![Stage::Dealt(1); lanes.len()];
        let mut round = Round { setup, opponents, lanes, legal, stages, logs: &mut logs };
        if let Err(failure) = round.play(None) {
            stuck.report(Stuck { lane: first + failure.lane, ..failure });
        }
    }
}

/// A step of neighbouring lanes, and their rows.
pub(super) struct Step<'a, G: Registered> {
    pub(super) setup: &'a BatchSetup<G>,
    pub(super) lengths: &'a RowLengths,
    /// The place of the first lane in the batch.
    pub(super) first: usize,
    pub(super) stuck: &'a FirstStuck,
    pub(super) lanes: &'a mut [Lane<G>],
    pub(super) legal: &'a mut [LegalActions],
    pub(super) commands: &'a [LaneCommand],
    pub(super) logs: Logs<'a>,
    pub(super) rows: Rows<'a>,
    /// Whether rows are written with non-temporal stores.
    pub(super) streamed: bool,
}

impl<G: Registered> Divisible for Step<'_, G> {
    fn lanes(&self) -> usize {
        self.lanes.len()
    }

    fn split_at(self, lane_count: usize) -> (Self, Self) {
        let (lanes, other_lanes) = self.lanes.split_at_mut(lane_count);
        let (legal, other_legal) = self.legal.split_at_mut(lanes.len());
        let (commands, other_commands) = self.commands.split_at(lanes.len());
        let (rows, other_rows) = self.rows.split_at(lane_count, self.lengths);
        let (logs, other_logs) = self.logs.split_at(lane_count);
        (
            Self { lanes, legal, commands, logs, rows, ..self },
            Self {
                first: self.first + lane_count,
                lanes: other_lanes,
                legal: other_legal,
                commands: other_commands,
                logs: other_logs,
                rows: other_rows,
                ..self
            },
        )
    }
}

impl<G: Registered> Step<'_, G> {
    /// Whether the rows of this many lanes are to be written with non-temporal stores.
    pub(super) fn streams(setup: &BatchSetup<G>, lengths: &RowLengths, lanes: usize) -> bool {
        let mask = setup.rules.table().len() / 8;
        let game = size_of::<Lane<G>>() + size_of::<LegalActions>() + mask;
        lanes * (game + lengths.observation + lengths.mask) > CACHED_BYTES
    }

    /// Executes the command of every lane and writes all rows.
    pub(super) fn run(self) {
        if self.setup.config.opponents.is_some() {
            self.run_against();
        } else if self.streamed {
            STREAM_BUFFERS.with_borrow_mut(|buffers| self.run_with(Some(buffers)));
            simd::store_fence();
        } else {
            self.run_with(None);
        }
    }

    fn run_with(self, buffers: Option<&mut [StreamBuffer; 2]>) {
        let Self { setup, lengths, lanes, legal, commands, mut logs, rows, .. } = self;
        let mut writers = rows.writers(lengths, buffers);
        let ahead = (PREFETCH_BYTES / size_of::<Lane<G>>()).max(1);
        for number in 0..lanes.len() {
            if let Some(far) = lanes.get(number + ahead) {
                simd::prefetch(far);
            }
            let near = number + ahead / 2;
            if let (Some(lane), Some(legal)) = (lanes.get(near), legal.get(near)) {
                setup.rules.prefetch(&lane.state);
                legal.prefetch();
            }
            logs.prefetch(number);
            let Some(mut results) = writers.results.next() else { break };
            let (lane, legal) = (&mut lanes[number], &mut legal[number]);
            lane.step(setup, commands[number], legal, &mut results, logs.lane(number));
            let Some(mut row) = writers.next() else { break };
            lane.write(setup, legal, &mut row);
        }
        writers.finish();
    }

    /// Executes all commands first, so that opponents see the positions together.
    fn run_against(self) {
        let Self { setup, lengths, first, stuck, lanes, legal, commands, mut logs, rows, .. } =
            self;
        let opponents = setup.config.opponents.as_deref().expect("there are opponents");
        let mut writers = rows.writers(lengths, None);
        let mut results: Vec<_> = writers.results.by_ref().collect();
        let mut stages = Vec::with_capacity(lanes.len());
        for (number, lane) in lanes.iter_mut().enumerate() {
            let results = &mut results[number];
            let (legal, log) = (&mut legal[number], logs.lane(number));
            let is_dealt = lane.step(setup, commands[number], legal, results, log);
            stages.push(if is_dealt { Stage::Dealt(1) } else { Stage::Under });
        }
        let mut round = Round { setup, opponents, lanes, legal, stages, logs: &mut logs };
        if let Err(failure) = round.play(Some(&mut results)) {
            stuck.report(Stuck { lane: first + failure.lane, ..failure });
            return;
        }
        for (lane, legal) in lanes.iter().zip(&*legal) {
            let Some(mut row) = writers.next() else { break };
            lane.write(setup, legal, &mut row);
        }
        writers.finish();
    }
}
