//! The random actions of a batch are those of each game's stream, in order, whatever calls come in
//! between.

use darkqi_env::{
    AnyBatch, BatchConfig, BatchError, Rng, Stream,
    batch::{Autoreset, Buffers, Decisions, Illegal, Reset},
    games,
};
use darkqi_tests::buffers::part;
use darkqi_tests::{short_games, test_rng};

const LANES: usize = 70;

/// A batch, its rows, and what it must draw.
struct Trial {
    batch: Box<dyn AnyBatch>,
    buffers: Buffers,
    /// The seed of each lane's game, and the generator of its actions.
    samplers: Vec<(u64, Rng)>,
    /// A seed that no game has had.
    seed: u64,
}

impl Trial {
    fn new(game: &str, config: BatchConfig) -> Self {
        let mut batch =
            darkqi_env::make(game, &short_games(game), config).expect("the game exists");
        let mut buffers = Buffers::new(&*batch).with_final_observation();
        batch.reset(None, buffers.rows()).expect("the buffers fit");
        let samplers = batch.seeds().into_iter().map(|seed| (seed, sampler(seed))).collect();
        Self { batch, buffers, samplers, seed: 1 }
    }

    fn new_seed(&mut self) -> u64 {
        self.seed += 1;
        self.seed
    }

    fn legal(&self, lane: usize) -> Vec<i64> {
        let mask = part(&self.buffers.mask, lane, LANES);
        (0..mask.len()).filter(|&action| mask[action] == 1).map(|action| action as i64).collect()
    }

    /// The lowest legal action; 0 where the game is over.
    fn lowest(&self, lane: usize) -> i64 {
        self.legal(lane).first().copied().unwrap_or(0)
    }

    /// Draws actions and checks them.
    fn draw(&mut self) -> Vec<i64> {
        let mut actions = vec![0; LANES];
        self.batch.sample_actions(&mut actions).expect("the buffer fits");
        for (lane, seed) in self.batch.seeds().into_iter().enumerate() {
            let legal = self.legal(lane);
            let (known, rng) = &mut self.samplers[lane];
            if *known != seed {
                (*known, *rng) = (seed, sampler(seed));
            }
            let expected = match legal.len() as u32 {
                0 => 0,
                count => legal[rng.below(count) as usize],
            };
            assert_eq!(actions[lane], expected, "lane {lane}");
        }
        actions
    }

    /// Steps, and checks the positions of the first lanes.
    fn step(&mut self, actions: &[i64]) {
        let before: Vec<_> = (0..4).map(|lane| self.batch.state(lane)).collect();
        self.batch.step(actions, self.buffers.rows()).expect("the actions are legal");
        for (lane, state) in before.into_iter().enumerate() {
            let mut state = state.expect("the lane exists");
            if self.buffers.ended(lane) || state.outcome().is_some() {
                continue;
            }
            let action = state.action(actions[lane]).expect("an action of the game");
            state.apply(action).expect("a legal action");
            let after = self.batch.state(lane).expect("the lane exists");
            assert_eq!(after.fen(), state.fen(), "lane {lane}");
        }
    }

    fn reset_lanes(&mut self, rng: &mut Rng) {
        let seed = self.new_seed();
        let kinds = [Reset::Keep, Reset::Next];
        let mut resets: Vec<_> = (0..LANES).map(|_| kinds[rng.below(2) as usize]).collect();
        resets[rng.below(LANES as u32) as usize] = Reset::Seed(seed);
        self.batch.reset_lanes(&resets, self.buffers.rows()).expect("the buffers fit");
    }

    fn reset(&mut self, seed: Option<u64>) {
        self.batch.reset(seed, self.buffers.rows()).expect("the buffers fit");
    }

    /// Steps with an illegal action in a lane whose game is in progress. It forfeits the game or is
    /// refused.
    fn step_illegally(&mut self, mut actions: Vec<i64>) {
        let going_on = (0..LANES).rfind(|&lane| !self.legal(lane).is_empty());
        let lane = going_on.expect("a game goes on");
        actions[lane] = -1;
        let stepped = self.batch.step(&actions, self.buffers.rows());
        match self.batch.config().illegal {
            Illegal::Forfeit => {
                stepped.expect("the game is forfeited");
                assert!(self.buffers.terminated[lane]);
            }
            Illegal::Refuse => {
                let error = stepped.expect_err("it is refused");
                assert!(matches!(error, BatchError::Action { lane: bad, .. } if bad == lane));
            }
        }
    }
}

fn sampler(seed: u64) -> Rng {
    Rng::new(seed, Stream::Sample)
}

#[test]
fn draws_follow_the_stream_of_each_game() {
    let configs = [
        (1, Autoreset::NextStep, Illegal::Refuse),
        (2, Autoreset::SameStep, Illegal::Refuse),
        (2, Autoreset::SameStep, Illegal::Forfeit),
    ];
    for game in games::names() {
        for (threads, autoreset, illegal) in configs {
            let threads = Some(threads);
            let config =
                BatchConfig { lanes: LANES, threads, autoreset, illegal, ..Default::default() };
            let mut trial = Trial::new(game, config);
            let mut rng = test_rng(1);
            for _ in 0..300 {
                match rng.below(12) {
                    // A step without a draw before it.
                    0 => {
                        let lowest: Vec<_> = (0..LANES).map(|lane| trial.lowest(lane)).collect();
                        trial.step(&lowest);
                    }
                    1 => trial.reset_lanes(&mut rng),
                    // Draws that are not played, or in some lanes only.
                    2 => drop(trial.draw()),
                    3 => {
                        drop(trial.draw());
                        trial.reset_lanes(&mut rng);
                    }
                    4 => {
                        let mut actions = trial.draw();
                        for lane in (0..LANES).step_by(3) {
                            actions[lane] = trial.lowest(lane);
                        }
                        trial.step(&actions);
                    }
                    5 => {
                        let actions = trial.draw();
                        trial.step_illegally(actions.clone());
                        if illegal == Illegal::Refuse {
                            trial.step(&actions);
                        }
                    }
                    6 if rng.below(10) == 0 => {
                        let seed = trial.new_seed();
                        trial.reset([None, Some(seed << 32)][rng.below(2) as usize]);
                    }
                    _ => {
                        let actions = trial.draw();
                        trial
                            .batch
                            .prepare(&actions, Decisions::default())
                            .expect("drawn actions are legal");
                        trial.step(&actions);
                    }
                }
            }
        }
    }
}
