//! Games replayed into compact rows.

use darkqi_env::{
    Action, Format, Spec, Viewer,
    batch::{RowLengths, check_decision},
    replay,
    trajectory::ReplayError,
};

use super::logged::LoggedGame;
use super::rows::TrainingRows;
use crate::error::Result;
use crate::read::{Dataset, LoggedTargets};

/// A game with the observations and legal actions of each ply.
#[derive(Debug)]
pub(super) struct ReplayedGame {
    game: LoggedGame,
    /// One row per ply. Observations are stored as tokens, which take a twentieth of the bytes of
    /// planes and hold the same information.
    tokens: Vec<u8>,
    /// The legal actions of all plies, concatenated.
    legal: Vec<Action>,
    /// The end of each ply's legal actions.
    legal_ends: Vec<u32>,
}

impl ReplayedGame {
    /// Replays a game.
    ///
    /// # Errors
    /// [`Error::Value`](crate::Error::Value) where the log contradicts the rules.
    pub(super) fn new(dataset: &Dataset, spec: &Spec, game: LoggedGame) -> Result<Self> {
        let token_len = spec.layout.token_len();
        let mut tokens = vec![0; game.plies.len() * token_len];
        let mut legal = Vec::new();
        let mut legal_ends = Vec::with_capacity(game.plies.len());
        let mut state = spec.parse_fen(&game.deal).map_err(|error| {
            let expected = format!("a full FEN: {error}");
            game.unexpected(dataset, None, "deal", expected, format!("{:?}", game.deal))
        })?;
        let differs = |ply, column, expected, found| {
            game.unexpected(dataset, Some(ply), column, expected, found)
        };
        let actions = game.plies.iter().map(|ply| Action(ply.action));
        let ended = replay(&mut *state, actions, |step| {
            let (ply, logged) = (step.ply, &game.plies[step.ply]);
            let (mover, now_legal) = (step.state.current_player(), step.state.legal_actions());
            if i8::try_from(mover) != Ok(logged.player) {
                return Err(differs(ply, "player", mover.to_string(), logged.player.to_string()));
            }
            if usize::from(logged.legal_count) != now_legal.len() {
                let [expected, found] = [now_legal.len(), logged.legal_count.into()];
                return Err(differs(ply, "legal_count", expected.to_string(), found.to_string()));
            }
            if let Some(LoggedTargets { value, policy }) = logged.targets.as_deref() {
                let is_legal = |action| now_legal.binary_search(&Action(action)).is_ok();
                let (value, policy) = (value.as_deref(), policy.as_deref());
                check_decision(value, policy, spec.num_players, is_legal)
                    .map_err(|fault| differs(ply, fault.part, fault.expected, fault.found))?;
            }
            legal.extend_from_slice(now_legal);
            legal_ends.push(legal.len() as u32);
            let tokens = &mut tokens[ply * token_len..][..token_len];
            step.state.observe(Viewer::Player(mover), Format::Tokens, tokens);
            Ok(())
        });
        let logged = game.plies.len().to_string();
        let plies = |expected| game.unexpected(dataset, None, "plies", expected, logged);
        let outcome = ended.map_err(|error| match error {
            ReplayError::Over { ply, outcome } => {
                plies(format!("{ply}, where it ends ({})", outcome.reason.name()))
            }
            ReplayError::Unfinished { .. } => plies("more, as the game has not ended".to_owned()),
            ReplayError::Illegal { ply, action, legal_count } => {
                let expected = format!("one of {legal_count} legal actions");
                differs(ply, "action", expected, action.0.to_string())
            }
            ReplayError::Visit(error) => error,
        })?;
        if *outcome.rewards() != *game.rewards {
            let [expected, found] =
                [outcome.rewards(), &game.rewards].map(|rewards| format!("{rewards:?}"));
            return Err(game.unexpected(dataset, None, "rewards", expected, found));
        }
        Ok(Self { game, tokens, legal, legal_ends })
    }

    /// The number of rows.
    pub(super) fn plies(&self) -> usize {
        self.game.plies.len()
    }

    /// Writes the row of a ply as row `row` of the caller's buffers.
    pub(super) fn write(
        &self,
        spec: &Spec,
        ply: usize,
        format: Format,
        lengths: &RowLengths,
        rows: &mut TrainingRows<'_>,
        row: usize,
    ) {
        let LoggedGame { game_id, rewards, plies, .. } = &self.game;
        let logged = &plies[ply];
        let token_len = spec.layout.token_len();
        let tokens = &self.tokens[ply * token_len..][..token_len];
        let observation = &mut rows.observation[row * lengths.observation..][..lengths.observation];
        match format {
            Format::Planes => spec.planes_of_tokens(tokens, observation),
            Format::Tokens => observation.copy_from_slice(tokens),
        }
        let mask = &mut rows.action_mask[row * lengths.mask..][..lengths.mask];
        mask.fill(0);
        self.legal(ply).iter().for_each(|action| mask[action.index()] = 1);
        rows.action[row] = logged.action.into();
        rows.player[row] = logged.player;
        rows.reward[row] = rewards[logged.player as usize];
        rows.legal_count[row] = logged.legal_count;
        rows.game_id[row] = *game_id;
        rows.ply[row] = ply as u16;
        // Without targets these columns are empty.
        if !rows.value.is_empty() {
            let value = &mut rows.value[row * lengths.players..][..lengths.players];
            match logged.targets.as_ref().and_then(|logged| logged.value.as_ref()) {
                Some(logged) => value.copy_from_slice(logged),
                None => value.fill(f32::NAN),
            }
            let policy = &mut rows.policy[row * lengths.mask..][..lengths.mask];
            policy.fill(0.0);
            for entry in logged.targets.iter().flat_map(|logged| logged.policy.iter().flatten()) {
                policy[usize::from(entry.action)] = entry.probability;
            }
        }
    }

    fn legal(&self, ply: usize) -> &[Action] {
        let first = ply.checked_sub(1).map_or(0, |before| self.legal_ends[before]);
        &self.legal[first as usize..self.legal_ends[ply] as usize]
    }
}
