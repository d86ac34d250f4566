//! `darkqi report`: a page of HTML about datasets.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use darkqi_env::shown::printable;
use darkqi_play::Error;
use darkqi_play::report::{self, Page};
use serde_json::json;

use super::interrupt::{self, Interrupted};
use super::location;
use super::output;
use super::screen::Screen;

/// Write one page of HTML about datasets of one game
///
/// It shows the value of the first reveal and of each piece, with 95 % intervals, statistics of the
/// games, and the commands that make the page again. It needs only a browser. The same datasets give
/// the same bytes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Datasets of one game, each of an agent against itself, from the weakest agent to the strongest
    #[arg(required = true, value_name = "DIR", value_parser = location())]
    dirs: Vec<PathBuf>,
    /// The page; `-` for standard output
    #[arg(long, short, value_name = "FILE", default_value = "report.html")]
    out: PathBuf,
    /// Print one JSON object instead of a line
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, out: &mut Screen<'_>) -> Result<()> {
    if args.json && output::is_stdout(&args.out) {
        bail!("--json: expected another output than `-`, which takes the page");
    }
    output::check(&args.out)?;
    let Page { html, headline } = match report::page(&args.dirs, interrupt::watch()) {
        Err(Error::Stopped) => return Err(Interrupted::new("no report was written").into()),
        page => page?,
    };
    output::write(out, &args.out, html.as_bytes())?;
    if output::is_stdout(&args.out) {
        return Ok(());
    }
    let path = args.out.display().to_string();
    if args.json {
        output::write_json(out, &json!({ "path": path, "headline": headline }))?;
    } else {
        writeln!(out, "{path}: {}", printable(&headline, |_| false))?;
    }
    Ok(())
}
