//! The commands that a person types.

/// A line that a person typed. Letters have no case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Command {
    Nothing,
    Help,
    Board,
    Fen,
    /// The legal moves, or those of one square.
    Moves(Option<String>),
    /// The outcomes of a move, with probabilities.
    Odds(String),
    Hint,
    Back,
    Resign,
    Quit,
    /// A move by its name, without spaces and dashes.
    Move(String),
    /// The action with this index.
    Action(i64),
    /// Neither a command nor like a move.
    Unknown(String),
}

impl Command {
    /// All commands, with what may or must follow.
    pub(super) const FORMS: [&str; 9] =
        ["help", "moves [SQUARE]", "odds MOVE", "hint", "back", "board", "fen", "resign", "quit"];

    pub(super) fn parse(line: &str) -> Self {
        // Some programs begin what they write to a pipe with a byte order mark.
        let line = line.trim_start_matches('\u{feff}').trim().to_lowercase();
        if let Ok(index) = line.parse() {
            return Self::Action(index);
        }
        let spaced = line.replace('-', " ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        match words.as_slice() {
            [] if line.is_empty() => Self::Nothing,
            ["help" | "h" | "?"] => Self::Help,
            ["board"] => Self::Board,
            ["fen"] => Self::Fen,
            ["moves"] => Self::Moves(None),
            ["moves", square] => Self::Moves(Some((*square).to_owned())),
            ["odds", squares @ ..] if !squares.is_empty() => Self::Odds(squares.concat()),
            ["hint"] => Self::Hint,
            ["back"] => Self::Back,
            ["resign"] => Self::Resign,
            ["quit" | "exit" | "q"] => Self::Quit,
            ["pass"] => Self::Move("pass".to_owned()),
            // Every other move has a square, which is a letter and a number.
            squares if squares.iter().all(|word| is_like_squares(word)) && !squares.is_empty() => {
                Self::Move(squares.concat())
            }
            _ => Self::Unknown(line),
        }
    }
}

fn is_like_squares(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_lowercase())
        && word.ends_with(|last: char| last.is_ascii_digit())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::Command;

    #[test]
    fn moves_are_written_in_many_ways() {
        for line in ["b3e3", " B3E3 ", "b3-e3", "b3 e3", "B3 - e3"] {
            assert_eq!(Command::parse(line), Command::Move("b3e3".to_owned()), "{line}");
        }
        assert_eq!(Command::parse("\u{feff}b3e3"), Command::Move("b3e3".to_owned()));
        assert_eq!(Command::parse("Pass"), Command::Move("pass".to_owned()));
        assert_eq!(Command::parse(" 17 "), Command::Action(17));
        assert_eq!(Command::parse("-1"), Command::Action(-1));
    }

    #[test]
    fn commands_are_words() {
        assert_eq!(Command::parse("MOVES b3"), Command::Moves(Some("b3".to_owned())));
        assert_eq!(Command::parse("odds b3 e3"), Command::Odds("b3e3".to_owned()));
        assert_eq!(Command::parse("  "), Command::Nothing);
        for form in Command::FORMS {
            assert!(!matches!(Command::parse(form), Command::Unknown(_)), "{form}");
        }
        for line in ["fly", "moves b3 e3", "odds", "b3 fly", "3b", "-", "b3é3"] {
            assert!(matches!(Command::parse(line), Command::Unknown(_)), "{line}");
        }
    }
}
