//! The luck of reveals: what was revealed minus its expectation, used as control variates.
//!
//! All chance of a game lies in its deal. Given everything that has been seen, all arrangements of
//! the pieces still covered are equally likely, and the players' choices depend only on what they
//! have seen. When a covered piece is revealed or captured, the indicator of its kind minus that
//! kind's share of the covered pieces therefore has mean 0 for any policies. Over a game these
//! differences are the increments of a martingale, so their sums are control variates with known
//! mean 0.

use std::fmt;
use std::sync::Arc;

use darkqi_env::{Army, Hides, Registered, Rng, Stream, Viewer};

use darkqi_format::{FirstReveal, GameRecord, PieceName};

mod game_luck;

use game_luck::CHANCE_EVENTS;
pub(super) use game_luck::{ChanceEvent, GameLuck};

/// Judges the luck of a game by what positions are worth: the covariate of AIVAT (Burch et al., "AIVAT:
/// A New Variance Reduction Technique for Agent Evaluation in Imperfect Information Games", 2018).
///
/// Any value of positions leaves the score unbiased; the better it foretells results, the more
/// variance it saves.
pub trait RevealJudge: Sync {
    /// The value of each reveal and of each capture of a covered piece, less its expectation over the
    /// pieces that nobody has seen, added up over a game from the first reveal on, for the seat that
    /// made the first reveal; 0 in a game without one.
    ///
    /// # Errors
    /// The fault, in words: the game contradicts the rules.
    fn luck(&self, game: &GameRecord) -> Result<f64, String>;
}

/// Computes the luck of games with these rules: covariates whose expectation is 0 whatever the
/// players do.
#[derive(Clone)]
pub struct RevealLuck {
    kinds: &'static [char],
    armies: &'static [Army],
    /// The names of all pieces, by army and kind.
    names: Vec<String>,
    /// Whether covered pieces show their army.
    armies_show: bool,
    sides: Arc<SidesOfDeal>,
}

/// By seat and army, 1 for the armies of its side and -1 for the others; None while armies have no
/// owner.
type Sides = Option<Vec<Vec<i8>>>;

/// Reads the sides of a deal from its FEN.
type SidesOfDeal = dyn Fn(&str) -> Result<Sides, String> + Send + Sync;

impl fmt::Debug for RevealLuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RevealLuck").field("names", &self.names).finish_non_exhaustive()
    }
}

impl RevealLuck {
    /// For games with these rules.
    pub fn new<G: Registered>(rules: &G) -> Self {
        let (rules, armies_show) = (rules.clone(), G::HIDES != Hides::KindAndArmy);
        let deal = rules.deal(&mut Rng::new(0, Stream::Deal));
        let of_all_deals = sides(&rules, &rules.view(&deal, Viewer::Public));
        let sides = move |deal: &str| {
            // Where armies show, all deals have the same owners.
            if armies_show {
                return Ok(of_all_deals.clone());
            }
            let state = rules.parse_fen(deal).map_err(|error| format!("deal {deal:?}: {error}"))?;
            Ok(sides(&rules, &rules.view(&state, Viewer::Public)))
        };
        let names = |army: &'static Army| G::KINDS.iter().map(|&kind| army.piece_name(kind));
        Self {
            kinds: G::KINDS,
            armies: G::ARMIES,
            names: G::ARMIES.iter().flat_map(names).collect(),
            armies_show,
            sides: Arc::new(sides),
        }
    }

    /// The signs of the armies for the player who made the first reveal. Where armies have no owner
    /// yet, the first piece revealed assigns its army.
    fn signs(&self, sides: &Sides, first: &FirstReveal) -> Option<Vec<i8>> {
        if let Some(sides) = sides {
            return sides.get(usize::try_from(first.player).ok()?).cloned();
        }
        let sign = |army: &Army| if army.letter == first.color { 1 } else { -1 };
        Some(self.armies.iter().map(sign).collect())
    }

    /// Army and kind of the first piece whose name is accepted.
    fn piece(&self, is_it: impl Fn(&str) -> bool) -> Option<(usize, usize)> {
        let index = self.names.iter().position(|name| is_it(name))?;
        Some((index / self.kinds.len(), index % self.kinds.len()))
    }

    /// The number of covariates of a game.
    pub fn width(&self) -> usize {
        CHANCE_EVENTS * self.kinds.len()
    }

