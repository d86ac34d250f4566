//! Positions of logged games as rows of a regression: which are quiet enough, and their columns.

use std::collections::BTreeSet;
use std::fmt::Debug;

use darkqi_env::games::{self, Visitor};
use darkqi_env::{
    Action, Player, Registered, Rng, Spec, Stream, Viewer,
    board::{ActionBits, AnyPiece, Flow, Regions},
    game::Face,
};
use darkqi_format::{GameRecord, Metadata, options_from_json};
use serde::Serialize;

use super::feature::Feature;
use super::phases::PhaseBy;
use super::unit::Unit;
use crate::Error;
use crate::games::{score, seat as logged_seat};

/// A position from the perspective of one seat.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Position<'a> {
    /// One number per feature.
    pub(super) x: &'a [f32],
    /// The final score of the seat and its allies: 1 for a win; without a winner, their equal
    /// share.
    pub(super) score: f32,
}

/// Samples rows from games under one set of rules, and says what fits ask about the game. The type of
/// the game is hidden in it, so that fits are compiled once.
#[derive(Debug)]
pub(super) struct PositionSampler {
    rules: Box<dyn Rules>,
    pub(super) spec: Spec,
    pub(super) unit: Unit,
    /// The kinds that turn into one another.
    pub(super) forms: &'static [[char; 2]],
    /// The kind that a lower one captures, and this one.
    pub(super) rank_exception: Option<[char; 2]>,
    /// The kinds of which a deal has pieces that `Features::each_piece` visits.
    pub(super) counted: BTreeSet<char>,
    columns: Vec<Feature>,
    per_game: usize,
    /// The division of a game, where rows have the columns once for each phase.
    phases: Option<PhaseBy>,
    /// The regions of the board, where rows have the columns of kinds once for each.
    regions: Option<Regions>,
    quiet: Quiet,
}

/// Buffers that are reused between games.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    plies: Vec<usize>,
    /// By captor: the number of captured pieces that only it saw.
    taken_unseen: Vec<f32>,
    x: Vec<f32>,
}

/// The rules of a game.
trait Rules: Debug + Send + Sync {
    /// Visits the rows of the plies of a game that were chosen, from the perspective of a seat.
    fn rows(
        &self,
        sampler: &PositionSampler,
        game: &GameRecord,
        seats: Seats,
        scratch: &mut Scratch,
        visit: &mut dyn FnMut(&[f32]),
    ) -> Result<(), String>;
}

impl<G: Registered> Rules for G {
    fn rows(
        &self,
        sampler: &PositionSampler,
        game: &GameRecord,
        seats: Seats,
        scratch: &mut Scratch,
        visit: &mut dyn FnMut(&[f32]),
    ) -> Result<(), String> {
        let Scratch { plies, taken_unseen, x } = scratch;
        let Seats { began, own } = seats;
        let Some(&last) = plies.last() else { return Ok(()) };
        let mut state = self.parse_fen(&game.deal).map_err(|error| format!("deal: {error}"))?;
        if self.to_move(&state) != began {
            let found = self.to_move(&state);
            return Err(format!("expected seat {began} to begin, but in its deal {found} does"));
        }
        let whole = sampler.phases.map(|by| left(self, &state, by));
        taken_unseen.clear();
        taken_unseen.resize(sampler.spec.num_players, 0.0);
        let mut chosen = plies.iter().peekable();
        for (ply, played) in game.moves[..=last].iter().enumerate() {
            if chosen.next_if_eq(&&ply).is_some()
                && sampler.fill(self, &state, seats, taken_unseen, x)
            {
                if let (Some(by), Some(whole)) = (sampler.phases, whole) {
                    let is_early = 2.0 * left(self, &state, by) >= whole;
                    x.resize(sampler.width(), 0.0);
                    x.rotate_right(if is_early { 0 } else { sampler.columns.len() });
                }
                if let Some(regions) = sampler.regions {
                    x.splice(
                        ..G::KINDS.len(),
                        sampler.by_kind_and_region(self, &state, own, regions),
                    );
                }
                visit(x);
            }
            let action = Action(played.action);
            // The search stops at the action; it need not list all.
            let is_it = |actions: ActionBits| {
                if actions.actions().any(|legal| legal == action) {
                    Flow::Break(())
                } else {
                    Flow::Continue(())
                }
            };
            if self.ending(&state).is_some() {
                return Err(format!("ply {ply} is played in a game that is over"));
            }
            if self.generate_actions(&state, is_it).is_continue() {
                return Err(format!("ply {ply}: action {} is not legal", action.0));
            }
            if played.captured_covered {
                let mut is_unseen = true;
                let view = self.view(&state, Viewer::Public);
                self.each_reveal(&view, action, |event, _| is_unseen &= event.captured.is_none());
                taken_unseen[self.to_move(&state)] += f32::from(u8::from(is_unseen));
            }
            self.play(&mut state, action);
        }
        Ok(())
    }
}

