//! Lines that are edited at a terminal, with a history.

use std::io::{self, IsTerminal, Read, Write};
use std::mem;
use std::sync::mpsc::{Receiver, Sender};

use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};
use unicode_width::UnicodeWidthChar as _;

/// Whether a person types at a terminal and sees it there.
pub(super) fn can_edit() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Sends a line for each prompt, until the input ends or nobody asks.
pub(super) fn edit(prompts: &Receiver<String>, lines: &Sender<String>) {
    let mut editor = Editor::default();
    for prompt in prompts {
        let line = {
            let _terminal = Terminal::key_by_key();
            editor.line(&mut io::stdin().lock(), &mut Screen, &prompt)
        };
        let Ok(Some(line)) = line else { return };
        if lines.send(line).is_err() {
            return;
        }
    }
}

/// The terminal as it was, to which it returns in the end.
pub(super) struct Terminal(Option<Termios>);

impl Terminal {
    pub(super) fn kept() -> Self {
        Self(tcgetattr(io::stdin()).ok())
    }

    /// A terminal that passes keys on one by one and does not show them. Signals are sent as before.
    fn key_by_key() -> Self {
        let kept = Self::kept();
        if let Some(mut terminal) = kept.0.clone() {
            terminal.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
            terminal.special_codes[SpecialCodeIndex::VMIN] = 1;
            terminal.special_codes[SpecialCodeIndex::VTIME] = 0;
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &terminal);
        }
        kept
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
    }
}

