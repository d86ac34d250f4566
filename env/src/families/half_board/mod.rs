//! Games on half a xiangqi board, 8 files by 4 ranks, with all pieces covered and all colours
//! hidden. RULES.md sections 1 and 2.
//!
//! The games of the family differ in movement, capture and their decisive endings: a [`Variant`]
//! has these.

mod checks;
mod design;
mod features;
mod lesson;
mod notation;
mod observe;
mod plan;
mod state;

use std::collections::TryReserveError;
use std::fmt::Debug;
use std::sync::{Arc, LazyLock};

use crate::board::{
    Action, ActionBits, ActionTable, AnyPiece, Bitboard, BoardSize, Colour, Flow, Kind, Move,
    Perspective, Piece, Reflection, Regions, Square, UnplacedPieces,
};
use crate::families::designs::NoMoves;
use crate::game::{
    Army, Domain, Event, Game, Hidden, Hides, OptionConflict, OptionSpec, Outcome, Player,
    RED_AND_BLACK, Reason, Topic, Viewer, Words, int_option, max_plies_option, switch_option,
};
use crate::movement::MoveTables;
use crate::rng::Rng;

pub use design::CoveredCaptures;
use design::Design;
use plan::Plan;
use state::Rest;
pub use state::{CheckStreak, PublicState, SquareContents, State, View};

/// The board: 8 files, 4 ranks.
pub const SIZE: BoardSize = BoardSize { files: 8, ranks: 4 };

/// Movement tables of the half board.
pub static MOVES: LazyLock<MoveTables<u32>> = LazyLock::new(|| MoveTables::new(SIZE));

/// A game on the half board.
pub trait Variant: Clone + Default + Debug + PartialEq + Send + Sync + 'static {
    /// The name in the registry.
    const NAME: &'static str;

    /// A description in one line.
    const ABOUT: &'static str;

    /// Whether the three-check rule holds. Its state is then part of a position.
    const THREE_CHECKS: bool;

    /// Whether losing the general loses the game.
    const ROYAL: bool;

    /// What becomes of covered pieces that a piece goes to.
    const COVERED_CAPTURES: CoveredCaptures;

    /// The section of RULES.md.
    const SECTION: u8;

    /// The options.
    fn options() -> &'static [OptionSpec<HalfBoard<Self>>];

    /// How a piece of a kind moves, in words.
    fn movement(&self, kind: Kind) -> Words;

    /// The same in Betza's notation.
    fn usual_moves(&self, kind: Kind) -> &'static str;

    /// The kinds that a kind takes, as bits.
    fn usual_takes(&self, captor: Kind) -> u8;

    /// What a lesson has to say of these kinds besides what the games of the family share.
    fn topics(&self, _: &[Kind]) -> Vec<Topic> {
        Vec::new()
    }

    /// All actions of the game.
    fn table() -> &'static ActionTable;

    /// The pseudo-legal targets of the revealed pieces of a colour, by square and kind.
    fn targets(&self, public: &PublicState, colour: Colour) -> impl Fn(Square, Kind) -> u32;

    /// The attacks of a piece of a kind.
    fn attacks(&self, kind: Kind, from: Square, occupied: u32) -> u32;
}

/// The rules of a game on the half board with their options.
#[derive(Clone, Debug)]
pub struct HalfBoard<V> {
    quiet_limit: u16,
    repetition: bool,
    max_plies: u16,
    /// The options of designers.
    pub(crate) design: Design,
    /// What follows from them; `None` for the usual rules.
    plan: Option<Arc<Plan>>,
    /// The game's own options.
    pub(crate) variant: V,
}

/// The options say all.
impl<V: PartialEq> PartialEq for HalfBoard<V> {
    fn eq(&self, other: &Self) -> bool {
        let options = |it: &Self| (it.quiet_limit, it.repetition, it.max_plies);
        options(self) == options(other)
            && self.design == other.design
            && self.variant == other.variant
    }
}

