"""Tests files that contain condition tables; the name of such a file is a digest of its content."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest

from fencepost import Zones
from fencepost.errors import InvalidArgumentError

pytest.importorskip("numpy")
pytest.importorskip("pyarrow")

from fencepost._spark.tables import ship, tables


def zones(*names: str) -> Zones:
    found = Zones()
    for name in names:
        found.add_many([name], [0], [0], [100])
    return found


def write(folder: Path, conditions: Zones) -> Path:
    path = folder / f"{conditions.version.digest.hex()}.conditions"
    path.write_bytes(conditions.snapshot())
    return path


def test_a_version_is_read_once_and_is_what_its_name_says(tmp_path: Path) -> None:
    one = zones("a", "b")
    path = write(tmp_path, one)
    table = tables("none", str(tmp_path))
    found = table(one.version.digest)
    assert list(found) == ["a", "b"] and found.version == one.version
    path.unlink()  # a table that was already read can still be used
    assert table(one.version.digest) is found


def test_a_file_that_is_not_there_or_holds_something_else_is_named(tmp_path: Path) -> None:
    one, other, third = zones("a", "b", "c"), zones("d"), zones("e", "f")
    table = tables("none", str(tmp_path))
    with pytest.raises(InvalidArgumentError, match=f"{one.version.digest.hex()}.*{os.strerror(errno.ENOENT)}"):
        table(one.version.digest)
    path = write(tmp_path, one)
    path.write_bytes(other.snapshot())
    with pytest.raises(InvalidArgumentError, match=other.version.digest.hex()):
        table(one.version.digest)
    for damaged in (b"", b"fencepost", one.snapshot()[:-1], bytes(len(one.snapshot()))):
        path.write_bytes(damaged)
        with pytest.raises(InvalidArgumentError, match=one.version.digest.hex()):
            table(one.version.digest)
    write(tmp_path, one)  # an error is not cached
    assert list(table(one.version.digest)) == ["a", "b", "c"]
    folder = tmp_path / f"{third.version.digest.hex()}.conditions"
    os.mkdir(folder)
    with pytest.raises(InvalidArgumentError, match=third.version.digest.hex()):
        table(third.version.digest)


def test_a_table_that_could_not_be_handed_out_is_handed_out_the_next_time() -> None:
    class Context:
        applicationId = "application of a test"  # noqa: N815
        tries = 0
        added: ClassVar[list[str]] = []

        def addFile(self, path: str) -> None:
            self.tries += 1
            if self.tries == 1:
                raise OSError("not now")
            assert Zones.restore(Path(path).read_bytes()).version == one.version
            self.added.append(path)

    one, context = zones("a"), Context()
    frame = SimpleNamespace(sparkSession=SimpleNamespace(sparkContext=context))
    with pytest.raises(OSError, match="not now"):
        ship(frame, one)
    names = {ship(frame, one), ship(frame, one)}
    assert [Path(path).name for path in context.added] == [*names]
