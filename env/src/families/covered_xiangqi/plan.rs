//! What follows from a design for movement and captures, ready to be played.

use super::board::{Board, SQUARES, SquareContents, general, home_piece, start};
use super::design::{ALL, CoveredCaptures, Design, Moves};
use super::geometry::{MOVES, TABLE};
use super::moves::{Movement, bounds, home_half, moves_as, palace, reach};
use crate::board::{ActionBits, Bitboard, Colour, Flow, Kind, Piece, Square, SquareEncoding};
use crate::families::betza::Part;
use crate::families::designs::KINDS;
use crate::movement::CheckInfo;

/// Movement and captures that are not the usual ones.
///
/// Whether a ply exposes the own general is found out by looking at the board after it: no shape of
/// movement needs a case of its own.
#[derive(Debug)]
pub(crate) struct Designed {
    /// By colour and kind, movement that a text describes.
    parts: [[Option<Vec<Part<u128>>>; KINDS]; 2],
    /// By piece id and square, the squares that a piece ever goes to.
    span: Vec<[u128; SQUARES]>,
    /// By kind, the kinds that it takes, as bits.
    takes: [u8; KINDS],
    takes_covered: bool,
}

impl Designed {
    /// The movement and captures of a design.
    pub(super) fn new(design: &Design) -> Self {
        let movements = Kind::ALL.map(|kind| design.moves(kind));
        let parts = Colour::ALL.map(|colour| {
            movements.each_ref().map(|moves| match moves {
                Moves::Betza(movement) => Some(movement.parts(&MOVES, colour)),
                Moves::Usual | Moves::Xiangqi => None,
            })
        });
        let span = |contents: SquareContents, from: Square| {
            let Some(Piece { colour, kind }) = moves_as(contents, from) else { return 0 };
            let palace = palace(colour);
            match (&movements[kind.index()], &parts[colour.index()][kind.index()]) {
                (_, Some(parts)) => {
                    let span = parts.iter().fold(0, |all, part| all | part.span(&MOVES, from));
                    if kind == Kind::General { span & palace } else { span }
                }
                (Moves::Xiangqi, _) if kind == Kind::Advisor => bounds(contents, from) & palace,
                (Moves::Xiangqi, _) => bounds(contents, from) & home_half(colour),
                _ => bounds(contents, from),
            }
        };
        let span = SquareContents::ALL
            .iter()
            .map(|&contents| std::array::from_fn(|from| span(contents, Square::new(from))))
            .collect();
        Self {
            parts,
            span,
            takes: Kind::ALL.map(|kind| design.takes(kind)),
            takes_covered: design.covered_captures == CoveredCaptures::Usual,
        }
    }

    /// The kind of a piece that attacks black's general at the start, and so does black's red's.
    pub(super) fn attacker_at_start(&self, covered: u8) -> Option<Kind> {
        let board = start(covered);
        let square = general(&board, Colour::Black);
        let attacks =
            |&from: &Square| self.reach(board.at(from), from, board.occupied()).contains(square);
        let attacker = self.threats(&board, Colour::Black, square).ascending().find(attacks)?;
        home_piece(attacker).map(|piece| piece.kind)
    }

    /// Whether red has a legal action at the start.
    pub(super) fn can_begin(&self, covered: u8) -> bool {
        let is_some = |set: ActionBits| {
            if set.bits == 0 { Flow::Continue(()) } else { Flow::Break(()) }
        };
        self.generate_actions(&start(covered), Colour::Red, &mut { is_some }).is_break()
    }

    /// The squares that a piece goes to, whatever stands on them: empty ones that it may move to, occupied
    /// ones that it may capture on.
    pub(super) fn reach(&self, contents: SquareContents, from: Square, occupied: u128) -> u128 {
        let Some(piece) = moves_as(contents, from) else { return 0 };
        let reached = match &self.parts[piece.colour.index()][piece.kind.index()] {
            Some(parts) => {
                parts.iter().fold(0, |all, part| all | part.reach(&MOVES, from, occupied))
            }
            None => reach(contents, from, occupied),
        };
        reached & self.span[usize::from(contents.piece_id())][from.index()]
    }

    /// Whether a piece of one kind takes one of another that is revealed.
    pub(super) fn takes(&self, captor: Kind, victim: Kind) -> bool {
        self.takes[captor.index()] >> victim.index() & 1 == 1
    }

    /// Whether all kinds take all.
    pub(super) fn takes_all(&self) -> bool {
        self.takes_covered && self.takes == [ALL; KINDS]
    }

