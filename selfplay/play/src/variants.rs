//! Rules from files: variants of a game, as designers write them.
//!
//! A file is TOML: `game` names the game, `about` says what is different, `source` where it comes from. All
//! else are rule options; a table holds those whose names begin with its own, so that `C = 1` in `[army]`
//! is `army.C=1`.
//!
//! ```
//! use darkqi_env::Spec;
//! use darkqi_play::variants::Variant;
//!
//! let variant = Variant::parse("game = 'banqi'\nchain = true\n\n[army]\nP = 3\n")?;
//! let spec = Spec::new(&variant.game, &variant.options)?;
//! assert_eq!(spec.options_in_force()["army.P"].to_string(), "`3`");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::{Path, PathBuf};

use darkqi_env::{Options, SetupError, Spec, Value};
use darkqi_format::read_file;
use thiserror::Error;
use toml::{Table, Value as Toml};

/// The variants that come with the program, by name.
const SHIPPED: &[(&str, &str)] = &[
    ("blitz", include_str!("../variants/blitz.toml")),
    ("chain", include_str!("../variants/chain.toml")),
    ("dark-capture", include_str!("../variants/dark-capture.toml")),
    ("hongkong", include_str!("../variants/hongkong.toml")),
    ("open-soldiers", include_str!("../variants/open-soldiers.toml")),
    ("reserves", include_str!("../variants/reserves.toml")),
    ("taiwan", include_str!("../variants/taiwan.toml")),
    ("xiangqi", include_str!("../variants/xiangqi.toml")),
];

/// Rules of a game, as a file has them.
#[derive(Clone, PartialEq, Debug)]
pub struct Variant {
    /// The game.
    pub game: String,
    /// What is different, in a sentence; empty if the file does not say it.
    pub about: String,
    /// Where the rules come from; empty if the file does not say it.
    pub source: String,
    /// The rule options.
    pub options: Options,
}

/// Rules that cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum VariantError {
    /// Neither a file nor a variant that comes with the program.
    #[error("rules: there is no file {}, and no variant of this name; expected a file or one of: {}",
        path.display(), names().collect::<Vec<_>>().join(", "))]
    Unknown { path: PathBuf },
    /// A file that cannot be read.
    #[error("rules {}: {cause}", path.display())]
    Unreadable { path: PathBuf, cause: std::io::Error },
    /// A file that does not describe rules.
    #[error("rules{}: {fault}", path.as_ref().map(|path| format!(" {}", path.display())).unwrap_or_default())]
    Fault { path: Option<PathBuf>, fault: String },
    /// Rules of another game than the one that is played.
    #[error("rules: expected those of {expected}, got some of {found}")]
    OtherGame { found: String, expected: String },
}

/// The names of the variants that come with the program.
pub fn names() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|(name, _)| *name)
}

impl Variant {
    /// The variant of a file, or the one of this name that comes with the program.
    ///
    /// # Errors
    /// If there is neither, or the file does not describe rules that can be played.
    pub fn find(path: &Path) -> Result<Self, VariantError> {
        if let Some((_, text)) = SHIPPED.iter().find(|(name, _)| path == Path::new(name)) {
            return Self::parse(text);
        }
        let contents = read_file(path).map_err(|cause| match cause.kind() {
            std::io::ErrorKind::NotFound => VariantError::Unknown { path: path.to_owned() },
            _ => VariantError::Unreadable { path: path.to_owned(), cause },
        })?;
        let fault = |fault| VariantError::Fault { path: Some(path.to_owned()), fault };
        let text = str::from_utf8(&contents).map_err(|error| fault(error.to_string()))?;
        read(text).map_err(fault)
    }

    /// The variant that a text describes.
    ///
    /// # Errors
    /// If it describes no rules that can be played.
    pub fn parse(text: &str) -> Result<Self, VariantError> {
        read(text).map_err(|fault| VariantError::Fault { path: None, fault })
    }

    /// The options, for one game.
    ///
    /// # Errors
    /// If they are those of another.
    pub fn options_for(self, game: &str) -> Result<Options, VariantError> {
        if self.game == game {
            return Ok(self.options);
        }
        Err(VariantError::OtherGame { found: self.game, expected: game.to_owned() })
    }

