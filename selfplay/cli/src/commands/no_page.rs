//! `darkqi serve` in a build without the page.

use std::ffi::OsString;
use std::io::Write;

use anyhow::Result;

use super::left_out;

/// Play and look at games in the browser (not in this build)
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _any: Vec<OsString>,
}

pub(super) fn run(_: &Args, _: &mut dyn Write) -> Result<()> {
    Err(left_out("darkqi serve", "page"))
}
