//! `darkqi play`: a game at the terminal.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use anyhow::Result;
use darkqi_play::Error;
use darkqi_play::play::{People, PlayError, Reply, Session, Settings, Turn};
use darkqi_play::seeds::{new_seed, parse_seed};

use super::interrupt::{self, Interrupted};
use super::lines::{Line, Lines};
use super::location;
use super::rule_options::RuleOptions;

/// Play a game at the terminal, against an agent or one another
///
/// Shows what your seat may see, and reads moves and commands such as `moves`, `hint` and `back`;
/// `help` lists them. Lines may also come from a pipe. docs/play.md has the details.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The game
    game: String,
    /// The agent of the other seats, such as `level:hard`, which also gives hints; beside a level
    /// `level:strong` does. See `darkqi agents`
    #[arg(long, short, default_value = "level:easy")]
    agent: String,
    /// Your seat; `all` if people play all seats, `none` to watch the agent play itself
    #[arg(long, value_name = "N", default_value = "0")]
    seat: People,
    /// The seed of the deal and of the agent [default: drawn, and shown]
    #[arg(long, value_parser = parse_seed)]
    seed: Option<u64>,
    /// The position to begin with, a FEN. What a seat's FEN leaves unknown is dealt [default: a deal]
    #[arg(long)]
    fen: Option<String>,
    /// Add the game to the dataset in this folder when it has ended by the rules
    #[arg(long, short, value_name = "DIR", value_parser = location())]
    out: Option<PathBuf>,
    /// Say why the agent has failed, and show what an engine writes to its standard error; both may
    /// tell what it knows
    #[arg(long)]
    verbose: bool,
    #[command(flatten)]
    rule_options: RuleOptions,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let session = Session::new(Settings {
        game: args.game.clone(),
        options: args.rule_options.values(&args.game)?,
        agent: args.agent.parse()?,
        people: args.seat,
        seed: match args.seed {
            Some(seed) => seed,
            None => new_seed()?,
        },
        fen: args.fen.clone(),
        out: args.out.clone(),
        is_verbose: args.verbose,
        is_coloured: has_colours(),
    })?;
    play(session, out)
}

fn play(mut session: Session, out: &mut dyn Write) -> Result<()> {
    let stop = interrupt::watch();
    let stopped = |error| match error {
        PlayError::Game(Error::Stopped) => interrupted(),
        error => error.into(),
    };
    // A signal may come while a line is edited.
    #[cfg(unix)]
    let _terminal = super::editor::Terminal::kept();
    let mut lines: Option<Lines> = None;
    writeln!(out, "{}", session.greeting())?;
    let left = loop {
        match session.turn(stop).map_err(stopped)? {
            Turn::Played(told) => writeln!(out, "{told}")?,
            Turn::Over(told) => {
                writeln!(out, "\n{told}")?;
                break false;
            }
            Turn::Asked { board, prompt } => {
                if let Some(board) = board {
                    writeln!(out, "\n{board}\n")?;
                }
                let lines = match &mut lines {
                    Some(lines) => lines,
                    none => none.insert(Lines::of_stdin()?),
                };
                let line = match lines.next(out, &painted(&prompt), stop)? {
                    Line::Text(line) => line,
                    Line::Stopped => {
                        writeln!(out)?;
                        return Err(interrupted());
                    }
                    Line::End => {
                        writeln!(out)?;
                        break true;
                    }
                };
                if !io::stdin().is_terminal() {
                    // As a terminal would show it.
                    writeln!(out, "{line}")?;
                }
                match session.answer(&line, stop).map_err(stopped)? {
                    Reply::Said(told) if told.is_empty() => {}
                    Reply::Said(told) => writeln!(out, "{told}")?,
                    Reply::Left => break true,
                }
            }
        }
    };
    if left {
        writeln!(out, "The game is left as it stands.")?;
    }
    if let Some(kept) = session.keep()? {
        writeln!(out, "{kept}")?;
    }
    Ok(())
}

fn interrupted() -> anyhow::Error {
    Interrupted::new("the game is left as it stands").into()
}

/// Whether standard output is a terminal with colours. `NO_COLOR` forbids them: <https://no-color.org>.
fn has_colours() -> bool {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = env::var_os("TERM").is_some_and(|name| name == "dumb");
    io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb
}

/// A prompt, in bold letters where there are colours.
fn painted(prompt: &str) -> String {
    if has_colours() { format!("\x1b[1m{prompt}\x1b[0m") } else { prompt.to_owned() }
}
