//! The armies of a game: their names, letters and colours.

/// How the names of an army's pieces are written in notation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lettering {
    /// The letter of the kind in upper case: `R`.
    UpperCase,
    /// The letter of the kind in lower case: `r`.
    LowerCase,
    /// The letter of the army before the letter of the kind: `gR`.
    Prefixed,
}

/// An army: the pieces of one colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Army {
    /// The name, as in "red to move".
    pub name: &'static str,
    /// The letter in notation and in logs.
    pub letter: char,
    /// How notation tells its pieces from those of other armies.
    pub lettering: Lettering,
    /// Colour of the character and the rim of a disc, in CSS.
    pub ink: &'static str,
    /// Colour of the disc, in CSS.
    pub wood: &'static str,
    /// Colour of the pieces in a terminal, an SGR code of one of its 16 colours; 1 is bold and no colour.
    pub sgr: u8,
}

impl Army {
    /// The name of a piece in notation, given the letter of its kind. A covered piece that shows
    /// its army has the letter `X`.
    pub fn piece_name(&self, kind: char) -> String {
        match self.lettering {
            Lettering::UpperCase => kind.to_string(),
            Lettering::LowerCase => kind.to_ascii_lowercase().to_string(),
            Lettering::Prefixed => [self.letter, kind].iter().collect(),
        }
    }
}

/// Disc colour of a xiangqi set.
const XIANGQI_WOOD: &str = "#fbe7bd";

/// The armies of a xiangqi set: red, then black. The case of a letter tells them apart.
pub const RED_AND_BLACK: &[Army] = &[
    Army {
        name: "red",
        letter: 'r',
        lettering: Lettering::UpperCase,
        ink: "#b5161b",
        wood: XIANGQI_WOOD,
        sgr: 31,
    },
    Army {
        name: "black",
        letter: 'b',
        lettering: Lettering::LowerCase,
        ink: "#1c1a18",
        wood: XIANGQI_WOOD,
        sgr: 1,
    },
];
