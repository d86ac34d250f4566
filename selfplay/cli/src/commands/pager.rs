//! A pager for long output at a terminal, as git has it.

use std::env;
use std::ffi::OsStr;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGINT;

/// Ends where the text fits on the screen, passes colours through, and leaves the text there.
const DEFAULT: &str = "less -FRX";

/// Standard output through a pager, which starts with the first byte: a command that fails before
/// it prints shows its error alone.
pub(super) struct Pager {
    words: Vec<String>,
    /// Whether the user chose the pager, who then wants to know that it does not start.
    chosen: bool,
    sink: Sink,
}

enum Sink {
    Unopened,
    Paged { child: Child, input: BufWriter<ChildStdin> },
    Plain,
}

impl Pager {
    /// The pager for standard output: `$PAGER`, else `less -FRX`. None if standard output is no
    /// terminal, and with a `$PAGER` that is empty or `cat`.
    pub(super) fn for_stdout() -> Option<Self> {
        if !io::stdout().is_terminal() {
            return None;
        }
        Self::of(env::var_os("PAGER").as_deref())
    }

    fn of(chosen: Option<&OsStr>) -> Option<Self> {
        let line = chosen.map_or(DEFAULT.into(), OsStr::to_string_lossy);
        // A line that is no sequence of words (an open quote) fails as a program of that name.
        let words = shlex::split(&line).unwrap_or_else(|| vec![line.into_owned()]);
        match words.as_slice() {
            [] => None,
            [word] if word == "cat" => None,
            _ => Some(Self { words, chosen: chosen.is_some(), sink: Sink::Unopened }),
        }
    }

    fn open(&self) -> Sink {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).stdin(Stdio::piped());
        if env::var_os("LESS").is_none() {
            command.env("LESS", "FRX");
        }
        match command.spawn() {
            Ok(mut child) => {
                // Ctrl-C is the pager's, which may stop a search by it. If this process ended, the
                // pager would go on without a shell that waits for it.
                let _ = signal_hook::flag::register(SIGINT, Arc::new(AtomicBool::new(false)));
                let input = child.stdin.take().expect("its input is piped");
                Sink::Paged { child, input: BufWriter::new(input) }
            }
            Err(error) => {
                if self.chosen {
                    let words = self.words.join(" ");
                    let _ =
                        writeln!(io::stderr(), "warning: cannot run the pager `{words}`: {error}");
                }
                Sink::Plain
            }
        }
    }

    /// Ends the input, and waits until the reader has left the pager.
    pub(super) fn close(mut self) -> io::Result<()> {
        let flushed = self.flush();
        if let Sink::Paged { mut child, input } = self.sink {
            // What could not be flushed must not be tried again.
            drop(input.into_parts());
            child.wait()?;
        }
        flushed
    }
}

impl Write for Pager {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if matches!(self.sink, Sink::Unopened) {
            self.sink = self.open();
        }
        match &mut self.sink {
            Sink::Paged { input, .. } => input.write(bytes),
            Sink::Plain | Sink::Unopened => io::stdout().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Paged { input, .. } => input.flush(),
            Sink::Plain | Sink::Unopened => io::stdout().flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(chosen: Option<&str>) -> Option<Vec<String>> {
        Pager::of(chosen.map(OsStr::new)).map(|pager| pager.words)
    }

    #[test]
    fn pager_is_a_line_of_words() {
        assert_eq!(words(None).unwrap(), ["less", "-FRX"]);
        assert_eq!(words(Some("most -w 'a b'")).unwrap(), ["most", "-w", "a b"]);
        assert_eq!(words(Some("'open")).unwrap(), ["'open"]);
    }

    #[test]
    fn empty_pager_and_cat_are_none() {
        for none in ["", " ", "cat"] {
            assert_eq!(words(Some(none)), None);
        }
    }
}
