//! The games under way, by their keys.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use darkqi_env::Player;
use rand::TryRng;
use rand::rngs::SysRng;

use super::hosted_game::HostedGame;
use crate::answer::Refusal;

/// Games that are kept. Beyond, the one is given up that was used longest ago.
const MOST: usize = 200;

/// Bytes that the agents of all games may take. A game alone is always kept.
const MAX_MEMORY: u64 = 2 << 30;

/// How long a game counts as used after somebody has looked at it. Pages that show one wait for its
/// changes, but for moments.
const USE: Duration = Duration::from_secs(60);

/// Games by key.
#[derive(Default)]
pub(crate) struct Registry(Mutex<Games>);

#[derive(Default)]
struct Games {
    seats: HashMap<String, Seats>,
    next_number: u64,
    kept: HashMap<u64, Kept>,
}

/// A game that is kept.
struct Kept {
    game: Arc<HostedGame>,
    begun: Instant,
    /// When a key was used last, if one was.
    used: Option<Instant>,
    /// Bytes that its agents may take.
    memory: u64,
}

impl Kept {
    fn is_in_use(&self, now: Instant) -> bool {
        self.game.is_watched() || self.used.is_some_and(|used| now - used < USE)
    }
}

/// The game and the seats that a key opens.
#[derive(Clone)]
pub(crate) struct Seats {
    number: u64,
    pub(crate) game: Arc<HostedGame>,
    /// The seats of the key; none for an onlooker.
    pub(crate) seats: Vec<Player>,
}

impl Games {
    /// Gives games up that nobody uses, until there is room for one whose agents take so much memory.
    ///
    /// # Errors
    /// If all that are left are in use.
    fn make_room(&mut self, memory: u64, now: Instant) -> Result<(), Refusal> {
        loop {
            let taken: u64 = self.kept.values().map(|kept| kept.memory).sum();
            let is_full = self.kept.len() >= MOST;
            if self.kept.is_empty() || !(is_full || taken + memory > MAX_MEMORY) {
                return Ok(());
            }
            let unused = self.kept.iter().filter(|(_, kept)| !kept.is_in_use(now));
            let oldest = unused.min_by_key(|(_, kept)| kept.used.unwrap_or(kept.begun));
            let Some((&number, _)) = oldest else {
                let reason = if is_full {
                    format!("{MOST} games are being played or watched; try again later")
                } else {
                    let (memory, most) = (memory >> 20, MAX_MEMORY >> 20);
                    format!(
                        "the agents of this game may take {memory} MiB, and with those of the games \
                         under way more than {most} MiB; expected agents with a smaller `hash` or \
                         fewer `sims`, or try again later"
                    )
                };
                return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, reason));
            };
            if let Some(kept) = self.kept.remove(&number) {
                kept.game.give_up();
            }
            self.seats.retain(|_, seats| seats.number != number);
        }
    }
}

impl Registry {
    /// Adds a game, whose agents may take so much memory, with a key for each of these groups of seats.
    /// Returns the keys.
    ///
    /// # Errors
    /// If there is no room for it, or the system gives no random numbers.
    pub(crate) fn add(
        &self,
        game: &Arc<HostedGame>,
        memory: u64,
        groups: Vec<Vec<Player>>,
    ) -> Result<Vec<String>, Refusal> {
        let keys: Vec<String> = groups.iter().map(|_| random_key()).collect::<Result<_, _>>()?;
        let mut games = self.games();
        let begun = Instant::now();
        games.make_room(memory, begun)?;
        let number = games.next_number;
        games.next_number += 1;
        games.kept.insert(number, Kept { game: game.clone(), begun, used: None, memory });
        for (key, seats) in keys.iter().zip(groups) {
            games.seats.insert(key.clone(), Seats { number, game: game.clone(), seats });
        }
        Ok(keys)
    }

    /// The game and the seats that a key opens.
    ///
    /// # Errors
    /// If there is no such key.
    pub(crate) fn get(&self, key: &str) -> Result<Seats, Refusal> {
        let mut games = self.games();
        let Some(seats) = games.seats.get(key).cloned() else {
            let reason = "there is no such game; it may have ended with an earlier server";
            return Err(Refusal::missing(reason));
        };
        if let Some(kept) = games.kept.get_mut(&seats.number) {
            kept.used = Some(Instant::now());
        }
        Ok(seats)
    }

    /// Ends the decisions of all agents.
    pub(crate) fn close(&self) {
        self.games().kept.values().for_each(|kept| kept.game.give_up());
    }

    fn games(&self) -> MutexGuard<'_, Games> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// 128 random bits in hexadecimal.
fn random_key() -> Result<String, Refusal> {
    let mut bytes = [0; 16];
    SysRng.try_fill_bytes(&mut bytes).map_err(Refusal::impossible)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use darkqi_env::Options;
    use darkqi_play::play::Game;

    use super::super::table::{NamedAgent, Table};
    use super::{HostedGame, MAX_MEMORY, MOST, Registry, USE};

    fn game() -> Arc<HostedGame> {
        let game = Game::new("flipping", &Options::new(), 1, None).expect("the game exists");
        let spec = "greedy".parse().expect("the agent exists");
        let adviser = NamedAgent { name: "greedy".to_owned(), spec };
        let (fen, failure, saved) = (None, None, None);
        let agents = vec![None; 2];
        let versions = vec![0];
        let table =
            Table { game, agents, fen, adviser, versions, failure, saved, is_shared: false };
        HostedGame::new(table)
    }

    fn begin(registry: &Registry, memory: u64) -> Result<String, String> {
        let keys = registry.add(&game(), memory, vec![vec![0, 1]]);
        keys.map(|mut keys| keys.remove(0)).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn games_in_use_are_not_given_up() {
        let registry = Registry::default();
        let used = begin(&registry, 1).expect("there is room");
        registry.get(&used).expect("it is there");
        let others: Vec<String> = (0..2 * MOST).filter_map(|_| begin(&registry, 1).ok()).collect();
        assert_eq!(others.len(), 2 * MOST);
        registry.get(&used).expect("it was used");
        let left = |keys: &[String]| keys.iter().filter(|key| registry.get(key).is_ok()).count();
        assert_eq!((left(&others[..=MOST]), left(&others[MOST + 1..])), (0, MOST - 1));
        // Now all have been looked at.
        let refusal = begin(&registry, 1).expect_err("all are in use");
        assert!(refusal.contains("200 games are being played or watched"), "{refusal}");
        assert_eq!(left(&others), MOST - 1);
        // Long ago is not in use.
        let later = Instant::now() + 2 * USE;
        registry.games().make_room(1, later).expect("nobody uses them any more");
        assert_eq!(registry.games().kept.len(), MOST - 1);
    }

    #[test]
    fn the_agents_of_all_games_have_a_limit() {
        let registry = Registry::default();
        let first = begin(&registry, 2 * MAX_MEMORY).expect("a game alone is kept");
        let second = begin(&registry, MAX_MEMORY / 2).expect("nobody uses the first");
        assert!(registry.get(&first).is_err());
        registry.get(&second).expect("it is there");
        let third = begin(&registry, MAX_MEMORY / 2).expect("both have room");
        registry.get(&third).expect("it is there");
        let refusal = begin(&registry, 1 << 20).expect_err("both are in use");
        assert!(refusal.contains("may take 1 MiB") && refusal.contains("`sims`"), "{refusal}");
        assert!(registry.get(&second).is_ok() && registry.get(&third).is_ok());
    }
}
