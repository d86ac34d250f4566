//! The description of a game for users: seats, actions, observations, what is hidden, options.

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::board::{
    Action, ActionTable, AnyPiece, BoardSize, Move, Perspective, Reflection, Regions, Square,
};
use crate::error::{FenError, SetupError};
use crate::game::{
    Army, Attacks, Depict, Glyph, Hides, Layout, Lesson, Notation, Options, Player,
    RecordedHistory, Value, Words, planes_of_tokens,
};
use crate::games::{self, Registered, Visitor};
use crate::rng::{Rng, Stream};
use crate::session::{AnyState, Session};

/// One option of a game with its values.
#[derive(Clone, PartialEq, Debug)]
pub struct OptionInfo {
    /// Its name.
    pub name: &'static str,
    /// Its description, one sentence.
    pub about: &'static str,
    /// `int`, `bool` or `str`.
    pub type_name: &'static str,
    /// The values it takes, as text.
    pub range: String,
    /// These values, if they are names.
    pub choices: &'static [&'static str],
    /// The default.
    pub default: Value,
    /// The value in force.
    pub value: Value,
    /// Whether another value makes a variant of the game.
    pub design: bool,
}

/// A symmetry of a game: what it does to squares and actions, both numbered from the mover's
/// perspective. Done twice, it changes nothing.
///
/// A deal is as likely as the one it is taken to, and the game goes on from both alike: the action
/// that corresponds to a legal one is legal, endings are the same, and so are observations, with
/// their planes permuted by `squares`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symmetry {
    /// `left-right`, `near-far` or `half-turn`.
    pub name: &'static str,
    /// The square that each square is taken to, by square.
    pub squares: Vec<Square>,
    /// The action that corresponds to each action, by action.
    pub actions: Vec<Action>,
}

/// A game with its options.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The name in the registry.
    pub name: &'static str,
    /// A description in one line.
    pub about: &'static str,
    /// Number of seats.
    pub num_players: usize,
    /// The numbers of seats that the options allow.
    pub player_range: RangeInclusive<usize>,
    /// The team of each seat, numbered from 0 in the order of their first seats. The seats of a
    /// team win and lose together.
    pub teams: Vec<usize>,
    /// Number of actions in the action table.
    pub num_actions: usize,
    /// The contents of an observation.
    pub layout: Layout,
    /// The greatest value of each plane: 1 for the planes of pieces, then
    /// [`crate::game::Observe::value_maxima`]. Planes can be divided by these: a plane that is always 0
    /// has 1.
    pub plane_maxima: Vec<u8>,
    /// The letters of the piece kinds.
    pub kinds: &'static [char],
    /// The armies.
    pub armies: &'static [Army],
    /// The names of pieces by their letters, those that no seat owns included; none where they have none.
    pub names: &'static [(char, Words)],
    /// The part of a covered piece that is hidden.
    pub hides: Hides,
    /// Whether deals with different seeds differ.
    pub deals_vary: bool,
    /// Whether covered pieces can move.
    pub covered_pieces_move: bool,
    /// Whether a seat may capture a piece without others seeing what it was.
    pub captures_are_secret: bool,
    /// Number of plies after which every game has ended.
    pub max_plies: u16,
    /// The options with their values.
    pub options: Vec<OptionInfo>,
    /// The regions of the board, if it has some.
    pub regions: Option<Regions>,
    glyph: fn(AnyPiece) -> Glyph,
    moves_as: fn(Square) -> Option<Glyph>,
    table: &'static ActionTable,
    /// The board that is played on: with some options the lowest files and ranks of that of the layout.
    pub board_size: BoardSize,
    /// The reflections of that board that are symmetries of the game.
    pub reflections: &'static [Reflection],
    rules: Arc<dyn AnyRules>,
}

/// The rules of a game whose name is known only at run time.
trait AnyRules: Attacks {
    fn deal(&self, seed: u64) -> Box<dyn AnyState>;

    fn parse_fen(&self, fen: &str) -> Result<Box<dyn AnyState>, FenError>;

    fn parse_history(
        &self,
        fen: &str,
        history: &RecordedHistory,
    ) -> Result<Box<dyn AnyState>, FenError>;

