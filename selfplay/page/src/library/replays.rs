//! Logged games, stepped through.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use darkqi_env::{
    Action, AnyState, Player, Viewer,
    board::BoardSize,
    session::{Ending, Phrase, result},
    shown::shown_name,
};
use darkqi_format::{Dataset, GameRecord, PlyRecord};
use darkqi_play::opponents::Adviser;
use darkqi_play::replay::Replayer;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::Refusal;
use crate::board::{Advice, MoveJson, PictureJson, owners};
use crate::hosting::{NamedAgent, refusal};

/// How many entries of a policy are shown.
const LIKELIEST: usize = 10;

/// A game of a dataset.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LoggedGame {
    pub(crate) dataset: String,
    pub(crate) game: u64,
}

/// A position of a game: 0 is the deal.
#[derive(Deserialize)]
pub(crate) struct LoggedPosition {
    pub(crate) dataset: String,
    pub(crate) game: u64,
    pub(crate) ply: usize,
}

/// A position to ask an agent about.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    pub(crate) dataset: String,
    pub(crate) game: u64,
    pub(crate) ply: usize,
    pub(crate) agent: String,
}

/// A logged game, as the log has it.
#[derive(Serialize)]
pub(crate) struct ReplayJson {
    dataset: String,
    game: String,
    options: BTreeMap<String, Value>,
    game_id: u64,
    /// How many games the dataset has.
    games: u64,
    agents: Vec<String>,
    seed: String,
    rewards: Vec<f32>,
    reason: String,
    result: Phrase,
    num_players: usize,
    plies: Vec<LoggedPly>,
    /// Where the log differs from the rules.
    differences: Vec<String>,
}

#[derive(Serialize)]
struct LoggedPly {
    ply: usize,
    seat: i8,
    #[serde(flatten)]
    played: MoveJson,
    revealed: Option<String>,
    captured: Option<String>,
    captured_covered: bool,
    is_check: bool,
    value: Option<Box<[f32]>>,
    policy: Option<Vec<LikelyMove>>,
}

#[derive(Serialize)]
struct LikelyMove {
    #[serde(flatten)]
    likely: MoveJson,
    probability: f32,
}

/// A position as each viewer saw it.
#[derive(Serialize)]
pub(crate) struct ViewsJson {
    ply: usize,
    fen: String,
    /// The seat of each army; `None` while colours are not assigned, and for armies without a seat.
    owners: Vec<Option<Player>>,
    /// By seat, `public`, and `all` for the truth.
    pictures: BTreeMap<String, PictureJson>,
}

/// A game with all its plies.
///
/// # Errors
/// If the dataset has no such game, or it cannot be replayed.
pub(crate) fn replayed(dataset: &Dataset, wanted: LoggedGame) -> Result<ReplayJson, Refusal> {
    let LoggedGame { dataset: id, game: game_id } = wanted;
    let record = dataset.game(game_id).map_err(Refusal::impossible)?;
    let metadata = dataset.metadata();
    let spec = metadata.spec().map_err(Refusal::impossible)?;
    let mut last: Option<Box<dyn AnyState>> = None;
    let mut plies = Vec::new();
    let differences = Replayer::new(&spec).replay(&record, |ply, state| {
        let before = last.replace(state.boxed_clone());
        if let (Some(_), Some(before)) = (ply, before) {
            let logged = &record.moves[plies.len()];
            let described = LoggedPly::new(plies.len(), logged, &*before, spec.layout.size);
            let is_check = state.outcome().is_none() && state.is_check();
            plies.push(LoggedPly { is_check, ..described });
        }
    });
    // Without a deal there is no position.
    let last = last.ok_or_else(|| Refusal::impossible(&differences[0]))?;
    let (reason, rewards) = (&shown_name(&record.reason), &record.rewards[..]);
    let ending = Ending { reason, rewards, is_truncated: !record.terminated };
    let result = result(&*last, ending);
    Ok(ReplayJson {
        dataset: id,
        game: metadata.game.clone(),
        options: metadata.options.clone(),
        game_id,
        games: dataset.num_games(),
        agents: record.agents,
        seed: record.seed.to_string(),
        rewards: record.rewards,
        reason: record.reason.into_owned(),
        result,
        num_players: spec.num_players,
        plies,
        differences: differences.iter().map(ToString::to_string).collect(),
    })
}

