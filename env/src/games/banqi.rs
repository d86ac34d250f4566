//! banqi: the pecking order on half a board, covered pieces safe. RULES.md section 2.

use std::sync::LazyLock;

use crate::action::ActionTable;
use crate::bitboard::Bitboard;
use crate::game::Reason;
use crate::half_board::{HalfBoard, MOVES, Public, SIZE, Variant};
use crate::options::{OptionSpec, choice_option};
use crate::piece::{Colour, Kind, Piece};
use crate::square::Square;

/// Steps to a neighbour, and the jumping cannon's captures along lines.
static TABLE: LazyLock<ActionTable> =
    LazyLock::new(|| ActionTable::new(SIZE, true, |from| MOVES.slide(from, u32::EMPTY)));

/// Pieces a side starts with, and must lose to be beaten.
const ARMY: u8 = 16;

/// banqi as it is registered.
pub type Banqi = HalfBoard<Rules>;

/// In what order pieces outrank one another.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
enum Ranking {
    #[default]
    Standard,
    Hongkong,
}

/// How a cannon captures.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
enum Cannon {
    #[default]
    Step,
    Jump,
}

/// What sets banqi apart.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Rules {
    ranking: Ranking,
    cannon: Cannon,
}

impl Ranking {
    const ALL: [Self; 2] = [Self::Standard, Self::Hongkong];
    const NAMES: [&'static str; 2] = ["standard", "hongkong"];

    /// How high a kind stands, the soldier at 0.
    const fn rank(self, kind: Kind) -> u8 {
        // By kind: general, advisor, elephant, horse, chariot, cannon, soldier.
        let ranks = match self {
            Self::Standard => [6, 5, 4, 2, 3, 1, 0],
            Self::Hongkong => [6, 2, 1, 4, 5, 3, 0],
        };
        ranks[kind.index()]
    }

    /// Whether a piece takes its neighbour: equal or lower in rank, but soldiers take generals and
    /// generals do not take soldiers.
    const fn takes(self, captor: Kind, prey: Kind) -> bool {
        match (captor, prey) {
            (Kind::General, Kind::Soldier) => false,
            (Kind::Soldier, Kind::General) => true,
            _ => self.rank(captor) >= self.rank(prey),
        }
    }
}

impl Rules {
    /// The enemy's revealed pieces that this one takes where it meets them.
    fn prey(&self, public: &Public, captor: Piece) -> u32 {
        let colour = captor.colour.other();
        Kind::ALL
            .into_iter()
            .filter(|&kind| self.ranking.takes(captor.kind, kind))
            .fold(0, |prey, kind| prey | public.pieces(Piece { colour, kind }))
    }
}

impl Cannon {
    const ALL: [Self; 2] = [Self::Step, Self::Jump];
    const NAMES: [&'static str; 2] = ["step", "jump"];
}

impl Variant for Rules {
    const NAME: &'static str = "banqi";
    const ABOUT: &'static str =
        "half-board game of ranks with all pieces and colours covered; covered pieces are safe";
    const THREE_CHECKS: bool = false;
    const ROYAL: bool = false;

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

    fn table() -> &'static ActionTable {
        &TABLE
    }

    #[inline]
    fn targets(&self, public: &Public, from: Square, piece: Piece) -> u32 {
        let neighbours = MOVES.orthogonal(from);
        let occupied = public.occupied();
        let enemies = public.revealed(piece.colour.other());
        let prey = if piece.kind == Kind::Cannon && self.cannon == Cannon::Jump {
            MOVES.hop(from, occupied) & enemies
        } else {
            let met = neighbours & enemies;
            if met == 0 { 0 } else { met & self.prey(public, piece) }
        };
        neighbours & !occupied | prey
    }

    fn decided(public: &Public) -> Option<(Colour, Reason)> {
        let beaten = |colour: &Colour| public.losses[colour.index()] >= ARMY;
        Colour::ALL.into_iter().find(beaten).map(|colour| (colour, Reason::NoPieces))
    }
}
