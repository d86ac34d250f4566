//! Datasets as training rows: what the mover saw, its legal actions, the action it played and its
//! reward at the end.
//!
//! A dataset logs deals and actions, which reproduce games exactly. Observations and masks are
//! recomputed while it is read. [`Sampler`] reads one epoch: each ply of each game once, in an order
//! that follows from the seed and the epoch's number.
//!
//! - `config`: what is read, and in which order;
//! - `epoch`: the order of the games, and the worker that reads each;
//! - `logged`: a shard's games, with the columns needed to replay them;
//! - `replayed`: games replayed into compact rows;
//! - `rows`: the columns of rows: the caller's buffers, and a batch with memory of its own;
//! - `sampler`: from games to batches of rows;
//! - `observation_files`: the rows as Parquet files.
//!
//! ```
//! use darkqi_format::training::{Sampler, SamplerConfig, TrainingBatch};
//! # use darkqi_format::{Dataset, DatasetWriter, GameRecord, Metadata, PlyRecord};
//! # use darkqi_env::{Game, Rng, Stream, game::{GameExt, Notation}};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let dir = folder.path().join("my-dataset");
//! # let rules = darkqi_env::games::gaiqi::Gaiqi::default();
//! # let options = darkqi_env::Spec::of(&rules).options_in_force();
//! # let metadata = Metadata {
//! #     game: "gaiqi".into(),
//! #     options: darkqi_format::options_to_json(&options),
//! #     seed: 7,
//! #     agents: vec!["random".into()],
//! #     software_version: "0.1.0".into(),
//! # };
//! # let mut state = rules.deal(&mut Rng::new(7, Stream::Deal));
//! # let rng = &mut Rng::new(7, Stream::Sample);
//! # let (deal, mut moves) = (rules.fen(&state), Vec::new());
//! # let outcome = loop {
//! #     let legal = rules.actions(&state);
//! #     if let Some(outcome) = rules.outcome_given(&state, !legal.is_empty()) {
//! #         break outcome;
//! #     }
//! #     let action = *rng.choose(&legal);
//! #     moves.push(PlyRecord {
//! #         player: rules.to_move(&state) as i8,
//! #         action: action.0,
//! #         legal_count: legal.len() as u16,
//! #         ..Default::default()
//! #     });
//! #     rules.play(&mut state, action);
//! # };
//! # let game = GameRecord {
//! #     deal,
//! #     agents: vec!["random".into(); 2],
//! #     plies: moves.len() as u16,
//! #     rewards: outcome.rewards().to_vec(),
//! #     reason: outcome.reason.name().into(),
//! #     moves,
//! #     ..Default::default()
//! # };
//! # let mut writer = DatasetWriter::create(&dir, metadata)?;
//! # writer.write_shard(0, std::slice::from_ref(&game))?;
//! # writer.finish()?;
//! let dataset = Dataset::open(&dir)?; // games of gaiqi: 8 files, 4 ranks
//! let mut sampler = Sampler::open(&dataset, &SamplerConfig { seed: 3, ..Default::default() })?;
//! let mut batch = TrainingBatch::new(&sampler, 16);
//! batch.fill(&mut sampler)?;
//!
//! assert_eq!(batch.len(), 16);
//! for (row, &action) in batch.action().iter().enumerate() {
//!     let planes = batch.observation(row); // channels, ranks and files, one byte each
//!     assert_eq!(planes.len() % (4 * 8), 0);
//!     assert_eq!(batch.action_mask(row)[action as usize], 1);
//! }
//! # Ok(())
//! # }
//! ```

mod config;
mod epoch;
mod logged;
mod observation_files;
mod replayed;
mod rows;
mod sampler;

pub use config::SamplerConfig;
pub use observation_files::{
    ObservationFault, check_observations, has_observations, write_observations,
};
pub use rows::{TrainingBatch, TrainingRows};
pub use sampler::Sampler;
