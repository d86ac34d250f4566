//! An observer that writes a game's record. Self-play and replay use the same one.

use darkqi_datasets::{DRAW, FirstReveal, GameRecord, MoveName, PlyRecord, logged_piece};
use darkqi_env::{
    Action, ActionTable, LoggedPly, Move, Outcome, Perspective, Player, PolicyEntry, Registered,
};

use super::observer::{Observer, Ply};

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

/// What a game's record says besides what happens in it.
#[derive(Clone, Debug)]
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
        let Ply { state, legal, decision, .. } = ply;
        let ply = LoggedPly {
            action: decision.action,
            legal_count: legal.len() as u16,
            player: rules.to_move(state) as u8,
            perspective: rules.perspective(state),
            event: rules.event(state, decision.action),
        };
        let value = decision.value.as_deref().map(Into::into);
        self.add(rules, &ply, value, decision.policy.clone());
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

    /// Adds a ply, with what its player said of it.
    pub(crate) fn add<G: Registered>(
        &mut self,
        rules: &G,
        ply: &LoggedPly,
        value: Option<Box<[f32]>>,
        policy: Option<Box<[PolicyEntry]>>,
    ) {
        let LoggedPly { action, legal_count, player, perspective, event } = *ply;
        if let Some(piece) = event.revealed
            && self.first_reveal.is_none()
        {
            let square = match rules.table().get_move(action, perspective) {
                Move::Flip(square) | Move::Step { from: square, .. } => square,
                Move::Pass => unreachable!("a pass turns nothing over"),
            };
            self.first_reveal = Some(FirstReveal::new::<G>(square, piece, player.into()));
        }
        self.moves.push(PlyRecord {
            player: player as i8,
            action: action.0,
            mv: self.names.get(action, perspective),
            legal_count,
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
