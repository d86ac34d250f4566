//! The games on half a board: gaiqi and banqi (RULES.md sections 1 and 2).

use super::board::{Action, Board, Color, Kind, Piece, Square};
use super::design::{CoveredCaptures, Design};
use super::fen::count_on;
use super::options::Options;
use super::repetition::History;
use super::three_checks::ThreeChecks;
use super::{Outcome, Viewer, banqi, gaiqi, half_board_fen};

/// Which of the two games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Game {
    Gaiqi,
    Banqi,
}

/// Whether a turn goes on (RULES.md 10.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// It begins.
    Begins,
    /// The piece on the square may capture on.
    Captures(Square),
    /// So many pieces may still be turned over.
    Flips(u64),
}

/// The contents of a FEN, and the rules of the game. Player 0 is `1` (RULES.md 9.10).
#[derive(Clone, Debug)]
pub(super) struct Position {
    pub game: Game,
    pub options: Options,
    pub design: Design,
    pub board: Board,
    pub mover: usize,
    /// The colour of player 0, `None` before the first flip.
    pub first_color: Option<Color>,
    /// In the order taken.
    pub captured: Vec<Piece>,
    pub quiet: u64,
    pub ply: u64,
    /// Stays empty in banqi, and without royal generals.
    pub three_checks: ThreeChecks,
    /// Stays at the beginning where turns are single plies.
    pub turn: Turn,
}

impl Position {
    pub(super) fn color_of(&self, player: usize) -> Option<Color> {
        match player {
            0 => self.first_color,
            _ => self.first_color.map(Color::other),
        }
    }

    fn player_of(&self, color: Color) -> usize {
        if self.first_color == Some(color) { 0 } else { 1 }
    }

    /// Where the revealed piece on the square may go to: empty squares, revealed enemies, covered
    /// pieces (RULES.md 10.2 and 10.3).
    ///
    /// # Panics
    /// If no revealed piece stands there.
    fn targets(&self, board: &Board, from: Square) -> Vec<Square> {
        let piece =
            board.get(from).filter(|piece| !piece.covered).expect("only a revealed piece moves");
        let [moves, captures] = match (&self.design.moves[piece.kind.place()], self.game) {
            (Some(betza), _) => betza.reach(board, from, piece.color),
            (None, Game::Gaiqi) => [(); 2].map(|()| gaiqi::reach(board, from, piece.kind)),
            (None, Game::Banqi) => {
                [(); 2].map(|()| banqi::reach(board, from, piece.kind, &self.options))
            }
        };
        let mut targets = Vec::new();
        for to in moves {
            if board.get(to).is_none() && !targets.contains(&to) {
                targets.push(to);
            }
        }
        for to in captures {
            let is_target = board.get(to).is_some_and(|victim| {
                if victim.covered {
                    self.design.covered_captures != CoveredCaptures::Never
                } else {
                    victim.color != piece.color && self.takes(piece.kind, victim.kind)
                }
            });
            if is_target && !targets.contains(&to) {
                targets.push(to);
            }
        }
        targets
    }

    /// Whether the first kind captures the second.
    fn takes(&self, captor: Kind, victim: Kind) -> bool {
        match (&self.design.takes[captor.place()], self.game) {
            (Some(kinds), _) => kinds.contains(&victim),
            (None, Game::Gaiqi) => true,
            (None, Game::Banqi) => banqi::takes(captor, victim, &self.options),
        }
    }

    /// Whether the revealed piece on the square could capture something from there.
    pub(super) fn could_capture(&self, square: Square) -> bool {
        self.targets(&self.board, square).into_iter().any(|to| self.board.get(to).is_some())
    }

    /// Whether the revealed piece on the square attacks a revealed general of the enemy: it could
    /// capture it now (RULES.md 9.11 and 10.4).
    fn checks(&self, board: &Board, square: Square) -> bool {
        self.targets(board, square).into_iter().any(|to| {
            // A revealed piece that can be captured is an enemy's.
            board.get(to).is_some_and(|victim| victim.kind == Kind::General && !victim.covered)
        })
    }

    /// Whether the three-check rule forbids the mover a step.
    fn is_banned(&self, from: Square, to: Square) -> bool {
        if !self.has_three_checks() {
            return false;
        }
        let is_general = |victim: Piece| victim.kind == Kind::General && !victim.covered;
        if self.board.get(to).is_some_and(is_general) {
            // It is no check but the end.
            return false;
        }
        let mut after = self.board.clone();
        let piece = after.take(from).expect("a step begins at a piece");
        after.put(to, piece);
        self.three_checks.bans(self.mover, from, self.checks(&after, to))
    }

    fn has_three_checks(&self) -> bool {
        self.game == Game::Gaiqi && self.design.royal
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
        self.three_checks.stayed(self.mover);
        // The player may turn over another piece, up to the number of the option, as long as any is
        // covered (RULES.md 10.5).
        let left = match self.turn {
            Turn::Flips(left) => left - 1,
            Turn::Begins | Turn::Captures(_) => self.design.flips - 1,
        };
        let any_covered = self.board.pieces().iter().any(|(_, piece)| piece.covered);
        self.turn = if left > 0 && any_covered { Turn::Flips(left) } else { Turn::Begins };
    }

