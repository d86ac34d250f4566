//! The way to the terminal: text of others cannot steer it.

use std::io::{self, Write};

use darkqi_env::shown::{printable, shortened};

/// The most characters of an error. It may repeat what was given.
const MAX_ERROR: usize = 10_000;

/// The control sequences of darkqi itself: bold letters, the colours of armies, and their end.
const OWN: [&str; 8] =
    ["\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[34m", "\x1b[35m", "\x1b[36m", "\x1b[0m"];

/// Where a command prints. Names of agents, lines of engines and contents of files may have characters that
/// steer a terminal; they become escapes.
pub(super) struct Screen<'a> {
    out: &'a mut dyn Write,
    /// The control sequences that may pass.
    own: &'static [&'static str],
}

impl<'a> Screen<'a> {
    /// With `is_painted`, darkqi's own bold letters and colours stay.
    pub(super) fn new(out: &'a mut dyn Write, is_painted: bool) -> Self {
        Self { out, own: if is_painted { &OWN } else { &[] } }
    }

    /// For a whole file, a picture for example, which is written as it is.
    pub(super) fn raw(&mut self) -> &mut dyn Write {
        self.out
    }
}

impl Write for Screen<'_> {
    /// Takes whole characters: what is no UTF-8 is replaced.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write_all(shown(&String::from_utf8_lossy(bytes), self.own).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// An error, as it may be written to a terminal.
pub(super) fn shown_error(text: &str) -> String {
    shown(&shortened(text, MAX_ERROR), &[])
}

/// Lines of text without what steers a terminal, but for `own`.
fn shown(text: &str, own: &[&str]) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut left = text;
    loop {
        let next = own.iter().filter_map(|own| Some((left.find(own)?, own.len()))).min();
        let (at, length) = next.unwrap_or((left.len(), 0));
        shown += &printable(&left[..at], |character| matches!(character, '\n' | '\t'));
        shown += &left[at..at + length];
        left = &left[at + length..];
        if left.is_empty() {
            return shown;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{MAX_ERROR, Screen, shown_error};

    #[test]
    fn what_steers_a_terminal_is_escaped() {
        let mut out = Vec::new();
        let mut screen = Screen::new(&mut out, true);
        write!(screen, "a\x1b]0;title\x07\r\n\t\u{9b}2J\u{202e}炮 \x1b[1mbold\x1b[0m")
            .expect("it is memory");
        screen.raw().write_all(&[0x1b, 0xff]).expect("it is memory");
        let text = "a\\u001b]0;title\\u0007\\u000d\n\t\\u009b2J\\u202e炮 \x1b[1mbold\x1b[0m";
        assert_eq!(out, [text.as_bytes(), &[0x1b, 0xff]].concat());
    }

    #[test]
    fn json_stays_the_same() {
        let value = serde_json::json!({ "agent": "a\x1b\u{9b}\u{202e}\n" });
        let mut out = Vec::new();
        super::super::output::write_json(&mut Screen::new(&mut out, false), &value)
            .expect("it is memory");
        assert!(!out.contains(&0x9b) && !out.contains(&0xe2));
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&out).expect("it is JSON"), value);
    }

    #[test]
    fn errors_do_not_repeat_all_that_was_given() {
        let text = format!("unknown agent `{}`; expected another", "\x1b".repeat(1 << 22));
        let shown = shown_error(&text);
        assert!(
            shown.starts_with("unknown agent `\\u001b") && shown.ends_with("; expected another")
        );
        assert!(shown.len() < 7 * MAX_ERROR);
    }
}
