//! Sessions: one game in progress with its legal actions and its outcome, and every action checked.
//!
//! A [`Session`] knows its game at compile time; [`AnyState`] is the same behind a name. Interfaces
//! and searches hold one or the other.

mod objection;
mod standing;

use std::any::Any;
use std::fmt::{self, Display, Formatter};
use std::sync::atomic::AtomicBool;

use crate::board::{Action, AnyPiece, Move, Perspective, Square};
use crate::error::{ActionError, FenError, SetupError};
use crate::game::{
    Counter, Event, Format, GameExt, Options, Outcome, Picture, Player, RecordedHistory, Viewer,
    Words,
};
use crate::games::Registered;
use crate::perft::perft_until;
use crate::render;
use crate::rng::{Rng, Stream};
use crate::spec::Spec;

pub use standing::{Ending, Phrase, result, standing};

/// Maximum number of legal actions that an error lists.
const MAX_LISTED: usize = 12;

/// An outcome of an action: the pieces that it reveals and captures, with its probability. Pieces are
/// named as in notation.
#[derive(Clone, PartialEq, Debug)]
pub struct Reveal {
    /// The identity of the piece that the action turns over.
    pub revealed: Option<String>,
    /// The captured piece.
    pub captured: Option<String>,
    /// Whether the captured piece was covered.
    pub captured_covered: bool,
    /// The probability, given what the viewer knows.
    pub probability: f64,
}

impl Reveal {
    fn new<G: Registered>((event, probability): &(Event, f64)) -> Self {
        let name = |piece: Option<AnyPiece>| piece.map(G::piece_name);
        Self {
            revealed: name(event.revealed),
            captured: name(event.captured),
            captured_covered: event.captured_covered,
            probability: *probability,
        }
    }

    /// Whether the two are equal except for the probability.
    fn is_same_event(&self, other: &Self) -> bool {
        self.revealed == other.revealed
            && self.captured == other.captured
            && self.captured_covered == other.captured_covered
    }
}

impl Display for Reveal {
    /// For example `R`, `Rxc`, `xc`; `nothing` if nothing is revealed or captured.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if (&self.revealed, &self.captured) == (&None, &None) {
            return f.write_str("nothing");
        }
        f.write_str(self.revealed.as_deref().unwrap_or_default())?;
        self.captured.as_ref().map_or(Ok(()), |captured| write!(f, "x{captured}"))
    }
}

/// A game in progress with its rules, its legal actions and its result.
#[derive(Clone, Debug)]
pub struct Session<G: Registered> {
    rules: G,
    state: G::State,
    /// Ascending; empty once the game is over.
    legal: Vec<Action>,
    outcome: Option<Outcome>,
}

impl<G: Registered> Session<G> {
    /// A game in this state.
    pub fn new(rules: G, state: G::State) -> Self {
        let mut session = Self { rules, state, legal: Vec::new(), outcome: None };
        session.update();
        session
    }

    /// A new game, dealt with this seed.
    pub fn deal(rules: G, seed: u64) -> Self {
        let state = rules.deal(&mut Rng::new(seed, Stream::Deal));
        Self::new(rules, state)
    }

    /// A game from a full FEN.
    ///
    /// # Errors
    /// If the FEN is malformed.
    pub fn from_fen(rules: G, fen: &str) -> Result<Self, FenError> {
        let state = rules.parse_fen(fen)?;
        Ok(Self::new(rules, state))
    }

    /// A game from a full FEN, with the history that led to it.
    ///
    /// # Errors
    /// If the FEN is malformed, or the history leads to another position.
    pub fn from_history(rules: G, fen: &str, history: &RecordedHistory) -> Result<Self, FenError> {
        let mut state = rules.parse_fen(fen)?;
        if !rules.restore_history(&mut state, history) {
            let fault = "expected one that leads to the position of the FEN";
            return Err(FenError::new("history", fault));
        }
        Ok(Self::new(rules, state))
    }