    /// The variant as a file.
    pub fn to_toml(&self) -> String {
        let mut table = Table::new();
        let texts = [("game", &self.game), ("about", &self.about), ("source", &self.source)];
        for (name, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
            table.insert(name.to_owned(), Toml::String(text.clone()));
        }
        for (name, value) in &self.options {
            let value = match value {
                Value::Int(number) => Toml::Integer(*number),
                Value::Bool(on) => Toml::Boolean(*on),
                Value::Text(text) => Toml::String(text.clone()),
            };
            match name.split_once('.') {
                None => drop(table.insert(name.clone(), value)),
                Some((group, name)) => {
                    let group = table.entry(group).or_insert_with(|| Toml::Table(Table::new()));
                    let group = group.as_table_mut().expect("no option has the name of a group");
                    group.insert(name.to_owned(), value);
                }
            }
        }
        table.to_string()
    }
}

/// Reads a text, or tells what is wrong with it.
fn read(text: &str) -> Result<Variant, String> {
    let mut table: Table = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut take = |name: &str| match table.remove(name) {
        None => Ok(String::new()),
        Some(Toml::String(text)) => Ok(text),
        Some(other) => Err(format!("{name}: expected a text, found {other}")),
    };
    let (game, about, source) = (take("game")?, take("about")?, take("source")?);
    if game.is_empty() {
        return Err(
            "game: expected the name of the game that the rules are a variant of".to_owned()
        );
    }
    let mut options = Options::new();
    let mut add =
        |name: String, value| match options.insert(name.clone(), option_value(&name, value)?) {
            None => Ok(()),
            Some(_) => Err(format!("{name}: expected it once, found it twice")),
        };
    for (name, value) in table {
        match value {
            Toml::Table(group) => {
                group
                    .into_iter()
                    .try_for_each(|(part, value)| add(format!("{name}.{part}"), value))?;
            }
            value => add(name, value)?,
        }
    }
    Spec::new(&game, &options).map_err(|error: SetupError| error.to_string())?;
    Ok(Variant { game, about, source, options })
}

fn option_value(name: &str, value: Toml) -> Result<Value, String> {
    match value {
        Toml::Integer(number) => Ok(Value::Int(number)),
        Toml::Boolean(on) => Ok(Value::Bool(on)),
        Toml::String(text) => Ok(Value::Text(text)),
        other => {
            Err(format!("{name}: expected a whole number, true, false or a text, found {other}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use darkqi_env::Spec;

    use super::{Variant, names};

    #[test]
    fn shipped_variants_are_read_and_written() {
        for name in names() {
            let variant = Variant::find(Path::new(name)).expect(name);
            assert!(!variant.about.is_empty() && !variant.options.is_empty(), "{name}");
            let again = Variant::parse(&variant.to_toml()).expect("it was written");
            assert_eq!(again, variant, "{name}");
            let spec = Spec::new(&variant.game, &variant.options).expect("it can be played");
            assert!(spec.lesson().is_some());
        }
    }

    #[test]
    fn faults_name_the_field() {
        for (text, fault) in [
            ("", "game: expected the name of the game"),
            ("game = 1", "game: expected a text, found 1"),
            ("game = 'chess'", "unknown game `chess`"),
            ("game = 'banqi'\n[army]\nQ = 1", "banqi has no option `army.Q` (did you mean `army."),
            (
                "game = 'banqi'\n[army]\nP = [1]",
                "army.P: expected a whole number, true, false or a text",
            ),
            (
                "game = 'banqi'\n[army]\nP = 99",
                "option `army.P` of banqi: 99 is not a number of pieces",
            ),
            ("game = 'banqi'\nboard = '2x2'", "option `board` of banqi: `2x2` is not large enough"),
            ("game = 'jieqi'\nchain = true", "jieqi has no option `chain`"),
            ("game = banqi", "TOML parse error at line 1"),
            (
                "game = 'banqi'\n'army.P' = 1\n[army]\nP = 2",
                "army.P: expected it once, found it twice",
            ),
        ] {
            let found = Variant::parse(text).expect_err(fault).to_string();
            assert!(found.contains(fault), "{text}: {found}");
        }
        let found = Variant::find(Path::new("nothing")).expect_err("there is none").to_string();
        assert!(found.contains("expected a file or one of: blitz, chain"), "{found}");
        let other = Variant::find(Path::new("taiwan")).expect("it is shipped").options_for("gaiqi");
        assert!(
            other
                .expect_err("it is banqi")
                .to_string()
                .contains("expected those of gaiqi, got some of banqi")
        );
    }
}
