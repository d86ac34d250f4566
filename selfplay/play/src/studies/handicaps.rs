//! Pieces that the first mover can give.

use darkqi_env::games::{self, Visitor};
use darkqi_env::{AnyPiece, Hides, Registered, Rng, Stream, Viewer};
use darkqi_format::Openings;

use super::error::Error;
use super::folder::Study;
use crate::openings::Starts;

/// The value of `remove` with which all pieces stay.
pub(super) const NOTHING: &str = "none";

/// The values of `remove` that stand for `each`: nothing, and one piece of each kind that the first
/// mover can spare.
///
/// # Errors
/// If the game does not exist, or nobody owns an army before the first reveal.
pub(super) fn each(study: &Study) -> Result<Vec<String>, Error> {
    struct Each<'a>(&'a Study);
    impl Visitor for Each<'_> {
        type Output = Result<Vec<String>, Error>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            if G::HIDES == Hides::KindAndArmy {
                let expected = format!(
                    "names of pieces with remove, as the first reveal of {} decides who owns an army",
                    G::NAME
                );
                return Err(Error::config("vary", expected, "each"));
            }
            Ok(spared(&rules, self.0))
        }
    }
    games::with(&study.game, &study.options, Each(study)).map_err(crate::Error::from)?
}

fn spared<G: Registered>(rules: &G, study: &Study) -> Vec<String> {
    let deal = rules.deal(&mut Rng::new(study.seed, Stream::Deal));
    let (view, mover) = (rules.view(&deal, Viewer::Public), rules.to_move(&deal));
    let armies = (0..G::ARMIES.len() as u8).filter(|&army| G::owner(&view, army) == Some(mover));
    let kinds = 0..G::KINDS.len() as u8;
    let pieces = armies.flat_map(|army| kinds.clone().map(move |kind| AnyPiece { army, kind }));
    let can_go = |name: &String| {
        let openings =
            Openings { lines: study.openings.clone(), remove: vec![name.clone()], random_plies: 0 };
        let starts = Starts::new(rules, &openings);
        starts.is_ok_and(|starts| starts.position(rules, study.seed).is_ok())
    };
    let names = pieces.map(|piece| G::piece_name(piece)).filter(can_go);
    [NOTHING.to_owned()].into_iter().chain(names).collect()
}
