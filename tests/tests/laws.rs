//! The laws of DESIGN.md section 3, for every registered game on random games.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use darkqi_env::{
    Action, AnyState, Format, Options, Registered, Rng, Session, Spec, Stream, Viewer, Visitor,
    board::Reflection,
    game::{Face, GameExt, Hides},
    games,
    rng::game_seed,
    session::Reveal,
};
use darkqi_tests::arbitrary::designs;
use darkqi_tests::reflect::{board_size, reflected_fen, reflected_squares};
use darkqi_tests::{affordable, cases, random_action, sound, test_rng, texts};

/// Random games of the costly laws, which check every position, at most. Games with long rows get fewer.
const GAMES: u64 = 80;

/// Random games of the cheap laws, at most.
const MANY_GAMES: u64 = 2000;

/// Random designs of a game. They share the number of games.
const DESIGNS: usize = 40;

/// Options that change a game most: seats, teams and the order of turns. The laws hold with these
/// and with the defaults.
const SETTINGS: &[(&str, &[(&str, &str)])] = &[(
    "seven_kingdoms",
    &[
        ("seats", "01-0122"),
        ("teams", "GAG"),
        ("kingdoms_to_win", "6"),
        ("capture_limit", "25"),
        ("count_annexed", "on"),
        ("loss_limit", "4"),
        ("repetition", "on"),
        ("quiet_limit", "60"),
    ],
)];

/// A law that holds for any game.
trait Law {
    fn check<G: Registered>(&self, rules: &G);
}

struct Check<'a, L>(&'a L);
impl<L: Law> Visitor for Check<'_, L> {
    type Output = ();
    fn visit<G: Registered>(self, rules: G) {
        self.0.check(&rules);
    }
}

/// Checks a law for every registered game, with default options, with those of [`SETTINGS`] and with
/// those of designers.
fn for_every_game(law: impl Law) {
    for name in games::names() {
        games::with(name, &Options::new(), Check(&law)).expect("registered games exist");
    }
    for (name, pairs) in SETTINGS {
        games::with(name, &texts(pairs), Check(&law)).expect("the options are valid");
    }
    for (name, options) in designs(DESIGNS as u64) {
        games::with(name, &options, Check(&law)).expect("the options are valid");
    }
}

/// Plays random games to their end and visits every position, the last one included, with its
/// actions (none once the game is over) and the action that is played next. Returns the number of
/// games.
fn each_position<G: Registered>(
    rules: &G,
    games: u64,
    mut visit: impl FnMut(&G::State, &[Action], Option<Action>, &mut Rng),
) -> usize {
    let mut games = affordable(cases(games) as usize, &G::LAYOUT);
    if rules.designed_by().is_some() {
        games = games.div_ceil(DESIGNS);
    }
    for number in 0..games as u64 {
        let mut rng = test_rng(number);
        let deal = &mut Rng::new(game_seed(11, number), Stream::Deal);
        let mut state = rules.deal(deal);
        loop {
            let actions = rules.actions(&state);
            if rules.outcome_given(&state, !actions.is_empty()).is_some() {
                visit(&state, &[], None, &mut rng);
                break;
            }
            let action = *rng.choose(&actions);
            visit(&state, &actions, Some(action), &mut rng);
            rules.play(&mut state, action);
        }
    }
    games
}

fn viewers<G: Registered>(rules: &G) -> impl Iterator<Item = Viewer> + use<G> {
    (0..rules.players()).map(Viewer::Player).chain([Viewer::Public])
}

fn mover<G: Registered>(rules: &G, state: &G::State) -> Viewer {
    Viewer::Player(rules.to_move(state))
}

/// Positions of random games, whatever they are asked: see [`sound::check`].
#[test]
fn every_position_is_sound() {
    let defaults = games::names().iter().map(|&name| (name, &[][..]));
    let usual = defaults.chain(SETTINGS.iter().copied()).map(|(name, pairs)| (name, texts(pairs)));
    // Each position is read from text several times, which prepares the rules anew.
    let usual = usual.map(|(name, options)| (name, options, cases(GAMES) as usize));
    let designs = designs(5).map(|(name, options)| (name, options, 1));
    for (name, options, games) in usual.chain(designs) {
        let spec = Spec::new(name, &options).expect("the options are valid");
        let mut worlds_differ = false;
        for seed in 0..affordable(games, &spec.layout) as u64 {
            let mut state = darkqi_env::deal(name, &options, seed).expect("it can be dealt");
            let rng = &mut test_rng(seed);
            worlds_differ |= sound::check(&*state, rng);
            while state.outcome().is_none() {
                let action = random_action(&*state, rng);
                state.apply(action).expect("a listed action is legal");
                worlds_differ |= sound::check(&*state, rng);
            }
        }
        let is_hidden = spec.hides != Hides::Nothing;
        // A single game of few pieces may be dealt as the viewers guess.
        let is_seen = worlds_differ || games == 1;
        assert_eq!(is_seen, is_hidden, "{name}: worlds differ if something is hidden");
    }
}

