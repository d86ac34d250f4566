//! The covered games on the xiangqi board: jieqi and mystery (RULES.md sections 3, 4, 7 and 11).

use super::action::{self, Action};
use super::betza::is_ahead;
use super::board::{Board, Color, Kind, Piece, Square};
use super::chase::chased_by;
use super::covered_design::CoveredDesign;
use super::covered_movement::{across_river, after, in_check, legal_steps};
use super::drawing_rules::{Effects, Quiet};
use super::options::Options;
use super::repetition::{History, PlyRecord, Verdict};
use super::{Outcome, Referee, Viewer, covered_xiangqi_fen};

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

/// A game in progress.
#[derive(Clone, Debug)]
pub(super) struct CoveredXiangqi {
    now: Position,
    history: History,
    legal: Vec<Action>,
    outcome: Option<Outcome>,
}

/// The number of the player with a colour: red is player 0 (RULES.md 9.13).
pub(super) fn player_of(color: Color) -> usize {
    match color {
        Color::Red => 0,
        Color::Black => 1,
    }
}

impl Position {
    /// The public board and the player to move, no counters (RULES.md 9.8).
    fn key(&self) -> String {
        let board = covered_xiangqi_fen::public_board(&self.board);
        format!("{board} {}", player_of(self.mover))
    }

    /// Plays a legal step. Returns its record for cycles, or `None` if it was irreversible: a
    /// capture or a reveal.
    fn play(&mut self, from: Square, to: Square) -> Option<PlyRecord> {
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
        let irreversible = victim.is_some() || piece.covered;
        (!irreversible).then_some(PlyRecord { side, gave_check, chased })
    }
}

impl CoveredXiangqi {
    /// A game that starts, without history, from a position; it may be over at once (RULES.md 9.4).
    pub(super) fn start(position: Position) -> Self {
        let history = History::new(position.key());
        let mut state = Self { now: position, history, legal: Vec::new(), outcome: None };
        state.arrive();
        state
    }

    /// Lists the legal plies of the position reached, and judges it.
    fn arrive(&mut self) {
        self.legal = legal_steps(&self.now.design, &self.now.board, self.now.mover)
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
        if self.legal.is_empty() {
            let loss = |reason| Some(Outcome::loss(reason, player_of(mover)));
            return if in_check(&self.now.design, &self.now.board, mover) {
                loss("checkmate")
            } else if self.now.design.stalemate_draws {
                Some(Outcome::draw("stalemate"))
            } else {
                loss("stalemate")
            };
        }
        let options = &self.now.options;
        if options.repetition
            && let Some(verdict) = self.history.verdict(options.chase)
        {
            return Some(match verdict {
                Verdict::NoOffence | Verdict::Draw => Outcome::draw("repetition"),
                Verdict::PerpetualCheck(side) => Outcome::loss("perpetual_check", player_of(side)),
                Verdict::PerpetualChase(side) => Outcome::loss("perpetual_chase", player_of(side)),
            });
        }
        if let Some(reason) = self.now.quiet.draw(self.now.ply, options) {
            return Some(Outcome::draw(reason));
        }
        if self.now.ply >= options.max_plies {
            return Some(Outcome::truncated());
        }
        None
    }
}

impl Referee for CoveredXiangqi {
    fn fen(&self) -> String {
        covered_xiangqi_fen::write(&self.now)
    }

    fn viewer_fen(&self, viewer: Viewer) -> String {
        covered_xiangqi_fen::write_for(&self.now, viewer)
    }

    fn current_player(&self) -> usize {
        player_of(self.now.mover)
    }

    fn legal_moves(&self) -> Vec<String> {
        action::sorted_names(&self.legal)
    }

    fn apply(&mut self, action: &str) -> Result<(), String> {
        let Action::Step(from, to) = action::find(&self.legal, action)? else {
            panic!("nothing is flipped in these games");
        };
        let ply = self.now.play(from, to);
        let key = self.now.key();
        match ply {
            Some(ply) => self.history.push(ply, key),
            None => self.history = History::new(key),
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
