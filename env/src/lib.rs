//! The rules of xiangqi games with covered pieces, and a simulator that steps thousands of games.
//!
//! The crate knows games, not agents or files. Every public item is at the root or in [`games`],
//! [`families`], [`fen`] or [`render`]. The source has these rooms; each uses only rooms above it:
//!
//! | room | what lives there |
//! | --- | --- |
//! | `rng`, `simd`, `copy_vec`, `error` | random numbers, vector instructions, memory, errors |
//! | `board` | squares, bitboards, pieces, actions |
//! | `movement` | how pieces move, checks and pins, lookup tables for both |
//! | `game` | the traits of a game, and what games share: options, FEN, results, repetition |
//! | [`families`] | rule sets that several games are variants of |
//! | [`games`] | the registry and one module per game |
//! | `spec`, `perft` | what a game consists of, for those who do not know it; leaf counts |
//! | `trajectory` | a game as it was played, and the loop that plays it again |
//! | `session`, `batch` | one game with checked actions; many games stepped together |
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

mod batch;
mod board;
mod copy_vec;
mod error;
pub mod families;
mod game;
pub mod games;
mod movement;
mod perft;
pub mod render;
mod rng;
mod session;
mod shown;
mod simd;
mod spec;
mod trajectory;

pub use batch::{
    AnyBatch, Autoreset, Batch, BatchConfig, Buffers, DecisionFault, Decisions, GameSink, Illegal,
    MAX_THREADS, Mask, MaskFormat, OpponentFailure, OpponentTurn, Opponents, Reset, RowLengths,
    Rows, check_decision, is_probability, is_result, make, make_against, policy_entries,
    seat_values, zeroed,
};
pub use board::{
    Action, ActionBits, ActionTable, AnyPiece, Ascending, Bitboard, BoardSize, Colour, Flow, Kind,
    Move, Perspective, Piece, PieceBoard, Reflection, Regions, Square, SquareEncoding,
    UnplacedPieces, UnseenPieces, WideBitboard, WithoutReplacement,
};
pub use copy_vec::CopyVec;
pub use error::{
    ActionError, BatchError, Cause, FenError, OptionError, SetupError, UnknownGame, did_you_mean,
};
pub use game::{
    Activity, Army, Attacks, BoardStyle, Counter, Depict, Domain, DrawnPiece, ENDGAME_PIECES,
    Encoder, Endgame, Event, Face, Features, Format, Game, GameExt, Glyph, Hidden, Hides, Layout,
    Lettering, MAX_PLAYERS, Notation, Observe, OptionConflict, OptionSpec, Options, Outcome,
    Picture, Player, PlyCode, PlyHistory, PositionHistory, QuietPly, RED_AND_BLACK, Reason,
    RecordedHistory, Setting, TEXT_LENGTH, Text, Value, Viewer, configure, counter_byte, fen,
    greatest_counter_byte, perpetual_check, planes_of_tokens,
};
pub use games::{Registered, Visitor};
pub use movement::{AttackOrigins, Attackers, Between, CheckInfo, KingSafety, Leaps, MoveTables};
pub use perft::{divide, perft, perft_until};
pub use rng::{Rng, Stream, game_seed, run_seed};
pub use session::{AnyState, Reveal, Session, deal, from_fen, from_history};
pub use shown::{MAX_NAME, is_control, name_fault, printable, shortened, shown_name};
pub use spec::{OptionInfo, Spec, Symmetry};
pub use trajectory::{LoggedDecision, PolicyEntry, ReplayError, Step, Trajectory, replay};
