//! What designers change of a game on the half board: board, armies, movement, captures, turns, ends.
//!
//! A [`Design`] holds the options, a [`Plan`] what follows from them. Usual rules have no plan: they are
//! played by the code of their game.

use std::sync::{Arc, LazyLock};

use super::state::{PublicState, SQUARES};
use super::{HalfBoard, MOVES, SIZE, Variant};
use crate::board::{ActionTable, Bitboard, BoardSize, Colour, Kind, Piece, Square};
use crate::families::betza::{self, Movement, Part, Tabled};
use crate::game::fen::counter;
use crate::game::{Domain, OptionConflict, OptionSpec, Setting, Text, choice_option};
use crate::movement::{Leaps, LineMovement, Shapes};

const KINDS: usize = Kind::ALL.len();

/// The value of an option that is left as the game has it.
const USUAL: &str = "usual";

/// What becomes of a covered piece that a piece goes to.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum CoveredCaptures {
    /// As in the game.
    #[default]
    Usual,
    /// No piece goes there.
    Never,
    /// It is captured, whatever it is.
    Always,
    /// It is turned over, and captured if the captor takes such a piece. Otherwise both stay.
    Attempt,
}

impl CoveredCaptures {
    const ALL: [Self; 4] = [Self::Usual, Self::Never, Self::Always, Self::Attempt];
    const NAMES: [&'static str; 4] = [USUAL, "never", "always", "attempt"];
}

/// Whether the loss of a general loses the game.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
enum Royal {
    #[default]
    Usual,
    Yes,
    No,
}

impl Royal {
    const ALL: [Self; 3] = [Self::Usual, Self::Yes, Self::No];
    const NAMES: [&'static str; 3] = [USUAL, "yes", "no"];
}

/// The result for a seat without an action.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) enum NoMoves {
    #[default]
    Loss,
    Draw,
}

impl NoMoves {
    const ALL: [Self; 2] = [Self::Loss, Self::Draw];
    const NAMES: [&'static str; 2] = ["loss", "draw"];
}

/// The options of designers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Design {
    size: BoardSize,
    /// By kind, the number of pieces of red and of black.
    army: [[u8; 2]; KINDS],
    /// By kind; empty where it is as usual.
    moves: [Text; KINDS],
    takes: [Text; KINDS],
    covered_captures: CoveredCaptures,
    royal: Royal,
    no_moves: NoMoves,
    chain: bool,
    flips: u16,
}

impl Default for Design {
    fn default() -> Self {
        Self {
            size: SIZE,
            army: Kind::COUNTS.map(|count| [count; 2]),
            moves: [Text::new(); KINDS],
            takes: [Text::new(); KINDS],
            covered_captures: CoveredCaptures::Usual,
            royal: Royal::Usual,
            no_moves: NoMoves::Loss,
            chain: false,
            flips: 1,
        }
    }
}

/// A board size, as in `4x8`.
fn read_size(text: &str) -> Option<BoardSize> {
    let (files, ranks) = text.split_once('x')?;
    let number = |text: &str| text.parse().ok().filter(|_| text.len() == 1);
    let size = BoardSize { files: number(files)?, ranks: number(ranks)? };
    ((2..=SIZE.files).contains(&size.files) && (2..=SIZE.ranks).contains(&size.ranks))
        .then_some(size)
}

/// Numbers of pieces, as in `2` or, of red and of black, `2/1`.
fn read_counts(text: &str) -> Option<[u8; 2]> {
    let (red, black) = text.split_once('/').unwrap_or((text, text));
    let count = |text: &str| counter("army", text).ok().filter(|&count| count <= SQUARES as u16);
    Some([count(red)? as u8, count(black)? as u8])
}

/// The kinds of these letters, as bits.
fn read_kinds(text: &str) -> Option<u8> {
    if text == "-" {
        return Some(0);
    }
    text.chars().try_fold(0, |kinds, letter| {
        let kind = Kind::LETTERS.iter().position(|&known| known == letter)?;
        (kinds >> kind & 1 == 0).then_some(kinds | 1 << kind)
    })
}

const BOARD: Domain = Domain::Pattern {
    expected: "files x ranks from 2x2 to 8x4, such as 4x2",
    examples: &["8x4", "4x2", "6x3", "8x2"],
    fits: |text| read_size(text).is_some(),
};

const COUNTS: Domain = Domain::Pattern {
    expected: "a number of pieces such as 2, or one of red and one of black such as 2/1",
    examples: &["2", "1", "0", "2/1", "3"],
    fits: |text| read_counts(text).is_some(),
};

const MOVES_DOMAIN: Domain = Domain::Pattern {
    expected: betza::EXPECTED,
    examples: &[USUAL, "W", "K", "nN", "mRcpR", "N", "WD", "R2", "mWcpR", "Q", "nAnNF"],
    fits: |text| text == USUAL || Movement::parse(text).is_some(),
};

const TAKES: Domain = Domain::Pattern {
    expected: "letters of kinds such as KAE, - for none, or usual",
    examples: &[USUAL, "KAEHRCP", "-", "P", "KC"],
    fits: |text| text == USUAL || read_kinds(text).is_some_and(|_| !text.is_empty()),
};

/// An option by kind: a text that is empty where it is as usual.
macro_rules! by_kind {
    ($name:literal, $domain:expr, $about:literal, $get:expr, $set:expr) => {
        [
            by_kind!(@ concat!($name, ".K"), 0, $domain, $about, $get, $set),
            by_kind!(@ concat!($name, ".A"), 1, $domain, $about, $get, $set),
            by_kind!(@ concat!($name, ".E"), 2, $domain, $about, $get, $set),
            by_kind!(@ concat!($name, ".H"), 3, $domain, $about, $get, $set),
            by_kind!(@ concat!($name, ".R"), 4, $domain, $about, $get, $set),
            by_kind!(@ concat!($name, ".C"), 5, $domain, $about, $get, $set),
            by_kind!(@ concat!($name, ".P"), 6, $domain, $about, $get, $set),
        ]
    };
    (@ $name:expr, $kind:literal, $domain:expr, $about:literal, $get:expr, $set:expr) => {
        OptionSpec {
            name: $name,
            about: $about,
            domain: $domain,
            get: |rules| Setting::Text($get(&rules.design, $kind)),
            set: |rules, setting| {
                if let Setting::Text(text) = setting {
                    $set(&mut rules.design, $kind, text);
                }
            },
        }
    };
}

fn text(value: &str) -> Text {
    Text::from(value).expect("such values are short")
}

fn get_counts(design: &Design, kind: usize) -> Text {
    match design.army[kind] {
        [red, black] if red == black => text(&red.to_string()),
        [red, black] => text(&format!("{red}/{black}")),
    }
}

fn set_counts(design: &mut Design, kind: usize, value: Text) {
    design.army[kind] = read_counts(&value).expect("the domain is checked");
}

/// The text of a field that is empty where it is as usual.
fn or_usual(value: Text) -> Text {
    if value.is_empty() { text(USUAL) } else { value }
}

fn unless_usual(value: Text) -> Text {
    if value.as_str() == USUAL { Text::new() } else { value }
}

impl<V: Variant> HalfBoard<V> {
    /// The options of designers, in the order of RULES.md section 10.
    pub(super) const DESIGN: &'static [&'static [OptionSpec<Self>]] = &[
        &[OptionSpec {
            name: "board",
            about: "Files x ranks of the board.",
            domain: BOARD,
            get: |rules| {
                let BoardSize { files, ranks } = rules.design.size;
                Setting::Text(text(&format!("{files}x{ranks}")))
            },
            set: |rules, setting| {
                if let Setting::Text(text) = setting {
                    rules.design.size = read_size(&text).expect("the domain is checked");
                }
            },
        }],
        &by_kind!(
            "army",
            COUNTS,
            "Number of pieces of this kind in each army, or of red/black.",
            get_counts,
            set_counts
        ),
        &by_kind!(
            "moves",
            MOVES_DOMAIN,
            "How this kind moves and captures, in Betza's notation.",
            |design: &Design, kind: usize| or_usual(design.moves[kind]),
            |design: &mut Design, kind: usize, value| design.moves[kind] = unless_usual(value)
        ),
        &by_kind!(
            "takes",
            TAKES,
            "The kinds that this kind takes.",
            |design: &Design, kind: usize| or_usual(design.takes[kind]),
            |design: &mut Design, kind: usize, value| design.takes[kind] = unless_usual(value)
        ),
        &[
            choice_option!(
                covered_captures in design,
                CoveredCaptures,
                "Whether covered pieces are captured; an attempt turns the piece over, and fails if it is \
                 none that the captor takes."
            ),
            choice_option!(royal in design, Royal, "Whether the loss of a general loses the game."),
            choice_option!(no_moves in design, NoMoves, "The result for a seat that can do nothing."),
            crate::game::switch_option!(
                chain in design,
                "Whether a piece that has captured may capture on in the same turn."
            ),
            crate::game::int_option!(
                flips in design,
                Domain::Int { min: 1, max: 4 },
                "Pieces that a seat may turn over in one turn."
            ),
        ],
    ];
}

