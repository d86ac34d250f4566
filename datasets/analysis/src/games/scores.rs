//! The scores of seats, and checks of logged games.

use std::sync::atomic::{AtomicBool, Ordering};

use darkqi_env::Player;

use crate::{Error, Result as AnalysisResult};
use darkqi_format::{GameRecord, Metadata, Result as ReadResult};

/// Tolerance for 32-bit rewards: those of a shared victory add up to 1 only approximately.
const ROUNDING: f32 = 1e-5;

/// The score of a seat, between 0 and 1: 1 for a win, divided among those who win together; without
/// a winner, the equal share. The scores of all seats add up to 1.
pub fn score(game: &GameRecord, seat: Player) -> f32 {
    let rewards = &game.rewards;
    if is_won(game) {
        rewards.get(seat).map_or(0.0, |reward| reward.max(0.0))
    } else {
        1.0 / rewards.len() as f32
    }
}

/// Whether the game has a winner.
pub(crate) fn is_won(game: &GameRecord) -> bool {
    game.rewards.iter().any(|&reward| reward > 0.0)
}

/// The player who makes the first reveal or, if the game begins with nothing covered, the first move. Nobody,
/// if what is covered stays so.
///
/// # Errors
/// If there is no such seat.
pub(crate) fn revealer(game: &GameRecord) -> Result<Option<Player>, String> {
    let has_covered = || game.deal.split(' ').next().is_some_and(|board| board.contains('~'));
    let player = match &game.first_reveal {
        Some(first) => Some(first.player),
        None => (!has_covered()).then_some(game.first_player),
    };
    player.map(|player| seat(player, game.rewards.len())).transpose()
}

/// A game that was read, checked as [`check`] does; as many seats as it has rewards, unless their number
/// is given.
pub(crate) fn checked(
    game: ReadResult<GameRecord>,
    seats: Option<usize>,
    agent: &str,
    stop: &AtomicBool,
) -> AnalysisResult<GameRecord> {
    if stop.load(Ordering::Relaxed) {
        return Err(Error::Stopped);
    }
    let game = game?;
    check(&game, seats.unwrap_or(game.rewards.len()), agent)
        .map_err(|fault| Error::Game { game_id: game.game_id, fault })?;
    Ok(game)
}

/// Checks that a game is one of `agent` playing all `seats` seats, with possible rewards.
///
/// # Errors
/// The fault, in words.
pub(crate) fn check(game: &GameRecord, seats: usize, agent: &str) -> Result<(), String> {
    let rewards = &game.rewards;
    if rewards.len() != seats {
        return Err(format!("expected {seats} rewards, found {}", rewards.len()));
    }
    let won: f32 = rewards.iter().filter(|&&reward| reward > 0.0).sum();
    let is_shared = (won - 1.0).abs() < ROUNDING && rewards.iter().all(|reward| !reward.is_nan());
    let is_even = rewards.iter().all(|&reward| reward == 0.0);
    if !is_even && !is_shared {
        return Err(format!(
            "expected rewards that are all 0, or positive ones that add up to 1, found {rewards:?}"
        ));
    }
    if let Some(other) = game.agents.iter().find(|&other| other != agent) {
        return Err(format!("expected {agent} in all seats, found {other}"));
    }
    seat(game.first_player, seats)?;
    Ok(())
}

/// A logged seat as an index.
///
/// # Errors
/// If there is no such seat.
pub(crate) fn seat(player: i8, seats: usize) -> Result<Player, String> {
    let seat = usize::try_from(player).ok().filter(|&seat| seat < seats);
    seat.ok_or_else(|| {
        format!("expected a seat from 0 to {}, found {player}", seats.saturating_sub(1))
    })
}

/// The single agent that played all seats.
///
/// # Errors
/// If there were several, or none.
pub(crate) fn only_agent(metadata: &Metadata) -> AnalysisResult<&str> {
    let mut agents = metadata.agents.clone();
    agents.sort();
    agents.dedup();
    match (agents.as_slice(), metadata.agents.first()) {
        ([_], Some(agent)) => Ok(agent),
        _ => Err(Error::Agents { agents }),
    }
}

#[cfg(test)]
mod tests {
    use darkqi_env::games::jieqi::Jieqi;

    use super::revealer;
    use crate::games::fixtures::{Player, play};

    #[test]
    fn who_moves_first_counts_where_the_deal_has_nothing_covered() {
        let mut game = play(&Jieqi::default(), 0, 0, Player::Random);
        let first = game.first_reveal.take().expect("pieces are covered");
        assert_eq!(revealer(&game), Ok(None));
        game.deal = game.deal.replace('~', "");
        assert_eq!(revealer(&game), Ok(Some(0)));
        game.first_player = 1;
        assert_eq!(revealer(&game), Ok(Some(1)));
        game.first_reveal = Some(first);
        assert_eq!(revealer(&game), Ok(Some(0)));
    }
}
