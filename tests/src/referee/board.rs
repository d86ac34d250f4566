//! Colours, kinds, squares, and a board of optional pieces.
//!
//! The colours, the kinds and `Piece` are those of the games played with a xiangqi set; the board
//! serves all games.

/// The colour of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Color {
    Red,
    Black,
}

impl Color {
    /// The enemy's colour.
    pub(super) fn other(self) -> Self {
        match self {
            Self::Red => Self::Black,
            Self::Black => Self::Red,
        }
    }
}

/// The number of the player with a colour where red is player 0 (RULES.md 9.13).
pub(super) fn player_of(color: Color) -> usize {
    match color {
        Color::Red => 0,
        Color::Black => 1,
    }
}

/// The kind of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    General,
    Advisor,
    Elephant,
    Horse,
    Chariot,
    Cannon,
    Soldier,
}

impl Kind {
    /// Every kind.
    pub(super) const ALL: [Self; 7] = [
        Self::General,
        Self::Advisor,
        Self::Elephant,
        Self::Horse,
        Self::Chariot,
        Self::Cannon,
        Self::Soldier,
    ];

    /// The upper case letter (DESIGN.md section 4).
    pub(super) fn letter(self) -> char {
        char::from(b"KAEHRCP"[self.place()])
    }

    /// The place in [`Self::ALL`].
    pub(super) fn place(self) -> usize {
        self as usize
    }

    /// How many a side starts with (RULES.md section 1).
    pub(super) fn starting_count(self) -> usize {
        match self {
            Self::General => 1,
            Self::Advisor | Self::Elephant | Self::Horse | Self::Chariot | Self::Cannon => 2,
            Self::Soldier => 5,
        }
    }
}

/// A piece, on the board or captured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub color: Color,
    pub kind: Kind,
    /// Face down; of a captured piece: it was taken face down.
    pub covered: bool,
    /// Tells pieces on the board apart, so that one can be followed wherever it moves
    /// (RULES.md section 7).
    pub id: usize,
}

impl Piece {
    /// The piece as a full-knowledge FEN writes it (DESIGN.md section 4).
    pub(super) fn name(self) -> String {
        let letter = match self.color {
            Color::Red => self.kind.letter(),
            Color::Black => self.kind.letter().to_ascii_lowercase(),
        };
        if self.covered { format!("~{letter}") } else { letter.to_string() }
    }

    /// The same piece face up.
    pub(super) fn revealed(self) -> Self {
        Self { covered: false, ..self }
    }
}

/// A square, or a place off the board. Files and ranks count from 1; file 1 is `a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Square {
    pub file: i8,
    pub rank: i8,
}

impl Square {
    /// The name, such as `b10` (DESIGN.md section 4).
    pub(super) fn name(self) -> String {
        let letter = b'a' + (self.file - 1).unsigned_abs();
        format!("{}{}", char::from(letter), self.rank)
    }

    /// The square this many files to the right and ranks up. It may be off the board.
    pub(super) fn plus(self, (files, ranks): (i8, i8)) -> Self {
        Self { file: self.file + files, rank: self.rank + ranks }
    }
}

/// A rectangular board of pieces of some type.
#[derive(Clone, Debug)]
pub(super) struct Board<P = Piece> {
    files: i8,
    ranks: i8,
    cells: Vec<Option<P>>,
}

impl<P: Copy> Board<P> {
    /// An empty board.
    pub(super) fn new(files: i8, ranks: i8) -> Self {
        let size = usize::from(files.unsigned_abs()) * usize::from(ranks.unsigned_abs());
        Self { files, ranks, cells: vec![None; size] }
    }

    /// The number of files.
    pub(super) fn files(&self) -> i8 {
        self.files
    }

    /// The number of ranks.
    pub(super) fn ranks(&self) -> i8 {
        self.ranks
    }

    /// Whether the square lies on the board.
    pub(super) fn contains(&self, square: Square) -> bool {
        (1..=self.files).contains(&square.file) && (1..=self.ranks).contains(&square.rank)
    }

    /// What stands on a square of the board.
    pub(super) fn get(&self, square: Square) -> Option<P> {
        self.cells[self.index(square)]
    }

    /// Puts a piece on a square of the board.
    pub(super) fn put(&mut self, square: Square, piece: P) {
        let index = self.index(square);
        self.cells[index] = Some(piece);
    }

    /// Takes away what stands on a square of the board.
    pub(super) fn take(&mut self, square: Square) -> Option<P> {
        let index = self.index(square);
        self.cells[index].take()
    }

    /// Every piece with its square, from `a1` rightward and upward.
    pub(super) fn pieces(&self) -> Vec<(Square, P)> {
        let mut found = Vec::new();
        for rank in 1..=self.ranks {
            for file in 1..=self.files {
                let square = Square { file, rank };
                if let Some(piece) = self.get(square) {
                    found.push((square, piece));
                }
            }
        }
        found
    }

    fn index(&self, square: Square) -> usize {
        assert!(self.contains(square), "{square:?} lies off the board");
        let rank = usize::from((square.rank - 1).unsigned_abs());
        let file = usize::from((square.file - 1).unsigned_abs());
        rank * usize::from(self.files.unsigned_abs()) + file
    }
}

/// What a player does in one ply.
#[derive(Clone, Copy, Debug)]
pub(super) enum Action {
    /// Turns over the covered piece on the square.
    Flip(Square),
    /// Moves a piece from the first square to the second.
    Step(Square, Square),
    /// Ends a turn (RULES.md 10.5).
    Pass,
}

impl Action {
    /// The name (DESIGN.md section 4).
    pub(super) fn name(self) -> String {
        match self {
            Self::Flip(square) => square.name(),
            Self::Step(from, to) => from.name() + &to.name(),
            Self::Pass => "pass".to_string(),
        }
    }
}
