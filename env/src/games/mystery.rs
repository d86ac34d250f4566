//! mystery / Cờ Úp: covered xiangqi that forbids perpetual chase and has automatic draws.
//! RULES.md sections 4 and 7.

use crate::board::{Colour, Kind, Piece, Square};
use crate::error::FenError;
use crate::families::covered_xiangqi::{Counters, CoveredXiangqi, Variant, has_crossed, is_ahead};
use crate::game::fen::counter;
use crate::game::{
    Counter, Domain, OptionSpec, Reason, Words, counter_byte, greatest_counter_byte, int_option,
    words,
};
use crate::planes;

/// The game mystery.
pub type Mystery = CoveredXiangqi<Rules>;

/// The rules of mystery: limits in moves by each side, 0 for no limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rules {
    progress_limit: u16,
    effective_limit: u16,
    moves_limit: u16,
}

impl Default for Rules {
    fn default() -> Self {
        Self { progress_limit: 30, effective_limit: 120, moves_limit: 300 }
    }
}

/// Whether a counter has reached its limit; a limit of 0 means none.
const fn reaches(count: u32, limit: u32) -> bool {
    limit > 0 && count >= limit
}

impl Rules {
    /// The plies without progress that make a draw: twice the moves by each side.
    fn progress_plies(&self) -> u16 {
        self.progress_limit.saturating_mul(2)
    }
}

impl Variant for Rules {
    const NAME: &'static str = "mystery";
    const ABOUT: &'static str =
        "Cờ Úp: covered xiangqi with perpetual chase forbidden and automatic draws";
    const CHASE: bool = true;
    const MAX_PLIES: u16 = 700;
    const COUNTS_EFFECTIVE: bool = true;
    const SECTION: u8 = 4;

    fn options() -> &'static [OptionSpec<Mystery>] {
        const OPTIONS: &[OptionSpec<Mystery>] = &{
            let [captured, chase, repetition, max_plies] = Mystery::COMMON_OPTIONS;
            let progress_limit: OptionSpec<Mystery> = int_option!(
                progress_limit in variant,
                Domain::LIMIT,
                "Moves by each side without progress that make a draw; 0 turns it off."
            );
            let effective_limit: OptionSpec<Mystery> = int_option!(
                effective_limit in variant,
                Domain::LIMIT,
                "Effective moves by each side that make a draw; 0 turns it off."
            );
            let moves_limit: OptionSpec<Mystery> = int_option!(
                moves_limit in variant,
                Domain::LIMIT,
                "Moves by each side that make a draw; 0 turns it off."
            );
            [captured, chase, repetition, progress_limit, effective_limit, moves_limit, max_plies]
        };
        OPTIONS
    }

    fn draws(&self) -> Vec<Words> {
        let Self { progress_limit, effective_limit, moves_limit } = *self;
        let progress = words!(
            "Draw: each side has made {progress_limit} moves without progress. Progress is a capture, or a \
             step forward of a soldier that is across the river.",
            "和棋：双方各走{progress_limit}步而没有进展。进展是指吃子，或已过河的兵前进一步。"
        );
        let effective = words!(
            "Draw: each side has made {effective_limit} effective moves. A move is not effective if it gives \
             check or chases a piece, or answers a check or a chase.",
            "和棋：双方各走满{effective_limit}步有效着。将军、捉子以及应将、应捉的着法不算有效着。"
        );
        let moves = words!(
            "Draw: each side has made {moves_limit} moves.",
            "和棋：双方各走满{moves_limit}步。"
        );
        let limits =
            [(progress_limit, progress), (effective_limit, effective), (moves_limit, moves)];
        limits.into_iter().filter(|(limit, _)| *limit > 0).map(|(_, words)| words).collect()
    }

    fn history_capacity(&self) -> u16 {
        // Progress by a soldier resets the counter but not the history of positions.
        self.progress_limit.saturating_mul(8)
    }

    /// A forward step of a revealed soldier from beyond the river (RULES.md 9.14).
    #[inline]
    fn is_progress(revealed: bool, piece: Piece, from: Square, to: Square) -> bool {
        !revealed
            && piece.kind == Kind::Soldier
            && has_crossed(piece.colour, from)
            && is_ahead(piece.colour, from, to)
    }

    #[inline]
    fn draw_reason(&self, counters: &Counters, ply: u16) -> Option<Reason> {
        let both = |limit: u16| 2 * u32::from(limit);
        let effective = counters.effective[0].min(counters.effective[1]);
        if reaches(counters.quiet.into(), both(self.progress_limit)) {
            Some(Reason::ProgressLimit)
        } else if reaches(effective.into(), self.effective_limit.into()) {
            Some(Reason::EffectiveLimit)
        } else if reaches(ply.into(), both(self.moves_limit)) {
            Some(Reason::MovesLimit)
        } else {
            None
        }
    }

    // The game goes on while one side alone has reached the limit of effective moves.
    planes! {
        names COUNTER_NAMES;
        maxima counter_maxima(self, longest_game: u16);
        values counter_bytes(self, counters: &Counters, own: Colour) -> u8;
        "plies without progress": greatest_counter_byte(self.progress_plies(), longest_game)
            => counter_byte(counters.quiet, self.progress_plies());
        "own effective moves": counter_byte(longest_game.div_ceil(2), self.effective_limit)
            => counter_byte(counters.effective[own.index()], self.effective_limit);
        "enemy effective moves": counter_byte(longest_game.div_ceil(2), self.effective_limit)
            => counter_byte(counters.effective[own.other().index()], self.effective_limit);
    }

    fn longest_game(&self, max_plies: u16) -> u16 {
        match self.moves_limit {
            0 => max_plies,
            moves => moves.saturating_mul(2).min(max_plies),
        }
    }

    /// Limits of moves by each side are twice as many plies. The side with fewer effective moves
    /// decides.
    #[inline]
    fn each_counter(&self, counters: &Counters, ply: u16, mut visit: impl FnMut(Counter)) {
        let effective = counters.effective[0].min(counters.effective[1]);
        for (option, count, limit, things) in [
            ("progress_limit", counters.quiet, self.progress_plies(), "plies without progress"),
            ("effective_limit", effective, self.effective_limit, "effective moves by each side"),
            ("moves_limit", ply, self.moves_limit.saturating_mul(2), "plies"),
        ] {
            visit(Counter { option, count, limit, things });
        }
    }

    fn write_counters(counters: &Counters) -> String {
        let Counters { quiet, effective: [red, black] } = counters;
        format!("{quiet},{red},{black}")
    }

    fn read_counters(field: &str) -> Result<Counters, FenError> {
        let numbers: Vec<&str> = field.split(',').collect();
        let [quiet, red, black] = numbers[..] else {
            let expected = "three numbers `progress,effective_red,effective_black`";
            return Err(FenError::new("quiet", format!("`{field}` is not {expected}")));
        };
        Ok(Counters {
            quiet: counter("quiet", quiet)?,
            effective: [counter("quiet", red)?, counter("quiet", black)?],
        })
    }
}