    /// The rules.
    pub fn rules(&self) -> &G {
        &self.rules
    }

    /// The position.
    pub fn state(&self) -> &G::State {
        &self.state
    }

    /// Plays a legal action.
    ///
    /// # Panics
    /// In debug builds, if the action is not legal.
    pub fn play(&mut self, action: Action) {
        debug_assert!(self.legal.binary_search(&action).is_ok());
        self.rules.play(&mut self.state, action);
        self.update();
    }

    fn update(&mut self) {
        self.rules.list_actions(&self.state, &mut self.legal);
        self.outcome = self.rules.outcome_given(&self.state, !self.legal.is_empty());
        if self.outcome.is_some() {
            self.legal.clear();
        }
    }

    fn name(&self, action: Action) -> String {
        self.rules.table().name(action, self.perspective())
    }

    fn describe(&self, action: Action) -> String {
        match self.action(action.0.into()) {
            Ok(known) => format!("{} (action {})", self.name(known), known.0),
            Err(_) => format!("action {}", action.0),
        }
    }

    /// The events that a viewer may see a legal action cause, with their probabilities.
    fn events(&self, action: Action, viewer: Viewer) -> Vec<(Event, f64)> {
        let view = self.rules.view(&self.state, viewer);
        let mut events = Vec::new();
        self.rules
            .each_reveal(&view, action, |event, probability| events.push((event, probability)));
        events
    }

    fn check(&self, action: Action) -> Result<(), ActionError> {
        if let Some(outcome) = self.outcome {
            let reason = outcome.reason.name();
            return Err(ActionError::Over { action: self.describe(action), reason });
        }
        if self.legal.binary_search(&action).is_err() {
            return Err(illegal(self.describe(action), &self.legal_moves()));
        }
        Ok(())
    }
}

