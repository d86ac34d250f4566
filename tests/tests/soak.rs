//! Mixed games at full speed for a given time: laws hold, and memory does not grow.
//!
//! `DARKQI_SOAK_SECONDS` sets the time, an hour by default:
//! `cargo test --release --package darkqi-tests --test all -- --ignored --nocapture soak::`.

use std::time::{Duration, Instant};
use std::{env, fs};

use darkqi_engine::agents::AgentSpec;
use darkqi_env::{
    AnyBatch, AnyState, Autoreset, BatchConfig, Buffers, Format, Illegal, MaskFormat, Options,
    Reset, Rng, games,
};
use darkqi_play::opponents::{CallerSeat, batch_against};
use darkqi_tests::arbitrary::{pairs, random_options};
use darkqi_tests::buffers::{part, row};
use darkqi_tests::duel::draw;
use darkqi_tests::{options, test_rng};

const DEFAULT_SECONDS: u64 = 3600;

/// The share of the time after which buffers of all sizes have been allocated.
const WARM_UP: f64 = 0.2;

/// The allowed growth of memory after that: room for the largest batch, if it comes late. A leak of
/// a byte per ply exceeds it within the hour.
const GROWTH: u64 = 64 << 20;

/// Steps of one batch.
const STEPS: usize = 400;

/// Counts of the work done.
#[derive(Default)]
struct Tally {
    batches: u64,
    steps: u64,
    plies: u64,
    games: u64,
    replayed: u64,
}

#[test]
#[ignore = "takes an hour; `scripts/soak.sh` runs it"]
fn laws_hold_and_memory_does_not_grow() {
    let seconds = env::var("DARKQI_SOAK_SECONDS");
    let seconds = seconds.map_or(DEFAULT_SECONDS, |text| text.parse().expect("a number"));
    let (begin, end) = (Instant::now(), Duration::from_secs(seconds));
    let mut tally = Tally::default();
    let mut warm = None;
    let mut said = Instant::now();
    for seed in 0.. {
        soak(seed, &mut tally);
        let elapsed = begin.elapsed();
        if warm.is_none() && elapsed >= end.mul_f64(WARM_UP) {
            warm = Some(resident());
        }
        if said.elapsed() >= Duration::from_secs(60) || elapsed >= end {
            said = Instant::now();
            let Tally { batches, steps, plies, games, replayed } = tally;
            let megabytes = resident() >> 20;
            println!(
                "{:.0} s: {batches} batches, {steps} steps, {plies} plies, {games} games over, \
                 {replayed} replayed from their seeds; {megabytes} MiB resident",
                elapsed.as_secs_f64(),
            );
        }
        if elapsed >= end {
            break;
        }
    }
    let (before, after) = (warm.expect("the time is over"), resident());
    println!("resident after warming up: {} KiB, at the end: {} KiB", before >> 10, after >> 10);
    assert!(after < before + GROWTH, "memory grew from {before} to {after} bytes");
    assert!(tally.games > 0 && tally.replayed > 0);
}

/// The resident memory in bytes. On systems other than Linux it is 0.
fn resident() -> u64 {
    const PAGE: u64 = 4096;
    let pages = fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|text| text.split(' ').nth(1)?.parse::<u64>().ok());
    pages.map_or(0, |pages| pages * PAGE)
}

/// Steps a batch whose game, options and configuration are random.
fn soak(seed: u64, tally: &mut Tally) {
    let mut rng = test_rng(seed);
    let game = draw(games::names(), &mut rng);
    let options = options(&pairs(&random_options(game, &mut rng)));
    let most = draw(&[1, 4, 40, 200], &mut rng);
    let lanes = 1 + rng.below(most) as usize;
    let config = BatchConfig {
        lanes,
        first_lane: rng.below(3) as usize,
        seed: rng.next_u64(),
        format: draw(&[Format::Planes, Format::Tokens], &mut rng),
        mask: draw(&[MaskFormat::Bool, MaskFormat::Bits], &mut rng),
        autoreset: draw(&[Autoreset::SameStep, Autoreset::NextStep, Autoreset::Disabled], &mut rng),
        illegal: draw(&[Illegal::Refuse, Illegal::Forfeit], &mut rng),
        threads: draw(&[Some(1), Some(1), Some(2), Some(3), None], &mut rng),
        sink: None,
    };
    let opponent = draw(&[None, None, Some("random"), Some("greedy")], &mut rng);
    let batch = match opponent {
        None => darkqi_env::make(game, &options, config).map_err(darkqi_play::Error::from),
        Some(agent) => {
            let agent: AgentSpec = agent.parse().expect("the agent exists");
            batch_against(game, &options, config, &agent, CallerSeat::Random)
        }
    };
    let mut batch = batch.expect("the options and the seat exist");
    let mut buffers = Buffers::new(&*batch).with_final_observation();
    batch.reset(None, buffers.rows()).expect("the buffers fit");
    let watched = rng.below(lanes as u32) as usize;
    // A single game repeats a lane only if the caller plays all seats.
    let mut alone = opponent.is_none().then(|| deal(game, &options, &*batch, watched));
    let rows = batch.lengths().observation + batch.lengths().mask;
    let steps = (STEPS * (1 << 17)).div_ceil(rows * lanes).min(STEPS);
    for _ in 0..steps {
        let actions = act(&mut *batch, &mut buffers, &mut alone, watched, &mut rng);
        check(&*batch, &buffers);
        tally.steps += 1;
        tally.plies += actions;
        tally.games += (0..lanes).filter(|&lane| buffers.ended(lane)).count() as u64;
        if let Some(single) = &mut alone {
            let state = batch.state(watched).expect("the lane exists");
            if buffers.ended(watched) && batch.config().autoreset == Autoreset::SameStep {
                tally.replayed += 1;
                *single = deal(game, &options, &*batch, watched);
            }
            assert_eq!(state.fen(), single.fen(), "{game} lane {watched} of seed {seed}");
        }
    }
    tally.batches += 1;
}

