"""Tests how objects look and behave: their reprs, tables in notebooks, access to records by identifier, and types."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import HOME, ROOT, UUID

import fencepost
from fencepost import Beacon, BeaconSighting, Diagnostics, Fix, Monitor, State
from fencepost.errors import NotFoundError
from fencepost.types import EventList, RecordList

HOSTILE = "<script>alert('x')</script>&\"'"


def busy() -> Monitor:
    monitor = Monitor("demo")
    monitor.add(HOME, "home", policy="exact", tag=7)
    monitor.add(Beacon(UUID, 1), "desk")
    monitor.add(HOME, HOSTILE, policy="exact")
    monitor.feed(Fix(52.5, 13.4, time=datetime(2024, 5, 1, tzinfo=UTC)))
    monitor.feed_sightings(BeaconSighting(UUID, 1, 2), time=datetime(2024, 5, 1, tzinfo=UTC))
    return monitor


class Table(HTMLParser):
    """Reads the cells of a table; fails at a tag that a table cannot contain."""

    KNOWN = {"style", "table", "caption", "thead", "tbody", "tr", "th", "td", "p"}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.caption = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: object) -> None:
        assert tag in self.KNOWN
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data
        elif self.open[-1] == "caption":
            self.caption += data


def test_reprs() -> None:
    monitor = busy()
    assert repr(monitor) == "<fencepost.Monitor 'demo', 3 conditions, 3 pending events, clock 2024-05-01 00:00:00 UTC>"
    assert [repr(event) for event in monitor.poll()] == [
        "<Event 1 'home' satisfied 2024-05-01 00:00:00 UTC, determination, 100.0 m inside>",
        f"<Event 2 {HOSTILE!r} satisfied 2024-05-01 00:00:00 UTC, determination, 100.0 m inside>",
        f"<Event 3 'desk' satisfied 2024-05-01 00:00:00 UTC, determination, beacon {UUID}/1/2>",
    ]
    monitor.acknowledge()
    assert repr(monitor["home"]) == (
        "<Record 'home' satisfied since 2024-05-01 00:00:00 UTC, circle of 100 m around 52.5, 13.4>"
    )
    assert repr(monitor["desk"]) == f"<Record 'desk' satisfied since 2024-05-01 00:00:00 UTC, beacon {UUID}/1/any>"
    monitor.set_host(Diagnostics.ACCURACY_LIMITED, time=datetime(2024, 5, 1, second=9, tzinfo=UTC))
    assert repr(monitor.next_event()) == (
        "<Event 4 'home' satisfied 2024-05-01 00:00:09 UTC, diagnostic, accuracy_limited>"
    )
    assert repr(Monitor()) == "<fencepost.Monitor 0 conditions, 0 pending events, clock unset>"


def test_tables_show_what_is_there_and_escape_it() -> None:
    monitor = busy()
    events = monitor.poll()
    monitor.acknowledge()
    table = Table(events._repr_html_())
    assert table.caption == "3 events" and [row[1] for row in table.rows[1:]] == ["home", HOSTILE, "desk"]
    assert table.rows[1][:6] == ["1", "home", "satisfied", "determination", "2024-05-01 00:00:00", "-100.0"]
    for html, caption in (
        (monitor._repr_html_(), "fencepost.Monitor 'demo', 3 conditions"),
        (monitor.records()._repr_html_(), "3 conditions"),
    ):
        table = Table(html)
        assert caption in table.caption and "<script" not in html
        assert [row[0] for row in table.rows] == ["identifier", "home", "desk", HOSTILE]
        assert table.rows[1][1:] == [
            "circle of 100 m around 52.5, 13.4",
            "satisfied",
            "2024-05-01 00:00:00",
            "determination",
            "7",
        ]
    assert Table(events[0]._repr_html_()).rows[1][1] == "home"
    assert Table(monitor[HOSTILE]._repr_html_()).rows[1][0] == HOSTILE
    assert Table(Monitor()._repr_html_()).rows == [list(Table(monitor._repr_html_()).rows[0])]
    assert Table(EventList()._repr_html_()).caption == "0 events"


def test_long_tables_are_cut() -> None:
    monitor = Monitor()
    names = [f"c{index}" for index in range(120)]
    monitor.add_many(names, [0] * 120, [0] * 120, [10] * 120, policy="exact")
    monitor.feed(Fix(0, 0, time=0))
    for html in (monitor._repr_html_(), monitor.records()._repr_html_(), monitor.poll()._repr_html_()):
        assert len(Table(html).rows) == 51 and "and 70 more" in html


def test_records_by_identifier() -> None:
    monitor = busy()
    assert monitor["home"] == monitor.record("home") and monitor["home"].condition == HOME
    assert list(monitor) == [record.identifier for record in monitor.records()] == ["home", "desk", HOSTILE]
    assert len(monitor) == 3 and "home" in monitor and "nobody" not in monitor
    assert monitor["home"].state is State.UNKNOWN  # the condition's event has not been handled yet
    for wrong in ("nobody", "ü" * 10):
        with pytest.raises(KeyError) as caught:
            monitor[wrong]
        assert type(caught.value) is NotFoundError and wrong in str(caught.value)
    with pytest.raises(TypeError):
        monitor[7]  # type: ignore[index]


def test_a_monitor_is_a_context() -> None:
    with Monitor() as monitor:
        monitor.add(HOME, "home", policy="exact")
        assert not monitor.closed
    assert monitor.closed and "home" in monitor
    monitor.close()
    with pytest.raises(ZeroDivisionError), Monitor() as monitor:
        1 / 0
    assert monitor.closed


def test_lists_are_lists() -> None:
    monitor = busy()
    events, records = monitor.poll(2), monitor.records()
    assert isinstance(events, list) and isinstance(records, list)
    assert type(events) is EventList and type(records) is RecordList
    assert events == list(events) and json.loads(events[0].to_json())["identifier"] == "home"


def test_every_public_member_says_what_it_does() -> None:
    for name in (*fencepost.__all__, *fencepost.types.__all__):
        value = getattr(fencepost if name in fencepost.__all__ else fencepost.types, name)
        if not inspect.isclass(value) or issubclass(value, fencepost.FencepostError):
            continue
        for member, item in vars(value).items():
            if member.startswith("_") or not (inspect.isfunction(item) or isinstance(item, property | classmethod)):
                continue
            assert inspect.getdoc(getattr(value, member)), f"{name}.{member}"


SCRIPT = Path(__file__).with_name("typed_script.py")


def test_a_users_script_runs() -> None:
    """A separate test runs mypy on all scripts, including this user script."""
    subprocess.run([sys.executable, str(SCRIPT)], check=True, timeout=120, capture_output=True)


def test_users_scripts_are_clean_for_pyright(tmp_path: Path) -> None:
    """Checks the scripts with pyright in strict mode. The pyright wheel includes the checker and its Node.js; pyright
    must not look for newer versions on the network."""
    scripts = [SCRIPT, *sorted((ROOT / "examples" / "python").glob("*.py"))]
    for script in scripts:
        (tmp_path / script.name).write_text(script.read_text())
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "strict"}))
    checked = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=tmp_path,
        env=os.environ | {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"},
    )
    answer = json.loads(checked.stdout)
    found = [f"{d['file']}:{d['range']['start']['line'] + 1}: {d['message']}" for d in answer["generalDiagnostics"]]
    assert found == [] and answer["summary"]["filesAnalyzed"] == len(scripts)
