//! Movement in Betza's notation (RULES.md 10.2 and 11.2).

use super::board::{Board, Color, Square};
use super::shapes::{DIAGONAL, ORTHOGONAL};

/// One letter of the notation, with what stands before and behind it.
#[derive(Clone, Debug)]
struct Atom {
    letter: char,
    /// Before it: `m` without capturing, `c` to capture, `n` blocked on the way, `p` over a piece,
    /// `f` ahead.
    modifiers: Vec<char>,
    /// Behind it: the greatest number of squares.
    number: Option<u8>,
}

/// How a kind moves: its atoms add up.
#[derive(Clone, Debug)]
pub(super) struct Betza {
    atoms: Vec<Atom>,
}

impl Betza {
    /// Reads atoms. `None` if the text is no such notation.
    pub(super) fn read(text: &str) -> Option<Self> {
        Self::read_with(text, "mcnp")
    }

    /// Reads atoms, with `f` before some of them. `None` if the text is no such notation.
    pub(super) fn read_with_ahead(text: &str) -> Option<Self> {
        Self::read_with(text, "fmcnp")
    }

    fn read_with(text: &str, allowed: &str) -> Option<Self> {
        let mut atoms = Vec::new();
        let mut letters = text.chars().peekable();
        while letters.peek().is_some() {
            let mut modifiers = Vec::new();
            while let Some(modifier) = letters.next_if(|letter| allowed.contains(*letter)) {
                modifiers.push(modifier);
            }
            let letter = letters.next()?;
            let mut digits = String::new();
            while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            atoms.push(Atom::read(letter, modifiers, &digits)?);
        }
        if atoms.is_empty() { None } else { Some(Self { atoms }) }
    }

    /// Whether some atom goes more than two squares along a diagonal.
    pub(super) fn goes_far_diagonally(&self) -> bool {
        self.atoms.iter().any(|atom| match atom.letter {
            'Q' => true,
            'B' => atom.number.is_none_or(|most| most > 2),
            'F' => atom.number.is_some_and(|most| most > 2),
            _ => false,
        })
    }

    /// The squares, empty or not, to which a piece may move without capturing, and those on which
    /// it may capture.
    pub(super) fn reach(&self, board: &Board, from: Square, color: Color) -> [Vec<Square>; 2] {
        let mut moves = Vec::new();
        let mut captures = Vec::new();
        for atom in &self.atoms {
            let mut reached = atom.reach(board, from);
            reached.retain(|&to| !atom.has('f') || is_ahead(color, from, to));
            if !atom.has('c') {
                moves.extend(reached.iter().copied());
            }
            if !atom.has('m') {
                captures.extend(reached);
            }
        }
        [moves, captures]
    }
}

/// Whether the second square is on a rank nearer to the back rank of the side's enemy.
pub(super) fn is_ahead(color: Color, from: Square, to: Square) -> bool {
    match color {
        Color::Red => to.rank > from.rank,
        Color::Black => to.rank < from.rank,
    }
}

impl Atom {
    fn read(letter: char, modifiers: Vec<char>, digits: &str) -> Option<Self> {
        if !"WFDANRBKQ".contains(letter) {
            return None;
        }
        let times = |wanted: char| modifiers.iter().filter(|&&one| one == wanted).count();
        if "fmcnp".chars().any(|modifier| times(modifier) > 1) || times('m') + times('c') > 1 {
            return None;
        }
        if times('n') > 0 && !"DAN".contains(letter) || times('p') > 0 && !"RBQ".contains(letter) {
            return None;
        }
        let number = match digits {
            "" => None,
            _ if !"WFRB".contains(letter) || times('p') > 0 || digits.starts_with('0') => {
                return None;
            }
            _ => Some(digits.parse().ok()?),
        };
        Some(Self { letter, modifiers, number })
    }

    fn has(&self, modifier: char) -> bool {
        self.modifiers.contains(&modifier)
    }

    fn reach(&self, board: &Board, from: Square) -> Vec<Square> {
        let both = [ORTHOGONAL, DIAGONAL].concat();
        match self.letter {
            'W' => self.slide(board, from, &ORTHOGONAL, 1),
            'F' => self.slide(board, from, &DIAGONAL, 1),
            'K' => self.slide(board, from, &both, 1),
            'R' => self.slide(board, from, &ORTHOGONAL, u8::MAX),
            'B' => self.slide(board, from, &DIAGONAL, u8::MAX),
            'Q' => self.slide(board, from, &both, u8::MAX),
            'D' => self.leap_twice(board, from, &ORTHOGONAL),
            'A' => self.leap_twice(board, from, &DIAGONAL),
            'N' => self.leap_as_a_knight(board, from),
            letter => panic!("no atom is written {letter}"),
        }
    }

    /// Along lines, up to `usual` squares if no number says otherwise, and up to the first piece;
    /// with `p` only what lies behind it, up to the next piece.
    fn slide(
        &self,
        board: &Board,
        from: Square,
        directions: &[(i8, i8)],
        usual: u8,
    ) -> Vec<Square> {
        let jumped = if self.has('p') { 1 } else { 0 };
        let mut reached = Vec::new();
        for &direction in directions {
            let mut met = 0;
            let mut to = from.plus(direction);
            let mut squares = 1_u8;
            while squares <= self.number.unwrap_or(usual) && board.contains(to) && met <= jumped {
                if met == jumped {
                    reached.push(to);
                }
                if board.get(to).is_some() {
                    met += 1;
                }
                to = to.plus(direction);
                squares += 1;
            }
        }
        reached
    }

    /// Two squares in a direction; with `n` the one between must be empty.
    fn leap_twice(&self, board: &Board, from: Square, directions: &[(i8, i8)]) -> Vec<Square> {
        let mut reached = Vec::new();
        for &direction in directions {
            let between = from.plus(direction);
            let to = between.plus(direction);
            if board.contains(to) && !(self.has('n') && board.get(between).is_some()) {
                reached.push(to);
            }
        }
        reached
    }

    /// A knight's leap; with `n` the orthogonal neighbour towards the target must be empty.
    fn leap_as_a_knight(&self, board: &Board, from: Square) -> Vec<Square> {
        let mut reached = Vec::new();
        for (files, ranks) in DIAGONAL {
            for (neighbour, leap) in
                [((files, 0), (2 * files, ranks)), ((0, ranks), (files, 2 * ranks))]
            {
                let leg = from.plus(neighbour);
                let to = from.plus(leap);
                if board.contains(to) && !(self.has('n') && board.get(leg).is_some()) {
                    reached.push(to);
                }
            }
        }
        reached
    }
}