/// Rules that differ from the usual ones, ready to be played.
#[derive(Debug)]
pub(crate) struct Plan {
    shapes: Shapes<u32, KINDS, { SIZE.files }, { SIZE.ranks }>,
    /// By square and kind, all of `shapes` where nothing blocks a piece: steps and free leaps.
    steps: Option<Vec<[u32; KINDS]>>,
    /// By kind, movement that is not in `shapes`.
    rest: [Vec<Part<u32>>; KINDS],
    has_rest: bool,
    /// By victim and captor, all bits set if the captor takes the victim. Eight captors, so that a
    /// register has them.
    takes: [[u32; 8]; KINDS],
    /// The squares of the board.
    pub(super) squares: u32,
    pub(super) size: BoardSize,
    /// By kind, the number of pieces of red and of black.
    pub(super) army: [[u8; 2]; KINDS],
    /// Number of pieces of red and of black.
    pub(super) army_sizes: [u8; 2],
    pub(super) covered_captures: CoveredCaptures,
    pub(super) royal: bool,
    pub(super) no_moves: NoMoves,
    pub(super) chain: bool,
    pub(super) flips: u8,
    pub(super) table: &'static ActionTable,
    movements: [Movement; KINDS],
}

/// All steps of all movements, without and with a pass: designs differ in what is legal, not in what an
/// action means.
static TABLES: LazyLock<[ActionTable; 2]> = LazyLock::new(|| {
    let queen = |from| MOVES.slide(from, u32::EMPTY) | MOVES.slide_diagonally(from, u32::EMPTY);
    let reach = |from| queen(from) | MOVES.horse(from, u32::EMPTY);
    let table = || ActionTable::new(SIZE, true, reach);
    [table(), table().with_pass()]
});

