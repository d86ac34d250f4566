//! The value of the first reveal.
//!
//! **Estimand**: the expected score (win 1, draw 1/2) of the player who makes the first reveal,
//! when an agent plays against itself under one set of rules. It is distinguished from four related
//! quantities: the advantage of the seat that moves first, the effect of the revealed piece, that
//! of its square, and the share of the result that is luck of reveals.
//!
//! Games that share a deal are one observation, and where several openings were given, games that share
//! an opening: all errors are clustered by these.

mod adjusted_score;
mod counts;
mod labels;
mod luck;
mod measure;
mod parts;
mod results;
mod rules;
mod running_score;
mod tally;

pub use counts::LengthHistogram;
pub use labels::labels;
pub use luck::{RevealJudge, RevealLuck, is_failed_capture};
pub use measure::{first_reveal, first_reveal_judged};
pub use parts::{FirstRevealParts, first_reveal_part};
pub use results::{
    DEALS_PER_COVARIATE, Effect, Effects, FirstRevealValue, GameLengths, Heterogeneity, LengthBin,
    Outcomes, Revealer,
};
pub use rules::square_classes;
pub use running_score::{RunningScore, Settled, SettledScores, settled_scores};
