//! Four camps, a game that the project does not ship. It differs from the games of the registry in
//! what they have in common: four armies and two alliances, on a board of its own, with letters of
//! its own. Code that takes any game must take this one.
//!
//! # Rules
//!
//! - The board has 6 files and 6 ranks. The four squares in each corner are a camp. A camp holds a
//!   king, a chariot, a horse and a soldier, covered and shuffled.
//! - Seat 0 plays the army of the south-west, seats 1 to 3 those of the south-east, the north-east
//!   and the north-west, in turn. Seats 0 and 2 are allied against seats 1 and 3.
//! - A covered piece shows its army. It moves one square along a file or rank and is then revealed.
//! - A revealed king moves one square in any direction, a soldier one square along a file or rank.
//!   Chariots and horses move as in xiangqi.
//! - A piece captures an enemy piece, covered or not, on the square that it moves to. All seats see
//!   what was captured.
//! - The first capture of a king wins for the alliance that makes it. A seat without a move passes.
//!   If no seat has a move, the game is drawn. After `max_plies` plies it is truncated.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use darkqi_env::fen::{counter, fields, read_board_of, write_board};
use darkqi_env::{
    Action, Event, FenError, Game, Move, Outcome, Player, Reason, Rng, Square, Viewer,
    board::{
        ActionBits, ActionTable, AnyPiece, Bitboard, BoardSize, Flow, Perspective, Regions,
        UnseenPieces,
    },
    game::{
        Activity, Army, Attacks, BoardStyle, Counter, Depict, Domain, DrawnPiece, Encoder, Face,
        Features, Glyph, Hidden, Hides, Layout, Lettering, Notation, Observe, OptionSpec, Picture,
        Setting, counter_byte,
    },
    movement::MoveTables,
    planes,
};

const SIZE: BoardSize = BoardSize { files: 6, ranks: 6 };

const KING: u8 = 0;
const CHARIOT: u8 = 1;
const HORSE: u8 = 2;
const SOLDIER: u8 = 3;
const LETTERS: [char; 4] = ['K', 'R', 'H', 'P'];
const CHARACTERS: [char; 4] = ['王', '車', '馬', '兵'];

const ARMIES: &[Army] = &[
    army("south-west", 's', "#b5161b"),
    army("south-east", 'e', "#1f4f96"),
    army("north-east", 'n', "#2f7d3a"),
    army("north-west", 'w', "#6d3f98"),
];

const fn army(name: &'static str, letter: char, ink: &'static str) -> Army {
    Army { name, letter, lettering: Lettering::Prefixed, ink, wood: "#fbe7bd", sgr: 1 }
}

static MOVES: LazyLock<MoveTables<u64>> = LazyLock::new(|| MoveTables::new(SIZE));
static TABLE: LazyLock<ActionTable> =
    LazyLock::new(|| ActionTable::new(SIZE, false, |from| MOVES.any_shape(from)).with_pass());

/// The rules of four camps.
#[derive(Clone, Debug)]
pub struct FourCamps {
    /// Plies after which a game is truncated.
    pub max_plies: u16,
}

impl Default for FourCamps {
    fn default() -> Self {
        Self { max_plies: 200 }
    }
}

/// A piece on the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Piece {
    army: u8,
    /// The kind, in [`Game::KINDS`]; `None` if the viewer does not know it.
    kind: Option<u8>,
    covered: bool,
}

type Board = [Option<Piece>; SIZE.squares()];

/// A game in progress.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The pieces; every kind is known.
    board: Board,
    mover: Player,
    ply: u16,
}

/// The seats that win together have the same number.
const TEAMS: [u8; 4] = [0, 1, 0, 1];

/// Number of unseen pieces of each kind, by army.
type Unseen = [UnseenPieces<4>; 4];

/// The squares of each army.
fn armies(board: &Board) -> [u64; 4] {
    let mut armies = [0; 4];
    for (square, piece) in SIZE.all().zip(board) {
        if let Some(piece) = piece {
            armies[usize::from(piece.army)] |= u64::single(square);
        }
    }
    armies
}