    /// Returns whether it was a capture, or an attempt at one.
    fn step(&mut self, from: Square, to: Square) -> bool {
        let piece = self.board.get(from).expect("a step needs a piece");
        let victim = self.board.get(to);
        if let Some(victim) = victim {
            let is_attempt =
                victim.covered && self.design.covered_captures == CoveredCaptures::Attempt;
            let succeeds = victim.color != piece.color && self.takes(piece.kind, victim.kind);
            if is_attempt && !succeeds {
                // It is turned over, both pieces stay, the ply counts as a flip, and the turn ends
                // (RULES.md 10.3).
                self.flip(to);
                self.turn = Turn::Begins;
                return true;
            }
            // A captured covered piece is revealed to both (RULES.md section 1).
            self.captured.push(victim.revealed());
        }
        self.board.take(from);
        self.board.put(to, piece);
        if self.has_three_checks() {
            let checks = self.checks(&self.board, to);
            self.three_checks.stepped(self.mover, from, to, checks);
        }
        let goes_on = self.design.chain
            && victim.is_some()
            && self.could_capture(to)
            && self.ending_by_captures().is_none();
        self.turn = if goes_on { Turn::Captures(to) } else { Turn::Begins };
        victim.is_some()
    }

    /// The end by what has been captured, if there is one.
    pub(super) fn ending_by_captures(&self) -> Option<Outcome> {
        if self.design.royal { self.general_captured() } else { self.no_pieces() }
    }

    /// With royal generals, the side of a captured one loses, whoever captured it (RULES.md
    /// section 1). Of several in a FEN the last one listed decides (RULES.md 9.6).
    fn general_captured(&self) -> Option<Outcome> {
        let general = self.captured.iter().rfind(|piece| piece.kind == Kind::General)?;
        let loser = self.player_of(general.color);
        // A capture that ends the game ends the turn (RULES.md 10.5).
        let just_moved = 1 - self.mover;
        let reason = if loser == just_moved { "own_general_captured" } else { "general_captured" };
        Some(Outcome::loss(reason, loser))
    }

    /// Without, a player loses when all pieces of their army have been captured (RULES.md
    /// section 2); if both armies have, red (RULES.md 9.6).
    fn no_pieces(&self) -> Option<Outcome> {
        for color in [Color::Red, Color::Black] {
            let lost = self.captured.iter().filter(|piece| piece.color == color).count();
            if lost as u64 == self.design.pieces(color == Color::Red) {
                return Some(Outcome::loss("no_pieces", self.player_of(color)));
            }
        }
        None
    }
}

impl super::Position for Position {
    type Ply = ();

    fn key(&self) -> String {
        // The public board and the player to move, no chase state.
        let board = half_board_fen::public_board(&self.board);
        // Whether the turn goes on belongs to it, too (RULES.md 10.6).
        format!("{board} {} {:?}", self.mover, self.turn)
    }

    fn actions(&self) -> Vec<Action> {
        let mut all = Vec::new();
        for (square, piece) in self.board.pieces() {
            if piece.covered {
                if !matches!(self.turn, Turn::Captures(_)) {
                    all.push(Action::Flip(square));
                }
                continue;
            }
            let may_move = match self.turn {
                Turn::Begins => Some(piece.color) == self.color_of(self.mover),
                Turn::Captures(captor) => square == captor,
                Turn::Flips(_) => false,
            };
            if may_move {
                for to in self.targets(&self.board, square) {
                    if self.turn == Turn::Begins || self.board.get(to).is_some() {
                        all.push(Action::Step(square, to));
                    }
                }
            }
        }
        if self.turn != Turn::Begins {
            all.push(Action::Pass);
        }
        let mut allowed = all.clone();
        allowed.retain(|&action| match action {
            Action::Flip(_) | Action::Pass => true,
            Action::Step(from, to) => !self.is_banned(from, to),
        });
        // If the three-check rule leaves no action, it is void for that ply (RULES.md section 1).
        if allowed.is_empty() { all } else { allowed }
    }

    fn play(&mut self, action: Action) -> Option<()> {
        let irreversible = match action {
            Action::Flip(square) => {
                self.flip(square);
                true
            }
            Action::Step(from, to) => self.step(from, to),
            Action::Pass => {
                self.turn = Turn::Begins;
                false
            }
        };
        // Plies since the last capture or flip (RULES.md 9.9). A pass is no quiet ply.
        let is_quiet = matches!(action, Action::Step(..)) && !irreversible;
        self.quiet = if is_quiet { count_on(self.quiet) } else { 0 };
        if self.turn == Turn::Begins {
            self.mover = 1 - self.mover;
        }
        self.ply += 1;
        (!irreversible).then_some(())
    }

    fn judge(&self, legal: &[Action], history: &History<()>) -> Option<Outcome> {
        let by_captures = self.ending_by_captures();
        if by_captures.is_some() {
            return by_captures;
        }
        if legal.is_empty() {
            return Some(if self.design.no_moves_draws {
                Outcome::draw("no_moves")
            } else {
                Outcome::loss("no_moves", self.mover)
            });
        }
        let options = &self.options;
        if options.repetition && history.cycle().is_some() {
            return Some(Outcome::draw("repetition"));
        }
        if options.quiet_limit > 0 && self.quiet >= options.quiet_limit {
            return Some(Outcome::draw("quiet_limit"));
        }
        if self.ply >= options.max_plies {
            return Some(Outcome::truncated());
        }
        None
    }

    fn fen(&self) -> String {
        half_board_fen::write(self)
    }

    fn viewer_fen(&self, _: Viewer) -> String {
        // Every viewer gets the same (RULES.md 9.7).
        half_board_fen::write_public(self)
    }

    fn current_player(&self) -> usize {
        self.mover
    }
}
