"""Tests how fixes are sorted by time, both in a file with one track and within each track of a file with several
tracks."""

from __future__ import annotations

from array import array

from hypothesis import given, strategies as st

from fencepost._files.order import Clocks, late_rows, ordered, places_in_time, taken
from fencepost._files.tracks import Track

ROWS = st.lists(st.tuples(st.integers(0, 4), st.integers(-5, 5)), max_size=40)


@given(ROWS)
def test_rows_are_sorted_within_their_tracks(rows: list[tuple[int, int]]) -> None:
    tracks, times = array("q", (row[0] for row in rows)), array("q", (row[1] for row in rows))
    places = places_in_time(tracks, times)
    assert sorted(places) == list(range(len(rows)))
    # Sorting moves rows only within their own track, so the sequence of track numbers does not change.
    assert taken(tracks, places) == tracks
    for track in set(tracks):
        own = [row for row in places if tracks[row] == track]
        expected = [row for row in range(len(rows)) if tracks[row] == track]
        assert own == sorted(expected, key=times.__getitem__)  # rows with equal times keep their order


@given(ROWS)
def test_late_rows_are_those_earlier_than_one_before(rows: list[tuple[int, int]]) -> None:
    tracks, times = [row[0] for row in rows], [row[1] for row in rows]
    expected = [
        row
        for row in range(len(rows))
        if any(tracks[before] == tracks[row] and times[before] > times[row] for before in range(row))
    ]
    for size in (1, 3, 100):
        clocks, found = Clocks(), []
        for first in range(0, len(rows), size):
            part = slice(first, first + size)
            found += [first + row for row in clocks.late_rows(tracks[part], times[part])]
        assert found == expected
    places = places_in_time(tracks, times)
    assert not Clocks().late_rows(tracks, [times[row] for row in places])


@given(st.lists(st.integers(0, 9), max_size=30))
def test_a_track(times: list[int]) -> None:
    fixes = [(0.0, float(row), 0.0, time) for row, time in enumerate(times)]
    track, late = ordered(Track("t", fixes, key="k"))
    assert late == late_rows(times) == sum(any(b > t for b in times[:row]) for row, t in enumerate(times))
    assert list(track.fixes) == sorted(fixes, key=lambda fix: (fix[3], fix[1])) and track.key == "k"
    if not late:
        assert track.fixes is fixes