impl Design {
    /// Whether a kind moves otherwise than usual.
    pub(super) fn changes_movement(&self, kind: Kind) -> bool {
        !self.moves[kind.index()].is_empty()
    }

    /// Whether any kind takes others than usual.
    pub(super) fn changes_captures(&self) -> bool {
        self.takes.iter().any(|kinds| !kinds.is_empty())
    }

    /// Checks the options and computes what follows from them; `None` for the usual rules.
    pub(super) fn plan<V: Variant>(
        &mut self,
        variant: &V,
    ) -> Result<Option<Arc<Plan>>, OptionConflict> {
        // What is spelled out as it is anyway is usual.
        for kind in Kind::ALL {
            let index = kind.index();
            if self.moves[index].as_str() == variant.usual_moves(kind) {
                self.moves[index] = Text::new();
            }
            if read_kinds(&self.takes[index]) == Some(variant.usual_takes(kind))
                && !self.takes[index].is_empty()
            {
                self.takes[index] = Text::new();
            }
        }
        if self.royal == if V::ROYAL { Royal::Yes } else { Royal::No } {
            self.royal = Royal::Usual;
        }
        if self.covered_captures == V::COVERED_CAPTURES {
            self.covered_captures = CoveredCaptures::Usual;
        }
        if *self == Self::default() {
            Ok(None)
        } else {
            self.compile(variant).map(Arc::new).map(Some)
        }
    }

