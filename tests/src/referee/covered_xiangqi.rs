//! The covered games on the xiangqi board: jieqi and mystery (RULES.md sections 3, 4, 7 and 11).

use super::betza::is_ahead;
use super::board::{Action, Board, Color, Kind, Piece, player_of};
use super::chase::chased_by;
use super::covered_design::CoveredDesign;
use super::covered_movement::{across_river, after, in_check, legal_steps};
use super::drawing_rules::{Effects, Quiet};
use super::options::Options;
use super::repetition::{History, PlyRecord, Verdict, judge};
use super::{Outcome, Viewer, covered_xiangqi_fen};

/// The contents of a FEN, and the rules of the game.
#[derive(Clone, Debug)]
pub(super) struct Position {
    pub options: Options,
    pub design: CoveredDesign,
    pub board: Board,
    pub mover: Color,
    /// In the order taken; each as it stood when taken, covered or not.
    pub captured: Vec<Piece>,
    pub quiet: Quiet,
    pub ply: u64,
    /// The pieces left over (RULES.md 11.1).
    pub unused: Vec<Piece>,
}

impl super::Position for Position {
    type Ply = PlyRecord;

    fn key(&self) -> String {
        let board = covered_xiangqi_fen::public_board(&self.board);
        format!("{board} {}", player_of(self.mover))
    }

    fn actions(&self) -> Vec<Action> {
        legal_steps(&self.design, &self.board, self.mover)
    }

    fn play(&mut self, action: Action) -> Option<PlyRecord> {
        let Action::Step(from, to) = action else { panic!("nothing is flipped in these games") };
        let side = self.mover;
        let enemy = side.other();
        let piece = self.board.get(from).expect("a step needs a piece");
        let victim = self.board.get(to);
        // "Had a piece chased" is judged on the position before the move (RULES.md 9.15).
        let threatened = in_check(&self.design, &self.board, side)
            || !chased_by(&self.design, &self.board, enemy).is_empty();

        self.board = after(&self.board, from, to);
        self.captured.extend(victim);
        self.mover = enemy;
        self.ply += 1;

        let gave_check = in_check(&self.design, &self.board, enemy);
        let chased = chased_by(&self.design, &self.board, side);
        self.quiet = self.quiet.after(Effects {
            side,
            capture: victim.is_some(),
            soldier_advance: !piece.covered
                && piece.kind == Kind::Soldier
                && across_river(side, from)
                && is_ahead(side, from, to),
            threatens: gave_check || !chased.is_empty(),
            threatened,
        });
        // A capture or a reveal.
        let irreversible = victim.is_some() || piece.covered;
        (!irreversible).then_some(PlyRecord { side, gave_check, chased })
    }

    fn judge(&self, legal: &[Action], history: &History<PlyRecord>) -> Option<Outcome> {
        let mover = self.mover;
        if legal.is_empty() {
            let loss = |reason| Some(Outcome::loss(reason, player_of(mover)));
            return if in_check(&self.design, &self.board, mover) {
                loss("checkmate")
            } else if self.design.stalemate_draws {
                Some(Outcome::draw("stalemate"))
            } else {
                loss("stalemate")
            };
        }
        let options = &self.options;
        if options.repetition
            && let Some(cycle) = history.cycle()
        {
            return Some(match judge(cycle, options.chase) {
                Verdict::NoOffence | Verdict::Draw => Outcome::draw("repetition"),
                Verdict::PerpetualCheck(side) => Outcome::loss("perpetual_check", player_of(side)),
                Verdict::PerpetualChase(side) => Outcome::loss("perpetual_chase", player_of(side)),
            });
        }
        if let Some(reason) = self.quiet.draw(self.ply, options) {
            return Some(Outcome::draw(reason));
        }
        if self.ply >= options.max_plies {
            return Some(Outcome::truncated());
        }
        None
    }

    fn fen(&self) -> String {
        covered_xiangqi_fen::write(self)
    }

    fn viewer_fen(&self, viewer: Viewer) -> String {
        covered_xiangqi_fen::write_for(self, viewer)
    }

    fn current_player(&self) -> usize {
        player_of(self.mover)
    }
}