impl<V: Variant> Default for HalfBoard<V> {
    fn default() -> Self {
        Self {
            quiet_limit: 60,
            repetition: true,
            max_plies: 1000,
            design: Design::default(),
            plan: None,
            variant: V::default(),
        }
    }
}

impl<V> HalfBoard<V> {
    /// The options that all games on the half board have.
    pub(crate) const COMMON_OPTIONS: [OptionSpec<Self>; 3] = [
        int_option!(
            quiet_limit,
            Domain::LIMIT,
            "Plies in a row without capture or flip that make a draw; 0 turns it off."
        ),
        switch_option!(repetition, "Whether the third occurrence of a position makes a draw."),
        max_plies_option!(),
    ];
}

impl<V: Variant> HalfBoard<V> {
    /// Whether losing the general loses the game.
    fn is_royal(&self) -> bool {
        self.design.is_royal(V::ROYAL)
    }

    /// What becomes of covered pieces that a piece goes to.
    fn covered_captures(&self) -> CoveredCaptures {
        self.design.covered_captures.or(V::COVERED_CAPTURES)
    }

    /// The pieces of a game.
    fn pieces(&self) -> UnplacedPieces {
        UnplacedPieces::new(self.design.army)
    }

    /// The number of pieces of a kind in an army: in the larger one where they differ.
    fn count(&self, kind: Kind) -> u8 {
        let [red, black] = self.design.army[kind.index()];
        red.max(black)
    }

    /// The number of pieces of an army. A seat that has lost them all loses the game.
    fn army_size(&self, colour: Colour) -> u8 {
        match &self.plan {
            Some(plan) => plan.army_sizes[colour.index()],
            None => Kind::COUNTS.iter().sum(),
        }
    }

    /// How a piece of a kind moves, in words.
    fn movement(&self, kind: Kind) -> Words {
        match &self.plan {
            Some(plan) if self.design.changes_movement(kind) => plan.movement(kind).words(),
            _ => self.variant.movement(kind),
        }
    }

    /// Whether a seat that can do nothing has drawn.
    fn no_moves_draws(&self) -> bool {
        self.design.no_moves == NoMoves::Draw
    }

    /// Number of pieces that a seat may turn over in one turn.
    fn flips(&self) -> u8 {
        self.design.flips as u8
    }

    /// Whether a piece that has captured may capture on in the same turn.
    fn has_chains(&self) -> bool {
        self.design.chain
    }

    /// Whether turns can have more than one action.
    fn has_long_turns(&self) -> bool {
        self.has_chains() || self.flips() > 1
    }

    /// Whether a piece of one kind takes one of another.
    fn takes(&self, captor: Kind, victim: Kind) -> bool {
        match &self.plan {
            Some(plan) => plan.takes(captor, victim),
            None => self.variant.usual_takes(captor) >> victim.index() & 1 == 1,
        }
    }

    /// The pseudo-legal targets of the revealed pieces of a colour, by square and kind.
    #[inline]
    fn targets(&self, public: &PublicState, colour: Colour) -> impl Fn(Square, Kind) -> u32 {
        let (usual, planned) = match &self.plan {
            None => (Some(self.variant.targets(public, colour)), None),
            Some(plan) => (None, Some(plan.targets(public, colour))),
        };
        move |from, kind| match (&usual, &planned) {
            (Some(targets), _) => targets(from, kind),
            (None, Some(targets)) => targets(from, kind),
            (None, None) => 0,
        }
    }

    /// The attacks of a piece of a kind, whatever it takes.
    #[inline]
    fn attacks_of(&self, kind: Kind, from: Square, occupied: u32) -> u32 {
        match &self.plan {
            None => self.variant.attacks(kind, from, occupied),
            Some(plan) => plan.reach(kind, from, occupied) & occupied,
        }
    }

