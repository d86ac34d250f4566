//! An engine's process.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{self, Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::answer::Answer;
use super::fault::EngineFault;

/// Lines that wait to be read. An engine that writes more is held up.
const WAITING_LINES: usize = 1024;

/// How long an engine that has closed its output may take to end.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Time between two looks at the flag that stops a search.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// An engine that has been started. It is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Engine {
    child: Child,
    input: ChildStdin,
    /// What a thread reads of its output; reading itself knows no time-out.
    lines: Receiver<io::Result<String>>,
    sent: String,
    received: String,
    /// The process that started it, which has the thread that reads.
    starter: u32,
}

impl Engine {
    /// Starts a program with its arguments. What it writes to its standard error goes to this
    /// process's.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(crate) fn start(words: &[String]) -> Result<Self, EngineFault> {
        let (program, arguments) = words.split_first().ok_or_else(|| {
            EngineFault::Start(io::Error::new(io::ErrorKind::InvalidInput, "the command is empty"))
        })?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(EngineFault::Start)?;
        let (sender, lines) = sync_channel(WAITING_LINES);
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both are piped");
        };
        thread::spawn(move || read_lines(BufReader::new(output), &sender));
        let (sent, received, starter) = (String::new(), String::new(), process::id());
        Ok(Self { child, input, lines, sent, received, starter })
    }

    /// The last line that the engine was sent.
    pub(crate) fn last_sent(&self) -> &str {
        &self.sent
    }

    /// The last line that came from the engine.
    pub(crate) fn last_received(&self) -> &str {
        &self.received
    }

    /// Whether this process has started it; not so in one that was forked later.
    pub(crate) fn is_ours(&self) -> bool {
        self.starter == process::id()
    }

    /// Sends a line that has no answer.
    ///
    /// # Errors
    /// If the engine takes none.
    pub(crate) fn send(&mut self, line: &str) -> Result<(), EngineFault> {
        line.clone_into(&mut self.sent);
        // In one piece: an engine may read what there is.
        let whole = format!("{line}\n");
        let written = self.input.write_all(whole.as_bytes()).and_then(|()| self.input.flush());
        written.map_err(EngineFault::Write)
    }

    /// Sends a line and waits for one that begins with the word `expected`.
    ///
    /// # Errors
    /// If the engine ends or does not answer in time, or `stop` becomes true.
    pub(crate) fn ask(
        &mut self,
        line: &str,
        expected: &'static str,
        patience: Duration,
        stop: &AtomicBool,
    ) -> Result<(), EngineFault> {
        self.send_and_read(line, expected, patience, stop, |line| {
            line.split_whitespace().next() == Some(expected)
        })
    }

    /// Sends a `go` and waits for the move.
    ///
    /// # Errors
    /// If the engine ends or does not answer in time, or `stop` becomes true.
    pub(crate) fn go(
        &mut self,
        line: &str,
        patience: Duration,
        stop: &AtomicBool,
    ) -> Result<Answer, EngineFault> {
        let mut answer = Answer::default();
        self.send_and_read(line, "bestmove", patience, stop, |line| answer.read(line))?;
        Ok(answer)
    }

    /// Sends a line and reads until `is_last`. The answer begins with `expected`.
    fn send_and_read(
        &mut self,
        line: &str,
        expected: &'static str,
        patience: Duration,
        stop: &AtomicBool,
        mut is_last: impl FnMut(&str) -> bool,
    ) -> Result<(), EngineFault> {
        let begun = Instant::now();
        if let Err(fault) = self.send(line) {
            // Where the engine has ended, that is the fault.
            let status = self.last_status();
            let ended = EngineFault::Ended { status, expected };
            return Err(if status.is_some() { ended } else { fault });
        }
        loop {
            let left = patience.saturating_sub(begun.elapsed());
            match self.lines.recv_timeout(left.min(STOP_INTERVAL)) {
                Ok(Ok(line)) => {
                    self.received = line;
                    if is_last(&self.received) {
                        return Ok(());
                    }
                    // An engine that never stops writing is late, too.
                    if begun.elapsed() >= patience {
                        return Err(EngineFault::Late { patience, expected });
                    }
                }
                Ok(Err(cause)) => return Err(EngineFault::Read(cause)),
                Err(RecvTimeoutError::Timeout) if begun.elapsed() >= patience => {
                    return Err(EngineFault::Late { patience, expected });
                }
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {
                    return Err(EngineFault::Stopped);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(EngineFault::Ended { status: self.last_status(), expected });
                }
            }
        }
    }

    /// How an engine that has closed its output ends, if it does so soon.
    fn last_status(&mut self) -> Option<std::process::ExitStatus> {
        let begun = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(None) if begun.elapsed() < LAST_WORDS => {
                    thread::sleep(Duration::from_millis(2));
                }
                status => return status.ok().flatten(),
            }
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // In a forked process it is still the parent's.
        if !self.is_ours() {
            return;
        }
        // One that has ended already needs no more than to be waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads lines until the output ends or nobody wants them. Bytes that are no UTF-8 are replaced.
fn read_lines(mut output: impl BufRead, sender: &SyncSender<io::Result<String>>) {
    loop {
        let mut line = Vec::new();
        let read = match output.read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) => Ok(String::from_utf8_lossy(&line).trim_end().to_owned()),
            Err(cause) => Err(cause),
        };
        let is_over = read.is_err();
        if sender.send(read).is_err() || is_over {
            return;
        }
    }
}
