//! Plies, boards and lists in words.

use std::collections::BTreeMap;

use darkqi_env::{Viewer, game::Counter, render, session::Reveal};

use super::game::Game;

/// Columns of the lists.
const WIDTH: usize = 78;

/// The event of a ply in words, as far as the viewer is shown it; nothing if it turns over and takes nothing.
pub fn event_text(event: &Reveal, viewer: Viewer) -> Option<String> {
    let revealed = event.revealed.as_ref().map(|piece| format!("turning over {piece}"));
    let captured = match &event.captured {
        Some(piece) if event.captured_covered => Some(format!("taking the covered {piece}")),
        Some(piece) => Some(format!("taking {piece}")),
        None if !event.captured_covered => None,
        None if viewer == Viewer::Public => Some("taking a covered piece that is not shown".into()),
        None => Some("taking a covered piece that you are not shown".into()),
    };
    let parts: Vec<String> = revealed.into_iter().chain(captured).collect();
    (!parts.is_empty()).then(|| parts.join(" and "))
}

/// The position as a viewer knows it, or in full for `None`, with the squares marked that look
/// otherwise than in the position before. Counters follow that have come half the way to their
/// limit, and the number of occurrences from the second on.
pub(super) fn board(game: &Game, viewer: Option<Viewer>, is_coloured: bool) -> String {
    let (state, picture) = (game.state(), game.picture(viewer));
    let marked = game
        .before()
        .map_or_else(Vec::new, |before| picture.changed_since(&before.picture(viewer)));
    let mut lines = vec![if is_coloured {
        render::coloured_text(&picture, &marked)
    } else {
        render::marked_text(&picture, &marked)
    }];
    // Counters and occurrences are public in every game.
    let public = Viewer::Public;
    let is_near = |at: &Counter| u32::from(at.count) * 2 >= u32::from(at.limit);
    let near = state.counters(public).into_iter().filter(is_near);
    lines.extend(near.map(|at| format!("{} of {} {}", at.count, at.limit, at.things)));
    match state.occurrences(public) {
        0 | 1 => {}
        times => lines.push(format!("repetition: this position has occurred {times} times")),
    }
    lines.join("\n")
}

/// What a move may turn over and take, each likeliest first.
pub(super) fn odds(reveals: &[Reveal]) -> String {
    let revealed = shares(reveals, |reveal| reveal.revealed.clone());
    let captured = shares(reveals, |reveal| match &reveal.captured {
        Some(piece) if reveal.captured_covered => Some(format!("~{piece}")),
        None if reveal.captured_covered => Some("a piece that you are not shown".to_owned()),
        captured => captured.clone(),
    });
    let parts = [("turns over", revealed), ("takes", captured)];
    let lines: Vec<String> = parts
        .into_iter()
        .filter(|(_, shares)| !shares.is_empty())
        .map(|(title, shares)| {
            let shares = shares.iter().map(|(name, share)| format!("{name} {}", percent(*share)));
            wrapped(&format!("  {title:<12}"), &shares.collect::<Vec<_>>())
        })
        .collect();
    if lines.is_empty() {
        "  It turns nothing over and takes nothing.".to_owned()
    } else {
        lines.join("\n")
    }
}

/// The probability of each text, likeliest first; less than 1 in all where there may be none.
fn shares(reveals: &[Reveal], part: impl Fn(&Reveal) -> Option<String>) -> Vec<(String, f64)> {
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    for reveal in reveals {
        if let Some(name) = part(reveal) {
            *sums.entry(name).or_default() += reveal.probability;
        }
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by(|one, other| other.1.total_cmp(&one.1));
    sums
}

/// A share as people read it: `12 %`, `3.1 %`.
fn percent(share: f64) -> String {
    let value = 100.0 * share;
    if value >= 9.95 { format!("{value:.0} %") } else { format!("{value:.1} %") }
}

/// Parts with commas after a title, in lines. Further lines are indented by its length.
fn wrapped(title: &str, parts: &[String]) -> String {
    let mut lines = vec![title.to_owned()];
    for (number, part) in parts.iter().enumerate() {
        let comma = if number + 1 < parts.len() { ", " } else { "" };
        let line = lines.last_mut().expect("there is a line");
        if line.trim_end().len() > title.len() && line.len() + part.len() + comma.len() > WIDTH {
            *line = line.trim_end().to_owned();
            lines.push(" ".repeat(title.len()));
        }
        *lines.last_mut().expect("there is a line") += &format!("{part}{comma}");
    }
    lines.join("\n")
}

/// Words in lines.
pub(super) fn list(words: &[&str]) -> String {
    let mut lines = vec![String::from(" ")];
    for word in words {
        let line = lines.last_mut().expect("there is a line");
        if line.len() + 1 + word.len() > WIDTH {
            lines.push(format!("  {word}"));
        } else {
            *line += &format!(" {word}");
        }
    }
    lines.join("\n")
}

/// The square that a step leaves, the square of a flip, or nothing for a pass.
pub(super) fn origin(name: &str) -> &str {
    let is_digit = |character: char| character.is_ascii_digit();
    let Some(digits) = name.find(is_digit) else { return "" };
    let end = name[digits..].find(|character| !is_digit(character));
    &name[..end.map_or(name.len(), |end| digits + end)]
}

#[cfg(test)]
mod tests {
    use darkqi_env::session::Reveal;

    use super::{list, odds, origin};

    #[test]
    fn moves_begin_with_their_square() {
        let origins = ["b3e3", "h10g8", "c3", "pass"].map(origin);
        assert_eq!(origins, ["b3", "h10", "c3", ""]);
    }

    #[test]
    fn odds_are_of_each_piece() {
        let reveal = |revealed: &str, captured: Option<&str>, probability| Reveal {
            revealed: Some(revealed.to_owned()),
            captured: captured.map(str::to_owned),
            captured_covered: true,
            probability,
        };
        let both = [("P", Some("r"), 0.5), ("P", Some("c"), 0.25), ("H", None, 0.25)];
        let text = odds(&both.map(|(revealed, captured, odds)| reveal(revealed, captured, odds)));
        let takes = "~r 50 %, a piece that you are not shown 25 %, ~c 25 %";
        assert_eq!(text, format!("  turns over  P 75 %, H 25 %\n  takes       {takes}"));
        assert_eq!(odds(&[]), "  It turns nothing over and takes nothing.");
        let many: Vec<Reveal> =
            ('a'..='z').map(|letter| reveal(&letter.to_string(), Some("r"), 1.0 / 26.0)).collect();
        let text = odds(&many);
        assert!(text.lines().count() > 2 && text.lines().all(|line| line.len() <= 78), "{text}");
    }

    #[test]
    fn lists_fit_their_width() {
        let text = list(&["a1a10"; 40]);
        assert!(text.lines().count() > 2);
        assert!(text.lines().all(|line| line.starts_with("  a") && line.len() <= 78), "{text}");
    }
}