/// The seat that began, and the one from whose perspective rows are.
#[derive(Clone, Copy, Debug)]
struct Seats {
    began: Player,
    own: Player,
}

impl PositionSampler {
    /// A sampler of at most `per_game` positions of each game.
    ///
    /// # Errors
    /// If `per_game` is 0, or there is no such game or option.
    pub(super) fn open(metadata: &Metadata, per_game: usize) -> crate::Result<Self> {
        struct Make(usize);
        impl Visitor for Make {
            type Output = PositionSampler;
            fn visit<G: Registered>(self, rules: G) -> PositionSampler {
                PositionSampler::new(rules, self.0)
            }
        }
        check_positions(per_game)?;
        let options = options_from_json(&metadata.options)?;
        Ok(games::with(&metadata.game, &options, Make(per_game))?)
    }

    /// As [`PositionSampler::open`], of these rules.
    pub(super) fn new<G: Registered>(rules: G, per_game: usize) -> Self {
        let mut columns: Vec<Feature> = G::KINDS.iter().copied().map(Feature::Kind).collect();
        if G::COVERED_PIECES_MOVE {
            columns.extend(G::KINDS.iter().copied().map(Feature::CoveredMover));
        } else {
            columns.push(Feature::Covered);
        }
        let constant = if rules.players() == 2 { Feature::FirstMove } else { Feature::Constant };
        columns.extend([Feature::TakenUnseen, Feature::Turn, constant]);
        columns.extend(G::RANK_EXCEPTION.map(Feature::Interaction));
        if rules.players() > 2 {
            columns.push(Feature::Began);
        }
        let (kinds, value) = G::UNIT;
        Self {
            spec: Spec::of(&rules),
            unit: Unit { kinds: kinds.to_vec(), value },
            forms: G::FORMS,
            rank_exception: G::RANK_EXCEPTION,
            counted: counted_kinds(&rules),
            columns,
            per_game,
            phases: None,
            regions: None,
            quiet: Quiet::Both,
            rules: Box::new(rules),
        }
    }

    /// The sampler with another unit than that of the game's own values, if there is one.
    ///
    /// # Errors
    /// If a kind of it has no value: the game does not have it, or its loss ends the game.
    pub(super) fn in_unit(self, unit: Option<&Unit>) -> crate::Result<Self> {
        let Some(unit) = unit else { return Ok(self) };
        unit.check(&self.spec, &self.counted)?;
        Ok(Self { unit: unit.clone(), ..self })
    }

    /// The row with the columns of early positions, then those of late ones; the others are 0.
    pub(super) fn by_phase(self, by: PhaseBy) -> Self {
        Self { phases: Some(by), ..self }
    }

    /// The row with the columns of face-up kinds by region, region after region, and then the others.
    pub(super) fn by_region(self, regions: Regions) -> Self {
        Self { regions: Some(regions), ..self }
    }

    /// The sampler with these positions.
    pub(super) fn with_quiet(self, quiet: Quiet) -> Self {
        Self { quiet, ..self }
    }

    /// The columns of a phase, or without regions.
    pub(super) fn columns(&self) -> &[Feature] {
        &self.columns
    }

