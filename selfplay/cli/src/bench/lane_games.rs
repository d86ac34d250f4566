//! How long the games of all lanes are.

/// Lanes are scanned for ended games in chunks: few games end in any step.
const CHUNK: usize = 64;

/// The games of all lanes, counted from the flags of each step.
#[derive(Clone, Debug)]
pub(super) struct LaneGames {
    /// Steps so far.
    steps: u64,
    /// By lane, the step after which its current game began.
    begun: Vec<u64>,
    /// The number of lanes whose first game is under way.
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

impl GameTotals {
    /// Mean length in plies, NaN without games.
    pub(super) fn mean_length(self) -> f64 {
        self.plies as f64 / self.games as f64
    }
}

impl LaneGames {
    /// Lanes in which a game has just been dealt.
    pub(super) fn new(lanes: usize) -> Self {
        Self { steps: 0, begun: vec![0; lanes], pending: lanes, total: GameTotals::default() }
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
        // The first game of a lane began before the first step.
        self.pending -= usize::from(self.begun[lane] == 0);
        self.total.games += 1;
        self.total.plies += self.plies(lane);
        self.begun[lane] = self.steps;
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// Plies played in a lane's current game.
    pub(super) fn plies(&self, lane: usize) -> u64 {
        self.steps - self.begun[lane]
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
        let mut games = LaneGames::new(lanes);
        for step in 1..=6 {
            let terminated: Vec<_> = (0..lanes).map(|lane| lane == 129 && step == 2).collect();
            let truncated: Vec<_> = (0..lanes).map(|lane| lane >= 128 && step == 5).collect();
            games.record(&terminated, &truncated);
        }
        assert_eq!((games.plies(128), games.plies(0), games.longest()), (1, 6, 0));
        assert_eq!(games.total(), GameTotals { games: 3, plies: 10 });
        assert_eq!(games.pending, 128);
        games.record(&[true; 130], &[false; 130]);
        assert!(!games.is_pending());
    }
}
