//! The commands of UCI as text.

use std::str::{FromStr, SplitWhitespace};
use std::time::Duration;

use darkqi_engine::search::Limits;
use darkqi_env::Player;

/// Plies that a seat is assumed to play still, where a clock does not say how many.
const PLIES_LEFT: u32 = 30;

/// The part of a clock that is kept for the way of the move to it.
const LAG: Duration = Duration::from_millis(30);

/// A line from the other side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Command {
    Uci,
    IsReady,
    NewGame,
    SetOption {
        name: String,
        value: String,
    },
    /// The words that follow.
    Position(String),
    Go(Go),
    /// A `go` that cannot be read: its client waits for an answer all the same.
    Decline,
    Stop,
    Show,
    Quit,
    /// Nothing, or what does not concern this engine.
    Idle,
}

/// When a search is to end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Go {
    depth: Option<u32>,
    nodes: Option<u64>,
    time: Option<u64>,
    /// The time left on the clocks of seat 0 and the others, in milliseconds.
    clocks: [Option<u64>; 2],
    /// The increment of each ply.
    increments: [u64; 2],
    plies_to_go: Option<u32>,
    infinite: bool,
}

impl Go {
    /// Whether the search goes on until it is stopped.
    pub(super) fn is_infinite(&self, seat: Player) -> bool {
        let limits = self.limits(seat);
        let limited = self.depth.is_some() || limits.nodes.is_some() || limits.time.is_some();
        self.infinite || !limited
    }

    /// The limits of a search for this seat.
    pub(super) fn limits(&self, seat: Player) -> Limits {
        if self.infinite {
            return Limits::depth(Limits::MAX_DEPTH);
        }
        let clock = seat.min(1);
        let by_clock = self.clocks[clock].map(|left| self.share(left, self.increments[clock]));
        let given = self.time.map(Duration::from_millis);
        let time = match (given, by_clock) {
            (Some(given), Some(by_clock)) => Some(given.min(by_clock)),
            (given, by_clock) => given.or(by_clock),
        };
        let depth = self.depth.unwrap_or(Limits::MAX_DEPTH).clamp(1, Limits::MAX_DEPTH);
        Limits { depth, nodes: self.nodes, time }
    }

    /// The time for one ply of what is left on a clock.
    fn share(&self, left: u64, increment: u64) -> Duration {
        let left = Duration::from_millis(left).saturating_sub(LAG);
        let plies = self.plies_to_go.unwrap_or(PLIES_LEFT).max(1);
        let share = (left / plies).saturating_add(Duration::from_millis(increment / 4 * 3));
        share.min(left).max(Duration::from_millis(1))
    }
}

impl FromStr for Command {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        // Some programs begin what they write to a pipe with a byte order mark.
        let mut words = line.trim_start_matches('\u{feff}').split_whitespace();
        let Some(first) = words.next() else { return Ok(Self::Idle) };
        Ok(match first {
            "uci" => Self::Uci,
            "isready" => Self::IsReady,
            "ucinewgame" => Self::NewGame,
            "setoption" => option(words)?,
            "position" => Self::Position(words.collect::<Vec<_>>().join(" ")),
            "go" => Self::Go(go(words)?),
            "stop" => Self::Stop,
            "d" => Self::Show,
            "quit" => Self::Quit,
            "debug" | "register" => Self::Idle,
            other => return Err(format!("unknown command `{other}`")),
        })
    }
}

/// Reads `name NAME value VALUE`. Either may have spaces.
fn option(words: SplitWhitespace<'_>) -> Result<Command, String> {
    let mut name = Vec::new();
    let mut value = Vec::new();
    let (mut has_name, mut has_value) = (false, false);
    for word in words {
        match word {
            "name" if !has_name => has_name = true,
            "value" if has_name && !has_value => has_value = true,
            word if has_value => value.push(word),
            word if has_name => name.push(word),
            word => return Err(format!("setoption: expected `name`, found `{word}`")),
        }
    }
    if name.is_empty() {
        return Err("setoption: expected `name NAME value VALUE`".to_owned());
    }
    Ok(Command::SetOption { name: name.join(" "), value: value.join(" ") })
}

/// Reads the limits of a search.
fn go(mut words: SplitWhitespace<'_>) -> Result<Go, String> {
    let mut go = Go::default();
    while let Some(word) = words.next() {
        match word {
            "depth" => go.depth = Some(number(word, words.next())?),
            "nodes" => go.nodes = Some(number(word, words.next())?),
            "movetime" => go.time = Some(clock(word, words.next())?),
            "wtime" => go.clocks[0] = Some(clock(word, words.next())?),
            "btime" => go.clocks[1] = Some(clock(word, words.next())?),
            "winc" => go.increments[0] = clock(word, words.next())?,
            "binc" => go.increments[1] = clock(word, words.next())?,
            "movestogo" => go.plies_to_go = Some(number(word, words.next())?),
            "infinite" => go.infinite = true,
            other => {
                return Err(format!(
                    "go: unknown limit `{other}`; expected depth, nodes, movetime, wtime, btime, \
                     winc, binc, movestogo or infinite"
                ));
            }
        }
    }
    Ok(go)
}

