//! The command line: one file per subcommand.

mod agents;
mod arena;
mod bench;
mod checking;
mod completions;
mod drawing;
#[cfg(unix)]
mod editor;
mod finish;
mod first_reveal;
mod format;
mod games;
mod interrupt;
mod lines;
mod output;
mod pager;
mod perft;
mod play;
mod replay;
mod report;
mod rule_options;
mod run_options;
mod screen;
mod selfplay;
#[cfg_attr(not(feature = "page"), path = "no_page.rs")]
mod serve;
mod solve;
mod strength;
mod study_options;
mod sweep;
mod table;
mod tables;
mod uci;
mod values;
mod verify;

use std::error::Error as _;
use std::ffi::OsString;
use std::io::{self, Write};
use std::num::{IntErrorKind, ParseIntError};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::{Result, anyhow};
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::error::{ContextKind, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use darkqi_format::{is_remote, stopped_by};
pub(crate) use lines::lossy_lines;
use pager::Pager;
use screen::{Screen, shown_error};

/// Simulates xiangqi games with covered pieces.
#[derive(Debug, Parser)]
#[command(name = "darkqi", version, max_term_width = 80)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Selfplay(selfplay::Args),
    Finish(finish::Args),
    Arena(arena::Args),
    Play(play::Args),
    Serve(serve::Args),
    Replay(replay::Args),
    Verify(verify::Args),
    FirstReveal(first_reveal::Args),
    Values(values::Args),
    Strength(strength::Args),
    Sweep(sweep::Args),
    Report(report::Args),
    Games(games::Args),
    Agents(agents::Args),
    Perft(perft::Args),
    Tables(tables::Args),
    Solve(solve::Args),
    Bench(bench::Args),
    Uci(uci::Args),
    Completions(completions::Args),
}

/// Runs a command line, the program's name first, and writes what it prints to `out`.
///
/// # Errors
/// A [`clap::Error`] for a faulty command line, otherwise the error of the command.
pub fn run<A>(args: impl IntoIterator<Item = A>, out: &mut dyn Write) -> Result<()>
where
    A: Into<OsString> + Clone,
{
    execute(parse(args), out)
}

fn parse<A>(args: impl IntoIterator<Item = A>) -> Result<Cli, clap::Error>
where
    A: Into<OsString> + Clone,
{
    let words: Vec<OsString> = args.into_iter().map(Into::into).collect();
    let mut command = with_negative_numbers(Cli::command());
    let matches = command
        .try_get_matches_from_mut(&words)
        .map_err(|fault| with_expectation(fault, &command))?;
    let mut cli =
        Cli::from_arg_matches(&matches).map_err(|fault| with_expectation(fault, &command))?;
    // Pages of studies say how they were made.
    let kept = || words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    match &mut cli.command {
        Command::Sweep(args) => args.study.words = kept(),
        Command::Strength(args) => args.study.words = kept(),
        _ => {}
    }
    Ok(cli)
}

fn execute(parsed: Result<Cli, clap::Error>, out: &mut dyn Write) -> Result<()> {
    let is_painted = matches!(parsed, Ok(Cli { command: Command::Play(_) }));
    let out = &mut Screen::new(out, is_painted);
    let cli = match parsed {
        Ok(cli) => cli,
        // Help and version are requested output, not errors.
        Err(help) if help.exit_code() == 0 => return Ok(write!(out, "{help}")?),
        Err(error) => return Err(error.into()),
    };
    // Signals are watched from the first wait on: a command that waits for nothing may end by them.
    let is_stopped = || interrupt::watch().load(Ordering::Relaxed);
    stopped_by(Arc::new(is_stopped), || match cli.command {
        Command::Selfplay(args) => selfplay::run(&args, out),
        Command::Finish(args) => finish::run(&args, out),
        Command::Arena(args) => arena::run(&args, out),
        Command::Play(args) => play::run(&args, out),
        Command::Serve(args) => serve::run(&args, out),
        Command::Replay(args) => replay::run(&args, out),
        Command::Verify(args) => verify::run(&args, out),
        Command::FirstReveal(args) => first_reveal::run(&args, out),
        Command::Values(args) => values::run(&args, out),
        Command::Strength(args) => strength::run(&args, out),
        Command::Sweep(args) => sweep::run(&args, out),
        Command::Report(args) => report::run(&args, out),
        Command::Games(args) => games::run(&args, out),
        Command::Agents(args) => agents::run(&args, out),
        Command::Perft(args) => perft::run(&args, out),
        Command::Tables(args) => tables::run(&args, out),
        Command::Solve(args) => solve::run(&args, out),
        Command::Bench(args) => bench::run(&args, out),
        Command::Uci(args) => uci::run(&args, out),
        Command::Completions(args) => completions::run(&args, Cli::command(), out),
    })
}

/// The command, with `--games -5` read as a value, whose own error says more than that -5 is no
/// option.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    command
        .mut_args(|arg| {
            let takes_values = arg.get_action().takes_values();
            arg.allow_negative_numbers(takes_values)
        })
        .mut_subcommands(with_negative_numbers)
}

