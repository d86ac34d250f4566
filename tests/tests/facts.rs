//! The facts that games declare, compared with random games.

use std::collections::BTreeSet;

use darkqi_env::{
    Action, AnyState, Format, Options, Registered, Rng, Spec, Square, Viewer, Visitor,
    board::Perspective,
    game::{Army, Counter, Hides},
    games,
    session::Reveal,
};
use darkqi_tests::arbitrary::{pairs, random_options};
use darkqi_tests::{affordable, random_action, test_rng, texts};

/// Random games per setting.
const GAMES: u64 = 12;

/// Options that change a fact.
const SETTINGS: &[(&str, &[(&str, &str)])] = &[
    ("jieqi", &[("captured", "public")]),
    ("mystery", &[("captured", "public")]),
    ("seven_kingdoms", &[("seats", "01-0122"), ("teams", "GAG")]),
    ("seven_kingdoms", &[("seats", "0101010")]),
];

/// Plays random actions, this number at most, and shows each with the positions before and after it.
fn play(
    mut state: Box<dyn AnyState>,
    most: usize,
    rng: &mut Rng,
    mut look: impl FnMut(&dyn AnyState, Action, &dyn AnyState),
) {
    for _ in 0..most {
        if state.outcome().is_some() {
            break;
        }
        let (before, action) = (state.boxed_clone(), random_action(&*state, rng));
        state.apply(action).expect("it is legal");
        look(&*before, action, &*state);
    }
}

/// What the random games showed.
#[derive(Default)]
struct Seen {
    deals: BTreeSet<String>,
    /// Whether the outcomes of one action included pieces of two kinds, or of two armies.
    kind_was_hidden: bool,
    army_was_hidden: bool,
    covered_piece_moved: bool,
    capture_was_secret: bool,
    seats: BTreeSet<usize>,
    plies: u16,
}

/// A counter reaches its limit when the game ends by it, and not before.
fn check_counters(state: &dyn AnyState) {
    let reason = state.outcome().map(|outcome| outcome.reason.name());
    let counters = state.counters(Viewer::Public);
    for &Counter { option, count, limit, .. } in &counters {
        let is_reached = count >= limit;
        assert!(!is_reached || reason.is_some(), "{option}: {count} of {limit}");
        assert!(is_reached || reason != Some(option), "{option}: {count} of {limit}");
    }
    assert!(counters.iter().any(|counter| counter.option == "max_plies"));
}

impl Seen {
    fn of(game: &str, options: &Options) -> Self {
        let mut seen = Self::default();
        for seed in 0..GAMES {
            let state = darkqi_env::deal(game, options, seed).expect("it can be dealt");
            seen.deals.insert(state.fen());
            check_counters(&*state);
            play(state, usize::MAX, &mut test_rng(seed), |before, action, after| {
                seen.look(before, action);
                check_counters(after);
                seen.plies = seen.plies.max(after.ply());
            });
        }
        seen
    }

    fn look(&mut self, state: &dyn AnyState, action: Action) {
        self.seats.insert(state.current_player());
        let spec = state.spec();
        let reveals = state.reveals(action).expect("it is legal");
        let revealed: Vec<&String> =
            reveals.iter().filter_map(|one| one.revealed.as_ref()).collect();
        let armies: BTreeSet<_> = revealed.iter().map(|name| army_of(&spec, name)).collect();
        let kinds: BTreeSet<_> = revealed.iter().map(|name| name.to_ascii_uppercase()).collect();
        self.kind_was_hidden |= kinds.len() > 1;
        self.army_was_hidden |= armies.len() > 1;
        let squares = state.action_name(action).chars().filter(char::is_ascii_alphabetic).count();
        self.covered_piece_moved |= squares == 2 && !revealed.is_empty();
        let event = state.event(action, Viewer::Public).expect("it is legal");
        self.capture_was_secret |= event.captured_covered && event.captured.is_none();
    }
}

