//! The text of an agent, read from left to right: names, and values with quotes.

/// The characters that end or begin a part of an agent's text.
const SPECIAL: [char; 3] = [',', '"', '\''];

/// A text and how far it has been read.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The rest of the text.
    pub(super) fn rest(self) -> &'a str {
        &self.text[self.at..]
    }

    /// The text read since `earlier`.
    pub(super) fn since(self, earlier: Self) -> &'a str {
        &self.text[earlier.at..self.at]
    }

    /// Reads to the first of these characters, which stays, or to the end.
    pub(super) fn until(&mut self, ends: &[char]) -> &'a str {
        let rest = self.rest();
        let part = &rest[..rest.find(ends).unwrap_or(rest.len())];
        self.at += part.len();
        part
    }

    /// Reads all that is left.
    pub(super) fn all(&mut self) -> &'a str {
        self.until(&[])
    }

    /// Reads this character if it is the next.
    pub(super) fn take(&mut self, character: char) -> bool {
        let is_next = self.rest().starts_with(character);
        self.at += if is_next { character.len_utf8() } else { 0 };
        is_next
    }

    /// Whether a comma follows, and `option=` after it.
    pub(super) fn sets_another(self) -> bool {
        let part = self.rest().strip_prefix(',').unwrap_or_default();
        part.find([':', '=', ',']).is_some_and(|at| part[at..].starts_with('='))
    }

    /// Reads a value, to the comma or the end after it.
    ///
    /// Within double or single quotes, in which all of the value stands, a comma is a part of it. `\"`
    /// and `\\` in double quotes are a quote and a backslash; outside of quotes `\,`, `\"` and `\'` are
    /// what follows the backslash.
    ///
    /// # Errors
    /// If a quote is not closed, or something follows the closing one.
    pub(super) fn value(&mut self) -> Result<String, String> {
        let begin = *self;
        let mut value = String::new();
        let quote = ['"', '\''].into_iter().find(|&quote| self.take(quote));
        loop {
            let mut characters = self.rest().chars();
            let (next, after) = (characters.next(), characters.next());
            let escaped = after.filter(|after| match quote {
                None => SPECIAL.contains(after),
                Some('"') => ['"', '\\'].contains(after),
                Some(_) => false,
            });
            match (next, escaped) {
                (None, _) if quote.is_some() => return Err(unclosed(begin.rest())),
                (None, _) => return Ok(value),
                (Some(','), _) if quote.is_none() => return Ok(value),
                (Some('\\'), Some(escaped)) => {
                    self.at += 1 + escaped.len_utf8();
                    value.push(escaped);
                }
                (Some(next), _) if Some(next) == quote => {
                    self.at += 1;
                    if matches!(self.rest().chars().next(), None | Some(',')) {
                        return Ok(value);
                    }
                    let quoted = self.since(begin);
                    return Err(format!("expected a comma after {quoted}"));
                }
                (Some(next), _) => {
                    self.at += next.len_utf8();
                    value.push(next);
                }
            }
        }
    }

    /// Reads a command, to the comma or the end after it. Quotes and backslashes stay in it: they are
    /// those of its words, in which a comma is a part of the command, too.
    ///
    /// # Errors
    /// If a quote is not closed, or nothing follows the last backslash.
    pub(super) fn command(&mut self) -> Result<String, String> {
        let begin = *self;
        let length = Words::of(self.rest()).find(|(_, next, is_within)| *next == ',' && !is_within);
        match length {
            Some((at, ..)) => self.at += at,
            None => drop(self.all()),
        }
        let command = self.since(begin);
        check_words(command)?;
        Ok(command.to_owned())
    }
}

/// The values of a list: separated by commas, each as the value of an agent's option.
///
/// # Errors
/// If a quote is not closed, or something follows the closing one.
pub fn values_of(text: &str) -> Result<Vec<String>, String> {
    let mut reader = Reader::new(text);
    let mut values = vec![reader.value()?];
    while reader.take(',') {
        values.push(reader.value()?);
    }
    Ok(values)
}

/// The characters of a command, their places, and whether each is within quotes or after a backslash.
struct Words<'a> {
    text: &'a str,
    at: usize,
    quote: Option<char>,
    is_escaped: bool,
}

impl<'a> Words<'a> {
    const fn of(text: &'a str) -> Self {
        Self { text, at: 0, quote: None, is_escaped: false }
    }
}

impl Iterator for Words<'_> {
    type Item = (usize, char, bool);

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.text[self.at..].chars().next()?;
        let item = (self.at, next, self.is_escaped || self.quote.is_some());
        self.at += next.len_utf8();
        match next {
            _ if self.is_escaped => self.is_escaped = false,
            '\\' if self.quote != Some('\'') => self.is_escaped = true,
            '"' | '\'' if self.quote.is_none() => self.quote = Some(next),
            _ if self.quote == Some(next) => self.quote = None,
            _ => {}
        }
        Some(item)
    }
}

/// # Errors
/// If a quote of a command is not closed, or nothing follows its last backslash.
fn check_words(command: &str) -> Result<(), String> {
    let mut words = Words::of(command);
    words.by_ref().for_each(drop);
    match words {
        Words { is_escaped: true, .. } => {
            Err(format!("nothing follows the last backslash of {command}"))
        }
        Words { quote: Some(_), .. } => Err(unclosed(command)),
        _ => Ok(()),
    }
}

fn unclosed(text: &str) -> String {
    format!("a quote is not closed in {text}")
}

/// A value as [`Reader::value`] reads it.
pub(super) fn quoted(value: &str) -> String {
    let is_plain = !value.contains(',')
        && !value.starts_with(SPECIAL)
        && !value.ends_with('\\')
        && !["\\\"", "\\'"].iter().any(|escaped| value.contains(escaped));
    if is_plain {
        return value.to_owned();
    }
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A command as [`Reader::command`] reads it: commas that nothing protects get a backslash, which its
/// words lose again.
///
/// # Errors
/// As [`Reader::command`].
pub(super) fn protected(command: &str) -> Result<String, String> {
    check_words(command)?;
    let mut text = String::with_capacity(command.len());
    for (_, next, is_within) in Words::of(command) {
        if next == ',' && !is_within {
            text.push('\\');
        }
        text.push(next);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::{Reader, protected, quoted};

    /// The value at the beginning of a text, and what is left.
    fn value(text: &str) -> Result<(String, &str), String> {
        let mut reader = Reader::new(text);
        let value = reader.value()?;
        Ok((value, reader.rest()))
    }

    #[test]
    fn every_value_is_read_back() {
        // All texts of up to five of these characters.
        let characters = ['a', ',', '"', '\'', '\\', '='];
        let mut texts = vec![String::new()];
        for length in 0..5 {
            let longer: Vec<String> = texts
                .iter()
                .filter(|text| text.len() == length)
                .flat_map(|text| characters.map(|next| format!("{text}{next}")))
                .collect();
            texts.extend(longer);
        }
        for text in texts {
            let written = format!("{},epsilon=1", quoted(&text));
            assert_eq!(value(&written), Ok((text.clone(), ",epsilon=1")), "{written}");
            let Ok(command) = protected(&text) else { continue };
            let written = format!("{command},epsilon=1");
            let mut reader = Reader::new(&written);
            assert_eq!(reader.command(), Ok(command.clone()), "{written}");
            assert_eq!(reader.rest(), ",epsilon=1");
            assert_eq!(shlex::split(&command), shlex::split(&text), "{text}");
        }
    }
}
