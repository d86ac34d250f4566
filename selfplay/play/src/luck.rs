//! The luck of logged games, by what a search thinks of each reveal.

use std::collections::BTreeMap;
use std::convert::Infallible;

use darkqi_analysis::{RevealJudge, is_failed_capture};
use darkqi_engine::judge::{Judge, judge};
use darkqi_engine::search::{Expectimax, Limits};
use darkqi_env::{
    Action, AnyState, Event, Player, Spec,
    board::AnyPiece,
    game::{Hides, Picture},
    replay,
    session::Reveal,
    trajectory::ReplayError,
};
use darkqi_format::{GameRecord, Metadata};

use crate::error::Error;

/// Layers of the search that judges a position. One, because a game has dozens of reveals, and each is
/// searched for every kind of piece that could have come up.
const DEPTH: u32 = 1;

/// Size of the transposition table of a search, in MiB.
const HASH: u32 = 1;

/// A judge of the reveals of a dataset's games: `expectimax:depth=1` with the built-in values and
/// net of the game.
///
/// # Errors
/// If the game or an option does not exist.
pub fn reveal_judge(metadata: &Metadata) -> Result<Box<dyn RevealJudge>, Error> {
    let spec = metadata.spec()?;
    let pieces = spec.pieces().map(|piece| (spec.piece_name(piece), piece)).collect();
    Ok(Box::new(ByReveal { judge: judge(&spec), pieces, spec }))
}

/// Judges the reveals of games with these rules.
struct ByReveal {
    spec: Spec,
    /// By name.
    pieces: BTreeMap<String, AnyPiece>,
    judge: Box<dyn Judge>,
}

impl RevealJudge for ByReveal {
    fn luck(&self, game: &GameRecord) -> Result<f64, String> {
        let Some(first) = &game.first_reveal else { return Ok(0.0) };
        let seat = usize::try_from(first.player).ok().filter(|&seat| seat < self.spec.num_players);
        let seat = seat.ok_or("the first reveal is by a seat that does not exist")?;
        let mut deal = self.spec.parse_fen(&game.deal).map_err(|error| error.to_string())?;
        let mut search = self.judge.search(Limits::depth(DEPTH)).with_hash(HASH);
        let (mut luck, mut has_begun) = (0.0, false);
        let actions = game.moves.iter().map(|ply| Action(ply.action));
        let ended = replay(&mut *deal, actions, |step| {
            let played = &game.moves[step.ply];
            // Whether a try to take a covered piece is counted must not depend on what it meets.
            let is_try = is_failed_capture(&self.spec, played);
            has_begun |= played.revealed.is_some() && !is_try;
            if has_begun && (played.revealed.is_some() || played.captured_covered) {
                luck += self.luck_of_ply(&mut search, step.state, step.action, seat);
            }
            has_begun |= is_try;
            Ok::<_, Infallible>(())
        });
        match ended {
            Ok(_) | Err(ReplayError::Unfinished { .. }) => Ok(luck),
            Err(ReplayError::Over { ply, .. } | ReplayError::Illegal { ply, .. }) => {
                Err(format!("`{}` is not legal where it was played", game.moves[ply].mv))
            }
            Err(ReplayError::Visit(never)) => match never {},
        }
    }
}

impl ByReveal {
    /// The value of what a legal action turns over and takes, less its expectation.
    ///
    /// The odds are those of an observer who has seen every reveal and every capture: what players know
    /// is part of that, so their choices do not depend on what comes up.
    fn luck_of_ply(
        &self,
        search: &mut Expectimax,
        state: &dyn AnyState,
        action: Action,
        seat: Player,
    ) -> f64 {
        let covered = Covered::new(&self.spec, &state.picture(None));
        let outcomes = state.reveals(action).expect("it is legal").into_iter();
        let outcomes = outcomes.map(|reveal| {
            let event = self.event(&reveal);
            (reveal, event, covered.odds(&event))
        });
        let outcomes: Vec<_> = outcomes.filter(|&(.., odds)| odds > 0.0).collect();
        let actual = state.true_event(action);
        if !outcomes.iter().any(|(_, event, _)| *event == actual) {
            // Nobody is shown what was taken, so nobody's luck has changed.
            return 0.0;
        }
        let all: f64 = outcomes.iter().map(|(.., odds)| odds).sum();
        let mut luck = 0.0;
        for (reveal, event, odds) in &outcomes {
            let weight = f64::from(u8::from(*event == actual)) - odds / all;
            // What is certain is no luck.
            if weight != 0.0 {
                let mut world = state.arrange(action, reveal).expect("it may come up");
                world.apply(action).expect("it is legal");
                let value = match world.outcome() {
                    Some(outcome) => outcome.rewards()[seat],
                    None => self.judge.value(&*world, seat, search),
                };
                luck += weight * f64::from(value);
            }
        }
        luck
    }

    fn event(&self, reveal: &Reveal) -> Event {
        let piece = |name: &Option<String>| name.as_ref().map(|name| self.pieces[name]);
        Event {
            revealed: piece(&reveal.revealed),
            captured: piece(&reveal.captured),
            captured_covered: reveal.captured_covered,
        }
    }
}

/// The pieces that lie covered on a board, by army and kind.
struct Covered<'a> {
    spec: &'a Spec,
    counts: Vec<Vec<u32>>,
}

impl<'a> Covered<'a> {
    fn new(spec: &'a Spec, picture: &Picture) -> Self {
        let mut counts = vec![vec![0; spec.kinds.len()]; spec.armies.len()];
        for piece in picture.pieces.iter().flatten().filter(|piece| piece.covered) {
            let (Some(army), Some(glyph)) = (piece.army, piece.glyph) else { continue };
            if let Some(kind) = spec.kinds.iter().position(|&kind| kind == glyph.letter) {
                counts[usize::from(army)][kind] += 1;
            }
        }
        Self { spec, counts }
    }

    /// The probability that the covered pieces of an action are these.
    fn odds(&self, event: &Event) -> f64 {
        let taken = event.captured.filter(|_| event.captured_covered);
        let mut counts = self.counts.clone();
        let mut odds = 1.0;
        for AnyPiece { army, kind } in event.revealed.into_iter().chain(taken) {
            let (army, kind) = (usize::from(army), usize::from(kind));
            // The armies that it could have belonged to, given what shows.
            let possible =
                if self.spec.hides == Hides::Kind { army..army + 1 } else { 0..counts.len() };
            let all: u32 = counts[possible].iter().flatten().sum();
            let count = &mut counts[army][kind];
            if *count == 0 {
                return 0.0;
            }
            odds *= f64::from(*count) / f64::from(all);
            *count -= 1;
        }
        odds
    }
}
