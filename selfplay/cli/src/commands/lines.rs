//! Lines of standard input that a signal need not wait for.

use std::io::{self, BufRead};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use darkqi_format::{NoThreads, spawn};

/// How long a signal may go unnoticed.
const PATIENCE: Duration = Duration::from_millis(50);

/// The next input.
pub(super) enum Line {
    Text(String),
    /// The input has ended, or cannot be read.
    End,
    /// The flag was set while nothing came.
    Stopped,
}

/// Lines that a thread of its own reads: a read that waits for input goes on after a signal.
pub(super) struct Lines(Receiver<String>);

impl Lines {
    /// # Errors
    /// If the thread cannot be started.
    pub(super) fn of_stdin() -> Result<Self, NoThreads> {
        let (sender, lines) = channel();
        spawn("darkqi-lines", move || read(io::stdin().lock(), &sender))?;
        Ok(Self(lines))
    }

    /// Waits for the next line, without its end.
    pub(super) fn next(&self, stop: &AtomicBool) -> Line {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Line::Stopped;
            }
            match self.0.recv_timeout(PATIENCE) {
                Ok(line) => return Line::Text(line),
                Err(RecvTimeoutError::Disconnected) => return Line::End,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// Sends lines until there are no more, or nobody takes them. Bytes that are no UTF-8 are replaced.
fn read(mut input: impl BufRead, lines: &Sender<String>) {
    let mut bytes = Vec::new();
    while input.read_until(b'\n', &mut bytes).is_ok_and(|read| read > 0) {
        let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
        bytes.clear();
        if lines.send(line).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::sync::mpsc::channel;

    use super::{Line, Lines, read};

    #[test]
    fn any_bytes_are_lines_and_a_flag_ends_the_wait() {
        let (sender, received) = channel();
        read(&b"a4a5\r\n\xff\nlast"[..], &sender);
        let lines = Lines(received);
        let never = AtomicBool::new(false);
        for expected in ["a4a5", "\u{fffd}", "last"] {
            assert!(matches!(lines.next(&never), Line::Text(line) if line == expected));
        }
        assert!(matches!(lines.next(&AtomicBool::new(true)), Line::Stopped));
        drop(sender);
        assert!(matches!(lines.next(&never), Line::End));
    }
}
