//! The rules of xiangqi games with covered pieces, and a simulator that steps thousands of them.
//!
//! The crate knows games, not agents or files. What each module is for:
//!
//! - [`games`]: the registry and one file per game; games that share most of their rules are
//!   variants of [`half_board`] or [`covered_xiangqi`];
//! - [`game`], [`hidden`], [`observe`], [`survey`], [`notation`], [`picture`]: what every game can
//!   do;
//! - [`square`], [`bitboard`], [`movement`], [`check`], [`piece`], [`pool`], [`action`],
//!   [`repetition`]: what games are made of;
//! - [`batch`] and [`session`]: many games stepped together, and one game with all checks;
//! - [`render`]: pictures as text and SVG.
//!
//! ```
//! use darkqi_env::{Options, session};
//!
//! let mut game = session::deal("jieqi", &Options::new(), 7)?;
//! assert_eq!(game.legal_moves().len(), 44);
//! let action = game.action_index("a4a5")?;
//! game.apply(action)?;
//! assert_eq!(game.current_player(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod action;
pub mod batch;
pub mod bitboard;
pub mod check;
pub mod covered_xiangqi;
pub mod error;
pub mod game;
pub mod games;
pub mod half_board;
pub mod hidden;
mod lines;
pub mod movement;
pub mod notation;
pub mod observe;
pub mod options;
pub mod perft;
pub mod picture;
pub mod piece;
pub mod pool;
pub mod render;
pub mod repetition;
pub mod rng;
pub mod session;
mod shapes;
mod simd;
mod sink;
pub mod spec;
pub mod square;
pub mod survey;

pub use action::{Action, ActionTable, Deed, Run, Side};
pub use batch::{
    AnyBatch, Autoreset, Batch, BatchConfig, Buffers, Illegal, Mask, MaskFormat, Opponents, Reset,
    RowLengths, Rows,
};
pub use error::{ActionError, BatchError, FenError, OptionError, SetupError, UnknownGame};
pub use game::{Flow, Game, GameExt, MAX_PLAYERS, Outcome, Player, Reason};
pub use games::{Registered, Visitor};
pub use hidden::{Event, Hidden, Viewer};
pub use notation::Notation;
pub use observe::{Encoder, Format, Layout, Observe, planes_of_tokens};
pub use options::{Options, Value};
pub use picture::{Draw, Picture};
pub use piece::Token;
pub use rng::{Rng, Stream, game_seed};
pub use session::{AnyState, Reveal, Session};
pub use spec::{OptionInfo, Spec};
pub use square::{BoardSize, Square};
pub use survey::{Activity, Face, Survey};
