//! Tallies over the games of a dataset, shard by shard.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::counts::{Counts, LengthHistogram};
use super::luck::RevealJudge;
use super::results::GameLengths;
use super::rules::RuleFacts;
use crate::games::{
    Beginnings, Clusters, DealSet, DistinctGames, checked, is_won, score, seat, square_class,
};
use crate::statistics::{ClusteredSums, ControlVariates, WeightedSum};
use crate::{Error, Result};
use darkqi_format::{Dataset, GameRecord, in_order};

/// The number of covariates that a judge of reveals gives. Without one it is 0 in all games.
const JUDGED: usize = 1;

/// The number of shards tallied before they are merged, which limits the memory.
const SHARDS_AT_ONCE: usize = 64;

/// The parts of a dataset that are read, and how.
pub(super) struct Reading<'a> {
    pub(super) dataset: &'a Dataset,
    pub(super) facts: &'a RuleFacts,
    /// The agent of all seats.
    pub(super) agent: &'a str,
    pub(super) clusters: &'a Clusters,
    /// Judges the luck of each game, where it is to be judged.
    pub(super) judge: Option<&'a dyn RevealJudge>,
    pub(super) stop: &'a AtomicBool,
}

/// The tallies over games.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Tally {
    pub(super) revealer: Counts,
    pub(super) first_mover: Counts,
    pub(super) without_reveal: u64,
    pub(super) moved_first: ClusteredSums,
    pub(super) decisive: ClusteredSums,
    pub(super) kinds: ClusteredSums,
    pub(super) squares: ClusteredSums,
    pub(super) luck: ControlVariates,
    lengths: LengthHistogram,
    pub(super) distinct: DistinctGames,
    pub(super) beginnings: Beginnings,
    plies: ClusteredSums,
    pub(super) endings: BTreeMap<String, u64>,
    pub(super) cut_off: BTreeMap<String, u64>,
    deals: DealSet,
    /// By opening, the sums of its deals, where openings are the clusters. Their number is bounded. By
    /// the first deal from a seed that is repeated, those of all deals from it.
    openings: BTreeMap<u64, DealTally>,
}

/// The tallies of the current deal, or of all deals of an opening.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct DealTally {
    deal_id: Option<u64>,
    /// The number of the deal's opening, where openings are the clusters, or of the first deal from the
    /// same seed.
    opening: Option<u64>,
    plies: WeightedSum,
    first_mover: WeightedSum,
    moved_first: WeightedSum,
    decisive: WeightedSum,
    kinds: Vec<WeightedSum>,
    squares: Vec<WeightedSum>,
    luck: Vec<f64>,
    /// The covariates of the current game.
    game_luck: Vec<f64>,
}

impl Tally {
    pub(super) fn new(facts: &RuleFacts) -> Self {
        let even = facts.even();
        Self {
            revealer: Counts::new(even),
            first_mover: Counts::new(even),
            without_reveal: 0,
            moved_first: ClusteredSums::new(1, 0.5),
            decisive: ClusteredSums::new(1, 0.5),
            kinds: ClusteredSums::new(facts.kinds.len(), even),
            squares: ClusteredSums::new(facts.classes.len(), even),
            luck: ControlVariates::with_strong(facts.luck.width(), JUDGED, even),
            lengths: LengthHistogram::default(),
            distinct: DistinctGames::default(),
            beginnings: Beginnings::default(),
            // Plies are integers, so that their sums are exact with centre 0.
            plies: ClusteredSums::new(1, 0.0),
            endings: BTreeMap::new(),
            cut_off: BTreeMap::new(),
            deals: DealSet::default(),
            openings: BTreeMap::new(),
        }
    }

    /// Tallies the games of a dataset. Shards are processed in parallel and merged in order.
    pub(super) fn of(reading: &Reading<'_>) -> Result<Self> {
        let mut all = Self::new(reading.facts);
        let shards = 0..reading.dataset.shards().len();
        let tally = |shard| Self::of_shard(reading, shard);
        in_order(shards, SHARDS_AT_ONCE, &tally, |tally| all.merge(&tally))?;
        all.close_openings()?;
        Ok(all)
    }

