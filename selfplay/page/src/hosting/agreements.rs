//! What people at several screens have to agree on: a draw, and another game.

use std::collections::BTreeSet;

use darkqi_env::{Player, Viewer};
use darkqi_play::play::{Game, Settlement};
use darkqi_play::seeds::new_seed;
use serde::{Deserialize, Serialize};

use super::record::KeyOfSeats;
use super::table::Table;
use crate::answer::Refusal;

/// The offers of a draw.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Offers {
    /// The seats that want a draw.
    pub(super) made: BTreeSet<Player>,
    /// Those whose offer was declined in this position.
    pub(super) declined: BTreeSet<Player>,
}

impl Offers {
    /// A seat has played. If it does not want a draw, it has declined all offers.
    pub(super) fn played_on(&mut self, mover: Player) {
        self.declined.clear();
        if !self.made.contains(&mover) {
            self.made.clear();
        }
    }
}

/// The wish for another game.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rematch {
    pub(super) wanted_by: BTreeSet<Player>,
    is_being_made: bool,
    /// The keys of the other game, once it has begun.
    pub(super) keys: Vec<KeyOfSeats>,
}

impl Rematch {
    /// Who has asked for a game that is not begun yet. One that is being made is asked for again if it gets
    /// lost.
    pub(super) fn open_wishes(&self) -> BTreeSet<Player> {
        if self.is_being_made { BTreeSet::new() } else { self.wanted_by.clone() }
    }
}

/// The offers of a draw as a page is shown them.
#[derive(Serialize)]
pub(crate) struct DrawJson {
    offered_by: BTreeSet<Player>,
    /// Whether an offer of these seats was declined.
    is_declined: bool,
    can_offer: bool,
    can_answer: bool,
}

/// The wish for another game as a page is shown it.
#[derive(Serialize)]
pub(crate) struct RematchJson {
    wanted_by: BTreeSet<Player>,
    /// Opens the same seats in the other game, each player's next one.
    key: Option<String>,
}

/// The seats of the next game for those who have these.
pub(crate) fn next_seats(seats: &[Player], count: usize) -> Vec<Player> {
    seats.iter().map(|seat| (seat + 1) % count).collect()
}

impl Table {
    /// Those of these seats that can offer a draw now.
    ///
    /// # Errors
    /// If there is none.
    fn offering(&self, seats: &[Player]) -> Result<Vec<Player>, Refusal> {
        if self.game.end().is_some() {
            return Err(Refusal::impossible("draw: the game is over"));
        }
        if self.agents.iter().any(Option::is_some) {
            return Err(Refusal::impossible("draw: agents play in this game, and agree to none"));
        }
        let out = self.out();
        let own: Vec<Player> = seats.iter().copied().filter(|seat| !out.contains(seat)).collect();
        let Offers { made, declined } = &self.offers;
        let reason = if own.is_empty() {
            "draw: none of your seats is in play"
        } else if own.iter().all(|seat| made.contains(seat)) {
            "draw: you have offered one already; expected an answer or a move before another offer"
        } else if made.is_empty() && own.iter().any(|seat| declined.contains(seat)) {
            "draw: your offer was declined; expected a move before another one"
        } else {
            return Ok(own);
        };
        Err(Refusal::impossible(reason))
    }

    /// Whether others offer a draw that these seats have not accepted.
    fn is_offered(&self, seats: &[Player]) -> bool {
        let made = &self.offers.made;
        !made.is_empty() && self.offering(seats).is_ok()
    }

    /// These seats offer a draw, or accept one. It is agreed once all in play want it.
    ///
    /// # Errors
    /// If none of them can.
    pub(crate) fn offer_draw(&mut self, seats: &[Player]) -> Result<(), Refusal> {
        let own = self.offering(seats)?;
        self.offers.made.extend(own);
        self.agree();
        Ok(())
    }

    /// Ends the game if all in play want a draw.
    pub(super) fn agree(&mut self) {
        if self.offers.made.is_empty() {
            return;
        }
        let out = self.out();
        let all = (0..self.agents.len())
            .all(|seat| out.contains(&seat) || self.offers.made.contains(&seat));
        if all && self.game.end().is_none() {
            self.game.settle(Settlement::Agreement);
            self.offers = Offers::default();
        }
    }

