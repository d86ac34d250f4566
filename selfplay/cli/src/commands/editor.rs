//! Lines that are edited at a terminal, with a history.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{Receiver, Sender};

use rustyline::config::Config;
use rustyline::error::ReadlineError;
use rustyline::{DefaultEditor, Result};
use signal_hook::consts::SIGINT;
use signal_hook::low_level::raise;

/// Whether a person types at a terminal and sees it there.
pub(super) fn can_edit() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Sends a line for each prompt, until the input ends or nobody asks.
pub(super) fn edit(prompts: &Receiver<String>, lines: &Sender<String>) {
    let Ok(mut editor) = editor() else { return };
    for prompt in prompts {
        match editor.readline(&prompt) {
            Ok(line) => {
                if lines.send(line).is_err() {
                    return;
                }
            }
            Err(ReadlineError::Interrupted) => {
                // The terminal does not send it while a line is edited.
                let _ = raise(SIGINT);
                return;
            }
            Err(_) => return,
        }
    }
}

fn editor() -> Result<DefaultEditor> {
    DefaultEditor::with_config(Config::builder().auto_add_history(true).build())
}

/// The terminal as it was. While a line is edited it takes keys one by one; a signal that ends the program
/// then would leave it so.
#[cfg(unix)]
pub(super) struct Terminal(Option<nix::sys::termios::Termios>);

#[cfg(unix)]
impl Terminal {
    pub(super) fn kept() -> Self {
        Self(nix::sys::termios::tcgetattr(io::stdin()).ok())
    }
}

#[cfg(unix)]
impl Drop for Terminal {
    fn drop(&mut self) {
        use nix::sys::termios::{SetArg, tcsetattr};

        if let Some(before) = &self.0 {
            let _ = tcsetattr(io::stdin(), SetArg::TCSANOW, before);
        }
    }
}
