//! The options of designers for gaiqi and banqi (RULES.md section 10).

use super::betza::Betza;
use super::board::Kind;
use super::half_board::Game;
use super::options::{self, Options, invalid, number, switch};

/// What becomes of a covered piece that a piece goes to (RULES.md 10.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CoveredCaptures {
    Never,
    Always,
    Attempt,
}

/// The options of designers. Lists by kind are in the order of [`Kind::ALL`]; `None` leaves a kind
/// as the game has it.
#[derive(Clone, Debug)]
pub(super) struct Design {
    pub files: i8,
    pub ranks: i8,
    /// Red's pieces of each kind, and black's.
    pub armies: [(u64, u64); 7],
    pub moves: [Option<Betza>; 7],
    pub takes: [Option<Vec<Kind>>; 7],
    pub covered_captures: CoveredCaptures,
    pub royal: bool,
    /// Whether a player who has no action draws.
    pub no_moves_draws: bool,
    pub chain: bool,
    pub flips: u64,
}

impl Design {
    /// The game as it is without designers.
    pub(super) fn usual(game: Game) -> Self {
        Self {
            files: 8,
            ranks: 4,
            armies: [1, 2, 2, 2, 2, 2, 5].map(|pieces| (pieces, pieces)),
            moves: [const { None }; 7],
            takes: [const { None }; 7],
            covered_captures: match game {
                Game::Gaiqi => CoveredCaptures::Always,
                Game::Banqi => CoveredCaptures::Never,
            },
            royal: game == Game::Gaiqi,
            no_moves_draws: false,
            chain: false,
            flips: 1,
        }
    }

    /// The names of the options.
    pub(super) fn names() -> Vec<String> {
        let mut names: Vec<String> =
            ["board", "covered_captures", "royal", "no_moves", "chain", "flips"]
                .map(str::to_string)
                .to_vec();
        for kind in Kind::ALL {
            for of_kinds in ["army", "moves", "takes"] {
                names.push(format!("{of_kinds}.{}", kind.letter()));
            }
        }
        names
    }

    /// Sets one of the options. `usual` is the game without designers.
    ///
    /// # Errors
    /// If the value is not among those of the option.
    fn set(&mut self, name: &str, value: &str, usual: &Self) -> Result<(), String> {
        let expected = |valid: &str| invalid(name, value, valid);
        match name {
            "board" => {
                (self.files, self.ranks) =
                    read_size(value).ok_or_else(|| expected("2x2 to 8x4"))?;
            }
            "covered_captures" => {
                self.covered_captures = match value {
                    "usual" => usual.covered_captures,
                    "never" => CoveredCaptures::Never,
                    "always" => CoveredCaptures::Always,
                    "attempt" => CoveredCaptures::Attempt,
                    _ => return Err(expected("usual, never, always, attempt")),
                }
            }
            "royal" => {
                self.royal = match value {
                    "usual" => usual.royal,
                    "yes" => true,
                    "no" => false,
                    _ => return Err(expected("usual, yes, no")),
                }
            }
            "no_moves" => {
                self.no_moves_draws = match value {
                    "loss" => false,
                    "draw" => true,
                    _ => return Err(expected("loss, draw")),
                }
            }
            "chain" => self.chain = switch(name, value)?,
            "flips" => self.flips = number(name, value, 1..=4)?,
            _ => {
                let (of_kinds, letter) = name.split_once('.').expect("an option of a kind");
                let kind = Kind::ALL.iter().position(|kind| letter == kind.letter().to_string());
                let kind = kind.expect("the letter of a kind");
                match of_kinds {
                    "army" => {
                        // No army has more pieces than the largest board has squares.
                        let pieces = read_pieces(value, 32);
                        self.armies[kind] = pieces.ok_or_else(|| expected("n or r/b"))?;
                    }
                    _ if value == "usual" => {
                        // It is as before, whatever was given earlier.
                        match of_kinds {
                            "moves" => self.moves[kind] = None,
                            _ => self.takes[kind] = None,
                        }
                    }
                    "moves" => {
                        let moves = Betza::read(value);
                        self.moves[kind] =
                            Some(moves.ok_or_else(|| expected("usual, Betza's notation"))?);
                    }
                    _ => {
                        let takes = read_kinds(value);
                        self.takes[kind] =
                            Some(takes.ok_or_else(|| expected("usual, letters, -"))?);
                    }
                }
            }
        }
        Ok(())
    }

    /// The pieces of an army, red's or black's.
    pub(super) fn pieces(&self, red: bool) -> u64 {
        self.armies.iter().map(|&(reds, blacks)| if red { reds } else { blacks }).sum()
    }

    /// Checks the options against one another (RULES.md 10.1 and 10.4).
    ///
    /// # Errors
    /// If there is no such game.
    pub(super) fn check(&self) -> Result<(), String> {
        let (red, black) = (self.pieces(true), self.pieces(false));
        let squares = u64::from(self.files.unsigned_abs()) * u64::from(self.ranks.unsigned_abs());
        if red == 0 || black == 0 {
            return Err("option army: each army has at least one piece".to_string());
        }
        if red + black > squares {
            return Err(format!("option army: {} pieces on {squares} squares", red + black));
        }
        let (red_generals, black_generals) = self.armies[0];
        if self.royal && (red_generals == 0 || black_generals == 0) {
            return Err("option royal: both armies have a general".to_string());
        }
        Ok(())
    }

    /// Whether a player may have several plies in a row (RULES.md 10.6).
    pub(super) fn has_long_turns(&self) -> bool {
        self.chain || self.flips > 1
    }
}

/// The options of a game, those of designers apart.
///
/// # Errors
/// If there is no option of a name, a value is not among the option's values, or the options
/// contradict one another.
pub(super) fn read(
    game: Game,
    name: &str,
    given: &[(&str, &str)],
) -> Result<(Options, Design), String> {
    let names = Design::names();
    let (designed, usual): (Vec<_>, Vec<_>) =
        given.iter().copied().partition(|(name, _)| names.iter().any(|one| one == name));
    let options = options::read(name, &usual)?;
    let mut design = Design::usual(game);
    for (name, value) in designed {
        design.set(name, value, &Design::usual(game))?;
    }
    design.check()?;
    Ok((options, design))
}

/// `FxR`, 2x2 to 8x4.
fn read_size(text: &str) -> Option<(i8, i8)> {
    for files in 2..=8 {
        for ranks in 2..=4 {
            if text == format!("{files}x{ranks}") {
                return Some((files, ranks));
            }
        }
    }
    None
}

/// `n`, or `r/b`, up to so many.
pub(super) fn read_pieces(text: &str, most: u64) -> Option<(u64, u64)> {
    let read = |part: &str| (0..=most).find(|pieces| part == pieces.to_string());
    match text.split_once('/') {
        None => read(text).map(|pieces| (pieces, pieces)),
        Some((red, black)) => Some((read(red)?, read(black)?)),
    }
}

/// Letters of kinds, `-` for none.
pub(super) fn read_kinds(text: &str) -> Option<Vec<Kind>> {
    if text == "-" {
        return Some(Vec::new());
    }
    let mut kinds = Vec::new();
    for letter in text.chars() {
        let kind = Kind::ALL.into_iter().find(|kind| kind.letter() == letter)?;
        if kinds.contains(&kind) {
            return None;
        }
        kinds.push(kind);
    }
    if kinds.is_empty() { None } else { Some(kinds) }
}