    /// These seats decline the draw that others offer.
    ///
    /// # Errors
    /// If nobody offers them one.
    pub(crate) fn decline_draw(&mut self, seats: &[Player]) -> Result<(), Refusal> {
        if !self.is_offered(seats) {
            return Err(Refusal::impossible("decline: nobody offers you a draw"));
        }
        let Offers { made, declined } = &mut self.offers;
        declined.append(made);
        Ok(())
    }

    /// The offers of a draw as the holder of these seats is shown them.
    pub(super) fn draw(&self, seats: &[Player]) -> DrawJson {
        let Offers { made, declined } = &self.offers;
        let can_answer = self.is_offered(seats);
        DrawJson {
            offered_by: made.clone(),
            is_declined: seats.iter().any(|seat| declined.contains(seat)),
            can_offer: !can_answer && self.offering(seats).is_ok(),
            can_answer,
        }
    }

    /// These seats want another game. Returns it once all people do: it has to be begun then.
    ///
    /// # Errors
    /// If the game goes on, the seats have asked before, or there is nobody to agree.
    pub(crate) fn want_rematch(&mut self, seats: &[Player]) -> Result<Option<Self>, Refusal> {
        let wanted_by = &self.rematch.wanted_by;
        let reason = if self.game.end().is_none() {
            "rematch: the game goes on; expected one that is over"
        } else if seats.is_empty() {
            "rematch: onlookers cannot ask for one"
        } else if self.is_shared {
            "rematch: nobody else is to agree; expected a new game"
        } else if !self.rematch.keys.is_empty() || seats.iter().all(|seat| wanted_by.contains(seat))
        {
            "rematch: you have asked for one already"
        } else {
            let mut people = (0..self.agents.len()).filter(|&seat| self.agents[seat].is_none());
            let is_wanted = people.all(|seat| wanted_by.contains(&seat) || seats.contains(&seat));
            let is_begun = is_wanted && !self.rematch.is_being_made;
            // Where it cannot begin, they may ask again.
            let next = is_begun.then(|| self.next()).transpose()?;
            self.rematch.wanted_by.extend(seats);
            self.rematch.is_being_made |= is_begun;
            return Ok(next);
        };
        Err(Refusal::impossible(reason))
    }

    /// The other game has begun with these keys; without keys, it could not begin, and these seats may
    /// ask again.
    pub(crate) fn begin_rematch(&mut self, seats: &[Player], keys: Option<&[KeyOfSeats]>) {
        self.rematch.is_being_made = false;
        match keys {
            Some(keys) => self.rematch.keys = keys.to_vec(),
            None => self.rematch.wanted_by.retain(|seat| !seats.contains(seat)),
        }
    }

    /// A game like this one, in which each player has the next seat. What lies covered is dealt anew, also
    /// where this game began with a FEN that named it: its end has shown it to all.
    fn next(&self) -> Result<Self, Refusal> {
        let spec = self.game.spec();
        let seed = new_seed().map_err(Refusal::impossible)?;
        let public = |fen: &String| {
            spec.parse_view_fen(fen, seed).map(|start| start.view_fen(Viewer::Public))
        };
        let fen = self.fen.as_ref().map(public).transpose().map_err(Refusal::impossible)?;
        let game = Game::new(spec.name, &spec.options_in_force(), seed, fen.as_deref());
        let mut agents = self.agents.clone();
        agents.rotate_right(1);
        let mut next = Self::new(game.map_err(Refusal::impossible)?, agents, self.adviser.clone());
        next.fen = fen;
        next.set_clock(self.clock.as_ref().map(super::clock::Clock::limits));
        Ok(next)
    }

    /// The wish for another game as the holder of these seats is shown it. While the game goes on, or
    /// where all people are at one screen, there is none.
    pub(super) fn rematch(&self, seats: &[Player]) -> Option<RematchJson> {
        if self.is_shared || self.game.end().is_none() {
            return None;
        }
        let next = next_seats(seats, self.agents.len());
        let own = self.rematch.keys.iter().find(|entry| entry.seats == next);
        let key = own.map(|entry| entry.key.clone());
        Some(RematchJson { wanted_by: self.rematch.wanted_by.clone(), key })
    }
}
