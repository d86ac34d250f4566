//! Pieces that the first mover can give.

use darkqi_env::game::Hides;
use darkqi_format::Openings;

use super::folder::Study;
use crate::error::Error;
use crate::generation::Seating;
use crate::openings::Starts;

/// The value of `remove` with which all pieces stay.
pub(super) const NOTHING: &str = "none";

/// The values of `remove` that stand for `each`: nothing, and one piece of each kind that the first
/// mover can spare.
///
/// # Errors
/// If the game does not exist, or nobody owns an army before the first reveal.
pub(super) fn each(study: &Study) -> Result<Vec<String>, Error> {
    let spec = study.spec()?;
    if spec.hides == Hides::KindAndArmy {
        let expected = format!(
            "names of pieces with remove, as the first reveal of {} decides who owns an army",
            spec.name
        );
        return Err(Error::config("vary", expected, "each"));
    }
    let deal = spec.deal(study.job.seed);
    let mover = Some(deal.current_player());
    let pieces = spec.pieces().filter(|piece| deal.owner(piece.army) == mover);
    let can_go = |name: &String| {
        let openings = Openings {
            remove: vec![name.clone()],
            random_plies: 0,
            ..study.job.all_openings(&spec, Seating::Seats)
        };
        let starts = Starts::new(&spec, &openings);
        starts.is_ok_and(|starts| starts.position(study.job.seed).is_ok())
    };
    let names = pieces.map(|piece| spec.piece_name(piece)).filter(can_go);
    Ok([NOTHING.to_owned()].into_iter().chain(names).collect())
}
