//! `position`: a start or a FEN, and the moves from there.

use darkqi_engine::engines::Dialect;
use darkqi_engine::engines::pikafish::{self, Told};
use darkqi_env::{
    Action, ActionError, AnyState, Colour, Options, Spec, Viewer, deal, from_fen, render,
    session::Reveal,
};

/// A position, and how the other side writes it.
pub(super) struct Position {
    pub(super) state: Box<dyn AnyState>,
    pub(super) dialect: Dialect,
    /// Whether nobody has told the identities of covered pieces: those of the state are arbitrary.
    is_drawn: bool,
}

impl Position {
    /// The start of a game. Its moves are written as other engines of the game write them.
    pub(super) fn start(game: &str, options: &Options) -> Result<Self, String> {
        let state = deal(game, options, 0).map_err(|error| error.to_string())?;
        let is_drawn = state.spec().deals_vary;
        let dialect = spoken(&state.spec());
        Ok(Self { state, dialect, is_drawn })
    }

    /// The position of `startpos moves ...` or `fen FEN moves ...`.
    pub(super) fn read(game: &str, options: &Options, text: &str) -> Result<Self, String> {
        // Words are apart by one space.
        let (start, moves) =
            text.split_once(" moves ").unwrap_or((text.strip_suffix(" moves").unwrap_or(text), ""));
        let mut position = match start.split_once(' ').unwrap_or((start, "")) {
            ("startpos", "") => Self::start(game, options)?,
            ("fen", fen) => Self::from_fen(game, options, fen)?,
            _ => return Err(format!("position: expected `startpos` or `fen FEN`, found `{text}`")),
        };
        for played in moves.split_whitespace() {
            position.play(played)?;
        }
        Ok(position)
    }

    fn from_fen(game: &str, options: &Options, fen: &str) -> Result<Self, String> {
        let spec = Spec::new(game, options).map_err(|error| error.to_string())?;
        let world = match spoken(&spec) {
            Dialect::Pikafish => pikafish::world(fen)?,
            _ => None,
        };
        let is_drawn = world.is_some();
        let dialect = if is_drawn { Dialect::Pikafish } else { Dialect::Darkqi };
        let state = from_fen(game, options, world.as_deref().unwrap_or(fen));
        Ok(Self { state: state.map_err(|error| error.to_string())?, dialect, is_drawn })
    }

    /// A copy.
    pub(super) fn copy(&self) -> Self {
        Self { state: self.state.boxed_clone(), ..*self }
    }

    /// The position, with the history of the game where it follows from another one by this move and a
    /// reply, and the game is not over by it: a client that sends FENs alone does not say which positions
    /// have occurred.
    pub(super) fn after(self, before: &Self, best: &str) -> Self {
        match self.state_after(before, best) {
            Some(state) => Self { state, ..self },
            None => self,
        }
    }

    /// The state with the history that a reply to this move leads to, whatever the move shows. `None` if no
    /// reply leads here, or the rules keep no history.
    fn state_after(&self, before: &Self, best: &str) -> Option<Box<dyn AnyState>> {
        self.state.history()?;
        // The dialect lists captured pieces in an order of its own. What moved where is checked by the
        // history.
        let known = |state: &dyn AnyState| {
            let fen = state.view_fen(Viewer::Player(state.current_player()));
            let mut letters: Vec<char> = fen.chars().collect();
            letters.sort_unstable();
            letters
        };
        let reached = known(&*self.state);
        let (spec, fen) = (self.state.spec(), self.state.fen());
        let (name, _) = before.read_move(best).ok()?;
        let action = before.state.action_index(&name).ok()?;
        let reveals = before.state.reveals(action).ok()?;
        reveals.iter().find_map(|reveal| {
            let mut after = before.state.arrange(action, reveal).ok()?;
            after.apply(action).ok()?;
            after.legal_actions().iter().find_map(|&reply| {
                let mut next = after.boxed_clone();
                next.apply(reply).ok()?;
                let history = (known(&*next) == reached).then(|| next.history())??;
                let state = spec.parse_history(&fen, &history).ok()?;
                state.outcome().is_none().then_some(state)
            })
        })
    }