    /// The length of a row.
    pub(super) fn width(&self) -> usize {
        let columns = self.columns.len();
        match (self.phases, self.regions) {
            (Some(_), _) => 2 * columns,
            (None, Some(regions)) => columns + (regions.names().len() - 1) * self.spec.kinds.len(),
            (None, None) => columns,
        }
    }

    /// Visits quiet positions of a game: those without a capture in the ply before and, with
    /// [`Quiet::Both`], after. If there are more than `per_game`, the selection depends on the
    /// game's seed alone, as does the seat with more than two players. [`Rng`]'s own methods are
    /// used for both, because published values must not change with a dependency's version.
    ///
    /// # Errors
    /// The contradiction with the rules: the deal is not a position, or an action is not legal.
    pub(super) fn sample(
        &self,
        game: &GameRecord,
        scratch: &mut Scratch,
        visit: &mut dyn FnMut(Position<'_>),
    ) -> Result<(), String> {
        let plies = &mut scratch.plies;
        let rng = &mut Rng::new(game.seed, Stream::Resample);
        plies.clear();
        let is_quiet = |ply: usize| game.moves[ply].captured.is_none();
        let any_after = self.quiet == Quiet::Before;
        let is_taken = |&ply: &usize| is_quiet(ply - 1) && (any_after || is_quiet(ply));
        plies.extend((1..game.moves.len()).filter(is_taken));
        rng.shuffle(plies);
        plies.truncate(self.per_game);
        plies.sort_unstable();

        let players = self.spec.num_players;
        let began = logged_seat(game.first_player, players)?;
        let own = if players == 2 { began } else { rng.below(players as u32) as Player };
        let allies = (0..players).filter(|&other| self.spec.allied(own, other));
        let score = allies.map(|ally| score(game, ally)).sum();
        let visit = &mut |x: &[f32]| visit(Position { x, score });
        self.rules.rows(self, game, Seats { began, own }, scratch, visit)
    }

    /// Computes the row of a position; false if the owners of its pieces are not settled.
    fn fill<G: Registered>(
        &self,
        rules: &G,
        state: &G::State,
        Seats { began, own: seat }: Seats,
        taken_unseen: &[f32],
        x: &mut Vec<f32>,
    ) -> bool {
        let view = rules.view(state, Viewer::Public);
        let enemies = self.enemies(seat);
        // Both sides are counted separately and in whole pieces, so that equal armies cancel
        // exactly.
        let columns = self.columns.len();
        let place = |owner: Player| if rules.allied(owner, seat) { 0 } else { columns };
        let mut is_settled = true;
        let mut side = |token: AnyPiece| {
            let owner = G::owner(&view, token.army);
            is_settled &= owner.is_some();
            owner.map_or(0, place)
        };
        x.clear();
        x.resize(2 * columns, 0.0);
        let covered = G::KINDS.len();
        rules.each_piece(&view, |token, face, count| match face {
            Face::Up => x[side(token) + usize::from(token.kind)] += count,
            Face::Down if G::COVERED_PIECES_MOVE => {}
            Face::Down => x[side(token) + covered] += count,
        });
        let mut next = covered + 1;
        if G::COVERED_PIECES_MOVE {
            rules.each_covered_mover(&view, |token, count| {
                x[side(token) + covered + usize::from(token.kind)] += count;
            });
            next = 2 * covered;
        }
        for (captor, taken) in taken_unseen.iter().enumerate() {
            x[place(captor) + next] += taken;
        }
        let (own, enemy) = x.split_at_mut(columns);
        own.iter_mut().zip(enemy).for_each(|(own, enemy)| *own -= *enemy / enemies);
        x.truncate(columns);
        x[next + 1] = if rules.to_move(state) == seat { 1.0 } else { -1.0 };
        x[next + 2] = 1.0;
        next += 3;
        if let Some(circle) = G::RANK_EXCEPTION {
            x[next] = feared(rules, &view, seat, circle);
            next += 1;
        }
        if rules.players() > 2 {
            x[next] = f32::from(u8::from(seat == began));
        }
        is_settled
    }

    /// The number of teams of enemies, which are counted by their first seats.
    fn enemies(&self, seat: Player) -> f32 {
        let is_first = |&one: &Player| !(0..one).any(|other| self.spec.allied(one, other));
        let is_enemy = |&other: &Player| !self.spec.allied(seat, other);
        (0..self.spec.num_players).filter(is_enemy).filter(is_first).count() as f32
    }

    /// Own less enemy face-up pieces, region after region and kind by kind. Each region is seen from
    /// the side of the piece's owner.
    fn by_kind_and_region<G: Registered>(
        &self,
        rules: &G,
        state: &G::State,
        seat: Player,
        regions: Regions,
    ) -> Vec<f32> {
        let (layout, board) = (G::LAYOUT.size, rules.board_size());
        let view = rules.view(state, Viewer::Public);
        let columns = regions.names().len() * G::KINDS.len();
        let mut sides = [vec![0.0; columns], vec![0.0; columns]];
        rules.each_placed(&view, |square, token| {
            let Some(owner) = G::owner(&view, token.army) else { return };
            let square = square.renumbered(layout, board).expect("pieces stand on the board");
            let region = regions.of(board, board.seen_from(square, rules.perspective(owner)));
            let side = usize::from(!rules.allied(owner, seat));
            sides[side][region * G::KINDS.len() + usize::from(token.kind)] += 1.0;
        });
        let ([mut own, enemy], enemies) = (sides, self.enemies(seat));
        own.iter_mut().zip(enemy).for_each(|(own, enemy)| *own -= enemy / enemies);
        own
    }
}

/// How many there are on the board of what divides a game.
fn left<G: Registered>(rules: &G, state: &G::State, by: PhaseBy) -> f32 {
    let view = rules.view(state, Viewer::Public);
    let mut left = 0.0;
    rules.each_piece(&view, |_, face, count| {
        if by == PhaseBy::Pieces || face == Face::Down {
            left += count;
        }
    });
    left
}

/// The interaction of the first kind with the enemy's second, for the seat minus that for its enemies.
fn feared<G: Registered>(rules: &G, view: &G::View<'_>, seat: Player, circle: [char; 2]) -> f32 {
    let [mut own, mut enemy] = [[0.0; 2]; 2];
    rules.each_piece(view, |token, face, count| {
        let side = match G::owner(view, token.army) {
            Some(owner) if rules.allied(owner, seat) => &mut own,
            _ => &mut enemy,
        };
        let letter = G::KINDS[usize::from(token.kind)];
        if let (Face::Up, Some(at)) = (face, circle.iter().position(|&kind| kind == letter)) {
            side[at] += count;
        }
    });
    own[0] * enemy[1] - enemy[0] * own[1]
}

/// The kinds of which a deal has pieces that `Features::each_piece` visits.
fn counted_kinds<G: Registered>(rules: &G) -> BTreeSet<char> {
    let deal = rules.deal(&mut Rng::new(0, Stream::Deal));
    let mut kinds = BTreeSet::new();
    rules.each_piece(&rules.view(&deal, Viewer::Public), |piece, _, _| {
        kinds.insert(G::KINDS[usize::from(piece.kind)]);
    });
    // A piece may turn into another.
    kinds.extend(G::FORMS.iter().flatten());
    kinds
}

/// Checks the number of positions sampled from a game.
pub(super) fn check_positions(per_game: usize) -> crate::Result<()> {
    let (what, expected) = ("positions per game", "at least 1");
    let fault = || Error::Value { what, expected, found: 0.0 };
    (per_game > 0).then_some(()).ok_or_else(fault)
}

/// The plies around a position that must not capture.
///
/// The next plies are chosen by the player to move, who may know more than the piece counts
/// say. [`Quiet::Before`] does not select by that choice, but takes positions in the middle of
/// exchanges, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quiet {
    /// The one before and the one after.
    #[default]
    Both,
    /// The one before.
    Before,
}

impl Quiet {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Both, Self::Before];

    /// The name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::Before => "before",
        }
    }
}

#[cfg(test)]
mod tests;
