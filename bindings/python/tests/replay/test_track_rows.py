"""Tests the parts of `replay --by`: the reader of CSV by columns, the reader of points in WKB, and the native loop over
rows."""

from __future__ import annotations

import csv
import gc
import math
import random
import threading
import warnings
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import IS_FULL

from fencepost import Fleet, Monitor, Zones, _native
from fencepost._errors import InputError
from fencepost._files import csv_columns, many_tracks
from fencepost._files.csv_columns import columns
from fencepost._files.many_tracks import ManyTracks, Rows
from fencepost._files.track_csv import Layout, opened
from fencepost.errors import InvalidArgumentError, NoSuchDeviceError

HEAD = "vehicle,time,lat,lon,accuracy\n"
NEVER = (1 << 63) - 1
NO_DEVICE = 0


# ------------------------------------------------------------------------------------------------- columns of CSV


@pytest.fixture(autouse=True)
def by_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forces reading by columns even for short texts; normally, short texts are read by columns only if PyArrow is
    already imported."""
    monkeypatch.setattr(csv_columns, "LEAST_CHARACTERS", 0)


@contextmanager
def by_row() -> Iterator[None]:
    """Disables the columnar reader, so that all lines are read row by row."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(many_tracks, "columns", lambda layout, piece: None)
        yield


def fixes_of(path: Path, batch: int = 65_536, time: str = "time") -> list[tuple[Any, ...]] | str:
    """Returns the rows in the form in which they are fed (with None instead of NaN), each with its position in the
    file, followed by the warnings. If the file is refused, returns the error message instead."""
    many = ManyTracks(path, "vehicle", {"time": time}, batch_rows=batch)
    found: list[tuple[Any, ...]] = []
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            batches = list(many.batches())
        for rows in batches:
            accuracies = rows.accuracies if rows.accuracies is not None else [math.nan] * len(rows.tracks)
            columns = (rows.tracks, rows.latitudes, rows.longitudes, accuracies, rows.times)
            for row, (track, *fix, when) in enumerate(zip(*columns)):
                latitude, longitude, accuracy = fix
                place = rows.place(row)
                if latitude != latitude or longitude != longitude:
                    found.append((place, many.keys[track], None, when))
                else:
                    reported = 0.0 if accuracy != accuracy else accuracy
                    found.append((place, many.keys[track], latitude, longitude, reported, when))
    except InputError as error:
        return str(error)
    return found + [(str(one.message),) for one in warned]


CELLS: dict[str, Sequence[str]] = {
    "vehicle": [
        "a", "b", " c", "d ", "é", "7", "a" * 300, "", " ", '"q"', '"two, words"', '"say ""x"""', '"two\nlines"', "#x",
        'x"y', '"ab"c', '"ab" "c"', '""', '"open', "x" * 140_000, "\ufeffz", "taxi", "\x0b", "a\x85b", "a\u2028b",
        '" #x"',
    ],
    "position": [
        "52.5", "-13", " 7 ", "1e1", "+3", "1_0", "", "NA", "null", " None ", "nan", "-NaN", "inf", "91", "north", "٣",
        "nan(7)", "0x10", "1e400", "1e-400", "-0", ".5", "5.", "1E+1", "1d5", "Infinity", '"52.5"', "4" * 400, "52,5",
    ],
    "accuracy": ["5", "0", "-1", "", "nan", "NULL", "inf", "1e400", "x"],
    "time": [
        "2024-05-01T08:00:00Z", "2024-05-01 08:00:00", "2024-05-01T08:00:00.25+02:00", "2024-05-01", "20240501",
        "20240501T080000Z", "20240501e1", "2024-W18-3", "1700000000", "1700000000.5", "1700000000000", "-5", "+6",
        " 7 ", "1_0", "1e3", "99999999999", "100000000000", "99999999999999", "100000000000000", "9" * 18, "9" * 19,
        "9" * 30, "0x10", "-0x10", "007", "0000-01-01T00:00:00Z", "2024-05-01T08:00:00.123456789Z", "2024-05-01T24:00Z",
        "2024-05-01T08", "2024-05-01T08Z", "2024-05-01Z", "2024-05-01T08:00:60Z", "2024-02-30", "2024-05-01T08:00,5Z",
        "1969-12-31T23:59:59.9999999", "2024-05-01T08:00:00-00:00", "9223372036854775807", "-9223372036854775808",
        "NaT",
        "12:30:00 01-May-2024", "0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59.999999Z", "noon", "", "٣",
    ],
}  # fmt: skip
USUAL = {"vehicle": 6, "position": 5, "accuracy": 3, "time": 1}


