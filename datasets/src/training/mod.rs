//! Datasets as rows to train on: what the mover saw and might do, what it did, and what it got in the end.
//!
//! A dataset logs deals and actions, which reproduce games exactly; observations and masks are computed again while it is
//! read. [`open`] reads one epoch: each ply of each game once, in an order that follows from the seed and the epoch's
//! number.
//!
//! - `epoch`: which game comes when, and to which worker;
//! - `logged`: a shard's games, with as little of each ply as it takes to play them again;
//! - `packed`: games played again, their rows packed;
//! - `rows`: the caller's buffers;
//! - `sampler`: games in, batches of rows out.
//!
//! ```
//! use darkqi_datasets::training::{self, SamplerConfig, TrainingRows};
//! # use darkqi_datasets::{Dataset, DatasetWriter, GameRecord, Metadata, MoveName, PlyRecord, DRAW};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let dir = folder.path().join("my-dataset");
//! # let rules = darkqi_env::configure::<darkqi_env::games::gaiqi::Gaiqi>(&Default::default())?;
//! # let metadata = Metadata {
//! #     game: "gaiqi".into(),
//! #     options: darkqi_datasets::options_to_json(&darkqi_env::Spec::of(&rules).options_in_force()),
//! #     seed: 7,
//! #     agents: vec!["random".into()],
//! #     software_version: "0.1.0".into(),
//! # };
//! # DatasetWriter::create(&dir, metadata)?.finish()?;
//! let dataset = Dataset::open(&dir)?;
//! let mut sampler = training::open(&dataset, &SamplerConfig { seed: 3, ..SamplerConfig::default() })?;
//! let lengths = sampler.lengths();
//! let rows = 256;
//! let [mut observation, mut action_mask] =
//!     [lengths.observation, lengths.mask].map(|bytes| vec![0; rows * bytes]);
//! let (mut action, mut player, mut reward) = (vec![0; rows], vec![0; rows], vec![0.0; rows]);
//! let (mut legal_count, mut game_id, mut ply) = (vec![0; rows], vec![0; rows], vec![0; rows]);
//! let filled = sampler.fill(TrainingRows {
//!     observation: &mut observation,
//!     action_mask: &mut action_mask,
//!     action: &mut action,
//!     player: &mut player,
//!     reward: &mut reward,
//!     legal_count: &mut legal_count,
//!     game_id: &mut game_id,
//!     ply: &mut ply,
//! })?;
//! assert!(filled <= rows);
//! # Ok(())
//! # }
//! ```

mod config;
mod epoch;
mod logged;
mod replayed;
mod rows;
mod sampler;

pub use config::SamplerConfig;
pub use rows::{RowLengths, TrainingRows};
pub use sampler::{Sampler, open};
