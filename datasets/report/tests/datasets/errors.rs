//! Each fault of a dataset gives its own error. The message names the place and what was expected.

use std::fs;
use std::path::Path;

use crate::samples::{game, games, metadata, read, says, write};
use bytes::Bytes;
use darkqi_format::{Dataset, DatasetWriter, Error, Metadata, Table};
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::file::metadata::{KeyValue, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};
use serde_json::Value;
use tempfile::{TempDir, tempdir};
use twox_hash::XxHash64;

const GAMES: &str = "games/00000.parquet";
const PLIES: &str = "plies/00000.parquet";

/// A dataset of one shard with games 0 to 9.
fn dataset() -> TempDir {
    let dir = tempdir().unwrap();
    write(dir.path(), &[&games(0, 10)]);
    dir
}

/// The error that ends reading the whole dataset.
fn read_error(dir: &Path) -> Error {
    let dataset = Dataset::open(dir).unwrap();
    let mut replays = dataset.replays();
    let error = replays.by_ref().find_map(Result::err).unwrap();
    assert!(replays.next().is_none(), "an error ends the stream");
    error
}

/// A column of a forged file.
struct Forged {
    field: TypePtr,
    values: Values,
}

enum Values {
    /// Those of a column with these leaves in another file, byte for byte.
    Copied {
        file: Bytes,
        leaves: Vec<usize>,
    },
    Texts(Vec<Option<&'static str>>),
    /// Whatever the column's type says of their range.
    Numbers(Vec<i32>),
}

impl Forged {
    fn texts(name: &str, is_nullable: bool, texts: Vec<Option<&'static str>>) -> Self {
        let repetition = if is_nullable { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let field = Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
            .with_repetition(repetition)
            .with_logical_type(Some(LogicalType::String));
        Self { field: field.build().unwrap().into(), values: Values::Texts(texts) }
    }
}

fn footer(file: &Bytes) -> ParquetMetaData {
    ParquetMetaDataReader::new().parse_and_finish(file).unwrap()
}

fn key_values(path: &Path) -> Option<Vec<KeyValue>> {
    let file = fs::read(path).unwrap().into();
    footer(&file).file_metadata().key_value_metadata().cloned()
}

/// The columns of a file.
fn columns(path: &Path) -> Vec<Forged> {
    let file = Bytes::from(fs::read(path).unwrap());
    let footer = footer(&file);
    let schema = footer.file_metadata().schema_descr();
    let fields = schema.root_schema().get_fields().iter().enumerate();
    let column = |(place, field): (usize, &TypePtr)| {
        let is_leaf = |&leaf: &usize| schema.get_column_root_idx(leaf) == place;
        let leaves = (0..schema.num_columns()).filter(is_leaf).collect();
        Forged { field: field.clone(), values: Values::Copied { file: file.clone(), leaves } }
    };
    fields.map(column).collect()
}

/// Writes a file of one row group.
fn forge(path: &Path, columns: &[Forged], pairs: Option<Vec<KeyValue>>) {
    let fields = columns.iter().map(|column| column.field.clone()).collect();
    let schema = Type::group_type_builder("schema").with_fields(fields).build().unwrap();
    let mut file = create(path, schema.into(), pairs);
    let mut group = file.next_row_group().unwrap();
    for Forged { field, values } in columns {
        match values {
            Values::Copied { file, leaves } => {
                let footer = footer(file);
                for &leaf in leaves {
                    let metadata = footer.row_group(0).column(leaf).clone();
                    let close = ColumnCloseResult {
                        bytes_written: metadata.compressed_size() as u64,
                        rows_written: footer.row_group(0).num_rows() as u64,
                        metadata,
                        bloom_filter: None,
                        column_index: None,
                        offset_index: None,
                    };
                    group.append_column(file, close).unwrap();
                }
            }
            Values::Texts(texts) => {
                let levels: Vec<i16> = texts.iter().map(|text| text.is_some().into()).collect();
                let levels = field.is_optional().then_some(&*levels);
                let texts: Vec<_> = texts.iter().flatten().copied().map(ByteArray::from).collect();
                let mut column = group.next_column().unwrap().unwrap();
                column.typed::<ByteArrayType>().write_batch(&texts, levels, None).unwrap();
                column.close().unwrap();
            }
            Values::Numbers(numbers) => {
                let mut column = group.next_column().unwrap().unwrap();
                column.typed::<Int32Type>().write_batch(numbers, None, None).unwrap();
                column.close().unwrap();
            }
        }
    }
    group.close().unwrap();
    file.close().unwrap();
}

fn create(
    path: &Path,
    schema: TypePtr,
    pairs: Option<Vec<KeyValue>>,
) -> SerializedFileWriter<fs::File> {
    let properties = WriterProperties::builder().set_key_value_metadata(pairs).build();
    SerializedFileWriter::new(fs::File::create(path).unwrap(), schema, properties.into()).unwrap()
}

/// Writes a file of the `games` table without rows.
fn write_empty(path: &Path, pairs: Option<Vec<KeyValue>>) {
    create(path, Table::Games.schema(), pairs).close().unwrap();
}

/// Changes the columns of a file, keeps its metadata, and updates the checksums in the manifest. `change`
/// is given the number of rows.
fn rewrite(path: &Path, change: impl Fn(&mut Vec<Forged>, usize)) {
    let (mut columns, pairs) = (columns(path), key_values(path));
    let rows = footer(&fs::read(path).unwrap().into()).file_metadata().num_rows();
    change(&mut columns, rows as usize);
    forge(path, &columns, pairs);
    relist(path.parent().and_then(Path::parent).unwrap());
}

fn place(columns: &[Forged], name: &str) -> usize {
    columns.iter().position(|column| column.field.name() == name).unwrap()
}

/// Replaces a column by a column of texts.
fn with_texts(columns: &mut [Forged], name: &str, texts: Vec<Option<&'static str>>) {
    let place = place(columns, name);
    columns[place] = Forged::texts(name, columns[place].field.is_optional(), texts);
}

/// Updates the checksums of the shard's files in the manifest.
fn relist(dir: &Path) {
    let path = dir.join("dataset.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    for (key, name) in [("games_xxh64", GAMES), ("plies_xxh64", PLIES)] {
        let checksum = XxHash64::oneshot(0, &fs::read(dir.join(name)).unwrap());
        manifest["shards"][0][key] = format!("{checksum:016x}").into();
    }
    fs::write(path, manifest.to_string()).unwrap();
}

#[test]
fn a_manifest_with_paths_instead_of_names() {
    let names = [
        "../games/00000.parquet",
        "/etc/passwd",
        "a/b",
        "games/../x",
        "games/",
        "..",
        "",
        "C:x",
        "a\\b",
    ];
    for (name, file) in names.into_iter().flat_map(|name| [(name, GAMES), (name, PLIES)]) {
        let dir = dataset();
        replace_in_manifest(dir.path(), &format!("{file:?}"), &format!("{name:?}"));
        let error = Dataset::open(dir.path()).unwrap_err();
        assert!(matches!(error, Error::Manifest { .. }), "{error}");
        let found = format!("found {name:?}");
        says(
            &error,
            &["dataset.json", "the name of a file in `games/` or `plies/` or beside", &found],
        );
    }
}

fn replace_in_manifest(dir: &Path, old: &str, new: &str) {
    let path = dir.join("dataset.json");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(old), "{text} does not hold {old}");
    fs::write(path, text.replace(old, new)).unwrap();
}

#[test]
fn folders_that_are_not_datasets() {
    let dir = tempdir().unwrap();
    let error = Dataset::open(dir.path().join("nowhere")).unwrap_err();
    assert!(matches!(error, Error::MissingFolder { .. }));
    says(&error, &["nowhere", "expected a folder"]);

    let error = Dataset::open(dir.path()).unwrap_err();
    assert!(matches!(error, Error::NotADataset { .. }));
    says(&error, &["is not a dataset", "`dataset.json`"]);

    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(Dataset::open(&file), Err(Error::NotADataset { .. })));
}