@pytest.mark.full
@pytest.mark.parametrize("unit", ["time", "time_s", "time_ms", "time_us", "time_ns"])
def test_by_columns_and_by_row_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unit: str) -> None:
    """Tests how hostile files are read: files with a few unusual cells, or with many unusual cells of one kind. Reading
    by columns and reading by row must give the same fixes, positions and warnings, or the same error message."""
    pytest.importorskip("pyarrow")
    refused, read = 0, Counter[bool]()

    def counted(layout: Layout, piece: str) -> Any:
        found = columns(layout, piece)
        read[found is not None] += 1
        return found

    monkeypatch.setattr(many_tracks, "columns", counted)
    seeds = 400 if IS_FULL else 20
    for seed in range(seeds):
        world = random.Random(f"{unit} {seed}")
        strange = world.choice([0, 0, 0.002, 0.03])
        kinds = {what: cells[: USUAL[what]] for what, cells in CELLS.items()}
        kinds["time"] = [world.choice(CELLS["time"] if strange else CELLS["time"][:10])]
        if world.random() < 0.2:
            what = world.choice(list(CELLS))
            kinds[what] = [world.choice(CELLS[what])]
        delimiter, end = world.choice([",", ";", "\t"]), world.choice(["\n", "\n", "\r\n", "\r"])

        def cell(what: str) -> str:
            return world.choice(CELLS[what] if world.random() < strange else kinds[what])

        lines = [["vehicle", unit, "lat", "lon", "accuracy", "note"]]
        for _ in range(world.randrange(60)):
            lines.append([cell(what) for what in ("vehicle", "time", "position", "position", "accuracy", "vehicle")])
            if world.random() < strange:
                lines[-1] = world.choice([lines[-1][:3], [*lines[-1], "more"], [], ["# a comment"], ["\0"]])
        text = end.join(delimiter.join(line) for line in lines) + world.choice([end, "", 2 * end])
        if strange and world.random() < 0.2:
            text = text.replace(end, "\n", world.randrange(9))
        data = text.encode(world.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16"]))
        if world.random() < 0.05:
            data = data[: world.randrange(len(data) + 1)] + world.choice([b"", b"\xff", b"\x80\n"])
        path = tmp_path / "t.csv"
        path.write_bytes(data)
        with by_row():
            expected = fixes_of(path, time=unit)
        refused += isinstance(expected, str)
        for batch in (1, 7, 65_536):
            assert fixes_of(path, batch, unit) == expected, (unit, seed, batch)
    assert 0.15 < refused / seeds < 0.75 and min(read[True], read[False]) > 2.5 * seeds, (refused, read)


def test_usual_files_are_read_by_columns(tmp_path: Path) -> None:
    """The file includes quotes, missing positions and accuracies, Windows line endings, and several kinds of times."""
    for times in (
        "2024-05-01T08:00:00.5Z",
        "2024-05-01 08:00",
        "2024-05-01T08:00:00+02:00",
        "1700000000",
        "1700000000.25",
    ):
        for line in ("a,{},52,13,5\r\n", '"a, b",{},52.5,-13.25,\r\n', "é,{},,,NA\r\n"):
            (tmp_path / "t.csv").write_bytes((HEAD.replace("\n", "\r\n") + line.format(times) * 1000).encode())
            with opened(tmp_path / "t.csv", {}, "vehicle") as table:
                (piece,) = table.pieces()
                read = columns(table.layout, piece)
            assert read is not None and len(read.times) == len(read.tracks) == 1000 and len(read.names) == 1


def test_a_row_may_go_on_in_the_next_batch(tmp_path: Path) -> None:
    rows = [["v" if n % 3 else "two\nlines, and\n\nmore", n, 52 + n / 1000, 13, 5] for n in range(100)]
    with open(tmp_path / "t.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([HEAD.strip().split(","), *rows])
    expected = [(vehicle, latitude, 13.0, 5.0, n * 1_000_000) for vehicle, n, latitude, *_ in rows]
    for batch in range(1, 12):
        found = fixes_of(tmp_path / "t.csv", batch)
        assert [row[1:] for row in found] == expected


@pytest.mark.parametrize(
    "bad", ["x,2,north,13,5", "x,noon,52,13,5", ",2,52,13,5", "x,2,52", "x,9999999999999999999999,52,13,5"]
)
def test_the_line_of_what_is_wrong(tmp_path: Path, bad: str) -> None:
    text = (
        HEAD + "a,1,52,13,5\n" * 700 + "\n# a comment\n" + 'a,1,52,13,"5"\n' * 300 + bad + "\n" + "a,1,52,13,5\n" * 100
    )
    (tmp_path / "t.csv").write_text(text)
    for batch in (64, 65_536):
        error = fixes_of(tmp_path / "t.csv", batch)
        assert isinstance(error, str) and "line 1004: " in error


def test_a_file_that_is_no_text_further_on(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes((HEAD + "a,1,52,13,5\n" * 5000).encode() + b"a,1,52,\xff,5\n")
    errors = {fixes_of(tmp_path / "t.csv", batch) for batch in (7, 65_536)}
    with by_row():
        errors |= {fixes_of(tmp_path / "t.csv", batch) for batch in (7, 65_536)}
    assert len(errors) == 1 and "t.csv: line 5002: " in str(errors)


# ------------------------------------------------------------------------------------------------ the native loop


def handle(tracks: int = 2, **options: int) -> tuple[Any, array[int]]:
    """Returns a fleet with a device for each track, and the devices' numbers."""
    zones = Zones()
    zones.add_many(["c"], latitude=[52.0], longitude=[13.0], radius=[100.0], policy="exact")
    fleet = Fleet(zones, **options)._handle
    return fleet, array("Q", fleet.enter(tuple(map(str, range(tracks)))))


def good(count: int = 6) -> dict[str, Any]:
    """Returns valid arguments for feed_tracks: rows that alternate between two tracks. Each track enters the circle
    with its second row."""
    fleet, numbers = handle()
    return {
        "fleet": fleet,
        "devices": numbers,
        "begins": array("q", [NEVER] * 2),
        "tracks": array("q", [0, 1] * (count // 2)),
        "latitude": array("d", [53.0, 53.0] + [52.0] * (count - 2)),
        "longitude": array("d", [13.0] * count),
        "accuracy": array("d", [5.0] * count),
        "time": array("q", range(10, 10 + count)),
        "start": 0,
        "stop": count,
        "found": [],
        "as_json": False,
    }


def feed(arguments: dict[str, Any]) -> tuple[int, int, int]:
    return _native.feed_tracks(*arguments.values())


def test_events_come_with_row_and_track() -> None:
    given = good()
    assert feed(given) == (6, 0, 0, 0)
    assert [(place, track, event[1], event[9]) for place, track, event in given["found"]] == [
        (5, 0, "c", 52.0), (7, 1, "c", 52.0),
    ]  # fmt: skip
    assert list(given["begins"]) == [10, 11]
    text = good() | {"as_json": True}
    feed(text)
    assert [item[2] for item in text["found"]] == [_native.event_json(*event[:-1]) for _, _, event in given["found"]]


def test_it_passes_over_tracks_without_a_device() -> None:
    given = good()
    given["devices"][0] = NO_DEVICE
    assert feed(given) == (3, 0, 0, 0)
    assert [item[:2] for item in given["found"]] == [(7, 1)] and list(given["begins"]) == [NEVER, 11]
    assert feed(given | {"start": 6}) == (0, 0, 0, 0)
    given = good()
    given["devices"] = array("Q", [NO_DEVICE] * 2)
    assert feed(given) == (0, 0, 0, 0) and given["found"] == [] and list(given["begins"]) == [NEVER, NEVER]


def test_a_full_queue_is_emptied_and_the_rest_is_fed() -> None:
    rows = 20_000
    usual, narrow = good(rows), good(rows)
    for given in (usual, narrow):
        given["latitude"] = array("d", [52.0 + (row // 2) % 2 for row in range(rows)])
    narrow["fleet"], narrow["devices"] = handle(max_pending_events=7)
    assert feed(usual) == (rows, 0, 0, 0) == feed(narrow)
    assert len(usual["found"]) == rows and narrow["found"] == usual["found"]
    assert [item[0] for item in usual["found"]] == [2 * row + 1 for row in range(rows)]


def test_late_invalid_and_missing() -> None:
    given = good()
    given["time"][4] = 3
    given["latitude"][5] = 91.0
    given["longitude"][3] = math.nan
    given["accuracy"][2] = math.nan
    assert feed(given) == (3, 1, 2, 0)
    assert [(item[0], item[2][11]) for item in given["found"]] == [(5, 0.0)]  # accuracy not reported
    assert list(given["begins"]) == [3, 11]
    given = good()
    given["accuracy"][2:] = array("d", [-1.0] * 4)
    assert feed(given) == (2, 0, 4, 0) and given["found"] == []
    assert feed(good() | {"accuracy": None}) == (6, 0, 0, 0)


def test_any_stride() -> None:
    usual, spread = good(), good()
    feed(usual)
    for name in ("tracks", "latitude", "longitude", "accuracy", "time"):
        code = spread[name].typecode
        spread[name] = memoryview(array(code, [value for value in spread[name] for _ in "12"]))[::2]
    assert feed(spread) == (6, 0, 0, 0) and spread["found"] == usual["found"]
    turned = good()
    for name in ("tracks", "latitude", "longitude", "accuracy", "time"):
        turned[name] = memoryview(array(turned[name].typecode, reversed(turned[name])))[::-1]
    assert feed(turned) == (6, 0, 0, 0) and turned["found"] == usual["found"]


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"fleet": None}, TypeError, "^fleet "),
        ({"fleet": Monitor()._handle}, TypeError, "^fleet "),
        ({"fleet": Fleet(Zones())}, TypeError, "^fleet "),
        ({"found": None}, TypeError, "found"),
        ({"devices": array("Q", [1, 7])}, NoSuchDeviceError, "row 1: .* device .* 7"),
        ({"devices": array("Q", [1])}, InvalidArgumentError, "devices .* 64-bit .* begins"),
        ({"devices": array("I", [1, 2])}, InvalidArgumentError, "devices .* 64-bit"),
        ({"devices": memoryview(bytearray(17))[1:].cast("Q")}, InvalidArgumentError, "devices .* 64-bit"),
        ({"devices": memoryview(array("Q", [1] * 4))[::2]}, BufferError, "contiguous"),
        ({"devices": [0, 1]}, TypeError, "bytes-like"),
        ({"begins": array("q", [0])}, InvalidArgumentError, "begins"),
        ({"begins": array("q", [0]), "devices": array("Q", [1])}, InvalidArgumentError, "track 1"),
        ({"begins": array("q"), "devices": array("Q")}, InvalidArgumentError, "row 0: .*track 0"),
        ({"begins": array("d", [0, 0])}, TypeError, "begins .* 64-bit"),
        ({"begins": array("i", [0, 0])}, TypeError, "begins"),
        ({"begins": memoryview(array("q", [0] * 4))[::2]}, InvalidArgumentError, "begins"),
        ({"begins": bytes(16)}, BufferError, "writable"),
        ({"begins": memoryview(bytearray(16)).cast("q", (2, 1))}, TypeError, "begins"),
        ({"begins": memoryview(bytearray(17))[1:].cast("q")}, InvalidArgumentError, "begins"),
        ({"begins": None}, TypeError, "bytes-like"),
        ({"tracks": array("q", [-1] * 6)}, InvalidArgumentError, "row 0: .*track -1"),
        ({"tracks": array("q", [-1, 1, 0, 0, 0, 0])}, InvalidArgumentError, "row 0: .*track -1"),
        ({"tracks": array("q", [1, 0, -1, -1, 0, 0])}, InvalidArgumentError, "row 2: .*track -1"),
        ({"tracks": array("q", [1 << 62] * 6)}, InvalidArgumentError, "track 4611686018427387904"),
        ({"tracks": array("q", [0] * 5)}, InvalidArgumentError, "tracks .*5 .*latitude .*6"),
        ({"tracks": array("i", [0] * 6)}, TypeError, "64-bit"),
        ({"tracks": array("d", [0] * 6)}, TypeError, "tracks.*column"),
        ({"tracks": [0] * 6}, TypeError, "bytes-like"),
        ({"latitude": array("d", [0] * 7)}, InvalidArgumentError, "longitude .* 6 rows, .*latitude .* 7"),
        ({"latitude": array("f", [0] * 6)}, TypeError, "latitude"),
        ({"latitude": memoryview(bytes(48)).cast("d", (2, 3))}, TypeError, "2 dimensions"),
        ({"longitude": bytes(48)}, TypeError, "longitude"),
        ({"accuracy": array("d")}, InvalidArgumentError, "accuracy has 0 rows"),
        ({"accuracy": 5.0}, TypeError, "bytes-like"),
        ({"time": array("d", [0] * 6)}, TypeError, "time"),
        ({"time": None}, TypeError, "bytes-like"),
        ({"start": -1}, InvalidArgumentError, "rows -1 to 6 .* 6 rows"),
        ({"start": 4, "stop": 3}, InvalidArgumentError, "rows 4 to 3 .* 6 rows"),
        ({"stop": 7}, InvalidArgumentError, "rows 0 to 7 .* 6 rows"),
        ({"start": 1 << 70}, OverflowError, ""),
        ({"stop": 2.0}, TypeError, "integer"),
    ],
)  # fmt: skip
def test_hostile_arguments(change: dict[str, Any], error: type[Exception], words: str) -> None:
    given = good()
    with pytest.raises(error, match=words if error is not OverflowError else None):
        feed(given | change)
    feed(given)  # succeeds, so the refused call holds no buffer any more


def test_with_a_wrong_number_in_the_middle_nothing_is_fed() -> None:
    given = good()
    given["tracks"][5] = 2
    with pytest.raises(InvalidArgumentError, match="row 5.*track 2"):
        feed(given)
    assert given["found"] == [] and list(given["begins"]) == [NEVER, NEVER]


def test_numbers_that_change_meanwhile() -> None:
    """Creating event objects may start the garbage collector, whose finalizers may run any code, such as code that
    changes the arguments."""
    given = good(40_000)
    for row in range(40_000):
        given["latitude"][row] = 52.0 + row // 2 % 2

    class Found(list[Any]):
        pass

    cycles: list[Any] = []

    class Changes:
        def __del__(self) -> None:
            given["devices"][0] = 99

    for _ in range(3):
        loop: list[Any] = [Changes()]
        loop.append(loop)
        cycles.append(loop)
    del loop, cycles
    gc.set_threshold(50)
    try:
        with pytest.raises(NoSuchDeviceError):
            feed(given | {"found": Found()})
    finally:
        gc.set_threshold(700)


def test_random_arguments_never_crash() -> None:
    world = random.Random(3)
    pool: list[Any] = [None, False, 0, 5, -1, 1 << 80, b"", bytes(48), bytearray(48), (), "text", object()]
    pool += [[], [None], [False, None]]
    pool += [array(code, [0] * size) for code in "dqifBQI" for size in (0, 2, 6)]
    pool += [memoryview(array("q", range(12)))[::-2], memoryview(bytes(96)).cast("d")[::2]]
    done = 0
    for _ in range(20_000):
        if not done % 50:
            given = good()
        broken = dict(given)
        for name in world.sample(list(given), world.choice([1, 1, 2, 3])):
            broken[name] = world.choice([*pool, *given.values()])
        try:
            feed(broken)
            done += 1
        except (TypeError, ValueError, BufferError, OverflowError, RuntimeError, _native.NoSuchDeviceError):
            pass
    assert done > 100


def test_a_fleet_that_threads_use_meanwhile() -> None:
    """The calls release the interpreter lock; no thread waits forever, and an error is raised if another thread uses
    the same object."""
    given = good(20_000)
    fleet, stop = given["fleet"], threading.Event()

    def others(name: str) -> None:
        while not stop.is_set():
            fleet.feed_fix(name, 60.0, 0.0, 5.0, 10**15)
            fleet.statistics()
            fleet.remove_device(name, True)

    threads = [threading.Thread(target=others, args=(name,)) for name in ("another", "third")]
    for thread in threads:
        thread.start()
    try:
        for _ in range(5):
            again = given | {"time": array("q", range(10, 20_010)), "found": []}
            accepted, late, invalid, _ = feed(again)
            assert accepted + late + invalid == 20_000
            given = good(20_000) | {"fleet": fleet, "devices": given["devices"]}
    finally:
        stop.set()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()


def test_events_of_somebody_else_are_no_rows() -> None:
    given = good()
    many = array("d", [52.0] * 9)
    fleet = given["fleet"]
    fleet.feed_columns(
        many, array("d", [13.0] * 9), 5.0, array("q", range(9)), 1, 1, False, None, ("another",), 1 << 40
    )
    with pytest.raises(RuntimeError, match="another thread"):
        feed(given)


# ----------------------------------------------------------------------------------------------------------- rows


def test_rows_are_sent_as_they_are() -> None:
    import pickle

    rows = Rows(array("q", [0]), array("d", [1.0]), array("d", [2.0]), None, array("q", [3]), 1, str)
    assert pickle.loads(pickle.dumps(rows)) == rows


@pytest.mark.parametrize("kind", ["plain", "nulls", "big-endian", "three", "empty", "sliced"])
def test_points_as_wkb(kind: str) -> None:
    shapely, pa = pytest.importorskip("shapely"), pytest.importorskip("pyarrow")
    pytest.importorskip("nanoarrow")
    from fencepost._files.table_rows import TableRows

    world = random.Random(kind)
    places = [(world.uniform(-180, 180), world.uniform(-90, 90)) for _ in range(200)]
    points = [shapely.Point(*place, 7) if kind == "three" else shapely.Point(place) for place in places]
    if kind == "empty":
        points[3] = shapely.Point()
        places[3] = (math.nan, math.nan)
    options = {"byte_order": int(kind != "big-endian"), "output_dimension": 3 if kind == "three" else 2}
    data = [shapely.to_wkb(point, **options) for point in points]
    if kind == "nulls":
        data[5], places[5] = None, (math.nan, math.nan)
    field = pa.field("geometry", pa.binary(), metadata={"ARROW:extension:name": "geoarrow.wkb"})
    schema = pa.schema([field, pa.field("time_us", pa.int64())])
    table = pa.table([pa.array(data, pa.binary()), pa.array(range(200), pa.int64())], schema)
    if kind == "sliced":
        table, places = table.slice(17, 90), places[17:107]
    (batch,) = TableRows(table, "table", {}, None)
    assert [repr(pair) for pair in zip(batch[1], batch[0])] == [repr(place) for place in places]


def test_keys_of_dictionaries() -> None:
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("nanoarrow")
    from fencepost._files.table_rows import TableRows

    rest = {"time_us": pa.array(range(5), pa.int64()), "lat": [1.0] * 5, "lon": [2.0] * 5}
    for index in (pa.int8(), pa.uint16(), pa.int32(), pa.int64()):
        for values in (pa.array(["a", "b", "unused"]), pa.array([5, 7]), pa.array(["a", "b"], pa.large_string())):
            keys = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1, 0, 1], index), values)
            whole = pa.table({"key": keys, **rest})
            for table in (whole, whole.slice(1, 3)):
                (batch,) = TableRows(table, "table", {}, "key")
                assert batch.codes is not None
                assert [batch.keys[code] for code in batch.codes] == table["key"].to_pylist()
    for indices, values in ([[0, None, 1, 0, 0], ["a", "b"]], [[0, 1, 2, 0, 0], ["a", None, "b"]]):
        keys = pa.DictionaryArray.from_arrays(pa.array(indices), pa.array(values))
        with pytest.raises(InputError, match="row 1.*'key'"):
            list(TableRows(pa.table({"key": keys, **rest}), "table", {}, "key"))
