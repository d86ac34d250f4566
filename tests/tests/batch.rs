//! Batches against single games: the same games whatever the number of lanes and threads.

use darkqi_env::{
    AnyBatch, AnyState, BatchConfig, BatchError, Format, Options, Viewer,
    batch::{Buffers, Decisions, MaskFormat},
    games,
};
use darkqi_tests::arbitrary::designs;
use darkqi_tests::buffers::{last_position, part, row};
use darkqi_tests::{affordable, short_games, test_rng};

fn config(lanes: usize, threads: usize) -> BatchConfig {
    BatchConfig { lanes, seed: 5, threads: Some(threads), ..BatchConfig::default() }
}

fn make(game: &str, config: BatchConfig) -> Box<dyn AnyBatch> {
    make_with(game, &short_games(game), config)
}

fn make_with(game: &str, options: &Options, config: BatchConfig) -> Box<dyn AnyBatch> {
    darkqi_env::make(game, options, config).expect("the game and its configuration exist")
}

#[test]
fn lanes_are_the_same_whatever_the_number_of_lanes_and_threads() {
    for game in games::names() {
        let layout = make(game, config(1, 1)).spec().layout;
        let [few, many] = [300, 1024].map(|lanes| affordable(lanes, &layout).max(100));
        let mut batches = [(1, 1), (few, 1), (few, 2), (many, 2)]
            .map(|(lanes, threads)| make(game, config(lanes, threads)));
        let mut buffers =
            batches.each_ref().map(|batch| Buffers::new(batch.as_ref()).with_final_observation());
        let mut actions = batches.each_ref().map(|batch| vec![0; batch.config().lanes]);
        for (batch, buffers) in batches.iter_mut().zip(&mut buffers) {
            batch.reset(None, buffers.rows()).expect("the buffers fit");
        }
        let mut ended = 0;
        for _ in 0..250 {
            for ((batch, buffers), actions) in
                batches.iter_mut().zip(&mut buffers).zip(&mut actions)
            {
                batch.sample_actions(actions).expect("the buffer fits");
                batch.step(actions, buffers.rows()).expect("sampled actions are legal");
            }
            assert_eq!(row(&buffers[0], 0), row(&buffers[3], 0), "{game}");
            assert_eq!(buffers[1], buffers[2], "{game}");
            for lane in 0..few {
                assert_eq!(row(&buffers[2], lane), row(&buffers[3], lane), "{game} lane {lane}");
            }
            ended += buffers[1].terminated.iter().filter(|&&ended| ended).count();
        }
        assert!(ended > 100, "{game}: only {ended} games ended");
    }
}

#[test]
fn a_lane_is_the_single_game_with_its_seed() {
    let usual = games::names().iter().map(|&game| (game, short_games(game), 600));
    let designs = designs(10).map(|(game, options)| (game, options, 60));
    for (game, options, steps) in usual.chain(designs) {
        let mut batch = make_with(game, &options, config(16, 1));
        let mut buffers = Buffers::new(batch.as_ref()).with_final_observation();
        batch.reset(None, buffers.rows()).expect("the buffers fit");
        let deal = |seed| darkqi_env::deal(game, &options, seed).expect("the game exists");
        let mut single: Vec<Box<dyn AnyState>> = batch.seeds().into_iter().map(deal).collect();
        assert_eq!(batch.seeds()[0], 5, "game 0 has the batch's own seed");
        let mut rng = test_rng(1);
        let mut finals = 0;
        for _ in 0..steps {
            let pick = |state: &mut Box<dyn AnyState>| {
                let action = darkqi_tests::random_action(state.as_ref(), &mut rng);
                state.apply(action).expect("a listed action is legal");
                action.0.into()
            };
            let actions: Vec<i64> = single.iter_mut().map(pick).collect();
            batch.step(&actions, buffers.rows()).expect("the same actions are legal");
            for (lane, state) in single.iter_mut().enumerate() {
                let (_, _, _, reward, terminated, truncated) = row(&buffers, lane);
                let outcome = state.outcome();
                assert_eq!(terminated || truncated, outcome.is_some());
                if let Some(outcome) = outcome {
                    assert_eq!(truncated, outcome.truncated());
                    assert_eq!(reward, outcome.rewards());
                    let shown = last_position(&buffers, lane);
                    assert_eq!(shown, observation(state.as_ref()), "{game}");
                    finals += 1;
                    *state = deal(batch.seeds()[lane]);
                }
                let (shown, mask, player, ..) = row(&buffers, lane);
                assert_eq!(shown, observation(state.as_ref()), "{game} {}", state.fen());
                assert_eq!(usize::try_from(player), Ok(state.current_player()));
                let legal: Vec<usize> = (0..mask.len()).filter(|&a| mask[a] == 1).collect();
                let listed: Vec<usize> =
                    state.legal_actions().iter().map(|action| action.index()).collect();
                assert_eq!(legal, listed);
                assert_eq!(batch.state(lane).expect("the lane exists").fen(), state.fen());
            }
        }
        assert!(finals > 10 || steps < 600, "{game}: only {finals} games ended");
    }
}