    /// What follows from the options, usual ones included.
    fn compile<V: Variant>(&self, variant: &V) -> Result<Plan, OptionConflict> {
        let conflict =
            |option, expected: &str| Err(OptionConflict { option, expected: expected.to_owned() });
        let totals: [u32; 2] = std::array::from_fn(|colour| {
            self.army.iter().map(|counts| u32::from(counts[colour])).sum()
        });
        if totals.contains(&0) {
            return conflict("army.P", "at least one piece in each army");
        }
        let squares = self.size.squares() as u32;
        if totals.iter().sum::<u32>() > squares {
            let expected = format!(
                "armies that fit on the board: they have {} pieces, and {squares} squares",
                totals.iter().sum::<u32>()
            );
            return Err(OptionConflict { option: "board", expected });
        }
        let royal = match self.royal {
            Royal::Usual => V::ROYAL,
            Royal::Yes => true,
            Royal::No => false,
        };
        if royal && self.army[Kind::General.index()].contains(&0) {
            return conflict("army.K", "at least one general in each army, since its loss loses");
        }
        let movements = Kind::ALL.map(|kind| {
            let own = &self.moves[kind.index()];
            let text = if own.is_empty() { variant.usual_moves(kind) } else { own };
            Movement::parse(text).expect("the domain is checked")
        });
        let tabled = movements.each_ref().map(|movement| movement.tabled(&MOVES));
        let on_board = |&square: &Square| {
            SIZE.file(square) < self.size.files && SIZE.rank(square) < self.size.ranks
        };
        let on_board = u32::collect(SIZE.all().filter(on_board));
        let mut takes = [[0; 8]; KINDS];
        for captor in Kind::ALL {
            let own = &self.takes[captor.index()];
            let kinds = if own.is_empty() {
                variant.usual_takes(captor)
            } else {
                read_kinds(own).expect("the domain is checked")
            };
            for (victim, captors) in takes.iter_mut().enumerate() {
                captors[captor.index()] = if kinds >> victim & 1 == 1 { !0 } else { 0 };
            }
        }
        let lines = tabled.each_ref().map(|it| it.line);
        let is_free =
            |it: &Tabled<u32>| it.line == LineMovement::None && it.leaps.iter().all(Leaps::is_free);
        let free = |from: Square| tabled.each_ref().map(|it| it.leaps[from.index()].open(0));
        let steps = tabled.iter().all(is_free).then(|| SIZE.all().map(free).collect());
        let rest = tabled.each_ref().map(|it| it.rest.clone());
        Ok(Plan {
            shapes: Shapes::of(&MOVES, lines, |kind, from| tabled[kind].leaps[from.index()]),
            steps,
            has_rest: rest.iter().any(|parts| !parts.is_empty()),
            rest,
            takes,
            squares: on_board,
            size: self.size,
            army: self.army,
            army_sizes: totals.map(|total| total as u8),
            covered_captures: match self.covered_captures {
                CoveredCaptures::Usual => V::COVERED_CAPTURES,
                other => other,
            },
            royal,
            no_moves: self.no_moves,
            chain: self.chain,
            flips: self.flips as u8,
            table: &TABLES[usize::from(self.chain || self.flips > 1)],
            movements,
        })
    }
}

impl Plan {
    /// The squares that a kind goes to from a square, whatever stands on them.
    #[inline]
    pub(super) fn reach(&self, kind: Kind, from: Square, occupied: u32) -> u32 {
        let mut reached = match &self.steps {
            Some(steps) => steps[from.index()][kind.index()],
            None => self.shapes.reach(kind.index(), from, occupied),
        };
        if self.has_rest {
            for part in &self.rest[kind.index()] {
                reached |= part.reach(&MOVES, from, occupied);
            }
        }
        reached & self.squares
    }

