//! How a game ended, in words.

/// The result of a game by the reward of each seat: `seat 0 wins after 40 plies: checkmate`.
/// `is_terminated` is false where a limit outside the rules cut it off.
pub fn ending(rewards: &[f32], is_terminated: bool, plies: usize, reason: &str) -> String {
    let winners: Vec<String> = (0..rewards.len())
        .filter(|&seat| rewards[seat] > 0.0)
        .map(|seat| seat.to_string())
        .collect();
    let result = match winners.as_slice() {
        [] if is_terminated => "drawn".to_owned(),
        [] => "cut off".to_owned(),
        [winner] => format!("seat {winner} wins"),
        several => format!("seats {} win", several.join(", ")),
    };
    format!("{result} after {}: {reason}", counted(plies))
}

/// A number of plies: `1 ply`, `2 plies`.
pub(crate) fn counted(plies: usize) -> String {
    match plies {
        1 => "1 ply".to_owned(),
        _ => format!("{plies} plies"),
    }
}

#[cfg(test)]
mod tests {
    use super::ending;

    #[test]
    fn all_winners_are_named() {
        assert_eq!(
            ending(&[-1.0, 1.0], true, 9, "stalemate"),
            "seat 1 wins after 9 plies: stalemate"
        );
        let team = ending(&[0.5, -1.0, 0.5], true, 300, "kingdoms");
        assert_eq!(team, "seats 0, 2 win after 300 plies: kingdoms");
        assert_eq!(ending(&[0.0; 2], true, 60, "quiet_limit"), "drawn after 60 plies: quiet_limit");
        assert_eq!(ending(&[0.0; 2], false, 8, "max_plies"), "cut off after 8 plies: max_plies");
        let one = ending(&[1.0, -1.0], true, 1, "resignation");
        assert_eq!(one, "seat 0 wins after 1 ply: resignation");
    }
}
