//! The options of designers for jieqi and mystery (RULES.md section 11).

use super::betza::Betza;
use super::board::{Board, Color, Kind};
use super::covered_movement::{attacks, legal_steps};
use super::design::{read_kinds, read_pieces};
use super::fen;
use super::options::{self, Options, invalid};

/// Where pieces stand at the start (RULES.md section 3).
const START: &str = "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR";

/// How a kind moves.
#[derive(Clone, Debug)]
pub(super) enum Movement {
    /// As in section 3.
    Usual,
    /// Advisors keep to the palace and elephants to their side, revealed ones, too.
    Xiangqi,
    Betza(Betza),
}

/// The options of designers. Lists by kind are in the order of [`Kind::ALL`].
#[derive(Clone, Debug)]
pub(super) struct CoveredDesign {
    /// The kinds on whose home squares pieces begin covered.
    pub covered: Vec<Kind>,
    /// Red's pool, and black's, where it is not the usual one.
    pools: [Option<(u64, u64)>; 7],
    pub moves: [Movement; 7],
    /// The kinds that a kind captures, if not all.
    takes: [Option<Vec<Kind>>; 7],
    pub covered_are_captured: bool,
    pub stalemate_draws: bool,
}

impl CoveredDesign {
    /// The game as it is without designers.
    fn usual() -> Self {
        Self {
            covered: Kind::ALL[1..].to_vec(),
            pools: [None; 7],
            moves: [const { Movement::Usual }; 7],
            takes: [const { None }; 7],
            covered_are_captured: true,
            stalemate_draws: false,
        }
    }

    /// The names of the options.
    fn names() -> Vec<String> {
        let mut names = ["covered", "covered_captures", "no_moves"].map(str::to_string).to_vec();
        for kind in Kind::ALL {
            names.push(format!("moves.{}", kind.letter()));
            names.push(format!("takes.{}", kind.letter()));
            if kind != Kind::General {
                names.push(format!("pool.{}", kind.letter()));
            }
        }
        names
    }

