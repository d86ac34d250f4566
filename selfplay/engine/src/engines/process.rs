//! An engine's process.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{self, Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use darkqi_format::spawn;

use super::answer::Answer;
use super::descendants;
use super::fault::EngineFault;

/// Lines that wait to be read. An engine that writes more is held up.
const WAITING_LINES: usize = 1024;

/// How long an engine that has closed its output may take to end.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Time between two looks at the flag that stops a search.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// The longest line that is read, in bytes. One without an end would fill the memory.
const MAX_LINE: usize = 1 << 20;

/// An engine that has been started. It is killed when this is dropped, with all that it has started.
#[derive(Debug)]
pub(crate) struct Engine {
    child: Child,
    input: ChildStdin,
    /// The lines that a thread reads of its output; reading itself knows no time-out.
    lines: Receiver<io::Result<String>>,
    /// The last line that it was sent.
    pub(crate) sent: String,
    /// The last line that came from it.
    pub(crate) received: String,
    /// Its last words since it was last asked.
    pub(crate) remark: Option<String>,
    /// The process that started it, which has the thread that reads.
    starter: u32,
    /// By which it and what it has started are known.
    mark: String,
}

impl Engine {
    /// Starts a program with its arguments in a folder, or where this process is. What it writes to its
    /// standard error goes to this process's, or nowhere if it is quiet.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(crate) fn start(
        words: &[String],
        folder: Option<&Path>,
        is_quiet: bool,
    ) -> Result<Self, EngineFault> {
        let (program, arguments) = words.split_first().ok_or_else(|| {
            EngineFault::Start(io::Error::new(io::ErrorKind::InvalidInput, "the command is empty"))
        })?;
        let mut command = Command::new(program);
        let mark = descendants::mark();
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        if is_quiet {
            command.stderr(Stdio::null());
        }
        command.env(descendants::MARK, &mark);
        // A script that starts the engine is to end with it. A Ctrl-C at the terminal then does not reach
        // the engine: this process kills it when it has stopped.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(EngineFault::Start)?;
        let (sender, lines) = sync_channel(WAITING_LINES);
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both are piped");
        };
        let (sent, received, starter) = (String::new(), String::new(), process::id());
        let engine = Self { child, input, lines, sent, received, remark: None, starter, mark };
        // Without the thread, dropping the engine ends it.
        spawn("darkqi-engine", move || read_lines(BufReader::new(output), &sender))?;
        Ok(engine)
    }

    /// Whether this process has started it; not so in one that was forked later.
    pub(crate) fn is_ours(&self) -> bool {
        self.starter == process::id()
    }

    /// Sends a line that has no answer, before one whose answer begins with `expected`.
    ///
    /// # Errors
    /// If the engine takes none.
    pub(crate) fn send(&mut self, line: &str, expected: &'static str) -> Result<(), EngineFault> {
        line.clone_into(&mut self.sent);
        // In one piece: an engine may read what there is.
        let whole = format!("{line}\n");
        let written = self.input.write_all(whole.as_bytes()).and_then(|()| self.input.flush());
        written.map_err(|cause| match self.last_status() {
            // Where the engine has ended, that is the fault. Otherwise it would be told by chance, since
            // a pipe may take what nobody reads any more.
            status @ Some(_) => EngineFault::Ended { status, expected },
            None => EngineFault::Write(cause),
        })
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
        self.remark = None;
        self.send(line, expected)?;
        let mut waited = Duration::ZERO;
        loop {
            let begun = Instant::now();
            let left = patience.saturating_sub(waited);
            match self.lines.recv_timeout(left.min(STOP_INTERVAL)) {
                Ok(Ok(line)) => {
                    self.received = line;
                    if let Some(remark) = remark(&self.received) {
                        self.remark = Some(remark.to_owned());
                    }
                    if is_last(&self.received) {
                        return Ok(());
                    }
                }
                Ok(Err(cause)) => return Err(EngineFault::Read(cause)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(EngineFault::Ended { status: self.last_status(), expected });
                }
            }
            // A longer wait than was asked for is time in which this process was stopped, by Ctrl-Z or
            // with its machine. The engine may have answered, or have been stopped with it.
            waited += begun.elapsed().min(STOP_INTERVAL);
            // An engine that never stops writing is late, and to be stopped, too.
            if waited >= patience {
                return Err(EngineFault::Late { patience, expected });
            }
            if stop.load(Ordering::Relaxed) {
                return Err(EngineFault::Stopped);
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
        // The number of a process that has been waited for may be another's.
        #[cfg(unix)]
        if let Ok(None) = self.child.try_wait() {
            use rustix::process::{Pid, Signal, kill_process_group};

            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
        // One that has ended already needs no more than to be waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
        descendants::end(&self.mark);
    }
}

/// The words of a line.
fn remark(line: &str) -> Option<&str> {
    let text = line.trim_start().strip_prefix("info")?.trim_start().strip_prefix("string ")?;
    Some(text.trim())
}

/// Reads lines until the output ends, a line is too long or nobody wants them. Bytes that are no UTF-8
/// are replaced.
fn read_lines(mut output: impl BufRead, sender: &SyncSender<io::Result<String>>) {
    loop {
        let mut line = Vec::new();
        // The end of the line is one more byte.
        let read = match (&mut output).take(MAX_LINE as u64 + 1).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) if line.len() > MAX_LINE && !line.ends_with(b"\n") => {
                let fault =
                    format!("expected lines of at most {MAX_LINE} bytes, found a longer one");
                Err(io::Error::new(io::ErrorKind::InvalidData, fault))
            }
            Ok(_) => Ok(String::from_utf8_lossy(&line).trim_end().to_owned()),
            Err(cause) => Err(cause),
        };
        let is_over = read.is_err();
        if sender.send(read).is_err() || is_over {
            return;
        }
    }
}
