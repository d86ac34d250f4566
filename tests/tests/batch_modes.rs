//! How a batch treats lanes whose games are over, illegal actions, and resets of single lanes.

use darkqi_env::{
    AnyBatch, BatchConfig, BatchError, Viewer,
    batch::{Autoreset, Buffers, Decisions, Illegal, Reset},
    games,
};
use darkqi_tests::buffers::{last_position, part, row};
use darkqi_tests::short_games;

const LANES: usize = 6;

fn make(game: &str, autoreset: Autoreset, illegal: Illegal) -> (Box<dyn AnyBatch>, Buffers) {
    let config =
        BatchConfig { lanes: LANES, seed: 3, autoreset, illegal, ..BatchConfig::default() };
    let mut batch = darkqi_env::make(game, &short_games(game), config).expect("the game exists");
    let mut buffers = Buffers::new(&*batch).with_final_observation();
    batch.reset(None, buffers.rows()).expect("the buffers fit");
    (batch, buffers)
}

/// Steps with random actions. Returns for each lane whether its game ended.
fn step(batch: &mut dyn AnyBatch, buffers: &mut Buffers) -> Vec<bool> {
    let mut actions = [0; LANES];
    batch.sample_actions(&mut actions).expect("the buffer fits");
    batch.step(&actions, buffers.rows()).expect("sampled actions can be played");
    (0..LANES).map(|lane| buffers.ended(lane)).collect()
}

fn fens(batch: &dyn AnyBatch) -> Vec<String> {
    (0..LANES).map(|lane| batch.state(lane).expect("the lane exists").fen()).collect()
}

#[test]
fn a_lane_may_show_how_its_game_ended_before_the_next() {
    for game in games::names() {
        let (mut at_once, mut shown) = make(game, Autoreset::SameStep, Illegal::Refuse);
        let (mut later, mut rows) = make(game, Autoreset::NextStep, Illegal::Refuse);
        // Only lane 0 is compared: the other lanes of the two batches are soon at different plies.
        let mut ends = 0;
        for _ in 0..2000 {
            let over = step(&mut *at_once, &mut shown)[0];
            assert_eq!(step(&mut *later, &mut rows)[0], over, "{game}");
            assert_eq!(part(&rows.reward, 0, LANES), part(&shown.reward, 0, LANES));
            if over {
                ends += 1;
                let last = last_position(&shown, 0);
                assert_eq!(part(&rows.observation, 0, LANES), last, "{game}");
                assert!(part(&rows.mask, 0, LANES).iter().all(|&legal| legal == 0));
                assert!(later.state(0).expect("the lane exists").outcome().is_some());
                // The action does not matter.
                let mut actions = [0; LANES];
                later.sample_actions(&mut actions).expect("the buffer fits");
                assert_eq!(actions[0], 0, "there is nothing to draw");
                actions[0] = -7;
                later.step(&actions, rows.rows()).expect("lane 0 deals its next game");
                assert!(!rows.terminated[0] && !rows.truncated[0]);
                assert!(part(&rows.reward, 0, LANES).iter().all(|&reward| reward == 0.0));
            }
            assert_eq!(fens(&*later)[0], fens(&*at_once)[0], "{game}");
            if ends == 3 {
                break;
            }
        }
        assert_eq!(ends, 3, "{game}: too few games ended");
    }
}

#[test]
fn a_lane_may_wait_for_its_reset() {
    let (mut batch, mut buffers) = make("gaiqi", Autoreset::Disabled, Illegal::Forfeit);
    let over = loop {
        let over = step(&mut *batch, &mut buffers);
        if over.contains(&true) {
            break over;
        }
    };
    let ended = over.iter().position(|&over| over).expect("a lane is over");
    let before = (fens(&*batch), batch.seeds(), buffers.clone());
    let mut actions = [0; LANES];
    batch.sample_actions(&mut actions).expect("the buffer fits");
    let error = batch.step(&actions, buffers.rows()).expect_err("a lane is over");
    assert_eq!(error, BatchError::Over { lane: ended });
    assert_eq!((fens(&*batch), batch.seeds(), buffers.clone()), before);

    let resets = over.iter().map(|&over| if over { Reset::Next } else { Reset::Keep });
    batch.reset_lanes(&resets.collect::<Vec<_>>(), buffers.rows()).expect("the buffers fit");
    for (lane, over) in over.into_iter().enumerate() {
        assert_eq!(fens(&*batch)[lane] == before.0[lane], !over);
        assert_eq!(batch.seeds()[lane] == before.1[lane], !over);
        assert!(!buffers.terminated[lane]);
        if !over {
            assert_eq!(row(&buffers, lane), row(&before.2, lane));
        }
    }
    step(&mut *batch, &mut buffers);
}