/// A fault of the command line, with what was expected where the library of numbers does not say so.
fn with_expectation(fault: clap::Error, command: &clap::Command) -> clap::Error {
    let cause = fault.source().and_then(|cause| cause.downcast_ref::<ParseIntError>());
    let expected = match cause.map(ParseIntError::kind) {
        None => return fault,
        Some(IntErrorKind::PosOverflow) => "a smaller number",
        Some(IntErrorKind::Zero) => "a whole number from 1 on",
        Some(_) => "a whole number, not negative",
    };
    let told = |kind| fault.get(kind).map(ToString::to_string).unwrap_or_default();
    let [value, name] = [ContextKind::InvalidValue, ContextKind::InvalidArg].map(told);
    let message = format!(
        "invalid value '{value}' for '{name}': expected {expected}\n\nFor more information, try '--help'.\n"
    );
    clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
}

/// The error of a command that this build does without.
#[cfg(not(all(feature = "page", feature = "pictures")))]
fn left_out(command: &str, feature: &str) -> anyhow::Error {
    anyhow::anyhow!(
        "`{command}` was left out of this build: in a clone, `make build` builds all of the program, and \
         `cargo build` does with `--features {feature}`"
    )
}

/// Runs a command line, the program's name first, on the process's standard output, and reports
/// errors to its standard error.
///
/// The exit code is 0, 1 after a failure, 2 for a faulty command line, 130 after Ctrl-C and 143 after
/// SIGTERM. A closed pipe (`darkqi games | head -1`) is no failure. At a terminal, long text goes
/// through a pager.
pub fn main<A>(args: impl IntoIterator<Item = A>) -> u8
where
    A: Into<OsString> + Clone,
{
    interrupt::refuse_large_files();
    let Err(error) = run_on_stdout(args) else { return 0 };
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        // A closed standard error is ignored.
        let _ = write!(io::stderr(), "{}", shown_error(&usage.render().to_string()));
        return 2;
    }
    let pipe_closed = |cause: &io::Error| cause.kind() == io::ErrorKind::BrokenPipe;
    // Of the output alone: datasets, which may be behind a connection, have errors of their own.
    if error.downcast_ref().is_some_and(pipe_closed) {
        return 0;
    }
    let is_full = |cause: &io::Error| {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        matches!(cause.kind(), FileTooLarge | QuotaExceeded | StorageFull)
    };
    let error = match error.downcast_ref().filter(|&cause| is_full(cause)) {
        Some(cause) => anyhow!("cannot write to standard output: {cause}"),
        None => interrupt::explained(error),
    };
    let _ = writeln!(io::stderr(), "error: {}", shown_error(&format!("{error:#}")));
    error.downcast_ref().map_or(1, interrupt::Interrupted::exit_code)
}

fn run_on_stdout<A>(args: impl IntoIterator<Item = A>) -> Result<()>
where
    A: Into<OsString> + Clone,
{
    let parsed = parse(args);
    let pager = match &parsed {
        Ok(Cli { command: Command::Replay(args) }) if args.is_long() => Pager::for_stdout(),
        _ => None,
    };
    if let Some(mut pager) = pager {
        let done = execute(parsed, &mut pager);
        let closed = pager.close();
        done?;
        return Ok(closed?);
    }
    let mut out = io::stdout().lock();
    // Within another program nobody flushes what is left when the process ends.
    execute(parsed, &mut out).and_then(|()| Ok(out.flush()?))
}

/// Reads the path of a folder, whose name may be no Unicode, or a URL of object storage.
fn location() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(darkqi_format::location)
}

/// Reads the path of a folder of this machine, which `file://` may begin.
fn folder() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|given| {
        let path = darkqi_format::location(given)?;
        if is_remote(&path) {
            return Err(format!("expected a folder of this machine, found {}", path.display()));
        }
        Ok(path)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use clap::CommandFactory;

    use super::Cli;

    /// The letter and the name of each option of the commands below one, and whether it takes a value.
    fn options(command: &clap::Command, found: &mut Vec<(Option<char>, String, bool)>) {
        for arg in command.get_arguments() {
            let takes_value = arg.get_action().takes_values();
            found
                .extend(arg.get_long().map(|name| (arg.get_short(), name.to_owned(), takes_value)));
        }
        command.get_subcommands().for_each(|inner| options(inner, found));
    }

    #[test]
    fn a_letter_and_a_word_have_one_meaning() {
        let mut found = Vec::new();
        options(&Cli::command(), &mut found);
        let (mut words, mut letters) = (BTreeMap::new(), BTreeMap::new());
        for (letter, name, takes_value) in found {
            let known = *words.entry(name.clone()).or_insert(takes_value);
            assert_eq!(known, takes_value, "--{name} with a value and without");
            // One agent, or several.
            let word = name.trim_end_matches('s').to_owned();
            if let Some(letter) = letter {
                let known = letters.entry(letter).or_insert_with(|| word.clone()).clone();
                assert_eq!(known, word, "-{letter}");
            }
        }
        assert!(letters.len() > 5 && !words.contains_key("output"), "{letters:?}");
    }
}