fn number<T: FromStr>(name: &str, word: Option<&str>) -> Result<T, String> {
    let word = word.unwrap_or_default();
    word.parse().map_err(|_| format!("go: {name} is `{word}`; expected a whole number from 0"))
}

/// A time. Some programs send negative ones for a clock that has run out.
fn clock(name: &str, word: Option<&str>) -> Result<u64, String> {
    let left: i64 = number(name, word)?;
    Ok(left.try_into().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Command, Go, Limits};

    fn read(line: &str) -> Result<Command, String> {
        line.parse()
    }

    fn limits(line: &str, seat: usize) -> Limits {
        match read(line) {
            Ok(Command::Go(go)) => go.limits(seat),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn names_and_values_of_options_may_have_spaces() {
        let set = |name: &str, value: &str| {
            Ok(Command::SetOption { name: name.to_owned(), value: value.to_owned() })
        };
        assert_eq!(read("setoption name Hash value 16"), set("Hash", "16"));
        assert_eq!(read(" setoption  name Clear Hash "), set("Clear Hash", ""));
        assert_eq!(read("setoption name Net value a value b"), set("Net", "a value b"));
        assert_eq!(
            read("setoption Hash 3"),
            Err("setoption: expected `name`, found `Hash`".into())
        );
        assert!(read("setoption").is_err() && read("setoption name value 3").is_err());
    }

    #[test]
    fn clocks_are_shared_by_the_plies_to_come() {
        let time = |line: &str, seat| limits(line, seat).time.expect("it plays by a clock");
        let line = "go wtime 60030 btime 30030 winc 0 binc 1000";
        assert_eq!(time(line, 0), Duration::from_secs(2));
        assert_eq!(time(line, 1), Duration::from_millis(1750));
        assert_eq!(time("go wtime 2030 movestogo 2", 0), Duration::from_secs(1));
        assert_eq!(time("go wtime 30 btime 5 winc 1000", 0), Duration::from_millis(1));
        assert_eq!(time("go wtime -5 btime -5", 1), Duration::from_millis(1));
        assert_eq!(time("go wtime 60030 movetime 7", 0), Duration::from_millis(7));
        assert_eq!(time("go movetime -7", 0), Duration::ZERO);
        let most = u64::MAX / 2;
        assert!(time(&format!("go wtime {most} winc {most} movestogo 0"), 0).as_millis() > 0);
    }

    #[test]
    fn a_search_without_a_limit_is_infinite() {
        let infinite = |line: &str| matches!(read(line), Ok(Command::Go(go)) if go.is_infinite(0));
        assert!(infinite("go") && infinite("go infinite") && infinite("go infinite depth 3"));
        assert!(!infinite("go depth 3") && !infinite("go nodes 5") && !infinite("go wtime 5"));
        // The clock of the other seat limits nothing.
        assert!(infinite("go btime 5"));
        assert_eq!(limits("go", 0), Limits::depth(Limits::MAX_DEPTH));
        assert_eq!(limits("go depth 0", 0), Limits::depth(1));
        assert_eq!(limits("go depth 1000", 0), Limits::depth(Limits::MAX_DEPTH));
        let both = Limits { nodes: Some(9), ..Limits::depth(3) };
        assert_eq!(limits("go depth 3 nodes 9", 0), both);
    }

    #[test]
    fn faulty_commands_are_named() {
        for (line, fault) in [
            ("go depth", "go: depth is ``; expected a whole number from 0"),
            ("go nodes -1", "go: nodes is `-1`; expected a whole number from 0"),
            ("go wtime x", "go: wtime is `x`"),
            ("go ponder", "go: unknown limit `ponder`; expected depth, nodes"),
            ("UCI", "unknown command `UCI`"),
        ] {
            let error = read(line).expect_err(line);
            assert!(error.starts_with(fault), "{line}: {error}");
        }
        for line in ["", "   ", "debug on", "register later"] {
            assert_eq!(read(line), Ok(Command::Idle));
        }
        assert_eq!(read("\u{feff}uci"), Ok(Command::Uci));
        assert_ne!(read("go"), Ok(Command::Go(Go { infinite: true, ..Go::default() })));
    }
}
