//! Sets of pieces, their positions, and the notation of both.

use std::fmt;
use std::str::FromStr;

/// Squares of the board, from a1 along the files to h4.
pub const SQUARES: usize = FILES * RANKS;

pub(super) const FILES: usize = 8;
pub(super) const RANKS: usize = 4;

/// The maximum number of pieces of a position.
pub(super) const MOST: usize = 4;

/// Bits of a square in an index.
const BITS: usize = 5;

/// The kinds in the standard order of ranks. Sets are written in the same order.
const KINDS: &str = "KAERHCP";

/// The pieces of a side at the start of a game.
const ARMY: &str = "KAAEEHHRRCCPPPPP";

/// The options of banqi that decide who captures whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// The kinds from the highest rank to the lowest.
    pub order: &'static str,
    /// Whether cannons capture by jumping instead of by rank.
    pub cannons_jump: bool,
}

impl Rules {
    /// The rules of these options by name. Options that are left out have their defaults.
    pub fn of(options: &[(&str, &str)]) -> Self {
        let is_set = |option| options.contains(&option);
        Self {
            order: if is_set(("ranking", "hongkong")) { "KRHCAEP" } else { KINDS },
            cannons_jump: is_set(("cannon", "jump")),
        }
    }
}

/// The pieces of both sides, written `KP-R`. The larger side is first; of equal sides, the one of
/// higher rank.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Material {
    sides: [Vec<char>; 2],
}

impl Material {
    /// The set of these pieces, and whether their sides are exchanged in it. The pieces of each
    /// side must be in the order of [`KINDS`].
    pub(super) fn new(sides: [Vec<char>; 2]) -> (Self, bool) {
        let [first, second] = &sides;
        let kinds = |side: &[char]| side.iter().map(|&kind| KINDS.find(kind)).collect::<Vec<_>>();
        let swapped = first.len() < second.len()
            || first.len() == second.len() && kinds(first) > kinds(second);
        let [first, second] = sides;
        (Self { sides: if swapped { [second, first] } else { [first, second] } }, swapped)
    }

    /// All sets of `count` pieces in which each side has at least one.
    pub fn all(count: usize) -> Vec<Self> {
        let mut all: Vec<Self> = (1..count)
            .flat_map(|first| {
                let others = armies(count - first);
                armies(first).into_iter().flat_map(move |army| {
                    let pair = move |other: &Vec<char>| Self::new([army.clone(), other.clone()]).0;
                    others.iter().map(pair).collect::<Vec<_>>()
                })
            })
            .collect();
        all.sort();
        all.dedup();
        all
    }

    /// The pieces of each side.
    pub fn sides(&self) -> &[Vec<char>; 2] {
        &self.sides
    }

    /// Number of pieces.
    pub fn count(&self) -> usize {
        self.sides.iter().map(Vec::len).sum()
    }

    /// The kinds of all pieces, the first side's before the second's.
    pub(super) fn kinds(&self) -> impl Iterator<Item = char> {
        self.sides.iter().flatten().copied()
    }

    /// The side that a piece belongs to.
    pub(super) fn side(&self, piece: usize) -> usize {
        usize::from(piece >= self.sides[0].len())
    }

    /// The number of indices. Indices with two pieces on one square have no position.
    pub fn indices(&self) -> usize {
        2 << (BITS * self.count())
    }

    /// The position of an index below [`Material::indices`], if there is one.
    pub fn position(&self, index: usize) -> Option<Position> {
        let mut squares = [0; MOST];
        let places = &mut squares[..self.count()];
        for (piece, square) in places.iter_mut().enumerate() {
            *square = (index >> (BITS * piece)) as u8 % SQUARES as u8;
        }
        let apart = (1..places.len()).all(|piece| !places[..piece].contains(&places[piece]));
        apart.then_some(Position { mover: index >> (BITS * self.count()), squares })
    }

    /// The index of a position.
    pub fn index(&self, position: &Position) -> usize {
        let places = position.squares[..self.count()].iter().rev();
        places.fold(position.mover, |index, &square| (index << BITS) | usize::from(square))
    }

    /// The position in the engine's notation: the first side is red and player 1.
    pub fn fen(&self, position: &Position) -> String {
        let mut lost: Vec<Vec<char>> = vec![ARMY.chars().collect(); 2];
        let mut board = [None; SQUARES];
        for (piece, kind) in self.kinds().enumerate() {
            let side = self.side(piece);
            let here = lost[side].iter().position(|&letter| letter == kind);
            lost[side].remove(here.expect("a side has no more pieces than at the start"));
            board[usize::from(position.squares[piece])] = Some(letter(kind, side));
        }
        let ranks: Vec<String> = board.chunks(FILES).rev().map(rank).collect();
        let letters = |side: usize| lost[side].iter().map(move |&kind| letter(kind, side));
        let captured: String = letters(0).chain(letters(1)).collect();
        format!("{} {} r {captured} 0 0", ranks.join("/"), position.mover + 1)
    }
}

/// The squares of the pieces, and the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// The side to move, 0 or 1.
    pub mover: usize,
    /// The square of each piece, the first side's before the second's; 0 for pieces that the set
    /// lacks.
    pub squares: [u8; MOST],
}

/// The name of a square.
pub(super) fn name(square: u8) -> String {
    let (file, rank) = (square % FILES as u8, square / FILES as u8);
    format!("{}{}", char::from(b'a' + file), rank + 1)
}

fn letter(kind: char, side: usize) -> char {
    if side == 0 { kind } else { kind.to_ascii_lowercase() }
}

/// A rank of a FEN.
fn rank(squares: &[Option<char>]) -> String {
    let mut text = String::new();
    let mut empty = 0;
    for square in squares.iter().map(Some).chain([None]) {
        if let Some(None) = square {
            empty += 1;
            continue;
        }
        if empty > 0 {
            text += &empty.to_string();
            empty = 0;
        }
        text.extend(square.copied().flatten());
    }
    text
}

/// All choices of `count` pieces of one side.
fn armies(count: usize) -> Vec<Vec<char>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for army in armies(count - 1) {
        let last = army.last().and_then(|&last| KINDS.find(last));
        for kind in KINDS[last.unwrap_or(0)..].chars() {
            let most = ARMY.matches(kind).count();
            if army.iter().filter(|&&other| other == kind).count() < most {
                all.push(army.iter().copied().chain([kind]).collect());
            }
        }
    }
    all
}

impl FromStr for Material {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = Self::all(text.len().saturating_sub(1));
        let known = all.into_iter().find(|material| material.to_string() == text);
        known.ok_or_else(|| format!("`{text}` is not how a set of up to {MOST} pieces is written"))
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.sides.each_ref().map(|side| side.iter().collect::<String>());
        write!(f, "{first}-{second}")
    }
}