/// Random games end, in several ways, and what is observed in them determines the mask.
struct GamesEndAndMasksFollowFromObservations;
impl Law for GamesEndAndMasksFollowFromObservations {
    fn check<G: Registered>(&self, rules: &G) {
        let mut seen = [Format::Planes, Format::Tokens]
            .map(|format| (format, vec![0; format.len(&G::LAYOUT)], HashMap::new()));
        let mut reasons = HashMap::new();
        let games = each_position(rules, MANY_GAMES, |state, actions, action, _| {
            let view = rules.view(state, mover(rules, state));
            for (format, row, masks) in &mut seen {
                format.write(rules, &view, row);
                let known = masks.entry(hash(row)).or_insert_with(|| hash(actions));
                assert_eq!(*known, hash(actions), "{format:?}: {}", rules.fen(state));
            }
            if action.is_none() {
                let outcome = rules.outcome(state).expect("the last position is over");
                *reasons.entry(outcome.reason.name()).or_insert(0) += 1;
            }
        });
        assert_eq!(reasons.values().sum::<usize>(), games);
        let is_varied = reasons.len() > 1 || rules.designed_by().is_some();
        assert!(is_varied, "{}: games end in one way only: {reasons:?}", G::NAME);
    }
}

fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn games_end_and_one_observation_never_goes_with_two_masks() {
    for_every_game(GamesEndAndMasksFollowFromObservations);
}