/// The army that has a piece of this name.
fn army_of(spec: &Spec, name: &str) -> &'static str {
    let has = |army: &&Army| spec.kinds.iter().any(|&kind| army.piece_name(kind) == name);
    let mut armies = spec.armies.iter().filter(has);
    let army = armies.next().unwrap_or_else(|| panic!("{}: no army has {name}", spec.name));
    assert!(armies.next().is_none(), "{}: two armies have {name}", spec.name);
    army.name
}

fn check(game: &str, options: &Options) {
    let spec = Spec::new(game, options).expect("the game exists");
    let seen = Seen::of(game, options);
    let hides = match (seen.kind_was_hidden, seen.army_was_hidden) {
        (_, true) => Hides::KindAndArmy,
        (true, false) => Hides::Kind,
        (false, false) => Hides::Nothing,
    };
    assert_eq!(spec.hides, hides, "{game}");
    assert_eq!(spec.deals_vary, seen.deals.len() > 1, "{game}");
    assert_eq!(spec.covered_pieces_move, seen.covered_piece_moved, "{game}");
    assert_eq!(spec.captures_are_secret, seen.capture_was_secret, "{game}");
    assert!(spec.player_range.contains(&spec.num_players), "{game}");
    assert_eq!(seen.seats.len(), spec.num_players, "{game}");
    assert!(seen.plies <= spec.max_plies, "{game}");
}

#[test]
fn declared_facts_show_in_play() {
    for game in games::names() {
        check(game, &Options::new());
    }
    for (game, pairs) in SETTINGS {
        check(game, &texts(pairs));
    }
}

/// The greatest values that planes had in random games.
struct Greatest(Vec<u8>);

impl Greatest {
    fn new(spec: &Spec) -> Self {
        Self(vec![0; spec.plane_maxima.len()])
    }

    /// Looks at a position as all viewers see it.
    fn look(&mut self, state: &dyn AnyState, spec: &Spec) {
        let mut row = vec![0; spec.layout.plane_len()];
        for viewer in (0..spec.num_players).map(Viewer::Player).chain([Viewer::Public]) {
            state.observe(viewer, Format::Planes, &mut row);
            let planes = row.chunks(spec.layout.size.squares());
            for (greatest, plane) in self.0.iter_mut().zip(planes) {
                *greatest = plane.iter().fold(*greatest, |most, &value| most.max(value));
            }
        }
    }
}

/// Plays two random games, with deals of these numbers, and returns which planes reached their
/// maxima. None may exceed it.
fn reached(game: &str, options: &Options, number: u64) -> Vec<bool> {
    let spec = Spec::new(game, options).expect("the options are valid");
    let mut greatest = Greatest::new(&spec);
    for seed in [2 * number, 2 * number + 1] {
        let state = darkqi_env::deal(game, options, seed).expect("it can be dealt");
        greatest.look(&*state, &spec);
        play(state, usize::MAX, &mut test_rng(seed), |_, _, after| greatest.look(after, &spec));
    }
    let names = spec.layout.plane_names();
    for ((name, found), most) in names.iter().zip(&greatest.0).zip(&spec.plane_maxima) {
        assert!(found <= most, "{game} {options:?}: {name} was {found}, above {most}");
        assert!(*most >= 1, "{game}: {name}");
    }
    greatest.0.iter().zip(&spec.plane_maxima).map(|(found, most)| found == most).collect()
}

/// Parts of the names of planes whose maxima are too rare for random games.
const RARELY_REACHED: &[(&str, &[&str])] = &[
    ("gaiqi", &["checks in a row"]),
    ("jieqi", &["taken face down"]),
    ("mystery", &["taken face down"]),
    ("seven_kingdoms", &["standing", "pieces lost to own kingdom"]),
];

