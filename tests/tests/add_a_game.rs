//! The game of `docs/tutorials/add-a-game.md`, which shows this file part by part.
//!
//! Clobber: soldiers of two colours fill a small board in a chequered pattern. A ply moves a
//! soldier to a neighbouring square and captures the enemy there; a seat without a move loses.

use std::fs;
use std::sync::LazyLock;

use darkqi_env::fen::{counter, fields, read_board, write_board};
use darkqi_env::{
    Action, AnyState, Event, FenError, Game, Move, Outcome, Player, Reason, Rng, Session, Spec,
    Square, Stream, Viewer,
    board::{
        ActionBits, ActionTable, AnyPiece, Bitboard, BoardSize, Flow, Perspective, Reflection,
    },
    game::{
        Activity, Army, Attacks, BoardStyle, Counter, Depict, DrawnPiece, Encoder, Face, Features,
        Glyph, Hidden, Hides, Layout, Notation, Observe, OptionSpec, Picture, RED_AND_BLACK,
    },
    movement::MoveTables,
    planes,
};
use darkqi_tests::folder;

const SIZE: BoardSize = BoardSize { files: 5, ranks: 4 };
const LETTERS: [char; 2] = ['P', 'p'];

static MOVES: LazyLock<MoveTables<u32>> = LazyLock::new(|| MoveTables::new(SIZE));
static TABLE: LazyLock<ActionTable> =
    LazyLock::new(|| ActionTable::new(SIZE, false, |from| MOVES.orthogonal(from)));

/// The rules of clobber, which have no options.
#[derive(Clone, Default, Debug)]
struct Clobber;

/// A game in progress. Nothing is hidden.
#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    /// Each player's soldiers.
    soldiers: [u32; 2],
    mover: Player,
    ply: u16,
}

impl State {
    fn owner_at(&self, square: Square) -> Option<Player> {
        self.soldiers.iter().position(|soldiers| soldiers.contains(square))
    }
}

fn squares(action: Action) -> (Square, Square) {
    match TABLE.get_move(action, Perspective::Upright) {
        Move::Step { from, to } => (from, to),
        Move::Flip(_) | Move::Pass => unreachable!("the table has steps only"),
    }
}

impl Game for Clobber {
    const NAME: &'static str = "clobber";
    const ABOUT: &'static str = "soldiers take their neighbours until somebody cannot";
    const KINDS: &'static [char] = &['P'];
    const ARMIES: &'static [Army] = RED_AND_BLACK;

    type State = State;

    fn options() -> &'static [OptionSpec<Self>] {
        &[]
    }

    fn table(&self) -> &'static ActionTable {
        &TABLE
    }

    fn deal(&self, _: &mut Rng) -> State {
        let of = |player| {
            SIZE.all().filter(move |&square| (SIZE.file(square) + SIZE.rank(square)) % 2 == player)
        };
        State { soldiers: [0, 1].map(|player| u32::collect(of(player))), mover: 0, ply: 0 }
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

    /// Every ply takes a soldier.
    fn max_plies(&self) -> u16 {
        SIZE.squares() as u16
    }

    /// No counter has to end the game.
    fn ending(&self, _: &State) -> Option<Outcome> {
        None
    }

    fn no_moves_outcome(&self, state: &State) -> Outcome {
        Outcome::lost_by(state.mover, Reason::NoMoves)
    }

    fn generate_actions(&self, state: &State, mut visit: impl FnMut(ActionBits) -> Flow) -> Flow {
        let enemies = state.soldiers[1 - state.mover];
        for from in state.soldiers[state.mover].ascending() {
            let targets = MOVES.orthogonal(from) & enemies;
            TABLE.each_step(from, targets, Perspective::Upright, &mut visit)?;
        }
        Flow::Continue(())
    }

    fn play(&self, state: &mut State, action: Action) {
        let (from, to) = squares(action);
        state.soldiers[state.mover] ^= u32::single(from) | u32::single(to);
        state.mover = 1 - state.mover;
        state.soldiers[state.mover] ^= u32::single(to);
        state.ply += 1;
    }
}

/// What a viewer may know: everything.
#[derive(Clone, PartialEq, Debug)]
struct View<'a> {
    viewer: Viewer,
    state: &'a State,
}