    /// Visits the steps of the mover's pieces to these targets.
    #[inline]
    fn each_step(
        &self,
        public: &PublicState,
        colour: Colour,
        targets: impl Fn(Square, Kind) -> u32,
        table: &ActionTable,
        mut visit: impl FnMut(ActionBits) -> Flow,
    ) -> Flow {
        let forbidden = self.forbidden(public);
        for (from, kind) in public.revealed_pieces(colour) {
            let mut targets = targets(from, kind);
            if let Some((_, squares)) = forbidden.filter(|&(square, _)| square == from) {
                targets &= !squares;
            }
            table.each_step(from, targets, Perspective::Upright, &mut visit)?;
        }
        Flow::Continue(())
    }

    /// Visits the actions under the rules of designers.
    // By a trait object: a second copy of each visitor would be compiled, and neither be inlined, which
    // makes a step of banqi 4 % slower.
    fn generate_planned(
        &self,
        plan: &Plan,
        public: &PublicState,
        mut visit: &mut dyn FnMut(ActionBits) -> Flow,
    ) -> Flow {
        // Before the first flip no piece is revealed, so that the colour does not matter.
        let colour = public.colour(public.mover).unwrap_or(Colour::Red);
        let targets = plan.targets(public, colour);
        match public.rest {
            None => {
                plan.table.each_flip(public.covered(), &mut visit)?;
                return self.each_step(public, colour, targets, plan.table, &mut visit);
            }
            Some(Rest::Flips(_)) => plan.table.each_flip(public.covered(), &mut visit)?,
            Some(Rest::Captures(from)) => {
                let captor = |targets: u32| targets & public.occupied();
                let only =
                    |square, kind| if square == from { captor(targets(square, kind)) } else { 0 };
                self.each_step(public, colour, only, plan.table, &mut visit)?;
            }
        }
        visit(ActionBits::single(plan.table.pass()))
    }

    /// Plays a step under the rules of designers.
    #[inline(never)]
    fn step_planned(&self, state: &mut State, from: Square, to: Square) {
        if self.covered_captures() == CoveredCaptures::Attempt
            && state.public.at(to) == SquareContents::Covered
            && !self.succeeds(&state.public, from, state.identity(to))
        {
            // The attempt turns it over.
            return state.flip(to, 1);
        }
        let gives_check = |public: &PublicState, square| self.gives_check(public, square);
        let goes_on = |public: &PublicState, square| self.may_capture_on(public, square);
        state.step(from, to, self.repetition, gives_check, goes_on);
    }

    /// Whether a piece that has captured on this square may capture on.
    fn may_capture_on(&self, public: &PublicState, square: Square) -> bool {
        let Some(plan) = self.plan.as_ref().filter(|_| self.has_chains()) else { return false };
        if self.decided_by_capture(public).is_some() {
            return false;
        }
        let SquareContents::Revealed(piece) = public.at(square) else { return false };
        let targets = plan.targets(public, piece.colour)(square, piece.kind);
        targets & public.occupied() != 0
    }

    /// Whether the piece on `from` captures this piece, which is covered, if it attempts to.
    fn succeeds(&self, public: &PublicState, from: Square, victim: Piece) -> bool {
        let SquareContents::Revealed(captor) = public.at(from) else { return false };
        captor.colour != victim.colour && self.takes(captor.kind, victim.kind)
    }

    /// The colour that loses by captures, and the reason.
    #[inline]
    fn decided_by_capture(&self, public: &PublicState) -> Option<(Colour, Reason)> {
        if self.is_royal() {
            // No army is lost without its general.
            let colour = public.lost_general?;
            let is_own = public.owner(colour) != Some(public.mover);
            let reason = if is_own { Reason::OwnGeneralCaptured } else { Reason::GeneralCaptured };
            return Some((colour, reason));
        }
        let is_beaten = |colour: &Colour| public.losses[colour.index()] >= self.army_size(*colour);
        Colour::ALL.into_iter().find(is_beaten).map(|colour| (colour, Reason::NoPieces))
    }
}

