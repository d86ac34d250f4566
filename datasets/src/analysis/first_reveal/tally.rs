//! What is counted of each game, shard by shard.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_env::{BoardSize, Player, Registered, Square};
use rayon::prelude::{IntoParallelIterator, ParallelIterator};

use super::{LengthBin, Lengths, covering, square_classes};
use crate::analysis::deals::Deals;
use crate::analysis::distinct::Distinct;
use crate::analysis::luck::Luck;
use crate::analysis::scores::{check, is_won, score, seat};
use crate::analysis::squares::{Symmetry, class};
use crate::analysis::{Cell, ClusterMeans, ControlVariates, Error, Result};
use crate::{Dataset, GameRecord};

/// Shards counted before they are added up, so that memory does not grow with their number.
const AT_ONCE: usize = 64;

/// What has to be known of a game's rules.
#[derive(Debug)]
pub(super) struct Course {
    seats: usize,
    has_teams: bool,
    kinds: &'static [char],
    size: BoardSize,
    symmetry: Symmetry,
    /// The squares that stand for their classes.
    classes: Vec<Square>,
    luck: Luck,
}

impl Course {
    pub(super) fn new<G: Registered>(rules: &G) -> Self {
        let (colours_show, _) = covering(rules);
        let symmetry = Symmetry::of(colours_show);
        let size = G::LAYOUT.size;
        let mut classes = square_classes(rules).unwrap_or_default();
        classes.sort();
        classes.dedup();
        let seats = rules.players();
        let has_teams = (0..seats).any(|one| (0..one).any(|other| rules.allied(one, other)));
        let luck = Luck::new(G::KINDS, colours_show);
        Self { seats, has_teams, kinds: G::KINDS, size, symmetry, classes, luck }
    }

    pub(super) fn seats(&self) -> usize {
        self.seats
    }

    pub(super) fn kind_names(&self) -> Vec<String> {
        self.kinds.iter().map(char::to_string).collect()
    }

    pub(super) fn class_names(&self) -> Vec<String> {
        self.classes.iter().map(|&square| self.size.name(square)).collect()
    }

    /// The same where no seats win together.
    pub(super) fn even_share(&self) -> Option<f64> {
        (!self.has_teams).then(|| self.even())
    }

    /// The score to be expected if all seats are equal.
    fn even(&self) -> f64 {
        1.0 / self.seats as f64
    }
}

/// How somebody fared.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    pub(super) wins: u64,
    pub(super) draws: u64,
    pub(super) losses: u64,
    pub(super) cut_off: u64,
    pub(super) scores: ClusterMeans,
}

impl Counts {
    fn new(even: f64) -> Self {
        let scores = ClusterMeans::new(1, even);
        Self { wins: 0, draws: 0, losses: 0, cut_off: 0, scores }
    }

    fn add(&mut self, game: &GameRecord, seat: Player) {
        let reward = game.rewards.get(seat).copied().unwrap_or(0.0);
        let is_won = is_won(game);
        self.wins += u64::from(reward > 0.0);
        self.losses += u64::from(is_won && reward <= 0.0);
        self.draws += u64::from(!is_won);
        self.cut_off += u64::from(!is_won && !game.terminated);
    }

    fn merge(&mut self, other: &Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.cut_off += other.cut_off;
        self.scores.merge(&other.scores);
    }
}

/// Games by their number of plies.
#[derive(Clone, Debug, Default)]
pub(super) struct Histogram {
    games: BTreeMap<u16, u64>,
}

impl Histogram {
    fn count(&self) -> u64 {
        self.games.values().sum()
    }

    fn quantile(&self, share: f64) -> u16 {
        let rank = (share * self.count() as f64).ceil().max(1.0) as u64;
        let mut before = 0;
        let mut plies = self.games.iter().map(|(&plies, &games)| {
            before += games;
            (plies, before)
        });
        plies.find(|&(_, upto)| upto >= rank).map_or(0, |(plies, _)| plies)
    }

    /// `mean`: that of the same games.
    fn finish(&self, mean: &ClusterMeans) -> Option<Lengths> {
        let mean = mean.finish();
        let mean = mean.mean(mean.overall())?.estimate();
        let [p5, median, p95] = [0.05, 0.5, 0.95].map(|share| self.quantile(share));
        Some(Lengths { mean, p5, median, p95, bins: self.bins(bin_width(p95)) })
    }