/// The squares that a piece reaches; a covered one has no kind.
fn reach(kind: Option<u8>, from: Square, occupied: u64) -> u64 {
    match kind {
        Some(KING) => MOVES.orthogonal(from) | MOVES.diagonal(from),
        Some(CHARIOT) => MOVES.slide(from, occupied),
        Some(HORSE) => MOVES.horse(from, occupied),
        _ => MOVES.orthogonal(from),
    }
}

/// Visits the squares of an army's pieces, each with the squares that the piece can move to.
fn each_reach(board: &Board, army: usize, mut visit: impl FnMut(Square, u64) -> Flow) -> Flow {
    let armies = armies(board);
    let all = armies.iter().fold(0, |all, army| all | army);
    for from in armies[army].ascending() {
        let piece = board[from.index()].expect("a piece of the army stands here");
        let kind = piece.kind.filter(|_| !piece.covered);
        visit(from, reach(kind, from, all) & !(armies[army] | armies[(army + 2) % 4]))?;
    }
    Flow::Continue(())
}

fn has_step(board: &Board, army: usize) -> bool {
    let any = |_, targets| if targets == 0 { Flow::Continue(()) } else { Flow::Break(()) };
    each_reach(board, army, any).is_break()
}

impl Game for FourCamps {
    const NAME: &'static str = "four_camps";
    const ABOUT: &'static str = "four camps of covered pieces in two alliances";
    const KINDS: &'static [char] = &LETTERS;
    const ARMIES: &'static [Army] = ARMIES;
    const PLAYERS: RangeInclusive<usize> = 4..=4;

    type State = State;

    fn options() -> &'static [OptionSpec<Self>] {
        &[OptionSpec {
            name: "max_plies",
            about: "Plies after which the game is truncated.",
            domain: Domain::Int { min: 1, max: u16::MAX },
            get: |rules| Setting::Int(rules.max_plies),
            set: |rules, setting| {
                if let Setting::Int(plies) = setting {
                    rules.max_plies = plies;
                }
            },
        }]
    }

    fn players(&self) -> usize {
        4
    }

    fn max_plies(&self) -> u16 {
        self.max_plies
    }

    fn allied(&self, one: Player, other: Player) -> bool {
        TEAMS[one] == TEAMS[other]
    }

    fn table(&self) -> &'static ActionTable {
        &TABLE
    }

    fn deal(&self, rng: &mut Rng) -> State {
        let mut board = [None; SIZE.squares()];
        for (army, (file, rank)) in [(0, 0), (4, 0), (4, 4), (0, 4)].into_iter().enumerate() {
            let pieces = UnseenPieces::new([1; 4]);
            let mut kinds = pieces.without_replacement(rng);
            for (right, up) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let kind = Some(kinds.sample() as u8);
                board[SIZE.at(file + right, rank + up).index()] =
                    Some(Piece { army: army as u8, kind, covered: true });
            }
        }
        State { board, mover: 0, ply: 0 }
    }

    fn to_move(&self, state: &State) -> Player {
        state.mover
    }

    fn perspective(&self, _: Player) -> Perspective {
        Perspective::Upright
    }

    fn ply(&self, state: &State) -> u16 {
        state.ply
    }

    fn ending(&self, state: &State) -> Option<Outcome> {
        let is_king = |piece: Option<Piece>| piece.filter(|piece| piece.kind == Some(KING));
        let kings = state.board.iter().filter_map(|&piece| is_king(piece));
        let left = kings.fold([false; 4], |mut left, king| {
            left[usize::from(king.army)] = true;
            left
        });
        if let Some(fallen) = left.iter().position(|&stands| !stands) {
            return Some(Outcome::won_by(1 - TEAMS[fallen], &TEAMS, Reason::GeneralCaptured));
        }
        (state.ply >= self.max_plies).then(|| Outcome::even(Reason::MaxPlies, 4))
    }

    fn no_moves_outcome(&self, _: &State) -> Outcome {
        Outcome::even(Reason::NoMoves, 4)
    }

    fn generate_actions(&self, state: &State, mut visit: impl FnMut(ActionBits) -> Flow) -> Flow {
        let board = &state.board;
        let mut steps = 0;
        each_reach(board, state.mover, |from, targets| {
            steps += targets.count();
            TABLE.each_step(from, targets, Perspective::Upright, &mut visit)
        })?;
        if steps == 0 && (0..4).any(|army| has_step(board, army)) {
            return visit(ActionBits::single(TABLE.pass()));
        }
        Flow::Continue(())
    }

    fn play(&self, state: &mut State, action: Action) {
        if let Move::Step { from, to } = TABLE.get_move(action, Perspective::Upright) {
            let piece = state.board[from.index()].take();
            state.board[to.index()] = piece.map(|piece| Piece { covered: false, ..piece });
        }
        state.mover = (state.mover + 1) % 4;
        state.ply += 1;
    }
}

