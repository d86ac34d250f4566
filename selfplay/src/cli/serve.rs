//! `darkqi serve`: a page in the browser.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use anyhow::Result;

use super::interrupt;
use crate::agents::AgentSpec;
use crate::serve::{self, Settings};

/// The port unless another one is asked for.
const PORT: u16 = 7878;

/// Play and look at games in the browser
///
/// Serves a page on this machine: games against agents or one another, and the datasets in the given
/// folders, with reports. It runs until Ctrl-C. docs/browser.md has the details.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Folders whose datasets are shown, with those below; finished games can be added to the first
    #[arg(value_name = "DIR", default_value = ".")]
    folders: Vec<PathBuf>,
    /// The port; 0 takes any that is free
    #[arg(long, default_value_t = PORT)]
    port: u16,
    /// The address to listen on; any but a loopback address lets other machines play and read
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// The agent that plays and gives hints unless another one is chosen
    #[arg(long, short, default_value = "expectimax:time=1000")]
    agent: AgentSpec,
    /// Agents with a file or a program, such as `onnx:FILE`, that the page may choose
    #[arg(long, value_name = "AGENT")]
    allow: Vec<AgentSpec>,
    /// Do not open the browser
    #[arg(long)]
    no_open: bool,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let settings = Settings {
        folders: args.folders.clone(),
        host: args.host,
        port: args.port,
        agent: args.agent.clone(),
        extra_agents: args.allow.clone(),
    };
    let ready = |address: SocketAddr| -> Result<()> {
        let url = format!("http://{address}/");
        writeln!(out, "{url}")?;
        out.flush()?;
        if !args.host.is_loopback() {
            let warning = "other machines that reach this address can play, and read the datasets";
            writeln!(io::stderr(), "warning: {warning}")?;
        }
        if !args.no_open
            && let Err(error) = open::that_detached(&url)
        {
            writeln!(io::stderr(), "no browser was opened ({error}); open the address above")?;
        }
        Ok(())
    };
    serve::serve(settings, interrupt::watch(), ready)
}