struct MirroredPositionsHaveMirroredActions;
impl Law for MirroredPositionsHaveMirroredActions {
    fn check<G: Registered>(&self, rules: &G) {
        each_position(rules, GAMES, |state, actions, _, _| {
            if actions.is_empty() {
                return;
            }
            let fen = reflected_fen::<G>(&rules.fen(state), Reflection::LeftRight);
            let mirrored = rules.parse_fen(&fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
            let size = board_size::<G>(&fen);
            let perspective = rules.perspective(rules.to_move(state));
            let mut expected: Vec<Action> = actions
                .iter()
                .map(|&action| {
                    let name = rules.table().name(action, perspective);
                    let name = reflected_squares(&name, size, Reflection::LeftRight);
                    rules.table().parse(&name, perspective).expect("it is an action, too")
                })
                .collect();
            expected.sort();
            assert_eq!(rules.actions(&mirrored), expected, "{fen}");
        });
    }
}

#[test]
fn mirrored_positions_have_mirrored_actions() {
    for_every_game(MirroredPositionsHaveMirroredActions);
}

struct RevealsCanBeArranged;
impl Law for RevealsCanBeArranged {
    fn check<G: Registered>(&self, rules: &G) {
        each_position(rules, GAMES, |state, _, action, rng| {
            let Some(action) = action else { return };
            for viewer in viewers(rules) {
                let mut world = rules.determinize(&rules.view(state, viewer), rng);
                let mut events = Vec::new();
                rules.each_reveal(&rules.view(state, viewer), action, |event, odds| {
                    events.push((event, odds));
                });
                let sum: f64 = events.iter().map(|(_, odds)| odds).sum();
                assert!((sum - 1.0).abs() < 1e-9, "{sum}: {}", rules.fen(state));
                for (event, _) in events {
                    rules.arrange(&mut world, viewer, action, &event);
                    assert_eq!(rules.view(&world, viewer), rules.view(state, viewer));
                    let happens = rules.event(&world, action);
                    assert_eq!(happens.revealed, event.revealed);
                    assert_eq!(happens.captured_covered, event.captured_covered);
                    if event.captured.is_some() || !event.captured_covered {
                        assert_eq!(happens.captured, event.captured);
                    }
                    // The views of others agree with the arranged world.
                    let fen = rules.fen(&world);
                    let read = rules.parse_fen(&fen).expect("a FEN of our own");
                    for other in viewers(rules) {
                        let [known, fits] =
                            [&world, &read].map(|world| rules.view_fen(&rules.view(world, other)));
                        assert_eq!(known, fits, "{other:?} of {fen}");
                    }
                }
            }
        });
    }
}

#[test]
fn worlds_can_be_arranged_to_show_every_reveal() {
    for_every_game(RevealsCanBeArranged);
}

/// Between two worlds that a viewer cannot tell apart, a ply shows it different events exactly where
/// its views after the ply differ.
struct EventsShowWhatViewsLearn;
impl Law for EventsShowWhatViewsLearn {
    fn check<G: Registered>(&self, rules: &G) {
        let (mut secret, mut shown) = (0, 0);
        each_position(rules, GAMES, |state, _, action, rng| {
            let Some(action) = action else { return };
            let truth = Session::new(rules.clone(), state.clone());
            for viewer in viewers(rules) {
                let world = rules.determinize(&rules.view(state, viewer), rng);
                if !rules.actions(&world).contains(&action) {
                    continue;
                }
                let world = Session::new(rules.clone(), world);
                let [one, other] = [&truth, &world].map(|session| {
                    let mut after = session.state().clone();
                    rules.play(&mut after, action);
                    let Reveal { revealed, captured, captured_covered, .. } =
                        session.event(action, viewer).expect("it is legal");
                    ((revealed, captured, captured_covered), after)
                });
                let same_event = one.0 == other.0;
                let same_view = rules.view(&one.1, viewer) == rules.view(&other.1, viewer);
                let fen = rules.fen(state);
                assert_eq!(same_event, same_view, "{viewer:?}, {action:?}: {fen}");
                let happens = rules.event(state, action);
                if happens.captured_covered {
                    let is_shown = one.0.1.is_some();
                    secret += usize::from(!is_shown);
                    shown += usize::from(is_shown && !same_event);
                }
            }
        });
        let what = format!("{}: {secret} secret captures, {shown} shown", G::NAME);
        // Few games of a design may have no capture of the kind.
        let is_designed = rules.designed_by().is_some();
        assert!(secret == 0 || rules.captures_are_secret(), "{what}");
        assert!(is_designed || secret > 0 || !rules.captures_are_secret(), "{what}");
        assert!(is_designed || secret == 0 || shown > 0, "{what}");
    }
}

#[test]
fn an_event_shows_a_viewer_a_capture_exactly_when_its_view_does() {
    for_every_game(EventsShowWhatViewsLearn);
    for game in ["jieqi", "mystery"] {
        let public = texts(&[("captured", "public")]);
        games::with(game, &public, Check(&EventsShowWhatViewsLearn)).expect("it has this option");
    }
}

struct PlacedPiecesAreThoseThatAreCounted;
impl Law for PlacedPiecesAreThoseThatAreCounted {
    fn check<G: Registered>(&self, rules: &G) {
        let Some(regions) = G::REGIONS else { return };
        let (size, names) = (G::LAYOUT.size, regions.names());
        let mut occupied = vec![false; names.len()];
        each_position(rules, GAMES, |state, _, _, _| {
            for viewer in viewers(rules) {
                let view = rules.view(state, viewer);
                let mut counted = HashMap::new();
                rules.each_piece(&view, |piece, face, count| {
                    if face == Face::Up && count > 0.0 {
                        *counted.entry(piece).or_insert(0.0) += count;
                    }
                });
                let picture = rules.picture(&view);
                let mut placed = HashMap::new();
                rules.each_placed(&view, |square, piece| {
                    *placed.entry(piece).or_insert(0.0) += 1.0;
                    let drawn = picture.at(square).expect("a piece stands there");
                    let letter = drawn.glyph.map(|glyph| glyph.letter);
                    let kind = G::KINDS[usize::from(piece.kind)];
                    assert_eq!(
                        (drawn.army, letter, drawn.covered),
                        (Some(piece.army), Some(kind), false)
                    );
                    if let Some(owner) = G::owner(&view, piece.army) {
                        let seen = size.seen_from(square, rules.perspective(owner));
                        occupied[regions.of(size, seen)] = true;
                    }
                });
                assert_eq!(placed, counted, "{}", rules.fen(state));
            }
        });
        let is_everywhere = occupied.iter().all(|&is| is) || rules.designed_by().is_some();
        assert!(is_everywhere, "{}: {names:?} {occupied:?}", G::NAME);
        // Every square is in one of them.
        assert!(size.all().all(|square| regions.of(size, square) < names.len()));
    }
}

#[test]
fn face_up_pieces_have_squares_in_games_with_regions() {
    for_every_game(PlacedPiecesAreThoseThatAreCounted);
}
