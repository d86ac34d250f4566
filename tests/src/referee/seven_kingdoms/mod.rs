//! The game of the seven kingdoms (RULES.md section 6 and 9.18 to 9.25).
//!
//! - `pieces`: kingdoms and kinds · `armies`: the start · `rules`: options, seats, teams · `moves`:
//!   how pieces move
//! - `fen`: reading and writing · `victory`: who has won, and rewards

mod armies;
mod fen;
mod moves;
mod pieces;
mod rules;
mod victory;

use super::board::{Action, Board, Square};
use super::fen::count_on;
use super::repetition::History;
use super::{Outcome, Playing, Referee, Viewer};
use pieces::{Kind, Kingdom, Piece};
use rules::Rules;

/// The contents of a FEN, and the rules of the game.
#[derive(Clone, Debug)]
struct Position {
    rules: Rules,
    board: Board<Piece>,
    mover: Kingdom,
    /// The fallen kingdoms in the order they fell, each with its conqueror.
    out: Vec<(Kingdom, Kingdom)>,
    /// How many pieces each kingdom captured of each, by place in the turn order.
    captures: [[u64; 7]; 7],
    quiet: u64,
    ply: u64,
}

/// A game from a FEN, with an empty repetition history.
///
/// # Errors
/// If an option is unknown or out of range, or the FEN is invalid.
pub(super) fn from_fen(text: &str, options: &[(&str, &str)]) -> Result<Box<dyn Referee>, String> {
    Ok(Playing::start(fen::read(text, Rules::read(options)?)?))
}

/// The FEN of the start. The first kingdom in turn order that is not left out moves first.
///
/// # Errors
/// If an option is unknown or out of range.
pub(super) fn start_fen(options: &[(&str, &str)]) -> Result<String, String> {
    let rules = Rules::read(options)?;
    let mut present = Kingdom::ALL.to_vec();
    present.retain(|&kingdom| rules.is_present(kingdom));
    Ok(fen::write(&Position {
        board: armies::start(&rules),
        rules,
        mover: present[0],
        out: Vec::new(),
        captures: [[0; 7]; 7],
        quiet: 0,
        ply: 0,
    }))
}

impl Position {
    /// Whether the kingdom is present and has not fallen.
    fn is_in_play(&self, kingdom: Kingdom) -> bool {
        self.rules.is_present(kingdom) && !self.out.iter().any(|&(fallen, _)| fallen == kingdom)
    }

    /// The next kingdom in play after a kingdom; the kingdom itself if no other is in play
    /// (RULES.md 9.18).
    fn next_in_play(&self, kingdom: Kingdom) -> Kingdom {
        let mut next = kingdom.next();
        while !self.is_in_play(next) {
            next = next.next();
        }
        next
    }

    /// The kingdom that moved last, inferred from the position: the one in play before the mover
    /// (RULES.md 9.24).
    fn moved_last(&self) -> Kingdom {
        let mut previous = self.mover.previous();
        while !self.is_in_play(previous) {
            previous = previous.previous();
        }
        previous
    }

    /// Plays a pass, the only action of a kingdom without a move.
    fn pass(&mut self) {
        self.mover = self.next_in_play(self.mover);
        self.quiet = count_on(self.quiet);
        self.ply += 1;
    }

    /// Plays a move. Returns whether it was a capture.
    fn step(&mut self, from: Square, to: Square) -> bool {
        let captor = self.mover;
        let piece = self.board.take(from).expect("a step needs a piece");
        let victim = self.board.take(to);
        self.board.put(to, piece);
        match victim {
            Some(Piece::Of(owner, kind)) => self.capture(captor, owner, kind),
            Some(Piece::Emperor) => panic!("the emperor is never captured"),
            None => {}
        }
        // Plies since the last capture (RULES.md 9.9).
        self.quiet = if victim.is_some() { 0 } else { count_on(self.quiet) };
        self.ply += 1;
        self.mover = self.next_in_play(captor);
        victim.is_some()
    }

