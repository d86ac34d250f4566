//! How the games of a block begin: the deal, and random plies where asked for.

use darkqi_env::{Registered, Rng, Stream};

use crate::driver::Episode;

/// How many openings are sampled until one leaves the game undecided.
pub(super) const TRIES: u32 = 1000;

/// Random plies per seat in a game whose deals are all equal.
const PLIES_PER_SEAT: u32 = 2;

/// The default number of random plies: none where deals vary. Where they do not, agents without
/// randomness would play the same game again and again.
pub(super) fn default_plies<G: Registered>(rules: &G) -> u32 {
    if G::DEALS_VARY { 0 } else { PLIES_PER_SEAT * rules.players() as u32 }
}

/// The position in which agents take over a game with this seed, after the deal and as many
/// uniformly random plies. An opening that ends the game is sampled again from the same stream.
///
/// None if [`TRIES`] in a row do.
pub(super) fn position<G: Registered>(rules: &G, seed: u64, plies: u32) -> Option<G::State> {
    let dealt = rules.deal(&mut Rng::new(seed, Stream::Deal));
    let mut rng = Rng::new(seed, Stream::Sample);
    let mut opening = Episode::<G>::new(dealt.clone());
    (0..TRIES).find_map(|_| {
        opening.restart().clone_from(&dealt);
        for _ in 0..plies {
            if opening.advance(rules).is_some() {
                return None;
            }
            let legal = opening.legal();
            let action = legal[rng.below(legal.len() as u32) as usize];
            let played = opening.play(rules, action, &mut ());
            played.expect("the action is one of those listed");
        }
        opening.advance(rules).is_none().then(|| opening.state().clone())
    })
}

#[cfg(test)]
mod tests {
    use darkqi_env::games::flipping::Flipping;
    use darkqi_env::games::seven_kingdoms::SevenKingdoms;
    use darkqi_env::games::{self, jieqi::Jieqi};
    use darkqi_env::{Game, GameExt, Options, Registered, Value, Visitor};

    use super::{default_plies, position};

    #[test]
    fn games_without_chance_begin_with_random_plies() {
        struct Plies;
        impl Visitor for Plies {
            type Output = u32;
            fn visit<G: Registered>(self, rules: G) -> u32 {
                default_plies(&rules)
            }
        }
        let plies =
            |name: &str| games::with(name, &Options::new(), Plies).expect("the game exists");
        assert_eq!(["banqi", "flipping", "jieqi", "seven_kingdoms"].map(plies), [0, 4, 0, 14]);
        let three = [("seats".to_owned(), Value::Text("01-012-".to_owned()))].into();
        assert_eq!(games::with("seven_kingdoms", &three, Plies).expect("three seats"), 6);
    }

    #[test]
    fn openings_follow_the_seed() {
        let rules = Flipping::default();
        let open = |seed| position(&rules, seed, 6).expect("there is an opening");
        assert_eq!(open(1), open(1));
        assert_ne!(open(1), open(2));
        assert_eq!(rules.ply(&open(1)), 6);
        assert!(rules.outcome(&open(1)).is_none());
    }

    #[test]
    fn openings_that_end_the_game_are_sampled_again() {
        let rules: Jieqi = darkqi_env::configure(&limit(5)).expect("the limit is in range");
        assert!(position(&rules, 1, 4).is_some());
        assert!(position(&rules, 1, 5).is_none());
        assert!(position(&rules, 1, 6).is_none());
        // Long random openings often end this game; every seed still finds one.
        let rules = SevenKingdoms::default();
        assert!((0..3).all(|seed| position(&rules, seed, 40).is_some()));
    }

    fn limit(plies: i64) -> Options {
        [("max_plies".to_owned(), Value::Int(plies))].into()
    }
}
