//! Flipping xiangqi (RULES.md sections 5 and 7).

use super::action::{self, Action};
use super::board::{Board, Color};
use super::fen::count_on;
use super::flipping_fen::board_and_mover;
use super::flipping_movement::{Piece, after, in_check, legal_steps};
use super::options::Options;
use super::repetition::{History, PlyRecord, Verdict};
use super::{Outcome, Referee, Viewer, flipping_fen};

/// The contents of a FEN, and the rules of the game.
#[derive(Clone, Debug)]
pub(super) struct Position {
    pub options: Options,
    pub board: Board<Piece>,
    pub mover: Color,
    pub quiet: u64,
    pub ply: u64,
}

/// A game in progress.
#[derive(Clone, Debug)]
pub(super) struct Flipping {
    now: Position,
    history: History,
    legal: Vec<Action>,
    outcome: Option<Outcome>,
}

/// The number of the player with a colour: red is player 0 (RULES.md 9.13).
fn player_of(color: Color) -> usize {
    match color {
        Color::Red => 0,
        Color::Black => 1,
    }
}

impl Position {
    /// The board and the player to move, no counters (RULES.md 9.8).
    fn key(&self) -> String {
        board_and_mover(&self.board, self.mover)
    }
}

impl Flipping {
    /// A game that starts, without history, from a position; it may be over at once (RULES.md 9.4).
    pub(super) fn start(position: Position) -> Self {
        let history = History::new(position.key());
        let mut state = Self { now: position, history, legal: Vec::new(), outcome: None };
        state.arrive();
        state
    }

    /// Lists the legal plies of the position reached, and judges it.
    fn arrive(&mut self) {
        self.legal = legal_steps(&self.now.board, self.now.mover)
            .into_iter()
            .map(|(from, to)| Action::Step(from, to))
            .collect();
        self.outcome = self.judge();
        if self.outcome.is_some() {
            self.legal.clear();
        }
    }

    /// The endings in the order of RULES.md section 8.
    fn judge(&self) -> Option<Outcome> {
        let mover = self.now.mover;
        let options = &self.now.options;
        if self.legal.is_empty() {
            let reason = if in_check(&self.now.board, mover) { "checkmate" } else { "stalemate" };
            return Some(Outcome::loss(reason, player_of(mover)));
        }
        if options.repetition
            && let Some(verdict) = self.history.verdict(false)
        {
            match verdict {
                // The source of the rules has no draw by repetition: the game goes on
                // (RULES.md section 7).
                Verdict::NoOffence => {}
                Verdict::Draw => return Some(Outcome::draw("repetition")),
                Verdict::PerpetualCheck(side) => {
                    return Some(Outcome::loss("perpetual_check", player_of(side)));
                }
                Verdict::PerpetualChase(_) => panic!("there is no chase in this game"),
            }
        }
        if options.quiet_limit > 0 && self.now.quiet >= options.quiet_limit {
            return Some(Outcome::draw("quiet_limit"));
        }
        // Every position has both kings, so two pieces are the two kings.
        if self.now.board.pieces().len() == 2 {
            return Some(Outcome::draw("bare_kings"));
        }
        if self.now.ply >= options.max_plies {
            return Some(Outcome::truncated());
        }
        None
    }
}

impl Referee for Flipping {
    fn fen(&self) -> String {
        flipping_fen::write(&self.now)
    }

    fn viewer_fen(&self, viewer: Viewer) -> String {
        if let Viewer::Player(player) = viewer {
            assert!(player < 2, "there is no player {player}");
        }
        // Nothing is hidden (RULES.md 9.7).
        self.fen()
    }

    fn current_player(&self) -> usize {
        player_of(self.now.mover)
    }

    fn legal_moves(&self) -> Vec<String> {
        action::sorted_names(&self.legal)
    }

    fn apply(&mut self, action: &str) -> Result<(), String> {
        let Action::Step(from, to) = action::find(&self.legal, action)? else {
            panic!("nothing is covered in this game");
        };
        let side = self.now.mover;
        let capture = self.now.board.get(to).is_some();
        self.now.board = after(&self.now.board, from, to);
        self.now.mover = side.other();
        // Plies since the last capture (RULES.md 9.9).
        self.now.quiet = if capture { 0 } else { count_on(self.now.quiet) };
        self.now.ply += 1;
        // The irreversible ply is a capture (RULES.md 9.17).
        if capture {
            self.history = History::new(self.now.key());
        } else {
            let gave_check = in_check(&self.now.board, side.other());
            let ply = PlyRecord { side, gave_check, chased: Vec::new() };
            self.history.push(ply, self.now.key());
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