impl Hidden for Clobber {
    const HIDES: Hides = Hides::Nothing;
    const REFLECTIONS: &'static [Reflection] = &[Reflection::LeftRight];

    type View<'a> = View<'a>;

    fn view<'a>(&'a self, state: &'a State, viewer: Viewer) -> View<'a> {
        View { viewer, state }
    }

    fn view_to_move(view: &View<'_>) -> Player {
        view.state.mover
    }

    fn determinize(&self, view: &View<'_>, _: &mut Rng) -> State {
        view.state.clone()
    }

    fn event(&self, state: &State, _: Action) -> Event {
        let army = 1 - state.mover as u8;
        Event { captured: Some(AnyPiece { army, kind: 0 }), ..Event::default() }
    }

    fn each_reveal(&self, view: &View<'_>, action: Action, mut visit: impl FnMut(Event, f64)) {
        visit(self.event(view.state, action), 1.0);
    }

    fn fingerprint(view: &View<'_>) -> u64 {
        let [red, black] = view.state.soldiers.map(u64::from);
        red | black << 20 | (view.state.mover as u64) << 40
    }
}

impl Attacks for Clobber {
    fn attacks(&self, _: usize, from: Square, target: Square, _: Option<Square>) -> bool {
        MOVES.orthogonal(from).contains(target)
    }
}

impl Clobber {
    planes! {
        names SCALARS;
        maxima scalar_maxima(self);
        values scalars(self, view: &View<'_>, own: Player) -> u8;
        "own colour (0 red, 1 black)": 1 => own as u8;
        "to move": 1 => (view.viewer == Viewer::Player(view.state.mover)).into();
    }
}

impl Observe for Clobber {
    const LAYOUT: Layout = Layout {
        size: SIZE,
        pieces: &["own soldier", "enemy soldier"],
        marks: &[],
        scalars: Self::SCALARS,
        counters: &[],
    };

    fn value_maxima(&self) -> Vec<u8> {
        self.scalar_maxima().as_ref().to_vec()
    }

    fn observe(&self, view: &View<'_>, encoder: &mut impl Encoder) {
        let own = view.viewer.perspective();
        let soldiers = |(piece_id, seat): (usize, usize)| {
            view.state.soldiers[seat].ascending().map(move |square| (piece_id, square))
        };
        encoder.pieces([own, 1 - own].into_iter().enumerate().flat_map(soldiers));
        encoder.scalars(self.scalars(view, own).as_ref());
    }
}

impl Notation for Clobber {
    fn fen(&self, state: &State) -> String {
        let letter = |square| state.owner_at(square).map(|player| LETTERS[player].into());
        let mover = ['w', 'b'][state.mover];
        format!("{} {mover} {}", write_board(SIZE, letter), state.ply)
    }

    fn view_fen(&self, view: &View<'_>) -> String {
        self.fen(view.state)
    }

    fn parse_fen(&self, fen: &str) -> Result<State, FenError> {
        let [board, mover, ply] = fields(fen, ["board", "mover", "ply"])?;
        let mut soldiers = [0; 2];
        read_board(SIZE, board, |square, symbol| {
            let player = LETTERS.iter().position(|&letter| letter == symbol.letter);
            let player = player.filter(|_| !symbol.covered);
            let player = player.ok_or("expected face-up soldiers, `P` and `p`, alone")?;
            soldiers[player] |= u32::single(square);
            Ok(())
        })?;
        let mover = match mover {
            "w" => 0,
            "b" => 1,
            _ => return Err(FenError::new("mover", format!("`{mover}` is not `w` or `b`"))),
        };
        Ok(State { soldiers, mover, ply: counter("ply", ply)? })
    }
}

impl Depict for Clobber {
    fn picture(&self, view: &View<'_>) -> Picture {
        self.full_picture(view.state)
    }

