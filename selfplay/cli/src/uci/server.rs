//! The loop that reads commands and writes answers.
//!
//! Lines are read by a thread of their own and searches run on another. Both send events, and only
//! the loop writes.

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, Sender, channel};

use darkqi_engine::search::Expectimax;
use darkqi_env::Options;
use darkqi_format::spawn;

use super::command::{Command, Go};
use super::position::Position;
use super::settings::Settings;
use super::thinking::Thinking;
use crate::commands::lossy_lines;

/// The move of a `go` that has none.
const NO_MOVE: &str = "(none)";

/// An event that the loop waits for.
#[derive(Debug)]
pub(super) enum Event {
    /// A line was read.
    Line(String),
    /// There are no more lines.
    End,
    /// A depth was searched.
    Info(String),
    /// A search is over.
    Found {
        /// The search, for the next position.
        search: Box<Expectimax>,
        /// The name of the move.
        best: String,
    },
    /// A search panicked.
    Failed,
}

/// An engine that speaks UCI.
pub(crate) struct Server {
    settings: Settings,
    /// Absent while it is under way.
    search: Option<Expectimax>,
    /// The position, or why there is none.
    position: Result<Position, String>,
    /// The last position that was searched, and the move that was found there.
    searched: Option<(Position, String)>,
    thinking: Option<Thinking>,
    /// The move of an infinite search that has ended by itself.
    held: Option<String>,
    /// Commands that wait for the end of a search.
    waiting: VecDeque<Command>,
    /// Whether no more commands will come.
    is_closed: bool,
    /// The output.
    answers: Vec<String>,
    /// The receiver of the searches' events.
    events: Sender<Event>,
    received: Receiver<Event>,
}

impl Server {
    /// An engine for a game with these rule options.
    ///
    /// # Errors
    /// If there is no such game or option, or a value is out of range.
    pub(crate) fn new(game: &str, rules: Options) -> anyhow::Result<Self> {
        let settings = Settings::new(game, rules);
        let search = settings.search()?;
        let position = Position::start(&settings.game, &settings.rules);
        let (events, received) = channel();
        Ok(Self {
            settings,
            search: Some(search),
            position,
            searched: None,
            thinking: None,
            held: None,
            waiting: VecDeque::new(),
            is_closed: false,
            answers: Vec::new(),
            events,
            received,
        })
    }