impl LoggedPly {
    fn new(ply: usize, record: &PlyRecord, before: &dyn AnyState, size: BoardSize) -> Self {
        let policy = record.policy.as_ref().map(|policy| {
            // A file may have been made by others.
            let is_legal = |action| before.legal_actions().binary_search(&action).is_ok();
            let mut entries: Vec<_> =
                policy.iter().filter(|entry| is_legal(Action(entry.action))).collect();
            entries.sort_by(|one, other| other.probability.total_cmp(&one.probability));
            entries.truncate(LIKELIEST);
            let actions: Vec<_> = entries.iter().map(|entry| Action(entry.action)).collect();
            let moves = MoveJson::all(before, size, &actions);
            let likely = moves.into_iter().zip(entries);
            let likely =
                likely.map(|(likely, entry)| LikelyMove { likely, probability: entry.probability });
            likely.collect()
        });
        Self {
            ply,
            seat: record.player,
            played: MoveJson::new(before, size, Action(record.action)),
            revealed: record.revealed.map(|piece| piece.to_string()),
            captured: record.captured.map(|piece| piece.to_string()),
            captured_covered: record.captured_covered,
            is_check: false,
            value: record.value.clone(),
            policy,
        }
    }
}

/// A position as each viewer saw it.
///
/// # Errors
/// If the game has no such position or cannot be replayed.
pub(crate) fn views(dataset: &Dataset, wanted: &LoggedPosition) -> Result<ViewsJson, Refusal> {
    let Position { state, before, record } = position(dataset, wanted.game, wanted.ply)?;
    let is_over = wanted.ply == record.moves.len();
    let picture = |viewer| PictureJson::new(&*state, before.as_deref(), viewer).ended(is_over);
    let seat = |seat: usize| (seat.to_string(), picture(Some(Viewer::Player(seat))));
    let players = 0..state.spec().num_players;
    let mut pictures: BTreeMap<String, PictureJson> = players.map(seat).collect();
    pictures.insert("public".to_owned(), picture(Some(Viewer::Public)));
    pictures.insert("all".to_owned(), picture(None));
    Ok(ViewsJson { ply: wanted.ply, fen: state.fen(), owners: owners(&*state), pictures })
}

/// An agent's choice in a position, by what its seat may know.
///
/// # Errors
/// If the game has no such position, or the agent cannot be made or cannot decide.
pub(crate) fn ask(
    dataset: &Dataset,
    (game, ply): (u64, usize),
    agent: &NamedAgent,
    stop: &AtomicBool,
) -> Result<Advice, Refusal> {
    let Position { state, .. } = position(dataset, game, ply)?;
    let spec = state.spec();
    let NamedAgent { name, spec: agent } = agent;
    let told = |error| refusal(name, error);
    let mut adviser = Adviser::new(&spec, agent).map_err(told)?;
    let decision = adviser.decide(&*state, 0, stop).map_err(told)?;
    Ok(Advice::new(&*state, spec.layout.size, &decision))
}

/// A position of a logged game.
struct Position {
    state: Box<dyn AnyState>,
    /// The one before it.
    before: Option<Box<dyn AnyState>>,
    record: GameRecord,
}

fn position(dataset: &Dataset, game: u64, ply: usize) -> Result<Position, Refusal> {
    let record = dataset.game(game).map_err(Refusal::impossible)?;
    let plies = record.moves.len();
    if ply > plies {
        return Err(Refusal::faulty(format!("ply: expected 0 to {plies}, got {ply}")));
    }
    let spec = dataset.metadata().spec().map_err(Refusal::impossible)?;
    let mut state = spec.parse_fen(&record.deal).map_err(Refusal::impossible)?;
    let mut before = None;
    for (number, logged) in record.moves[..ply].iter().enumerate() {
        if number + 1 == ply {
            before = Some(state.boxed_clone());
        }
        state.apply(Action(logged.action)).map_err(Refusal::impossible)?;
    }
    Ok(Position { state, before, record })
}