/// The game of a lane from its seed.
fn deal(game: &str, options: &Options, batch: &dyn AnyBatch, lane: usize) -> Box<dyn AnyState> {
    darkqi_env::deal(game, options, batch.seeds()[lane]).expect("the options are valid")
}

/// Steps with random actions, some of them illegal if the batch allows it, or resets the lanes that
/// wait for it. Returns the number of plies played.
fn act(
    batch: &mut dyn AnyBatch,
    buffers: &mut Buffers,
    alone: &mut Option<Box<dyn AnyState>>,
    watched: usize,
    rng: &mut Rng,
) -> u64 {
    let lanes = batch.config().lanes;
    let waits = |lane: usize| part(&buffers.mask, lane, lanes).iter().all(|&byte| byte == 0);
    let waiting: Vec<bool> = (0..lanes).map(waits).collect();
    let is_disabled = batch.config().autoreset == Autoreset::Disabled;
    if is_disabled && waiting.contains(&true) {
        let next = |&waits: &bool| if waits { Reset::Next } else { Reset::Keep };
        let resets: Vec<Reset> = waiting.iter().map(next).collect();
        batch.reset_lanes(&resets, buffers.rows()).expect("the buffers fit");
        deal_anew(batch, alone, watched, waiting[watched]);
        return 0;
    }
    let mut actions = vec![0; lanes];
    batch.sample_actions(&mut actions).expect("the buffer fits");
    let single = alone.as_mut().filter(|_| !waiting[watched]);
    if let Some(single) = single {
        let action = single.action(actions[watched]).expect("it is in the table");
        single.apply(action).expect("a sampled action is legal");
    }
    if batch.config().illegal == Illegal::Forfeit && lanes > 1 && rng.below(50) == 0 {
        let lane = (watched + 1) % lanes;
        actions[lane] = rng.next_u64() as i64;
    }
    batch.step(&actions, buffers.rows()).expect("sampled actions are legal");
    deal_anew(batch, alone, watched, waiting[watched]);
    waiting.iter().filter(|&&waits| !waits).count() as u64
}

fn deal_anew(
    batch: &dyn AnyBatch,
    alone: &mut Option<Box<dyn AnyState>>,
    lane: usize,
    is_dealt: bool,
) {
    if let Some(single) = alone.as_mut().filter(|_| is_dealt) {
        let spec = batch.spec();
        *single = deal(spec.name, &spec.options_in_force(), batch, lane);
    }
}

/// Checks the laws of rows.
fn check(batch: &dyn AnyBatch, buffers: &Buffers) {
    let (spec, config) = (batch.spec(), batch.config());
    for lane in 0..config.lanes {
        let (_, mask, player, reward, terminated, truncated) = row(buffers, lane);
        let is_over = terminated || truncated;
        let waits = mask.iter().all(|&byte| byte == 0);
        let may_wait = is_over && config.autoreset != Autoreset::SameStep;
        assert_eq!(waits, may_wait, "{} lane {lane}", spec.name);
        assert!(usize::try_from(player).is_ok_and(|player| player < spec.num_players));
        assert!(reward.iter().sum::<f32>().abs() < 1e-5, "{reward:?}");
        assert!(is_over || reward.iter().all(|&reward| reward == 0.0), "{reward:?}");
        assert!(!(terminated && truncated));
        assert!(!truncated || reward.iter().all(|&reward| reward == 0.0), "{reward:?}");
    }
}