impl<V: Variant> Game for HalfBoard<V> {
    const NAME: &'static str = V::NAME;
    const ABOUT: &'static str = V::ABOUT;
    const KINDS: &'static [char] = &Kind::LETTERS;
    const ARMIES: &'static [Army] = RED_AND_BLACK;

    type State = State;

    fn options() -> &'static [OptionSpec<Self>] {
        V::options()
    }

    fn design() -> &'static [&'static [OptionSpec<Self>]] {
        Self::DESIGN
    }

    fn settle(&mut self) -> Result<(), OptionConflict> {
        self.plan = self.design.plan(&self.variant)?;
        Ok(())
    }

    fn max_plies(&self) -> u16 {
        self.max_plies
    }

    #[inline]
    fn table(&self) -> &'static ActionTable {
        self.plan.as_ref().map_or_else(V::table, |plan| plan.table)
    }

    fn deal(&self, rng: &mut Rng) -> State {
        let Some(plan) = &self.plan else { return State::deal(rng) };
        // Selection sampling (Knuth, The Art of Computer Programming, volume 2, algorithm S): each set of
        // squares is as likely.
        let mut left = plan.squares.count();
        let mut wanted = self.pieces().counts().into_iter().map(u32::from).sum::<u32>();
        let mut has_piece = |_: &Square| {
            let chosen = wanted == left || rng.below(left) < wanted;
            left -= 1;
            wanted -= u32::from(chosen);
            chosen
        };
        let squares: Vec<Square> = plan.squares.ascending().filter(&mut has_piece).collect();
        State::deal_on(squares.into_iter(), self.pieces(), rng)
    }

    fn reserve(&self, state: &mut State) -> Result<(), TryReserveError> {
        if self.repetition { state.public.history.reserve(self.quiet_limit) } else { Ok(()) }
    }

    fn redeal(&self, state: &mut State, rng: &mut Rng) {
        let old = std::mem::replace(state, self.deal(rng));
        state.public.history.reuse_memory(old.public.history);
    }

    #[inline]
    fn to_move(&self, state: &State) -> Player {
        state.public.mover
    }

    #[inline]
    fn perspective(&self, _: Player) -> Perspective {
        Perspective::Upright
    }

    #[inline]
    fn ply(&self, state: &State) -> u16 {
        state.public.ply
    }

    #[inline]
    fn ending(&self, state: &State) -> Option<Outcome> {
        let public = &state.public;
        if let Some((colour, reason)) = self.decided_by_capture(public) {
            return Some(Outcome::lost_by(public.owner(colour)?, reason));
        }
        if self.repetition && public.history.occurrences() >= 3 {
            return Some(Outcome::even(Reason::Repetition, 2));
        }
        if self.quiet_limit > 0 && public.quiet >= self.quiet_limit {
            return Some(Outcome::even(Reason::QuietLimit, 2));
        }
        (public.ply >= self.max_plies).then(|| Outcome::even(Reason::MaxPlies, 2))
    }

    fn no_moves_outcome(&self, state: &State) -> Outcome {
        if self.no_moves_draws() {
            return Outcome::even(Reason::NoMoves, 2);
        }
        Outcome::lost_by(state.public.mover, Reason::NoMoves)
    }

    #[inline]
    fn generate_actions(&self, state: &State, mut visit: impl FnMut(ActionBits) -> Flow) -> Flow {
        let public = &state.public;
        if let Some(plan) = &self.plan {
            return self.generate_planned(plan, public, &mut visit);
        }
        let table = V::table();
        table.each_flip(public.covered(), &mut visit)?;
        let Some(colour) = public.colour(public.mover) else { return Flow::Continue(()) };
        let targets = self.variant.targets(public, colour);
        self.each_step(public, colour, targets, table, visit)
    }

    #[inline]
    fn prefetch(&self, state: &State) {
        state.public.history.prefetch();
    }

    #[inline]
    fn play(&self, state: &mut State, action: Action) {
        let Some(plan) = &self.plan else {
            return match V::table().get_move(action, Perspective::Upright) {
                Move::Flip(square) => state.flip(square, 1),
                Move::Step { from, to } => {
                    let gives_check =
                        |public: &PublicState, square| self.gives_check(public, square);
                    state.step(from, to, self.repetition, gives_check, |_, _| false);
                }
                Move::Pass => unreachable!("the table has no pass"),
            };
        };
        match plan.table.get_move(action, Perspective::Upright) {
            Move::Flip(square) => state.flip(square, self.flips()),
            Move::Step { from, to } => self.step_planned(state, from, to),
            Move::Pass => state.public.pass(),
        }
    }
}