    /// Whether a piece of one kind takes one of another.
    #[inline]
    pub(super) fn takes(&self, captor: Kind, victim: Kind) -> bool {
        self.takes[victim.index()][captor.index()] != 0
    }

    /// The pseudo-legal targets of the revealed pieces of a colour, by square and kind.
    #[inline]
    pub(super) fn targets(
        &self,
        public: &PublicState,
        colour: Colour,
    ) -> impl Fn(Square, Kind) -> u32 {
        let occupied = public.occupied();
        let covered = match self.covered_captures {
            CoveredCaptures::Usual | CoveredCaptures::Never => 0,
            CoveredCaptures::Always | CoveredCaptures::Attempt => public.covered(),
        };
        let mut open = [!occupied | covered; 8];
        for victim in Kind::ALL {
            let pieces = public.pieces(Piece { colour: colour.other(), kind: victim });
            for (open, takes) in open.iter_mut().zip(self.takes[victim.index()]) {
                *open |= pieces & takes;
            }
        }
        move |from, kind| self.reach(kind, from, occupied) & open[kind.index()]
    }

    /// How a kind moves.
    pub(super) fn movement(&self, kind: Kind) -> &Movement {
        &self.movements[kind.index()]
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{HalfBoard, Variant};
    use crate::board::Action;
    use crate::game::{Depict, Game, GameExt, Hidden, Notation, Options, Value, Viewer, configure};
    use crate::games::{banqi::Banqi, gaiqi::Gaiqi};
    use crate::rng::{Rng, Stream};

    fn options(given: &[(&str, &str)]) -> Options {
        let text = |value: &str| Value::Text(value.to_owned());
        given.iter().map(|&(name, value)| (name.to_owned(), text(value))).collect()
    }

    fn rules<V: Variant>(given: &[(&str, &str)]) -> HalfBoard<V> {
        configure(&options(given)).expect("the options are valid")
    }

    /// The rules, played by their plan even where they are usual.
    fn planned<V: Variant>(mut rules: HalfBoard<V>) -> HalfBoard<V> {
        let plan = rules.design.compile(&rules.variant).expect("the options are valid");
        rules.plan = Some(Arc::new(plan));
        rules
    }

    /// Plays games under two rules side by side. Actions are compared by name, FENs by their first six
    /// fields.
    fn play_alike<V: Variant, W: Variant>(
        one: &HalfBoard<V>,
        other: &HalfBoard<W>,
        plies: u32,
    ) -> u32 {
        let mut rng = Rng::new(7, Stream::Sample);
        let (mut played, mut games) = (0, 0);
        while played < plies {
            let [mut first, mut second] =
                [1, 1].map(|_| games).map(|seed| Rng::new(seed, Stream::Deal));
            let (mut a, mut b) = (one.deal(&mut first), other.deal(&mut second));
            games += 1;
            loop {
                let fen = |fen: String| fen.split(' ').take(6).collect::<Vec<_>>().join(" ");
                assert_eq!(fen(one.fen(&a)), fen(other.fen(&b)));
                assert_eq!(one.outcome(&a), other.outcome(&b), "{}", one.fen(&a));
                if one.outcome(&a).is_some() {
                    break;
                }
                let upright = crate::board::Perspective::Upright;
                let name = |action: Action| one.table().name(action, upright);
                let named = |action: Action| other.table().name(action, upright);
                let (legal, same) = (one.actions(&a), other.actions(&b));
                let names: Vec<_> = legal.iter().copied().map(name).collect();
                assert_eq!(names, same.iter().copied().map(named).collect::<Vec<_>>());
                let chosen = rng.below(legal.len() as u32) as usize;
                assert_eq!(one.event(&a, legal[chosen]), other.event(&b, same[chosen]));
                one.play(&mut a, legal[chosen]);
                other.play(&mut b, same[chosen]);
                played += 1;
            }
        }
        games as u32
    }

    #[test]
    fn usual_games_equal_their_plans() {
        const PLIES: u32 = 100_000;
        let settings: &[&[(&str, &str)]] = &[
            &[],
            &[("cannon", "jump")],
            &[("ranking", "hongkong"), ("cannon", "jump"), ("repetition", "off")],
        ];
        for given in settings {
            let usual: Banqi = rules(given);
            assert!(usual.plan.is_none());
            assert!(play_alike(&usual, &planned(usual.clone()), PLIES) > 100);
        }
        let usual: Gaiqi = rules(&[]);
        assert!(play_alike(&usual, &planned(usual.clone()), PLIES) > 100);
        // One game as a design of the other.
        let design = [
            ("moves.K", "W"),
            ("moves.A", "W"),
            ("moves.E", "W"),
            ("moves.H", "W"),
            ("moves.R", "W"),
            ("moves.C", "W"),
            ("takes.K", "KAEHRC"),
            ("takes.A", "AEHRCP"),
            ("takes.E", "EHRCP"),
            ("takes.R", "HRCP"),
            ("takes.H", "HCP"),
            ("takes.C", "CP"),
            ("takes.P", "KP"),
            ("covered_captures", "never"),
            ("royal", "no"),
        ];
        assert!(
            play_alike::<_, crate::games::gaiqi::Rules>(&Banqi::default(), &rules(&design), PLIES)
                > 100
        );
    }

    #[test]
    fn what_is_usual_has_no_plan() {
        let spelled: Gaiqi = rules(&[
            ("moves.H", "nN"),
            ("takes.K", "PCRHEAK"),
            ("royal", "yes"),
            ("army.P", "5/5"),
        ]);
        assert!(spelled.plan.is_none());
        assert_eq!(spelled, Gaiqi::default());
    }

    #[test]
    fn turns_go_on_after_captures_and_flips() {
        let rules: Banqi = rules(&[
            ("chain", "on"),
            ("flips", "2"),
            ("board", "4x2"),
            ("army.E", "0"),
            ("army.H", "0"),
            ("army.R", "0"),
            ("army.C", "0"),
            ("army.P", "1"),
            ("army.A", "1"),
        ]);
        let state = rules.parse_fen("Kap1/~p3 1 r - 0 8 -").expect_err("two soldiers");
        assert!(state.to_string().contains("`p`"), "{state}");
        let state = rules.parse_fen("Kap1/~P3 1 r - 0 8 -").expect("it is well formed");
        let act = |state: &mut _, name: &str| {
            let action = rules.table().parse(name, crate::board::Perspective::Upright);
            let action = action.unwrap_or_else(|| panic!("{name} is no action"));
            assert!(rules.actions(state).contains(&action), "{name}: {}", rules.fen(state));
            rules.play(state, action);
        };
        let mut state = state;
        act(&mut state, "a2b2");
        // A general takes no soldier, so that the turn is over.
        assert_eq!(rules.fen(&state), "1Kp1/~P3 2 r a 0 9 -");
        let mut state = rules.parse_fen("Kak1/~P3 1 r - 0 8 -").expect("it is well formed");
        act(&mut state, "a2b2");
        assert_eq!(rules.fen(&state), "1Kk1/~P3 1 r a 0 9 b2");
        let names = |state: &_| {
            let name = |action| rules.table().name(action, crate::board::Perspective::Upright);
            rules.actions(state).into_iter().map(name).collect::<Vec<_>>()
        };
        assert_eq!(names(&state), ["b2c2", "pass"]);
        let read = rules.parse_fen(&rules.fen(&state)).expect("it was written");
        assert_eq!(read, state);
        act(&mut state, "pass");
        assert_eq!(rules.fen(&state), "1Kk1/~P3 2 r a 0 10 -");
        act(&mut state, "a1");
        assert_eq!(rules.fen(&state), "1Kk1/P3 1 r a 0 11 -");
        let mut state = rules.parse_fen("~K~a~p1/~P3 1 - - 0 0 -").expect("it is well formed");
        act(&mut state, "a1");
        assert_eq!(rules.fen(&state), "~K~a~p1/P3 1 r - 0 1 1");
        assert_eq!(names(&state), ["a2", "b2", "c2", "pass"]);
        act(&mut state, "b2");
        assert_eq!(rules.fen(&state), "~Ka~p1/P3 2 r - 0 2 -");
    }

    #[test]
    fn attempts_may_fail() {
        let rules: Banqi = rules(&[("covered_captures", "attempt")]);
        let state = rules.parse_fen("8/8/8/A~p~r~K4 1 r - 0 0").expect("it is well formed");
        let after = |fen: &str, name: &str| {
            let mut state = rules.parse_fen(fen).expect("it is well formed");
            let action = rules.table().parse(name, crate::board::Perspective::Upright);
            let action = action.expect("it is an action");
            let event = rules.event(&state, action);
            rules.play(&mut state, action);
            (rules.fen(&state), event.revealed.is_some(), event.captured_covered)
        };
        assert_eq!(rules.count(crate::board::Kind::Advisor), 2);
        let fen = "8/8/8/A~p~r~K4 1 r - 0 0";
        assert_eq!(after(fen, "a1b1"), ("8/8/8/1A~r~K4 2 r p 0 1".to_owned(), false, true));
        let fen = "8/8/8/P~A6 1 r - 0 0";
        assert_eq!(after(fen, "a1b1"), ("8/8/8/PA6 2 r - 0 1".to_owned(), true, false));
        let fen = "8/8/8/P~a6 1 r - 0 0";
        assert_eq!(after(fen, "a1b1"), ("8/8/8/Pa6 2 r - 0 1".to_owned(), true, false));
        let viewer = rules.view(&state, Viewer::Player(0));
        let action = rules.table().parse("a1b1", crate::board::Perspective::Upright);
        let mut odds = 0.0;
        rules.each_reveal(&viewer, action.expect("it is an action"), |_, probability| {
            odds += probability;
        });
        assert!((odds - 1.0).abs() < 1e-12);
    }

    #[test]
    fn designs_that_cannot_be_played_are_refused() {
        for (given, fault) in [
            (
                &[("board", "4x2")][..],
                "armies that fit on the board: they have 32 pieces, and 8 squares",
            ),
            (&[("board", "9x4")], "files x ranks from 2x2 to 8x4"),
            (&[("army.K", "0/1"), ("royal", "yes")], "at least one general in each army"),
            (&[("moves.H", "zN")], "a movement in Betza's notation"),
            (&[("takes.P", "KX")], "letters of kinds such as KAE"),
            (&[("takes.P", "KK")], "letters of kinds such as KAE"),
            (&[("army.P", "-1")], "a number of pieces such as 2"),
        ] {
            let fault_found = configure::<Banqi>(&options(given)).expect_err(fault).to_string();
            assert!(fault_found.contains(fault), "{fault_found}");
        }
    }

    #[test]
    fn lessons_tell_of_designs() {
        let rules: Banqi = rules(&[
            ("board", "4x4"),
            ("army.P", "2/3"),
            ("army.E", "0"),
            ("army.H", "0"),
            ("army.R", "0"),
            ("moves.C", "mWcpR"),
            ("covered_captures", "attempt"),
            ("chain", "on"),
        ]);
        let lesson = rules.lesson().expect("it is taught");
        let told = format!("{lesson:?}");
        for text in ["board of 4 by 4", "2 Soldier", "3 Soldier", "over exactly one piece", "chain"]
        {
            assert!(told.contains(text), "{text}: {told}");
        }
        assert_eq!(lesson.pieces.len(), 4);
        let picture = rules.full_picture(&rules.deal(&mut Rng::new(1, Stream::Deal)));
        assert_eq!(picture.pieces.len(), 16);
    }
}
