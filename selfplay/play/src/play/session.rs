//! The game.

use std::mem;
use std::sync::atomic::AtomicBool;

use darkqi_engine::agent::Decision;
use darkqi_engine::agents::AgentSpec;
use darkqi_env::{ActionError, AnyState, Viewer, game::Hides};
use darkqi_report::quoted;

use super::command::Command;
use super::game::{End, Game, Past, PlayError, Settlement};
use super::settings::{People, Settings};
use super::words;
use crate::error::Error;
use crate::opponents::Adviser;
use crate::recorder;

/// A game under way.
pub struct Session {
    settings: Settings,
    /// Plays the seats that nobody plays.
    opponent: Adviser,
    /// Gives hints, if it is another agent.
    adviser: Option<(AgentSpec, Adviser)>,
    game: Game,
    /// Whether the board was shown since the last ply.
    is_shown: bool,
}

/// The next turn of a game.
#[derive(Debug)]
pub enum Turn {
    /// An agent has played: what is said of it.
    Played(String),
    /// A person is to move. The board is there if it has not been shown.
    Asked {
        /// The board.
        board: Option<String>,
        /// The question.
        prompt: String,
    },
    /// The game is over: the board and the result.
    Over(String),
}

/// The answer to a line.
#[derive(Debug)]
pub enum Reply {
    /// The answer, empty if there is none.
    Said(String),
    /// The person leaves the game.
    Left,
}

impl Session {
    /// A game at its beginning. The dataset that it will be added to is made ready.
    ///
    /// # Errors
    /// If there is no such game, option or seat, the position cannot be read or has no next ply, the
    /// agent cannot be made, or the dataset cannot be written or is another one.
    pub fn new(settings: Settings) -> Result<Self, PlayError> {
        let Settings { game, options, seed, fen, .. } = &settings;
        let game = Game::new(game, options, *seed, fen.as_deref())?;
        Self::of(game, settings)
    }

    /// A session that goes on with this game, which is that of the settings.
    ///
    /// # Errors
    /// As [`Session::new`].
    pub fn of(game: Game, settings: Settings) -> Result<Self, PlayError> {
        let seats = game.spec().num_players;
        if let People::One(seat) = settings.people
            && seat >= seats
        {
            return Err(Error::Seat { seat, seats }.into());
        }
        let agent = settings.agent.clone().quiet(!settings.is_verbose);
        let opponent = Adviser::new(game.spec(), &agent)?;
        let adviser = match agent.adviser() {
            Some(agent) => Some((agent.clone(), Adviser::new(game.spec(), &agent)?)),
            None => None,
        };
        if let Some(recording) = settings.recording() {
            recorder::prepare(recording)?;
        }
        Ok(Self { settings, opponent, adviser, game, is_shown: false })
    }

    /// The game as it stands.
    pub fn into_game(self) -> Game {
        self.game
    }

    /// The greeting.
    pub fn greeting(&self) -> String {
        let Settings { game, agent, seed, people, .. } = &self.settings;
        match people {
            People::One(seat) => format!(
                "You are seat {seat} of {game}, against {agent}; seed {seed}.\n\
                 Type `help` for help."
            ),
            People::All => {
                format!("You play all seats of {game}; seed {seed}.\nType `help` for help.")
            }
            People::None => {
                let board = self.board();
                format!("{agent} plays all seats of {game}; seed {seed}.\n\n{board}\n")
            }
        }
    }

    /// The next turn. An agent that is to move plays.
    ///
    /// # Errors
    /// If the agent cannot decide; [`Error::Stopped`] once the flag is set while it decides.
    pub fn turn(&mut self, stop: &AtomicBool) -> Result<Turn, PlayError> {
        if let Some(end) = self.game.end() {
            return Ok(Turn::Over(self.ending(&end)));
        }
        let seat = self.state().current_player();
        if self.settings.people.play(seat) {
            let is_shown = mem::replace(&mut self.is_shown, true);
            let board = (!is_shown).then(|| self.board());
            let prompt = match self.settings.people {
                People::All => format!("seat {seat}> "),
                People::One(_) | People::None => "your move> ".to_owned(),
            };
            return Ok(Turn::Asked { board, prompt });
        }
        let decided = self.opponent.decide(self.game.state(), self.settings.seed, stop);
        let decision = decided.map_err(|error| self.told(error))?;
        let told = self.play(decision).expect("agents decide on legal actions");
        Ok(Turn::Played(match self.settings.people {
            People::None => format!("{told}\n\n{}\n", self.board()),
            People::One(_) | People::All => told,
        }))
    }