impl<V: Variant> Hidden for HalfBoard<V> {
    const HIDES: Hides = Hides::KindAndArmy;
    const REFLECTIONS: &'static [Reflection] = &Reflection::ALL;
    const REGIONS: Option<Regions> = Some(Regions::Neighbours);

    type View<'a> = View<'a>;

    fn view<'a>(&'a self, state: &'a State, viewer: Viewer) -> View<'a> {
        View { viewer, public: &state.public }
    }

    fn view_to_move(view: &View<'_>) -> Player {
        view.public.mover
    }

    fn determinize(&self, view: &View<'_>, rng: &mut Rng) -> State {
        State::sample(view.public.clone(), rng)
    }

    fn event(&self, state: &State, action: Action) -> Event {
        let mv = self.table().get_move(action, Perspective::Upright);
        self.event_of(&state.public, mv, |square| state.identity(square))
    }

    fn each_reveal(&self, view: &View<'_>, action: Action, mut visit: impl FnMut(Event, f64)) {
        let public = view.public;
        let mv = self.table().get_move(action, Perspective::Upright);
        let revealed = match mv {
            Move::Flip(square) | Move::Step { to: square, .. } => public.at(square),
            Move::Pass => SquareContents::Empty,
        };
        if revealed == SquareContents::Covered {
            for (index, probability) in public.unseen.probabilities() {
                visit(self.event_of(public, mv, |_| Piece::from_index(index)), probability);
            }
        } else {
            visit(self.event_of(public, mv, |_| unreachable!("nothing is turned over")), 1.0);
        }
    }

    fn arrange(&self, state: &mut State, _: Viewer, action: Action, event: &Event) {
        let square = match self.table().get_move(action, Perspective::Upright) {
            Move::Flip(square) | Move::Step { to: square, .. } => square,
            Move::Pass => return,
        };
        if let Some(piece) = event.revealed.or(event.captured)
            && state.public.at(square) == SquareContents::Covered
        {
            state.assign_identity(square, piece.into());
        }
    }

    fn fingerprint(view: &View<'_>) -> u64 {
        view.public.fingerprint()
    }

    fn owner(view: &View<'_>, army: u8) -> Option<Player> {
        view.public.owner(Colour::ALL[usize::from(army)])
    }
}

impl<V: Variant> HalfBoard<V> {
    /// The event of a move. `identity` gives the identity of the covered piece on a square.
    fn event_of(
        &self,
        public: &PublicState,
        mv: Move,
        identity: impl Fn(Square) -> Piece,
    ) -> Event {
        match mv {
            Move::Pass => Event::default(),
            Move::Flip(square) => {
                Event { revealed: Some(identity(square).into()), ..Event::default() }
            }
            Move::Step { from, to } => match public.at(to) {
                SquareContents::Empty => Event::default(),
                SquareContents::Covered => {
                    let piece = identity(to);
                    let fails = self.covered_captures() == CoveredCaptures::Attempt
                        && !self.succeeds(public, from, piece);
                    let piece = Some(AnyPiece::from(piece));
                    if fails {
                        return Event { revealed: piece, ..Event::default() };
                    }
                    Event { captured: piece, captured_covered: true, revealed: None }
                }
                SquareContents::Revealed(piece) => {
                    Event { captured: Some(piece.into()), ..Event::default() }
                }
            },
        }
    }
}
