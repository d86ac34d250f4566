//! The games of the server, by their keys.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use darkqi_env::Player;
use rand::TryRng;
use rand::rngs::SysRng;

use super::hosted_game::HostedGame;
use super::record::{KeyOfSeats, Record};
use super::store::{GameFile, Store};
use super::table::Table;
use crate::answer::Refusal;
use crate::app::App;
use crate::log::log;
use crate::work::lock;

/// Games that are kept. Beyond, one is removed that was used longest ago, of those that are over if
/// there are any.
const MOST: usize = 200;

/// Bytes that the agents of all open games may take. A game alone is always open.
const MAX_MEMORY: u64 = 2 << 30;

/// How long a game counts as used after somebody has looked at it. Pages that show one wait for its
/// changes, but for moments.
const USE: Duration = Duration::from_secs(60);

/// Games by key.
#[derive(Default)]
pub(crate) struct Registry {
    games: Mutex<Games>,
    /// Where they are kept beyond the life of the server.
    store: Option<Store>,
}

#[derive(Default)]
struct Games {
    seats: HashMap<String, (u64, Vec<Player>)>,
    next_number: u64,
    kept: HashMap<u64, Kept>,
}

/// A game that is kept.
struct Kept {
    held: Arc<Mutex<Held>>,
    begun: Instant,
    /// When a key was used last, if one was.
    used: Option<Instant>,
    /// Bytes that its agents may take; none while it is closed.
    memory: u64,
}

/// A game that is open, or closed until a key of it is used.
enum Held {
    Open(Arc<HostedGame>),
    Closed(Box<Record>, Option<Arc<GameFile>>),
}

impl Kept {
    /// The game, if nobody uses it now. One that is being opened is in use. Nobody is waited for: who
    /// opens a game waits for the others.
    fn unused(&self, now: Instant) -> Option<MutexGuard<'_, Held>> {
        if self.used.is_some_and(|used| now - used < USE) {
            return None;
        }
        let held = match self.held.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        (!matches!(&*held, Held::Open(game) if game.is_watched())).then_some(held)
    }

    fn last_used(&self) -> Instant {
        self.used.unwrap_or(self.begun)
    }
}

impl Held {
    fn is_over(&self) -> bool {
        match self {
            Self::Open(game) => game.table().game.end().is_some(),
            Self::Closed(record, _) => record.is_over,
        }
    }

    /// Closes the game. It can be opened again.
    fn close(&mut self) {
        if let Self::Open(game) = &*self {
            *self = Self::Closed(Box::new(game.close()), game.file());
        }
    }
}

/// The game and the seats that a key opens.
#[derive(Clone)]
pub(crate) struct Seats {
    pub(crate) game: Arc<HostedGame>,
    /// The seats of the key; none for an onlooker.
    pub(crate) seats: Vec<Player>,
}

/// A game that a key opens, which may be closed.
pub(crate) struct Found {
    held: Arc<Mutex<Held>>,
    number: u64,
    seats: Vec<Player>,
}

impl Found {
    /// The game, if it is open.
    pub(crate) fn opened(&self) -> Option<Seats> {
        match &*self.held.try_lock().ok()? {
            Held::Open(game) => Some(Seats { game: game.clone(), seats: self.seats.clone() }),
            Held::Closed(..) => None,
        }
    }
}