#[test]
fn no_plane_exceeds_its_maximum_and_most_reach_it() {
    for game in games::names() {
        let layout = Spec::new(game, &Options::new()).expect("the game exists").layout;
        let settings = affordable(150, &layout) as u64;
        let mut reached_once = reached(game, &Options::new(), settings);
        for number in 0..settings {
            let given = random_options(game, &mut test_rng(number));
            let now = reached(game, &texts(&pairs(&given)), number);
            reached_once.iter_mut().zip(now).for_each(|(once, now)| *once |= now);
        }
        let rare = RARELY_REACHED.iter().find(|(name, _)| name == game);
        let is_rare = |plane: &str| {
            rare.is_some_and(|(_, parts)| parts.iter().any(|part| plane.contains(part)))
        };
        for (plane, reached) in layout.plane_names().into_iter().zip(reached_once) {
            assert!(reached || is_rare(plane), "{game}: no game reached the maximum of {plane}");
        }
    }
}

#[test]
fn planes_of_pieces_and_of_yes_or_no_have_the_maximum_one() {
    for game in games::names() {
        let spec = Spec::new(game, &Options::new()).expect("the game exists");
        let maximum = |plane: &str| {
            let place = spec.layout.plane_names().iter().position(|name| *name == plane);
            spec.plane_maxima[place.unwrap_or_else(|| panic!("{game} has no plane {plane}"))]
        };
        for plane in spec.layout.pieces.iter().chain(&["to move"]) {
            assert_eq!(maximum(plane), 1, "{game}: {plane}");
        }
        // Such a name lists the values of the plane.
        for plane in spec.layout.scalars.iter().filter(|name| name.contains("(0 ")) {
            let last = plane.rsplit(", ").next().and_then(|value| value.split(' ').next());
            assert_eq!(last, Some(&*maximum(plane).to_string()), "{game}: {plane}");
        }
    }
}

/// The squares of actions are those of their names, and those at which planes show the piece.
struct CompareSquares;

impl Visitor for CompareSquares {
    type Output = ();

    fn visit<G: Registered>(self, rules: G) {
        let (spec, size) = (Spec::of(&rules), G::LAYOUT.size);
        let squares = spec.action_squares();
        assert_eq!(squares.len(), spec.num_actions);
        for perspective in [Perspective::Upright, Perspective::Rotated] {
            for (index, &[from, to]) in squares.iter().enumerate() {
                let name = |square: i16| {
                    size.name(size.seen_from(Square::new(square as usize), perspective))
                };
                let expected = match (from, to) {
                    (-1, -1) => "pass".to_owned(),
                    _ if from == to => name(from),
                    _ => name(from) + &name(to),
                };
                assert_eq!(rules.table().name(Action(index as u16), perspective), expected);
            }
        }
    }
}

#[test]
fn the_squares_of_actions_are_those_of_their_names() {
    for game in games::names() {
        games::with(game, &Options::new(), CompareSquares).expect("the game exists");
    }
}

/// In the mover's planes a piece stands where an action begins, and not where one ended. This is so
/// for seats that see the board rotated, too.
#[test]
fn the_squares_of_actions_are_those_of_the_movers_planes() {
    for game in games::names() {
        let spec = Spec::new(game, &Options::new()).expect("the game exists");
        let (action_squares, cells) = (spec.action_squares(), spec.layout.size.squares());
        let state = darkqi_env::deal(game, &Options::new(), 5).expect("it can be dealt");
        let mut row = vec![0; spec.layout.plane_len()];
        play(state, 60, &mut test_rng(5), |before, action, after| {
            let mover = Viewer::Player(before.current_player());
            let mut stands = |state: &dyn AnyState, square: i16| {
                state.observe(mover, Format::Planes, &mut row);
                let pieces = row.chunks(cells).take(spec.layout.pieces.len());
                pieces.map(|plane| plane[square as usize]).sum::<u8>()
            };
            for action in before.legal_actions() {
                let [from, _] = action_squares[action.index()];
                assert!(from < 0 || stands(before, from) == 1, "{game}: {}", before.fen());
            }
            let [from, to] = action_squares[action.index()];
            if from != to {
                let found = [from, to].map(|square| stands(after, square));
                assert_eq!(found, [0, 1], "{game}: {}", after.fen());
            }
        });
    }
}

