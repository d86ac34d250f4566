//! Random actions of a batch: those of each game's stream, in order, whatever else is done.

use darkqi_env::{AnyBatch, Autoreset, BatchConfig, BatchError, Reset, Rng, Stream, batch, games};
use darkqi_tests::buffers::{Buffers, part};
use darkqi_tests::{short_games, test_rng};

const LANES: usize = 70;

/// What a batch must draw.
struct Expected {
    /// The seed of each lane's game and what draws its actions.
    games: Vec<(u64, Rng)>,
}

impl Expected {
    fn new(batch: &dyn AnyBatch) -> Self {
        Self { games: batch.seeds().into_iter().map(|seed| (seed, sampler(seed))).collect() }
    }

    fn draw(&mut self, batch: &dyn AnyBatch, buffers: &Buffers) -> Vec<i64> {
        let mut actions = Vec::new();
        for (lane, ((of, sampler_of), seed)) in self.games.iter_mut().zip(batch.seeds()).enumerate()
        {
            if *of != seed {
                (*of, *sampler_of) = (seed, sampler(seed));
            }
            let legal = legal(buffers, lane);
            actions.push(match legal.len() as u32 {
                0 => 0,
                count => legal[sampler_of.below(count) as usize],
            });
        }
        actions
    }
}

fn sampler(seed: u64) -> Rng {
    Rng::new(seed, Stream::Sample)
}

fn legal(buffers: &Buffers, lane: usize) -> Vec<i64> {
    let mask = part(&buffers.mask, lane, LANES);
    (0..mask.len()).filter(|&action| mask[action] == 1).map(|action| action as i64).collect()
}

#[test]
fn draws_follow_the_stream_of_each_game() {
    for game in games::names() {
        for (threads, autoreset) in [(1, Autoreset::NextStep), (2, Autoreset::SameStep)] {
            let config = BatchConfig {
                lanes: LANES,
                threads: Some(threads),
                autoreset,
                ..BatchConfig::default()
            };
            let mut batch = batch::make(game, &short_games(game), config).expect("the game exists");
            let mut buffers = Buffers::new(&*batch);
            batch.reset(None, buffers.rows()).expect("the buffers fit");
            let mut expected = Expected::new(&*batch);
            let mut actions = vec![0; LANES];
            let mut draw = |batch: &mut dyn AnyBatch, buffers: &Buffers| {
                batch.sample_actions(&mut actions).expect("the buffer fits");
                assert_eq!(actions, expected.draw(batch, buffers), "{game}");
                actions.clone()
            };
            let mut rng = test_rng(1);
            for _ in 0..300 {
                match rng.below(8) {
                    // The latest draws are not asked for.
                    0 => {
                        let lowest = |lane| legal(&buffers, lane).first().copied().unwrap_or(0);
                        let actions: Vec<i64> = (0..LANES).map(lowest).collect();
                        batch.step(&actions, buffers.rows()).expect("the mask allows them");
                        continue;
                    }
                    // They are asked for, and not played.
                    1 => drop(draw(&mut *batch, &buffers)),
                    2 => {
                        let mut actions = draw(&mut *batch, &buffers);
                        let open = (0..LANES).rfind(|&lane| !legal(&buffers, lane).is_empty());
                        let lane = open.expect("a game goes on");
                        actions[lane] = -1;
                        let error =
                            batch.step(&actions, buffers.rows()).expect_err("it is refused");
                        assert!(
                            matches!(error, BatchError::Action { lane: bad, .. } if bad == lane)
                        );
                    }
                    3 => {
                        drop(draw(&mut *batch, &buffers));
                        let resets = [Reset::Keep, Reset::Next];
                        let resets: Vec<Reset> =
                            (0..LANES).map(|_| resets[rng.below(2) as usize]).collect();
                        batch.reset_lanes(&resets, buffers.rows()).expect("the buffers fit");
                    }
                    _ => {}
                }
                let actions = draw(&mut *batch, &buffers);
                batch.check_actions(&actions).expect("drawn actions are legal");
                batch.step(&actions, buffers.rows()).expect("drawn actions are legal");
            }
        }
    }
}
