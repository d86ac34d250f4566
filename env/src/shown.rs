//! Text of others as it may be shown: names of agents, lines of engines, input that a message repeats.

use std::borrow::Cow;

/// The most characters of a name: of an agent, for example.
pub const MAX_NAME: usize = 200;

/// Whether a character would do something to a terminal other than appear: a control character, or one
/// that changes the direction of what follows.
///
/// ```
/// assert!(['\x1b', '\n', '\u{9b}', '\u{202e}'].into_iter().all(darkqi_env::shown::is_control));
/// assert!(!['a', '炮', ' ', '<'].into_iter().any(darkqi_env::shown::is_control));
/// ```
pub fn is_control(character: char) -> bool {
    // Unicode Standard Annex 9 has the controls of direction; two more end a line.
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// Text with escapes in place of characters that do something ([`is_control`]), unless `keep` says so.
/// The escapes are those of JSON, `\u001b`, so that JSON stays the same.
///
/// ```
/// assert_eq!(darkqi_env::shown::printable("a\x1b[1mb\n", |_| false), "a\\u001b[1mb\\u000a");
/// ```
pub fn printable(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_shown = |character| !is_control(character) || keep(character);
    if text.chars().all(is_shown) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_shown(character) {
            shown.push(character);
        } else {
            // All of them are in the basic plane.
            shown += &format!("\\u{:04x}", character as u32);
        }
    }
    Cow::Owned(shown)
}

/// Text of at most about `most` characters: of a longer one the beginning and the end, and how many
/// characters were left out between them.
///
/// ```
/// let text = format!("got {}, expected letters", "1".repeat(1000));
/// let short = darkqi_env::shown::shortened(&text, 40);
/// assert_eq!(short, "got 1111111111111111… (1022 characters in all) …11, expected letters");
/// ```
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    // Bytes are no fewer than characters, and known at once.
    if text.len() <= most || text.chars().count() <= most {
        return Cow::Borrowed(text);
    }
    let half = most.div_ceil(2);
    let place = |skipped: usize| text.char_indices().nth(skipped).map_or(text.len(), |(at, _)| at);
    let characters = text.chars().count();
    let (head, tail) = (&text[..place(half)], &text[place(characters - (most - half))..]);
    Cow::Owned(format!("{head}… ({characters} characters in all) …{tail}"))
}

/// A name of others in one line: [`printable`] and [`shortened`] to [`MAX_NAME`].
///
/// ```
/// assert_eq!(darkqi_env::shown::shown_name("greedy"), "greedy");
/// assert_eq!(darkqi_env::shown::shown_name("a\nb"), "a\\u000ab");
/// ```
pub fn shown_name(name: &str) -> Cow<'_, str> {
    match shortened(name, MAX_NAME) {
        Cow::Borrowed(name) => printable(name, |_| false),
        Cow::Owned(name) => Cow::Owned(printable(&name, |_| false).into_owned()),
    }
}

/// The fault of a name that is to be kept: it is empty, longer than [`MAX_NAME`] or has
/// characters that do something. None if nothing is.
///
/// ```
/// assert_eq!(darkqi_env::shown::name_fault("net#2"), None);
/// let fault = darkqi_env::shown::name_fault("").expect("it is empty");
/// assert_eq!(fault, "expected 1 to 200 characters, none of them a control character, got \"\"");
/// ```
pub fn name_fault(name: &str) -> Option<String> {
    let length = name.chars().count();
    if (1..=MAX_NAME).contains(&length) && !name.chars().any(is_control) {
        return None;
    }
    let found = match length {
        ..=MAX_NAME => format!("\"{}\"", printable(name, |_| false)),
        _ => format!("{length} characters"),
    };
    Some(format!(
        "expected 1 to {MAX_NAME} characters, none of them a control character, got {found}"
    ))
}
