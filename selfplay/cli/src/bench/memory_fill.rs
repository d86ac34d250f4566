//! How fast the machine writes memory: an upper bound for a batch that writes its rows.

use std::hint::black_box;
use std::time::{Duration, Instant};

use darkqi_env::batch::zeroed;
use darkqi_format::{NoThreads, thread_pool};
use rayon::ThreadPool;

/// A buffer that threads fill again and again, each its own part.
pub(super) struct MemoryFill {
    parts: Vec<Vec<u8>>,
    pool: ThreadPool,
}

impl MemoryFill {
    /// A buffer of this many bytes in all.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub(super) fn new(bytes: usize, threads: usize) -> Result<Self, NoThreads> {
        let pool = thread_pool(threads)?;
        let share = |part| bytes * (part + 1) / threads - bytes * part / threads;
        let parts = (0..threads).map(|part| zeroed(share(part))).collect();
        let mut fill = Self { parts, pool };
        // The system maps zero pages only at the first write.
        fill.fill(1);
        Ok(fill)
    }

    /// Bytes per second, written by all threads at once for about this long.
    pub(super) fn rate(&mut self, duration: Duration) -> f64 {
        // The number of rounds is doubled until it takes long enough. The last count is measured.
        let mut rounds = 1;
        loop {
            let elapsed = self.fill(rounds);
            if elapsed >= duration {
                let bytes: usize = self.parts.iter().map(Vec::len).sum();
                return bytes as f64 * rounds as f64 / elapsed.as_secs_f64();
            }
            rounds *= 2;
        }
    }

    fn fill(&mut self, rounds: usize) -> Duration {
        let started = Instant::now();
        self.pool.scope(|scope| {
            for part in &mut self.parts {
                scope.spawn(move |_| {
                    for round in 0..rounds {
                        part.fill(round as u8);
                        // The compiler must not remove a round that the next overwrites.
                        black_box(part.as_mut_slice());
                    }
                });
            }
        });
        started.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::MemoryFill;

    #[test]
    fn every_byte_is_written() {
        let mut fill = MemoryFill::new(1001, 3).expect("threads can be started");
        assert_eq!(fill.parts.iter().map(Vec::len).sum::<usize>(), 1001);
        fill.fill(6);
        assert!(fill.parts.iter().flatten().all(|&byte| byte == 5));
        assert!(fill.rate(Duration::from_micros(10)) > 0.0);
    }
}