/// What a viewer knows: the board, with unknown kinds under covered pieces.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    viewer: Viewer,
    board: Board,
    unseen: Unseen,
    mover: Player,
    ply: u16,
}

impl View {
    /// The possible kinds of a piece with their probabilities.
    fn kinds(&self, piece: Piece) -> Vec<(u8, f64)> {
        match piece.kind {
            Some(kind) => vec![(kind, 1.0)],
            None => {
                let unseen = &self.unseen[usize::from(piece.army)];
                unseen.probabilities().map(|(kind, odds)| (kind as u8, odds)).collect()
            }
        }
    }
}

impl Hidden for FourCamps {
    const HIDES: Hides = Hides::Kind;
    const COVERED_PIECES_MOVE: bool = true;
    const REGIONS: Option<Regions> = Some(Regions::Neighbours);

    type View<'a> = View;

    fn view<'a>(&'a self, state: &'a State, viewer: Viewer) -> View {
        let mut board = state.board;
        let mut unseen = [UnseenPieces::EMPTY; 4];
        for piece in board.iter_mut().flatten().filter(|piece| piece.covered) {
            let kind = piece.kind.take().expect("a state knows every kind");
            unseen[usize::from(piece.army)].add(kind.into());
        }
        View { viewer, board, unseen, mover: state.mover, ply: state.ply }
    }

    fn view_to_move(view: &View) -> Player {
        view.mover
    }

    fn determinize(&self, view: &View, rng: &mut Rng) -> State {
        let mut board = view.board;
        for (army, unseen) in view.unseen.iter().enumerate() {
            let mut kinds = unseen.without_replacement(rng);
            for piece in board.iter_mut().flatten().filter(|piece| usize::from(piece.army) == army)
            {
                piece.kind = piece.kind.or_else(|| Some(kinds.sample() as u8));
            }
        }
        State { board, mover: view.mover, ply: view.ply }
    }

    fn event(&self, state: &State, action: Action) -> Event {
        event(&state.board, action, |piece| piece.kind)
    }

    fn each_reveal(&self, view: &View, action: Action, mut visit: impl FnMut(Event, f64)) {
        let Move::Step { from, to } = TABLE.get_move(action, Perspective::Upright) else {
            return visit(Event::default(), 1.0);
        };
        let at = |square: Square| view.board[square.index()];
        let mover = at(from).expect("a legal step moves a piece");
        // Pieces of different armies are shuffled independently.
        for (own, odds) in view.kinds(mover) {
            let captured = at(to).map_or(vec![(KING, 1.0)], |piece| view.kinds(piece));
            for (enemy, more_odds) in captured {
                let kind = |piece: Piece| Some(if piece == mover { own } else { enemy });
                visit(event(&view.board, action, kind), odds * more_odds);
            }
        }
    }

    fn arrange(&self, state: &mut State, _: Viewer, action: Action, event: &Event) {
        let Move::Step { from, to } = TABLE.get_move(action, Perspective::Upright) else { return };
        for (square, wanted) in [(from, event.revealed), (to, event.captured)] {
            let Some(wanted) = wanted.map(|piece| Some(piece.kind)) else { continue };
            let Some(piece) = state.board[square.index()].filter(|piece| piece.covered) else {
                continue;
            };
            let is_it = |other: &Option<Piece>| *other == Some(Piece { kind: wanted, ..piece });
            let other = state.board.iter().position(is_it).expect("the event is possible");
            state.board[other] = Some(piece);
            state.board[square.index()] = Some(Piece { kind: wanted, ..piece });
        }
    }

    fn fingerprint(view: &View) -> u64 {
        // FNV-1a.
        let piece = |piece: &Option<Piece>| match piece {
            None => 0,
            Some(Piece { army, kind, .. }) => 1 + 5 * u64::from(*army) + kind.map_or(4, u64::from),
        };
        let words = view.board.iter().map(piece).chain([view.mover as u64]);
        words.fold(0xcbf2_9ce4_8422_2325, |hash, word| (hash ^ word).wrapping_mul(0x0100_0000_01b3))
    }
}

