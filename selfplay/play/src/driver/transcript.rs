//! The record of a game, written ply by ply. Self-play, replay and the recorder use the same one.

use std::convert::Infallible;

use darkqi_env::{
    Action, ActionTable, Move, Outcome, Perspective, Player, PolicyEntry, Registered, ReplayError,
    SetupError, Step, Trajectory, replay,
};
use darkqi_format::{DRAW, FirstReveal, GameRecord, MoveName, PlyRecord, logged_piece};

use super::observer::{Observer, Ply};
use crate::error::Error;

/// The names of all actions, from both sides.
#[derive(Debug)]
pub(crate) struct MoveNames([Vec<MoveName>; 2]);

impl MoveNames {
    pub(crate) fn new(table: &ActionTable) -> Self {
        let name = |action, perspective| {
            MoveName::from(&table.name(action, perspective))
                .expect("records hold the longest move name")
        };
        let actions = || (0..table.len()).map(|index| Action(index as u16));
        Self(
            [Perspective::Upright, Perspective::Rotated]
                .map(|side| actions().map(|a| name(a, side)).collect()),
        )
    }

    fn get(&self, action: Action, perspective: Perspective) -> MoveName {
        self.0[perspective as usize][action.index()]
    }
}

/// The label of a game's record: all that is not what happens in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct GameLabel {
    pub(crate) game_id: u64,
    pub(crate) seed: u64,
    pub(crate) pair_id: u64,
    pub(crate) agents: Vec<String>,
}

/// The record of a game so far.
#[derive(Debug)]
pub(crate) struct Transcript<'a> {
    names: &'a MoveNames,
    deal: String,
    first_player: Player,
    first_reveal: Option<FirstReveal>,
    moves: Vec<PlyRecord>,
}

impl<G: Registered> Observer<G> for Transcript<'_> {
    fn before(&mut self, rules: &G, ply: &Ply<'_, G>) {
        let Ply { state, legal, decision, .. } = *ply;
        let step = Step { ply: self.moves.len(), state, legal, action: decision.action };
        let value = decision.value.as_deref().map(Into::into);
        self.add(rules, &step, value, decision.policy.clone());
    }
}

impl<'a> Transcript<'a> {
    /// Begins with a position.
    pub(crate) fn new<G: Registered>(names: &'a MoveNames, rules: &G, state: &G::State) -> Self {
        Self {
            names,
            deal: rules.fen(state),
            first_player: rules.to_move(state),
            first_reveal: None,
            moves: Vec::new(),
        }
    }

    /// The record of a game that was played.
    ///
    /// # Errors
    /// If it is no game by the rules.
    pub(crate) fn of<G: Registered>(
        names: &'a MoveNames,
        rules: &G,
        label: GameLabel,
        game: Trajectory,
    ) -> Result<GameRecord, Error> {
        let mut state = game.start(rules).map_err(SetupError::from)?;
        let mut transcript = Self::new(names, rules, &state);
        let mut decisions = game.decisions.into_iter().peekable();
        let ended = replay(rules, &mut state, game.actions, |step| {
            let decision = decisions.next_if(|decision| usize::from(decision.ply) == step.ply);
            let (value, policy) = decision.map_or((None, None), |said| (said.value, said.policy));
            transcript.add(rules, &step, value, policy);
            Ok(())
        });
        let outcome = ended.map_err(|error: ReplayError<Infallible>| {
            Error::Replay(format!("game {}: {error}", label.game_id))
        })?;
        Ok(transcript.finish(label, &outcome))
    }

    /// Adds a ply, with what its player said of it.
    pub(crate) fn add<G: Registered>(
        &mut self,
        rules: &G,
        step: &Step<'_, G::State>,
        value: Option<Box<[f32]>>,
        policy: Option<Box<[PolicyEntry]>>,
    ) {
        let Step { state, legal, action, .. } = *step;
        let player = rules.to_move(state);
        let perspective = rules.perspective(player);
        let event = rules.event(state, action);
        if let Some(piece) = event.revealed
            && self.first_reveal.is_none()
        {
            let square = match rules.table().get_move(action, perspective) {
                Move::Flip(square) | Move::Step { from: square, .. } => square,
                Move::Pass => unreachable!("a pass turns nothing over"),
            };
            self.first_reveal = Some(FirstReveal::new::<G>(square, piece, player));
        }
        self.moves.push(PlyRecord {
            player: player as i8,
            action: action.0,
            mv: self.names.get(action, perspective),
            legal_count: legal.len() as u16,
            revealed: event.revealed.map(logged_piece::<G>),
            captured: event.captured.map(logged_piece::<G>),
            captured_covered: event.captured_covered,
            value,
            policy,
        });
    }

    /// The plies so far.
    pub(crate) fn moves(&self) -> &[PlyRecord] {
        &self.moves
    }

    /// The record of the game, which has ended with this outcome.
    pub(crate) fn finish(mut self, label: GameLabel, outcome: &Outcome) -> GameRecord {
        self.moves.shrink_to_fit();
        let mut winners = outcome.winners();
        let winner = match (winners.next(), winners.next()) {
            (Some(winner), None) => winner as i8,
            _ => DRAW,
        };
        GameRecord {
            game_id: label.game_id,
            seed: label.seed,
            deal: self.deal,
            agents: label.agents,
            plies: self.moves.len() as u16,
            winner,
            rewards: outcome.rewards().to_vec(),
            terminated: !outcome.truncated(),
            reason: outcome.reason.name().into(),
            first_player: self.first_player as i8,
            first_reveal: self.first_reveal,
            pair_id: label.pair_id,
            moves: self.moves,
        }
    }
}

#[cfg(test)]
mod tests {
    use darkqi_env::{
        Hides, Registered, Rng, Stream, games::jieqi::Jieqi, games::mystery::Mystery,
    };

    use super::{MoveNames, Transcript};
    use crate::driver::episode::Episode;

    /// Plays these moves on a deal, and returns the squares and seats of the first player and of the
    /// first reveal.
    fn first_reveal<G: Registered>(rules: &G, moves: &[&str]) -> (usize, Option<(String, i8)>) {
        assert_eq!(G::HIDES, Hides::Kind);
        let names = MoveNames::new(rules.table());
        let mut game = Episode::new(rules.deal(&mut Rng::new(5, Stream::Deal)));
        let mut transcript = Transcript::new(&names, rules, game.state());
        for name in moves {
            assert!(game.advance(rules).is_none(), "{name}");
            let side = rules.perspective(rules.to_move(game.state()));
            let action = rules.table().parse(name, side).expect("it names an action");
            game.play(rules, action, &mut transcript).expect("it is legal");
        }
        let first = transcript.first_reveal.map(|first| (first.square, first.player));
        (transcript.first_player, first)
    }

    #[test]
    fn the_first_reveal_is_by_the_seat_that_makes_it() {
        fn check<G: Registered>(rules: &G) {
            let by = |square: &str, seat| Some((square.to_owned(), seat));
            // Red opens with its general, which is never covered.
            assert_eq!(first_reveal(rules, &["e1e2"]), (0, None));
            assert_eq!(first_reveal(rules, &["e1e2", "a7a6", "c4c5"]), (0, by("a7", 1)));
            // So does black.
            assert_eq!(first_reveal(rules, &["e1e2", "e10e9", "c4c5", "a7a6"]), (0, by("c4", 0)));
            assert_eq!(first_reveal(rules, &["c4c5", "a7a6"]), (0, by("c4", 0)));
        }
        check(&Jieqi::default());
        check(&Mystery::default());
    }
}
