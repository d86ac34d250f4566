//! Positions of logged games as rows of a regression.

use darkqi_env::{
    Action, Player, Registered, Rng, Stream, Viewer,
    board::{ActionBits, AnyPiece, Flow, Regions},
    game::Face,
};

use super::feature::Feature;
use super::phase_by::PhaseBy;
use super::quiet::Quiet;
use crate::games::{score, seat as logged_seat};
use darkqi_format::GameRecord;

/// A position from the perspective of one seat.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Position<'a> {
    /// One number per feature.
    pub(super) x: &'a [f32],
    /// The final score of the seat and its allies: 1 for a win; without a winner, their equal
    /// share.
    pub(super) score: f32,
}

/// Samples rows from games under one set of rules.
#[derive(Debug)]
pub(super) struct PositionSampler<G> {
    rules: G,
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

impl<G: Registered> PositionSampler<G> {
    /// A sampler of at most `per_game` positions of each game.
    pub(super) fn new(rules: G, per_game: usize) -> Self {
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
        Self { rules, columns, per_game, phases: None, regions: None, quiet: Quiet::Both }
    }

    pub(super) fn rules(&self) -> &G {
        &self.rules
    }

    /// The row with the columns of early positions, then those of late ones; the others are 0.
    pub(super) fn by_phase(rules: G, per_game: usize, by: PhaseBy) -> Self {
        Self { phases: Some(by), ..Self::new(rules, per_game) }
    }

    /// The row with the columns of face-up kinds by region, region after region, and then the others.
    pub(super) fn by_region(rules: G, per_game: usize, regions: Regions) -> Self {
        Self { regions: Some(regions), ..Self::new(rules, per_game) }
    }

    /// The sampler with these positions.
    pub(super) fn with_quiet(self, quiet: Quiet) -> Self {
        Self { quiet, ..self }
    }

