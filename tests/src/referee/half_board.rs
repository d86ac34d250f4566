//! The games on half a board: gaiqi and banqi (RULES.md sections 1 and 2).

use super::action::{self, Action};
use super::board::{Board, Color, Kind, Piece, Square};
use super::fen::count_on;
use super::options::Options;
use super::three_checks::ThreeChecks;
use super::{Outcome, Referee, Viewer, banqi, gaiqi, half_board_fen};

/// Which of the two games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Game {
    Gaiqi,
    Banqi,
}

/// The contents of a FEN, and the rules of the game. Player 0 is `1` (RULES.md 9.10).
#[derive(Clone, Debug)]
pub(super) struct Position {
    pub game: Game,
    pub options: Options,
    pub board: Board,
    pub mover: usize,
    /// The colour of player 0, `None` before the first flip.
    pub first_color: Option<Color>,
    /// In the order taken.
    pub captured: Vec<Piece>,
    pub quiet: u64,
    pub ply: u64,
    /// Stays empty in banqi.
    pub three_checks: ThreeChecks,
}

/// A game in progress.
#[derive(Clone, Debug)]
pub(super) struct HalfBoard {
    now: Position,
    /// The positions since the last irreversible ply, the present one included (RULES.md 9.8).
    seen: Vec<String>,
    legal: Vec<Action>,
    outcome: Option<Outcome>,
}

impl Position {
    fn color_of(&self, player: usize) -> Option<Color> {
        match player {
            0 => self.first_color,
            _ => self.first_color.map(Color::other),
        }
    }

    fn player_of(&self, color: Color) -> usize {
        if self.first_color == Some(color) { 0 } else { 1 }
    }

    fn targets(&self, from: Square) -> Vec<Square> {
        match self.game {
            Game::Gaiqi => gaiqi::targets(&self.board, from),
            Game::Banqi => banqi::targets(&self.board, from, &self.options),
        }
    }

    /// The mover's actions, ignoring whether the game is over.
    fn actions(&self) -> Vec<Action> {
        let mut all = Vec::new();
        for (square, piece) in self.board.pieces() {
            if piece.covered {
                all.push(Action::Flip(square));
            } else if Some(piece.color) == self.color_of(self.mover) {
                for to in self.targets(square) {
                    all.push(Action::Step(square, to));
                }
            }
        }
        let mut allowed = all.clone();
        allowed.retain(|&action| match action {
            Action::Flip(_) => true,
            Action::Step(from, to) => !self.three_checks.bans(&self.board, self.mover, from, to),
        });
        // If the three-check rule leaves no action, it is void for that ply (RULES.md section 1).
        if allowed.is_empty() { all } else { allowed }
    }

    /// Returns whether the ply was irreversible.
    fn play(&mut self, action: Action) -> bool {
        let irreversible = match action {
            Action::Flip(square) => {
                self.flip(square);
                true
            }
            Action::Step(from, to) => self.step(from, to),
        };
        // Plies since the last capture or flip (RULES.md 9.9).
        self.quiet = if irreversible { 0 } else { count_on(self.quiet) };
        self.mover = 1 - self.mover;
        self.ply += 1;
        irreversible
    }

    fn flip(&mut self, square: Square) {
        let piece = self.board.take(square).expect("a flip needs a piece");
        self.board.put(square, piece.revealed());
        if self.first_color.is_none() {
            // The player who makes the first flip gets the colour that it shows
            // (RULES.md section 1).
            self.first_color = Some(match self.mover {
                0 => piece.color,
                _ => piece.color.other(),
            });
        }
        self.three_checks.flipped(self.mover);
    }

    /// Returns whether it was a capture.
    fn step(&mut self, from: Square, to: Square) -> bool {
        let piece = self.board.take(from).expect("a step needs a piece");
        let victim = self.board.take(to);
        self.board.put(to, piece);
        if let Some(victim) = victim {
            // A captured covered piece is revealed to both (RULES.md section 1).
            self.captured.push(victim.revealed());
        }
        if self.game == Game::Gaiqi {
            self.three_checks.stepped(&self.board, self.mover, from, to);
        }
        victim.is_some()
    }

    /// Gaiqi: the side of a captured general loses, whoever captured it (RULES.md section 1). Of
    /// two in a FEN the last one listed decides (RULES.md 9.9).
    fn general_captured(&self) -> Option<Outcome> {
        let general = self.captured.iter().rfind(|piece| piece.kind == Kind::General)?;
        let loser = self.player_of(general.color);
        let just_moved = 1 - self.mover;
        let reason = if loser == just_moved { "own_general_captured" } else { "general_captured" };
        Some(Outcome::loss(reason, loser))
    }

    /// Banqi: a player loses when all 16 of their pieces have been captured (RULES.md section 2).
    fn no_pieces(&self) -> Option<Outcome> {
        for player in [self.mover, 1 - self.mover] {
            let lost =
                self.captured.iter().filter(|piece| self.player_of(piece.color) == player).count();
            if lost == 16 {
                return Some(Outcome::loss("no_pieces", player));
            }
        }
        None
    }
}

impl HalfBoard {
    /// A game that starts, without history, from a position; it may be over at once (RULES.md 9.4).
    pub(super) fn start(position: Position) -> Self {
        let mut state = Self { now: position, seen: Vec::new(), legal: Vec::new(), outcome: None };
        state.arrive();
        state
    }

    /// Records the position reached, and judges it.
    fn arrive(&mut self) {
        // The public board and the player to move, no counters, no chase state (RULES.md 9.8).
        let board = half_board_fen::public_board(&self.now.board);
        self.seen.push(format!("{board} {}", self.now.mover));
        self.legal = self.now.actions();
        self.outcome = self.judge();
        if self.outcome.is_some() {
            self.legal.clear();
        }
    }

    /// The endings in the order of RULES.md section 8.
    fn judge(&self) -> Option<Outcome> {
        let by_captures = match self.now.game {
            Game::Gaiqi => self.now.general_captured(),
            Game::Banqi => self.now.no_pieces(),
        };
        if by_captures.is_some() {
            return by_captures;
        }
        if self.legal.is_empty() {
            return Some(Outcome::loss("no_moves", self.now.mover));
        }
        let options = &self.now.options;
        let present = self.seen.last();
        let occurrences = self.seen.iter().filter(|&seen| Some(seen) == present).count();
        if options.repetition && occurrences >= 3 {
            return Some(Outcome::draw("repetition"));
        }
        if options.quiet_limit > 0 && self.now.quiet >= options.quiet_limit {
            return Some(Outcome::draw("quiet_limit"));
        }
        if self.now.ply >= options.max_plies {
            return Some(Outcome::truncated());
        }
        None
    }
}

impl Referee for HalfBoard {
    fn fen(&self) -> String {
        half_board_fen::write(&self.now)
    }

    fn viewer_fen(&self, viewer: Viewer) -> String {
        if let Viewer::Player(player) = viewer {
            assert!(player < 2, "there is no player {player}");
        }
        // Every viewer gets the same (RULES.md 9.7).
        half_board_fen::write_public(&self.now)
    }

    fn current_player(&self) -> usize {
        self.now.mover
    }

    fn legal_moves(&self) -> Vec<String> {
        action::sorted_names(&self.legal)
    }

    fn apply(&mut self, action: &str) -> Result<(), String> {
        let action = action::find(&self.legal, action)?;
        if self.now.play(action) {
            self.seen.clear();
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
