"""Tests monitors with a store: opening by name, closing, durability, exclusive names, and failures."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import textwrap
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from conftest import EXACT, HOME, SECOND, UUID, mentions
from full_disk import FullDisk

import fencepost
from fencepost import Beacon, BeaconSighting, Diagnostics, Durability, Fix, Monitor
from fencepost.errors import (
    InvalidArgumentError,
    InvalidNameError,
    MonitorInUseError,
    StoreCorruptError,
    StoreTooNewError,
    StoreUnavailableError,
)
from fencepost.types import StoreStatus


def inside(second: float) -> Fix:
    return Fix(52.5, 13.4, 5, time=int(second * SECOND))


def outside(second: float) -> Fix:
    return Fix(53.5, 13.4, 5, time=int(second * SECOND))


def crashed(store: Path, name: str = "m") -> Path:
    """Returns a copy of the files of an open store, without the lock, as they would be after a crash at this moment."""
    copy = store.parent / f"crashed-{len(list(store.parent.iterdir()))}"
    copy.mkdir()
    for path in store.glob(f"{name}.fencepost*"):
        shutil.copy(path, copy)
    return copy


def test_continues_where_it_was(tmp_path: Path) -> None:
    with Monitor("m", store=tmp_path, delivery="first", condition_limit=2) as monitor:
        monitor.add(HOME, "home", policy=EXACT, tag=7)
        monitor.add(Beacon(UUID), "beacon")
        monitor.add(HOME, "too many")
        monitor.feed(inside(0))
        monitor.feed_sightings(BeaconSighting(UUID, 1, 2), time=5 * SECOND)
        first, second = monitor.next_event(), monitor.next_event()
        snapshot, records = monitor.snapshot(), monitor.records()
    assert [path.name for path in tmp_path.iterdir()] == ["m.fencepost"]
    monitor = Monitor("m", store=tmp_path, delivery="first", condition_limit=2)
    assert monitor.records() == records
    assert monitor.snapshot() == snapshot
    # Reading the second event committed the first event; the second event is still uncommitted.
    assert monitor.record(first.identifier).last_event == first
    assert monitor.next_event() == second
    monitor.close()


@pytest.mark.parametrize("store", [str, Path, os.fspath], ids=["str", "Path", "fspath"])
def test_any_path_will_do(tmp_path: Path, store: type) -> None:
    folder = tmp_path / "ümläut and space"
    folder.mkdir()
    Monitor("m", store=store(folder)).close()
    assert [path.name for path in folder.iterdir()] == ["m.fencepost"]


def test_what_the_user_may_see_only(tmp_path: Path) -> None:
    monitor = Monitor("m", store=tmp_path)
    monitor.add(HOME, "home")
    for path in tmp_path.iterdir():
        assert path.stat().st_mode & 0o077 == 0, path.name
    monitor.close()


def test_a_name_is_open_once(tmp_path: Path) -> None:
    first = Monitor("m", store=tmp_path)
    first.add(HOME, "home")
    with pytest.raises(MonitorInUseError, match='"m"'):
        Monitor("m", store=f"{tmp_path}/")
    other = Monitor("other", store=tmp_path)
    (tmp_path / "elsewhere").mkdir()
    elsewhere = Monitor("m", store=tmp_path / "elsewhere")
    in_memory = Monitor("m")
    # Opening the other monitors did not affect the first monitor.
    first.feed(inside(0))
    assert [event.identifier for event in first.poll()] == ["home"]
    first.close()
    with Monitor("m", store=tmp_path) as again:
        assert again.identifiers == ["home"]
    for monitor in (other, elsewhere, in_memory):
        assert monitor.identifiers == []
        monitor.close()


def test_a_name_is_open_once_among_processes(tmp_path: Path) -> None:
    program = textwrap.dedent(
        """
        import sys, fencepost
        try:
            fencepost.Monitor("m", store=sys.argv[1])
        except fencepost.errors.MonitorInUseError as error:
            sys.exit(f"in use: {error}")
        """
    )

    def other() -> str:
        command = [sys.executable, "-c", program, str(tmp_path)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60).stderr

    monitor = Monitor("m", store=tmp_path)
    monitor.add(HOME, "home")
    assert mentions(other(), 'in use: "m"')
    monitor.feed(inside(0))
    monitor.close()
    assert other() == ""
    with Monitor("m", store=tmp_path) as again:
        assert again.statistics().input_count == 1


def test_the_name_is_free_when_the_object_is_gone(tmp_path: Path) -> None:
    monitor = Monitor("m", store=tmp_path)
    monitor.add(HOME, "home")
    del monitor
    gc.collect()
    with Monitor("m", store=tmp_path) as again:
        assert again.identifiers == ["home"]


def test_closing_again_does_nothing(tmp_path: Path) -> None:
    monitor = Monitor("m", store=tmp_path)
    monitor.add(HOME, "home")
    monitor.feed(inside(0))
    monitor.close()
    monitor.close()
    monitor.checkpoint()
    # Pending events can still be read after closing; they are redelivered when the store is opened again.
    assert len(monitor.poll()) == 1
    with Monitor("m", store=tmp_path) as again:
        assert len(again.poll()) == 1


def test_in_memory_nothing_is_to_close() -> None:
    with Monitor() as monitor:
        monitor.checkpoint()
        monitor.close()
        monitor.feed(inside(0))


def test_leaving_with_an_exception_saves_too(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), Monitor("m", store=tmp_path, durability="relaxed") as monitor:
        monitor.add(HOME, "home")
        monitor.feed(inside(0))
        raise ZeroDivisionError
    with Monitor("m", store=tmp_path) as again:
        assert (again.identifiers, again.statistics().input_count) == (["home"], 1)


# ------------------------------------------------------------------------------------ durability


def lived(store: Path, durability: Durability | str, **options: object) -> Monitor:
    """Returns a monitor after three inputs; the last two inputs change nothing."""
    monitor = Monitor("m", store=store, durability=durability, **options)  # type: ignore[arg-type]
    monitor.add(HOME, "home", policy=EXACT)
    for second in range(3):
        monitor.feed(inside(second))
    return monitor


@pytest.mark.parametrize(
    ("durability", "kept"),
    [("changes", (1, 1)), (Durability.EVERY_INPUT, (3, 1)), (Durability.RELAXED, (1, 1))],
)
def test_how_far_back_a_crash_goes(tmp_path: Path, durability: Durability | str, kept: tuple[int, int]) -> None:
    store = tmp_path / "store"
    store.mkdir()
    monitor = lived(store, durability)
    with Monitor("m", store=crashed(store)) as after:
        assert (after.statistics().input_count, after.statistics().pending_events) == kept
    monitor.checkpoint()
    with Monitor("m", store=crashed(store)) as after:
        assert after.snapshot() == monitor.snapshot()
    monitor.close()


@pytest.mark.parametrize("interval", [10, 10.0, timedelta(seconds=10)])
def test_relaxed_saves_at_intervals_of_event_time(tmp_path: Path, interval: float | timedelta) -> None:
    store = tmp_path / "store"
    store.mkdir()
    monitor = lived(store, "relaxed", checkpoint_interval=interval)
    saved = []
    for fix in (outside(9), inside(10), outside(11), inside(19), inside(20)):
        monitor.feed(fix)
        with Monitor("m", store=crashed(store)) as after:
            saved.append(after.clock_us // SECOND)
    assert saved == [0, 10, 10, 10, 20]
    monitor.close()


def test_a_batch_is_one_input_to_keep(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    monitor = lived(store, "every_input")
    monitor.feed_many([outside(10), inside(11), inside(12)])
    with Monitor("m", store=crashed(store)) as after:
        assert after.snapshot() == monitor.snapshot()
    monitor.close()


def test_what_was_handed_out_comes_again_after_a_crash(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    monitor = lived(store, "changes")
    monitor.feed(outside(10))
    batch = monitor.poll()
    assert [event.sequence for event in batch] == [1, 2]
    with Monitor("m", store=crashed(store)) as after:
        assert after.statistics().handed_out_events == 2
        assert after.poll() == batch
    monitor.acknowledge()
    with Monitor("m", store=crashed(store)) as after:
        assert after.poll() == []
        assert after.record("home").last_event == batch[1]
    monitor.close()


# -------------------------------------------------------------------------------------- failures


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for store in (tmp_path / "absent", tmp_path / "file"):
        with pytest.raises(StoreUnavailableError, match=str(store)) as caught:
            Monitor("m", store=store)
        assert isinstance(caught.value, OSError)
        assert (caught.value.code, caught.value.name) == (80, "store_unavailable")
    for store in ("", b"a\0b", "a\0b"):
        with pytest.raises(InvalidArgumentError, match="store"):
            Monitor("m", store=store)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="name"):
        Monitor(None, store=tmp_path)
    for name in ("", "a.b", "../m", "x" * 65):
        with pytest.raises(InvalidNameError):
            Monitor(name=name, store=tmp_path)
    with pytest.raises(TypeError):
        Monitor("m", store=7)  # type: ignore[arg-type]
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_options_out_of_range(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="'often'.*every_input"):
        Monitor("m", store=tmp_path, durability="often")
    for interval in (0, -1, 1e10, timedelta(0)):
        with pytest.raises(InvalidArgumentError, match="checkpoint_interval"):
            Monitor("m", store=tmp_path, durability="relaxed", checkpoint_interval=interval)
    assert list(tmp_path.iterdir()) == []


def test_delivery_and_limit_are_those_it_was_made_with(tmp_path: Path) -> None:
    Monitor("m", store=tmp_path, delivery="latest", condition_limit=3).close()
    for options in ({}, {"delivery": "latest"}, {"condition_limit": 3}):
        with pytest.raises(InvalidArgumentError, match="condition_limit.*3"):
            Monitor("m", store=tmp_path, **options)  # type: ignore[arg-type]
    Monitor("m", store=tmp_path, delivery="latest", condition_limit=3, max_pending_events=5).close()


def test_a_foreign_file_is_left_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "m.fencepost"
    for content in (b"", b"not a database", b"SQLite format 3\0" + bytes(4096)):
        path.write_bytes(content)
        with pytest.raises(StoreCorruptError, match="m.fencepost") as caught:
            Monitor("m", store=tmp_path)
        assert "\n" not in str(caught.value)
        assert path.read_bytes() == content
        assert [found.name for found in tmp_path.iterdir()] == ["m.fencepost"]


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    sqlite3 = pytest.importorskip("sqlite3")
    Monitor("m", store=tmp_path).close()
    connection = sqlite3.connect(tmp_path / "m.fencepost")
    connection.execute("PRAGMA user_version=99")
    connection.close()
    with pytest.raises(StoreTooNewError, match="99"):
        Monitor("m", store=tmp_path)


def test_monitoring_continues_while_the_disk_is_full(tmp_path: Path) -> None:
    monitor = lived(tmp_path, "changes")
    monitor.poll()
    with FullDisk():
        monitor.feed(outside(10))
        reported = monitor.poll()
        assert monitor.statistics().store is StoreStatus.FAILING
        with pytest.raises(StoreUnavailableError):
            monitor.checkpoint()
        assert not monitor.statistics().all_kept
    assert [(event.identifier, event.cause, event.diagnostics) for event in reported] == [
        ("home", "crossing", Diagnostics(0)),
        ("home", "diagnostic", Diagnostics.PERSISTENCE_UNAVAILABLE),
    ]
    monitor.checkpoint()
    assert monitor.statistics().all_kept
    assert [event.diagnostics for event in monitor.poll()] == [Diagnostics(0)]
    statistics = monitor.statistics()
    assert statistics.store is StoreStatus.KEPT
    monitor.close()
    with Monitor("m", store=tmp_path) as again:
        assert again.statistics().input_count == statistics.input_count
        assert again.statistics().handed_out_events == 4


def test_the_store_is_failing_also_without_a_condition(tmp_path: Path) -> None:
    assert Monitor().statistics().store == "none"
    monitor = Monitor("m", store=tmp_path, durability="every_input")
    with FullDisk():
        monitor.advance(1)
        assert (monitor.statistics().store, monitor.poll()) == (StoreStatus.FAILING, [])
        # There was no condition when the save failed, so the event of the next added condition reports the failure.
        monitor.add(HOME, "home")
        assert [(event.identifier, event.diagnostics) for event in monitor.poll()] == [
            ("home", Diagnostics.PERSISTENCE_UNAVAILABLE)
        ]
    monitor.checkpoint()
    assert monitor.statistics().store is StoreStatus.KEPT
    monitor.close()
    assert monitor.fork().statistics().store is StoreStatus.NONE


def test_a_store_that_disappears_is_reported(tmp_path: Path) -> None:
    monitor = lived(tmp_path, "changes")
    (tmp_path / "m.fencepost").rename(tmp_path / "away")
    monitor.feed(outside(10))
    assert monitor.statistics().store is StoreStatus.GONE
    (tmp_path / "away").rename(tmp_path / "m.fencepost")
    monitor.checkpoint()
    assert monitor.statistics().store is StoreStatus.KEPT
    monitor.close()


def test_closing_tells_what_could_not_be_saved(tmp_path: Path) -> None:
    monitor = lived(tmp_path, "changes")
    with FullDisk(), pytest.raises(StoreUnavailableError):
        monitor.close()
    monitor.close()
    with Monitor("m", store=tmp_path) as again:
        assert again.statistics().input_count == 1


def test_creating_on_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    with FullDisk(), pytest.raises(StoreUnavailableError):
        Monitor("m", store=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_after_a_fork_the_store_stays_the_parents(tmp_path: Path) -> None:
    """The test runs in a separate process, because the process of pytest may have other threads."""
    program = textwrap.dedent(
        """
        import os, sys
        from fencepost import Circle, Fix, Monitor, TransitionPolicy
        from fencepost.errors import StoreUnavailableError
        monitor = Monitor("m", store=sys.argv[1])
        monitor.add(Circle(52.5, 13.4, 100), "home", policy=TransitionPolicy.exact())
        monitor.feed(Fix(52.5, 13.4, time=1))
        child = os.fork()
        if child == 0:
            monitor.feed(Fix(53.5, 13.4, time=2))
            try:
                monitor.checkpoint()
            except StoreUnavailableError as error:
                print(error, flush=True)
            print([str(event.diagnostics) for event in monitor.poll()], flush=True)
            del monitor
            os._exit(0)
        os.waitpid(child, 0)
        monitor.feed(Fix(53.5, 13.4, time=3))
        os._exit(0)  # a crash, as far as the store knows
        """
    )
    finished = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    assert finished.stderr == ""
    refused, reported = finished.stdout.splitlines()
    assert "fork()" in refused
    assert reported.count("PERSISTENCE_UNAVAILABLE") == 1
    with Monitor("m", store=tmp_path) as again:
        assert again.clock_us == 3
        assert [event.date_us for event in again.poll()] == [1, 3]


def test_a_forked_child_opens_what_its_parent_has_closed(tmp_path: Path) -> None:
    program = textwrap.dedent(
        """
        import os, sys
        from fencepost import Beacon, Monitor
        from fencepost.errors import MonitorInUseError
        monitor = Monitor("m", store=sys.argv[1])
        monitor.add(Beacon("11111111-2222-3333-4444-555555555555"), "before")
        to_child, to_parent = os.pipe(), os.pipe()
        child = os.fork()
        if child == 0:
            try:
                Monitor("m", store=sys.argv[1])
            except MonitorInUseError:
                print("in use", flush=True)
            os.write(to_parent[1], b".")
            os.read(to_child[0], 1)
            # The child's copy of the closed monitor is alive, and does not keep the name.
            again = Monitor("m", store=sys.argv[1])
            print(again.identifiers, again.statistics().store, flush=True)
            again.add(Beacon("11111111-2222-3333-4444-555555555555"), "child")
            again.close()
            os._exit(0)
        os.read(to_parent[0], 1)
        monitor.close()
        os.write(to_child[1], b".")
        os.waitpid(child, 0)
        print(Monitor("m", store=sys.argv[1]).identifiers, flush=True)
        """
    )
    finished = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    assert finished.stderr == ""
    assert finished.stdout.splitlines() == ["in use", "['before'] kept", "['before', 'child']"]


@pytest.mark.parametrize("name", ["file:here", "file:x?mode=memory", "file:%6d", ":memory:"])
def test_a_directory_whose_name_is_a_uri_to_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkdir(name)
    with Monitor("m", store=name) as monitor:
        monitor.add(HOME, "home")
    assert os.listdir(tmp_path) == [name]
    assert os.listdir(name) == ["m.fencepost"]
    with Monitor("m", store=tmp_path / name) as monitor:
        assert monitor.identifiers == ["home"]


def test_from_several_threads(memory_path: Path) -> None:
    """Several threads feed, poll, save and copy at once, and finally close the monitor: no event is delivered twice,
    and no event is lost."""
    monitor = Monitor("m", store=memory_path, durability="every_input")
    monitor.add(HOME, "home", policy=EXACT)
    seen: list[int] = []
    start, fed = threading.Barrier(4), threading.Event()

    def feed() -> None:
        start.wait(60)
        for second in range(500):
            monitor.feed(inside(second) if second % 2 else outside(second))
        fed.set()

    def take() -> None:
        start.wait(60)
        while not fed.is_set() or monitor.statistics().pending_events:
            seen.extend(event.sequence for event in monitor.poll(3))

    def save() -> None:
        start.wait(60)
        while not fed.is_set():
            monitor.checkpoint()
            assert Monitor.restore(monitor.snapshot()).identifiers == ["home"]

    threads = [threading.Thread(target=target) for target in (feed, take, save)]
    for thread in threads:
        thread.start()
    start.wait(60)
    for thread in threads:
        thread.join(60)
    assert seen == list(range(1, 501))
    monitor.close()
    with Monitor("m", store=memory_path) as again:
        assert again.snapshot() == monitor.snapshot()


def test_core_location_takes_a_store(tmp_path: Path) -> None:
    with Monitor.core_location("m", store=tmp_path) as monitor:
        monitor.add(HOME, "home")
    with fencepost.Monitor.core_location("m", store=tmp_path) as monitor:
        assert monitor.identifiers == ["home"]
