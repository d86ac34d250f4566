//! Lines of standard input that a signal need not wait for.

use std::io::{self, BufRead, Write};
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
pub(super) struct Lines {
    lines: Receiver<String>,
    /// Takes the prompt of each line that is asked for, where lines are edited.
    prompts: Option<Sender<String>>,
}

impl Lines {
    /// The lines of standard input. At a terminal they are edited, with a history of them.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub(super) fn of_stdin() -> Result<Self, NoThreads> {
        let (sender, lines) = channel();
        #[cfg(unix)]
        if super::editor::can_edit() {
            let (prompts, asked) = channel();
            spawn("darkqi-lines", move || super::editor::edit(&asked, &sender))?;
            return Ok(Self { lines, prompts: Some(prompts) });
        }
        spawn("darkqi-lines", move || {
            lossy_lines(io::stdin().lock()).try_for_each(|line| sender.send(line))
        })?;
        Ok(Self { lines, prompts: None })
    }

    /// Waits for the next line, without its end, after a prompt.
    ///
    /// # Errors
    /// If the prompt cannot be written.
    pub(super) fn next(
        &self,
        out: &mut dyn Write,
        prompt: &str,
        stop: &AtomicBool,
    ) -> io::Result<Line> {
        match &self.prompts {
            // Without the thread there is no line either.
            Some(prompts) => drop(prompts.send(prompt.to_owned())),
            None => write!(out, "{prompt}")?,
        }
        out.flush()?;
        loop {
            if stop.load(Ordering::Relaxed) {
                return Ok(Line::Stopped);
            }
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => return Ok(Line::Text(line)),
                Err(RecvTimeoutError::Disconnected) if stop.load(Ordering::Relaxed) => {
                    return Ok(Line::Stopped);
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(Line::End),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// The trimmed lines of an input, until it ends or cannot be read. Bytes that are no UTF-8 are replaced.
pub(crate) fn lossy_lines(input: impl BufRead) -> impl Iterator<Item = String> {
    let lines = input.split(b'\n').map_while(Result::ok);
    lines.map(|line| String::from_utf8_lossy(&line).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::sync::mpsc::channel;

    use super::{Line, Lines, lossy_lines};

    #[test]
    fn any_bytes_are_lines_and_a_flag_ends_the_wait() {
        let (sender, received) = channel();
        for line in lossy_lines(&b"a4a5\r\n\xff\nlast"[..]) {
            sender.send(line).expect("somebody listens");
        }
        let lines = Lines { lines: received, prompts: None };
        let mut out = Vec::new();
        let mut next = |stop| {
            lines.next(&mut out, "> ", &AtomicBool::new(stop)).expect("memory can be written")
        };
        for expected in ["a4a5", "\u{fffd}", "last"] {
            assert!(matches!(next(false), Line::Text(line) if line == expected));
        }
        assert!(matches!(next(true), Line::Stopped));
        drop(sender);
        assert!(matches!(next(false), Line::End));
        assert_eq!(out, b"> > > > > ");
    }
}
