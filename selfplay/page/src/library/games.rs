//! The games of a dataset, filtered.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_env::{Options, Spec};
use darkqi_format::{DRAW, Dataset, FirstReveal, GameRecord};
use serde::{Deserialize, Serialize};

use crate::answer::Refusal;
use crate::board::ArmyJson;

/// Rows of a page unless it asks for another number.
const ROWS: usize = 100;

/// The most rows of a page.
const MAX_ROWS: usize = 1_000;

/// Which games of a dataset are asked for.
#[derive(Debug, Deserialize)]
pub(crate) struct Filter {
    pub(crate) dataset: String,
    /// The winning seat, or `draw`.
    winner: Option<String>,
    reason: Option<String>,
    agent: Option<String>,
    min_plies: Option<u16>,
    max_plies: Option<u16>,
    first_kind: Option<char>,
    first_color: Option<char>,
    first_square: Option<String>,
    first_player: Option<i8>,
    #[serde(default)]
    offset: usize,
    limit: Option<usize>,
}

/// A page of the games that fit, and what there is to filter by.
#[derive(Serialize)]
pub(crate) struct GamesPage {
    total: usize,
    matching: usize,
    offset: usize,
    games: Vec<GameRow>,
    facets: Facets,
    /// Those of the first pieces.
    armies: Vec<ArmyJson>,
}

#[derive(Serialize)]
struct GameRow {
    game_id: u64,
    agents: Vec<String>,
    plies: u16,
    winner: i8,
    rewards: Vec<f32>,
    reason: String,
    is_truncated: bool,
    first_reveal: Option<FirstReveal>,
}

/// Counts over the whole dataset.
#[derive(Default, Serialize)]
struct Facets {
    reasons: BTreeMap<String, u64>,
    winners: BTreeMap<String, u64>,
    first_kinds: BTreeMap<String, u64>,
    first_squares: BTreeMap<String, u64>,
    agents: BTreeSet<String>,
    min_plies: Option<u16>,
    max_plies: Option<u16>,
}

impl Filter {
    fn fits(&self, game: &GameRecord) -> bool {
        let reveal = game.first_reveal.as_ref();
        let is = |wanted: Option<bool>| wanted.unwrap_or(true);
        is(self.winner.as_ref().map(|winner| *winner == winner_name(game.winner)))
            && is(self.reason.as_ref().map(|reason| *reason == game.reason))
            && is(self.agent.as_ref().map(|agent| game.agents.contains(agent)))
            && is(self.min_plies.map(|least| game.plies >= least))
            && is(self.max_plies.map(|most| game.plies <= most))
            && is(self.first_kind.map(|kind| reveal.is_some_and(|it| it.kind == kind)))
            && is(self.first_color.map(|color| reveal.is_some_and(|it| it.color == color)))
            && is(self.first_player.map(|player| reveal.is_some_and(|it| it.player == player)))
            && is(self.first_square.as_ref().map(|at| reveal.is_some_and(|it| it.square == *at)))
    }
}

impl Facets {
    fn add(&mut self, game: &GameRecord) {
        let count = |counts: &mut BTreeMap<String, u64>, key: String| {
            *counts.entry(key).or_default() += 1;
        };
        count(&mut self.reasons, game.reason.to_string());
        count(&mut self.winners, winner_name(game.winner));
        if let Some(reveal) = &game.first_reveal {
            count(&mut self.first_kinds, reveal.kind.to_string());
            count(&mut self.first_squares, reveal.square.clone());
        }
        for agent in &game.agents {
            if !self.agents.contains(agent) {
                self.agents.insert(agent.clone());
            }
        }
        self.min_plies = Some(self.min_plies.map_or(game.plies, |least| least.min(game.plies)));
        self.max_plies = Some(self.max_plies.map_or(game.plies, |most| most.max(game.plies)));
    }
}

/// The games that fit, from `offset` on.
///
/// # Errors
/// If a file of the dataset cannot be read, or nobody waits for the games any more.
pub(crate) fn games_page(
    dataset: &Dataset,
    filter: &Filter,
    stop: &AtomicBool,
) -> Result<GamesPage, Refusal> {
    let limit = filter.limit.unwrap_or(ROWS).min(MAX_ROWS);
    let (mut total, mut matching) = (0, 0);
    let (mut games, mut facets) = (Vec::new(), Facets::default());
    for game in dataset.games() {
        if stop.load(Ordering::Relaxed) {
            return Err(Refusal::impossible("stopped"));
        }
        let game = game.map_err(Refusal::impossible)?;
        total += 1;
        facets.add(&game);
        if !filter.fits(&game) {
            continue;
        }
        if matching >= filter.offset && games.len() < limit {
            games.push(GameRow::new(game));
        }
        matching += 1;
    }
    let spec = Spec::new(&dataset.metadata().game, &Options::new());
    // Games of other programs are listed, too.
    let armies = spec.map_or_else(|_| Vec::new(), |spec| ArmyJson::all(&spec, spec.armies));
    Ok(GamesPage { total, matching, offset: filter.offset, games, facets, armies })
}

impl GameRow {
    fn new(game: GameRecord) -> Self {
        Self {
            game_id: game.game_id,
            agents: game.agents,
            plies: game.plies,
            winner: game.winner,
            rewards: game.rewards,
            reason: game.reason.into_owned(),
            is_truncated: !game.terminated,
            first_reveal: game.first_reveal,
        }
    }
}

fn winner_name(winner: i8) -> String {
    if winner == DRAW { "draw".to_owned() } else { winner.to_string() }
}