    /// The name of a move, and what it shows, if that is told.
    fn read_move(&self, played: &str) -> Result<(String, Option<Told>), String> {
        Ok(match self.dialect {
            Dialect::Pikafish => {
                let mover = Colour::ALL[self.state.current_player()];
                let (name, told) = pikafish::read_move(played, mover)?;
                (name, Some(told))
            }
            _ => match played.split_once('=') {
                Some((name, shown)) => (name.to_owned(), Some(read_told(shown))),
                None => (played.to_owned(), self.is_drawn.then(Told::default)),
            },
        })
    }

    /// Plays a move that may say what it shows.
    fn play(&mut self, played: &str) -> Result<(), String> {
        let (name, told) = self.read_move(played)?;
        let fault = |error: ActionError| match self.dialect {
            Dialect::Pikafish => format!("`{played}`, which darkqi calls {name}: {error}"),
            _ => error.to_string(),
        };
        let action = self.state.action_index(&name).map_err(fault)?;
        let arranged = match told {
            Some(told) => self.showing(action, &told, played)?,
            None => None,
        };
        let mut next = arranged.unwrap_or_else(|| self.state.boxed_clone());
        next.apply(action).map_err(fault)?;
        self.state = next;
        Ok(())
    }

    /// A world in which an action shows this, if it does not in the one of the position.
    fn showing(
        &self,
        action: Action,
        told: &Told,
        played: &str,
    ) -> Result<Option<Box<dyn AnyState>>, String> {
        let Self { state, dialect, .. } = self;
        // An action that is not legal shows nothing; playing it is the fault.
        let Ok(shows) = state.event(action, Viewer::Player(state.current_player())) else {
            return Ok(None);
        };
        if fits(told, &shows) {
            return Ok(None);
        }
        let reveals = state.reveals(action).map_err(|error| error.to_string())?;
        let reveal = reveals.iter().find(|reveal| fits(told, reveal)).ok_or_else(|| {
            let names: Vec<_> = reveals.iter().map(|reveal| shown(*dialect, reveal)).collect();
            format!("`{played}` does not say what the move can show: {}", names.join(" "))
        })?;
        state.arrange(action, reveal).map(Some).map_err(|error| error.to_string())
    }

    /// The board, and the FEN as the other side writes it.
    pub(super) fn lines(&self) -> [String; 2] {
        let Self { state, dialect, is_drawn } = self;
        let mover = Viewer::Player(state.current_player());
        let board = render::text(&state.picture(is_drawn.then_some(Viewer::Public)));
        let fen = dialect.fen(&state.view_fen(mover), &state.fen());
        [board, format!("fen {fen}")]
    }
}

/// The dialect in which other engines of the game are spoken to, if darkqi understands it.
fn spoken(spec: &Spec) -> Dialect {
    match Dialect::of(spec) {
        Dialect::Pikafish => Dialect::Pikafish,
        Dialect::Fairy | Dialect::Darkqi => Dialect::Darkqi,
    }
}

/// Reads `R`, `Rxc` or `xc`.
fn read_told(shown: &str) -> Told {
    let (revealed, captured) = match shown.split_once('x') {
        Some((revealed, captured)) => (revealed, Some(captured.to_owned())),
        None => (shown, None),
    };
    Told { revealed: Some(revealed.to_owned()).filter(|text| !text.is_empty()), captured }
}

/// Whether this may be told of an event.
fn fits(told: &Told, event: &Reveal) -> bool {
    told.revealed == event.revealed && (told.captured.is_none() || told.captured == event.captured)
}

/// The outcome of a move, as it is written after the squares.
fn shown(dialect: Dialect, reveal: &Reveal) -> String {
    let name = |piece: &Option<String>| piece.as_deref().map(|piece| dialect.piece_name(piece));
    match (dialect, name(&reveal.revealed), name(&reveal.captured)) {
        (_, None, None) => "nothing".to_owned(),
        (Dialect::Pikafish, revealed, captured) => {
            revealed.unwrap_or_default() + &captured.unwrap_or_default()
        }
        _ => reveal.to_string(),
    }
}
