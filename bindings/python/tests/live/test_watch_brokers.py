"""What a broker knows a watch by."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from conftest import Run

from fencepost._command import watch_brokers
from fencepost._command.outcomes import UsageError
from fencepost._live.mqtt_address import read_address


def session(store: Path | None, topic: str = "owntracks/#", **more: str | None) -> str:
    given = {"store": None if store is None else str(store), "name": None, "client_id": None, "own_id": None, **more}
    return watch_brokers._session(argparse.Namespace(**given), read_address(f"mqtt://host/{topic}"))


def test_the_id_stays_with_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the computer, or its container, has another name."""
    first = session(tmp_path)
    monkeypatch.setattr("socket.gethostname", lambda: "another")
    assert session(tmp_path) == first
    moved = tmp_path / "moved"
    moved.mkdir()
    assert session(moved) != first
    (tmp_path / "fleet.client-id").rename(moved / "fleet.client-id")
    assert session(moved) == first, "a store that was moved keeps its id"
    assert [path.name for path in moved.iterdir()] == ["fleet.client-id"], "no draft is left"


def test_watches_without_a_store_have_ids_of_their_own() -> None:
    assert session(None) != session(None)
    assert session(None, "a") != session(None, "b")


def test_a_given_id_is_used_for_each_topic() -> None:
    one, other = session(None, "a", client_id="vans"), session(None, "b", client_id="vans")
    assert one.startswith("vans-") and other.startswith("vans-") and one != other


def test_a_file_that_holds_no_id_is_refused(tmp_path: Path) -> None:
    for text in ("", "short", "x" * 12, "0123456789abcdef"):
        (tmp_path / "fleet.client-id").write_text(text)
        with pytest.raises(UsageError, match="client-id"):
            session(tmp_path)


@pytest.mark.parametrize("given", ["", "a b", "x" * 101, "a/b", "caf\xe9"])
def test_ids_that_no_broker_takes(run: Run, tmp_path: Path, given: str) -> None:
    (tmp_path / "places.csv").write_text("identifier,latitude,longitude,radius\na,0,0,100\n")
    arguments = ["watch", "--source", "mqtt://127.0.0.1:1", "--conditions", str(tmp_path / "places.csv")]
    for more in (("--client-id", given), ("--publish-retain",)):
        done = run(*arguments, *more)
        assert done.returncode == 2 and more[0] in done.stderr