/// A [`Session`] of a game whose name is known only at run time.
///
/// A cast to `dyn Any` gives the `Session<G>` back where `G` is known.
pub trait AnyState: Any + Send + Sync {
    /// The game with its options.
    fn spec(&self) -> Spec;
    /// The position, a state of the game's own type.
    fn state(&self) -> &dyn Any;
    /// The full position.
    fn fen(&self) -> String;
    /// The repetition history, which the FEN leaves out. `None` where the rules keep none.
    fn history(&self) -> Option<RecordedHistory>;
    /// The position as a viewer knows it. Here and below, a player must be a seat of the game.
    fn view_fen(&self, viewer: Viewer) -> String;
    /// The seat to move; in a finished game, the seat that would be.
    fn current_player(&self) -> Player;
    /// Plies played since the deal.
    fn ply(&self) -> u16;
    /// Whether the current player's general is attacked; false where the rules know no check.
    fn is_check(&self) -> bool;
    /// The seat that owns an army; `None` while colours are not assigned.
    fn owner(&self, army: u8) -> Option<Player>;
    /// The army to move where a seat may have several; `None` in other games.
    fn army_to_move(&self) -> Option<u8>;
    /// The squares of the face-up pieces that an enemy could capture by a pseudo-legal move if it
    /// were to move, as far as the viewer knows, ascending.
    fn threatened(&self, viewer: Viewer) -> Vec<Square>;
    /// The counters that end the game at a limit, those without a limit left out.
    fn counters(&self, viewer: Viewer) -> Vec<Counter>;
    /// Number of occurrences of the position that count for a repetition, this one included.
    fn occurrences(&self, viewer: Viewer) -> u8;
    /// The legal actions, ascending; empty once the game is over.
    fn legal_actions(&self) -> &[Action];
    /// Why the viewer cannot move what is on `from`, to `to` or at all; `None` if a legal action does. A flip
    /// goes to its own square. Nothing is told that the view does not know.
    fn objection(&self, viewer: Viewer, from: Square, to: Option<Square>) -> Option<Words>;
    /// The names of the legal actions in byte order.
    fn legal_moves(&self) -> Vec<String>;
    /// The action with this index.
    ///
    /// # Errors
    /// If the game has none.
    fn action(&self, index: i64) -> Result<Action, ActionError>;
    /// The name of an action of the current player.
    fn action_name(&self, action: Action) -> String;
    /// Legal actions in Chinese notation, as everybody may read them; `None` where the game has none.
    fn chinese_names(&self, actions: &[Action]) -> Vec<Option<String>>;
    /// The effect on the board of an action of the current player.
    fn get_move(&self, action: Action) -> Move;
    /// The perspective in which the current player's actions are numbered.
    fn perspective(&self) -> Perspective;
    /// The current player's action with this name.
    ///
    /// # Errors
    /// If the game has none.
    fn action_index(&self, name: &str) -> Result<Action, ActionError>;
    /// Plays an action.
    ///
    /// # Errors
    /// If it is not legal; the game is then unchanged.
    fn apply(&mut self, action: Action) -> Result<(), ActionError>;
    /// The outcome; `None` while the game goes on.
    fn outcome(&self) -> Option<Outcome>;
    /// Writes a viewer's observation over `row`, which must have the length of the format.
    fn observe(&self, viewer: Viewer, format: Format, row: &mut [u8]);
    /// A determinization: a state with the same view, sampled by this generator.
    fn determinize(&self, viewer: Viewer, rng: &mut Rng) -> Box<dyn AnyState>;
    /// A determinization, sampled with this seed.
    fn resample(&self, viewer: Viewer, seed: u64) -> Box<dyn AnyState> {
        self.determinize(viewer, &mut Rng::new(seed, Stream::Resample))
    }
    /// The event that a legal action causes, with all that players may not be shown.
    fn true_event(&self, action: Action) -> Event;
    /// The outcomes of a legal action, as far as the mover knows.
    ///
    /// # Errors
    /// If the action is not legal.
    fn reveals(&self, action: Action) -> Result<Vec<Reveal>, ActionError>;
    /// The outcome of a legal action, as far as the viewer will see it, with its
    /// probability given what the viewer knows.
    ///
    /// # Errors
    /// If the action is not legal.
    fn event(&self, action: Action, viewer: Viewer) -> Result<Reveal, ActionError>;
    /// A state with the mover's view in which a legal action causes `reveal`, which must be one of
    /// its [`AnyState::reveals`].
    ///
    /// Identities are exchanged with covered pieces on the board if possible, and with pieces
    /// captured face down only otherwise.
    ///
    /// # Errors
    /// If the action is not legal, or cannot cause this.
    fn arrange(&self, action: Action, reveal: &Reveal) -> Result<Box<dyn AnyState>, ActionError>;
    /// The position as a viewer knows it, or in full for `None`.
    fn picture(&self, viewer: Option<Viewer>) -> Picture;
    /// Number of action sequences of this length.
    fn perft(&self, depth: u32) -> u64 {
        self.perft_until(depth, &AtomicBool::new(false)).expect("nothing sets the flag")
    }
    /// The same, or `None` once the flag is set.
    fn perft_until(&self, depth: u32, stop: &AtomicBool) -> Option<u64>;
    /// A copy.
    fn boxed_clone(&self) -> Box<dyn AnyState>;
}

impl<G: Registered> AnyState for Session<G> {
    fn spec(&self) -> Spec {
        Spec::unregistered(&self.rules)
    }

    fn state(&self) -> &dyn Any {
        &self.state
    }

    fn fen(&self) -> String {
        self.rules.fen(&self.state)
    }

    fn history(&self) -> Option<RecordedHistory> {
        self.rules.history(&self.state)
    }

    fn view_fen(&self, viewer: Viewer) -> String {
        self.rules.view_fen(&self.rules.view(&self.state, viewer))
    }

    fn current_player(&self) -> Player {
        self.rules.to_move(&self.state)
    }

