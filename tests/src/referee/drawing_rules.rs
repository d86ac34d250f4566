//! The quiet field: jieqi's quiet limit, and mystery's automatic drawing rules (RULES.md sections 3
//! and 7).

use super::board::Color;
use super::fen;
use super::options::Options;

/// The counters of the quiet field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Quiet {
    /// Plies since the last capture (RULES.md 9.9).
    Jieqi(u64),
    /// Mystery's counters (RULES.md 9.14 and 9.15).
    Mystery {
        /// Plies since the last progress.
        progress: u64,
        effective_red: u64,
        effective_black: u64,
    },
}

/// The effects of a ply that the counters depend on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effects {
    pub side: Color,
    pub capture: bool,
    /// A forward step of a revealed soldier that stood across the river before it.
    pub soldier_advance: bool,
    /// It gave check, or left a piece chased.
    pub threatens: bool,
    /// Before it, its side was in check or had a piece chased.
    pub threatened: bool,
}

impl Quiet {
    /// Jieqi's counter at the deal.
    pub(super) fn jieqi() -> Self {
        Self::Jieqi(0)
    }

    /// Mystery's counters at the deal.
    pub(super) fn mystery() -> Self {
        Self::Mystery { progress: 0, effective_red: 0, effective_black: 0 }
    }

    /// Reads the FEN field of the same game.
    ///
    /// # Errors
    /// If the text is not one number, or in mystery three.
    pub(super) fn read(self, text: &str) -> Result<Self, String> {
        match self {
            Self::Jieqi(_) => fen::read_number("quiet", text).map(Self::Jieqi),
            Self::Mystery { .. } => {
                let numbers: Vec<&str> = text.split(',').collect();
                let [progress, effective_red, effective_black] = numbers[..] else {
                    return Err(format!(
                        "quiet: {text:?} is not progress,effective_red,effective_black"
                    ));
                };
                Ok(Self::Mystery {
                    progress: fen::read_number("quiet", progress)?,
                    effective_red: fen::read_number("quiet", effective_red)?,
                    effective_black: fen::read_number("quiet", effective_black)?,
                })
            }
        }
    }

    /// Writes the FEN field.
    pub(super) fn field(self) -> String {
        match self {
            Self::Jieqi(quiet) => quiet.to_string(),
            Self::Mystery { progress, effective_red, effective_black } => {
                format!("{progress},{effective_red},{effective_black}")
            }
        }
    }

    /// The counters after a ply.
    pub(super) fn after(self, ply: Effects) -> Self {
        match self {
            Self::Jieqi(_) if ply.capture => Self::Jieqi(0),
            Self::Jieqi(quiet) => Self::Jieqi(fen::count_on(quiet)),
            Self::Mystery { progress, effective_red, effective_black } => {
                let made_progress = ply.capture || ply.soldier_advance;
                let effective = !ply.threatens && !ply.threatened;
                let (red, black) = match ply.side {
                    Color::Red => (effective, false),
                    Color::Black => (false, effective),
                };
                Self::Mystery {
                    progress: if made_progress { 0 } else { fen::count_on(progress) },
                    effective_red: if red { fen::count_on(effective_red) } else { effective_red },
                    effective_black: if black {
                        fen::count_on(effective_black)
                    } else {
                        effective_black
                    },
                }
            }
        }
    }

    /// The rule by which the game is drawn, the first in the order of RULES.md section 8.
    pub(super) fn draw(self, ply: u64, options: &Options) -> Option<&'static str> {
        let reached = |count: u64, limit: u64| limit > 0 && count >= limit;
        match self {
            Self::Jieqi(quiet) => reached(quiet, options.quiet_limit).then_some("quiet_limit"),
            Self::Mystery { progress, effective_red, effective_black } => {
                // Limits of moves by each side; progress and moves are counted in plies.
                if reached(progress, 2 * options.progress_limit) {
                    Some("progress_limit")
                } else if reached(effective_red.min(effective_black), options.effective_limit) {
                    Some("effective_limit")
                } else if reached(ply, 2 * options.moves_limit) {
                    Some("moves_limit")
                } else {
                    None
                }
            }
        }
    }
}
