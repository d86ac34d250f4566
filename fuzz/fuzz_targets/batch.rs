//! Batches: after any sequence of calls, each lane equals the game that the slow referee plays.
//!
//! Input (bytes): game (1), options (2), lanes, autoreset and illegal (1 each), seed (2), then
//! calls: the kind of call (1) and its arguments, lane by lane.

#![no_main]

use darkqi_env::{AnyBatch, Autoreset, BatchConfig, BatchError, Buffers, Illegal, Options, Reset};
use darkqi_fuzz::Input;
use darkqi_tests::arbitrary::{Named, pairs};
use darkqi_tests::buffers::{part, row};
use darkqi_tests::options;
use darkqi_tests::referee::{self, Referee};
use libfuzzer_sys::fuzz_target;

const LANES: usize = 3;
const CALLS: usize = 60;

/// The expected state of a lane.
struct Lane {
    seed: u64,
    game: Box<dyn Referee>,
    /// Whether a step has ended its game and the next has not been dealt.
    is_over: bool,
    reward: Vec<f32>,
    ended: [bool; 2],
}

struct Model<'a> {
    name: &'static str,
    given: &'a [Named],
    options: Options,
    lanes: Vec<Lane>,
}

impl Model<'_> {
    fn deal(&self, seed: u64) -> Box<dyn Referee> {
        let dealt =
            darkqi_env::deal(self.name, &self.options, seed).expect("the options are valid");
        referee::from_fen(self.name, &dealt.fen(), &pairs(self.given))
            .expect("the FEN of a deal can be read")
    }

    /// Records that the lane was dealt the game of this seed.
    fn record_deal(&mut self, lane: usize, seed: u64, keep_results: bool) {
        let game = self.deal(seed);
        let lane = &mut self.lanes[lane];
        (lane.seed, lane.game, lane.is_over) = (seed, game, false);
        if !keep_results {
            lane.reward.fill(0.0);
            lane.ended = [false; 2];
        }
    }

    fn check(&self, batch: &dyn AnyBatch, buffers: &Buffers) {
        for (number, lane) in self.lanes.iter().enumerate() {
            let state = batch.state(number).expect("the lane exists");
            let fen = lane.game.fen();
            assert_eq!(state.fen(), fen);
            assert_eq!(batch.seeds()[number], lane.seed);
            let (_, mask, player, reward, terminated, truncated) = row(buffers, number);
            let mut legal = Vec::new();
            if !lane.is_over {
                let index = |name: &String| {
                    state.action_index(name).expect("the engine knows the move").index()
                };
                legal = lane.game.legal_moves().iter().map(index).collect();
                legal.sort_unstable();
            }
            let shown: Vec<usize> = (0..mask.len()).filter(|&index| mask[index] == 1).collect();
            assert_eq!(shown, legal, "{fen}");
            assert_eq!(usize::try_from(player), Ok(lane.game.current_player()), "{fen}");
            assert_eq!(reward, lane.reward, "{fen}");
            assert_eq!([terminated, truncated], lane.ended, "{fen}");
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    let name = input.game();
    let given = input.options(name);
    let options = options(&pairs(&given));
    let config = BatchConfig {
        lanes: 1 + input.below(LANES),
        autoreset: [Autoreset::SameStep, Autoreset::NextStep, Autoreset::Disabled][input.below(3)],
        illegal: [Illegal::Refuse, Illegal::Forfeit][input.below(2)],
        seed: input.word().into(),
        threads: Some(1),
        sink: None,
        ..BatchConfig::default()
    };
    let mut batch =
        darkqi_env::make(name, &options, config.clone()).expect("the options are valid");
    let mut buffers = Buffers::new(&*batch);
    batch.reset(None, buffers.rows()).expect("the buffers fit");
    let mut model = Model { name, given: &given, options, lanes: Vec::new() };
    let players = batch.spec().num_players;
    for &seed in &batch.seeds() {
        let game = model.deal(seed);
        let (reward, ended) = (vec![0.0; players], [false; 2]);
        // `is_over` is false even if the game is over as dealt: it means that a step has ended it.
        model.lanes.push(Lane { seed, game, is_over: false, reward, ended });
    }
    model.check(&*batch, &buffers);
    for _ in 0..CALLS {
        if input.is_empty() {
            break;
        }
        match input.below(8) {
            0 => reset(&mut *batch, &mut model, &mut buffers, &mut input),
            1 => {
                let seed = input.below(2).eq(&1).then(|| u64::from(input.word()));
                batch.reset(seed, buffers.rows()).expect("the buffers fit");
                for (lane, seed) in batch.seeds().into_iter().enumerate() {
                    model.record_deal(lane, seed, false);
                }
            }
            _ => step(&mut *batch, &mut model, &mut buffers, &mut input),
        }
        model.check(&*batch, &buffers);
    }
});