    /// The chance events of a game, from the first reveal on and from the point of view of the player
    /// who made it.
    ///
    /// # Errors
    /// The fault, in words: the game reveals or captures pieces that its deal does not hold, or its
    /// first reveal is not the logged one.
    pub(super) fn of(&self, game: &GameRecord) -> Result<GameLuck, String> {
        let first = game.first_reveal.as_ref();
        let mut unseen = self.covered(&game.deal)?;
        let sides = (self.sides)(&game.deal)?;
        let none = || Some(vec![0; self.armies.len()]);
        let signs = first.map_or_else(none, |first| self.signs(&sides, first));
        let signs = signs.ok_or("the first reveal is by a seat that does not exist")?;
        let mut luck = GameLuck::new(&unseen, &signs, self.armies_show, sides.is_none());
        let mut take = |ply: usize, name: PieceName| {
            let piece = self.piece(|known| known == &*name);
            let place = piece.filter(|&(army, kind)| unseen[army][kind] > 0);
            let (army, kind) = place
                .ok_or_else(|| format!("ply {ply} shows {name}, but no covered one is left"))?;
            unseen[army][kind] -= 1;
            Ok::<_, String>((army, kind))
        };
        let mut has_revealed = false;
        for (ply, played) in game.moves.iter().enumerate() {
            if let Some(piece) = played.revealed {
                if !has_revealed {
                    self.check_first(first, ply, played.player, piece)?;
                }
                let event = if has_revealed { ChanceEvent::Later } else { ChanceEvent::First };
                luck.draw(Some(event), take(ply, piece)?);
                has_revealed = true;
            }
            if played.captured_covered {
                let piece = played.captured.ok_or_else(|| {
                    format!("ply {ply} captures a covered piece without a letter")
                })?;
                luck.draw(has_revealed.then_some(ChanceEvent::Taken), take(ply, piece)?);
            }
        }
        match first {
            Some(first) if !has_revealed => Err(format!(
                "{} is logged as the first reveal, but nothing is revealed",
                first.kind
            )),
            _ => Ok(luck),
        }
    }

    /// The covered pieces of a deal, which its FEN marks with `~`, by army and kind.
    fn covered(&self, deal: &str) -> Result<Vec<Vec<u32>>, String> {
        let mut counts = vec![vec![0; self.kinds.len()]; self.armies.len()];
        let board = deal.split(' ').next().unwrap_or_default();
        for text in board.split('~').skip(1) {
            let piece = self.piece(|name| text.starts_with(name));
            let (army, kind) =
                piece.ok_or_else(|| format!("deal {deal:?}: expected a piece after each `~`"))?;
            counts[army][kind] += 1;
        }
        Ok(counts)
    }

    /// Computes the covariates of a game into `out`, which has [`RevealLuck::width`] entries. Each
    /// is, for one chance event and one kind, the number of pieces minus its expectation, from the
    /// first reveal on and from the point of view of the player who made it: first reveal, later
    /// reveals, captures of covered pieces, in this order. Pieces of the enemy count negatively.
    ///
    /// # Errors
    /// The fault, in words: the game reveals or captures pieces that its deal does not hold, or its
    /// first reveal is not the logged one.
    pub fn covariates(&self, game: &GameRecord, out: &mut [f64]) -> Result<(), String> {
        self.of(game)?.covariates(out);
        Ok(())
    }

    /// Checks that the first piece revealed is the logged one.
    fn check_first(
        &self,
        said: Option<&FirstReveal>,
        ply: usize,
        player: i8,
        name: PieceName,
    ) -> Result<(), String> {
        let piece = self
            .piece(|known| known == &*name)
            .map(|(army, kind)| (self.armies[army].letter, self.kinds[kind]));
        let is_it =
            |said: &FirstReveal| said.player == player && Some((said.color, said.kind)) == piece;
        if said.is_some_and(is_it) {
            return Ok(());
        }
        let said = said.map_or("none".to_owned(), |said| {
            format!("{} of colour {} by seat {}", said.kind, said.color, said.player)
        });
        Err(format!(
            "ply {ply} is the first reveal: {name} by seat {player}, but the log has {said}"
        ))
    }
}

fn sides<G: Registered>(rules: &G, view: &G::View<'_>) -> Sides {
    let armies = 0..G::ARMIES.len() as u8;
    let owners: Vec<_> = armies.map(|army| G::owner(view, army)).collect();
    let side = |seat, owner: Option<_>| match owner {
        Some(owner) if rules.allied(owner, seat) => 1,
        _ => -1,
    };
    let of_seat = |seat| owners.iter().map(|&owner| side(seat, owner)).collect();
    owners.iter().any(Option::is_some).then(|| (0..rules.players()).map(of_seat).collect())
}

#[cfg(test)]
mod tests;
