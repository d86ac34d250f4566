//! A slow referee: the rules of the six games, square by square.
//!
//! It is written from RULES.md alone and shares no code with the fast engine, so that the two can
//! be compared. All input and output are strings in the notation of DESIGN.md section 4.
//!
//! - `board`: colours, kinds, squares, the board, flips and steps by name · `shapes`: geometry of moves
//! - `options`: rule options · `fen`: the parts of a FEN that all games share
//! - `half_board`: gaiqi and banqi, with `half_board_fen`, `gaiqi`, `banqi`, `three_checks`, and what
//!   designers may change: `design`, `betza`
//! - `covered_xiangqi`: jieqi and mystery, with `covered_xiangqi_fen`, `covered_movement`, `chase`,
//!   `repetition`, `drawing_rules`, and what designers may change: `covered_design`, `betza`
//! - `flipping`: flipping xiangqi, with `flipping_fen`, `flipping_movement`, `repetition`
//! - `seven_kingdoms`: a folder with its own pieces, options and FEN

mod banqi;
mod betza;
mod board;
mod chase;
mod covered_design;
mod covered_movement;
mod covered_xiangqi;
mod covered_xiangqi_fen;
mod design;
mod drawing_rules;
mod fen;
mod flipping;
mod flipping_fen;
mod flipping_movement;
mod gaiqi;
mod half_board;
mod half_board_fen;
mod options;
mod repetition;
mod seven_kingdoms;
mod shapes;
mod three_checks;

use board::Action;
use repetition::History;

/// A viewer of a game (RULES.md 9.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// The player with this number, counted from 0; a seat of seven_kingdoms.
    Player(usize),
    /// A spectator.
    Public,
}

/// One game in progress.
pub trait Referee {
    /// The position with every identity (DESIGN.md section 4).
    fn fen(&self) -> String;

    /// The position as a viewer knows it (RULES.md 9.7).
    ///
    /// # Panics
    /// If the viewer is a player the game does not have.
    fn viewer_fen(&self, viewer: Viewer) -> String;

    /// The number of the player to move; in a finished game, of the player who would move next
    /// (RULES.md 9.2).
    fn current_player(&self) -> usize;

    /// The names of the legal actions, sorted by bytes; empty when the game is finished
    /// (RULES.md 9.2).
    fn legal_moves(&self) -> Vec<String>;

    /// Plays one action.
    ///
    /// # Errors
    /// If the action is not legal; the state is then unchanged.
    fn apply(&mut self, action: &str) -> Result<(), String>;

    /// How the game ended, `None` while it goes on.
    fn outcome(&self) -> Option<Outcome>;

    /// A copy, repetition history included.
    fn boxed_clone(&self) -> Box<dyn Referee>;
}

/// What the rules of a game say of a position.
trait Position: Clone + 'static {
    /// The facts about a ply that count in a cycle.
    type Ply: Clone;

    /// The position as repetitions are counted, without counters (RULES.md 9.8).
    fn key(&self) -> String;

    /// The mover's actions, ignoring whether the game is over.
    fn actions(&self) -> Vec<Action>;

    /// Plays one of these actions. Returns its record for cycles, or `None` if it was irreversible.
    fn play(&mut self, action: Action) -> Option<Self::Ply>;

    /// The endings in the order of RULES.md section 8.
    fn judge(&self, legal: &[Action], history: &History<Self::Ply>) -> Option<Outcome>;

    /// As [`Referee::fen`].
    fn fen(&self) -> String;

    /// As [`Referee::viewer_fen`], of a viewer that there is.
    fn viewer_fen(&self, viewer: Viewer) -> String;

    /// As [`Referee::current_player`].
    fn current_player(&self) -> usize;

    /// The number of players.
    fn players(&self) -> usize {
        2
    }
}

/// A game in progress: a position, and what follows from it and from those before it.
#[derive(Clone)]
struct Playing<P: Position> {
    now: P,
    history: History<P::Ply>,
    /// None once the game is over.
    legal: Vec<Action>,
    outcome: Option<Outcome>,
}

impl<P: Position> Playing<P> {
    /// A game that starts, without history, from a position; it may be over at once (RULES.md 9.4).
    fn start(now: P) -> Box<dyn Referee> {
        let history = History::new(now.key());
        let mut game = Self { now, history, legal: Vec::new(), outcome: None };
        game.arrive();
        Box::new(game)
    }

    /// Lists the legal plies of the position reached, and judges it.
    fn arrive(&mut self) {
        self.legal = self.now.actions();
        self.outcome = self.now.judge(&self.legal, &self.history);
        if self.outcome.is_some() {
            self.legal.clear();
        }
    }
}

