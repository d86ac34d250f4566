//! Flipping xiangqi (RULES.md sections 5 and 7).

use super::board::{Action, Board, Color, player_of};
use super::fen::count_on;
use super::flipping_fen::board_and_mover;
use super::flipping_movement::{Piece, after, in_check, legal_steps};
use super::options::Options;
use super::repetition::{History, PlyRecord, Verdict, judge};
use super::{Outcome, Viewer, flipping_fen};

/// The contents of a FEN, and the rules of the game.
#[derive(Clone, Debug)]
pub(super) struct Position {
    pub options: Options,
    pub board: Board<Piece>,
    pub mover: Color,
    pub quiet: u64,
    pub ply: u64,
}

impl super::Position for Position {
    type Ply = PlyRecord;

    fn key(&self) -> String {
        board_and_mover(&self.board, self.mover)
    }

    fn actions(&self) -> Vec<Action> {
        legal_steps(&self.board, self.mover)
    }

    fn play(&mut self, action: Action) -> Option<PlyRecord> {
        let Action::Step(from, to) = action else { panic!("nothing is covered in this game") };
        let side = self.mover;
        let capture = self.board.get(to).is_some();
        self.board = after(&self.board, from, to);
        self.mover = side.other();
        // Plies since the last capture (RULES.md 9.9).
        self.quiet = if capture { 0 } else { count_on(self.quiet) };
        self.ply += 1;
        let gave_check = in_check(&self.board, self.mover);
        // The irreversible ply is a capture (RULES.md 9.17).
        (!capture).then_some(PlyRecord { side, gave_check, chased: Vec::new() })
    }

    fn judge(&self, legal: &[Action], history: &History<PlyRecord>) -> Option<Outcome> {
        let mover = self.mover;
        let options = &self.options;
        if legal.is_empty() {
            let reason = if in_check(&self.board, mover) { "checkmate" } else { "stalemate" };
            return Some(Outcome::loss(reason, player_of(mover)));
        }
        if options.repetition
            && let Some(cycle) = history.cycle()
        {
            match judge(cycle, false) {
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
        if options.quiet_limit > 0 && self.quiet >= options.quiet_limit {
            return Some(Outcome::draw("quiet_limit"));
        }
        // Every position has both kings, so two pieces are the two kings.
        if self.board.pieces().len() == 2 {
            return Some(Outcome::draw("bare_kings"));
        }
        if self.ply >= options.max_plies {
            return Some(Outcome::truncated());
        }
        None
    }

    fn fen(&self) -> String {
        flipping_fen::write(self)
    }

    fn viewer_fen(&self, _: Viewer) -> String {
        // Nothing is hidden (RULES.md 9.7).
        self.fen()
    }

    fn current_player(&self) -> usize {
        player_of(self.mover)
    }
}