    /// Answers a line of the person that is to move. Faults are answered, too, and change nothing.
    ///
    /// # Errors
    /// [`Error::Stopped`] once the flag is set while the agent looks for a hint.
    pub fn answer(&mut self, line: &str, stop: &AtomicBool) -> Result<Reply, PlayError> {
        Ok(Reply::Said(match Command::parse(line) {
            Command::Nothing => String::new(),
            Command::Help => self.help(),
            Command::Board => format!("\n{}\n", self.board()),
            Command::Fen => self.state().view_fen(self.viewer()),
            Command::Moves(square) => self.moves(square.as_deref()),
            Command::Odds(name) => said(self.odds(&name)),
            Command::Hint => self.hint(stop)?,
            Command::Back => self.back(),
            Command::Resign => self.resign(),
            Command::Quit => return Ok(Reply::Left),
            Command::Move(name) => {
                let action = self.state().action_index(&name);
                let told = action.and_then(|action| self.play(action.into()));
                told.unwrap_or_else(|fault| self.objection(&name).unwrap_or(fault.to_string()))
            }
            Command::Action(index) => {
                let action = self.state().action(index);
                said(action.and_then(|action| self.play(action.into())))
            }
            Command::Unknown(line) => format!(
                "`{line}` is no command and no move; expected a move such as `{}`, or one of: {}",
                self.example(),
                Command::FORMS.join(", ")
            ),
        }))
    }