impl Games {
    /// Removes games that nobody uses, until there is room for one more.
    ///
    /// # Errors
    /// If all that are left are in use.
    fn make_place(&mut self, now: Instant) -> Result<(), Refusal> {
        while self.kept.len() >= MOST {
            let unused = self.kept.iter().filter_map(|(&number, kept)| {
                let held = kept.unused(now)?;
                Some(((!held.is_over(), kept.last_used()), number))
            });
            let Some((_, number)) = unused.min() else {
                let reason = format!("{MOST} games are being played or watched; try again later");
                return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, reason));
            };
            if let Some(mut held) = self.kept[&number].unused(now) {
                held.close();
                if let Held::Closed(_, Some(file)) = &*held {
                    file.remove();
                }
            }
            self.kept.remove(&number);
            self.seats.retain(|_, (other, _)| *other != number);
        }
        Ok(())
    }

    /// Closes games that nobody uses, until there is room for agents that take so much memory.
    ///
    /// # Errors
    /// If all that are open are in use.
    fn make_room(&mut self, memory: u64, now: Instant) -> Result<(), Refusal> {
        let mut taken: u64 = self.kept.values().map(|kept| kept.memory).sum();
        let mut open: Vec<&mut Kept> =
            self.kept.values_mut().filter(|kept| kept.memory > 0).collect();
        open.sort_by_key(|kept| kept.last_used());
        for kept in open {
            if taken + memory <= MAX_MEMORY {
                break;
            }
            if let Some(mut held) = kept.unused(now) {
                held.close();
            } else {
                continue;
            }
            taken -= kept.memory;
            kept.memory = 0;
        }
        if taken == 0 || taken + memory <= MAX_MEMORY {
            return Ok(());
        }
        let (memory, most) = (memory >> 20, MAX_MEMORY >> 20);
        let reason = format!(
            "the agents of this game may take {memory} MiB, and with those of the games under way more \
             than {most} MiB; expected agents with a smaller `hash` or fewer `sims`, or try again later"
        );
        Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, reason))
    }

    /// Adds a game with its keys.
    fn add(&mut self, held: Held, memory: u64, begun: Instant, keys: &[KeyOfSeats]) {
        let number = self.next_number;
        self.next_number += 1;
        let held = Arc::new(Mutex::new(held));
        self.kept.insert(number, Kept { held, begun, used: None, memory });
        for KeyOfSeats { key, seats } in keys {
            self.seats.insert(key.clone(), (number, seats.clone()));
        }
    }
}

impl Registry {
    /// The games of a folder, or none; new ones are kept there.
    pub(crate) fn new(store: Option<Store>) -> Self {
        let mut games = Games::default();
        for (file, record) in store.iter().flat_map(Store::load) {
            let keys = record.keys.clone();
            if keys.iter().any(|entry| games.seats.contains_key(&entry.key)) {
                log(format_args!("{}: has a key of another game", file.path().display()));
                continue;
            }
            let begun = Instant::now();
            // Nobody uses a game yet.
            let _ = games.make_place(begun);
            games.add(Held::Closed(Box::new(record), Some(Arc::new(file))), 0, begun, &keys);
        }
        Self { games: Mutex::new(games), store }
    }

    /// Whether games outlive the server.
    pub(crate) const fn is_lasting(&self) -> bool {
        self.store.is_some()
    }

    /// Adds a game with a key for each of these groups of seats.
    ///
    /// # Errors
    /// If there is no room for it, or the system gives no random numbers.
    pub(crate) fn add(
        &self,
        table: Table,
        groups: Vec<Vec<Player>>,
    ) -> Result<(Arc<HostedGame>, Vec<KeyOfSeats>), Refusal> {
        let with_key = |seats| Ok(KeyOfSeats { key: random_key()?, seats });
        let keys: Vec<KeyOfSeats> = groups.into_iter().map(with_key).collect::<Result<_, _>>()?;
        // Files have names of their own, since a key is a secret.
        let name = format!("{}-{}", table.game.spec().name, &random_key()?[..16]);
        let memory = table.memory();
        let mut games = self.games();
        let begun = Instant::now();
        // Agents that find no room cost no game its place.
        games.make_room(memory, begun)?;
        games.make_place(begun)?;
        let file = self.store.as_ref().map(|store| Arc::new(store.file(&name)));
        let game = HostedGame::new(table, keys.clone(), file);
        game.keep();
        games.add(Held::Open(game.clone()), memory, begun, &keys);
        Ok((game, keys))
    }

    /// The game that a key opens.
    ///
    /// # Errors
    /// If there is no such key.
    pub(crate) fn find(&self, key: &str) -> Result<Found, Refusal> {
        let mut games = self.games();
        let Some((number, seats)) = games.seats.get(key).cloned() else {
            let reason = "there is no such game; it may be one of another server, or was removed after a \
                          long time unused";
            return Err(Refusal::missing(reason));
        };
        let kept = games.kept.get_mut(&number).expect("keys are of games");
        kept.used = Some(Instant::now());
        Ok(Found { held: kept.held.clone(), number, seats })
    }

