//! The record of a game, written ply by ply. Self-play, replay and the recorder use the same one.

use std::convert::Infallible;

use darkqi_env::{
    Action, AnyState, Outcome, Player, SetupError, Spec, Trajectory,
    board::{AnyPiece, Perspective},
    replay,
    trajectory::{PolicyEntry, ReplayError},
};
use darkqi_format::{DRAW, FirstReveal, GameRecord, MoveName, PieceName, PlyRecord, logged_piece};

use crate::error::Error;

/// The names of all actions, from both sides, and of all pieces.
#[derive(Debug)]
pub(crate) struct Names {
    moves: [Vec<MoveName>; 2],
    /// By army and kind.
    pieces: Vec<Vec<PieceName>>,
    spec: Spec,
}

impl Names {
    pub(crate) fn new(spec: &Spec) -> Self {
        let name = |action, perspective| {
            MoveName::from(&spec.table().name(action, perspective))
                .expect("records hold the longest move name")
        };
        let actions = || (0..spec.num_actions).map(|index| Action(index as u16));
        let moves = [Perspective::Upright, Perspective::Rotated]
            .map(|side| actions().map(|a| name(a, side)).collect());
        let of_army = |army| {
            let kinds = 0..spec.kinds.len() as u8;
            kinds.map(|kind| logged_piece(spec, AnyPiece { army, kind })).collect()
        };
        let pieces = (0..spec.armies.len() as u8).map(of_army).collect();
        Self { moves, pieces, spec: spec.clone() }
    }

    /// The game.
    pub(crate) fn spec(&self) -> &Spec {
        &self.spec
    }

    fn of_move(&self, action: Action, perspective: Perspective) -> MoveName {
        self.moves[perspective as usize][action.index()]
    }

    fn of_piece(&self, piece: AnyPiece) -> PieceName {
        self.pieces[usize::from(piece.army)][usize::from(piece.kind)]
    }
}

/// The label of a game's record: all that is not what happens in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct GameLabel {
    pub(crate) game_id: u64,
    pub(crate) seed: u64,
    pub(crate) deal_id: u64,
    pub(crate) agents: Vec<String>,
}

/// The record of a game so far.
#[derive(Debug)]
pub(crate) struct Transcript<'a> {
    names: &'a Names,
    deal: String,
    first_player: Player,
    first_reveal: Option<FirstReveal>,
    moves: Vec<PlyRecord>,
}

impl<'a> Transcript<'a> {
    /// Begins with a position.
    pub(crate) fn new(names: &'a Names, state: &dyn AnyState) -> Self {
        Self {
            names,
            deal: state.fen(),
            first_player: state.current_player(),
            first_reveal: None,
            moves: Vec::new(),
        }
    }

    /// The record of a game that was played.
    ///
    /// # Errors
    /// If it is no game by the rules.
    pub(crate) fn of(
        names: &'a Names,
        label: GameLabel,
        game: Trajectory,
    ) -> Result<GameRecord, Error> {
        let mut state = game.start(names.spec()).map_err(SetupError::from)?;
        let mut transcript = Self::new(names, &*state);
        let mut decisions = game.decisions.into_iter().peekable();
        let ended = replay(&mut *state, game.actions, |step| {
            let decision = decisions.next_if(|decision| usize::from(decision.ply) == step.ply);
            let (value, policy) = decision.map_or((None, None), |said| (said.value, said.policy));
            transcript.add(step.state, step.action, value, policy);
            Ok(())
        });
        let outcome = ended.map_err(|error: ReplayError<Infallible>| {
            Error::Replay(format!("game {}: {error}", label.game_id))
        })?;
        Ok(transcript.finish(label, &outcome))
    }

    /// Adds a ply, with what its player said of it: a legal action in the state before it.
    pub(crate) fn add(
        &mut self,
        state: &dyn AnyState,
        action: Action,
        value: Option<Box<[f32]>>,
        policy: Option<Box<[PolicyEntry]>>,
    ) {
        let names = self.names;
        let player = state.current_player();
        let event = state.true_event(action);
        if let Some(piece) = event.revealed
            && self.first_reveal.is_none()
            && let Some(square) = names.spec().turned_over(state.get_move(action))
        {
            self.first_reveal = Some(FirstReveal::new(names.spec(), square, piece, player));
        }
        self.moves.push(PlyRecord {
            player: player as i8,
            action: action.0,
            mv: names.of_move(action, state.perspective()),
            legal_count: state.legal_actions().len() as u16,
            revealed: event.revealed.map(|piece| names.of_piece(piece)),
            captured: event.captured.map(|piece| names.of_piece(piece)),
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
            deal_id: label.deal_id,
            moves: self.moves,
        }
    }
}

#[cfg(test)]
mod tests {
    use darkqi_env::{Options, Spec, game::Hides};

    use super::{Names, Transcript};

    /// Plays these moves on a deal, and returns the squares and seats of the first player and of the
    /// first reveal.
    fn first_reveal(spec: &Spec, moves: &[&str]) -> (usize, Option<(String, i8)>) {
        assert_eq!(spec.hides, Hides::Kind);
        let names = Names::new(spec);
        let mut game = spec.deal(5);
        let mut transcript = Transcript::new(&names, &*game);
        for name in moves {
            let action = game.action_index(name).expect("it names an action");
            transcript.add(&*game, action, None, None);
            game.apply(action).expect("it is legal");
        }
        let first = transcript.first_reveal.map(|first| (first.square, first.player));
        (transcript.first_player, first)
    }

    #[test]
    fn the_first_reveal_is_by_the_seat_that_makes_it() {
        for game in ["jieqi", "mystery"] {
            let spec = &Spec::new(game, &Options::new()).expect("the game exists");
            let by = |square: &str, seat| Some((square.to_owned(), seat));
            // Red opens with its general, which is never covered.
            assert_eq!(first_reveal(spec, &["e1e2"]), (0, None));
            assert_eq!(first_reveal(spec, &["e1e2", "a7a6", "c4c5"]), (0, by("a7", 1)));
            // So does black.
            assert_eq!(first_reveal(spec, &["e1e2", "e10e9", "c4c5", "a7a6"]), (0, by("c4", 0)));
            assert_eq!(first_reveal(spec, &["c4c5", "a7a6"]), (0, by("c4", 0)));
        }
    }
}
