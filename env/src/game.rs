//! What every game can do: the rules' vocabulary.

use std::fmt::Debug;
use std::ops::ControlFlow;

use crate::action::{Action, ActionTable, Run, Side};
use crate::options::{Misfit, OptionSpec};
use crate::rng::Rng;

/// A seat at the table, from 0.
pub type Player = usize;

/// The most seats any game has.
pub const MAX_PLAYERS: usize = 7;

/// Whether a generator goes on after an action.
pub type Flow = ControlFlow<()>;

/// Why a game ended: RULES.md section 8, in its order of precedence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names are defined in RULES.md section 8")]
pub enum Reason {
    GeneralCaptured,
    OwnGeneralCaptured,
    Checkmate,
    Stalemate,
    NoPieces,
    Kingdoms,
    Captures,
    LastStanding,
    NoMoves,
    PerpetualCheck,
    PerpetualChase,
    Repetition,
    QuietLimit,
    ProgressLimit,
    EffectiveLimit,
    MovesLimit,
    BareKings,
    MaxPlies,
}

impl Reason {
    /// The name in RULES.md.
    pub const fn name(self) -> &'static str {
        match self {
            Self::GeneralCaptured => "general_captured",
            Self::OwnGeneralCaptured => "own_general_captured",
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::NoPieces => "no_pieces",
            Self::Kingdoms => "kingdoms",
            Self::Captures => "captures",
            Self::LastStanding => "last_standing",
            Self::NoMoves => "no_moves",
            Self::PerpetualCheck => "perpetual_check",
            Self::PerpetualChase => "perpetual_chase",
            Self::Repetition => "repetition",
            Self::QuietLimit => "quiet_limit",
            Self::ProgressLimit => "progress_limit",
            Self::EffectiveLimit => "effective_limit",
            Self::MovesLimit => "moves_limit",
            Self::BareKings => "bare_kings",
            Self::MaxPlies => "max_plies",
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outcome {
    /// Why.
    pub reason: Reason,
    rewards: [f32; MAX_PLAYERS],
    players: u8,
}

impl Outcome {
    /// A result that is nobody's, of a game with this many seats.
    pub fn even(reason: Reason, players: usize) -> Self {
        Self { reason, rewards: [0.0; MAX_PLAYERS], players: players as u8 }
    }

    /// A two-player game that `loser` lost.
    pub fn lost_by(loser: Player, reason: Reason) -> Self {
        let mut outcome = Self::even(reason, 2);
        outcome.rewards[loser] = -1.0;
        outcome.rewards[1 - loser] = 1.0;
        outcome
    }

    /// A game that the team of this number won; `teams` holds the team of every seat. The winners
    /// share 1, and the others -1 in equal parts by team, then by seat (RULES.md 9.24).
    pub fn won_by(winner: u8, teams: &[u8], reason: Reason) -> Self {
        let mut outcome = Self::even(reason, teams.len());
        let members = |team| teams.iter().filter(|&&other| other == team).count();
        let is_first = |&(seat, team): &(usize, &u8)| !teams[..seat].contains(team);
        let losing_teams = teams.iter().enumerate().filter(is_first).count() - 1;
        for (reward, &team) in outcome.rewards.iter_mut().zip(teams) {
            *reward = if team == winner {
                1.0 / members(team) as f32
            } else {
                -1.0 / (losing_teams * members(team)) as f32
            };
        }
        outcome
    }

    /// What each seat gets.
    pub fn rewards(&self) -> &[f32] {
        &self.rewards[..self.players.into()]
    }

    /// The seats with a positive reward.
    pub fn winners(&self) -> impl Iterator<Item = Player> + '_ {
        (0..self.players.into()).filter(|&player| self.rewards[player] > 0.0)
    }

    /// Whether the game was cut off from outside the rules.
    pub fn truncated(&self) -> bool {
        self.reason == Reason::MaxPlies
    }
}

/// A game's rules; the value holds the options in force.
pub trait Game: Clone + Default + Debug + Send + Sync + 'static {
    /// The name in the registry.
    const NAME: &'static str;

    /// What the game is, in one line.
    const ABOUT: &'static str;

    /// The letters of the piece kinds, by [`crate::Token::kind`].
    const KINDS: &'static [char];