    /// Answers commands until `quit`, which ends a search. Where the commands end without, the
    /// search is waited for, unless it is infinite.
    ///
    /// # Errors
    /// If the answers cannot be written, or there is no thread to read commands.
    pub(crate) fn run(
        mut self,
        input: impl BufRead + Send + 'static,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let lines = self.events.clone();
        spawn("darkqi-lines", move || read_lines(input, &lines)).map_err(io::Error::other)?;
        while !self.is_closed || self.thinking.is_some() {
            let event = self.received.recv().expect("the server itself can send");
            self.handle(event);
            for line in self.answers.drain(..) {
                writeln!(out, "{line}")?;
            }
            out.flush()?;
        }
        Ok(())
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Line(line) => match line.parse() {
                Ok(command) => self.take(command),
                Err(fault) => {
                    self.complain(&fault);
                    if line.split_whitespace().next() == Some("go") {
                        self.take(Command::Decline);
                    }
                }
            },
            Event::End => {
                self.is_closed = true;
                // Nobody can stop it any more.
                if self.thinking.as_ref().is_some_and(|thinking| thinking.is_infinite) {
                    self.stop();
                }
            }
            Event::Info(line) => self.answers.push(line),
            Event::Found { search, best } => {
                self.search = Some(*search);
                match &self.thinking {
                    Some(thinking) if thinking.is_infinite => self.held = Some(best),
                    _ => self.conclude(&best),
                }
            }
            Event::Failed => {
                self.complain("the search failed, which is a fault of darkqi");
                // What the settings made once, they make again.
                self.search = self.settings.search().ok();
                self.conclude(NO_MOVE);
            }
        }
    }

    /// Executes a command, or puts it off until the search under way has ended.
    fn take(&mut self, command: Command) {
        match command {
            Command::Idle => {}
            Command::Uci => self.introduce(),
            Command::IsReady => self.answers.push("readyok".to_owned()),
            Command::Stop => {
                if self.waiting.iter().any(|command| matches!(command, Command::Go(_))) {
                    self.waiting.push_back(Command::Stop);
                }
                self.stop();
            }
            Command::Quit => {
                self.is_closed = true;
                self.waiting.clear();
                self.stop();
            }
            command if self.thinking.is_some() => self.waiting.push_back(command),
            command => self.execute(command),
        }
    }

    /// Executes a command that has waited for the search under way, or had none to wait for.
    fn execute(&mut self, command: Command) {
        match command {
            Command::NewGame => {
                self.searched = None;
                if let Some(search) = &mut self.search {
                    search.forget();
                }
            }
            Command::SetOption { name, value } => {
                if let Err(fault) = self.set(&name, &value) {
                    self.complain(&fault);
                }
            }
            Command::Position(text) => {
                let Settings { game, rules, .. } = &self.settings;
                let read = Position::read(game, rules, &text);
                self.position = match &self.searched {
                    Some((before, best)) if !text.contains(" moves ") => {
                        read.map(|position| position.after(before, best))
                    }
                    _ => read,
                };
                if let Err(fault) = &self.position {
                    let fault = fault.clone();
                    self.complain(&fault);
                }
            }
            Command::Go(go) => self.go(&go),
            Command::Decline => self.decline(),
            Command::Show => self.show(),
            Command::Stop => self.stop(),
            Command::Idle | Command::Uci | Command::IsReady | Command::Quit => {
                unreachable!("executed at once")
            }
        }
    }

    /// Says what the engine is and what may be set.
    fn introduce(&mut self) {
        self.answers.push(format!("id name darkqi {}", env!("CARGO_PKG_VERSION")));
        self.answers.push("id author the darkqi developers".to_owned());
        match self.settings.list() {
            Ok(options) => self.answers.extend(options),
            Err(fault) => self.complain(&fault.to_string()),
        }
        self.answers.push("uciok".to_owned());
    }

    /// Changes an option. New rules need a new position.
    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let settings = self.settings.with(name, value)?;
        self.search = Some(settings.search().map_err(|error| error.to_string())?);
        if settings.rules != self.settings.rules {
            self.position = Position::start(&settings.game, &settings.rules);
            self.searched = None;
        }
        self.settings = settings;
        Ok(())
    }

    fn go(&mut self, go: &Go) {
        let position = match &self.position {
            Ok(position) => position,
            Err(fault) => {
                let fault = fault.clone();
                self.complain(&fault);
                return self.decline();
            }
        };
        let state = &position.state;
        if let Some(outcome) = state.outcome() {
            self.complain(&format!("the game is over: {}", outcome.reason.name()));
            return self.decline();
        }
        let seat = state.current_player();
        let is_infinite = go.is_infinite(seat);
        let search = self.search.take().expect("no search is under way");
        let (limits, events) = (go.limits(seat), self.events.clone());
        match Thinking::start(position, search, limits, is_infinite, events) {
            Ok(thinking) => self.thinking = Some(thinking),
            Err(cause) => {
                self.complain(&cause.to_string());
                self.search = self.settings.search().ok();
                return self.decline();
            }
        }
        if is_infinite && self.is_closed {
            self.stop();
        }
    }

    /// Ends the search under way.
    fn stop(&mut self) {
        if let Some(thinking) = &mut self.thinking {
            thinking.stop();
        }
        if let Some(best) = self.held.take() {
            self.conclude(&best);
        }
    }

    /// Tells the move of a search, and goes on with what waited for it.
    fn conclude(&mut self, best: &str) {
        self.answers.push(format!("bestmove {best}"));
        let position = self.position.as_ref().ok();
        self.searched = position.map(|position| (position.copy(), best.to_owned()));
        self.thinking = None;
        while (self.thinking.is_none() || matches!(self.waiting.front(), Some(Command::Stop)))
            && let Some(command) = self.waiting.pop_front()
        {
            self.execute(command);
        }
    }

    /// Answers a `go` that has no move, since the client waits for an answer.
    fn decline(&mut self) {
        self.answers.push(format!("bestmove {NO_MOVE}"));
    }

    fn show(&mut self) {
        match &self.position {
            Ok(position) => self.answers.extend(position.lines()),
            Err(fault) => {
                let fault = fault.clone();
                self.complain(&fault);
            }
        }
    }

    fn complain(&mut self, fault: &str) {
        // A message is one line.
        let fault = fault.lines().collect::<Vec<_>>().join(" ");
        self.answers.push(format!("info string {fault}"));
    }
}