    /// Sets one of the options.
    ///
    /// # Errors
    /// If the value is not among those of the option.
    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let expected = |valid: &str| invalid(name, value, valid);
        match name {
            "covered" => {
                let kinds = read_kinds(value).filter(|kinds| !kinds.contains(&Kind::General));
                self.covered = kinds.ok_or_else(|| expected("letters of AEHRCP, -"))?;
            }
            "covered_captures" => {
                self.covered_are_captured = match value {
                    "usual" => true,
                    "never" => false,
                    _ => return Err(expected("usual, never")),
                }
            }
            "no_moves" => {
                self.stalemate_draws = match value {
                    "loss" => false,
                    "draw" => true,
                    _ => return Err(expected("loss, draw")),
                }
            }
            _ => {
                let (of_kinds, letter) = name.split_once('.').expect("an option of a kind");
                let kind = Kind::ALL.into_iter().find(|kind| letter == kind.letter().to_string());
                let place = kind.expect("the letter of a kind").place();
                match (of_kinds, value) {
                    ("pool", "usual") => self.pools[place] = None,
                    ("pool", _) => {
                        let pieces = read_pieces(value, 15);
                        self.pools[place] =
                            Some(pieces.ok_or_else(|| expected("usual, n or r/b, 0 to 15"))?);
                    }
                    ("moves", "usual") => self.moves[place] = Movement::Usual,
                    ("moves", "xiangqi") => self.moves[place] = Movement::Xiangqi,
                    ("moves", _) => {
                        let moves = Betza::read_with_ahead(value);
                        let moves = moves.filter(|moves| !moves.goes_far_diagonally());
                        let valid = "usual, xiangqi, Betza's notation, two squares diagonally";
                        self.moves[place] = Movement::Betza(moves.ok_or_else(|| expected(valid))?);
                    }
                    (_, "usual") => self.takes[place] = None,
                    _ => {
                        let takes = read_kinds(value);
                        self.takes[place] =
                            Some(takes.ok_or_else(|| expected("usual, letters, -"))?);
                    }
                }
            }
        }
        Ok(())
    }

    /// How many pieces of a kind a side's covered pieces are dealt from.
    pub(super) fn pool(&self, color: Color, kind: Kind) -> u64 {
        match (self.pools[kind.place()], color) {
            (Some((red, _)), Color::Red) => red,
            (Some((_, black)), Color::Black) => black,
            (None, _) => self.covered_squares_of(kind),
        }
    }

    /// The home squares of the kind that begin with a covered piece, of each side.
    fn covered_squares_of(&self, kind: Kind) -> u64 {
        if self.covered.contains(&kind) { kind.starting_count() as u64 } else { 0 }
    }

    /// Its home squares that begin with a revealed piece, of each side.
    pub(super) fn revealed_squares_of(&self, kind: Kind) -> u64 {
        kind.starting_count() as u64 - self.covered_squares_of(kind)
    }

    /// How many pieces of a side are left over (RULES.md 11.1).
    ///
    /// # Panics
    /// If there are more covered squares than pieces.
    pub(super) fn left_over(&self, color: Color) -> u64 {
        let pieces: u64 = Kind::ALL.into_iter().map(|kind| self.pool(color, kind)).sum();
        let squares: u64 = Kind::ALL.into_iter().map(|kind| self.covered_squares_of(kind)).sum();
        pieces.checked_sub(squares).expect("the options have been checked")
    }

    /// Whether a FEN has the field `unused` (RULES.md 11.6).
    pub(super) fn has_unused(&self) -> bool {
        self.left_over(Color::Red) > 0 || self.left_over(Color::Black) > 0
    }

    /// Whether the first kind captures revealed pieces of the second.
    pub(super) fn takes(&self, captor: Kind, victim: Kind) -> bool {
        self.takes[captor.place()].as_ref().is_none_or(|kinds| kinds.contains(&victim))
    }

    /// The start, where identities do not matter: every covered piece is of the kind of its square.
    fn start(&self) -> Board {
        let mut text = String::new();
        for letter in START.chars() {
            let is_covered = |kind: &Kind| kind.letter() == letter.to_ascii_uppercase();
            if self.covered.iter().any(is_covered) {
                text.push('~');
            }
            text.push(letter);
        }
        fen::read_board(&text, 9, 10).expect("it is a board")
    }

    /// Checks the options against one another (RULES.md 11.1 and 11.2).
    ///
    /// # Errors
    /// If a side has more covered squares than pieces for them, a general begins attacked, or red has
    /// no ply; the message names the first kind of fewer pieces than usual, or that attacks it.
    fn check(&self) -> Result<(), String> {
        for color in [Color::Red, Color::Black] {
            let pieces: u64 = Kind::ALL.into_iter().map(|kind| self.pool(color, kind)).sum();
            let squares: u64 =
                Kind::ALL.into_iter().map(|kind| self.covered_squares_of(kind)).sum();
            if pieces < squares {
                let smaller = Kind::ALL
                    .into_iter()
                    .find(|&kind| self.pool(color, kind) < self.covered_squares_of(kind));
                let kind = smaller.expect("without a smaller pool there are pieces enough");
                return Err(format!(
                    "option pool.{}: {pieces} {color:?} pieces for {squares} covered squares",
                    kind.letter()
                ));
            }
        }
        let start = self.start();
        for kind in Kind::ALL {
            let of_kind = start.pieces().into_iter().filter(|(_, piece)| piece.kind == kind);
            if of_kind.into_iter().any(|(square, _)| attacks(self, &start, square)) {
                return Err(format!(
                    "option moves.{}: a general would begin attacked",
                    kind.letter()
                ));
            }
        }
        if legal_steps(self, &start, Color::Red).is_empty() {
            return Err("option moves: red would have no legal ply at the start".to_string());
        }
        Ok(())
    }
}

/// The options of a game, those of designers apart.
///
/// # Errors
/// If there is no option of a name, a value is not among the option's values, or the options
/// contradict one another.
pub(super) fn read(game: &str, given: &[(&str, &str)]) -> Result<(Options, CoveredDesign), String> {
    let names = CoveredDesign::names();
    let (designed, usual): (Vec<_>, Vec<_>) =
        given.iter().copied().partition(|(name, _)| names.iter().any(|one| one == name));
    let options = options::read(game, &usual)?;
    let mut design = CoveredDesign::usual();
    for (name, value) in designed {
        design.set(name, value)?;
    }
    design.check()?;
    Ok((options, design))
}