/// The event of an action. `kind` gives the kind of a piece.
fn event(board: &Board, action: Action, kind: impl Fn(Piece) -> Option<u8>) -> Event {
    let Move::Step { from, to } = TABLE.get_move(action, Perspective::Upright) else {
        return Event::default();
    };
    let identity = |piece: Piece| {
        Some(AnyPiece { army: piece.army, kind: kind(piece).expect("an event has its kinds") })
    };
    let target = board[to.index()];
    Event {
        revealed: board[from.index()].filter(|piece| piece.covered).and_then(identity),
        captured: target.and_then(identity),
        captured_covered: target.is_some_and(|piece| piece.covered),
    }
}

/// The names of the pieces of one army, as a viewer sees it.
macro_rules! pieces {
    ($($army:literal),*) => {
        &[$(
            concat!($army, " king"),
            concat!($army, " chariot"),
            concat!($army, " horse"),
            concat!($army, " soldier"),
            concat!($army, " covered"),
        )*]
    };
}

impl Attacks for FourCamps {
    fn attacks(&self, piece: usize, from: Square, target: Square, between: Option<Square>) -> bool {
        // After the four kinds of an army comes its covered piece.
        let kind = Some(piece as u8 % 5).filter(|&kind| kind < 4);
        reach(kind, from, u64::collect(between.into_iter().chain([target]))).contains(target)
    }

    fn moved_piece(&self, piece: usize) -> Option<usize> {
        // A covered piece is revealed.
        (piece % 5 < 4).then_some(piece)
    }
}

impl FourCamps {
    planes! {
        names SCALARS;
        maxima scalar_maxima(self);
        values scalars(self, view: &View, own: Player) -> u8;
        "unseen own kings": 1 => unseen(view, own, 0, KING);
        "unseen own chariots": 1 => unseen(view, own, 0, CHARIOT);
        "unseen own horses": 1 => unseen(view, own, 0, HORSE);
        "unseen own soldiers": 1 => unseen(view, own, 0, SOLDIER);
        "unseen next kings": 1 => unseen(view, own, 1, KING);
        "unseen next chariots": 1 => unseen(view, own, 1, CHARIOT);
        "unseen next horses": 1 => unseen(view, own, 1, HORSE);
        "unseen next soldiers": 1 => unseen(view, own, 1, SOLDIER);
        "unseen allied kings": 1 => unseen(view, own, 2, KING);
        "unseen allied chariots": 1 => unseen(view, own, 2, CHARIOT);
        "unseen allied horses": 1 => unseen(view, own, 2, HORSE);
        "unseen allied soldiers": 1 => unseen(view, own, 2, SOLDIER);
        "unseen previous kings": 1 => unseen(view, own, 3, KING);
        "unseen previous chariots": 1 => unseen(view, own, 3, CHARIOT);
        "unseen previous horses": 1 => unseen(view, own, 3, HORSE);
        "unseen previous soldiers": 1 => unseen(view, own, 3, SOLDIER);
        "own seat": 3 => own as u8;
        "to move": 1 => (view.viewer == Viewer::Player(view.mover)).into();
        "plies played": counter_byte(self.max_plies, self.max_plies)
            => counter_byte(view.ply, self.max_plies);
    }
}

