//! `darkqi serve`: a page in the browser.

use std::env;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;

use anyhow::Result;
use darkqi_engine::agents::AgentSpec;
use darkqi_page::{KeptGames, Settings};

use super::folder;
use super::interrupt;

/// The port unless another one is asked for.
const PORT: u16 = 7878;

/// Play and look at games in the browser
///
/// Serves a page on this machine: games against agents or one another, and the datasets in the given
/// folders, with reports. It runs until Ctrl-C. docs/play.md has the details.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Folders whose datasets are shown, with those below; finished games can be added to the first
    #[arg(value_name = "DIR", default_value = ".", value_parser = folder())]
    folders: Vec<PathBuf>,
    /// The port; 0 takes any that is free
    #[arg(long, default_value_t = PORT)]
    port: u16,
    /// The address to listen on; any but a loopback address lets other machines play and read
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST),
        value_parser = listened,
    )]
    host: IpAddr,
    /// A name by which the page may be opened, as in the network or through a proxy; localhost and
    /// addresses of this machine need none
    #[arg(long, value_name = "NAME", value_parser = name)]
    allow_host: Vec<String>,
    /// The path of the page behind a proxy, such as `/games`
    #[arg(long, value_name = "PATH", default_value = "", hide_default_value = true, value_parser = base)]
    base: String,
    /// The agent that plays unless another one is chosen, and gives hints; beside a level `level:strong`
    /// does
    #[arg(long, short, default_value = "level:easy")]
    agent: AgentSpec,
    /// Agents with a file or a program, such as `onnx:FILE`, that the page may choose
    #[arg(long, value_name = "AGENT")]
    allow: Vec<AgentSpec>,
    /// The folder in which games are kept, so that they go on with the next server [default:
    /// darkqi/games in your folder for state, such as ~/.local/state]
    #[arg(long, value_name = "DIR", value_parser = folder())]
    games: Option<PathBuf>,
    /// Do not open the browser
    #[arg(long)]
    no_open: bool,
}

/// The address that is listened on.
fn listened(text: &str) -> Result<IpAddr, String> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    match bare.parse() {
        Ok(address) => Ok(address),
        Err(_) if text.eq_ignore_ascii_case("localhost") => Ok(Ipv4Addr::LOCALHOST.into()),
        Err(_) => Err("expected a number address of this machine, or `localhost`; other names of \
                       it are given by `--allow-host`"
            .to_owned()),
    }
}

/// The name of a host, without a port.
fn name(text: &str) -> Result<String, String> {
    darkqi_page::name_of(text).ok_or_else(|| {
        "expected a name such as `mybox.local`, without `http://` and a path".to_owned()
    })
}

/// A path such as `/a/b`, or nothing for none.
fn base(text: &str) -> Result<String, String> {
    let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~' | '@');
    let is_path = |part: &&str| part.chars().all(is_plain) && !matches!(*part, "." | "..");
    if !parts.iter().all(is_path) || parts.first() == Some(&"api") {
        let expected = "a path of letters, digits, `-`, `_`, `.`, `~` and `@`, not below `/api`";
        return Err(format!("expected {expected}"));
    }
    Ok(parts.iter().map(|part| format!("/{part}")).collect())
}

/// The folder where programs keep their state, as the system has it.
fn state_folder() -> Option<PathBuf> {
    let given = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let in_home =
        |path| env::home_dir().filter(|home| home.is_absolute()).map(|home| home.join(path));
    if cfg!(windows) {
        given("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        in_home("Library/Application Support")
    } else {
        given("XDG_STATE_HOME").or_else(|| in_home(".local/state"))
    }
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let settings = Settings {
        folders: args.folders.clone(),
        host: args.host,
        port: args.port,
        agent: args.agent.clone(),
        extra_agents: args.allow.clone(),
        names: args.allow_host.clone(),
        base: args.base.clone(),
        games: match &args.games {
            Some(dir) => KeptGames::In(dir.clone()),
            None => state_folder().map_or(KeptGames::InMemory, |state| {
                KeptGames::IfPossible(state.join("darkqi").join("games"))
            }),
        },
    };
    let ready = |address: SocketAddr| -> Result<()> {
        // Browsers open no unspecified address, and it is none for a link.
        let host = match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        let url = format!("http://{}{}/", SocketAddr::new(host, address.port()), args.base);
        writeln!(out, "{url}")?;
        out.flush()?;
        if !args.host.is_loopback() {
            let warning = "other machines that reach this one can play, and read the datasets";
            writeln!(io::stderr(), "warning: {warning}")?;
        }
        if !args.no_open
            && let Err(error) = open::that_detached(&url)
        {
            writeln!(io::stderr(), "no browser was opened ({error}); open the address above")?;
        }
        Ok(())
    };
    darkqi_page::serve(settings, interrupt::watch(), ready)
}

#[cfg(test)]
mod tests {
    use super::{base, listened, name};

    #[test]
    fn addresses_names_and_paths_are_read() {
        let local = "127.0.0.1".parse().expect("an address");
        assert_eq!(listened("localhost"), Ok(local));
        assert_eq!(listened("[::1]").map(|it| it.to_string()), Ok("::1".to_owned()));
        assert!(listened("mybox.local").is_err_and(|told| told.contains("--allow-host")));
        assert_eq!(name("MyBox.local:80"), Ok("mybox.local".to_owned()));
        assert!(name("https://mybox.local/").is_err());
        for (given, path) in [("", ""), ("/", ""), ("games", "/games"), ("/a/b/", "/a/b")] {
            assert_eq!(base(given), Ok(path.to_owned()));
        }
        for given in ["/a b", "/{x}", "/../x", "/api", "api/x", "/é", "/a?b"] {
            assert!(base(given).is_err(), "{given}");
        }
    }
}