#[test]
fn an_illegal_action_may_forfeit_the_game() {
    for game in games::names() {
        for autoreset in [Autoreset::SameStep, Autoreset::NextStep] {
            let (mut batch, mut buffers) = make(game, autoreset, Illegal::Forfeit);
            step(&mut *batch, &mut buffers);
            let (before, shown) = (fens(&*batch), buffers.clone());
            let mut actions = [0; LANES];
            batch.sample_actions(&mut actions).expect("the buffer fits");
            for nonsense in [-1, i64::MAX] {
                let mut actions = actions;
                actions[4] = nonsense;
                assert_eq!(batch.prepare(&actions, Decisions::default()), Ok(()), "{game}");
            }
            actions[4] = -1;
            let loser = usize::try_from(buffers.current_player[4]).expect("it is a seat");
            batch.step(&actions, buffers.rows()).expect("lane 4 forfeits");
            let (_, _, _, reward, terminated, truncated) = row(&buffers, 4);
            assert!(terminated && !truncated);
            assert_eq!(reward[loser], -1.0);
            assert!(reward.iter().sum::<f32>().abs() < 1e-6);
            let last = last_position(&buffers, 4);
            assert_eq!(last, part(&shown.observation, 4, LANES), "{game}");
            let dealt = autoreset == Autoreset::SameStep;
            assert_eq!(fens(&*batch)[4] != before[4], dealt, "{game}");
            assert!(!buffers.terminated[3]);
        }
    }
}

#[test]
fn lanes_can_be_seeded_one_by_one() {
    for game in games::names() {
        let (mut batch, mut buffers) = make(game, Autoreset::SameStep, Illegal::Refuse);
        let resets = [9, 10, 9].map(Reset::Seed).into_iter();
        let resets: Vec<_> = resets.chain([Reset::Keep, Reset::Next, Reset::Seed(9)]).collect();
        let kept = fens(&*batch)[3].clone();
        batch.reset_lanes(&resets, buffers.rows()).expect("the buffers fit");
        assert_eq!(fens(&*batch)[3], kept);
        let dealt = darkqi_env::deal(game, &short_games(game), 9).expect("the game exists");
        assert_eq!(fens(&*batch)[0], dealt.fen());
        // A lane's later games follow from its seed, too.
        let mut left = 20;
        for _ in 0..600 {
            left -= u32::from(batch.seeds()[0] != 9);
            if left == 0 {
                break;
            }
            step(&mut *batch, &mut buffers);
            assert_eq!(row(&buffers, 0), row(&buffers, 2), "{game}");
            assert_eq!(row(&buffers, 0), row(&buffers, 5), "{game}");
        }
        assert_ne!(batch.seeds()[0], 9, "{game}: the first game is over");
        assert_eq!(batch.seeds()[0], batch.seeds()[5]);
        let mut alone = vec![0; batch.lengths().observation];
        let state = batch.state(0).expect("the lane exists");
        let mover = Viewer::Player(state.current_player());
        state.observe(mover, batch.config().format, &mut alone);
        assert_eq!(part(&buffers.observation, 0, LANES), alone);
        // A seed for the whole batch replaces the seeds of the lanes.
        batch.reset(Some(3), buffers.rows()).expect("the buffers fit");
        assert_eq!(batch.seeds(), make(game, Autoreset::SameStep, Illegal::Refuse).0.seeds());
    }
    let (mut batch, mut buffers) = make("jieqi", Autoreset::SameStep, Illegal::Refuse);
    let error = batch.reset_lanes(&[Reset::Next], buffers.rows()).expect_err("lanes are missing");
    assert_eq!(error.to_string(), "lanes: expected 6 elements, got 1");
}