    fn bins(&self, width: u16) -> Vec<LengthBin> {
        let mut bins: Vec<LengthBin> = Vec::new();
        for (&plies, &count) in &self.games {
            let from = plies - plies % width;
            match bins.last_mut() {
                Some(bin) if bin.from == from => bin.games += count,
                _ => {
                    bins.push(LengthBin { from, to: from.saturating_add(width - 1), games: count })
                }
            }
        }
        bins
    }
}

/// The least round width with which some twenty bins reach so far.
fn bin_width(plies: u16) -> u16 {
    let widths = (0..4).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_u16.pow(power)));
    widths.into_iter().find(|width| plies / width < 25).unwrap_or(5000)
}

/// All that is counted.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    pub(super) revealer: Counts,
    pub(super) first_mover: Counts,
    pub(super) without_reveal: u64,
    pub(super) moved_first: ClusterMeans,
    pub(super) decisive: ClusterMeans,
    pub(super) kinds: ClusterMeans,
    pub(super) squares: ClusterMeans,
    pub(super) luck: ControlVariates,
    lengths: Histogram,
    pub(super) distinct: Distinct,
    plies: ClusterMeans,
    pub(super) endings: BTreeMap<String, u64>,
    pub(super) cut_off: BTreeMap<String, u64>,
    deals: Deals,
}

/// The games of one deal so far.
#[derive(Debug)]
pub(super) struct Deal {
    pair_id: Option<u64>,
    plies: Cell,
    first_mover: Cell,
    moved_first: Cell,
    decisive: Cell,
    kinds: Vec<Cell>,
    squares: Vec<Cell>,
    luck: Vec<f64>,
    /// Of one game.
    game_luck: Vec<f64>,
}

impl Tally {
    pub(super) fn new(course: &Course) -> Self {
        let even = course.even();
        Self {
            revealer: Counts::new(even),
            first_mover: Counts::new(even),
            without_reveal: 0,
            moved_first: ClusterMeans::new(1, 0.5),
            decisive: ClusterMeans::new(1, 0.5),
            kinds: ClusterMeans::new(course.kinds.len(), even),
            squares: ClusterMeans::new(course.classes.len(), even),
            luck: ControlVariates::new(course.luck.width(), even),
            lengths: Histogram::default(),
            distinct: Distinct::default(),
            // Of whole numbers: their sums are exact.
            plies: ClusterMeans::new(1, 0.0),
            endings: BTreeMap::new(),
            cut_off: BTreeMap::new(),
            deals: Deals::default(),
        }
    }

    /// Counts the games of a dataset. Shards are shared out among threads and added up in their order.
    pub(super) fn of(
        dataset: &Dataset,
        course: &Course,
        agent: &str,
        stop: &AtomicBool,
    ) -> Result<Self> {
        let shards = dataset.shards().len();
        let mut all = Self::new(course);
        for first in (0..shards).step_by(AT_ONCE) {
            let tallies: Vec<Self> = (first..shards.min(first + AT_ONCE))
                .into_par_iter()
                .map(|shard| Self::of_shard(dataset, shard, course, agent, stop))
                .collect::<Result<_>>()?;
            tallies.iter().try_for_each(|tally| all.merge(tally))?;
        }
        Ok(all)
    }

    fn of_shard(
        dataset: &Dataset,
        shard: usize,
        course: &Course,
        agent: &str,
        stop: &AtomicBool,
    ) -> Result<Self> {
        let mut tally = Self::new(course);
        let mut deal = Deal::new(course);
        for game in dataset.shard_replays(shard) {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            let game = game?;
            let fault = |fault| Error::Game { game_id: game.game_id, fault };
            check(&game, course.seats, agent).map_err(fault)?;
            tally.add(course, &game, &mut deal)?;
        }
        tally.close(&mut deal)?;
        Ok(tally)
    }

