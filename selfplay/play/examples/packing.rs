//! The cost of zstd levels and sizes of row groups: bytes, and times to write and to read.
//!
//! ```sh
//! CFLAGS= cargo run --release --package darkqi-play --example packing -- jieqi 20000
//! ```
//!
//! Games of the greedy agent are played, kept in memory and written with each setting. Times are the
//! best of three.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use darkqi_engine::agents::AgentSpec;
use darkqi_format::{Dataset, DatasetWriter, GameRecord, ParquetSettings};
use darkqi_play::generation::{Job, selfplay};
use parquet::file::metadata::ParquetMetaDataReader;

const LEVELS: [i32; 5] = [1, 3, 6, 9, 15];
const GROUP_ROWS: [usize; 4] = [1 << 14, 1 << 16, 1 << 17, 1 << 20];

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(game), Some(games)) = (args.next(), args.next()) else {
        return Err("expected a game and a number of games, such as jieqi 20000".into());
    };
    let folder = tempfile::tempdir()?;
    let played = folder.path().join("played");
    let agents = vec!["greedy".parse::<AgentSpec>()?];
    let (games, dir) = (games.parse()?, Some(played.clone()));
    let job = Job { games, dir, seed: 1, ..Job::new(game, agents) };
    selfplay(&job, &(), &AtomicBool::new(false))?;
    let dataset = Dataset::open(&played)?;
    let shards = (0..dataset.shards().len()).map(|shard| dataset.shard_replays(shard).collect());
    let shards = shards.collect::<Result<Vec<Vec<GameRecord>>, _>>()?;
    let (games, plies) = (dataset.num_games() as f64, dataset.num_plies() as f64);
    println!("{games} games, {:.1} plies per game\n", plies / games);

    println!(
        "| zstd level | rows in a group | bytes a game | bytes a ply | of these `action` | write | read |"
    );
    println!("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let defaults = LEVELS.map(|level| (level, 1 << 17));
    let groups = GROUP_ROWS.map(|rows| (3, rows));
    let mut packings: Vec<(i32, usize)> = defaults.into_iter().chain(groups).collect();
    packings.sort_unstable();
    packings.dedup();
    for (level, rows) in packings {
        let packing = ParquetSettings::new(level, rows).ok_or("no such packing")?;
        let dir = folder.path().join(format!("{level}-{rows}"));
        let write = best_of_three(|| {
            if dir.exists() {
                fs::remove_dir_all(&dir)?;
            }
            let writer = DatasetWriter::create(&dir, dataset.metadata().clone())?;
            let mut writer = writer.with_parquet_settings(packing);
            for (number, shard) in (0..).zip(&shards) {
                writer.write_shard(number, shard)?;
            }
            Ok(writer.finish()?)
        })?;
        let read = best_of_three(|| {
            let games = Dataset::open(&dir)?
                .replays()
                .try_fold(0, |count, game| game.map(|_| count + 1))?;
            assert_eq!(games, dataset.num_games());
            Ok(())
        })?;
        let columns = column_bytes(&dir)?;
        let all: f64 = columns.values().sum();
        let plies_file: f64 =
            columns.iter().filter(|((table, _), _)| table == "plies").map(|(_, bytes)| bytes).sum();
        let action = columns[&("plies".to_owned(), "action".to_owned())];
        println!(
            "| {level} | {rows} | {:.0} | {:.2} | {:.2} | {:.2} s | {:.2} s |",
            all / games,
            plies_file / plies,
            action / plies,
            write.as_secs_f64(),
            read.as_secs_f64()
        );
        fs::remove_dir_all(&dir)?;
    }
    Ok(())
}

fn best_of_three(
    mut work: impl FnMut() -> Result<(), Box<dyn Error>>,
) -> Result<Duration, Box<dyn Error>> {
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let started = Instant::now();
        work()?;
        best = best.min(started.elapsed());
    }
    Ok(best)
}

/// The compressed bytes of each column, by table and column.
fn column_bytes(dir: &Path) -> Result<BTreeMap<(String, String), f64>, Box<dyn Error>> {
    let mut bytes = BTreeMap::new();
    for shard in Dataset::open(dir)?.shards() {
        for (table, file) in [("games", &shard.games_file), ("plies", &shard.plies_file)] {
            let footer =
                ParquetMetaDataReader::new().parse_and_finish(&File::open(dir.join(file))?)?;
            for column in footer.row_groups().iter().flat_map(|group| group.columns()) {
                let name = column.column_path().parts()[0].clone();
                *bytes.entry((table.to_owned(), name)).or_default() +=
                    column.compressed_size() as f64;
            }
        }
    }
    Ok(bytes)
}
