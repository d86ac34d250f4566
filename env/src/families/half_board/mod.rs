//! Games on half a xiangqi board, 8 files by 4 ranks, with all pieces covered and all colours
//! hidden. RULES.md sections 1 and 2.
//!
//! The games of the family differ in movement, capture and their decisive endings: a [`Variant`]
//! has these.

mod features;
mod lesson;
mod notation;
mod observe;
mod state;

use std::fmt::Debug;
use std::sync::LazyLock;

use crate::board::{
    Action, ActionBits, ActionTable, AnyPiece, BoardSize, Colour, Flow, Kind, Move, Perspective,
    Piece, Reflection, Regions, Square,
};
use crate::game::{
    Army, Domain, Event, Game, Hidden, Hides, OptionSpec, Outcome, Player, RED_AND_BLACK, Reason,
    Topic, Viewer, Words, int_option, max_plies_option, switch_option,
};
use crate::movement::MoveTables;
use crate::rng::Rng;

pub use state::{CheckStreak, PublicState, SquareContents, State, View};

/// The board: 8 files, 4 ranks.
pub const SIZE: BoardSize = BoardSize { files: 8, ranks: 4 };

/// Movement tables of the half board.
pub(crate) static MOVES: LazyLock<MoveTables<u32>> = LazyLock::new(|| MoveTables::new(SIZE));

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

    /// Whether ranks decide who takes whom, not how a piece moves.
    const RANKS: bool;

    /// The section of RULES.md.
    const SECTION: u8;

    /// The options.
    fn options() -> &'static [OptionSpec<HalfBoard<Self>>];

    /// How a piece of a kind moves, in words.
    fn movement(&self, kind: Kind) -> Words;

    /// What a lesson has to say besides what the games of the family share.
    fn topics(&self) -> Vec<Topic> {
        Vec::new()
    }

    /// All actions of the game.
    fn table() -> &'static ActionTable;

    /// The pseudo-legal targets of the revealed pieces of a colour, by square and kind.
    fn targets(&self, public: &PublicState, colour: Colour) -> impl Fn(Square, Kind) -> u32;

    /// The attacks of a piece of a kind.
    fn attacks(&self, kind: Kind, from: Square, occupied: u32) -> u32;

    /// Whether the revealed piece on `square` attacks the enemy's revealed general; always false in
    /// games without the three-check rule.
    fn gives_check(_: &PublicState, _: Square) -> bool {
        false
    }

    /// A piece with forbidden targets: its square and these targets.
    fn forbidden(&self, _: &PublicState) -> Option<(Square, u32)> {
        None
    }

    /// The colour that loses by captures, and the reason.
    fn decided_by_capture(public: &PublicState) -> Option<(Colour, Reason)>;
}

/// The rules of a game on the half board with their options.
#[derive(Clone, PartialEq, Debug)]
pub struct HalfBoard<V> {
    quiet_limit: u16,
    repetition: bool,
    max_plies: u16,
    /// The game's own options.
    pub(crate) variant: V,
}

impl<V: Variant> Default for HalfBoard<V> {
    fn default() -> Self {
        Self { quiet_limit: 60, repetition: true, max_plies: 1000, variant: V::default() }
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

impl<V: Variant> Game for HalfBoard<V> {
    const NAME: &'static str = V::NAME;
    const ABOUT: &'static str = V::ABOUT;
    const KINDS: &'static [char] = &Kind::LETTERS;
    const ARMIES: &'static [Army] = RED_AND_BLACK;

    type State = State;

    fn options() -> &'static [OptionSpec<Self>] {
        V::options()
    }

    fn max_plies(&self) -> u16 {
        self.max_plies
    }

    fn table(&self) -> &'static ActionTable {
        V::table()
    }

    fn deal(&self, rng: &mut Rng) -> State {
        let mut state = State::deal(rng);
        if self.repetition {
            state.public.history.reserve(self.quiet_limit);
        }
        state
    }

    fn redeal(&self, state: &mut State, rng: &mut Rng) {
        let fresh = State::deal(rng);
        let old = std::mem::replace(state, fresh);
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
        if let Some((colour, reason)) = V::decided_by_capture(public) {
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
        Outcome::lost_by(state.public.mover, Reason::NoMoves)
    }

    #[inline]
    fn generate_actions(&self, state: &State, mut visit: impl FnMut(ActionBits) -> Flow) -> Flow {
        let public = &state.public;
        let table = V::table();
        table.each_flip(public.covered(), &mut visit)?;
        let forbidden = self.variant.forbidden(public);
        let Some(colour) = public.colour(public.mover) else { return Flow::Continue(()) };
        let targets = self.variant.targets(public, colour);
        for (from, kind) in public.revealed_pieces(colour) {
            let mut targets = targets(from, kind);
            if let Some((_, squares)) = forbidden.filter(|&(square, _)| square == from) {
                targets &= !squares;
            }
            table.each_step(from, targets, Perspective::Upright, &mut visit)?;
        }
        Flow::Continue(())
    }

    #[inline]
    fn prefetch(&self, state: &State) {
        state.public.history.prefetch();
    }

    #[inline]
    fn play(&self, state: &mut State, action: Action) {
        match V::table().get_move(action, Perspective::Upright) {
            Move::Flip(square) => state.flip(square),
            Move::Step { from, to } => state.step(from, to, self.repetition, V::gives_check),
            Move::Pass => unreachable!("the table has no pass"),
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
        let mv = V::table().get_move(action, Perspective::Upright);
        event(&state.public, mv, |square| Some(state.identity(square).into()))
    }

    fn each_reveal(&self, view: &View<'_>, action: Action, mut visit: impl FnMut(Event, f64)) {
        let public = view.public;
        let mv = V::table().get_move(action, Perspective::Upright);
        let revealed = match mv {
            Move::Flip(square) | Move::Step { to: square, .. } => public.at(square),
            Move::Pass => SquareContents::Empty,
        };
        if revealed == SquareContents::Covered {
            for (index, probability) in public.unseen.probabilities() {
                visit(event(public, mv, |_| Some(Piece::from_index(index).into())), probability);
            }
        } else {
            visit(event(public, mv, |_| None), 1.0);
        }
    }

    fn arrange(&self, state: &mut State, _: Viewer, action: Action, event: &Event) {
        let square = match V::table().get_move(action, Perspective::Upright) {
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

/// The event of a move. `identity` gives the identity of the covered piece on a square.
fn event(public: &PublicState, mv: Move, identity: impl Fn(Square) -> Option<AnyPiece>) -> Event {
    match mv {
        Move::Pass => Event::default(),
        Move::Flip(square) => Event { revealed: identity(square), ..Event::default() },
        Move::Step { to, .. } => match public.at(to) {
            SquareContents::Empty => Event::default(),
            SquareContents::Covered => {
                Event { captured: identity(to), captured_covered: true, revealed: None }
            }
            SquareContents::Revealed(piece) => {
                Event { captured: Some(piece.into()), ..Event::default() }
            }
        },
    }
}