/// Standard output, whose lock the command holds.
struct Screen;

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(io::stdout(), bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

enum Key {
    Text(char),
    Enter,
    /// The end of the input.
    End,
    /// Ctrl-D: the end of the input on an empty line, and else what Delete is.
    EndOrDelete,
    Back,
    Delete,
    Left,
    Right,
    Home,
    LineEnd,
    Up,
    Down,
    ClearBefore,
    ClearAfter,
    ClearWord,
    Other,
}

/// The line that is edited, and those before it.
#[derive(Default)]
struct Editor {
    text: Vec<char>,
    cursor: usize,
    history: Vec<String>,
    /// The line of the history that is shown; its length stands for the new one.
    shown: usize,
}

impl Editor {
    /// The next line; `None` at the end of the input.
    fn line(
        &mut self,
        input: &mut impl Read,
        out: &mut impl Write,
        prompt: &str,
    ) -> io::Result<Option<String>> {
        (self.text, self.cursor, self.shown) = (Vec::new(), 0, self.history.len());
        loop {
            self.draw(out, prompt)?;
            match key(input)? {
                Key::Enter => break,
                Key::End => return Ok(None),
                Key::EndOrDelete if self.text.is_empty() => return Ok(None),
                Key::EndOrDelete | Key::Delete if self.cursor < self.text.len() => {
                    self.text.remove(self.cursor);
                }
                Key::Text(character) => {
                    self.text.insert(self.cursor, character);
                    self.cursor += 1;
                }
                Key::Back if self.cursor > 0 => {
                    self.cursor -= 1;
                    self.text.remove(self.cursor);
                }
                Key::Left => self.cursor = self.cursor.saturating_sub(1),
                Key::Right => self.cursor = (self.cursor + 1).min(self.text.len()),
                Key::Home => self.cursor = 0,
                Key::LineEnd => self.cursor = self.text.len(),
                Key::Up if self.shown > 0 => self.show(self.shown - 1),
                Key::Down if self.shown < self.history.len() => self.show(self.shown + 1),
                Key::ClearBefore => self.clear_from(0),
                Key::ClearAfter => self.text.truncate(self.cursor),
                Key::ClearWord => {
                    let before = &self.text[..self.cursor];
                    let words = before.iter().rposition(|letter| !letter.is_whitespace());
                    let word = &before[..words.map_or(0, |end| end + 1)];
                    let space = word.iter().rposition(|letter| letter.is_whitespace());
                    self.clear_from(space.map_or(0, |space| space + 1));
                }
                Key::EndOrDelete | Key::Delete | Key::Back | Key::Up | Key::Down | Key::Other => {}
            }
        }
        self.cursor = self.text.len();
        self.draw(out, prompt)?;
        out.write_all(b"\n")?;
        let line: String = mem::take(&mut self.text).into_iter().collect();
        if !line.trim().is_empty() && self.history.last() != Some(&line) {
            self.history.push(line.clone());
        }
        Ok(Some(line))
    }

    /// Shows a line of the history, or a new one after the last.
    fn show(&mut self, place: usize) {
        self.shown = place;
        self.text = self.history.get(place).map_or_else(Vec::new, |line| line.chars().collect());
        self.cursor = self.text.len();
    }

    fn clear_from(&mut self, start: usize) {
        self.text.drain(start..self.cursor);
        self.cursor = start;
    }

    /// Draws the line anew, in place of what was there.
    fn draw(&self, out: &mut impl Write, prompt: &str) -> io::Result<()> {
        let text: String = self.text.iter().collect();
        let mut drawn = format!("\r{prompt}{text}\x1b[K");
        // Characters such as 炮 take two columns, and accents none.
        let columns = |letter: &char| letter.width().unwrap_or_default();
        let after: usize = self.text[self.cursor..].iter().map(columns).sum();
        if after > 0 {
            drawn += &format!("\x1b[{after}D");
        }
        out.write_all(drawn.as_bytes())
    }
}

/// The next key.
fn key(input: &mut impl Read) -> io::Result<Key> {
    let Some(first) = byte(input)? else { return Ok(Key::End) };
    Ok(match first {
        b'\r' | b'\n' => Key::Enter,
        1 => Key::Home,
        4 => Key::EndOrDelete,
        5 => Key::LineEnd,
        8 | 127 => Key::Back,
        11 => Key::ClearAfter,
        21 => Key::ClearBefore,
        23 => Key::ClearWord,
        0x1b => sequence(input)?,
        32..=126 => Key::Text(char::from(first)),
        0xc2..=0xf4 => {
            let mut bytes = vec![first];
            let more = if first < 0xe0 {
                1
            } else if first < 0xf0 {
                2
            } else {
                3
            };
            input.take(more).read_to_end(&mut bytes)?;
            let character = String::from_utf8(bytes).ok().and_then(|text| text.chars().next());
            // C1 controls steer terminals, too.
            character.filter(|it| !it.is_control()).map_or(Key::Other, Key::Text)
        }
        _ => Key::Other,
    })
}

/// A key that sends an escape sequence: `ESC [ 3 ~`, for example.
fn sequence(input: &mut impl Read) -> io::Result<Key> {
    if !matches!(byte(input)?, Some(b'[' | b'O')) {
        return Ok(Key::Other);
    }
    let mut number = Vec::new();
    let last = loop {
        match byte(input)? {
            Some(part @ (b'0'..=b'9' | b';')) => number.push(part),
            Some(last) => break last,
            None => return Ok(Key::End),
        }
    };
    Ok(match (last, number.as_slice()) {
        (b'A', _) => Key::Up,
        (b'B', _) => Key::Down,
        (b'C', _) => Key::Right,
        (b'D', _) => Key::Left,
        (b'H', _) | (b'~', b"1" | b"7") => Key::Home,
        (b'F', _) | (b'~', b"4" | b"8") => Key::LineEnd,
        (b'~', b"3") => Key::Delete,
        _ => Key::Other,
    })
}

fn byte(input: &mut impl Read) -> io::Result<Option<u8>> {
    let mut bytes = [0];
    match input.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(bytes[0])),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::Editor;

    /// The lines that these keys make.
    fn lines(keys: &str) -> Vec<String> {
        let (mut input, mut out, mut editor) = (keys.as_bytes(), Vec::new(), Editor::default());
        let mut lines = Vec::new();
        while let Some(line) = editor.line(&mut input, &mut out, "> ").expect("it is memory") {
            lines.push(line);
        }
        lines
    }

    #[test]
    fn keys_edit_a_line() {
        assert_eq!(lines("b3e4\x7f3\r"), ["b3e3"]);
        assert_eq!(lines("3e3\x1b[Hb\x1b[F\x1b[D\x1b[D-\r"), ["b3-e3"]);
        assert_eq!(lines("odds a1 a2\x17\x17moves\r"), ["odds moves"]);
        assert_eq!(lines("abc\x01\x1b[3~\x1b[C\x0b炮\r"), ["b炮"]);
        assert_eq!(lines("wrong\x15hint\r\x04"), ["hint"]);
        assert_eq!(lines("a\x1b[1;5Cb\x1bOx\u{9b}\x07\r"), ["ab"]);
        assert_eq!(lines("half"), Vec::<String>::new(), "it was not entered");
    }

    #[test]
    fn the_cursor_goes_back_by_columns() {
        let mut out = Vec::new();
        let found = Editor::default().line(&mut "a炮b\x1b[D\x1b[D\r".as_bytes(), &mut out, "> ");
        assert_eq!(found.expect("it is memory").as_deref(), Some("a炮b"));
        let drawn = String::from_utf8(out).expect("it is text");
        assert!(drawn.contains("\x1b[K\x1b[1D") && drawn.contains("\x1b[K\x1b[3D"), "{drawn:?}");
    }

    #[test]
    fn lines_come_again() {
        let (up, down) = ("\x1b[A", "\x1b[B");
        assert_eq!(lines(&format!("a1\ra2\r{up}{up}\r")), ["a1", "a2", "a1"]);
        assert_eq!(lines(&format!("a1\r\r{up}3\r{up}{down}x\r")), ["a1", "", "a13", "x"]);
    }
}
