//! jieqi 揭棋: covered xiangqi whose only counter counts plies without capture. RULES.md section 3.

use crate::board::{Colour, Piece, Square};
use crate::error::FenError;
use crate::families::covered_xiangqi::{Counters, CoveredXiangqi, Variant};
use crate::game::fen::counter;
use crate::game::{
    Counter, Domain, OptionSpec, Reason, Words, counter_byte, ends, greatest_counter_byte,
    int_option,
};
use crate::planes;

/// The game jieqi.
pub type Jieqi = CoveredXiangqi<Rules>;

/// The rules of jieqi.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rules {
    quiet_limit: u16,
}

impl Default for Rules {
    fn default() -> Self {
        Self { quiet_limit: 80 }
    }
}

impl Variant for Rules {
    const NAME: &'static str = "jieqi";
    const ABOUT: &'static str =
        "xiangqi with the pieces covered on their home squares, turned over as they move";
    const CHASE: bool = false;
    const MAX_PLIES: u16 = 600;
    const COUNTS_EFFECTIVE: bool = false;
    const SECTION: u8 = 3;

    fn options() -> &'static [OptionSpec<Jieqi>] {
        const OPTIONS: &[OptionSpec<Jieqi>] = &{
            let [captured, chase, repetition, max_plies] = Jieqi::COMMON_OPTIONS;
            let quiet_limit: OptionSpec<Jieqi> = int_option!(
                quiet_limit in variant,
                Domain::LIMIT,
                "Plies in a row without capture that make a draw; 0 turns it off."
            );
            [captured, chase, repetition, quiet_limit, max_plies]
        };
        OPTIONS
    }

    fn draws(&self) -> Vec<Words> {
        let quiet = ends::quiet(
            self.quiet_limit,
            "without anything taken; a piece that is turned over does not count",
            "没有吃子，翻开暗子不算",
        );
        quiet.into_iter().collect()
    }

    fn history_capacity(&self) -> u16 {
        self.quiet_limit
    }

    /// A reveal is no progress: only captures are, as in the strongest engines.
    #[inline]
    fn is_progress(_: bool, _: Piece, _: Square, _: Square) -> bool {
        false
    }

    #[inline]
    fn draw_reason(&self, counters: &Counters, _: u16) -> Option<Reason> {
        let reached = self.quiet_limit > 0 && counters.quiet >= self.quiet_limit;
        reached.then_some(Reason::QuietLimit)
    }

    planes! {
        names COUNTER_NAMES;
        maxima counter_maxima(self, longest_game: u16);
        values counter_bytes(self, counters: &Counters, _own: Colour) -> u8;
        "plies without capture": greatest_counter_byte(self.quiet_limit, longest_game)
            => counter_byte(counters.quiet, self.quiet_limit);
    }

    #[inline]
    fn each_counter(&self, counters: &Counters, _: u16, mut visit: impl FnMut(Counter)) {
        let (count, limit) = (counters.quiet, self.quiet_limit);
        visit(Counter { option: "quiet_limit", count, limit, things: "plies without capture" });
    }

    fn write_counters(counters: &Counters) -> String {
        counters.quiet.to_string()
    }

    fn read_counters(field: &str) -> Result<Counters, FenError> {
        Ok(Counters { quiet: counter("quiet", field)?, ..Counters::default() })
    }
}
