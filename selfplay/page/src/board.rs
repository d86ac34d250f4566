//! Boards and moves as JSON.

use std::collections::BTreeMap;

use darkqi_engine::agent::Decision;
use darkqi_env::{
    Action, AnyState, Move, Player, Spec, Square, Viewer,
    board::{AnyPiece, BoardSize, Perspective},
    game::{Army, BoardStyle, DrawnPiece, Words},
};
use serde::Serialize;

/// A board as the page draws it.
#[derive(Serialize)]
pub(super) struct PictureJson {
    files: usize,
    ranks: usize,
    style: &'static str,
    is_rotated: bool,
    armies: Vec<ArmyJson>,
    pieces: Vec<PieceJson>,
    captured: Option<Vec<PieceJson>>,
    /// The squares that look otherwise than before the last ply.
    changed: Vec<String>,
    checked: Vec<String>,
    /// The army to move, in a game where a seat may have several; none once the game is over.
    army_to_move: Option<u8>,
}

/// An army with the signs of its pieces.
#[derive(Serialize)]
pub(super) struct ArmyJson {
    name: &'static str,
    letter: char,
    ink: &'static str,
    wood: &'static str,
    /// The characters of its pieces by letter, for pieces that are named and not drawn.
    characters: BTreeMap<char, char>,
    /// Their names by letter, where the game has names.
    names: BTreeMap<char, &'static Words>,
}

impl ArmyJson {
    /// Armies of a game. Beyond those that are played there may be one of nobody, such as the emperor's.
    pub(super) fn all(spec: &Spec, armies: &[Army]) -> Vec<Self> {
        let characters = |army: u8| {
            let kinds = if usize::from(army) < spec.armies.len() { spec.kinds.len() } else { 0 };
            let glyphs = (0..kinds as u8).map(|kind| spec.glyph(AnyPiece { army, kind }));
            glyphs.map(|glyph| (glyph.letter, glyph.character)).collect()
        };
        // What no seat plays has the letters that the kinds do not have.
        let names = |army: u8| {
            let is_played = usize::from(army) < spec.armies.len();
            let named = spec.names.iter();
            let named = named.filter(|(letter, _)| spec.kinds.contains(letter) == is_played);
            named.map(|(letter, name)| (*letter, name)).collect()
        };
        let described = |(index, army): (u8, &Army)| Self {
            name: army.name,
            letter: army.letter,
            ink: army.ink,
            wood: army.wood,
            characters: characters(index),
            names: names(index),
        };
        (0..).zip(armies).map(described).collect()
    }
}

#[derive(Serialize)]
struct PieceJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    square: Option<String>,
    army: Option<u8>,
    letter: Option<char>,
    character: Option<char>,
    covered: bool,
}

impl PieceJson {
    fn new(square: Option<String>, piece: &DrawnPiece) -> Self {
        let DrawnPiece { army, glyph, covered } = *piece;
        let (letter, character) =
            (glyph.map(|glyph| glyph.letter), glyph.map(|glyph| glyph.character));
        Self { square, army, letter, character, covered }
    }
}

impl PictureJson {
    /// A position as the holder of these seats sees it: as a viewer knows it, or in full for `None`,
    /// from the side of the first of the seats. `captured` are the captured pieces of a game whose
    /// pictures have none.
    pub(super) fn of(
        state: &dyn AnyState,
        before: Option<&dyn AnyState>,
        viewer: Option<Viewer>,
        seats: &[Player],
        captured: Option<Vec<DrawnPiece>>,
    ) -> Self {
        let mut picture = Self::new(state, before, viewer);
        if let (None, Some(&seat)) = (viewer, seats.first()) {
            let side = state.picture(Some(Viewer::Player(seat))).perspective;
            picture.is_rotated = side == Perspective::Rotated;
        }
        let drawn = |piece: &DrawnPiece| PieceJson::new(None, piece);
        let captured = captured.map(|pieces| pieces.iter().map(drawn).collect());
        Self { captured: picture.captured.or(captured), ..picture }
    }