    fn parse_view_fen(&self, fen: &str, rng: &mut Rng) -> Result<Box<dyn AnyState>, FenError>;

    fn planes_of_tokens(&self, tokens: &[u8], planes: &mut [u8]);

    fn lesson(&self) -> Option<Lesson>;
}

impl<G: Registered> AnyRules for G {
    fn deal(&self, seed: u64) -> Box<dyn AnyState> {
        Box::new(Session::deal(self.clone(), seed))
    }

    fn parse_fen(&self, fen: &str) -> Result<Box<dyn AnyState>, FenError> {
        Ok(Box::new(Session::from_fen(self.clone(), fen)?))
    }

    fn parse_history(
        &self,
        fen: &str,
        history: &RecordedHistory,
    ) -> Result<Box<dyn AnyState>, FenError> {
        Ok(Box::new(Session::from_history(self.clone(), fen, history)?))
    }

    fn parse_view_fen(&self, fen: &str, rng: &mut Rng) -> Result<Box<dyn AnyState>, FenError> {
        let state = Notation::parse_view_fen(self, fen, rng)?;
        Ok(Box::new(Session::new(self.clone(), state)))
    }

    fn planes_of_tokens(&self, tokens: &[u8], planes: &mut [u8]) {
        planes_of_tokens::<G>(tokens, planes);
    }

    fn lesson(&self) -> Option<Lesson> {
        Depict::lesson(self)
    }
}

impl Spec {
    /// The spec of these rules.
    ///
    /// # Panics
    /// If they are of none of the [registered games](games::names).
    pub fn of<G: Registered>(rules: &G) -> Self {
        games::describe(rules).expect("the game is registered")
    }

    /// The spec of rules that need not be registered.
    pub fn unregistered<G: Registered>(rules: &G) -> Self {
        let default = G::default();
        let design = G::design().iter().copied().flatten();
        let options = G::options().iter().map(|option| (option, false));
        let options = options
            .chain(design.map(|option| (option, true)))
            .map(|(option, design)| OptionInfo {
                design,
                name: option.name,
                about: option.about,
                type_name: option.domain.type_name(),
                range: option.domain.range(),
                choices: option.domain.choices(),
                default: option.domain.value((option.get)(&default)),
                value: option.domain.value((option.get)(rules)),
            })
            .collect();
        Self {
            name: G::NAME,
            about: G::ABOUT,
            num_players: rules.players(),
            player_range: G::PLAYERS,
            teams: teams(rules),
            num_actions: rules.table().len(),
            layout: G::LAYOUT,
            plane_maxima: plane_maxima(rules),
            kinds: G::KINDS,
            armies: G::ARMIES,
            names: G::NAMES,
            hides: G::HIDES,
            deals_vary: G::HIDES != Hides::Nothing,
            covered_pieces_move: G::COVERED_PIECES_MOVE,
            captures_are_secret: rules.captures_are_secret(),
            max_plies: rules.max_plies(),
            options,
            regions: G::REGIONS,
            glyph: G::glyph,
            moves_as: G::moves_as,
            table: rules.table(),
            board_size: rules.board_size(),
            reflections: G::REFLECTIONS,
            rules: Arc::new(rules.clone()),
        }
    }

    /// The spec of the game of this name with these options.
    ///
    /// # Errors
    /// If there is no such game or option, or a value is out of range.
    pub fn new(game: &str, options: &Options) -> Result<Self, SetupError> {
        struct Describe;
        impl Visitor for Describe {
            type Output = Spec;
            fn visit<G: Registered>(self, rules: G) -> Spec {
                Spec::of(&rules)
            }
        }
        games::with(game, options, Describe)
    }

    /// A new game, dealt with this seed.
    pub fn deal(&self, seed: u64) -> Box<dyn AnyState> {
        self.rules.deal(seed)
    }

    /// A game from a full FEN.
    ///
    /// # Errors
    /// If the FEN is malformed.
    pub fn parse_fen(&self, fen: &str) -> Result<Box<dyn AnyState>, FenError> {
        self.rules.parse_fen(fen)
    }