    /// Opens a game that is closed, and lets its agents go on.
    ///
    /// # Errors
    /// If it cannot be set up again, or there is no room for its agents.
    pub(crate) fn open(&self, app: &App, found: &Found) -> Result<Seats, Refusal> {
        let mut held = lock(&found.held);
        let game = match &*held {
            // Another request has opened it meanwhile.
            Held::Open(game) => game.clone(),
            Held::Closed(record, file) => {
                let table = record.table(app)?;
                let memory = table.memory();
                let mut games = self.games();
                games.make_room(memory, Instant::now())?;
                if let Some(kept) = games.kept.get_mut(&found.number) {
                    kept.memory = memory;
                }
                drop(games);
                let game = HostedGame::new(table, record.keys.clone(), file.clone());
                *held = Held::Open(game.clone());
                drop(held);
                game.go_on();
                game
            }
        };
        Ok(Seats { game, seats: found.seats.clone() })
    }

    /// Ends the decisions of all agents. The games are as they were.
    pub(crate) fn close(&self) {
        let held: Vec<_> = self.games().kept.values().map(|kept| kept.held.clone()).collect();
        held.iter().for_each(|held| lock(held).close());
    }

    fn games(&self) -> MutexGuard<'_, Games> {
        lock(&self.games)
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
    use std::time::Instant;

    use darkqi_env::Options;
    use darkqi_play::play::{Game, Settlement};

    use super::super::table::{NamedAgent, Table};
    use super::{MAX_MEMORY, MOST, Registry, USE};

    /// A game of people, and a greedy agent that gives hints.
    fn table() -> Table {
        let game = Game::new("flipping", &Options::new(), 1, None).expect("the game exists");
        let spec = "greedy".parse().expect("the agent exists");
        let adviser = NamedAgent { name: "greedy".to_owned(), spec };
        Table::new(game, vec![None; 2], adviser)
    }

    fn begin(registry: &Registry) -> Result<String, String> {
        let added = registry.add(table(), vec![vec![0, 1]]);
        added.map(|(_, mut keys)| keys.remove(0).key).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn games_in_use_are_not_removed() {
        let registry = Registry::default();
        let used = begin(&registry).expect("there is room");
        registry.find(&used).expect("it is there");
        let others: Vec<String> = (0..2 * MOST).filter_map(|_| begin(&registry).ok()).collect();
        assert_eq!(others.len(), 2 * MOST);
        registry.find(&used).expect("it was used");
        let left = |keys: &[String]| keys.iter().filter(|key| registry.find(key).is_ok()).count();
        assert_eq!((left(&others[..=MOST]), left(&others[MOST + 1..])), (0, MOST - 1));
        // Now all have been looked at.
        let refusal = begin(&registry).expect_err("all are in use");
        assert!(refusal.contains("200 games are being played or watched"), "{refusal}");
        assert_eq!(left(&others), MOST - 1);
        // Long ago is not in use, and what is over goes first.
        let last = registry.find(&others[2 * MOST - 1]).expect("it is there");
        last.opened().expect("it is open").game.table().game.settle(Settlement::Resignation(0));
        let later = Instant::now() + 2 * USE;
        registry.games().make_place(later).expect("nobody uses them any more");
        assert_eq!(registry.games().kept.len(), MOST - 1);
        assert!(registry.find(&others[2 * MOST - 1]).is_err());
        registry.find(&used).expect("it goes on");
    }

    #[test]
    fn the_agents_of_open_games_have_a_limit() {
        let registry = Registry::default();
        let keys: Vec<String> = (0..3).map(|_| begin(&registry).expect("there is room")).collect();
        let opened = |key: &str| registry.find(key).expect("it is there").opened().is_some();
        registry.games().kept.values_mut().for_each(|kept| kept.memory = MAX_MEMORY / 3);
        // Nobody uses them, and the one that was begun first is closed. It is not lost.
        registry.games().make_room(1 << 20, Instant::now()).expect("nobody uses the first");
        assert_eq!(keys.iter().map(|key| opened(key)).collect::<Vec<_>>(), [false, true, true]);
        let refusal = registry.games().make_room(MAX_MEMORY, Instant::now());
        let refusal = refusal.expect_err("all are in use").to_string();
        assert!(refusal.contains("may take 2048 MiB") && refusal.contains("`sims`"), "{refusal}");
        assert!(opened(&keys[1]) && opened(&keys[2]));
        // A game alone is always open.
        let later = Instant::now() + 2 * USE;
        registry.games().make_room(2 * MAX_MEMORY, later).expect("all are closed");
        assert!(keys.iter().all(|key| !opened(key)));
    }
}