    /// Counts a capture. The owner of the piece falls if its general was captured or its losses
    /// exceed the limit.
    fn capture(&mut self, captor: Kingdom, owner: Kingdom, kind: Kind) {
        self.captures[captor.index()][owner.index()] += 1;
        if kind == Kind::General {
            // The capturing kingdom conquers, also if the loss exceeds the limit as well
            // (RULES.md 9.19).
            self.fall(owner, captor);
        } else if self.losses(owner) > self.rules.loss_limit {
            self.fall(owner, self.conqueror_by_losses(owner, captor));
        }
    }

    /// How many pieces the kingdom has lost.
    fn losses(&self, kingdom: Kingdom) -> u64 {
        self.captures.iter().map(|of_captor| of_captor[kingdom.index()]).sum()
    }

    /// The other kingdom in play that captured the most pieces of a kingdom: among equals the
    /// first, going back from the kingdom that is moving through the turn order (RULES.md 9.19).
    fn conqueror_by_losses(&self, fallen: Kingdom, moving: Kingdom) -> Kingdom {
        let mut best = moving;
        let mut candidate = moving;
        for _ in Kingdom::ALL {
            let most = self.captures[best.index()][fallen.index()];
            let eligible = candidate != fallen && self.is_in_play(candidate);
            if eligible && self.captures[candidate.index()][fallen.index()] > most {
                best = candidate;
            }
            candidate = candidate.previous();
        }
        best
    }

    /// A kingdom falls: its conqueror takes over all its remaining pieces where they stand.
    fn fall(&mut self, fallen: Kingdom, conqueror: Kingdom) {
        self.out.push((fallen, conqueror));
        for (square, piece) in self.board.pieces() {
            let Piece::Of(owner, kind) = piece else {
                continue;
            };
            if owner != fallen {
                continue;
            }
            let kind = if kind == Kind::General { Kind::Marshal } else { kind };
            self.board.put(square, Piece::Of(conqueror, kind));
            if self.rules.count_annexed {
                // Annexed pieces count as captured; a captured general is counted already
                // (RULES.md 9.21).
                self.captures[conqueror.index()][fallen.index()] += 1;
            }
        }
    }

    /// Whether no kingdom in play has a move (RULES.md 9.22).
    fn nobody_can_move(&self) -> bool {
        Kingdom::ALL.into_iter().all(|kingdom| {
            !self.is_in_play(kingdom)
                || moves::steps_of(&self.board, kingdom, &self.rules).is_empty()
        })
    }

    fn without_winner(&self, reason: &'static str) -> Outcome {
        let rewards = vec![0.0; self.rules.seat_count()];
        Outcome { reason, rewards, truncated: false }
    }
}

impl super::Position for Position {
    type Ply = ();

    fn key(&self) -> String {
        fen::board_and_mover(&self.board, self.mover)
    }

    fn actions(&self) -> Vec<Action> {
        let steps = moves::steps_of(&self.board, self.mover, &self.rules);
        if steps.is_empty() { vec![Action::Pass] } else { steps }
    }

    fn play(&mut self, action: Action) -> Option<()> {
        let capture = match action {
            Action::Step(from, to) => self.step(from, to),
            Action::Pass => {
                self.pass();
                false
            }
            Action::Flip(_) => panic!("nothing is covered in this game"),
        };
        (!capture).then_some(())
    }

    fn judge(&self, _: &[Action], history: &History<()>) -> Option<Outcome> {
        let victory = victory::victory(self);
        if victory.is_some() {
            return victory;
        }
        if self.nobody_can_move() {
            return Some(self.without_winner("no_moves"));
        }
        let rules = &self.rules;
        if rules.repetition && history.cycle().is_some() {
            return Some(self.without_winner("repetition"));
        }
        if rules.quiet_limit > 0 && self.quiet >= rules.quiet_limit {
            return Some(self.without_winner("quiet_limit"));
        }
        if self.ply >= rules.max_plies {
            return Some(Outcome { truncated: true, ..self.without_winner("max_plies") });
        }
        None
    }

    fn fen(&self) -> String {
        fen::write(self)
    }

    fn viewer_fen(&self, _: Viewer) -> String {
        // Nothing is hidden (RULES.md 9.7).
        self.fen()
    }

    /// The seat that plays the kingdom to move (RULES.md 9.18).
    fn current_player(&self) -> usize {
        self.rules.seat(self.mover)
    }

    fn players(&self) -> usize {
        self.rules.seat_count()
    }
}