/// Reads lines until there are no more, nobody listens, or the last command has come.
fn read_lines(input: impl BufRead, events: &Sender<Event>) {
    for line in lossy_lines(input) {
        let is_last = line == "quit";
        if events.send(Event::Line(line)).is_err() || is_last {
            return;
        }
    }
    // The server may have ended by itself.
    let _ = events.send(Event::End);
}

#[cfg(test)]
mod tests {
    use darkqi_env::Options;

    use super::{Event, Server};

    #[test]
    fn a_game_told_by_fens_alone_has_a_history() {
        let mut server = Server::new("jieqi", Options::new()).expect("the game exists");
        let [start, other] = ["3k5/9/9/9/9/9/9/9/9/R3K4", "9/3k5/9/9/9/9/9/9/R8/4K4"];
        // A line, the plies of the history after it, and the move that a search finds there.
        for (line, plies, best) in [
            (format!("position fen {start} w - 0 20"), 0, "a1a2"),
            (format!("position fen {other} w - 2 22"), 2, "a2a1"),
            (format!("position fen {start} w - 4 24"), 4, "a1a2"),
            (format!("position fen {other} w - 6 26"), 6, "a2a1"),
            // The third occurrence would end the game, for which the client has asked all the same.
            (format!("position fen {start} w - 8 28"), 0, "a1a2"),
            // The counter was set back, so that this is another game.
            (format!("position fen {other} w - 0 30"), 0, "a2a1"),
            ("ucinewgame".to_owned(), 0, "a2a1"),
            (format!("position fen {start} w - 2 32"), 0, "a1a2"),
            // Of two covered pieces the first shows what it is, or takes what the second was.
            ("position fen 3k5/9/9/9/9/9/9/9/9/~R3K3~C w - 0 20".to_owned(), 0, "a1a2"),
            ("position fen 9/3k5/9/9/9/9/9/9/C8/4K3~R w - 2 22".to_owned(), 1, "a2a1"),
            ("position fen 5k3/9/9/9/9/9/9/9/9/~R2pK3~C w - 0 20".to_owned(), 0, "e1d1"),
            ("position fen 9/5k3/9/9/9/9/9/9/9/~R2K4~C w p 1 22".to_owned(), 1, "d1e1"),
        ] {
            let is_new_game = line == "ucinewgame";
            // Told twice, it is the same.
            for _ in 0..2 {
                server.handle(Event::Line(line.clone()));
                let position = server.position.as_ref().expect(&line);
                let history = position.state.history().expect("the rules keep one");
                assert_eq!(history.plies(), plies, "{line}");
            }
            if !is_new_game {
                server.conclude(best);
            }
        }
    }

    #[test]
    fn a_search_that_fails_is_answered_and_the_next_one_starts() {
        let mut server = Server::new("flipping", Options::new()).expect("the game exists");
        for line in ["go infinite", "go depth 1"] {
            server.handle(Event::Line(line.to_owned()));
        }
        let first = server.thinking.as_mut().expect("it is under way");
        first.stop();
        server.handle(Event::Failed);
        assert!(server.answers[0].starts_with("info string the search failed"));
        assert_eq!(server.answers[1..], ["bestmove (none)"]);
        assert!(server.thinking.is_some(), "the command that waited is executed");
    }
}