/// Number of unseen pieces of a kind in the army that moves `place` seats after the own one.
fn unseen(view: &View, own: Player, place: usize, kind: u8) -> u8 {
    view.unseen[(own + place) % 4].counts()[usize::from(kind)]
}

impl Observe for FourCamps {
    const LAYOUT: Layout = Layout {
        size: SIZE,
        pieces: pieces!["own", "next", "allied", "previous"],
        marks: &[],
        scalars: Self::SCALARS,
        counters: &[],
    };

    fn value_maxima(&self) -> Vec<u8> {
        self.scalar_maxima().as_ref().to_vec()
    }

    fn observe(&self, view: &View, encoder: &mut impl Encoder) {
        let own = view.viewer.perspective();
        encoder.pieces(SIZE.all().filter_map(|square| {
            let piece = view.board[square.index()]?;
            let place = (usize::from(piece.army) + 4 - own) % 4;
            Some((5 * place + piece.kind.map_or(4, usize::from), square))
        }));
        encoder.scalars(self.scalars(view, own).as_ref());
    }

    fn covered_pieces(&self, state: &State, player: Player, row: &mut [u8]) {
        for (byte, piece) in row.iter_mut().zip(state.board) {
            *byte = piece.filter(|piece| piece.covered).map_or(0, |piece| {
                let place = (piece.army + 4 - player as u8) % 4;
                1 + 5 * place + piece.kind.expect("a state knows every kind")
            });
        }
    }
}

/// The name of a piece in a FEN. A view writes `?` for an unknown kind.
fn name(piece: Piece) -> String {
    let army = &ARMIES[usize::from(piece.army)];
    match piece.kind {
        None => format!("{}?", army.letter),
        Some(kind) => {
            let mark = if piece.covered { "~" } else { "" };
            format!("{mark}{}", army.piece_name(LETTERS[usize::from(kind)]))
        }
    }
}

fn write(board: &Board, mover: Player, ply: u16) -> String {
    let board = write_board(SIZE, |square| board[square.index()].map(name));
    format!("{board} {} {ply}", ARMIES[mover].letter)
}

/// Reads a piece and returns the rest of the text too.
fn read(text: &str) -> Result<(Piece, &str), FenError> {
    let (covered, name) = text.strip_prefix('~').map_or((false, text), |rest| (true, rest));
    let mut letters = name.chars();
    let army = letters.next().and_then(|letter| ARMIES.iter().position(|it| it.letter == letter));
    let kind = letters.next().and_then(|letter| LETTERS.iter().position(|&it| it == letter));
    match (army, kind) {
        (Some(army), Some(kind)) => {
            let piece = Piece { army: army as u8, kind: Some(kind as u8), covered };
            Ok((piece, letters.as_str()))
        }
        _ => Err(FenError::new("board", format!("`{text}` does not begin with a piece"))),
    }
}

impl Notation for FourCamps {
    fn fen(&self, state: &State) -> String {
        write(&state.board, state.mover, state.ply)
    }

    fn view_fen(&self, view: &View) -> String {
        write(&view.board, view.mover, view.ply)
    }