    /// A position that nobody plays on from: the rules do not know a resignation.
    pub(super) fn ended(self, is_over: bool) -> Self {
        Self { army_to_move: self.army_to_move.filter(|_| !is_over), ..self }
    }

    /// A position as a viewer knows it, or in full for `None`.
    pub(super) fn new(
        state: &dyn AnyState,
        before: Option<&dyn AnyState>,
        viewer: Option<Viewer>,
    ) -> Self {
        let picture = state.picture(viewer);
        let changed = before.map(|before| picture.changed_since(&before.picture(viewer)));
        let BoardSize { files, ranks } = picture.size;
        let on_board = |square: Square| {
            let piece = picture.pieces[square.index()].as_ref()?;
            Some(PieceJson::new(Some(picture.size.name(square)), piece))
        };
        let off_board = |pieces: &Vec<DrawnPiece>| {
            pieces.iter().map(|piece| PieceJson::new(None, piece)).collect()
        };
        Self {
            files,
            ranks,
            style: match picture.style {
                BoardStyle::Squares => "squares",
                BoardStyle::Xiangqi => "xiangqi",
                BoardStyle::Palaces => "palaces",
                BoardStyle::Go => "go",
            },
            is_rotated: picture.perspective == Perspective::Rotated,
            armies: ArmyJson::all(&state.spec(), picture.armies),
            pieces: picture.size.all().filter_map(on_board).collect(),
            captured: picture.captured.as_ref().map(off_board),
            changed: names(picture.size, &changed.unwrap_or_default()),
            checked: names(picture.size, &picture.checked),
            army_to_move: state.army_to_move().filter(|_| state.outcome().is_none()),
        }
    }
}

/// A move of the seat to move, in absolute coordinates.
#[derive(Clone, Serialize)]
pub(super) struct MoveJson {
    pub(super) action: u16,
    pub(super) name: String,
    /// The name in Chinese notation, where the game has one.
    pub(super) chinese: Option<String>,
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
}

impl MoveJson {
    /// An action of the seat to move.
    pub(super) fn new(state: &dyn AnyState, size: BoardSize, action: Action) -> Self {
        Self::all(state, size, &[action]).remove(0)
    }

    /// Actions of the seat to move.
    pub(super) fn all(state: &dyn AnyState, size: BoardSize, actions: &[Action]) -> Vec<Self> {
        let described = |(&action, chinese): (&Action, Option<String>)| {
            let (from, to) = match state.get_move(action) {
                Move::Flip(square) => (Some(square), Some(square)),
                Move::Step { from, to } => (Some(from), Some(to)),
                Move::Pass => (None, None),
            };
            let [from, to] = [from, to].map(|square| square.map(|square| size.name(square)));
            Self { action: action.0, name: state.action_name(action), chinese, from, to }
        };
        actions.iter().zip(state.chinese_names(actions)).map(described).collect()
    }
}

/// An agent's choice for the seat to move.
#[derive(Serialize)]
pub(super) struct Advice {
    #[serde(flatten)]
    advised: MoveJson,
    value: Option<f32>,
}

impl Advice {
    pub(super) fn new(state: &dyn AnyState, size: BoardSize, decision: &Decision) -> Self {
        let value = decision.value.as_ref().map(|values| values[state.current_player()]);
        Self { advised: MoveJson::new(state, size, decision.action), value }
    }
}

/// The names of squares.
pub(super) fn names(size: BoardSize, squares: &[Square]) -> Vec<String> {
    squares.iter().map(|&square| size.name(square)).collect()
}

/// By army, the seat that moves it.
pub(super) fn owners(state: &dyn AnyState) -> Vec<Option<Player>> {
    (0..state.spec().armies.len()).map(|army| state.owner(army as u8)).collect()
}