fn reset(
    batch: &mut dyn AnyBatch,
    model: &mut Model<'_>,
    buffers: &mut Buffers,
    input: &mut Input<'_>,
) {
    let resets: Vec<Reset> = (0..model.lanes.len())
        .map(|_| match input.below(3) {
            0 => Reset::Keep,
            1 => Reset::Next,
            _ => Reset::Seed(input.word().into()),
        })
        .collect();
    batch.reset_lanes(&resets, buffers.rows()).expect("the buffers fit");
    for (lane, (reset, seed)) in resets.into_iter().zip(batch.seeds()).enumerate() {
        match reset {
            Reset::Keep => {}
            Reset::Next => model.record_deal(lane, seed, false),
            Reset::Seed(given) => model.record_deal(lane, given, false),
        }
    }
}

fn step(
    batch: &mut dyn AnyBatch,
    model: &mut Model<'_>,
    buffers: &mut Buffers,
    input: &mut Input<'_>,
) {
    let count = model.lanes.len();
    let actions: Vec<i64> = (0..count)
        .map(|lane| {
            let mask = part(&buffers.mask, lane, count);
            let legal: Vec<usize> = (0..mask.len()).filter(|&index| mask[index] == 1).collect();
            match (input.byte(), legal.len()) {
                (0, _) => input.long() as i64,
                (1, _) => input.word().into(),
                (_, 0) => 0,
                (byte, legals) => legal[usize::from(byte) % legals] as i64,
            }
        })
        .collect();
    let before = (batch.seeds(), buffers.clone());
    let config = batch.config().clone();
    let expected = model.lanes.iter().zip(&actions).enumerate().find_map(|(number, pair)| {
        let (lane, &action) = pair;
        let mask = part(&buffers.mask, number, count);
        let is_legal = usize::try_from(action).is_ok_and(|action| mask.get(action) == Some(&1));
        match (lane.is_over, config.autoreset, config.illegal) {
            (true, Autoreset::NextStep, _) => None,
            (true, ..) => Some(number),
            (false, _, Illegal::Refuse) if !is_legal => Some(number),
            _ => None,
        }
    });
    let names: Vec<Option<String>> = (0..count)
        .map(|lane| {
            let state = batch.state(lane).expect("the lane exists");
            let action = state.action(actions[lane]).ok()?;
            state.legal_actions().contains(&action).then(|| state.action_name(action))
        })
        .collect();
    match batch.step(&actions, buffers.rows()) {
        Err(BatchError::Over { lane } | BatchError::Action { lane, .. }) => {
            assert_eq!(expected, Some(lane));
            assert_eq!((batch.seeds(), buffers.clone()), before);
            return;
        }
        stepped => stepped.expect("the buffers fit"),
    }
    assert_eq!(expected, None);
    for (number, name) in names.into_iter().enumerate() {
        if model.lanes[number].is_over {
            model.record_deal(number, batch.seeds()[number], false);
            continue;
        }
        let lane = &mut model.lanes[number];
        lane.reward.fill(0.0);
        lane.ended = [false; 2];
        match name {
            Some(name) => {
                lane.game.apply(&name).expect("the move is legal");
                let Some(outcome) = lane.game.outcome() else { continue };
                lane.reward = outcome.rewards.iter().map(|&reward| reward as f32).collect();
                lane.ended = [!outcome.truncated, outcome.truncated];
            }
            None => {
                let others = (lane.reward.len() - 1) as f32;
                lane.reward.fill(1.0 / others);
                lane.reward[lane.game.current_player()] = -1.0;
                lane.ended = [true, false];
            }
        }
        lane.is_over = true;
        if config.autoreset == Autoreset::SameStep {
            model.record_deal(number, batch.seeds()[number], true);
        }
    }
}
