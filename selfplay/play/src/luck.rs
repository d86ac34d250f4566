//! The luck of logged games, by what a search thinks of each reveal.

use std::any::Any;
use std::convert::Infallible;

use darkqi_analysis::RevealJudge;
use darkqi_engine::agents::value_net;
use darkqi_engine::evaluation::Evaluation;
use darkqi_engine::search::{Expectimax, Limits};
use darkqi_env::games::{self, Visitor};
use darkqi_env::{
    Action, Event, Player, Registered, Rng, Session, Spec, Stream, Viewer,
    board::AnyPiece,
    game::{GameExt, Hides, Picture},
    replay,
    trajectory::ReplayError,
};
use darkqi_format::{GameRecord, Metadata, options_from_json};

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
    struct Make;
    impl Visitor for Make {
        type Output = Box<dyn RevealJudge>;
        fn visit<G: Registered>(self, rules: G) -> Self::Output {
            let net = value_net(&rules, None).expect("no file is read");
            let evaluation = Evaluation::built_in::<G>().with_net(net);
            Box::new(Judge { spec: Spec::of(&rules), rules, evaluation })
        }
    }
    Ok(games::with(&metadata.game, &options_from_json(&metadata.options)?, Make)?)
}

/// Judges the reveals of games with these rules.
struct Judge<G> {
    rules: G,
    spec: Spec,
    evaluation: Evaluation,
}

impl<G: Registered> RevealJudge for Judge<G> {
    fn luck(&self, game: &GameRecord) -> Result<f64, String> {
        let rules = &self.rules;
        let Some(first) = &game.first_reveal else { return Ok(0.0) };
        let seat = usize::try_from(first.player).ok().filter(|&seat| seat < rules.players());
        let seat = seat.ok_or("the first reveal is by a seat that does not exist")?;
        let mut deal = self.spec.parse_fen(&game.deal).map_err(|error| error.to_string())?;
        let mut search = Expectimax::new(self.evaluation.clone(), Limits::depth(DEPTH));
        search = search.with_hash(HASH);
        let (mut luck, mut has_begun) = (0.0, false);
        let actions = game.moves.iter().map(|ply| Action(ply.action));
        let ended = replay(&mut *deal, actions, |step| {
            let played = &game.moves[step.ply];
            has_begun |= played.revealed.is_some();
            if has_begun && (played.revealed.is_some() || played.captured_covered) {
                let session = (step.state as &dyn Any).downcast_ref::<Session<G>>();
                let state = session.expect("it is the deal's game").state();
                luck += self.luck_of_ply(&mut search, state, step.action, seat);
            }
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

impl<G: Registered> Judge<G> {
    /// The value of what a legal action turns over and takes, less its expectation.
    ///
    /// The odds are those of an observer who has seen every reveal and every capture: what players know
    /// is part of that, so their choices do not depend on what comes up.
    fn luck_of_ply(
        &self,
        search: &mut Expectimax,
        state: &G::State,
        action: Action,
        seat: Player,
    ) -> f64 {
        let rules = &self.rules;
        let mover = Viewer::Player(rules.to_move(state));
        let covered = Covered::new::<G>(&rules.full_picture(state));
        let mut outcomes: Vec<(Event, f64)> = Vec::new();
        rules.each_reveal(&rules.view(state, mover), action, |event, _| {
            let odds = covered.odds::<G>(&event);
            if odds > 0.0 {
                outcomes.push((event, odds));
            }
        });
        let actual = rules.event(state, action);
        if !outcomes.iter().any(|(event, _)| *event == actual) {
            // Nobody is shown what was taken, so nobody's luck has changed.
            return 0.0;
        }
        let all: f64 = outcomes.iter().map(|(_, odds)| odds).sum();
        let mut luck = 0.0;
        for (event, odds) in &outcomes {
            let weight = f64::from(u8::from(*event == actual)) - odds / all;
            // What is certain is no luck.
            if weight != 0.0 {
                let mut world = state.clone();
                rules.arrange(&mut world, mover, action, event);
                rules.play(&mut world, action);
                luck += weight * self.value(search, &world, seat);
            }
        }
        luck
    }

    /// The value of a position to a seat, from -1 to 1, as the seat to move sees it.
    fn value(&self, search: &mut Expectimax, state: &G::State, seat: Player) -> f64 {
        let rules = &self.rules;
        if let Some(outcome) = rules.outcome(state) {
            return outcome.rewards()[seat].into();
        }
        let mover = rules.to_move(state);
        let view = rules.view(state, Viewer::Player(mover));
        if rules.players() > 2 {
            return self.evaluation.evaluate(rules, &view, mover)[seat].into();
        }
        let mut rng = Rng::new(0, Stream::Ply(rules.ply(state)));
        let value = f64::from(search.search(rules, &view, &mut rng).value);
        if mover == seat { value } else { -value }
    }
}

/// The pieces that lie covered on a board, by army and kind.
struct Covered(Vec<Vec<u32>>);

impl Covered {
    fn new<G: Registered>(picture: &Picture) -> Self {
        let mut counts = vec![vec![0; G::KINDS.len()]; G::ARMIES.len()];
        for piece in picture.pieces.iter().flatten().filter(|piece| piece.covered) {
            let (Some(army), Some(glyph)) = (piece.army, piece.glyph) else { continue };
            if let Some(kind) = G::KINDS.iter().position(|&kind| kind == glyph.letter) {
                counts[usize::from(army)][kind] += 1;
            }
        }
        Self(counts)
    }

    /// The probability that the covered pieces of an action are these.
    fn odds<G: Registered>(&self, event: &Event) -> f64 {
        let taken = event.captured.filter(|_| event.captured_covered);
        let mut counts = self.0.clone();
        let mut odds = 1.0;
        for AnyPiece { army, kind } in event.revealed.into_iter().chain(taken) {
            let (army, kind) = (usize::from(army), usize::from(kind));
            // The armies that it could have belonged to, given what shows.
            let possible = if G::HIDES == Hides::Kind { army..army + 1 } else { 0..counts.len() };
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