    /// Everything there is to know about a game in progress.
    type State: Clone + Eq + Debug + Send + Sync;

    /// The options, in the order of RULES.md section 9.5.
    fn options() -> &'static [OptionSpec<Self>];

    /// Checks the options against one another; each alone is known to be of its domain.
    ///
    /// # Errors
    /// If they do not go together.
    fn validate(&self) -> Result<(), Misfit> {
        Ok(())
    }

    /// Number of seats.
    fn players(&self) -> usize {
        2
    }

    /// Whether two seats win and lose together.
    fn allied(&self, one: Player, other: Player) -> bool {
        one == other
    }

    /// Every action there is.
    fn table(&self) -> &'static ActionTable;

    /// A new game. All chance is drawn here.
    fn deal(&self, rng: &mut Rng) -> Self::State;

    /// Replaces a finished game by a new one, keeping what memory it can.
    fn redeal(&self, state: &mut Self::State, rng: &mut Rng) {
        *state = self.deal(rng);
    }

    /// Whose turn it is; in a finished game, whose it would be.
    fn to_move(&self, state: &Self::State) -> Player;

    /// From which side the mover's actions are numbered.
    fn side(&self, state: &Self::State) -> Side;

    /// Plies played since the deal.
    fn ply(&self, state: &Self::State) -> u16;

    /// How the game has ended, leaving aside a mover without an action.
    fn ending(&self, state: &Self::State) -> Option<Outcome>;

    /// How the game ends when the mover has no action.
    fn stuck(&self, state: &Self::State) -> Outcome;

    /// Visits the actions that the rules of movement allow, in any order, until `visit` breaks off.
    /// Whether the game is over is not asked.
    fn each_run(&self, state: &Self::State, visit: impl FnMut(Run) -> Flow) -> Flow;

    /// Asks for what a state keeps elsewhere in memory and the next ply needs, where that is much.
    #[inline]
    fn prefetch(&self, _: &Self::State) {}

    /// Plays an action, which must be legal.
    fn play(&self, state: &mut Self::State, action: Action);
}

/// What follows from the rules for every game.
pub trait GameExt: Game {
    /// The result of a position whose mover has an action or has not.
    ///
    /// The caller knows whether there is one, having just listed them.
    #[inline]
    fn outcome_given(&self, state: &Self::State, has_action: bool) -> Option<Outcome> {
        let ending = self.ending(state);
        if has_action {
            return ending;
        }
        let stuck = self.stuck(state);
        Some(ending.filter(|ending| ending.reason < stuck.reason).unwrap_or(stuck))
    }

    /// How the game has ended, if it has.
    fn outcome(&self, state: &Self::State) -> Option<Outcome> {
        let is_some = |run: Run| if run.bits == 0 { Flow::Continue(()) } else { Flow::Break(()) };
        let has_action = self.each_run(state, is_some).is_break();
        self.outcome_given(state, has_action)
    }

    /// The actions that movement allows, ascending, whether or not the game is over.
    fn actions(&self, state: &Self::State) -> Vec<Action> {
        let mut actions = Vec::new();
        self.list_actions(state, &mut actions);
        actions
    }

    /// Replaces what `actions` holds by [`GameExt::actions`].
    fn list_actions(&self, state: &Self::State, actions: &mut Vec<Action>) {
        actions.clear();
        let _ = self.each_run(state, |run| {
            actions.extend(run.actions());
            Flow::Continue(())
        });
        actions.sort_unstable();
    }
}

impl<G: Game> GameExt for G {}

#[cfg(test)]
mod tests {
    use super::{Outcome, Reason};

    #[test]
    fn teams_share_what_they_win_and_lose() {
        let rewards = |winner, teams: &[u8]| {
            Outcome::won_by(winner, teams, Reason::Kingdoms).rewards().to_vec()
        };
        assert_eq!(rewards(0, &[0, 1]), [1.0, -1.0]);
        assert_eq!(rewards(2, &[0, 1, 2]), [-0.5, -0.5, 1.0]);
        assert_eq!(rewards(1, &[0, 1, 0, 1, 3]), [-0.25, 0.5, -0.25, 0.5, -0.5]);
    }
}
