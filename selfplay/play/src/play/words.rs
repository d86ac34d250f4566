//! Plies, boards and lists in words.

use darkqi_env::{AnyState, Viewer, game::Counter, render, session::Reveal};

/// Columns of the lists.
const WIDTH: usize = 78;

/// The event of a ply in words, as far as the viewer is shown it; nothing if it turns over and takes nothing.
pub(super) fn event_text(event: &Reveal, viewer: Viewer) -> Option<String> {
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
pub(super) fn board(
    state: &dyn AnyState,
    before: Option<&dyn AnyState>,
    viewer: Option<Viewer>,
) -> String {
    let picture = state.picture(viewer);
    let marked =
        before.map_or_else(Vec::new, |before| picture.changed_since(&before.picture(viewer)));
    let mut lines = vec![render::marked_text(&picture, &marked)];
    // Counters and occurrences are public in every game.
    let public = Viewer::Public;
    let is_near = |at: &Counter| u32::from(at.count) * 2 >= u32::from(at.limit);
    let near = state.counters(public).into_iter().filter(is_near);
    lines.extend(near.map(|at| format!("{}: {} of {}", at.option, at.count, at.limit)));
    match state.occurrences(public) {
        0 | 1 => {}
        times => lines.push(format!("repetition: this position has occurred {times} times")),
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
    use super::{list, origin};

    #[test]
    fn moves_begin_with_their_square() {
        let origins = ["b3e3", "h10g8", "c3", "pass"].map(origin);
        assert_eq!(origins, ["b3", "h10", "c3", ""]);
    }

    #[test]
    fn lists_fit_their_width() {
        let text = list(&["a1a10"; 40]);
        assert!(text.lines().count() > 2);
        assert!(text.lines().all(|line| line.starts_with("  a") && line.len() <= 78), "{text}");
    }
}
