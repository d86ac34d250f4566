//! The thread that writes parts as shards.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;

use darkqi_engine::agent::NEVER;
use thread_priority::ThreadPriority;
#[cfg(target_os = "linux")]
use thread_priority::{NormalThreadSchedulePolicy, ThreadSchedulePolicy};

use super::dataset::ShardWriter;
use super::parts::{Order, Reply, cause};
use crate::error::Error;

/// Shards all of whose games are in parts. Those that cannot be written wait.
pub(super) struct Shards {
    writer: ShardWriter,
    orders: Receiver<Order>,
    /// Whether parts are left as they are.
    leaving: Arc<AtomicBool>,
    /// The shards that are to be written.
    waiting: VecDeque<u32>,
    /// Whether there are no more games after them.
    has_all: bool,
    /// Whether the dataset is complete.
    is_done: bool,
}

impl Shards {
    pub(super) fn new(
        writer: ShardWriter,
        orders: Receiver<Order>,
        leaving: Arc<AtomicBool>,
    ) -> Self {
        Self { writer, orders, leaving, waiting: VecDeque::new(), has_all: false, is_done: false }
    }

    /// Writes shards until there are no more, and then marks the dataset as complete. Where `leaving`
    /// becomes true, it leaves the parts that remain. After a failure it sets `has_failed` and
    /// writes on when it is told to.
    ///
    /// The thread has the lowest priority, at which the end may take as long as other programs please.
    /// So where `closing` becomes true, what is left is returned, for the thread that waits for it.
    pub(super) fn run(
        mut self,
        closing: &AtomicBool,
        has_failed: &AtomicBool,
    ) -> Option<Box<Self>> {
        yield_to_others();
        let mut is_failing = false;
        while let Ok(order) = self.orders.recv() {
            if self.leaving.load(Ordering::Relaxed) {
                return None;
            }
            let reply = self.take(order);
            if !is_failing || reply.is_some() {
                let written = self.write(closing);
                is_failing = written.is_err();
                if is_failing {
                    has_failed.store(true, Ordering::Relaxed);
                }
                if let Some(reply) = reply {
                    // Who asks waits for the answer.
                    let _ = reply.send(written.map_err(cause));
                }
            }
            if self.has_all || closing.load(Ordering::Relaxed) {
                break;
            }
        }
        (!self.is_done).then(|| Box::new(self))
    }

    /// Notes what is to be done. Returns to whom the outcome is to be told.
    fn take(&mut self, order: Order) -> Option<Reply> {
        match order {
            Order::Write(shard) => self.waiting.push_back(shard),
            Order::Finish => self.has_all = true,
            Order::Retry(reply) => return Some(reply),
        }
        None
    }

    /// Writes the shards that wait, until `stop` or `leaving` becomes true. After the last one it marks
    /// the dataset as complete.
    ///
    /// # Errors
    /// If a file cannot be written. What is not written still waits.
    fn write(&mut self, stop: &AtomicBool) -> Result<(), Error> {
        while let Some(&shard) = self.waiting.front() {
            if self.leaving.load(Ordering::Relaxed) || !self.writer.write(shard, stop)? {
                return Ok(());
            }
            self.waiting.pop_front();
        }
        if self.has_all && !self.leaving.load(Ordering::Relaxed) {
            self.writer.complete()?;
            self.is_done = true;
        }
        Ok(())
    }

    /// Writes the shards that a thread has left and marks the dataset as complete.
    ///
    /// # Errors
    /// If a file cannot be written. Another call goes on.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        // Ends with the thread that writes parts.
        while let Ok(order) = self.orders.recv() {
            drop(self.take(order));
        }
        self.write(&NEVER)
    }
}

/// Gives this thread the lowest priority.
fn yield_to_others() {
    // If it fails, the thread only competes with others. On Linux the policy `SCHED_IDLE` does more
    // than a priority: a thread that wakes up takes the processor at once.
    #[cfg(target_os = "linux")]
    let _ = thread_priority::set_thread_priority_and_policy(
        thread_priority::thread_native_id(),
        ThreadPriority::Min,
        ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle),
    );
    #[cfg(not(target_os = "linux"))]
    let _ = thread_priority::set_current_thread_priority(ThreadPriority::Min);
}