    fn full_picture(&self, state: &State) -> Picture {
        let disc = |player: Player| DrawnPiece {
            army: Some(player as u8),
            glyph: Some(Glyph { letter: 'P', character: ['兵', '卒'][player] }),
            covered: false,
        };
        Picture {
            pieces: SIZE.all().map(|square| state.owner_at(square).map(disc)).collect(),
            ..Picture::empty(SIZE, BoardStyle::Squares, RED_AND_BLACK)
        }
    }
}

impl Features for Clobber {
    fn each_piece(&self, view: &View<'_>, mut visit: impl FnMut(AnyPiece, Face, f32)) {
        for (army, soldiers) in view.state.soldiers.into_iter().enumerate() {
            visit(AnyPiece { army: army as u8, kind: 0 }, Face::Up, soldiers.count() as f32);
        }
    }

    fn activity(&self, view: &View<'_>, player: Player) -> Activity {
        let [own, enemy] = [player, 1 - player].map(|seat| view.state.soldiers[seat]);
        let captures = own.ascending().map(|from| (MOVES.orthogonal(from) & enemy).count());
        Activity { mobility: captures.sum(), pressure: 0 }
    }

    fn each_threatened(&self, view: &View<'_>, mut visit: impl FnMut(Square, AnyPiece)) {
        let soldiers = view.state.soldiers;
        for player in 0..2 {
            let attackers = soldiers[1 - player];
            for square in soldiers[player].ascending() {
                if MOVES.orthogonal(square).intersects(attackers) {
                    visit(square, AnyPiece { army: player as u8, kind: 0 });
                }
            }
        }
    }

    fn each_counter(&self, _: &View<'_>, _: impl FnMut(Counter)) {}
}

#[test]
fn games_are_played_to_their_end() {
    for seed in 0..200 {
        let mut session = Session::deal(Clobber, seed);
        let mut rng = Rng::new(seed, Stream::Resample);
        let mut left = SIZE.squares();
        while session.outcome().is_none() {
            let legal = session.legal_actions();
            let action = *rng.choose(legal);
            let captured = ["p", "P"][session.current_player()];
            let told = session.event(action, Viewer::Public).expect("it is legal");
            assert_eq!((told.revealed, told.captured.as_deref()), (None, Some(captured)));
            session.apply(action).expect("it is legal");
            left -= 1;
            let again = Session::from_fen(Clobber, &session.fen()).expect("our FENs can be read");
            assert_eq!(again.state(), session.state());
            let soldiers = session.state().soldiers;
            assert_eq!(soldiers.map(Bitboard::count).iter().sum::<u32>() as usize, left);
        }
        let outcome = session.outcome().expect("it is over");
        assert_eq!(outcome.reason, Reason::NoMoves);
        assert_eq!(outcome.rewards()[session.current_player()], -1.0);
    }
}

#[test]
fn leaves_are_counted() {
    let start = Session::deal(Clobber, 0);
    // 4 rows of 4 pairs and 5 files of 3 pairs, one soldier of either colour in each.
    assert_eq!(start.fen(), "pPpPp/PpPpP/pPpPp/PpPpP w 0");
    assert_eq!(start.perft(1), 31);
    assert_eq!(start.legal_moves()[..3], ["a1a2", "a1b1", "a3a2"]);
}

#[test]
fn left_and_right_can_be_exchanged() {
    let spec = Spec::unregistered(&Clobber);
    assert_eq!(spec.plane_maxima, [1; 4]);
    let [mirror] = &spec.symmetries()[..] else { panic!("one symmetry") };
    let start = Session::deal(Clobber, 0);
    let mut legal: Vec<Action> = start.legal_actions().to_vec();
    legal.iter_mut().for_each(|action| *action = mirror.actions[action.index()]);
    legal.sort();
    assert_eq!(legal, start.legal_actions());
}

#[test]
fn the_tutorial_shows_this_file() {
    let tutorial = fs::read_to_string(folder("../docs/tutorials/add-a-game.md"));
    let tutorial = tutorial.expect("the tutorial is there");
    let ours = fs::read_to_string(folder("tests/add_a_game.rs")).expect("this file is there");
    let shown: Vec<_> = tutorial.split("```rust\n").skip(1).collect();
    assert!(shown.len() >= 6);
    for block in shown {
        let code = block.split("```").next().expect("a split gives at least one part");
        // The tutorial's code is inside the crate, where `crate` is its name.
        assert!(
            ours.contains(&code.replace("crate::", "darkqi_env::")),
            "not in this file:\n{code}"
        );
    }
}
