//! Whole steps of a batch on one thread: actions sampled and played, and all rows written.

use darkqi_env::{
    AnyBatch, BatchConfig, Format, Options,
    batch::{Buffers, MaskFormat},
    games,
};
use divan::counter::ItemsCount;

const LANES: usize = 64;

/// Steps before the first timed one: the lanes are in all phases of their games then.
const WARM_UP: u32 = 600;

struct Lanes {
    batch: Box<dyn AnyBatch>,
    buffers: Buffers,
    actions: [i64; LANES],
    /// Games that have ended, over all lanes.
    games: u32,
    /// Steps since the first lane's game began.
    plies: u32,
}

impl Lanes {
    fn new(game: &str, format: Format, mask: MaskFormat) -> Self {
        let threads = Some(1);
        let config =
            BatchConfig { lanes: LANES, seed: 1, format, mask, threads, ..BatchConfig::default() };
        let batch = darkqi_env::make(game, &Options::new(), config).expect("the game exists");
        let buffers = Buffers::new(&*batch);
        Self { batch, buffers, actions: [0; LANES], games: 0, plies: 0 }
    }

    fn step(&mut self) {
        self.batch.sample_actions(&mut self.actions).expect("the buffer fits");
        self.batch.step(&self.actions, self.buffers.rows()).expect("sampled actions are legal");
        self.games += (0..LANES).filter(|&lane| self.buffers.ended(lane)).count() as u32;
        self.plies = if self.buffers.ended(0) { 0 } else { self.plies + 1 };
    }
}

fn step(bencher: divan::Bencher<'_, '_>, game: &str, format: Format, mask: MaskFormat) {
    let mut lanes = Lanes::new(game, format, mask);
    (0..WARM_UP).for_each(|_| lanes.step());
    assert!(lanes.games as usize > LANES / 2, "{game}: {} games have ended", lanes.games);
    bencher.counter(ItemsCount::new(LANES)).bench_local(|| lanes.step());
    let state = lanes.batch.state(0).expect("there is such a lane");
    assert_eq!(u32::from(state.ply()), lanes.plies, "{game}: a step is a ply");
}

/// One item is one lane's step, here and below.
#[divan::bench(args = games::names())]
fn planes_bool(bencher: divan::Bencher<'_, '_>, game: &str) {
    step(bencher, game, Format::Planes, MaskFormat::Bool);
}

#[divan::bench(args = games::names())]
fn tokens_bits(bencher: divan::Bencher<'_, '_>, game: &str) {
    step(bencher, game, Format::Tokens, MaskFormat::Bits);
}