    /// The games of one shard. The deals of openings stay open.
    pub(super) fn of_shard(reading: &Reading<'_>, shard: usize) -> Result<Self> {
        let Reading { dataset, facts, agent, clusters, judge, stop } = *reading;
        let mut tally = Self::new(facts);
        let mut deal = DealTally::new(facts);
        for game in dataset.shard_replays(shard) {
            let game = checked(game, Some(facts.seats()), agent, stop)?;
            let fault = |fault| Error::Game { game_id: game.game_id, fault };
            let luck = judge.map_or(Ok(0.0), |judge| judge.luck(&game)).map_err(fault)?;
            tally.add(facts, &game, luck, clusters.of_game(&game), &mut deal)?;
        }
        tally.close(&mut deal)?;
        Ok(tally)
    }

    /// Tallies a game. The games of a deal are consecutive; [`Tally::close`] ends the last deal. The
    /// deals of an opening form one cluster; without one, each deal does. `judged` is what a judge says
    /// of its luck.
    pub(super) fn add(
        &mut self,
        facts: &RuleFacts,
        game: &GameRecord,
        judged: f64,
        opening: Option<u64>,
        deal: &mut DealTally,
    ) -> Result<()> {
        if deal.deal_id != Some(game.deal_id) {
            self.close(deal)?;
            self.deals.begin(game.deal_id)?;
            (deal.deal_id, deal.opening) = (Some(game.deal_id), opening);
            self.beginnings.add(game);
        }
        let fault = |fault: String| Error::Game { game_id: game.game_id, fault };
        let seat = |player: i8| seat(player, facts.seats()).map_err(fault);
        let first_mover = seat(game.first_player)?;
        self.first_mover.add(game, first_mover);
        deal.first_mover.add(score(game, first_mover).into(), 1.0);
        deal.decisive.add(f64::from(u8::from(is_won(game))), 1.0);
        deal.plies.add(game.plies.into(), 1.0);
        self.lengths.add(game.plies);
        self.distinct.add(game);
        *self.endings.entry(game.reason.to_string()).or_default() += 1;
        if !game.terminated {
            *self.cut_off.entry(game.reason.to_string()).or_default() += 1;
        }

        let (by_kind, by_judge) = deal.game_luck.split_at_mut(facts.luck.width());
        facts.luck.covariates(game, by_kind).map_err(fault)?;
        by_judge.fill(judged);
        let Some(first) = &game.first_reveal else {
            self.without_reveal += 1;
            return Ok(());
        };
        let revealer = seat(first.player)?;
        let square = facts.size.parse(&first.square);
        let square = square
            .ok_or_else(|| fault(format!("{} is not a square of the board", first.square)))?;
        let class = square_class(facts.size, facts.symmetries, square, revealer);
        let class = facts.classes.binary_search(&class).map_err(|_| {
            fault(format!("{} was revealed in a game without covered pieces", first.kind))
        })?;
        let kind = facts.kinds.iter().position(|&kind| kind == first.kind);
        let kind = kind.ok_or_else(|| fault(format!("{} is not a kind of piece", first.kind)))?;
        let points = f64::from(score(game, revealer));
        self.revealer.add(game, revealer);
        deal.kinds[kind].add(points, 1.0);
        deal.squares[class].add(points, 1.0);
        deal.moved_first.add(f64::from(u8::from(revealer == first_mover)), 1.0);
        deal.luck.iter_mut().zip(&deal.game_luck).for_each(|(sum, luck)| *sum += luck);
        Ok(())
    }

    /// Adds the games of the current deal to its opening or, without one, as one observation, and
    /// starts another deal.
    pub(super) fn close(&mut self, deal: &mut DealTally) -> Result<()> {
        let Some(deal_id) = deal.deal_id else { return Ok(()) };
        match deal.opening {
            Some(opening) => self.add_to_opening(opening, deal),
            None => self.observe(deal_id, deal)?,
        }
        deal.clear();
        Ok(())
    }

