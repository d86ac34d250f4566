//! A batch allocates nothing while it steps, and its lanes are small.

#![expect(unsafe_code, reason = "an allocator that counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use darkqi_env::{BatchConfig, Spec, batch::Buffers, games};
use darkqi_tests::{affordable, short_games};

/// Counts the calls and the bytes of the system's allocator.
struct Counting;

static CALLS: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on unchanged to the system's allocator.
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

/// Lanes per game; fewer for games with long rows.
const LANES: usize = 4096;

/// The only test of its process, because the counts are those of the whole process.
#[test]
fn steps_do_not_allocate_and_lanes_are_small() {
    for game in games::names() {
        let options = short_games(game);
        let spec = Spec::new(game, &options).expect("the game exists");
        let lanes = affordable(LANES, &spec.layout);
        let before = BYTES.load(Ordering::Relaxed);
        let config = BatchConfig { lanes, seed: 1, threads: Some(1), ..BatchConfig::default() };
        let mut batch = darkqi_env::make(game, &options, config).expect("the game exists");
        let lengths = batch.lengths();
        let held = BYTES.load(Ordering::Relaxed) - before;

        let mut buffers = Buffers::new(&*batch);
        let mut actions = vec![0; lanes];
        let mut step = |plies: usize| {
            let mut ended = 0;
            for _ in 0..plies {
                batch.sample_actions(&mut actions).expect("the buffer fits");
                batch.step(&actions, buffers.rows()).expect("sampled actions are legal");
                ended += buffers.terminated.iter().filter(|&&ended| ended).count();
            }
            ended
        };
        step(150);
        let (calls, bytes) = (CALLS.load(Ordering::Relaxed), BYTES.load(Ordering::Relaxed));
        let ended = step(50);
        let new_calls = CALLS.load(Ordering::Relaxed) - calls;
        assert!(ended > 100, "{game}: too few games ended: {ended}");
        assert_eq!(new_calls, 0, "{game}: allocations in 50 steps");
        let rows = lanes * (lengths.observation + lengths.mask + 4 * lengths.players + 11);
        let total = bytes - before - rows;
        println!("{game}: {held} bytes when new, {total} after 200 steps");
        assert!(total < (100 << 20) / LANES * lanes, "{game}: {total} bytes besides the rows");
    }
}