impl<P: Position> Referee for Playing<P> {
    fn fen(&self) -> String {
        self.now.fen()
    }

    fn viewer_fen(&self, viewer: Viewer) -> String {
        if let Viewer::Player(player) = viewer {
            assert!(player < self.now.players(), "there is no player {player}");
        }
        self.now.viewer_fen(viewer)
    }

    fn current_player(&self) -> usize {
        self.now.current_player()
    }

    fn legal_moves(&self) -> Vec<String> {
        let mut names: Vec<String> = self.legal.iter().map(|action| action.name()).collect();
        names.sort();
        names
    }

    fn apply(&mut self, name: &str) -> Result<(), String> {
        let action = self.legal.iter().find(|action| action.name() == name);
        let action = *action.ok_or_else(|| format!("{name:?} is not a legal action"))?;
        match self.now.play(action) {
            Some(ply) => self.history.push(ply, self.now.key()),
            None => self.history = History::new(self.now.key()),
        }
        self.arrive();
        Ok(())
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome.clone()
    }

    fn boxed_clone(&self) -> Box<dyn Referee> {
        Box::new(self.clone())
    }
}

/// Starts a game of `gaiqi`, `banqi`, `jieqi`, `mystery`, `flipping` or `seven_kingdoms` from a
/// FEN, with an empty repetition history.
///
/// A position that is already over is judged at once (RULES.md 9.4).
///
/// # Errors
/// If the game or an option is unknown, an option's value is out of range, or the FEN is malformed
/// or breaks RULES.md 9.6, 9.9, 9.10, 9.23 to 9.25, 10.6, or 11.6. A message about a FEN begins with the name
/// of the field at fault.
pub fn from_fen(
    game: &str,
    fen: &str,
    options: &[(&str, &str)],
) -> Result<Box<dyn Referee>, String> {
    let half_board = |kind| -> Result<Box<dyn Referee>, String> {
        let position = half_board_fen::read(kind, fen, design::read(kind, game, options)?)?;
        Ok(Playing::start(position))
    };
    let covered_xiangqi = |quiet| -> Result<Box<dyn Referee>, String> {
        let position = covered_xiangqi_fen::read(quiet, fen, covered_design::read(game, options)?)?;
        Ok(Playing::start(position))
    };
    match game {
        "gaiqi" => half_board(half_board::Game::Gaiqi),
        "banqi" => half_board(half_board::Game::Banqi),
        "jieqi" => covered_xiangqi(drawing_rules::Quiet::jieqi()),
        "mystery" => covered_xiangqi(drawing_rules::Quiet::mystery()),
        "flipping" => {
            let position = flipping_fen::read(fen, options::read(game, options)?)?;
            Ok(Playing::start(position))
        }
        "seven_kingdoms" => seven_kingdoms::from_fen(fen, options),
        _ => Err(format!(
            "unknown game {game:?}; the games are gaiqi, banqi, jieqi, mystery, flipping, \
             seven_kingdoms"
        )),
    }
}

/// The FEN with which a game that hides nothing starts: `flipping` or `seven_kingdoms`.
///
/// # Panics
/// If it is another game, an option is unknown, or an option's value is out of range.
pub fn start_fen(game: &str, options: &[(&str, &str)]) -> String {
    let start = match game {
        "flipping" => options::read(game, options).map(|_| flipping_fen::START.to_string()),
        "seven_kingdoms" => seven_kingdoms::start_fen(options),
        _ => panic!("{game:?} does not start from one position"),
    };
    start.unwrap_or_else(|fault| panic!("{fault}"))
}

/// The end of a game (RULES.md section 8).
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// One of the names of RULES.md section 8.
    pub reason: &'static str,
    /// Reward of each player: +1 shared by the winning side, -1 by the losing ones, or 0 for all in
    /// a draw or a truncated game.
    pub rewards: Vec<f64>,
    /// Whether `max_plies` ended the game. This is not a draw.
    pub truncated: bool,
}

impl Outcome {
    /// A loss for the player `loser` of two.
    pub fn loss(reason: &'static str, loser: usize) -> Self {
        let mut rewards = vec![1.0, 1.0];
        rewards[loser] = -1.0;
        Self { reason, rewards, truncated: false }
    }

    /// A draw between two players.
    pub fn draw(reason: &'static str) -> Self {
        Self { reason, rewards: vec![0.0, 0.0], truncated: false }
    }

    /// The end of a game between two players by `max_plies`.
    pub fn truncated() -> Self {
        Self { reason: "max_plies", rewards: vec![0.0, 0.0], truncated: true }
    }
}