    fn add_to_opening(&mut self, opening: u64, deals: &DealTally) {
        match self.openings.get_mut(&opening) {
            Some(all) => all.merge(deals.clone()),
            None => drop(self.openings.insert(opening, deals.clone())),
        }
    }

    /// Adds all deals of each opening as one observation.
    pub(super) fn close_openings(&mut self) -> Result<()> {
        let openings = std::mem::take(&mut self.openings);
        openings.iter().try_for_each(|(&opening, deals)| self.observe(opening, deals))
    }

    fn observe(&mut self, cluster: u64, deal: &DealTally) -> Result<()> {
        let mut revealer = WeightedSum::default();
        deal.kinds.iter().for_each(|&kind| revealer += kind);
        self.revealer.scores.add(&[revealer])?;
        self.first_mover.scores.add(&[deal.first_mover])?;
        self.moved_first.add(&[deal.moved_first])?;
        self.decisive.add(&[deal.decisive])?;
        self.plies.add(&[deal.plies])?;
        self.kinds.add(&deal.kinds)?;
        self.squares.add(&deal.squares)?;
        self.luck.add(cluster, revealer, &deal.luck)
    }

    pub(super) fn merge(&mut self, other: &Self) -> Result<()> {
        self.deals.merge(&other.deals)?;
        other.openings.iter().for_each(|(&opening, deals)| self.add_to_opening(opening, deals));
        self.revealer.merge(&other.revealer);
        self.first_mover.merge(&other.first_mover);
        self.without_reveal += other.without_reveal;
        self.moved_first.merge(&other.moved_first);
        self.decisive.merge(&other.decisive);
        self.plies.merge(&other.plies);
        self.kinds.merge(&other.kinds);
        self.squares.merge(&other.squares);
        self.luck.merge(&other.luck);
        let totals = [(&mut self.endings, &other.endings), (&mut self.cut_off, &other.cut_off)];
        for (all, more) in totals {
            more.iter().for_each(|(name, games)| *all.entry(name.clone()).or_default() += games);
        }
        self.distinct.merge(&other.distinct);
        self.beginnings.merge(&other.beginnings);
        self.lengths.merge(&other.lengths);
        Ok(())
    }

    /// None without games.
    pub(super) fn lengths(&self) -> Option<GameLengths> {
        self.lengths.finish(&self.plies)
    }

    pub(super) fn games(&self) -> u64 {
        self.lengths.count()
    }

    pub(super) fn clusters(&self) -> u64 {
        let means = self.first_mover.scores.finish();
        means.clusters(means.overall())
    }
}

impl DealTally {
    pub(super) fn new(facts: &RuleFacts) -> Self {
        Self {
            deal_id: None,
            opening: None,
            plies: WeightedSum::default(),
            first_mover: WeightedSum::default(),
            moved_first: WeightedSum::default(),
            decisive: WeightedSum::default(),
            kinds: vec![WeightedSum::default(); facts.kinds.len()],
            squares: vec![WeightedSum::default(); facts.classes.len()],
            luck: vec![0.0; facts.luck.width() + JUDGED],
            game_luck: vec![0.0; facts.luck.width() + JUDGED],
        }
    }

    /// All weighted sums, so that none is merged and not cleared.
    fn sums(&mut self) -> impl Iterator<Item = &mut WeightedSum> {
        let Self { plies, first_mover, moved_first, decisive, kinds, squares, .. } = self;
        [plies, first_mover, moved_first, decisive].into_iter().chain(kinds).chain(squares)
    }

    /// Adds the sums of other deals.
    fn merge(&mut self, mut other: Self) {
        self.sums().zip(other.sums()).for_each(|(own, more)| *own += *more);
        self.luck.iter_mut().zip(other.luck).for_each(|(own, more)| *own += more);
    }

    fn clear(&mut self) {
        (self.deal_id, self.opening) = (None, None);
        self.sums().for_each(|sum| *sum = WeightedSum::default());
        self.luck.fill(0.0);
    }
}
