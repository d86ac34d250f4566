"""Paths that name datasets: folders, and URLs. ``test_storage.py`` has those of object storage."""

from pathlib import Path
from typing import Any

import pytest

import darkqi
import darkqi.datasets


def test_a_file_url_is_a_folder(tmp_path: Path) -> None:
    url = (tmp_path / "gaiqi").as_uri()
    darkqi.selfplay("gaiqi", url, 10)
    assert darkqi.verify(url) == darkqi.verify(tmp_path / "gaiqi")
    dataset = darkqi.datasets.load(url)
    assert dataset.path == tmp_path / "gaiqi"
    assert dataset.files("games") == [tmp_path / "gaiqi/games/00000.parquet"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (
            Path("s3://bucket/gaiqi"),
            "expected s3://bucket/gaiqi, found s3:/bucket/gaiqi, as pathlib",
        ),
        ("ftp://host/gaiqi", "expected a folder, or a URL that begins with s3://, .* found ftp://"),
        ("s3://bucket", "expected s3://BUCKET/PATH, found s3://bucket"),
        ("s3://key:word@bucket/gaiqi", "with `@`: credentials are taken from the environment"),
    ],
)
def test_other_urls_are_refused(path: Any, expected: str) -> None:
    for call in (
        darkqi.verify,
        darkqi.first_reveal,
        darkqi.piece_values,
        darkqi.datasets.load,
        darkqi.finish,
        lambda path: darkqi.replay(path, 0),
        lambda path: darkqi.report(path, "report.html"),
        lambda path: darkqi.selfplay("gaiqi", path, 10),
    ):
        with pytest.raises(ValueError, match=expected) as error:
            call(path)
        assert "word" not in str(error.value)


def test_writers_that_need_a_folder_say_so() -> None:
    with pytest.raises(OSError, match=r"gs://bucket/log is not a folder: only self-play writes"):
        darkqi.make("banqi", 2, log="gs://bucket/log")
