//! Which game each lane plays, and how long the finished ones were.

/// Lanes are scanned for ended games in chunks: few games end in any step.
const CHUNK: usize = 64;

/// The games of all lanes, counted from the flags of each step.
#[derive(Clone, Debug)]
pub(super) struct LaneGames {
    /// Steps so far.
    steps: u64,
    /// By lane, the step after which its current game began.
    begun: Vec<u64>,
    /// By lane, the number of finished games.
    finished: Vec<u32>,
    /// The lengths of each lane's first games in plies, 0 while they are under way.
    first: Vec<u32>,
    /// The number of first games per lane whose lengths are kept.
    kept: usize,
    /// First games under way.
    pending: usize,
    /// Finished games of all lanes, and their plies.
    total: GameTotals,
}

/// Finished games and their plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct GameTotals {
    pub(super) games: u64,
    pub(super) plies: u64,
}

impl LaneGames {
    /// Lanes in which a game has just been dealt. The lengths of the first `kept` of each are kept.
    pub(super) fn new(lanes: usize, kept: usize) -> Self {
        Self {
            steps: 0,
            begun: vec![0; lanes],
            finished: vec![0; lanes],
            first: vec![0; lanes * kept],
            kept,
            pending: lanes * kept,
            total: GameTotals::default(),
        }
    }

    /// Counts a step.
    pub(super) fn record(&mut self, terminated: &[bool], truncated: &[bool]) {
        self.steps += 1;
        let chunks = terminated.chunks(CHUNK).zip(truncated.chunks(CHUNK));
        for (number, (terminated, truncated)) in chunks.enumerate() {
            let either = terminated.iter().zip(truncated).map(|(&one, &other)| one | other);
            if either.clone().fold(false, |any, ended| any | ended) {
                let ended = either.enumerate().filter(|&(_, ended)| ended);
                ended.for_each(|(offset, _)| self.end(number * CHUNK + offset));
            }
        }
    }

    #[cold]
    fn end(&mut self, lane: usize) {
        let plies = self.plies(lane);
        let game = self.finished[lane] as usize;
        if game < self.kept {
            self.first[lane * self.kept + game] = plies as u32;
            self.pending -= 1;
        }
        self.total.games += 1;
        self.total.plies += plies;
        self.finished[lane] += 1;
        self.begun[lane] = self.steps;
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// Plies played in a lane's current game.
    pub(super) fn plies(&self, lane: usize) -> u64 {
        self.steps - self.begun[lane]
    }

    /// The number of games that a lane has finished.
    pub(super) fn finished(&self, lane: usize) -> u32 {
        self.finished[lane]
    }

    /// The lengths of a lane's first games.
    pub(super) fn first(&self, lane: usize) -> &[u32] {
        &self.first[lane * self.kept..][..self.kept]
    }

    /// Whether any of the first games is under way.
    pub(super) fn is_pending(&self) -> bool {
        self.pending > 0
    }

    /// The lane whose current game is the longest.
    pub(super) fn longest(&self) -> usize {
        (0..self.begun.len()).min_by_key(|&lane| self.begun[lane]).unwrap_or_default()
    }

    pub(super) fn total(&self) -> GameTotals {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::{GameTotals, LaneGames};

    #[test]
    fn lengths_are_counted_from_deal_to_end() {
        let lanes = 130;
        let mut games = LaneGames::new(lanes, 2);
        for step in 1..=6 {
            let terminated: Vec<_> = (0..lanes).map(|lane| lane == 129 && step == 2).collect();
            let truncated: Vec<_> = (0..lanes).map(|lane| lane >= 128 && step == 5).collect();
            games.record(&terminated, &truncated);
        }
        assert_eq!(games.first(129), [2, 3]);
        assert_eq!(games.first(128), [5, 0]);
        assert_eq!((games.plies(128), games.plies(0)), (1, 6));
        assert_eq!((games.finished(129), games.longest()), (2, 0));
        assert_eq!(games.total(), GameTotals { games: 3, plies: 10 });
        assert!(games.is_pending());
    }
}