/// By square, the place in the layout of the piece that a seat's planes show there.
fn shown_pieces(spec: &Spec, state: &dyn AnyState, seat: usize) -> Vec<Option<usize>> {
    let cells = spec.layout.size.squares();
    let mut row = vec![0; spec.layout.plane_len()];
    state.observe(Viewer::Player(seat), Format::Planes, &mut row);
    let mut pieces = vec![None; cells];
    for (piece, plane) in row.chunks(cells).take(spec.layout.pieces.len()).enumerate() {
        let shown = plane.iter().zip(&mut pieces).filter(|&(&byte, _)| byte == 1);
        shown.for_each(|(_, square)| *square = Some(piece));
    }
    pieces
}

/// What pieces attack by `Spec::attacks`.
struct Attacked<'a> {
    attacks: &'a [Vec<u8>],
    paths: &'a [Vec<Square>],
    /// As `shown_pieces`.
    pieces: Vec<Option<usize>>,
}

impl Attacked<'_> {
    /// Whether a piece attacks another by this action.
    fn attacks(&self, action: usize, [from, to]: [i16; 2]) -> bool {
        let on = |square: i16| usize::try_from(square).ok().and_then(|at| self.pieces[at]);
        let (Some(piece), Some(_), true) = (on(from), on(to), from != to) else { return false };
        let path = &self.paths[action];
        let between = path.iter().filter(|square| self.pieces[square.index()].is_some()).count();
        between < 2 && self.attacks[piece][action] >> between & 1 > 0
    }
}

/// From which side each seat sees the board.
struct Perspectives;

impl Visitor for Perspectives {
    type Output = Vec<Perspective>;

    fn visit<G: Registered>(self, rules: G) -> Vec<Perspective> {
        (0..rules.players()).map(|seat| rules.perspective(seat)).collect()
    }
}

/// Every capture is of a piece that is attacked, in the planes of all viewers. In gaiqi every attack
/// on an enemy or a covered piece is a capture, but for the three-check rule.
#[test]
fn captures_are_attacks() {
    let settings = games::names()
        .iter()
        .map(|&game| (game, Options::new()))
        .chain([("banqi", texts(&[("cannon", "jump")]))])
        // Pieces that jump.
        .chain([("banqi", texts(&[("moves.R", "D")])), ("jieqi", texts(&[("moves.R", "NA")]))]);
    for (game, options) in settings {
        let spec = Spec::new(game, &options).expect("the game exists");
        let (squares, size) = (spec.action_squares(), spec.layout.size);
        let (attacks, paths) = (spec.attacks(), spec.action_paths());
        let mut attacked = Attacked { attacks: &attacks, paths: &paths, pieces: vec![] };
        let sides = games::with(game, &options, Perspectives).expect("the game exists");
        let (mut captures, mut rng) = (0, test_rng(7));
        for seed in 0..4 {
            let state = darkqi_env::deal(game, &options, seed).expect("it can be dealt");
            play(state, 150, &mut rng, |state, _, _| {
                let (mover, legal) = (state.current_player(), state.legal_actions());
                for viewer in 0..spec.num_players {
                    attacked.pieces = shown_pieces(&spec, state, viewer);
                    let seen = |square: i16| {
                        let turned = |square| size.rotated(Square::new(square)).index() as i16;
                        let is_turned = sides[viewer] != sides[mover];
                        usize::try_from(square)
                            .map_or(-1, |at| if is_turned { turned(at) } else { square })
                    };
                    for action in legal {
                        let ends = squares[action.index()].map(seen);
                        let is_capture =
                            ends[0] != ends[1] && attacked.pieces[ends[1] as usize].is_some();
                        if is_capture {
                            let as_seen = squares.iter().position(|&other| other == ends);
                            let index = as_seen.expect("the table is that of both sides");
                            assert!(attacked.attacks(index, ends), "{game}: {}", state.fen());
                            captures += 1;
                        }
                    }
                }
                if game == "gaiqi" && !state.fen().contains("x3") {
                    attacked.pieces = shown_pieces(&spec, state, mover);
                    let own = |piece: usize| spec.layout.pieces[piece].starts_with("own");
                    for (index, &[from, to]) in squares.iter().enumerate() {
                        let piece_at = |square: i16| attacked.pieces[square as usize];
                        let claimed = attacked.attacks(index, [from, to])
                            && piece_at(from).is_some_and(own)
                            && !piece_at(to).is_some_and(own);
                        let is_legal = legal.contains(&Action(index as u16));
                        assert!(!claimed || is_legal, "{}", state.fen());
                    }
                }
            });
        }
        assert!(captures > 50, "{game}: {captures}");
    }
}

