//! The luck of reveals: what was revealed minus its expectation, used as control variates.
//!
//! All chance of a game lies in its deal. Given everything that has been seen, all arrangements of
//! the pieces still covered are equally likely, and the players' choices depend only on what they
//! have seen. When a covered piece is revealed or captured, the indicator of its kind minus that
//! kind's share of the covered pieces therefore has mean 0 for any policies. Over a game these
//! differences are the increments of a martingale, so their sums are control variates with known
//! mean 0.

use darkqi_env::{
    AnyState, Spec,
    game::{Army, Hides},
};

use darkqi_format::{FirstReveal, GameRecord, PieceName, PlyRecord};

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
#[derive(Clone, Debug)]
pub struct RevealLuck {
    kinds: &'static [char],
    armies: &'static [Army],
    /// The names of all pieces, by army and kind.
    names: Vec<String>,
    /// Whether covered pieces show their army.
    armies_show: bool,
    /// The sides of all deals, if they are the same.
    sides: Option<Sides>,
    spec: Spec,
}

/// By seat and army, 1 for the armies of its side and -1 for the others; None while armies have no
/// owner.
type Sides = Option<Vec<Vec<i8>>>;

impl RevealLuck {
    /// For games with these rules.
    pub fn new(spec: &Spec) -> Self {
        let names = |army: &'static Army| spec.kinds.iter().map(|&kind| army.piece_name(kind));
        let armies_show = spec.hides != Hides::KindAndArmy;
        Self {
            kinds: spec.kinds,
            armies: spec.armies,
            names: spec.armies.iter().flat_map(names).collect(),
            armies_show,
            // Where armies show, all deals have the same owners.
            sides: armies_show.then(|| sides(spec, &*spec.deal(0))),
            spec: spec.clone(),
        }
    }

    /// The sides of a deal, given by its FEN.
    fn sides(&self, deal: &str) -> Result<Sides, String> {
        if let Some(of_all_deals) = &self.sides {
            return Ok(of_all_deals.clone());
        }
        let state = self.spec.parse_fen(deal).map_err(|error| format!("deal {deal:?}: {error}"))?;
        Ok(sides(&self.spec, &*state))
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
        let sides = self.sides(&game.deal)?;
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
        let taken = |has_revealed: bool| has_revealed.then_some(ChanceEvent::Taken);
        let mut has_revealed = false;
        for (ply, played) in game.moves.iter().enumerate() {
            if let Some(piece) = played.revealed {
                if !has_revealed {
                    self.check_first(first, ply, played.player, piece)?;
                }
                let event = if is_failed_capture(&self.spec, played) {
                    taken(has_revealed)
                } else if has_revealed {
                    Some(ChanceEvent::Later)
                } else {
                    Some(ChanceEvent::First)
                };
                luck.draw(event, take(ply, piece)?);
                has_revealed = true;
            }
            if played.captured_covered {
                let piece = played.captured.ok_or_else(|| {
                    format!("ply {ply} captures a covered piece without a letter")
                })?;
                luck.draw(taken(has_revealed), take(ply, piece)?);
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

/// Whether a ply tried to take a covered piece and turned it over instead (RULES.md 10.3).
///
/// What such a try meets is one chance event, whether it takes the piece or not: sorted by what came of
/// it, neither half has mean 0.
pub fn is_failed_capture(spec: &Spec, ply: &PlyRecord) -> bool {
    let squares = ply.mv.matches(|letter: char| letter.is_ascii_alphabetic()).count();
    ply.revealed.is_some() && squares == 2 && !spec.covered_pieces_move
}

fn sides(spec: &Spec, deal: &dyn AnyState) -> Sides {
    let owners: Vec<_> = (0..spec.armies.len() as u8).map(|army| deal.owner(army)).collect();
    let side = |seat, owner: Option<_>| match owner {
        Some(owner) if spec.allied(owner, seat) => 1,
        _ => -1,
    };
    let of_seat = |seat| owners.iter().map(|&owner| side(seat, owner)).collect();
    owners.iter().any(Option::is_some).then(|| (0..spec.num_players).map(of_seat).collect())
}

#[cfg(test)]
mod tests;