    pub(super) fn players(&self) -> Player {
        self.rules.players()
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
            (None, Some(regions)) => columns + (regions.names().len() - 1) * G::KINDS.len(),
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
        mut visit: impl FnMut(Position<'_>),
    ) -> Result<(), String> {
        let Scratch { plies, taken_unseen, x } = scratch;
        let rng = &mut Rng::new(game.seed, Stream::Resample);
        plies.clear();
        let is_quiet = |ply: usize| game.moves[ply].captured.is_none();
        let any_after = self.quiet == Quiet::Before;
        let is_taken = |&ply: &usize| is_quiet(ply - 1) && (any_after || is_quiet(ply));
        plies.extend((1..game.moves.len()).filter(is_taken));
        rng.shuffle(plies);
        plies.truncate(self.per_game);
        plies.sort_unstable();

        let rules = &self.rules;
        let players = rules.players();
        let began = logged_seat(game.first_player, players)?;
        let seat = if players == 2 { began } else { rng.below(players as u32) as Player };
        let allies = (0..players).filter(|&other| rules.allied(seat, other));
        let score = allies.map(|ally| score(game, ally)).sum();
        let Some(&last) = plies.last() else { return Ok(()) };
        let mut state = rules.parse_fen(&game.deal).map_err(|error| format!("deal: {error}"))?;
        if rules.to_move(&state) != began {
            let found = rules.to_move(&state);
            return Err(format!("expected seat {began} to begin, but in its deal {found} does"));
        }
        let whole = self.phases.map(|by| self.left(&state, by));
        taken_unseen.clear();
        taken_unseen.resize(players, 0.0);
        let mut chosen = plies.iter().peekable();
        for (ply, played) in game.moves[..=last].iter().enumerate() {
            if chosen.next_if_eq(&&ply).is_some() && self.fill(&state, seat, began, taken_unseen, x)
            {
                if let (Some(by), Some(whole)) = (self.phases, whole) {
                    let is_early = 2.0 * self.left(&state, by) >= whole;
                    x.resize(self.width(), 0.0);
                    x.rotate_right(if is_early { 0 } else { self.columns.len() });
                }
                if let Some(regions) = self.regions {
                    x.splice(..G::KINDS.len(), self.by_kind_and_region(&state, seat, regions));
                }
                visit(Position { x, score });
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
            if rules.ending(&state).is_some() {
                return Err(format!("ply {ply} is played in a game that is over"));
            }
            if rules.generate_actions(&state, is_it).is_continue() {
                return Err(format!("ply {ply}: action {} is not legal", action.0));
            }
            if played.captured_covered {
                let mut is_unseen = true;
                let view = rules.view(&state, Viewer::Public);
                rules.each_reveal(&view, action, |event, _| is_unseen &= event.captured.is_none());
                taken_unseen[rules.to_move(&state)] += f32::from(u8::from(is_unseen));
            }
            rules.play(&mut state, action);
        }
        Ok(())
    }

    /// How many there are on the board of what divides a game.
    fn left(&self, state: &G::State, by: PhaseBy) -> f32 {
        let view = self.rules.view(state, Viewer::Public);
        let mut left = 0.0;
        self.rules.each_piece(&view, |_, face, count| {
            if by == PhaseBy::Pieces || face == Face::Down {
                left += count;
            }
        });
        left
    }

    /// Computes the row of a position; false if the owners of its pieces are not settled.
    fn fill(
        &self,
        state: &G::State,
        seat: Player,
        began: Player,
        taken_unseen: &[f32],
        x: &mut Vec<f32>,
    ) -> bool {
        let rules = &self.rules;
        let view = rules.view(state, Viewer::Public);
        let players = rules.players();
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
            x[next] = self.feared(&view, seat, circle);
            next += 1;
        }
        if players > 2 {
            x[next] = f32::from(u8::from(seat == began));
        }
        is_settled
    }

    /// The number of teams of enemies, which are counted by their first seats.
    fn enemies(&self, seat: Player) -> f32 {
        let rules = &self.rules;
        let is_first = |&one: &Player| !(0..one).any(|other| rules.allied(one, other));
        let is_enemy = |&other: &Player| !rules.allied(seat, other);
        (0..rules.players()).filter(is_enemy).filter(is_first).count() as f32
    }

    /// Own less enemy face-up pieces, region after region and kind by kind. Each region is seen from
    /// the side of the piece's owner.
    fn by_kind_and_region(&self, state: &G::State, seat: Player, regions: Regions) -> Vec<f32> {
        let (rules, size) = (&self.rules, G::LAYOUT.size);
        let view = rules.view(state, Viewer::Public);
        let columns = regions.names().len() * G::KINDS.len();
        let mut sides = [vec![0.0; columns], vec![0.0; columns]];
        rules.each_placed(&view, |square, token| {
            let Some(owner) = G::owner(&view, token.army) else { return };
            let region = regions.of(size, size.seen_from(square, rules.perspective(owner)));
            let side = usize::from(!rules.allied(owner, seat));
            sides[side][region * G::KINDS.len() + usize::from(token.kind)] += 1.0;
        });
        let ([mut own, enemy], enemies) = (sides, self.enemies(seat));
        own.iter_mut().zip(enemy).for_each(|(own, enemy)| *own -= enemy / enemies);
        own
    }

    /// The interaction of the first kind with the enemy's second, for the seat minus that for its
    /// enemies.
    fn feared(&self, view: &G::View<'_>, seat: Player, circle: [char; 2]) -> f32 {
        let [mut own, mut enemy] = [[0.0; 2]; 2];
        self.rules.each_piece(view, |token, face, count| {
            let side = match G::owner(view, token.army) {
                Some(owner) if self.rules.allied(owner, seat) => &mut own,
                _ => &mut enemy,
            };
            let letter = G::KINDS[usize::from(token.kind)];
            if let (Face::Up, Some(at)) = (face, circle.iter().position(|&kind| kind == letter)) {
                side[at] += count;
            }
        });
        own[0] * enemy[1] - enemy[0] * own[1]
    }
}

#[cfg(test)]
mod tests;
