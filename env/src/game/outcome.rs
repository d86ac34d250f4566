//! Seats, results and the reasons for them.

use serde::{Deserialize, Serialize};

use super::lesson::Words;

/// A seat, numbered from 0.
pub type Player = usize;

/// The most seats any game has.
pub const MAX_PLAYERS: usize = 7;

macro_rules! define_reasons {
    ($($reason:ident $name:literal: $english:literal, $chinese:literal;)*) => {
        /// Why a game ended: RULES.md section 8, in its order of precedence.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        pub enum Reason {
            $(#[doc = $english] $reason,)*
        }

        impl Reason {
            /// All, in their order.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$reason),*];

            /// The name in RULES.md.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$reason => $name,)*
                }
            }

            /// What has happened, in a sentence.
            pub const fn meaning(self) -> Words {
                match self {
                    $(Self::$reason => Words::new($english, $chinese),)*
                }
            }
        }
    };
}

define_reasons! {
    GeneralCaptured "general_captured": "A general was taken.", "将帅被吃。";
    OwnGeneralCaptured "own_general_captured":
        "A general was taken by its own side.", "将帅被己方吃掉。";
    Checkmate "checkmate":
        "The general is in check, and no move ends it.", "将帅被将军，无法解除。";
    Stalemate "stalemate":
        "The side to move has no move, though its general is not in check.", "未被将军，但无子可走。";
    NoPieces "no_pieces": "A side has no piece left.", "一方的棋子已被吃光。";
    Kingdoms "kingdoms": "Enough kingdoms have fallen to one seat.", "一个座位灭国的数目已够。";
    Captures "captures": "One seat has taken enough pieces.", "一个座位吃子的数目已够。";
    LastStanding "last_standing": "All other kingdoms have fallen.", "其他各国均已灭亡。";
    NoMoves "no_moves": "There is no move left.", "无棋可走。";
    PerpetualCheck "perpetual_check": "A side gave check again and again.", "一方长将。";
    PerpetualChase "perpetual_chase": "A side chased a piece again and again.", "一方长捉。";
    Repetition "repetition": "The position has occurred three times.", "同一局面出现三次。";
    QuietLimit "quiet_limit":
        "For too long nothing has happened that counts.", "太久没有吃子或翻子。";
    ProgressLimit "progress_limit": "For too long there was no progress.", "太久没有进展。";
    EffectiveLimit "effective_limit":
        "Both sides have used up their effective moves.", "双方的有效步数已用完。";
    MovesLimit "moves_limit": "Both sides have used up their moves.", "双方的步数已用完。";
    BareKings "bare_kings": "Only the kings are left.", "只剩将帅。";
    MaxPlies "max_plies": "The game has reached its limit of plies.", "对局达到步数上限。";
}

impl Reason {
    /// The reason of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// Whether nobody wins by it, whatever the options.
    pub const fn is_draw(self) -> bool {
        matches!(
            self,
            Self::Repetition
                | Self::QuietLimit
                | Self::ProgressLimit
                | Self::EffectiveLimit
                | Self::MovesLimit
                | Self::BareKings
                | Self::MaxPlies
        )
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// Why.
    pub reason: Reason,
    rewards: [f32; MAX_PLAYERS],
    players: u8,
}

impl Outcome {
    /// A drawn or truncated game with this many seats: every reward is 0.
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

    /// A game that the team `winner` won; `teams` holds the team of every seat. The winning seats
    /// share a reward of 1 equally. The losing teams share -1 equally, and so do the seats of each
    /// (RULES.md 9.24).
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

    /// The reward of each seat.
    pub fn rewards(&self) -> &[f32] {
        &self.rewards[..self.players.into()]
    }

    /// The seats with a positive reward.
    pub fn winners(&self) -> impl Iterator<Item = Player> + '_ {
        (0..self.players.into()).filter(|&player| self.rewards[player] > 0.0)
    }

    /// Whether the game was truncated, that is, ended by a limit outside the rules.
    pub fn truncated(&self) -> bool {
        self.reason == Reason::MaxPlies
    }
}

#[cfg(test)]
mod tests {
    use super::{Outcome, Reason};

    #[test]
    fn all_reasons_are_found_by_their_names() {
        for (place, reason) in Reason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, place);
            assert_eq!(Reason::named(reason.name()), Some(reason));
        }
        assert_eq!(Reason::named("Checkmate"), None);
    }

    #[test]
    fn teams_share_their_wins_and_losses() {
        let rewards = |winner, teams: &[u8]| {
            Outcome::won_by(winner, teams, Reason::Kingdoms).rewards().to_vec()
        };
        assert_eq!(rewards(0, &[0, 1]), [1.0, -1.0]);
        assert_eq!(rewards(2, &[0, 1, 2]), [-0.5, -0.5, 1.0]);
        assert_eq!(rewards(1, &[0, 1, 0, 1, 3]), [-0.25, 0.5, -0.25, 0.5, -0.5]);
    }
}
