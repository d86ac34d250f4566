//! What every game can do, as traits, and the parts that games share.

mod configure;
mod features;
pub mod fen;
mod hidden;
mod notation;
mod observe;
mod options;
mod outcome;
mod picture;
mod repetition;
mod rules;

pub use configure::configure;
pub(crate) use features::share;
pub use features::{Activity, Face, Features};
pub use hidden::{Event, Hidden, Viewer};
pub use notation::Notation;
pub use observe::{Encoder, Format, Layout, Observe, gauge, planes_of_tokens};
pub(crate) use observe::{exceeds, piece_token};
pub use options::{Domain, Misfit, OptionSpec, Options, Setting, TEXT_LENGTH, Text, Value};
pub(crate) use options::{choice_option, int_option, switch_option};
pub use outcome::{MAX_PLAYERS, Outcome, Player, Reason};
pub use picture::{Army, Depict, Disc, Glyph, Ground, Picture, RED_AND_BLACK};
pub use repetition::{History, Positions, QuietPly, perpetual_check};
pub use rules::{Game, GameExt};
