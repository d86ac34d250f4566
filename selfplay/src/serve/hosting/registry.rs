//! The games under way, by their keys.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use darkqi_env::Player;
use rand::TryRng;
use rand::rngs::SysRng;

use super::hosted_game::HostedGame;
use crate::serve::answer::Refusal;

/// Games that are kept. Beyond, the one is given up that nobody has looked at for longest.
const MOST: usize = 200;

/// Games by key.
#[derive(Default)]
pub(in crate::serve) struct Registry(Mutex<Games>);

#[derive(Default)]
struct Games {
    seats: HashMap<String, Seats>,
    next_number: u64,
    last_use: HashMap<u64, Instant>,
}

/// What a key opens.
#[derive(Clone)]
pub(in crate::serve) struct Seats {
    number: u64,
    pub(in crate::serve) game: Arc<HostedGame>,
    /// The seats of the key; none for an onlooker.
    pub(in crate::serve) seats: Vec<Player>,
}

impl Registry {
    /// Adds a game with a key for each of these groups of seats. Returns the keys.
    ///
    /// # Errors
    /// If the system gives no random numbers.
    pub(in crate::serve) fn add(
        &self,
        game: &Arc<HostedGame>,
        groups: Vec<Vec<Player>>,
    ) -> Result<Vec<String>, Refusal> {
        let mut games = self.games();
        let number = games.next_number;
        games.next_number += 1;
        games.last_use.insert(number, Instant::now());
        let mut keys = Vec::new();
        for seats in groups {
            let key = random_key()?;
            games.seats.insert(key.clone(), Seats { number, game: game.clone(), seats });
            keys.push(key);
        }
        let longest = games.last_use.iter().min_by_key(|(_, used)| **used).map(|(&game, _)| game);
        if games.last_use.len() > MOST
            && let Some(longest) = longest
        {
            games.last_use.remove(&longest);
            games.seats.retain(|_, seats| {
                if seats.number == longest {
                    seats.game.give_up();
                }
                seats.number != longest
            });
        }
        Ok(keys)
    }

    /// What a key opens.
    ///
    /// # Errors
    /// If there is no such key.
    pub(in crate::serve) fn get(&self, key: &str) -> Result<Seats, Refusal> {
        let mut games = self.games();
        let Some(seats) = games.seats.get(key).cloned() else {
            let reason = "there is no such game; it may have ended with an earlier server";
            return Err(Refusal::missing(reason));
        };
        games.last_use.insert(seats.number, Instant::now());
        Ok(seats)
    }

    /// Ends the decisions of all agents.
    pub(in crate::serve) fn close(&self) {
        self.games().seats.values().for_each(|seats| seats.game.give_up());
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