    /// A game from a full FEN and the history that led to it.
    ///
    /// # Errors
    /// If the FEN is malformed, or the history leads to another position.
    pub fn parse_history(
        &self,
        fen: &str,
        history: &RecordedHistory,
    ) -> Result<Box<dyn AnyState>, FenError> {
        self.rules.parse_history(fen, history)
    }

    /// A game from a full FEN, or from that of a viewer, in which what the viewer does not know is dealt
    /// at random with this seed.
    ///
    /// # Errors
    /// If the FEN is malformed, or more is unknown than there can be.
    pub fn parse_view_fen(&self, fen: &str, seed: u64) -> Result<Box<dyn AnyState>, FenError> {
        self.rules.parse_view_fen(fen, &mut Rng::new(seed, Stream::Deal))
    }

    /// Writes the planes of an observation that is given as tokens. Both must have the lengths of the
    /// layout.
    pub fn planes_of_tokens(&self, tokens: &[u8], planes: &mut [u8]) {
        self.rules.planes_of_tokens(tokens, planes);
    }

    /// How the game is played with these options; `None` where nobody has written it down.
    pub fn lesson(&self) -> Option<Lesson> {
        self.rules.lesson()
    }

    /// The actions and their names.
    pub fn table(&self) -> &'static ActionTable {
        self.table
    }

    /// The name of a piece in notation.
    pub fn piece_name(&self, piece: AnyPiece) -> String {
        self.armies[usize::from(piece.army)].piece_name(self.kinds[usize::from(piece.kind)])
    }

    /// A piece of every kind in every army.
    pub fn pieces(&self) -> impl Iterator<Item = AnyPiece> {
        let kinds = self.kinds.len() as u8;
        let armies = 0..self.armies.len() as u8;
        armies.flat_map(move |army| (0..kinds).map(move |kind| AnyPiece { army, kind }))
    }

    /// The signs of a piece.
    pub fn glyph(&self, piece: AnyPiece) -> Glyph {
        (self.glyph)(piece)
    }

    /// The signs of the piece by whose moves a covered piece goes from a square; `None` where the square
    /// does not tell.
    pub fn moves_as(&self, square: Square) -> Option<Glyph> {
        (self.moves_as)(square)
    }

    /// Whether the seats `one` and `other` win and lose together. A seat is its own ally.
    pub fn allied(&self, one: Player, other: Player) -> bool {
        self.teams[one] == self.teams[other]
    }

    /// The square of the piece that a move turns over, if it turns one over: that which moves, or where
    /// covered pieces stay, that which it tried to take.
    pub fn turned_over(&self, played: Move) -> Option<Square> {
        match played {
            Move::Flip(square) => Some(square),
            Move::Step { from, to } => Some(if self.covered_pieces_move { from } else { to }),
            Move::Pass => None,
        }
    }

    /// The squares that each action leaves and goes to, from the mover's perspective, in which a
    /// square is `rank * files + file` in a plane. A flip has its square twice, a pass has -1 twice.
    pub fn action_squares(&self) -> Vec<[i16; 2]> {
        let number = |square: Square| square.index() as i16;
        // The mover's perspective is that in which actions are numbered.
        let squares = |action| match self.table.get_move(action, Perspective::Upright) {
            Move::Flip(square) => [number(square); 2],
            Move::Step { from, to } => [number(from), number(to)],
            Move::Pass => [-1; 2],
        };
        self.actions().map(squares).collect()
    }

    /// The squares between the two of each action, in order, numbered as in
    /// [`Spec::action_squares`]: those of a line between its ends, the leg of a horse, the eye of an
    /// elephant. Empty for a step, a flip and a pass.
    pub fn action_paths(&self) -> Vec<Vec<Square>> {
        let path = |action| match self.table.get_move(action, Perspective::Upright) {
            Move::Step { from, to } => path(self.layout.size, from, to),
            Move::Flip(_) | Move::Pass => Vec::new(),
        };
        self.actions().map(path).collect()
    }

    /// How each piece attacks by each action: a row for each of the layout's pieces, with an entry
    /// for each action. Pieces and squares are as the mover sees them. 0: it does not; 1: it does if
    /// the path of the action is empty; 2: it does over exactly one piece on the path, as a cannon; 3:
    /// it does in both cases, as a horse that jumps.
    ///
    /// Whose piece stands on the target, ranks and checks do not count.
    pub fn attacks(&self) -> Vec<Vec<u8>> {
        let attack = |piece, from, to, path: &[Square]| {
            let attacks = |between| self.rules.attacks(piece, from, to, between);
            let over_one = path.iter().any(|&on| attacks(Some(on)));
            u8::from(attacks(None)) | (u8::from(over_one) << 1)
        };
        let steps: Vec<_> = self
            .actions()
            .zip(self.action_paths())
            .map(|(action, path)| (self.table.get_move(action, Perspective::Upright), path))
            .collect();
        let row = |piece| {
            let attack = |(step, path): &(Move, Vec<Square>)| match *step {
                Move::Step { from, to } => attack(piece, from, to, path),
                Move::Flip(_) | Move::Pass => 0,
            };
            steps.iter().map(attack).collect()
        };
        (0..self.layout.pieces.len()).map(row).collect()
    }

    /// By piece of the layout, the piece that it is after it moved, also as a place in the layout. `None` if
    /// that is not known before, as of a covered piece.
    pub fn moved_pieces(&self) -> Vec<Option<usize>> {
        (0..self.layout.pieces.len()).map(|piece| self.rules.moved_piece(piece)).collect()
    }

    /// The symmetries of the game on the board of the layout. A smaller board lies in its corner, and some
    /// reflections of the larger one lead out of it: these are left out.
    pub fn layout_reflections(&self) -> impl Iterator<Item = Reflection> {
        let (layout, board) = (self.layout.size, self.board_size);
        let stays = move |&reflection: &Reflection| {
            let reflected = |square| layout.reflected(square, reflection);
            let on_board = |square: Square| square.renumbered(layout, board).is_some();
            layout.all().all(|square| on_board(square) == on_board(reflected(square)))
        };
        self.reflections.iter().copied().filter(stays)
    }

    /// The symmetries of the game beyond the identity, of the board of the layout.
    pub fn symmetries(&self) -> Vec<Symmetry> {
        let symmetry = |reflection: Reflection| {
            let size = self.layout.size;
            let of_action = |action| {
                let reflected = self.table.reflected(action, reflection);
                reflected.expect("the table of a symmetric game is symmetric")
            };
            Symmetry {
                name: reflection.name(),
                squares: size.all().map(|square| size.reflected(square, reflection)).collect(),
                actions: self.actions().map(of_action).collect(),
            }
        };
        self.layout_reflections().map(symmetry).collect()
    }

    /// The regions of the board that is played on: the name and the squares of each, as its owner's side sees
    /// them, in which a square is `rank * files + file` of the layout. Empty where the game has no regions.
    pub fn region_squares(&self) -> Vec<(&'static str, Vec<Square>)> {
        let (layout, board) = (self.layout.size, self.board_size);
        let of = |regions: Regions| {
            let squares = |place| {
                let inside = board.all().filter(|&square| regions.of(board, square) == place);
                inside.filter_map(|square| square.renumbered(board, layout)).collect()
            };
            (0..).zip(regions.names()).map(|(place, name)| (name, squares(place))).collect()
        };
        self.regions.map_or_else(Vec::new, of)
    }

    /// Every action of the table, ascending.
    fn actions(&self) -> impl Iterator<Item = Action> {
        (0..self.num_actions).map(|index| Action(index as u16))
    }

    /// Whether options of designers make another game of it.
    pub fn is_designed(&self) -> bool {
        self.options.iter().any(|option| option.design && option.value != option.default)
    }

    /// The options in force: those of players, defaults included, and those of designers that are not at
    /// their defaults.
    pub fn options_in_force(&self) -> Options {
        let in_force = |option: &&OptionInfo| !option.design || option.value != option.default;
        let in_force = self.options.iter().filter(in_force);
        in_force.map(|option| (option.name.to_owned(), option.value.clone())).collect()
    }
}

