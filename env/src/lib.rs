//! The rules of xiangqi games with covered pieces, and a simulator that steps thousands of games.
//!
//! The crate knows games, not agents or files. Its root has the names of daily use, the modules all others.
//! Each module uses only those above it:
//!
//! | module | contents |
//! | --- | --- |
//! | [`rng`], `simd`, `copy_vec`, [`error`] | random numbers, vector instructions, memory, errors |
//! | [`board`] | squares, bitboards, pieces, actions |
//! | [`movement`] | how pieces move, checks and pins, lookup tables for both |
//! | [`game`] | the traits of a game, and what games share: options, FEN, results, repetition |
//! | [`families`] | rule sets that several games are variants of |
//! | [`games`] | the registry and one module per game |
//! | [`spec`], [`perft`] | what a game consists of, for those who do not know it; leaf counts |
//! | [`trajectory`] | a game as it was played, and the loop that plays it again |
//! | [`session`], [`batch`] | one game with checked actions; many games stepped together |
//! | [`render`] | pictures as text and SVG |
//!
//! ```
//! use darkqi_env::{Options, deal};
//!
//! let mut game = deal("jieqi", &Options::new(), 7)?;
//! assert_eq!(game.legal_moves().len(), 44);
//! let action = game.action_index("a4a5")?;
//! game.apply(action)?;
//! assert_eq!(game.current_player(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// The path of this crate in a game that is compiled here and in the tests.
#[cfg(feature = "seventh-game")]
extern crate self as darkqi_env;

pub mod batch;
pub mod board;
mod copy_vec;
pub mod error;
pub mod families;
pub mod game;
pub mod games;
pub mod movement;
pub mod perft;
pub mod render;
pub mod rng;
pub mod session;
pub mod shown;
mod simd;
pub mod spec;
pub mod trajectory;

pub use batch::{AnyBatch, BatchConfig, make};
pub use board::{Action, Colour, Kind, Move, Piece, Square};
pub use copy_vec::CopyVec;
pub use error::{ActionError, BatchError, FenError, OptionError, SetupError, UnknownGame};
pub use game::{Event, Format, Game, Options, Outcome, Player, Reason, Value, Viewer, fen};
pub use games::{Registered, Visitor};
pub use rng::{Rng, Stream};
pub use session::{AnyState, Session, deal, from_fen};
pub use spec::Spec;
pub use trajectory::{Trajectory, replay};
