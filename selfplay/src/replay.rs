//! Plays a logged game again and compares.

use std::fmt;

use darkqi_datasets::{GameRecord, PlyRecord};
use darkqi_env::{Action, Registered};

use crate::driver::{Episode, GameLabel, MoveNames, Transcript};

/// Where a log and its replay part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The ply; `None` where it is about the game as a whole.
    pub ply: Option<usize>,
    /// The column of the dataset.
    pub column: &'static str,
    /// What is logged.
    pub logged: String,
    /// What the rules give.
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

/// Replays games of one kind.
#[derive(Debug)]
pub struct Replayer<G> {
    rules: G,
    names: MoveNames,
}

impl<G: Registered> Replayer<G> {
    /// Replays games with these rules.
    pub fn new(rules: G) -> Self {
        let names = MoveNames::new(rules.table());
        Self { rules, names }
    }

    /// The rules.
    pub fn rules(&self) -> &G {
        &self.rules
    }

    /// Plays the logged actions from the logged deal and returns every difference, none if the
    /// record is exactly what the rules give. An action that is not legal ends the replay.
    ///
    /// `watch` sees the deal, then each ply as replayed with the position after it.
    pub fn replay(
        &self,
        game: &GameRecord,
        mut watch: impl FnMut(Option<&PlyRecord>, &G::State),
    ) -> Vec<Difference> {
        let rules = &self.rules;
        let mut differences = Vec::new();
        let mut episode = match rules.parse_fen(&game.deal) {
            Ok(state) => Episode::new(state),
            Err(error) => {
                let replayed = error.to_string();
                return vec![Difference::of_game("deal", &game.deal, &replayed)];
            }
        };
        watch(None, episode.state());
        let mut transcript = Transcript::new(&self.names, rules, episode.state());
        for ply in 0.. {
            let outcome = episode.advance(rules);
            let Some(logged) = game.moves.get(ply) else {
                match outcome {
                    Some(outcome) => {
                        let label = GameLabel {
                            game_id: game.game_id,
                            seed: game.seed,
                            pair_id: game.pair_id,
                            agents: game.agents.clone(),
                        };
                        compare(game, &transcript.finish(label, &outcome), &mut differences);
                    }
                    None => {
                        let replayed = format!("a game that goes on after {ply}");
                        differences.push(Difference::of_game("plies", &game.plies, &replayed));
                    }
                }
                break;
            };
            if let Some(outcome) = outcome {
                let replayed = format!("{ply}, where the game ends ({})", outcome.reason.name());
                differences.push(Difference::of_game("plies", &game.plies, &replayed));
                break;
            }
            let action = Action(logged.action);
            if let Err(illegal) = episode.play(rules, action, &mut transcript) {
                let replayed = format!("not among the {} legal actions", illegal.legal_count);
                let logged = format!("{} ({})", logged.action, logged.mv);
                differences.push(Difference::of_ply(ply, "action", &logged, &replayed));
                break;
            }
            let replayed = &transcript.moves()[ply];
            compare_plies(ply, logged, replayed, &mut differences);
            watch(Some(replayed), episode.state());
        }
        differences
    }
}

impl Difference {
    fn of_game(column: &'static str, logged: &dyn fmt::Display, replayed: &str) -> Self {
        let (logged, replayed) = (logged.to_string(), replayed.to_owned());
        Self { ply: None, column, logged, replayed }
    }

    fn of_ply(ply: usize, column: &'static str, logged: &str, replayed: &str) -> Self {
        let (logged, replayed) = (logged.to_owned(), replayed.to_owned());
        Self { ply: Some(ply), column, logged, replayed }
    }
}

/// Compares two values of one column.
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

/// Compares everything but the plies and what a replay cannot know.
fn compare(logged: &GameRecord, replayed: &GameRecord, differences: &mut Vec<Difference>) {
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

fn compare_plies(ply: usize, logged: &PlyRecord, replayed: &PlyRecord, out: &mut Vec<Difference>) {
    let both = [logged, replayed];
    let ply = Some(ply);
    column(ply, "player", both.map(|ply| ply.player), i8::to_string, out);
    column(ply, "move", both.map(|ply| ply.mv), ToString::to_string, out);
    column(ply, "legal_count", both.map(|ply| ply.legal_count), u16::to_string, out);
    column(ply, "revealed", both.map(|ply| ply.revealed), text, out);
    column(ply, "captured", both.map(|ply| ply.captured), text, out);
    column(ply, "captured_covered", both.map(|ply| ply.captured_covered), bool::to_string, out);
}

/// A nullable value in words.
fn text<T: fmt::Display>(value: &Option<T>) -> String {
    value.as_ref().map_or_else(|| "nothing".to_owned(), T::to_string)
}
