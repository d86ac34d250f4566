//! Differences between a log and its replay.

use std::fmt;

use darkqi_format::{GameRecord, PlyRecord};

/// A difference between a log and its replay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The ply, from 0; `None` for a difference of the game as a whole.
    pub ply: Option<usize>,
    /// The column of the dataset.
    pub column: &'static str,
    /// The logged value.
    pub logged: String,
    /// The value by the rules.
    pub replayed: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ply {
            Some(ply) => write!(f, "ply {ply}, ")?,
            None => f.write_str("game, ")?,
        }
        write!(f, "{}: logged {}, replayed {}", self.column, self.logged, self.replayed)
    }
}

impl Difference {
    /// The differences of a game in one message.
    pub fn list(game_id: u64, differences: &[Self]) -> String {
        let lines: String = differences.iter().map(|one| format!("\n  {one}")).collect();
        format!("game {game_id}: the log and its replay differ{lines}")
    }

    /// The difference for a viewer, who may not know what was logged.
    pub(super) fn withheld(self) -> Self {
        let [logged, replayed] = ["(not shown)"; 2].map(str::to_owned);
        Self { logged, replayed, ..self }
    }

    pub(super) fn of_game(column: &'static str, logged: &dyn fmt::Display, replayed: &str) -> Self {
        let (logged, replayed) = (logged.to_string(), replayed.to_owned());
        Self { ply: None, column, logged, replayed }
    }

    pub(super) fn of_ply(ply: usize, column: &'static str, logged: &str, replayed: &str) -> Self {
        let (logged, replayed) = (logged.to_owned(), replayed.to_owned());
        Self { ply: Some(ply), column, logged, replayed }
    }
}

/// Compares the two values of one column.
fn column<T: PartialEq>(
    ply: Option<usize>,
    column: &'static str,
    [logged, replayed]: [T; 2],
    show: impl Fn(&T) -> String,
    differences: &mut Vec<Difference>,
) {
    if logged != replayed {
        let (logged, replayed) = (show(&logged), show(&replayed));
        differences.push(Difference { ply, column, logged, replayed });
    }
}

/// Compares all columns of games that a replay gives.
pub(super) fn compare_games(
    logged: &GameRecord,
    replayed: &GameRecord,
    differences: &mut Vec<Difference>,
) {
    let both = [logged, replayed];
    let out = differences;
    column(None, "deal", both.map(|game| &game.deal), |fen| (*fen).clone(), out);
    column(None, "plies", both.map(|game| game.plies), u16::to_string, out);
    column(None, "winner", both.map(|game| game.winner), i8::to_string, out);
    column(None, "rewards", both.map(|game| &game.rewards), |list| format!("{list:?}"), out);
    column(None, "terminated", both.map(|game| game.terminated), bool::to_string, out);
    column(None, "reason", both.map(|game| &game.reason), |reason| reason.to_string(), out);
    column(None, "first_player", both.map(|game| game.first_player), i8::to_string, out);
    let reveals = both.map(|game| game.first_reveal.as_ref());
    column(None, "first_reveal_square", reveals.map(|it| it.map(|it| &it.square)), text, out);
    column(None, "first_reveal_kind", reveals.map(|it| it.map(|it| it.kind)), text, out);
    column(None, "first_reveal_color", reveals.map(|it| it.map(|it| it.color)), text, out);
    column(None, "first_reveal_player", reveals.map(|it| it.map(|it| it.player)), text, out);
}

/// Compares all columns of plies that a replay gives.
pub(super) fn compare_plies(
    ply: usize,
    logged: &PlyRecord,
    replayed: &PlyRecord,
    out: &mut Vec<Difference>,
) {
    let both = [logged, replayed];
    let ply = Some(ply);
    column(ply, "player", both.map(|ply| ply.player), i8::to_string, out);
    column(ply, "move", both.map(|ply| ply.mv), ToString::to_string, out);
    column(ply, "legal_count", both.map(|ply| ply.legal_count), u16::to_string, out);
    column(ply, "revealed", both.map(|ply| ply.revealed), text, out);
    column(ply, "captured", both.map(|ply| ply.captured), text, out);
    column(ply, "captured_covered", both.map(|ply| ply.captured_covered), bool::to_string, out);
}

/// A nullable value as text.
fn text<T: fmt::Display>(value: &Option<T>) -> String {
    value.as_ref().map_or_else(|| "nothing".to_owned(), T::to_string)
}