#[test]
fn an_invalid_manifest() {
    for (text, part) in [
        ("{", "line 1"),
        ("[1]", "expected a map"),
        (r#"{"game": "jieqi"}"#, "missing field `schema_version`"),
        (r#"{"schema_version": 2, "complete": true, "shards": []}"#, "missing field `game`"),
    ] {
        let dir = dataset();
        fs::write(dir.path().join("dataset.json"), text).unwrap();
        let error = Dataset::open(dir.path()).unwrap_err();
        assert!(matches!(error, Error::Manifest { .. }), "{error}");
        says(&error, &["dataset.json", part]);
    }
}

#[test]
fn another_schema_version() {
    let dir = dataset();
    replace_in_manifest(dir.path(), "\"schema_version\": 2", "\"schema_version\": 99");
    let error = Dataset::open(dir.path()).unwrap_err();
    assert!(matches!(error, Error::SchemaVersion { expected: 2, .. }));
    says(&error, &["dataset.json", "expected schema version 2", "found 99"]);

    let path = dir.path().join(GAMES);
    let pairs = vec![KeyValue::new("darkqi.schema_version".into(), "0".to_string())];
    write_empty(&path, Some(pairs));
    let error = Metadata::of_file(&path).unwrap_err();
    assert!(matches!(error, Error::SchemaVersion { .. }));
    says(&error, &[GAMES, "found 0"]);
}

#[test]
fn a_listed_file_is_missing() {
    let dir = dataset();
    let dataset = Dataset::open(dir.path()).unwrap();
    fs::remove_file(dir.path().join(PLIES)).unwrap();
    let error = Dataset::open(dir.path()).unwrap_err();
    assert!(matches!(error, Error::MissingFile { .. }));
    says(&error, &[PLIES, "`dataset.json` lists it"]);
    // The file may also be deleted after opening.
    assert!(matches!(dataset.game(3), Err(Error::MissingFile { .. })));
}

/// Each damage of a file has an error of its own.
#[test]
fn damaged_and_foreign_files() {
    let other = tempdir().unwrap();
    let metadata = Metadata { seed: 5, ..metadata() };
    let mut writer = DatasetWriter::create(other.path(), metadata).unwrap();
    writer.write_shard(0, &games(0, 10)).unwrap();
    let cut = |length: usize| {
        move |path: &Path| fs::write(path, &fs::read(path).unwrap()[..length]).unwrap()
    };
    let page = |path: &Path| {
        let mut bytes = fs::read(path).unwrap();
        bytes[4..300].fill(0xff);
        fs::write(path, &bytes).unwrap();
    };
    let foreign = |path: &Path| {
        fs::copy(other.path().join(GAMES), path).unwrap();
    };
    let table = |path: &Path| {
        fs::copy(path.parent().unwrap().with_file_name(PLIES), path).unwrap();
    };
    let complete = "expected a complete Parquet file";
    type Damage<'a> = &'a dyn Fn(&Path);
    let damages: [(&str, Damage<'_>, &[&str]); 7] = [
        (PLIES, &cut(0), &[complete]),
        (PLIES, &cut(3), &[complete]),
        (PLIES, &cut(100), &[complete]),
        (PLIES, &page, &["expected the XXH64 checksum"]),
        (GAMES, &|path| write_empty(path, None), &["`darkqi.schema_version`"]),
        (GAMES, &foreign, &["`darkqi.seed`", "18446744073709551614", "found \"5\""]),
        (GAMES, &table, &["`darkqi.table`", "expected \"games\"", "found \"plies\""]),
    ];
    for (name, damage, parts) in damages {
        let dir = dataset();
        damage(&dir.path().join(name));
        let error = read_error(dir.path());
        says(&error, &[&[name], parts].concat());
    }
}

#[test]
fn any_changed_byte_is_found() {
    let dir = tempdir().unwrap();
    write(dir.path(), &[&games(1, 2)]);
    for name in [GAMES, PLIES] {
        let path = dir.path().join(name);
        let mut bytes = fs::read(&path).unwrap();
        // Every seventh byte, to save time. The lowest bit of a number in the footer is its sign.
        for place in (0..bytes.len()).step_by(7) {
            bytes[place] ^= 1;
            fs::write(&path, &bytes).unwrap();
            let dataset = Dataset::open(dir.path()).unwrap();
            says(&dataset.game(2).unwrap_err(), &[name]);
            says(&read_error(dir.path()), &[name]);
            bytes[place] ^= 1;
        }
        fs::write(&path, &bytes).unwrap();
    }
    assert_eq!(read(dir.path()), games(1, 2));
}

#[test]
fn invalid_metadata() {
    let dir = dataset();
    let path = dir.path().join(GAMES);
    for (key, part) in [
        ("darkqi.options", "a JSON object"),
        ("darkqi.seed", "an unsigned 64-bit number"),
        ("darkqi.agents", "a JSON list of strings"),
    ] {
        let mut pairs = key_values(&path).unwrap();
        pairs.retain(|pair| pair.key != key);
        pairs.push(KeyValue::new(key.into(), "?".to_string()));
        let broken = dir.path().join("broken.parquet");
        write_empty(&broken, Some(pairs));
        let error = Metadata::of_file(&broken).unwrap_err();
        assert!(matches!(error, Error::FileMetadata { .. }), "{error}");
        says(&error, &["broken.parquet", key, part, "found \"?\""]);
    }
}

#[test]
fn columns_that_are_missing_or_of_another_type() {
    let dir = dataset();
    let path = dir.path().join(PLIES);
    rewrite(&path, |columns, rows| with_texts(columns, "action", vec![Some("17"); rows]));
    let error = read_error(dir.path());
    assert!(matches!(error, Error::Column { column: "action", .. }), "{error}");
    says(&error, &[PLIES, "expected UInt16, never null", "found Utf8"]);

    rewrite(&path, |columns, _| columns.truncate(3));
    let error = read_error(dir.path());
    says(&error, &[PLIES, "`action`", "found no such column"]);
}

#[test]
fn additional_columns_and_another_order_are_allowed() {
    let dir = dataset();
    rewrite(&dir.path().join(PLIES), |columns, rows| {
        columns.insert(0, Forged::texts("comment", true, vec![None; rows]));
        columns.rotate_left(3);
    });
    assert_eq!(read(dir.path()), games(0, 10));
}

#[test]
fn invalid_values_of_a_column() {
    let dir = dataset();
    rewrite(&dir.path().join(PLIES), |columns, rows| {
        let mut letters = vec![None; rows];
        letters[5] = Some("RRRRR");
        with_texts(columns, "revealed", letters);
    });
    let error = read_error(dir.path());
    assert!(matches!(error, Error::Value { column: "revealed", row: 5, .. }), "{error}");
    says(&error, &[PLIES, "a name of 1 to 4 bytes or null", "\"RRRRR\""]);

    rewrite(&dir.path().join(PLIES), |columns, rows| {
        let mut names = vec![Some("a1a2"); rows];
        names[2] = Some("a1a2 and more");
        with_texts(columns, "move", names);
    });
    let error = read_error(dir.path());
    assert!(matches!(error, Error::Value { column: "move", row: 2, .. }), "{error}");
    says(&error, &["at most 12 bytes", "a1a2 and more"]);

    let dir = self::dataset();
    rewrite(&dir.path().join(GAMES), |columns, rows| {
        with_texts(columns, "first_reveal_kind", vec![None; rows]);
    });
    let error = read_error(dir.path());
    assert!(matches!(error, Error::Value { row: 1, .. }), "{error}");
    says(&error, &[GAMES, "first_reveal_", "kind null"]);
}

#[test]
fn numbers_of_too_many_bits_do_not_wrap() {
    for (file, column, number) in
        [(GAMES, "plies", 65_541), (PLIES, "action", -1), (PLIES, "player", 256)]
    {
        let dir = dataset();
        rewrite(&dir.path().join(file), |columns, rows| {
            let place = place(columns, column);
            let mut numbers = vec![1; rows];
            numbers[1] = number;
            columns[place].values = Values::Numbers(numbers);
        });
        let error = read_error(dir.path());
        assert!(matches!(error, Error::Value { row: 1, .. }), "{error}");
        says(&error, &[file, column, "expected a number of", " bits", &number.to_string()]);
    }
}

#[test]
fn plies_of_other_games() {
    // The plies of ten other games of equal lengths.
    let dir = dataset();
    let other = tempdir().unwrap();
    let mut others = games(0, 10);
    others.iter_mut().for_each(|game| game.game_id += 100);
    write(other.path(), &[&others]);
    let whole = fs::read(dir.path().join(PLIES)).unwrap();
    fs::copy(other.path().join(PLIES), dir.path().join(PLIES)).unwrap();
    relist(dir.path());
    let error = read_error(dir.path());
    assert!(matches!(error, Error::FileMetadata { key: "darkqi.first_game_id", .. }), "{error}");
    says(&error, &[PLIES, "expected \"0\", found \"100\""]);

    // Under the metadata of these games.
    fs::write(dir.path().join(PLIES), whole).unwrap();
    rewrite(&dir.path().join(PLIES), |old, _| {
        let place = place(old, "game_id");
        old[place] = columns(&other.path().join(PLIES)).swap_remove(place);
    });
    for error in [read_error(dir.path()), Dataset::open(dir.path()).unwrap().game(4).unwrap_err()] {
        assert!(matches!(error, Error::Value { column: "game_id", .. }), "{error}");
        says(&error, &[PLIES, "game_id"]);
    }

    // A game with fewer plies than rows.
    let (full, short) = (dataset(), tempdir().unwrap());
    let mut games = games(0, 10);
    let last = games.last_mut().unwrap();
    last.plies -= 1;
    last.moves.pop();
    write(short.path(), &[&games]);
    fs::copy(short.path().join(GAMES), full.path().join(GAMES)).unwrap();
    relist(full.path());
    let error = read_error(full.path());
    assert!(matches!(error, Error::RowCount { .. }), "{error}");
    says(&error, &[PLIES]);
}

#[test]
fn a_wrong_number_of_rows() {
    for games in [11, u64::MAX] {
        let dir = dataset();
        replace_in_manifest(dir.path(), "\"games\": 10", &format!("\"games\": {games}"));
        let error = read_error(dir.path());
        assert!(matches!(error, Error::RowCount { expected, found: 10, .. } if expected == games));
        says(&error, &[GAMES, &format!("expected {games} rows, found 10")]);
    }
}

#[test]
fn a_shard_that_is_listed_twice() {
    let dir = tempdir().unwrap();
    write(dir.path(), &[&games(0, 10), &games(10, 10)]);
    replace_in_manifest(dir.path(), "\"shard\": 1", "\"shard\": 0");
    let error = Dataset::open(dir.path()).unwrap_err();
    assert!(matches!(error, Error::ShardOrder { before: 0, shard: 0, .. }), "{error}");
}

#[test]
fn a_footer_with_other_numbers_of_rows_than_its_row_groups() {
    for rows in [11, 1 << 40] {
        let dir = dataset();
        replace_rows(&dir.path().join(GAMES), 10, rows);
        replace_in_manifest(dir.path(), "\"games\": 10", &format!("\"games\": {rows}"));
        relist(dir.path());
        let error = Dataset::open(dir.path()).unwrap().game(4).unwrap_err();
        assert!(
            matches!(error, Error::RowCount { expected: 10, found, .. } if found == rows),
            "{error}"
        );
    }
}

/// Forges the number of rows that a file's footer begins with.
fn replace_rows(file: &Path, rows: u64, forged: u64) {
    let varint = |number: u64| {
        // Zigzag, and then seven bits a byte.
        let mut left = 2 * number;
        let mut bytes = Vec::new();
        while left > 127 {
            bytes.push((left & 127) as u8 | 128);
            left >>= 7;
        }
        [bytes, vec![left as u8]].concat()
    };
    let text = fs::read(file).unwrap();
    let (text, footer_length) = text[..text.len() - 4].split_at(text.len() - 8);
    let length = u32::from_le_bytes(footer_length.try_into().unwrap()) as usize;
    let (rows_before, footer) = text.split_at(text.len() - length);
    // The field after it is a list: that of row groups.
    let field = |number| [vec![0x16], varint(number), vec![0x19]].concat();
    let (old, new) = (field(rows), field(forged));
    let place = footer.windows(old.len()).position(|bytes| bytes == old).expect("a number of rows");
    let footer = [&footer[..place], &new, &footer[place + old.len()..]].concat();
    let length = (footer.len() as u32).to_le_bytes();
    fs::write(file, [rows_before, &footer, &length, b"PAR1"].concat()).unwrap();
}

#[test]
fn an_unknown_game() {
    let dir = tempdir().unwrap();
    write(dir.path(), &[&[game(1, 2), game(3, 2)], &[game(8, 2)]]);
    let dataset = Dataset::open(dir.path()).unwrap();
    assert_eq!(dataset.game(3).unwrap(), game(3, 2));
    for id in [0, 2, 5, 9, u64::MAX] {
        let error = dataset.game(id).unwrap_err();
        assert!(matches!(error, Error::UnknownGame { .. }));
        says(&error, &[&format!("no game {id} in")]);
    }
}

#[test]
fn a_page_of_places_in_a_dictionary_that_the_file_lacks() {
    for column in ["game_id", "deal"] {
        let dir = dataset();
        let path = dir.path().join(GAMES);
        let mut bytes = fs::read(&path).unwrap();
        let footer = footer(&Bytes::from(bytes.clone()));
        let chunks = footer.row_group(0).columns();
        let chunk = chunks.iter().find(|chunk| chunk.column_path().string() == column).unwrap();
        // In the page's header, the number of values (10, which is 20 in Thrift) comes before the encoding.
        let header = &mut bytes[chunk.data_page_offset() as usize..][..40];
        let begin = [0x2c, 0x15, 20, 0x15];
        let place = header.windows(4).position(|four| four == begin).unwrap() + 4;
        assert!([0, 10].contains(&header[place]), "plain or delta, twice");
        header[place] = 2 * 8;
        fs::write(&path, bytes).unwrap();
        relist(dir.path());
        says(&read_error(dir.path()), &[GAMES]);
    }
}
