//! An engine's answer about a position.

use crate::evaluation::value_of_centipawns;

/// The answer to `go`: the move, and what the search made of it.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Answer {
    /// The move as the engine writes it; empty if it names none.
    pub(crate) played: String,
    /// The mover's expected result from -1 to 1, by the last score.
    pub(crate) value: Option<f32>,
}

impl Answer {
    /// Reads one line of the answer. Whether it was the last.
    pub(super) fn read(&mut self, line: &str) -> bool {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("bestmove") => {
                self.played = words.next().unwrap_or_default().to_owned();
                return true;
            }
            Some("info") => self.value = score(line).or(self.value),
            _ => {}
        }
        false
    }
}

/// The value of an `info` line, unless it has no score, or is of another line than the best.
fn score(info: &str) -> Option<f32> {
    let mut words = info.split_whitespace();
    let mut value = None;
    while let Some(word) = words.next() {
        match word {
            // What follows is text.
            "string" => return None,
            "multipv" if words.next() != Some("1") => return None,
            "score" => {
                value = match (words.next()?, words.next()?.parse::<i32>().ok()?) {
                    ("cp", score) => Some(value_of_centipawns(score)),
                    // `mate 0`: the mover is mated.
                    ("mate", moves) => Some(if moves > 0 { 1.0 } else { -1.0 }),
                    _ => return None,
                };
            }
            _ => {}
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::{Answer, score};

    #[test]
    fn the_last_score_of_the_best_line_is_the_value() {
        let mut answer = Answer::default();
        let lines = [
            "info depth 1 multipv 1 score cp 400 nodes 7 pv a1a2",
            "info depth 2 multipv 1 score cp -400 lowerbound nodes 7 pv a1a2",
            "info depth 2 multipv 2 score cp 9 nodes 7 pv a1a3",
            "info string score cp 12",
            "info depth 3 currmove a1a2",
            "readyok",
            "",
        ];
        assert!(!lines.iter().any(|line| answer.read(line)));
        assert!(answer.read("bestmove a1a2+ ponder b1b2"));
        assert_eq!(answer.played, "a1a2+");
        let value = answer.value.expect("there was a score");
        assert!((value + 0.6854).abs() < 1e-4, "{value}");
    }

    #[test]
    fn a_mate_is_certain() {
        assert_eq!(score("info score mate 3 pv a1a2"), Some(1.0));
        assert_eq!(score("info score mate -2"), Some(-1.0));
        assert_eq!(score("info score mate 0"), Some(-1.0));
    }

    #[test]
    fn faulty_lines_have_no_value() {
        for line in ["info", "info score", "info score cp", "info score cp x", "info score wdl 1"] {
            assert_eq!(score(line), None, "{line}");
        }
        let mut answer = Answer::default();
        assert!(answer.read("bestmove"));
        assert_eq!(answer, Answer::default());
    }
}