/// A piece that moved shows as what the spec says that it is then. It says so of all but covered ones.
#[test]
fn moved_pieces_are_what_is_seen_after_the_move() {
    for &game in games::names() {
        let options = Options::new();
        let spec = Spec::new(game, &options).expect("the game exists");
        let (squares, moved) = (spec.action_squares(), spec.moved_pieces());
        for (name, moved) in spec.layout.pieces.iter().zip(&moved) {
            assert_eq!(moved.is_none(), name.ends_with("covered"), "{game}: {name}");
        }
        let (mut moves, mut rng) = (0, test_rng(11));
        for seed in 0..4 {
            let state = darkqi_env::deal(game, &options, seed).expect("it can be dealt");
            play(state, 200, &mut rng, |before, action, after| {
                let [from, to] = squares[action.index()];
                if from == to {
                    return;
                }
                let mover = before.current_player();
                let [left, reached] = [(before, from), (after, to)]
                    .map(|(state, square)| shown_pieces(&spec, state, mover)[square as usize]);
                if let Some(expected) = left.and_then(|piece| moved[piece]) {
                    assert_eq!(reached, Some(expected), "{}", after.fen());
                    moves += 1;
                }
            });
        }
        assert!(moves > 20, "{game}: {moves}");
    }
}

#[test]
fn the_ply_limit_is_the_one_in_force() {
    for game in games::names() {
        let limited = texts(&[("max_plies", "9")]);
        assert_eq!(Spec::new(game, &limited).expect("the game exists").max_plies, 9, "{game}");
        assert_eq!(Seen::of(game, &limited).plies, 9, "{game}");
    }
}

#[test]
fn reveals_are_written_as_in_notation() {
    let written = |revealed: Option<&str>, captured: Option<&str>| {
        let [revealed, captured] = [revealed, captured].map(|piece| piece.map(str::to_owned));
        Reveal { revealed, captured, captured_covered: false, probability: 1.0 }.to_string()
    };
    assert_eq!(written(None, None), "nothing");
    assert_eq!(written(Some("R"), None), "R");
    assert_eq!(written(None, Some("c")), "xc");
    assert_eq!(written(Some("R"), Some("c")), "Rxc");
}

/// A general in check is the mover's: a ply that left one's own in check would have been illegal.
#[test]
fn the_general_in_check_is_the_movers() {
    let mut marked = 0;
    for seed in 0..40 {
        let state = darkqi_env::deal("jieqi", &Options::new(), seed).expect("the game exists");
        play(state, 200, &mut test_rng(seed), |state, _, _| {
            for square in state.picture(None).checked {
                let piece = state.picture(None).pieces[square.index()].expect("a general is there");
                // Red, army 0, moves first and black second.
                assert_eq!(piece.army.map(usize::from), Some(state.current_player()));
                marked += 1;
            }
        });
    }
    assert!(marked > 20, "{marked}");
}