/// The squares between two: those of a line, or of one orthogonal step and a diagonal onward, the way
/// of horses and knights.
fn path(size: BoardSize, from: Square, to: Square) -> Vec<Square> {
    let towards = |square| {
        let file = size.file(to) as i32 - size.file(square) as i32;
        let rank = size.rank(to) as i32 - size.rank(square) as i32;
        match (file.abs(), rank.abs()) {
            (files, ranks) if files == ranks => (file.signum(), rank.signum()),
            (files, ranks) if files > ranks => (file.signum(), 0),
            _ => (0, rank.signum()),
        }
    };
    let next = |&square: &Square| size.offset(square, towards(square)).filter(|&next| next != to);
    std::iter::successors(next(&from), next).collect()
}

/// The greatest value of each plane.
fn plane_maxima<G: Registered>(rules: &G) -> Vec<u8> {
    let maxima = [vec![1; G::LAYOUT.pieces.len()], rules.value_maxima()].concat();
    let [planes, ..] = G::LAYOUT.plane_shape();
    assert_eq!(maxima.len(), planes, "{}: a maximum for each mark and scalar", G::NAME);
    maxima.into_iter().map(|most| most.max(1)).collect()
}

/// The team of each seat, numbered in the order of their first seats.
fn teams(rules: &impl Registered) -> Vec<usize> {
    let mut first_seats: Vec<Player> = Vec::new();
    (0..rules.players())
        .map(|seat| {
            let known = first_seats.iter().position(|&first| rules.allied(first, seat));
            known.unwrap_or_else(|| {
                first_seats.push(seat);
                first_seats.len() - 1
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::Spec;
    use crate::board::Move;
    use crate::game::{Example, Lesson, Taking, texts};
    use crate::games;

    fn lesson(game: &str, options: &[(&str, &str)]) -> Option<Lesson> {
        spec(game, options).lesson()
    }

    fn spec(game: &str, options: &[(&str, &str)]) -> Spec {
        Spec::new(game, &texts(options)).expect("the options are valid")
    }

    /// All that a lesson says.
    fn told(game: &str, options: &[(&str, &str)]) -> String {
        let lesson = lesson(game, options).expect("there is a lesson");
        let pieces = lesson.pieces.into_iter().map(|piece| piece.moves);
        let topics = lesson.topics.into_iter().map(|topic| topic.text);
        let all = [lesson.goal].into_iter().chain(lesson.turn).chain(pieces).chain(topics);
        all.chain(lesson.ends).map(|words| format!("{}\n{}\n", words.en, words.zh)).collect()
    }

    fn check_example(spec: &Spec, example: &Example) {
        let Example { fen, square, to } = example;
        let state = spec.parse_fen(fen).unwrap_or_else(|error| panic!("{}: {error}", spec.name));
        let size = spec.layout.size;
        let targets: Vec<_> = state
            .legal_actions()
            .iter()
            .filter_map(|&action| match state.get_move(action) {
                Move::Step { from, to } => (from == *square).then_some(to),
                Move::Flip(on) => (on == *square).then_some(on),
                Move::Pass => None,
            })
            .collect();
        assert!(!targets.is_empty(), "{} {fen}: {}", spec.name, size.name(*square));
        assert!(to.is_none_or(|to| targets.contains(&to)), "{} {fen}: {to:?}", spec.name);
    }

    #[test]
    fn lessons_show_every_piece_by_legal_moves() {
        let settings: &[(&str, &[(&str, &str)])] = &[
            ("banqi", &[]),
            ("banqi", &[("cannon", "jump"), ("ranking", "hongkong")]),
            ("flipping", &[("repetition", "off"), ("quiet_limit", "9")]),
            ("gaiqi", &[]),
            ("jieqi", &[("chase", "on")]),
            ("mystery", &[("captured", "public")]),
            ("seven_kingdoms", &[]),
            ("seven_kingdoms", &[("seats", "-0-1-2-"), ("setup", "elephantchess")]),
            ("seven_kingdoms", &[("seats", "0101010")]),
            ("seven_kingdoms", &[("teams", "AABBABA"), ("kingdoms_to_win", "1")]),
        ];
        for &(game, options) in settings {
            let spec = spec(game, options);
            let Lesson { pieces, topics, first, captures, .. } =
                spec.lesson().expect("it is taught");
            for kind in spec.kinds {
                let piece = pieces.iter().find(|piece| piece.letter == *kind);
                let piece = piece.unwrap_or_else(|| panic!("{game}: no word about {kind}"));
                check_example(&spec, piece.example.as_ref().expect("every kind of an army moves"));
                let other =
                    piece.becomes.map(|letter| pieces.iter().find(|it| it.letter == letter));
                let back = other.map(|other| other.and_then(|other| other.becomes));
                assert!(back.is_none_or(|back| back == Some(*kind)), "{game}: {kind}");
            }
            let of_topics = topics.iter().filter_map(|topic| topic.example.as_ref());
            of_topics.chain(&first).for_each(|example| check_example(&spec, example));
            assert!(
                pieces.iter().all(|piece| spec.names.iter().any(|(it, _)| *it == piece.letter))
            );
            assert_eq!(captures.is_some(), game == "banqi");
        }
        let taught = games::names().iter().filter(|game| lesson(game, &[]).is_some());
        assert_eq!(taught.count(), games::names().iter().filter(|it| **it != "four_camps").count());
    }

    #[test]
    fn options_change_what_is_told() {
        for (game, options, before, after) in [
            ("gaiqi", ("quiet_limit", "50"), "60 turns", "50 turns"),
            ("banqi", ("ranking", "hongkong"), "General, Advisor", "General, Chariot, Horse"),
            ("banqi", ("cannon", "jump"), "by its rank like all", "takes only by jumping"),
            ("jieqi", ("captured", "public"), "shown to the captor alone", "shown to both players"),
            ("jieqi", ("chase", "on"), "Otherwise it is a draw", "perpetual chase"),
            ("mystery", ("moves_limit", "200"), "made 300 moves", "made 200 moves"),
            ("flipping", ("quiet_limit", "40"), "400 turns", "40 turns in a row"),
            ("seven_kingdoms", ("loss_limit", "5"), "more than 10", "more than 5"),
            ("seven_kingdoms", ("seats", "0--1---"), "Chu (red)", "brings down a kingdom wins"),
            ("seven_kingdoms", ("count_annexed", "on"), "do not count", "count as captures, too"),
        ] {
            let [usual, other] = [told(game, &[]), told(game, &[options])];
            assert!(usual.contains(before), "{game}: {before}");
            assert!(other.contains(after) && !usual.contains(after), "{game}: {after}");
        }
        for (game, options, gone) in [
            ("gaiqi", ("quiet_limit", "0"), "60 turns"),
            ("gaiqi", ("repetition", "off"), "third time"),
            ("flipping", ("repetition", "off"), "third time"),
            ("mystery", ("effective_limit", "0"), "effective"),
        ] {
            assert!(!told(game, &[options]).contains(gone), "{game}: {gone}");
        }
    }

    #[test]
    fn the_table_of_captures_is_that_of_the_rules() {
        let of = |options: &[(&str, &str)]| {
            let captures = lesson("banqi", options).and_then(|lesson| lesson.captures);
            let captures = captures.expect("ranks decide");
            move |captor: char, victim: char| {
                let place = |letter| captures.letters.iter().position(|&it| it == letter);
                let [captor, victim] = [captor, victim].map(|it| place(it).expect("a kind"));
                captures.rows[captor][victim]
            }
        };
        let usual = of(&[]);
        assert_eq!(usual('P', 'K'), Some(Taking::Beside));
        assert_eq!(usual('K', 'P'), None);
        assert_eq!(usual('C', 'H'), None);
        assert_eq!(usual('E', 'R'), Some(Taking::Beside));
        let jumping = of(&[("cannon", "jump"), ("ranking", "hongkong")]);
        assert_eq!(jumping('C', 'K'), Some(Taking::Over));
        assert_eq!(jumping('P', 'C'), None);
        assert_eq!(jumping('E', 'R'), None);
    }
}
