//! Rule options: domains, values and checks.

use std::collections::BTreeMap;
use std::fmt;

use arrayvec::ArrayString;

/// An option's value as a caller gives it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// On or off.
    Bool(bool),
    /// Text: the name of a choice, or one of the above as text.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(number) => write!(f, "{number}"),
            Self::Bool(on) => f.write_str(if *on { "on" } else { "off" }),
            Self::Text(text) => write!(f, "`{text}`"),
        }
    }
}

/// Options by name.
pub type Options = BTreeMap<String, Value>;

/// Options by name, every value as text.
pub fn texts(options: &[(&str, &str)]) -> Options {
    let text = |&(name, value): &(&str, &str)| (name.to_owned(), Value::Text(value.to_owned()));
    options.iter().map(text).collect()
}

/// Maximum number of characters of a text option.
pub const TEXT_LENGTH: usize = 23;

/// A short text of ASCII characters.
pub type Text = ArrayString<TEXT_LENGTH>;

/// The values that an option takes.
#[derive(Clone, Copy, Debug)]
pub enum Domain {
    /// A whole number in a closed range.
    Int {
        /// Lowest value.
        min: u16,
        /// Highest value.
        max: u16,
    },
    /// On or off.
    Switch,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// Characters of an alphabet; they may repeat.
    Text {
        /// The alphabet, ASCII only.
        alphabet: &'static str,
        /// Lowest number of characters.
        min: usize,
        /// Highest number of characters, at most [`TEXT_LENGTH`].
        max: usize,
    },
    /// Text in a notation of its own, at most [`TEXT_LENGTH`] characters.
    Pattern {
        /// What is expected, for messages.
        expected: &'static str,
        /// Some texts that fit.
        examples: &'static [&'static str],
        /// Whether a text fits.
        fits: fn(&str) -> bool,
    },
}

/// A value that is checked against the domain of its option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Setting {
    /// Of [`Domain::Int`].
    Int(u16),
    /// Of [`Domain::Switch`].
    Switch(bool),
    /// Of [`Domain::Choice`], as an index.
    Choice(usize),
    /// Of [`Domain::Text`] or [`Domain::Pattern`].
    Text(Text),
}

/// A conflict between options whose values are each in their domain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptionConflict {
    /// The option to change.
    pub option: &'static str,
    /// The values it takes beside the other options.
    pub expected: String,
}

impl Domain {
    /// A limit in plies or moves; 0 means no limit.
    pub const LIMIT: Self = Self::Int { min: 0, max: u16::MAX };

    /// The values in words, for messages and listings.
    pub fn range(self) -> String {
        match self {
            Self::Int { min, max } => format!("{min} to {max}"),
            Self::Switch => "on, off".to_owned(),
            Self::Choice(names) => names.join(", "),
            Self::Text { alphabet, min, max } if min == max => {
                format!("{max} characters out of {alphabet}")
            }
            Self::Text { alphabet, min, max } => {
                format!("{min} to {max} characters out of {alphabet}")
            }
            Self::Pattern { expected, .. } => expected.to_owned(),
        }
    }

    /// The names that it consists of; none if its values are numbers or free text.
    pub const fn choices(self) -> &'static [&'static str] {
        match self {
            Self::Switch => &["on", "off"],
            Self::Choice(names) => names,
            Self::Int { .. } | Self::Text { .. } | Self::Pattern { .. } => &[],
        }
    }

    /// The values allowed, for messages.
    pub(super) fn expected(self) -> String {
        match self {
            Self::Int { .. } => format!("a whole number from {}", self.range()),
            Self::Switch | Self::Choice(_) => format!("one of: {}", self.range()),
            Self::Text { .. } | Self::Pattern { .. } => self.range(),
        }
    }

    /// The kind of value: `int`, `bool` or `str`.
    pub const fn type_name(self) -> &'static str {
        match self {
            Self::Int { .. } => "int",
            Self::Switch => "bool",
            Self::Choice(_) | Self::Text { .. } | Self::Pattern { .. } => "str",
        }
    }

    pub(super) fn check(self, value: &Value) -> Option<Setting> {
        match (self, value) {
            (Self::Int { min, max }, Value::Int(number)) => {
                let number = u16::try_from(*number).ok()?;
                (min..=max).contains(&number).then_some(Setting::Int(number))
            }
            (Self::Int { .. }, Value::Text(text)) => self.check(&Value::Int(text.parse().ok()?)),
            (Self::Switch, Value::Bool(on)) => Some(Setting::Switch(*on)),
            (Self::Switch, Value::Text(text)) => match text.as_str() {
                "on" | "true" => Some(Setting::Switch(true)),
                "off" | "false" => Some(Setting::Switch(false)),
                _ => None,
            },
            (Self::Choice(names), Value::Text(text)) => {
                names.iter().position(|name| name == text).map(Setting::Choice)
            }
            (Self::Text { alphabet, min, max }, Value::Text(text)) => {
                let fits = (min..=max).contains(&text.len())
                    && text.chars().all(|letter| alphabet.contains(letter));
                Text::from(text).ok().filter(|_| fits).map(Setting::Text)
            }
            (Self::Pattern { .. }, Value::Int(number)) => {
                self.check(&Value::Text(number.to_string()))
            }
            (Self::Pattern { fits, .. }, Value::Text(text)) => {
                Text::from(text).ok().filter(|text| fits(text)).map(Setting::Text)
            }
            _ => None,
        }
    }

    /// A setting as the value that a caller passes.
    pub fn value(self, setting: Setting) -> Value {
        match (self, setting) {
            (Self::Choice(names), Setting::Choice(index)) => Value::Text(names[index].to_owned()),
            (_, Setting::Int(number)) => Value::Int(number.into()),
            (_, Setting::Switch(on)) => Value::Bool(on),
            (_, Setting::Text(text)) => Value::Text(text.to_string()),
            (_, Setting::Choice(index)) => unreachable!("choice {index} of an option with none"),
        }
    }
}

