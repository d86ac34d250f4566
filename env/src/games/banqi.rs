//! banqi: captures by rank on half a board; covered pieces cannot be captured. RULES.md section 2.

use std::sync::LazyLock;

use crate::board::{ActionTable, Bitboard, Colour, Kind, Piece, Square};
use crate::families::half_board::{CoveredCaptures, HalfBoard, MOVES, PublicState, SIZE, Variant};
use crate::game::{OptionSpec, Topic, Words, XIANGQI_NAMES, choice_option, choices, words};

/// Steps to a neighbour, and captures of the jumping cannon along lines.
static TABLE: LazyLock<ActionTable> =
    LazyLock::new(|| ActionTable::new(SIZE, true, |from| MOVES.slide(from, u32::EMPTY)));

/// The game banqi.
pub type Banqi = HalfBoard<Rules>;

choices! {
    /// The order of ranks.
    #[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
    enum Ranking {
        #[default]
        Standard = "standard",
        Hongkong = "hongkong",
    }
}

choices! {
    /// How a cannon captures.
    #[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
    enum Cannon {
        #[default]
        Step = "step",
        Jump = "jump",
    }
}

/// The rules of banqi.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Rules {
    ranking: Ranking,
    cannon: Cannon,
}

impl Ranking {
    /// The kinds from the lowest to the highest.
    const fn ascending(self) -> [Kind; 7] {
        use Kind::{Advisor, Cannon, Chariot, Elephant, General, Horse, Soldier};
        match self {
            Self::Standard => [Soldier, Cannon, Horse, Chariot, Elephant, Advisor, General],
            Self::Hongkong => [Soldier, Elephant, Advisor, Cannon, Horse, Chariot, General],
        }
    }

    /// By kind, the revealed pieces of `enemy` that a piece of this kind may capture: those of
    /// equal or lower rank, except that soldiers capture generals and generals do not capture
    /// soldiers.
    #[inline]
    fn capturable(self, public: &PublicState, enemy: Colour) -> [u32; 7] {
        let pieces = |kind| public.pieces(Piece { colour: enemy, kind });
        let mut capturable = [0; 7];
        let mut lower = 0;
        for kind in self.ascending() {
            lower |= pieces(kind);
            capturable[kind.index()] = lower;
        }
        capturable[Kind::Soldier.index()] |= pieces(Kind::General);
        capturable[Kind::General.index()] &= !pieces(Kind::Soldier);
        capturable
    }
}

/// The targets of a cannon that captures by jumping.
// Not inlined: the loop over the pieces is short for all others.
#[inline(never)]
fn jumping(from: Square, occupied: u32, capturable: u32) -> u32 {
    MOVES.orthogonal(from) & !occupied | MOVES.hop(from, occupied) & capturable
}

impl Variant for Rules {
    const NAME: &'static str = "banqi";
    const ABOUT: &'static str =
        "half-board game of ranks with all pieces and colours covered; covered pieces are safe";
    const THREE_CHECKS: bool = false;
    const ROYAL: bool = false;
    const COVERED_CAPTURES: CoveredCaptures = CoveredCaptures::Never;
    const SECTION: u8 = 2;