fn observation(state: &dyn AnyState) -> Vec<u8> {
    let mut row = vec![0; Format::Planes.len(&state.spec().layout)];
    state.observe(Viewer::Player(state.current_player()), Format::Planes, &mut row);
    row
}

#[test]
fn all_formats_agree() {
    for game in games::names() {
        let mut batch = make(game, BatchConfig { mask: MaskFormat::Bits, ..config(8, 1) });
        let mut buffers = Buffers::new(batch.as_ref()).with_final_observation();
        batch.reset(None, buffers.rows()).expect("the buffers fit");
        let actions = batch.spec().num_actions;
        for lane in 0..8 {
            let state = batch.state(lane).expect("the lane exists");
            let bits = part(&buffers.mask, lane, 8);
            assert_eq!(bits.len(), actions.div_ceil(8));
            for action in 0..actions {
                let legal = state.legal_actions().iter().any(|known| known.index() == action);
                assert_eq!(bits[action / 8] >> (action % 8) & 1 == 1, legal);
            }
        }
        for viewer in [Viewer::Player(0), Viewer::Player(1), Viewer::Public] {
            let row = batch.lengths().observation;
            let mut all = vec![0; 8 * row];
            batch.observe(viewer, &mut all).expect("the viewer exists");
            for lane in 0..8 {
                let mut one = vec![0; row];
                let state = batch.state(lane).expect("the lane exists");
                state.observe(viewer, Format::Planes, &mut one);
                assert_eq!(part(&all, lane, 8), one);
            }
        }
    }
}

#[test]
fn batches_that_split_the_lanes_play_the_games_of_one_batch() {
    for game in games::names() {
        let parts = [(0, 2), (2, 5)];
        let whole = make(game, config(7, 1));
        let shared = parts
            .map(|(first_lane, lanes)| make(game, BatchConfig { first_lane, ..config(lanes, 1) }));
        let mut batches: Vec<_> = [whole].into_iter().chain(shared).collect();
        let mut buffers: Vec<_> =
            batches.iter().map(|batch| Buffers::new(&**batch).with_final_observation()).collect();
        for seed in [None, Some(8)] {
            for (batch, buffers) in batches.iter_mut().zip(&mut buffers) {
                batch.reset(seed, buffers.rows()).expect("the buffers fit");
            }
            for _ in 0..200 {
                for (batch, buffers) in batches.iter_mut().zip(&mut buffers) {
                    let mut actions = vec![0; batch.config().lanes];
                    batch.sample_actions(&mut actions).expect("the buffer fits");
                    batch.step(&actions, buffers.rows()).expect("sampled actions are legal");
                }
                for (part, (first_lane, lanes)) in parts.into_iter().enumerate() {
                    for lane in 0..lanes {
                        let own = row(&buffers[1 + part], lane);
                        assert_eq!(own, row(&buffers[0], first_lane + lane), "{game}");
                    }
                }
            }
        }
        let seeds: Vec<u64> = batches[1..].iter().flat_map(|batch| batch.seeds()).collect();
        assert_eq!(seeds, batches[0].seeds(), "{game}");
    }
}