/// One option of the rules `G`.
#[derive(Debug)]
pub struct OptionSpec<G> {
    /// Its name.
    pub name: &'static str,
    /// Its effect, in one sentence.
    pub about: &'static str,
    /// The values it takes.
    pub domain: Domain,
    /// Reads the setting from the rules.
    pub get: fn(&G) -> Setting,
    /// Writes a setting of the domain into the rules.
    pub set: fn(&mut G, Setting),
}

// The macros below declare the option of a field of the rules, or of their variant:
// `int_option!(quiet_limit, ...)`, `int_option!(moves_limit in variant, ...)`.

/// Declares a number option for a `u16` field.
macro_rules! int_option {
    ($field:ident $(in $owner:ident)?, $domain:expr, $about:literal) => {
        $crate::game::OptionSpec {
            name: stringify!($field),
            about: $about,
            domain: $domain,
            get: |rules| $crate::game::Setting::Int(rules.$($owner.)?$field),
            set: |rules, setting| {
                if let $crate::game::Setting::Int(number) = setting {
                    rules.$($owner.)?$field = number;
                }
            },
        }
    };
}

/// Declares the option that every game has: the limit of plies.
macro_rules! max_plies_option {
    () => {
        $crate::game::int_option!(
            max_plies,
            $crate::game::Domain::Int { min: 1, max: u16::MAX },
            "Plies after which the game is truncated."
        )
    };
}

/// Declares an on/off option for a `bool` field.
macro_rules! switch_option {
    ($field:ident $(in $owner:ident)?, $about:literal) => {
        $crate::game::OptionSpec {
            name: stringify!($field),
            about: $about,
            domain: $crate::game::Domain::Switch,
            get: |rules| $crate::game::Setting::Switch(rules.$($owner.)?$field),
            set: |rules, setting| {
                if let $crate::game::Setting::Switch(on) = setting {
                    rules.$($owner.)?$field = on;
                }
            },
        }
    };
}

/// Declares an enum of values that an option picks one of, each with its name.
macro_rules! choices {
    (
        $(#[$about:meta])* $seen:vis enum $choices:ident {
            $($(#[$about_value:meta])* $value:ident = $name:expr,)+
        }
    ) => {
        $(#[$about])*
        $seen enum $choices { $($(#[$about_value])* $value,)+ }

        impl $choices {
            pub(crate) const ALL: &[Self] = &[$(Self::$value),+];
            pub(crate) const NAMES: &[&str] = &[$($name),+];
        }
    };
}

/// Declares an option that picks one of [`choices`].
macro_rules! choice_option {
    ($field:ident $(in $owner:ident)?, $choices:ident, $about:literal) => {
        $crate::game::OptionSpec {
            name: stringify!($field),
            about: $about,
            domain: $crate::game::Domain::Choice($choices::NAMES),
            get: |rules| $crate::game::Setting::Choice(rules.$($owner.)?$field as usize),
            set: |rules, setting| {
                if let $crate::game::Setting::Choice(index) = setting {
                    rules.$($owner.)?$field = $choices::ALL[index];
                }
            },
        }
    };
}

pub(crate) use {choice_option, choices, int_option, max_plies_option, switch_option};

#[cfg(test)]
mod tests {
    use super::{Domain, Setting, Value};

    #[test]
    fn text_and_values_give_the_same_setting() {
        let limit = Domain::Int { min: 1, max: 9 };
        let text = |word: &str| Value::Text(word.to_owned());
        assert_eq!(limit.check(&Value::Int(9)), Some(Setting::Int(9)));
        assert_eq!(limit.check(&text("9")), Some(Setting::Int(9)));
        for bad in [Value::Int(0), Value::Int(10), Value::Int(-1), Value::Bool(true), text("many")]
        {
            assert_eq!(limit.check(&bad), None, "{bad}");
        }
        assert_eq!(Domain::Switch.check(&text("on")), Some(Setting::Switch(true)));
        assert_eq!(Domain::Switch.check(&text("false")), Some(Setting::Switch(false)));
        assert_eq!(Domain::Switch.check(&Value::Int(1)), None);
        let choice = Domain::Choice(&["captor", "public"]);
        assert_eq!(choice.check(&text("public")), Some(Setting::Choice(1)));
        assert_eq!(choice.check(&text("nobody")), None);
        let letters = Domain::Text { alphabet: "AB", min: 0, max: 3 };
        for good in ["", "A", "BAB"] {
            let setting = letters.check(&text(good)).expect("it is in the domain");
            assert_eq!(letters.value(setting), text(good));
        }
        for bad in ["C", "AAAA", "a", " "] {
            assert_eq!(letters.check(&text(bad)), None, "{bad}");
        }
        assert_eq!(letters.check(&Value::Int(1)), None);
    }
}