    fn options() -> &'static [OptionSpec<Banqi>] {
        const OPTIONS: &[OptionSpec<Banqi>] = &{
            let [quiet_limit, repetition, max_plies] = Banqi::COMMON_OPTIONS;
            [
                quiet_limit,
                repetition,
                max_plies,
                choice_option!(
                    ranking in variant,
                    Ranking,
                    "Order of the pieces: K A E R H C P or K R H C A E P from the highest."
                ),
                choice_option!(
                    cannon in variant,
                    Cannon,
                    "Whether a cannon captures a neighbour by rank or anything behind one piece."
                ),
            ]
        };
        OPTIONS
    }

    fn movement(&self, kind: Kind) -> Words {
        match (kind, self.cannon) {
            (Kind::Cannon, Cannon::Jump) => Words::new(
                "Moves one square straight. It takes only by jumping over exactly one piece in a straight \
                 line, face up or covered: then it takes the next enemy in the line, at any distance and \
                 of any rank. It never takes a neighbour.",
                "直走一格。吃子只能沿直线正好跳过一个棋子（明子暗子都行），吃它后面的那个，远近不限，不论大小。不能吃相邻的子。",
            ),
            _ => Words::new(
                "One square straight, in any of the four directions.",
                "向前、后、左、右走一格。",
            ),
        }
    }

    fn usual_moves(&self, kind: Kind) -> &'static str {
        match (kind, self.cannon) {
            (Kind::Cannon, Cannon::Jump) => "mWcpR",
            _ => "W",
        }
    }

    fn usual_takes(&self, captor: Kind) -> u8 {
        if captor == Kind::Cannon && self.cannon == Cannon::Jump {
            return (1 << Kind::ALL.len()) - 1;
        }
        let ascending = self.ranking.ascending();
        let rank = ascending.iter().position(|&kind| kind == captor).expect("it lists every kind");
        let lower = ascending[..=rank].iter().fold(0, |kinds, &kind| kinds | 1 << kind.index());
        match captor {
            Kind::Soldier => lower | 1 << Kind::General.index(),
            Kind::General => lower & !(1 << Kind::Soldier.index()),
            _ => lower,
        }
    }

    fn topics(&self, kinds: &[Kind]) -> Vec<Topic> {
        let descending = self.ranking.ascending().into_iter().rev();
        let names: Vec<Words> = descending
            .filter(|kind| kinds.contains(kind))
            .map(|kind| XIANGQI_NAMES[kind.index()].1.clone())
            .collect();
        let mut told = vec![words!(
            "From the highest to the lowest: {}. A piece takes enemies of its own rank and of every lower \
             one.",
            "从大到小：{}。大子吃小子，同级可以互吃。",
            Words::listed(&names)
        )];
        if [Kind::General, Kind::Soldier].iter().all(|kind| kinds.contains(kind)) {
            told.push(Words::new(
                "There are two exceptions: a Soldier takes the General, and the General does not take a \
                 Soldier.",
                "两个例外：兵可以吃将，将不能吃兵。",
            ));
        }
        if kinds.contains(&Kind::Cannon) {
            told.push(match self.cannon {
                Cannon::Step => Words::new(
                    "The Cannon takes by its rank like all others.",
                    "炮和别的棋子一样按大小吃子。",
                ),
                Cannon::Jump => Words::new(
                    "The Cannon takes any piece, but only by a jump; its rank counts when others take it.",
                    "炮跳吃时不论大小，别的子吃它时仍按大小。",
                ),
            });
        }
        vec![Topic::new(Words::new("Ranks", "大小"), Words::joined(&told))]
    }

    fn table() -> &'static ActionTable {
        &TABLE
    }

    #[inline]
    fn targets(&self, public: &PublicState, colour: Colour) -> impl Fn(Square, Kind) -> u32 {
        let enemy = colour.other();
        let occupied = public.occupied();
        let targets_by_kind =
            self.ranking.capturable(public, enemy).map(|capturable| capturable | !occupied);
        let jumps = self.cannon == Cannon::Jump;
        move |from, kind| {
            if jumps && kind == Kind::Cannon {
                jumping(from, occupied, public.revealed(enemy))
            } else {
                MOVES.orthogonal(from) & targets_by_kind[kind.index()]
            }
        }
    }

    fn attacks(&self, kind: Kind, from: Square, occupied: u32) -> u32 {
        match (self.cannon, kind) {
            (Cannon::Jump, Kind::Cannon) => MOVES.hop(from, occupied),
            (Cannon::Step | Cannon::Jump, _) => MOVES.orthogonal(from) & occupied,
        }
    }
}
