"""Other libraries read a dataset's tables, and fetch little more than a query needs.

``scripts/test-storage.sh`` runs these tests, against moto's S3 server. Row groups and columns that
are to be skipped are overwritten with zeros, which a reader notices that does not skip them.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from common import dataset_of

import darkqi
import darkqi.datasets
from darkqi.datasets import Table

pl = pytest.importorskip("polars", reason="scripts/test-storage.sh runs these tests")
duckdb = pytest.importorskip("duckdb", reason="scripts/test-storage.sh runs these tests")
pytest.importorskip("moto", reason="scripts/test-storage.sh runs these tests")
pytestmark = pytest.mark.filterwarnings("default")

import pyarrow.parquet as pq  # noqa: E402
from s3 import Server  # noqa: E402

# Two shards of three row groups. The game is in the second group of the first shard.
GAMES, GAME = 1800, 500
RUN: dict[str, Any] = {"agents": "random", "seed": 1, "shard_games": GAMES // 2}
COLUMNS = ["game_id", "ply", "action"]

Reader = Callable[[str, Table, list[str] | None, int | None], Any]


folder = dataset_of("jieqi", GAMES, **RUN)


@pytest.fixture(scope="module")
def damaged(folder: Path) -> Path:
    """Returns a copy in which only the row group of ``GAME`` can be read of all plies."""
    path = folder.parent / "damaged"
    shutil.copytree(folder, path)
    for file in (path / "plies").iterdir():
        erase(file, lambda group, _: (file.stem, group) != ("00000", 1))  # noqa: B023
    return path


def erase(file: Path, is_erased: Callable[[int, str], bool]) -> None:
    """Overwrites some columns of some row groups of a file with zeros."""
    footer, data = pq.read_metadata(file), bytearray(file.read_bytes())
    for group in range(footer.num_row_groups):
        for number in range(footer.num_columns):
            column = footer.row_group(group).column(number)
            if is_erased(group, column.path_in_schema):
                start = column.dictionary_page_offset or column.data_page_offset
                data[start : start + column.total_compressed_size] = bytes(
                    column.total_compressed_size
                )
    file.write_bytes(data)


@pytest.fixture(scope="module")
def server(storage: Server, folder: Path, damaged: Path) -> Iterator[Server]:
    """Returns a server that has both, with the environment that leads there."""
    with pytest.MonkeyPatch.context() as environment:
        for name, value in storage.variables.items():
            environment.setenv(name, value)
        storage.put("sound", folder)
        storage.put("damaged", damaged)
        yield storage


@pytest.fixture(scope="module")
def ray(server: Server) -> Iterator[Any]:
    """Starts Ray, with the environment that leads to the server."""
    ray = pytest.importorskip("ray", reason="scripts/test-storage.sh runs these tests")
    pytest.importorskip("ray.data", reason="scripts/test-storage.sh runs these tests")
    assert server.port
    ray.init(address="local", num_cpus=2, log_to_driver=False, include_dashboard=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()


def with_polars(url: str, table: Table, columns: list[str] | None, game: int | None) -> Any:
    rows = pl.scan_parquet(f"{url}/{table}/*.parquet")
    rows = rows if game is None else rows.filter(pl.col("game_id") == game)
    return (rows if columns is None else rows.select(columns)).collect()


def with_darkqi(url: str, table: Table, columns: list[str] | None, game: int | None) -> Any:
    dataset = darkqi.datasets.load(url)
    rows = dataset.games if table == "games" else dataset.plies
    rows = rows if game is None else rows.filter(pl.col("game_id") == game)
    return (rows if columns is None else rows.select(columns)).collect()


def with_duckdb(url: str, table: Table, columns: list[str] | None, game: int | None) -> Any:
    rows = darkqi.datasets.load(url).arrow_dataset(table)
    query = f"select {', '.join(columns or ['*'])} from rows"
    if game is not None:
        query += f" where game_id = {game}"
    found = duckdb.connect().register("rows", rows).sql(query).pl()
    return found if columns == ["player"] else found.sort(pl.nth(range(2)))


def with_ray(url: str, table: Table, columns: list[str] | None, game: int | None) -> Any:
    import ray
    from ray.data.expressions import col

    rows = ray.data.read_parquet(f"{url}/{table}/", columns=columns)
    if game is not None:
        rows = rows.filter(expr=col("game_id") == game)
    found = pl.concat([pl.DataFrame(block) for block in ray.get(rows.to_arrow_refs())])
    return found if columns == ["player"] else found.sort(pl.nth(range(2)))


READERS: dict[str, Reader] = {
    "polars": with_polars,
    "darkqi": with_darkqi,
    "duckdb": with_duckdb,
    "ray": with_ray,
}


@pytest.fixture(params=READERS)
def read(request: pytest.FixtureRequest) -> Reader:
    """Returns each way to read some columns of a table, of all games or of one."""
    if request.param == "ray":
        request.getfixturevalue("ray")
    return READERS[request.param]


def test_tables_are_those_of_the_folder(server: Server, folder: Path, read: Reader) -> None:
    assert server.port
    expected = pl.read_parquet(folder / "games/*.parquet")
    assert read("s3://games/sound", "games", None, None).equals(expected)


def test_a_predicate_skips_row_groups(server: Server, folder: Path, read: Reader) -> None:
    expected = pl.scan_parquet(folder / "plies/*.parquet").filter(pl.col("game_id") == GAME)
    server.reset()
    found = read("s3://games/damaged", "plies", COLUMNS, GAME)
    assert found.equals(expected.select(COLUMNS).collect())
    assert found.height > 0
    # polars asks for the last 512 KiB of each file to find its footer.
    assert sent(server) < 0.45 * size(folder)


def test_only_columns_of_the_query_are_fetched(server: Server, folder: Path, read: Reader) -> None:
    expected = pl.read_parquet(folder / "plies/*.parquet", columns=["player"])
    server.reset()
    found = read("s3://games/sound", "plies", ["player"], None)
    assert (
        found["player"].value_counts(sort=True).equals(expected["player"].value_counts(sort=True))
    )
    assert sent(server) < 0.45 * size(folder)


def test_readers_that_skip_nothing_are_noticed(server: Server, folder: Path) -> None:
    server.reset()
    with pytest.raises(pl.exceptions.ComputeError):
        with_polars("s3://games/damaged", "plies", None, None)
    server.reset()
    with_polars("s3://games/sound", "plies", None, None)
    assert sent(server) >= size(folder)


def sent(server: Server) -> int:
    return sum(size for path, size in server.sent.items() if "/plies/" in path)


def size(folder: Path) -> int:
    return sum(file.stat().st_size for file in (folder / "plies").iterdir())


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    pytest.importorskip("pyspark", reason="scripts/test-storage.sh runs these tests")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    yield spark
    spark.stop()


def test_spark_reads_the_tables(spark: Any, folder: Path) -> None:
    # Spark has no unsigned integers: 64 bits of them are a decimal of 20 digits.
    games = spark.read.parquet(str(folder / "games"))
    assert dict(games.dtypes)["game_id"] == dict(games.dtypes)["seed"] == "decimal(20,0)"
    expected = pl.read_parquet(folder / "games/*.parquet")
    assert sorted(games.select("game_id", "seed", "plies", "reason", "agents").collect()) == (
        expected.select("game_id", "seed", "plies", "reason", "agents").rows()
    )
    plies = spark.read.parquet(str(folder / "plies")).filter(f"game_id = {GAME}")
    expected = pl.scan_parquet(folder / "plies/*.parquet").filter(pl.col("game_id") == GAME)
    assert sorted(plies.select(COLUMNS).collect()) == expected.select(COLUMNS).collect().rows()


def test_spark_skips_columns_but_no_row_groups(
    spark: Any, folder: Path, damaged: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder / "plies", tmp_path / "plies")
    for file in (tmp_path / "plies").iterdir():
        erase(file, lambda _, column: column != "player")
    players = spark.read.parquet(str(tmp_path / "plies")).groupBy("player").count()
    expected = pl.read_parquet(folder / "plies/*.parquet")["player"].value_counts().rows()
    assert sorted(map(tuple, players.collect())) == sorted(expected)
    # By a number without a sign Spark skips none, whatever its plan says. The page says so.
    one = spark.read.parquet(str(damaged / "plies")).filter(f"game_id = {GAME}").select(COLUMNS)
    plan = one._jdf.queryExecution().toString()
    assert f"PushedFilters: [IsNotNull(game_id), EqualTo(game_id,{GAME})]" in plan
    with pytest.raises(Exception, match="FAILED_READ_FILE"):
        one.collect()
    # The list of shards says which file to read.
    (shard,) = (it for it in shards(folder) if it["first_game_id"] <= GAME <= it["last_game_id"])
    one = spark.read.parquet(str(folder / shard["plies_file"])).filter(f"game_id = {GAME}")
    expected = pl.scan_parquet(folder / "plies/*.parquet").filter(pl.col("game_id") == GAME)
    assert one.count() == expected.collect().height


def shards(folder: Path) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads((folder / "dataset.json").read_text())["shards"]
    return listed
