//! The traits of a game, and the parts that games share.
//!
//! | trait | what it adds |
//! | --- | --- |
//! | [`Game`] | the rules of a state that is known in full |
//! | [`Hidden`] | views, determinization, probabilities of reveals |
//! | [`Notation`] | FEN |
//! | [`Attacks`] | what pieces attack and become, for nets |
//! | [`Observe`] | observations for learners |
//! | [`Features`] | features for evaluation functions |
//! | [`Depict`] | pictures and explanations for people |
//!
//! The shared parts are options, FEN fields, results and repetition. This room uses `board`, and
//! knows no particular game.

mod armies;
mod attacks;
mod configure;
mod features;
pub mod fen;
mod hidden;
mod lesson;
mod notation;
mod observe;
mod options;
mod outcome;
mod picture;
mod repetition;
mod rules;
mod static_exchange;

pub use armies::{Army, Lettering, RED_AND_BLACK};
pub use attacks::Attacks;
pub use configure::configure;
pub use features::{
    Activity, Counter, ENDGAME_PIECES, Endgame, Face, Fall, Features, Peril, fraction_of_limit,
};
pub use hidden::{Event, Hidden, Hides, Viewer};
pub use lesson::{Captures, Example, Lesson, PieceLesson, Taking, Topic, Words, board_of};
pub(crate) use lesson::{XIANGQI_NAMES, ends, objections, words};
pub use notation::Notation;
pub use observe::{
    Encoder, Format, Layout, Observe, counter_byte, greatest_counter_byte, planes_of_tokens,
};
pub(crate) use observe::{exceeds, own_and_enemy, piece_token, write_tokens};
pub use options::{
    Domain, OptionConflict, OptionSpec, Options, Setting, TEXT_LENGTH, Text, Value, texts,
};
pub(crate) use options::{choice_option, choices, int_option, max_plies_option, switch_option};
pub use outcome::{MAX_PLAYERS, Outcome, Player, Reason};
pub(crate) use picture::name_of;
pub use picture::{BoardStyle, Depict, DrawnPiece, Glyph, Picture};
pub(crate) use repetition::most_occurrences;
pub use repetition::{
    PlyCode, PlyHistory, PositionHistory, QuietPly, RecordedHistory, perpetual_check,
};
pub use rules::{Game, GameExt};
pub(crate) use static_exchange::static_exchange;