    /// Adds the game to the dataset, if it is to be, and says so.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep(&self) -> Result<Option<String>, PlayError> {
        let Some(recording) = self.settings.recording() else { return Ok(None) };
        let dir = recording.dir.display().to_string();
        let caller = match self.settings.people {
            People::One(seat) => Some(seat),
            People::All | People::None => None,
        };
        let Some(game) = self.game.played(caller) else {
            return Ok(Some(format!("It is not added to {dir}, as it has no end by the rules.")));
        };
        let number = recorder::add(recording, game)?;
        let shown = quoted(&dir);
        Ok(Some(format!(
            "It is game {number} of {dir}; `darkqi replay {shown} {number}` shows it."
        )))
    }

    fn state(&self) -> &dyn AnyState {
        self.game.state()
    }

    /// An agent's error, as those at the terminal may know it.
    fn told(&self, error: Error) -> PlayError {
        match error {
            Error::Undecided { agent, .. } if !self.settings.is_verbose => {
                PlayError::Failed { agent }
            }
            error => error.into(),
        }
    }

    /// Who looks at the board now.
    fn viewer(&self) -> Viewer {
        match self.settings.people {
            People::One(seat) => Viewer::Player(seat),
            People::All => Viewer::Player(self.state().current_player()),
            People::None => Viewer::Public,
        }
    }

    /// Who reads what is said of plies. Several people read the same screen.
    fn reader(&self) -> Viewer {
        match self.settings.people {
            People::One(seat) => Viewer::Player(seat),
            People::All | People::None => Viewer::Public,
        }
    }

    fn board(&self) -> String {
        words::board(&self.game, Some(self.viewer()), self.settings.is_coloured)
    }

    /// Plays a decision of the seat to move, and says what it shows.
    fn play(&mut self, decision: Decision) -> Result<String, ActionError> {
        let (action, seat, reader) =
            (decision.action, self.state().current_player(), self.reader());
        let event = self.state().event(action, reader)?;
        let name = self.state().action_name(action);
        self.game.play(decision)?;
        self.is_shown = false;
        let who = match self.settings.people {
            People::One(own) if own == seat => "You play".to_owned(),
            People::All => format!("Seat {seat} plays"),
            People::One(_) | People::None => format!("{} (seat {seat}) plays", self.settings.agent),
        };
        let mut told = format!("{who} {name}");
        if let Some(event) = words::event_text(&event, reader) {
            told += &format!(", {event}");
        }
        if self.state().outcome().is_none() && self.state().is_check() {
            told += &match (self.state().current_player(), self.settings.people) {
                (checked, People::One(own)) if checked == own => "; you are in check".to_owned(),
                (checked, _) => format!("; seat {checked} is in check"),
            };
        }
        Ok(told + ".")
    }

    /// Why a move between two squares, or a flip, is not legal.
    fn objection(&self, name: &str) -> Option<String> {
        let frame = self.state().picture(None).frame;
        let (from, to) = name.split_at(words::origin(name).len());
        let to = if to.is_empty() { from } else { to };
        let objection = self.state().objection(self.viewer(), frame.parse(from)?, frame.parse(to));
        Some(format!("{} `moves {from}` lists what is legal.", objection?.en))
    }

    fn moves(&self, square: Option<&str>) -> String {
        let moves = self.state().legal_moves();
        let from = |name: &&String| square.is_none_or(|square| words::origin(name) == square);
        let found: Vec<&str> = moves.iter().filter(from).map(String::as_str).collect();
        match square {
            Some(square) if found.is_empty() => {
                let mut origins: Vec<_> = moves.iter().map(|name| words::origin(name)).collect();
                origins.retain(|origin| !origin.is_empty());
                origins.dedup();
                let known = words::list(&origins);
                format!("No legal move begins on `{square}`; expected one of:\n{known}")
            }
            _ => words::list(&found),
        }
    }

    fn odds(&self, name: &str) -> Result<String, ActionError> {
        let reveals = self.state().reveals(self.state().action_index(name)?)?;
        Ok(words::odds(&reveals))
    }

    fn hint(&mut self, stop: &AtomicBool) -> Result<String, PlayError> {
        let (agent, adviser) = match &mut self.adviser {
            Some((agent, adviser)) => (&*agent, adviser),
            None => (&self.settings.agent, &mut self.opponent),
        };
        let agent = agent.to_string();
        let decision = match adviser.decide(self.game.state(), self.settings.seed, stop) {
            Ok(decision) => decision,
            Err(Error::Stopped) => return Err(Error::Stopped.into()),
            Err(error) => return Ok(format!("There is no hint: {}", self.told(error))),
        };
        let name = self.state().action_name(decision.action);
        let value = decision.value.map_or_else(String::new, |values| {
            let value = values[self.state().current_player()];
            format!(", with a value of {value:+.2} from -1 (lost) to 1 (won)")
        });
        Ok(format!("{agent} would play {name}{value}."))
    }

    fn back(&mut self) -> String {
        let people = self.settings.people;
        let taken = self.game.take_back(|seat| people.play(seat));
        if taken.is_empty() {
            return "There is nothing to take back: you have not played yet.".to_owned();
        }
        let name = |past: &Past| past.before.action_name(past.decision.action);
        let names: Vec<String> = taken.iter().map(name).collect();
        let reader = self.reader();
        let shows = |past: &Past| {
            let event = past.before.event(past.decision.action, reader);
            let event = event.expect("what was played is legal");
            event.revealed.is_some() || (event.captured_covered && event.captured.is_some())
        };
        let knows = self.game.spec().hides != Hides::Nothing && taken.iter().any(shows);
        self.is_shown = false;
        let mut told = format!("Taken back: {}.", names.join(", "));
        if knows {
            told += "\nThe pieces stay as they were dealt: you know now what was turned over.";
        }
        told
    }

    fn resign(&mut self) -> String {
        let seat = self.state().current_player();
        self.game.settle(Settlement::Resignation(seat));
        match self.settings.people {
            People::One(_) => "You resign.".to_owned(),
            People::All | People::None => format!("Seat {seat} resigns."),
        }
    }

    /// The whole board and the result.
    fn ending(&self, end: &End) -> String {
        let board = words::board(&self.game, None, self.settings.is_coloured);
        let End { rewards, result, .. } = end;
        let verdict = match self.settings.people {
            People::One(seat) if rewards[seat] > 0.0 => " You win.",
            People::One(seat) if rewards[seat] < 0.0 => " You lose.",
            People::One(_) | People::All | People::None => "",
        };
        format!("{board}\n\n{}.{verdict}", result.sentence())
    }

    /// A legal move.
    fn example(&self) -> String {
        self.state().legal_moves().swap_remove(0)
    }

    fn help(&self) -> String {
        let example = self.example();
        let square = match words::origin(&example) {
            "" => "a1",
            square => square,
        };
        let lines = [
            (example.clone(), "plays that move: two squares for a step, one for a flip"),
            ("17".to_owned(), "plays the action with that number"),
            ("moves".to_owned(), "lists your legal moves"),
            (format!("moves {square}"), "lists those that begin there"),
            (format!("odds {example}"), "lists what that move may turn over and take"),
            ("hint".to_owned(), "says what the agent would play for you"),
            ("back".to_owned(), "takes back the plies since your last turn, and that turn"),
            ("board".to_owned(), "shows the board again"),
            ("fen".to_owned(), "writes the position as you know it as a FEN"),
            ("resign".to_owned(), "gives the game up"),
            ("quit".to_owned(), "leaves the game as it stands"),
        ];
        let text = |(typed, meaning): &(String, &str)| format!("  {typed:<12}{meaning}");
        let text: Vec<String> = lines.iter().map(text).collect();
        text.join("\n") + "\nBrackets on the board mark what the last ply changed."
    }
}

/// An answer, or the fault.
fn said(answer: Result<String, ActionError>) -> String {
    answer.unwrap_or_else(|fault| fault.to_string())
}

#[cfg(test)]
mod tests;
