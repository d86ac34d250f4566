//! Rule options at random, from the domains that the games declare.

use darkqi_env::game::Domain;
use darkqi_env::{Options, Registered, Rng, Spec, Visitor, games};

use crate::duel::draw;
use crate::options;

/// An option's name and its value as text, which both the engine and the referee accept.
pub type Named = (&'static str, String);

/// Valid options of a game, some at their defaults.
pub fn random_options(game: &str, rng: &mut Rng) -> Vec<Named> {
    let domains = domains(game);
    loop {
        let mut given = Vec::new();
        for &(name, domain) in &domains {
            if rng.below(2) == 0 {
                given.push((name, random_value(domain, rng)));
            }
        }
        // Values may contradict one another: seats and teams, for example, must match.
        if Spec::new(game, &options(&pairs(&given))).is_ok() {
            return given;
        }
    }
}

/// The same, borrowed.
pub fn pairs(given: &[Named]) -> Vec<(&'static str, &str)> {
    given.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

fn domains(game: &str) -> Vec<(&'static str, Domain)> {
    struct Domains;
    impl Visitor for Domains {
        type Output = Vec<(&'static str, Domain)>;
        fn visit<G: Registered>(self, _: G) -> Self::Output {
            G::options().iter().map(|option| (option.name, option.domain)).collect()
        }
    }
    games::with(game, &Options::new(), Domains).expect("the game is registered")
}

fn random_value(domain: Domain, rng: &mut Rng) -> String {
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
        Domain::Pattern { examples, .. } => draw(examples, rng).to_owned(),
    }
}
