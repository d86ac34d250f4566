//! The symmetries that games declare: games and their reflections are played side by side.

use darkqi_env::{
    Action, Format, Registered, Rng, Spec, Square, Stream, Viewer, Visitor, board::Reflection,
    game::GameExt, games, rng::game_seed, spec::Symmetry,
};
use darkqi_tests::arbitrary::{pairs, random_options};
use darkqi_tests::reflect::reflected_fen;
use darkqi_tests::{affordable, cases, test_rng, texts};

/// Settings per game, besides the defaults: random ones.
const SETTINGS: u64 = 120;

/// Plies per game. Few games are longer.
const PLIES: usize = 600;

/// Runs a check, made for a seed, for every game with the defaults and with random options.
fn for_every_setting<V: Visitor<Output = ()>>(check: impl Fn(u64) -> V) {
    for game in games::names() {
        let layout = Spec::new(game, &texts(&[])).expect("the game exists").layout;
        let settings = affordable(cases(SETTINGS) as usize, &layout) as u64;
        games::with(game, &texts(&[]), check(settings)).expect("the game exists");
        for seed in 0..settings {
            let given = random_options(game, &mut test_rng(seed));
            games::with(game, &texts(&pairs(&given)), check(seed)).expect("they are valid");
        }
    }
}

fn planes<G: Registered>(rules: &G, state: &G::State, viewer: Viewer) -> Vec<u8> {
    let mut row = vec![0; G::LAYOUT.plane_len()];
    Format::Planes.write(rules, &rules.view(state, viewer), &mut row);
    row
}

/// The row of planes with the squares of each taken to others.
fn permuted(planes: &[u8], squares: &[Square]) -> Vec<u8> {
    let mut row = vec![0; planes.len()];
    for (from, to) in planes.chunks(squares.len()).zip(row.chunks_mut(squares.len())) {
        from.iter().zip(squares).for_each(|(&value, square)| to[square.index()] = value);
    }
    row
}

struct PlaySideBySide {
    seed: u64,
}

impl Visitor for PlaySideBySide {
    type Output = ();

    fn visit<G: Registered>(self, rules: G) {
        let symmetries = Spec::of(&rules).symmetries();
        for symmetry in &symmetries {
            let reflection = Reflection::ALL.into_iter().find(|one| one.name() == symmetry.name);
            let reflection = reflection.expect("a symmetry is a reflection");
            let deal = rules.deal(&mut Rng::new(game_seed(self.seed, 1), Stream::Deal));
            let fen = reflected_fen::<G>(&rules.fen(&deal), reflection);
            let reflected = rules.parse_fen(&fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
            play(&rules, symmetry, [deal, reflected], &mut test_rng(self.seed));
        }
    }
}

/// Plays a game and its reflection until they end.
fn play<G: Registered>(rules: &G, symmetry: &Symmetry, states: [G::State; 2], rng: &mut Rng) {
    let [mut state, mut reflected] = states;
    let corresponding = |action: Action| symmetry.actions[action.index()];
    for _ in 0..PLIES {
        let [fen, about] = [rules.fen(&state), format!("{}, {}", G::NAME, symmetry.name)];
        for viewer in (0..rules.players()).map(Viewer::Player).chain([Viewer::Public]) {
            let expected = permuted(&planes(rules, &state, viewer), &symmetry.squares);
            assert!(planes(rules, &reflected, viewer) == expected, "{about}, {viewer:?}: {fen}");
        }
        let outcome = rules.outcome(&state);
        assert_eq!(rules.outcome(&reflected), outcome, "{about}: {fen}");
        if outcome.is_some() {
            break;
        }
        assert_eq!(rules.to_move(&reflected), rules.to_move(&state), "{about}: {fen}");
        let actions = rules.actions(&state);
        let mut expected: Vec<Action> = actions.iter().copied().map(corresponding).collect();
        expected.sort();
        assert_eq!(rules.actions(&reflected), expected, "{about}: {fen}");
        let action = *rng.choose(&actions);
        rules.play(&mut state, action);
        rules.play(&mut reflected, corresponding(action));
    }
}

#[test]
fn a_game_and_its_reflection_are_played_alike() {
    for_every_setting(|seed| PlaySideBySide { seed });
}

struct CompareStarts {
    seed: u64,
}

impl Visitor for CompareStarts {
    type Output = ();

    fn visit<G: Registered>(self, rules: G) {
        let size = G::LAYOUT.size;
        let start = rules.deal(&mut Rng::new(game_seed(self.seed, 1), Stream::Deal));
        let fen = rules.fen(&start);
        let board = fen.split(' ').next().expect("a FEN has a board");
        if rules.designed_by().is_some() && board.contains(|letter: char| letter.is_ascii_digit()) {
            // The squares of a few pieces are drawn: the deal itself is not symmetric.
            return;
        }
        let start = planes(&rules, &start, Viewer::Public);
        let found: Vec<Vec<Square>> = turns_and_reflections(size.files, size.ranks)
            .into_iter()
            .filter(|squares| permuted(&start, squares) == start)
            .collect();
        let declared: Vec<Vec<Square>> =
            Spec::of(&rules).symmetries().into_iter().map(|symmetry| symmetry.squares).collect();
        assert_eq!(found, declared, "{}", G::NAME);
    }
}

/// What a board can be turned and reflected by, the identity apart. Only a square board has the
/// last four.
fn turns_and_reflections(files: usize, ranks: usize) -> Vec<Vec<Square>> {
    type Turned = fn(usize, usize, [usize; 2]) -> [usize; 2];
    const TURNS: [Turned; 7] = [
        |file, rank, [files, _]| [files - 1 - file, rank],
        |file, rank, [_, ranks]| [file, ranks - 1 - rank],
        |file, rank, [files, ranks]| [files - 1 - file, ranks - 1 - rank],
        |file, rank, _| [rank, file],
        |file, rank, [files, _]| [rank, files - 1 - file],
        |file, rank, [_, ranks]| [ranks - 1 - rank, file],
        |file, rank, [files, ranks]| [ranks - 1 - rank, files - 1 - file],
    ];
    let count = if files == ranks { 7 } else { 3 };
    let squares = |turned: &Turned| {
        let square = |index| {
            let [file, rank] = turned(index % files, index / files, [files, ranks]);
            Square::new(rank * files + file)
        };
        (0..files * ranks).map(square).collect()
    };
    TURNS[..count].iter().map(squares).collect()
}

/// A symmetry must keep what all know of a deal. So none is missing: of what can be done to the
/// board, nothing else does.
#[test]
fn symmetries_are_those_that_the_start_has() {
    for_every_setting(|seed| CompareStarts { seed });
}