    /// Counts a game. Those of a deal come one after another; the last one is counted by [`Tally::close`].
    pub(super) fn add(
        &mut self,
        course: &Course,
        game: &GameRecord,
        deal: &mut Deal,
    ) -> Result<()> {
        if deal.pair_id != Some(game.pair_id) {
            self.close(deal)?;
            self.deals.begin(game.pair_id)?;
            deal.pair_id = Some(game.pair_id);
        }
        let fault = |fault: String| Error::Game { game_id: game.game_id, fault };
        let seat = |player: i8| seat(player, course.seats).map_err(fault);
        let first_mover = seat(game.first_player)?;
        self.first_mover.add(game, first_mover);
        deal.first_mover.add(score(game, first_mover).into(), 1.0);
        deal.decisive.add(f64::from(u8::from(is_won(game))), 1.0);
        deal.plies.add(game.plies.into(), 1.0);
        *self.lengths.games.entry(game.plies).or_default() += 1;
        self.distinct.add(game);
        *self.endings.entry(game.reason.to_string()).or_default() += 1;
        if !game.terminated {
            *self.cut_off.entry(game.reason.to_string()).or_default() += 1;
        }

        course.luck.of(game, &mut deal.game_luck).map_err(fault)?;
        let Some(first) = &game.first_reveal else {
            self.without_reveal += 1;
            return Ok(());
        };
        let revealer = seat(first.player)?;
        let square = course.size.parse(&first.square);
        let square = square.ok_or_else(|| fault(format!("{} is no square", first.square)))?;
        let class = class(course.size, course.symmetry, square, revealer);
        let class = course.classes.binary_search(&class).map_err(|_| {
            fault(format!("{} was turned over in a game without covered pieces", first.kind))
        })?;
        let kind = course.kinds.iter().position(|&kind| kind == first.kind);
        let kind = kind.ok_or_else(|| fault(format!("{} is no kind of piece", first.kind)))?;
        let points = f64::from(score(game, revealer));
        self.revealer.add(game, revealer);
        deal.kinds[kind].add(points, 1.0);
        deal.squares[class].add(points, 1.0);
        deal.moved_first.add(f64::from(u8::from(revealer == first_mover)), 1.0);
        deal.luck.iter_mut().zip(&deal.game_luck).for_each(|(sum, luck)| *sum += luck);
        Ok(())
    }

    /// Counts the games of a deal as one observation, and begins another.
    pub(super) fn close(&mut self, deal: &mut Deal) -> Result<()> {
        let Some(pair_id) = deal.pair_id else { return Ok(()) };
        let mut revealer = Cell::default();
        for kind in &deal.kinds {
            revealer.sum += kind.sum;
            revealer.weight += kind.weight;
        }
        self.revealer.scores.add(&[revealer])?;
        self.first_mover.scores.add(&[deal.first_mover])?;
        self.moved_first.add(&[deal.moved_first])?;
        self.decisive.add(&[deal.decisive])?;
        self.plies.add(&[deal.plies])?;
        self.kinds.add(&deal.kinds)?;
        self.squares.add(&deal.squares)?;
        self.luck.add(pair_id, revealer, &deal.luck)?;
        deal.clear();
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        self.deals.merge(&other.deals)?;
        self.revealer.merge(&other.revealer);
        self.first_mover.merge(&other.first_mover);
        self.without_reveal += other.without_reveal;
        self.moved_first.merge(&other.moved_first);
        self.decisive.merge(&other.decisive);
        self.plies.merge(&other.plies);
        self.kinds.merge(&other.kinds);
        self.squares.merge(&other.squares);
        self.luck.merge(&other.luck);
        let more = |own: &mut BTreeMap<String, u64>, other: &BTreeMap<String, u64>| {
            for (name, games) in other {
                *own.entry(name.clone()).or_default() += games;
            }
        };
        more(&mut self.endings, &other.endings);
        more(&mut self.cut_off, &other.cut_off);
        self.distinct.merge(&other.distinct);
        for (&plies, games) in &other.lengths.games {
            *self.lengths.games.entry(plies).or_default() += games;
        }
        Ok(())
    }

    /// None without games.
    pub(super) fn lengths(&self) -> Option<Lengths> {
        self.lengths.finish(&self.plies)
    }

    pub(super) fn games(&self) -> u64 {
        self.lengths.count()
    }

    pub(super) fn deals(&self) -> u64 {
        let means = self.first_mover.scores.finish();
        means.clusters(means.overall())
    }
}

impl Deal {
    pub(super) fn new(course: &Course) -> Self {
        Self {
            pair_id: None,
            plies: Cell::default(),
            first_mover: Cell::default(),
            moved_first: Cell::default(),
            decisive: Cell::default(),
            kinds: vec![Cell::default(); course.kinds.len()],
            squares: vec![Cell::default(); course.classes.len()],
            luck: vec![0.0; course.luck.width()],
            game_luck: vec![0.0; course.luck.width()],
        }
    }

    fn clear(&mut self) {
        self.pair_id = None;
        let Self { plies, first_mover, moved_first, decisive, .. } = self;
        for cell in [plies, first_mover, moved_first, decisive] {
            *cell = Cell::default();
        }
        self.kinds.fill(Cell::default());
        self.squares.fill(Cell::default());
        self.luck.fill(0.0);
    }
}
