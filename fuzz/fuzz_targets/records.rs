//! Valid files with impossible records: analyses return an error or a result, and do not panic.
//!
//! Input (bytes): game (1), then edits of its records: record (1), ply (1), column (1), value (2).

#![no_main]

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Mutex, PoisonError};

use darkqi_format::{Dataset, DatasetWriter, GameRecord, Metadata, MoveName, PieceName};
use darkqi_fuzz::{Input, analyse_dataset, temp_folder, write_dataset};
use libfuzzer_sys::fuzz_target;

type Played = (Metadata, Vec<GameRecord>);

/// The metadata and the records of a few games, before any edit.
fn played(game: &'static str) -> Played {
    static PLAYED: Mutex<BTreeMap<&str, Played>> = Mutex::new(BTreeMap::new());
    let mut all = PLAYED.lock().unwrap_or_else(PoisonError::into_inner);
    all.entry(game)
        .or_insert_with(|| {
            let folder = temp_folder().join(game);
            let _ = fs::remove_dir_all(&folder);
            write_dataset(game, &folder);
            let dataset = Dataset::open(&folder).expect("the dataset was written");
            let games =
                dataset.replays().collect::<Result<_, _>>().expect("the dataset was written");
            (dataset.metadata().clone(), games)
        })
        .clone()
}

const REWARDS: [f32; 8] = [0.0, 1.0, -1.0, 0.5, f32::NAN, f32::INFINITY, f32::MAX, -0.0];

/// No letter, any character, or a letter with a meaning.
fn letter(value: u16) -> Option<char> {
    match value % 3 {
        0 => None,
        1 => char::from_u32(value.into()),
        _ => "KAEHRCPSkaehrcps~*?".chars().nth(usize::from(value) / 3 % 19),
    }
}

/// A piece whose name is this letter.
fn piece(value: u16) -> Option<PieceName> {
    letter(value).map(|letter| {
        PieceName::from(letter.encode_utf8(&mut [0; 4])).expect("a letter has at most four bytes")
    })
}

fn edit(games: &mut [GameRecord], input: &mut Input<'_>) {
    let (number, ply) = (input.below(games.len()), input.below(256));
    let (column, value) = (input.below(20), input.word());
    let game = &mut games[number];
    let text = format!("{value}");
    let plies = game.moves.len();
    match column {
        0 => game.seed = value.into(),
        1 => game.deal = text,
        // One byte changed: more likely to be parsed than a new text.
        2 if game.deal.is_ascii() && !game.deal.is_empty() => {
            let place = ply % game.deal.len();
            game.deal.replace_range(place..=place, &char::from(value as u8 & 0x7F).to_string());
        }
        3 => game.agents.truncate(ply),
        4 => game.agents.push(text),
        5 => game.winner = value as i8,
        6 => game.rewards.truncate(ply),
        7 => game.rewards.push(REWARDS[usize::from(value) % 8]),
        8 => game.terminated = value.is_multiple_of(2),
        9 => game.reason = text.into(),
        10 => game.first_player = value as i8,
        11 => game.first_reveal = None,
        12 => {
            if let Some(reveal) = &mut game.first_reveal {
                match value % 4 {
                    0 => reveal.square = text,
                    1 => reveal.kind = letter(value / 4).unwrap_or('K'),
                    2 => reveal.color = letter(value / 4).unwrap_or('g'),
                    _ => reveal.player = (value / 4) as i8,
                }
            }
        }
        13 => game.deal_id = if value == 0 { u64::MAX } else { value.into() },
        14 => game.moves.truncate(ply),
        15 if plies > 0 => game.moves.push(game.moves[ply % plies].clone()),
        16 => (0..game.rewards.len()).for_each(|seat| {
            game.rewards[seat] = REWARDS[usize::from(value.rotate_right(2 * seat as u32)) % 8];
        }),
        _ if plies == 0 => {}
        17 => game.moves[ply % plies].action = value,
        18 => game.moves[ply % plies].player = value as i8,
        _ => {
            let played = &mut game.moves[ply % plies];
            match value % 5 {
                0 => played.mv = MoveName::from(&text).expect("five digits fit"),
                1 => played.legal_count = value / 5,
                2 => played.revealed = piece(value / 5),
                3 => played.captured = piece(value / 5),
                _ => played.captured_covered = !played.captured_covered,
            }
        }
    }
    game.plies = game.moves.len() as u16;
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input::new(bytes);
    let (metadata, mut games) = played(input.game());
    while !input.is_empty() {
        edit(&mut games, &mut input);
    }
    let folder = temp_folder().join("records");
    let _ = fs::remove_dir_all(&folder);
    let mut writer = DatasetWriter::create(&folder, metadata).expect("the folder was removed");
    if writer.write_shard(0, &games).is_ok() {
        writer.finish().expect("the dataset can be finished");
        let dataset = Dataset::open(&folder).expect("the dataset was written");
        let read: Result<Vec<GameRecord>, _> = dataset.replays().collect();
        let read = read.expect("the dataset was written");
        // By their text, because NaN is not equal to itself.
        assert_eq!(format!("{read:?}"), format!("{games:?}"));
        analyse_dataset(&folder);
    }
});