    /// The pieces of a colour that a kind takes.
    fn victims(&self, board: &Board, colour: Colour, captor: Kind) -> u128 {
        let covered = if self.takes_covered { board.covered() } else { 0 };
        if self.takes[captor.index()] == ALL {
            return (covered | !board.covered()) & board.colour(colour);
        }
        let taken = Kind::ALL.into_iter().filter(|&victim| self.takes(captor, victim));
        let revealed = taken.fold(0, |all, victim| all | board.kind(victim)) & !board.covered();
        (covered | revealed) & board.colour(colour)
    }

    /// The enemies of a colour that attack a general on a square on some board with these pieces.
    fn threats(&self, board: &Board, colour: Colour, square: Square) -> u128 {
        let is_threat = |&from: &Square| {
            let id = board.piece_id(from);
            let kind = SquareContents::ALL[id].listed_as(from).map(|piece| piece.kind);
            self.span[id][from.index()].contains(square)
                && kind.is_some_and(|kind| self.takes(kind, Kind::General))
        };
        u128::collect(board.colour(colour.other()).ascending().filter(is_threat))
    }

    /// Whether one of these enemies attacks a general on this square, with these squares occupied, or it
    /// faces the enemy general.
    fn is_attacked(
        &self,
        board: &Board,
        colour: Colour,
        square: Square,
        threats: u128,
        occupied: u128,
    ) -> bool {
        let facing = general(board, colour.other());
        MOVES.file(square).contains(facing) && MOVES.slide(square, occupied).contains(facing)
            || threats
                .ascending()
                .any(|from| self.reach(board.at(from), from, occupied).contains(square))
    }

    /// The legal actions.
    pub(super) fn generate_actions(
        &self,
        board: &Board,
        mover: Colour,
        visit: &mut dyn FnMut(ActionBits) -> Flow,
    ) -> Flow {
        let own_general = general(board, mover);
        let usual_threats = self.threats(board, mover, own_general);
        // The plies of other pieces expose the general to nothing else.
        let is_open =
            usual_threats != 0 || MOVES.file(own_general).contains(general(board, mover.other()));
        self.each_pseudo_legal(board, mover, !0, |from, reach| {
            let is_legal = |&to: &Square| {
                let occupied = board.occupied() & !u128::single(from) | u128::single(to);
                let (square, threats) = if from == own_general {
                    (to, self.threats(board, mover, to))
                } else {
                    (own_general, usual_threats)
                };
                let threats = threats & !u128::single(to);
                !self.is_attacked(board, mover, square, threats, occupied)
            };
            let legal = if is_open || from == own_general {
                u128::collect(reach.ascending().filter(is_legal))
            } else {
                reach
            };
            TABLE.each_step(from, legal, mover.perspective(), &mut *visit)
        })
    }
}

impl Movement for Designed {
    fn each_pseudo_legal(
        &self,
        board: &Board,
        colour: Colour,
        squares: u128,
        mut visit: impl FnMut(Square, u128) -> Flow,
    ) -> Flow {
        let occupied = board.occupied();
        for from in (board.colour(colour) & squares).ascending() {
            let contents = board.at(from);
            let Some(Piece { kind, .. }) = contents.listed_as(from) else { continue };
            let open = !occupied | self.victims(board, colour.other(), kind);
            visit(from, self.reach(contents, from, occupied) & open)?;
        }
        Flow::Continue(())
    }

    fn attackers(&self, board: &Board, colour: Colour, target: Square, occupied: u128) -> u128 {
        let occupied = occupied | u128::single(target);
        let attacks = |&from: &Square| self.reach(board.at(from), from, occupied).contains(target);
        u128::collect(board.colour(colour).ascending().filter(attacks))
    }

    fn takers(&self, board: &Board, victim: Square) -> u128 {
        let Some(Piece { kind: victim, .. }) = board.at(victim).listed_as(victim) else { return 0 };
        let takers = Kind::ALL.into_iter().filter(|&captor| self.takes(captor, victim));
        takers.fold(0, |all, captor| all | board.kind(captor))
    }

    fn check_info(&self, board: &Board, colour: Colour) -> CheckInfo<u128> {
        let square = general(board, colour);
        let threats = self.threats(board, colour, square);
        let check = self.is_attacked(board, colour, square, threats, board.occupied());
        CheckInfo::without_pins(check)
    }

    fn capture_is_safe(
        &self,
        board: &Board,
        colour: Colour,
        from: Square,
        target: Square,
        occupied: u128,
        captured: u128,
    ) -> bool {
        let own = general(board, colour);
        let square = if from == own { target } else { own };
        let threats = self.threats(board, colour, square) & !captured;
        !self.is_attacked(board, colour, square, threats, occupied & !u128::single(from))
    }

    /// Movement may have any shape, so that any piece may be pinned.
    fn discovery_squares(&self, _: Square) -> u128 {
        !0
    }
}