#[test]
fn checking_actions_names_the_lane_and_changes_nothing() {
    let mut batch = make("jieqi", BatchConfig { first_lane: 10, ..config(3, 1) });
    let mut actions = vec![0; 3];
    batch.sample_actions(&mut actions).expect("the buffer fits");
    let fens = |batch: &dyn AnyBatch| {
        [0, 1, 2].map(|lane| batch.state(lane).expect("the lane exists").fen())
    };
    let before = fens(&*batch);
    assert_eq!(batch.prepare(&actions, Decisions::default()), Ok(()));
    let illegal = [actions[0], actions[1], -1];
    let error = batch.prepare(&illegal, Decisions::default()).expect_err("there is no action -1");
    assert!(matches!(error, BatchError::Action { lane: 12, .. }), "{error}");
    assert!(matches!(
        batch.prepare(&actions[..2], Decisions::default()),
        Err(BatchError::Length { .. })
    ));
    assert_eq!(fens(&*batch), before);
}

#[test]
fn a_reset_with_a_seed_starts_over_and_one_without_goes_on() {
    let mut batch = make("jieqi", config(4, 1));
    let mut buffers = Buffers::new(batch.as_ref()).with_final_observation();
    let fens = |batch: &dyn AnyBatch| -> Vec<String> {
        (0..4).map(|lane| batch.state(lane).expect("the lane exists").fen()).collect()
    };
    let dealt = fens(batch.as_ref());
    batch.reset(None, buffers.rows()).expect("the buffers fit");
    assert_eq!(fens(batch.as_ref()), dealt, "the first reset keeps the dealt games");
    batch.reset(None, buffers.rows()).expect("the buffers fit");
    let second = fens(batch.as_ref());
    assert!(second.iter().all(|fen| !dealt.contains(fen)));
    batch.reset(Some(5), buffers.rows()).expect("the buffers fit");
    assert_eq!(fens(batch.as_ref()), dealt);
    batch.reset(Some(6), buffers.rows()).expect("the buffers fit");
    assert!(fens(batch.as_ref()).iter().all(|fen| !dealt.contains(fen)));
}

#[test]
fn bad_input_changes_nothing_and_is_named() {
    let mut batch = make("gaiqi", config(3, 1));
    let mut buffers = Buffers::new(batch.as_ref()).with_final_observation();
    batch.reset(None, buffers.rows()).expect("the buffers fit");
    let before = (buffers.clone(), batch.state(0).map(|state| state.fen()));

    for (bad, text) in [
        (-1, "action -1 is no action of gaiqi; expected an index from 0 to 611"),
        (612, "action 612 is no action of gaiqi; expected an index from 0 to 611"),
        (100, "is not legal here; the 32 legal actions are: a1 a2 a3"),
    ] {
        let error = batch.step(&[0, 0, bad], buffers.rows()).expect_err("the action is bad");
        assert!(matches!(&error, BatchError::Action { lane: 2, .. }));
        assert!(
            error.to_string().starts_with("lane 2: ") && error.to_string().contains(text),
            "{error}"
        );
    }
    let error = batch.step(&[0, 0], buffers.rows()).expect_err("too few actions");
    assert_eq!(error.to_string(), "actions: expected 3 elements, got 2");
    let mut rows = buffers.rows();
    rows.mask = &mut rows.mask[1..];
    let error = batch.step(&[0, 0, 0], rows).expect_err("a buffer is short");
    assert_eq!(error.to_string(), "action_mask: expected 1836 elements, got 1835");
    let error = batch.observe(Viewer::Player(2), &mut []).expect_err("no such seat");
    assert_eq!(error.to_string(), "viewer 2: expected a seat from 0 to 1 or \"public\"");

    assert_eq!((buffers, batch.state(0).map(|state| state.fen())), before);
}

#[test]
fn numbers_of_lanes_and_threads_are_checked() {
    for (first_lane, lanes, threads, fault) in [
        (0, 0, 1, "num_envs: 0 is not between 1 and 4294967296"),
        (1 << 32, 1, 1, "num_envs: 4294967297 is not between 1 and 4294967296"),
        ((1 << 32) - 1, 2, 1, "num_envs: 4294967297 is not between 1 and 4294967296"),
        (usize::MAX, 1, 1, "num_envs: 18446744073709551615 is not between 1 and 4294967296"),
        (0, 1, 0, "threads: 0 is not between 1 and 1024"),
        (0, 1, 70_000, "threads: 70000 is not between 1 and 1024"),
    ] {
        let config = BatchConfig { first_lane, ..config(lanes, threads) };
        let made = darkqi_env::make("gaiqi", &Options::new(), config);
        assert_eq!(made.err().map(|error| error.to_string()).as_deref(), Some(fault));
    }
}
