//! Rule options at random, from the domains that the games declare.

use darkqi_env::game::{Domain, GameExt};
use darkqi_env::{Options, Registered, Rng, Spec, Visitor, games};

use crate::duel::draw;
use crate::{test_rng, texts};

/// An option's name and its value as text, which both the engine and the referee accept.
pub type Named = (&'static str, String);

/// Valid options of a game, some at their defaults. Of a game that designers may change, every second
/// draw has options of theirs.
pub fn random_options(game: &str, rng: &mut Rng) -> Vec<Named> {
    let is_designed = rng.below(2) == 0;
    random(game, is_designed, rng)
}

/// Valid options of a game, those of designers among them.
pub fn random_design(game: &str, rng: &mut Rng) -> Vec<Named> {
    random(game, true, rng)
}

/// So many designs of each game that designers may change, at random.
pub fn designs(each: u64) -> impl Iterator<Item = (&'static str, Options)> {
    let is_changeable = |name: &&&'static str| {
        let [_, design] = domains(name);
        !design.is_empty()
    };
    let draw = move |name: &&'static str| {
        let name = *name;
        let one = move |seed| (name, texts(&pairs(&random_design(name, &mut test_rng(seed)))));
        (0..each).map(one)
    };
    games::names().iter().filter(is_changeable).flat_map(draw)
}

fn random(game: &str, is_designed: bool, rng: &mut Rng) -> Vec<Named> {
    let [usual, design] = domains(game);
    loop {
        let mut given = Vec::new();
        for &(name, domain) in &usual {
            if rng.below(2) == 0 {
                given.push((name, random_value(name, domain, rng)));
            }
        }
        let is_on_whole_board = design.iter().any(|(name, _)| *name == "covered");
        // A whole army of few pieces, most often, fits smaller boards.
        let has_army = rng.below(4) > 0;
        for &(name, domain) in design.iter().filter(|_| is_designed) {
            let is_given = match name.split('.').next() {
                Some("army" | "board") => has_army,
                _ => rng.below(3) == 0,
            };
            if is_given {
                let value = match name.split('.').next() {
                    Some("moves") if is_on_whole_board => random_full_board_movement(rng),
                    _ => random_value(name, domain, rng),
                };
                given.push((name, value));
            }
        }
        // Values may contradict one another: seats and teams, for example, must match.
        if fits(game, &pairs(&given)) {
            return given;
        }
    }
}

/// Whether a game takes these options.
pub fn fits(game: &str, given: &[(&str, &str)]) -> bool {
    Spec::new(game, &texts(given)).is_ok()
}

/// Options by name, borrowed.
pub fn pairs(given: &[Named]) -> Vec<(&'static str, &str)> {
    given.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

/// The domains of the options of players, and of designers.
fn domains(game: &str) -> [Vec<(&'static str, Domain)>; 2] {
    struct Domains;
    impl Visitor for Domains {
        type Output = [Vec<(&'static str, Domain)>; 2];
        fn visit<G: Registered>(self, _: G) -> Self::Output {
            let usual = G::options().iter().map(|option| (option.name, option.domain));
            let all = G::all_options().map(|option| (option.name, option.domain));
            [usual.collect(), all.skip(G::options().len()).collect()]
        }
    }
    games::with(game, &Options::new(), Domains).expect("the game is registered")
}

fn random_value(name: &str, domain: Domain, rng: &mut Rng) -> String {
    match domain {
        // Small limits are reached soon. At the ends of the range counters could overflow.
        Domain::Int { min, max } => {
            let small = u32::from(min) + rng.below(60);
            let values = [u32::from(min), u32::from(max), small, small, small, 5 * small];
            draw(&values, rng).clamp(min.into(), max.into()).to_string()
        }
        Domain::Switch => draw(&["on", "off"], rng).to_owned(),
        Domain::Choice(names) => draw(names, rng).to_owned(),
        Domain::Text { alphabet, min, max } => {
            let letters: Vec<char> = alphabet.chars().collect();
            let length = min + rng.below((max - min + 1) as u32) as usize;
            (0..length).map(|_| draw(&letters, rng)).collect()
        }
        Domain::Pattern { examples, .. } => match name.split('.').next() {
            Some("board") => format!("{}x{}", 2 + rng.below(7), 2 + rng.below(3)),
            Some("army") => random_pieces(rng),
            Some("moves") => random_movement(rng),
            Some("takes") => random_kinds(rng),
            Some("covered") if rng.below(6) == 0 => "-".to_owned(),
            Some("covered") => random_kinds(rng).replace('K', ""),
            Some("pool") => random_pool(rng),
            _ => draw(examples, rng).to_owned(),
        },
    }
}

/// Pieces of a kind in both armies, or in each: `2`, `0/3`.
fn random_pieces(rng: &mut Rng) -> String {
    let [one, other] = [(); 2].map(|()| draw(&[0, 0, 1, 1, 2, 3], rng));
    if one != other && rng.below(2) == 0 { format!("{one}/{other}") } else { one.to_string() }
}

/// Pieces of a kind in both pools, or in each, most often enough for its squares.
fn random_pool(rng: &mut Rng) -> String {
    let [one, other] = [(); 2].map(|()| draw(&[0, 1, 2, 2, 2, 3, 4, 5, 5, 6, 15], rng));
    if one != other && rng.below(3) == 0 { format!("{one}/{other}") } else { one.to_string() }
}

/// A movement of covered xiangqi: the same with `f`, and no more than two squares along a diagonal.
fn random_full_board_movement(rng: &mut Rng) -> String {
    if rng.below(8) == 0 {
        return "xiangqi".to_owned();
    }
    let mut text = String::new();
    for _ in 0..=rng.below(3) {
        let atom = draw(&["W", "F", "D", "A", "N", "R", "R", "K", "B1", "B2", "F2", "W3"], rng);
        let mut modifiers = vec![draw(&["", "", "m", "c"], rng), draw(&["", "", "f"], rng)];
        match atom {
            "D" | "A" | "N" => modifiers.push(draw(&["", "n"], rng)),
            "R" => modifiers.push(draw(&["", "", "p"], rng)),
            _ => {}
        }
        rng.shuffle(&mut modifiers);
        text += &modifiers.concat();
        text += atom;
    }
    text
}

/// One to three atoms of Betza's notation.
fn random_movement(rng: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..=rng.below(3) {
        let atom = draw(&['W', 'F', 'D', 'A', 'N', 'R', 'B', 'K', 'Q'], rng);
        text += draw(&["", "", "m", "c"], rng);
        if "DAN".contains(atom) && rng.below(2) == 0 {
            text.push('n');
        }
        if "RBQ".contains(atom) && rng.below(3) == 0 {
            text.push('p');
        }
        text.push(atom);
        if "WFRB".contains(atom) && rng.below(3) == 0 {
            text += &(1 + rng.below(4)).to_string();
        }
    }
    text
}

/// Some letters of kinds, or `-`.
fn random_kinds(rng: &mut Rng) -> String {
    let kinds: String = "KAEHRCP".chars().filter(|_| rng.below(3) > 0).collect();
    if kinds.is_empty() { "-".to_owned() } else { kinds }
}
