//! Nets are computed as they are described, and files that cannot be used are refused.

use std::collections::HashMap;

use darkqi_env::games::{flipping::Flipping, seven_kingdoms::SevenKingdoms};
use darkqi_env::{
    AnyState, Game, Registered, Rng, Session, Stream, Viewer,
    game::{Hidden, Observe},
};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, serialize};

use super::{Accumulator, LANES, ONE, SCALE, ValueNet, each_input, input_count};
use crate::evaluation::{Evaluation, Prior};

const UNITS: usize = 16;
const MIDDLE: usize = 4;
const INPUTS: usize = input_count(&Flipping::LAYOUT);

/// A file of a net, by tensor: shape and numbers.
type Tensors = Vec<(&'static str, Dtype, Vec<usize>, Vec<i32>)>;

/// A net of random small weights.
fn tensors(seed: u64) -> Tensors {
    let mut rng = Rng::new(seed, Stream::Sample);
    let mut numbers = |count: usize, most: i32| -> Vec<i32> {
        (0..count).map(|_| rng.below(2 * most as u32 + 1) as i32 - most).collect()
    };
    vec![
        ("embedding", Dtype::I16, vec![INPUTS, UNITS], numbers(INPUTS * UNITS, 40)),
        ("embedding.bias", Dtype::I16, vec![UNITS], numbers(UNITS, 100)),
        ("skip", Dtype::I32, vec![INPUTS], numbers(INPUTS, 3000)),
        ("middle", Dtype::I16, vec![MIDDLE, UNITS], numbers(MIDDLE * UNITS, 200)),
        ("middle.bias", Dtype::I32, vec![MIDDLE], numbers(MIDDLE, 10_000)),
        ("output", Dtype::I16, vec![MIDDLE], numbers(MIDDLE, 300)),
        ("output.bias", Dtype::I32, vec![1], numbers(1, 10_000)),
    ]
}

fn file(tensors: &Tensors, format: &str, game: &str) -> Vec<u8> {
    let bytes: Vec<Vec<u8>> = tensors
        .iter()
        .map(|(_, dtype, _, numbers)| match dtype {
            Dtype::I16 => numbers.iter().flat_map(|&one| (one as i16).to_le_bytes()).collect(),
            _ => numbers.iter().flat_map(|one| one.to_le_bytes()).collect(),
        })
        .collect();
    let views = tensors.iter().zip(&bytes).map(|((name, dtype, shape, _), bytes)| {
        (*name, TensorView::new(*dtype, shape.clone(), bytes).expect("the shape fits"))
    });
    let about = HashMap::from([(format.to_owned(), game.to_owned())]);
    serialize(views, Some(about)).expect("tensors can be written")
}

fn read(bytes: &[u8]) -> Result<ValueNet, String> {
    ValueNet::parse(Flipping::NAME, &Flipping::LAYOUT, bytes)
}

fn parse(tensors: &Tensors) -> Result<ValueNet, String> {
    read(&file(tensors, "darkqi value net 1", "flipping"))
}

/// The output by its definition, in real numbers but for the rounding of the second layer.
fn plain_logit(tensors: &Tensors, inputs: &[usize]) -> f64 {
    let [embedding, bias, skip, middle, middle_bias, output, output_bias] =
        [0, 1, 2, 3, 4, 5, 6].map(|place| &tensors[place].3);
    let real = |number: i32| f64::from(number);
    let first: Vec<f64> = (0..UNITS)
        .map(|unit| {
            let sum: f64 = inputs.iter().map(|input| real(embedding[input * UNITS + unit])).sum();
            (sum + real(bias[unit])).clamp(0.0, real(ONE))
        })
        .collect();
    let second = (0..MIDDLE).map(|unit| {
        let products = first.iter().zip(&middle[unit * UNITS..]).map(|(a, &b)| a * real(b));
        let sum = products.sum::<f64>() + real(middle_bias[unit]);
        (sum / real(SCALE) + 0.5).floor().clamp(0.0, real(ONE))
    });
    let sum: f64 = second.zip(output).map(|(unit, &weight)| unit * real(weight)).sum();
    let skipped: f64 = inputs.iter().map(|&input| real(skip[input])).sum();
    (sum + skipped + real(output_bias[0])) / real(ONE * SCALE)
}

#[test]
fn logits_are_those_of_the_definition() {
    let rules = Flipping::default();
    let mut outputs = Vec::new();
    for seed in 0..8 {
        let tensors = tensors(seed);
        let net = parse(&tensors).expect("a net");
        let mut game = Session::deal(rules.clone(), seed);
        let mut accumulator = Accumulator::new();
        for ply in 0..12 {
            let legal = game.legal_actions();
            game.play(legal[(ply * 5 + seed as usize) % legal.len()]);
            let view = rules.view(game.state(), Viewer::Player(ply % 2));
            let mut inputs = Vec::new();
            each_input(&rules, &view, |input| inputs.push(input));
            let found = net.logit(&rules, &view, &mut accumulator);
            assert_eq!(f64::from(found), plain_logit(&tensors, &inputs));
            outputs.push(found);
        }
    }
    assert!(outputs.iter().any(|&one| one > 0.1) && outputs.iter().any(|&one| one < -0.1));
}

#[test]
fn a_net_moves_the_expected_result_of_the_viewer() {
    let rules = Flipping::default();
    let game = Session::deal(rules.clone(), 0);
    let mut tensors = tensors(0);
    tensors.iter_mut().for_each(|(_, _, _, numbers)| numbers.fill(0));
    let value = |tensors: &Tensors, viewer| {
        let net = parse(tensors).expect("a net").into();
        let evaluation = Evaluation::built_in::<Flipping>().with_net(Some(net));
        let view = rules.view(game.state(), Viewer::Player(viewer));
        evaluation.evaluate(&rules, &view, viewer)
    };
    let linear = Evaluation::built_in::<Flipping>();
    let view = rules.view(game.state(), Viewer::Player(0));
    let without = linear.evaluate(&rules, &view, 0);
    assert_eq!(value(&tensors, 0), without);
    tensors[6].3[0] = ONE * SCALE / 2;
    for viewer in 0..2 {
        let with = value(&tensors, viewer);
        assert!(with[viewer] > without[viewer] + 0.3, "{with:?} {without:?}");
        assert_eq!(with[viewer], -with[1 - viewer]);
    }
}

#[test]
fn a_net_is_added_to_the_linear_evaluation_whatever_is_in_peril() {
    let rules = SevenKingdoms::default();
    let inputs = input_count(&SevenKingdoms::LAYOUT);
    let net = ValueNet {
        game: SevenKingdoms::NAME,
        units: LANES,
        embedding: vec![[0; LANES]; inputs],
        embedding_bias: vec![[0; LANES]],
        skip: vec![0; inputs],
        middle: vec![[0; LANES]],
        middle_bias: vec![0],
        output: vec![0],
        output_bias: ONE * SCALE / 2,
    };
    let linear = Evaluation::built_in::<SevenKingdoms>();
    let with_net = linear.clone().with_net(Some(net.into()));
    let mut game = Session::deal(rules.clone(), 1);
    for ply in 0..400 {
        let legal = game.legal_actions();
        game.play(legal[(ply * 7919) % legal.len()]);
        if AnyState::outcome(&game).is_some() {
            break;
        }
        let viewer = ply % rules.players();
        let view = rules.view(game.state(), Viewer::Player(viewer));
        let prior = linear.prior(&rules, &view, viewer);
        let found = with_net.evaluate(&rules, &view, viewer)[viewer];
        let expected = prior.fading * Prior { logit: prior.logit + 0.5, ..prior }.result();
        assert!((found - expected).abs() < 1e-5, "{found} {expected}: {}", game.fen());
    }
}

#[test]
fn files_that_cannot_be_used_are_refused() {
    let good = tensors(1);
    let fault = |change: &dyn Fn(&mut Tensors)| {
        let mut tensors = good.clone();
        change(&mut tensors);
        parse(&tensors).expect_err("the file is bad")
    };
    let game = file(&good, "darkqi value net 1", "jieqi");
    let format = file(&good, "darkqi value net 2", "flipping");
    let parsed = |bytes: &[u8]| read(bytes).expect_err("the file is bad");
    for (found, expected) in [
        (parsed(b"nothing"), "expected safetensors: "),
        (parsed(&game), "a net for jieqi, not for flipping"),
        (parsed(&format), "expected metadata `darkqi value net 1` with the game's name"),
        (fault(&|tensors| drop(tensors.remove(2))), "there is no tensor `skip`"),
        (
            fault(&|tensors| {
                tensors[5].2 = vec![MIDDLE - 1];
                tensors[5].3.truncate(MIDDLE - 1);
            }),
            "output: expected I16 of shape [4], found I16 of shape [3]",
        ),
        (
            fault(&|tensors| tensors[5].1 = Dtype::I32),
            "output: expected I16 of shape [4], found I32 of shape [4]",
        ),
        (
            fault(&|tensors| {
                tensors[1].2 = vec![8];
                tensors[1].3.truncate(8);
            }),
            "embedding.bias: expected a multiple of 16, found 8",
        ),
        (fault(&|tensors| tensors[0].3.fill(1000)), "embedding: sums may reach"),
        (fault(&|tensors| tensors[4].3.fill(i32::MAX)), "middle: sums may reach"),
        (fault(&|tensors| tensors[2].3.fill(i32::MAX / 8)), "output: sums may reach"),
    ] {
        assert!(found.starts_with(expected), "{found}");
    }
}

#[test]
fn built_in_nets_can_be_read() {
    struct Read;
    impl darkqi_env::Visitor for Read {
        type Output = bool;
        fn visit<G: Registered>(self, _: G) -> bool {
            ValueNet::built_in::<G>().is_some()
        }
    }
    let options = darkqi_env::Options::new();
    let count = darkqi_env::games::names()
        .iter()
        .filter(|game| darkqi_env::games::with(game, &options, Read).expect("a game"))
        .count();
    assert_eq!(count, 5);
}