    fn ply(&self) -> u16 {
        self.rules.ply(&self.state)
    }

    fn is_check(&self) -> bool {
        self.rules.is_check(&self.state)
    }

    fn owner(&self, army: u8) -> Option<Player> {
        G::owner(&self.rules.view(&self.state, Viewer::Public), army)
    }

    fn army_to_move(&self) -> Option<u8> {
        self.rules.army_to_move(&self.state)
    }

    fn threatened(&self, viewer: Viewer) -> Vec<Square> {
        let mut squares = Vec::new();
        let view = self.rules.view(&self.state, viewer);
        self.rules.each_threatened(&view, |square, _| squares.push(square));
        sorted(squares)
    }

    fn counters(&self, viewer: Viewer) -> Vec<Counter> {
        let mut counters = Vec::new();
        self.rules.each_counter(&self.rules.view(&self.state, viewer), |counter| {
            counters.extend((counter.limit > 0).then_some(counter));
        });
        counters
    }

    fn occurrences(&self, viewer: Viewer) -> u8 {
        self.rules.occurrences(&self.rules.view(&self.state, viewer))
    }

    fn legal_actions(&self) -> &[Action] {
        &self.legal
    }

    fn objection(&self, viewer: Viewer, from: Square, to: Option<Square>) -> Option<Words> {
        objection::of_session(self, viewer, from, to)
    }

    fn legal_moves(&self) -> Vec<String> {
        sorted(self.legal.iter().map(|&action| self.name(action)).collect())
    }

    fn action(&self, index: i64) -> Result<Action, ActionError> {
        let count = self.rules.table().len();
        match u16::try_from(index) {
            Ok(known) if usize::from(known) < count => Ok(Action(known)),
            _ => Err(ActionError::Unknown {
                action: format!("action {index}"),
                game: G::NAME,
                expected: format!("an index from 0 to {}", count - 1),
            }),
        }
    }

    fn action_name(&self, action: Action) -> String {
        self.name(action)
    }

    fn chinese_names(&self, actions: &[Action]) -> Vec<Option<String>> {
        let picture = self.picture(Some(Viewer::Public));
        let [legal, moves] = [&self.legal, actions]
            .map(|actions| actions.iter().map(|&action| self.get_move(action)).collect::<Vec<_>>());
        render::chinese_names(&picture, &legal, &moves, G::moves_as)
    }

    fn get_move(&self, action: Action) -> Move {
        self.rules.table().get_move(action, self.perspective())
    }

    fn perspective(&self) -> Perspective {
        self.rules.perspective(self.rules.to_move(&self.state))
    }

    fn action_index(&self, name: &str) -> Result<Action, ActionError> {
        let lower = name.to_ascii_lowercase();
        self.rules.table().parse(&lower, self.perspective()).ok_or_else(|| ActionError::Unknown {
            action: format!("`{name}`"),
            game: G::NAME,
            expected: format!(
                "squares that some piece can join, such as `{}`",
                self.name(Action(0))
            ),
        })
    }

