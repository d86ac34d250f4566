//! The tables of a folder, and what they say of a position.

use std::collections::HashMap;
use std::path::Path;

use arrayvec::ArrayVec;
use darkqi_env::game::GameExt;
use darkqi_env::{
    Player, Registered, Square,
    game::{Counter, ENDGAME_PIECES},
};

use super::captures::Captures;
use super::error::TablesError;
use super::file::{self, GAME};
use super::pattern::Pattern;
use super::table::{DRAWN, FEWEST, Plies, Position, Table};

/// How a position ends under best play, for its mover.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableValue {
    /// The mover wins in this many plies.
    Won(u16),
    /// Nobody can force a win.
    Drawn,
    /// The mover loses in this many plies.
    Lost(u16),
}

/// Endgame tables: the result of every position with few pieces, all of them face up.
#[derive(Clone, PartialEq, Debug)]
pub struct Tables {
    captures: Captures,
    tables: HashMap<Pattern, Table>,
    most: usize,
}

impl Tables {
    /// Reads the tables that `darkqi tables` has written to a folder, for these rules: those of two
    /// pieces and up, as far as they are there.
    ///
    /// # Errors
    /// If the game has no tables, there are none in the folder, or a file is damaged or of other
    /// rules.
    pub fn read<G: Registered>(rules: &G, dir: &Path) -> Result<Self, TablesError> {
        check_game(rules)?;
        let captures = Captures::of(rules);
        let options = file::options(rules);
        let mut tables = HashMap::new();
        let mut most = 0;
        for pieces in FEWEST..=ENDGAME_PIECES {
            let patterns = Pattern::all(&captures, pieces).into_keys();
            let Some(read) = file::read(dir, &options, pieces, patterns)? else { break };
            tables.extend(read.into_iter().map(|table| (table.pattern, table)));
            most = pieces;
        }
        if most == 0 {
            let file = file::name(FEWEST);
            return Err(TablesError::Missing { dir: dir.to_owned(), file });
        }
        Ok(Self { captures, tables, most })
    }

    /// The most pieces of a position that they have.
    pub const fn most_pieces(&self) -> usize {
        self.most
    }

    /// The result of a game that is not over, if it is certain. It is not
    ///
    /// - if a piece is covered, or there are more than [`Tables::most_pieces`];
    /// - if one side wins, but a counter may draw or truncate the game before: the win needs more
    ///   plies than a limit has left, or an earlier position has occurred twice and would draw the
    ///   game if the way to the win led through it.
    ///
    /// Counters only ever make draws, so that a draw is certain. On the way to a win no position
    /// occurs twice, as every ply of the winner brings the end nearer (RULES.md section 2).
    pub fn probe<G: Registered>(&self, rules: &G, view: &G::View<'_>) -> Option<TableValue> {
        let pieces = rules.endgame(view).filter(|pieces| pieces.len() <= self.most)?;
        let mut kinds: [ArrayVec<u8, ENDGAME_PIECES>; 2] = Default::default();
        let mut squares: [ArrayVec<Square, ENDGAME_PIECES>; 2] = Default::default();
        for (square, piece) in pieces {
            let owner: Player = G::owner(view, piece.army)?;
            kinds[owner].push(piece.kind);
            squares[owner].push(square);
        }
        if kinds.iter().any(|side| side.is_empty()) {
            return None;
        }
        let mover = G::view_to_move(view);
        match self.plies([&kinds[0], &kinds[1]], &squares.concat(), mover) {
            DRAWN => Some(TableValue::Drawn),
            plies => {
                let plies_left = plies_left(rules, view);
                let is_certain = u16::from(plies) <= plies_left && !rules.has_recurred(view);
                let value = if plies % 2 == 0 { TableValue::Lost } else { TableValue::Won };
                is_certain.then(|| value(plies.into()))
            }
        }
    }

    /// The value of a position by the kinds of both seats and the squares of all pieces, seat 0's
    /// first.
    fn plies(&self, sides: [&[u8]; 2], all: &[Square], mover: Player) -> Plies {
        let (pattern, arrangement) = Pattern::of(&self.captures, sides);
        let mut squares = [0; ENDGAME_PIECES];
        for (place, square) in squares.iter_mut().enumerate().take(all.len()) {
            *square = all[arrangement.pieces[place]].index() as u8;
        }
        let mover = mover ^ usize::from(arrangement.swapped);
        let table = self.tables.get(&pattern).expect("there is a table for every set of pieces");
        table.get(&Position { mover, squares })
    }
}

/// How many plies the counters leave.
fn plies_left<G: Registered>(rules: &G, view: &G::View<'_>) -> u16 {
    let mut left = u16::MAX;
    rules.each_counter(view, |Counter { count, limit, .. }| {
        if limit > 0 {
            left = left.min(limit.saturating_sub(count));
        }
    });
    left
}

/// Refuses rules that have no tables.
pub(super) fn check_game<G: Registered>(rules: &G) -> Result<(), TablesError> {
    match rules.designed_by() {
        _ if G::NAME != GAME => Err(TablesError::Game { game: G::NAME }),
        Some(option) => Err(TablesError::Designed { option }),
        None => Ok(()),
    }
}
