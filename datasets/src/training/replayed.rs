//! Games replayed into compact rows.

use darkqi_env::{
    Action, Flow, Format, GameExt, Registered, RowLengths, Viewer, check_decision, planes_of_tokens,
};

use super::logged::LoggedGame;
use super::rows::TrainingRows;
use crate::error::{Error, Result};
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
    /// [`Error::Value`] where the log contradicts the rules.
    pub(super) fn new<G: Registered>(
        dataset: &Dataset,
        rules: &G,
        game: LoggedGame,
    ) -> Result<Self> {
        let token_len = G::LAYOUT.token_len();
        let mut tokens = vec![0; game.plies.len() * token_len];
        let mut legal = Vec::new();
        let mut legal_ends = Vec::with_capacity(game.plies.len());
        let mut state = rules.parse_fen(&game.deal).map_err(|error| {
            let expected = format!("a full FEN: {error}");
            game.unexpected(dataset, "deal", expected, format!("{:?}", game.deal))
        })?;
        for ((ply, logged), tokens) in
            game.plies.iter().enumerate().zip(tokens.chunks_exact_mut(token_len))
        {
            let differs = |column, expected: String, found: String| {
                Err(game.unexpected_ply(dataset, ply, column, expected, found))
            };
            let first = legal.len();
            let _ = rules.generate_actions(&state, |run| {
                legal.extend(run.actions());
                Flow::Continue(())
            });
            let now = &legal[first..];
            if let Some(outcome) = rules.outcome_given(&state, !now.is_empty()) {
                let expected = format!("{ply}, where it ends ({})", outcome.reason.name());
                return Err(game.wrong_length(dataset, expected));
            }
            let mover = rules.to_move(&state);
            if i8::try_from(mover) != Ok(logged.player) {
                return differs("player", mover.to_string(), logged.player.to_string());
            }
            if usize::from(logged.legal_count) != now.len() {
                let found = logged.legal_count.to_string();
                return differs("legal_count", now.len().to_string(), found);
            }
            let action = Action(logged.action);
            if !now.contains(&action) {
                let expected = format!("one of {} legal actions", now.len());
                return differs("action", expected, logged.action.to_string());
            }
            if let Some(LoggedTargets { value, policy }) = logged.targets.as_deref() {
                let is_legal = |action| now.contains(&Action(action));
                let (value, policy) = (value.as_deref(), policy.as_deref());
                if let Err(fault) = check_decision(value, policy, rules.players(), is_legal) {
                    return differs(fault.part, fault.expected, fault.found);
                }
            }
            legal_ends.push(legal.len() as u32);
            Format::Tokens.write(rules, &rules.view(&state, Viewer::Player(mover)), tokens);
            rules.play(&mut state, action);
        }
        match rules.outcome(&state) {
            None => {
                let expected = "more, as the game has not ended".to_owned();
                Err(game.wrong_length(dataset, expected))
            }
            Some(outcome) if *outcome.rewards() != *game.rewards => {
                let [expected, found] =
                    [outcome.rewards(), &game.rewards].map(|rewards| format!("{rewards:?}"));
                Err(game.unexpected(dataset, "rewards", expected, found))
            }
            Some(_) => Ok(Self { game, tokens, legal, legal_ends }),
        }
    }

    /// The number of rows.
    pub(super) fn plies(&self) -> usize {
        self.game.plies.len()
    }

    /// Writes the row of a ply as row `row` of the caller's buffers.
    pub(super) fn write<G: Registered>(
        &self,
        ply: usize,
        format: Format,
        lengths: &RowLengths,
        rows: &mut TrainingRows<'_>,
        row: usize,
    ) {
        let LoggedGame { game_id, rewards, plies, .. } = &self.game;
        let logged = &plies[ply];
        let token_len = G::LAYOUT.token_len();
        let tokens = &self.tokens[ply * token_len..][..token_len];
        let observation = &mut rows.observation[row * lengths.observation..][..lengths.observation];
        match format {
            Format::Planes => planes_of_tokens::<G>(tokens, observation),
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
        if let Some(targets) = &mut rows.targets {
            let value = &mut targets.value[row * lengths.players..][..lengths.players];
            match logged.targets.as_ref().and_then(|logged| logged.value.as_ref()) {
                Some(logged) => value.copy_from_slice(logged),
                None => value.fill(f32::NAN),
            }
            let policy = &mut targets.policy[row * lengths.mask..][..lengths.mask];
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

impl LoggedGame {
    /// The error for a number of plies that contradicts the rules.
    fn wrong_length(&self, dataset: &Dataset, expected: String) -> Error {
        self.unexpected(dataset, "plies", expected, self.plies.len().to_string())
    }
}