    fn parse_fen(&self, fen: &str) -> Result<State, FenError> {
        let [text, mover, ply] = fields(fen, ["board", "mover", "ply"])?;
        let mut board: Board = [None; SIZE.squares()];
        read_board_of(SIZE, text, read, |square, piece| {
            let same = |other: &Piece| other.army == piece.army && other.kind == piece.kind;
            if board.iter().flatten().any(same) {
                return Err(format!("`{}` stands twice", name(piece)));
            }
            board[square.index()] = Some(piece);
            Ok(())
        })?;
        let is_it = |army: &Army| mover.chars().eq([army.letter]);
        let mover = ARMIES
            .iter()
            .position(is_it)
            .ok_or_else(|| FenError::new("mover", format!("`{mover}` is not s, e, n or w")))?;
        Ok(State { board, mover, ply: counter("ply", ply)? })
    }
}

impl Depict for FourCamps {
    fn picture(&self, view: &View) -> Picture {
        depict(&view.board)
    }

    fn full_picture(&self, state: &State) -> Picture {
        depict(&state.board)
    }
}

fn depict(board: &Board) -> Picture {
    let drawn = |piece: Piece| DrawnPiece {
        army: Some(piece.army),
        glyph: piece.kind.map(|kind| Glyph {
            letter: LETTERS[usize::from(kind)],
            character: CHARACTERS[usize::from(kind)],
        }),
        covered: piece.covered,
    };
    Picture {
        pieces: board.iter().map(|piece| piece.map(drawn)).collect(),
        ..Picture::empty(SIZE, BoardStyle::Squares, ARMIES)
    }
}

impl Features for FourCamps {
    const UNIT: (&'static [char], f64) = (&['P'], 1.0);

    /// Kings are left out.
    fn each_piece(&self, view: &View, mut visit: impl FnMut(AnyPiece, Face, f32)) {
        for piece in view.board.into_iter().flatten() {
            let face = if piece.covered { Face::Down } else { Face::Up };
            for (kind, odds) in view.kinds(piece).into_iter().filter(|&(kind, _)| kind != KING) {
                visit(AnyPiece { army: piece.army, kind }, face, odds as f32);
            }
        }
    }

    fn each_covered_mover(&self, view: &View, mut visit: impl FnMut(AnyPiece, f32)) {
        for piece in view.board.into_iter().flatten().filter(|piece| piece.covered) {
            visit(AnyPiece { army: piece.army, kind: SOLDIER }, 1.0);
        }
    }

    fn each_placed(&self, view: &View, mut visit: impl FnMut(Square, AnyPiece)) {
        for square in SIZE.all() {
            if let Some(Piece { army, kind: Some(kind), covered: false }) =
                view.board[square.index()]
                && kind != KING
            {
                visit(square, AnyPiece { army, kind });
            }
        }
    }

    fn activity(&self, view: &View, player: Player) -> Activity {
        let board = &view.board;
        let is_enemy_king = |square: &Square| {
            let piece = board[square.index()].filter(|piece| piece.kind == Some(KING));
            piece.is_some_and(|king| TEAMS[usize::from(king.army)] != TEAMS[player])
        };
        let near = |king: Square| MOVES.orthogonal(king) | u64::single(king);
        let zone = SIZE.all().filter(is_enemy_king).fold(0, |zone, king| zone | near(king));
        let mut activity = Activity::default();
        let _ = each_reach(board, player, |_, targets| {
            activity.mobility += targets.count();
            activity.pressure += (targets & zone).count();
            Flow::Continue(())
        });
        activity
    }

    fn each_threatened(&self, view: &View, mut visit: impl FnMut(Square, AnyPiece)) {
        let mut reached = 0;
        for army in 0..4 {
            let _ = each_reach(&view.board, army, |_, targets| {
                reached |= targets;
                Flow::Continue(())
            });
        }
        for square in reached.ascending() {
            if let Some(Piece { army, kind: Some(kind), .. }) = view.board[square.index()] {
                visit(square, AnyPiece { army, kind });
            }
        }
    }

    fn each_counter(&self, view: &View, mut visit: impl FnMut(Counter)) {
        visit(Counter {
            option: "max_plies",
            count: view.ply,
            limit: self.max_plies,
            things: "plies",
        });
    }
}