    fn apply(&mut self, action: Action) -> Result<(), ActionError> {
        self.check(action)?;
        self.play(action);
        Ok(())
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn observe(&self, viewer: Viewer, format: Format, row: &mut [u8]) {
        format.write(&self.rules, &self.rules.view(&self.state, viewer), row);
    }

    fn determinize(&self, viewer: Viewer, rng: &mut Rng) -> Box<dyn AnyState> {
        let state = self.rules.determinize(&self.rules.view(&self.state, viewer), rng);
        Box::new(Self::new(self.rules.clone(), state))
    }

    fn true_event(&self, action: Action) -> Event {
        self.rules.event(&self.state, action)
    }

    fn reveals(&self, action: Action) -> Result<Vec<Reveal>, ActionError> {
        self.check(action)?;
        let mover = Viewer::Player(self.current_player());
        Ok(self.events(action, mover).iter().map(Reveal::new::<G>).collect())
    }

    fn event(&self, action: Action, viewer: Viewer) -> Result<Reveal, ActionError> {
        self.check(action)?;
        let truth = self.true_event(action);
        // A reveal is public. The identity of a capture may be shown to other viewers only.
        let fits = |seen: &Event| {
            let truth_as_seen = Event { captured: seen.captured.and(truth.captured), ..truth };
            *seen == truth_as_seen
        };
        let events = self.events(action, viewer);
        let seen = events.iter().find(|(seen, _)| fits(seen));
        Ok(Reveal::new::<G>(seen.expect("the true event is possible in every view")))
    }

    fn arrange(&self, action: Action, reveal: &Reveal) -> Result<Box<dyn AnyState>, ActionError> {
        self.check(action)?;
        let mover = Viewer::Player(self.current_player());
        let events = self.events(action, mover);
        let named = Reveal::new::<G>;
        let Some((event, _)) = events.iter().find(|event| named(event).is_same_event(reveal))
        else {
            let possible: Vec<_> = events.iter().map(|event| named(event).to_string()).collect();
            return Err(ActionError::Unshowable {
                action: self.describe(action),
                reveal: reveal.to_string(),
                possible: possible.join(" "),
            });
        };
        let mut arranged = self.clone();
        arranged.rules.arrange(&mut arranged.state, mover, action, event);
        Ok(Box::new(arranged))
    }

    fn picture(&self, viewer: Option<Viewer>) -> Picture {
        let (rules, state) = (&self.rules, &self.state);
        let mut picture = match viewer {
            Some(viewer) => rules.picture(&rules.view(state, viewer)),
            None => rules.full_picture(state),
        };
        if let Some(Viewer::Player(seat)) = viewer {
            picture.perspective = rules.perspective(seat);
            picture.near = seat;
        }
        let owner =
            |army: usize| (army < G::ARMIES.len()).then(|| self.owner(army as u8)).flatten();
        picture.owners = (0..picture.armies.len()).map(owner).collect();
        picture.standing = standing(self, None);
        let ply = format!("ply {}", self.ply());
        picture.details = [ply, picture.details]
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join(", ");
        if rules.is_check(state) {
            let mover = rules.to_move(state);
            let view = rules.view(state, Viewer::Player(mover));
            let is_own = |army| G::owner(&view, army) == Some(mover);
            picture.checked = picture.generals(is_own);
        }
        picture
    }

    fn perft_until(&self, depth: u32, stop: &AtomicBool) -> Option<u64> {
        perft_until(&self.rules, &self.state, depth, stop)
    }

    fn boxed_clone(&self) -> Box<dyn AnyState> {
        Box::new(self.clone())
    }
}

/// A new game by name, dealt with this seed.
///
/// # Errors
/// If there is no such game or option, or a value is out of range.
pub fn deal(game: &str, options: &Options, seed: u64) -> Result<Box<dyn AnyState>, SetupError> {
    Ok(Spec::new(game, options)?.deal(seed))
}

/// A game by name from a full FEN.
///
/// # Errors
/// If there is no such game or option, a value is out of range, or the FEN is malformed.
pub fn from_fen(game: &str, options: &Options, fen: &str) -> Result<Box<dyn AnyState>, SetupError> {
    Ok(Spec::new(game, options)?.parse_fen(fen)?)
}

fn sorted<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    values.sort();
    values
}

/// The error for an action, given the names of those that are legal.
fn illegal(action: String, names: &[String]) -> ActionError {
    ActionError::Illegal { action, count: names.len(), legal: first_names(names) }
}

/// The first of the names of legal actions, for an error that lists them.
pub fn first_names(names: &[String]) -> String {
    let listed = &names[..names.len().min(MAX_LISTED)];
    let dots = if listed.len() < names.len() { " ..." } else { "" };
    listed.join(" ") + dots
}
