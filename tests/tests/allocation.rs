//! A batch allocates nothing while it steps, and little altogether.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use darkqi_env::{BatchConfig, Rows, Spec, batch, games};
use darkqi_tests::{affordable, short_games};

/// Counts what goes through the system's allocator.
struct Counting;

static CALLS: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        BYTES.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `GlobalAlloc::dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Lanes of every game, as far as they are affordable.
const LANES: usize = 4096;

/// One test alone in its process: others would be counted along with it.
#[test]
fn steps_do_not_allocate_and_lanes_are_small() {
    for game in games::names() {
        let options = short_games(game);
        let spec = Spec::new(game, &options).expect("the game exists");
        let lanes = affordable(LANES, &spec.layout);
        let before = BYTES.load(Ordering::Relaxed);
        let config = BatchConfig { lanes, seed: 1, threads: Some(1), ..BatchConfig::default() };
        let mut batch = batch::make(game, &options, config).expect("the game exists");
        let lengths = batch.lengths();
        let held = BYTES.load(Ordering::Relaxed) - before;

        let mut observation = vec![0; lanes * lengths.observation];
        let mut mask = vec![0; lanes * lengths.mask];
        let mut current_player = vec![0; lanes];
        let mut reward = vec![0.0; lanes * lengths.players];
        let (mut terminated, mut truncated) = (vec![false; lanes], vec![false; lanes]);
        let mut actions = vec![0; lanes];
        let mut step = |plies: usize| {
            let mut ended = 0;
            for _ in 0..plies {
                batch.sample_actions(&mut actions).expect("the buffer fits");
                let rows = Rows {
                    observation: &mut observation,
                    mask: &mut mask,
                    current_player: &mut current_player,
                    reward: &mut reward,
                    terminated: &mut terminated,
                    truncated: &mut truncated,
                    final_observation: None,
                };
                batch.step(&actions, rows).expect("sampled actions are legal");
                ended += terminated.iter().filter(|&&ended| ended).count();
            }
            ended
        };
        step(300);
        let (calls, bytes) = (CALLS.load(Ordering::Relaxed), BYTES.load(Ordering::Relaxed));
        let ended = step(100);
        let new_calls = CALLS.load(Ordering::Relaxed) - calls;
        assert!(ended > 100, "{game}: games end and begin while allocations are counted");
        assert_eq!(new_calls, 0, "{game}: allocations in 100 steps");
        let buffers = lanes * (lengths.observation + lengths.mask + 4 * lengths.players + 11);
        let total = bytes - before - buffers;
        println!("{game}: {held} bytes when new, {total} after 300 steps");
        assert!(total < (100 << 20) / LANES * lanes, "{game}: {total} bytes beside the buffers");
    }
}
