"""Tests the conformance corpus through the C functions, and the ``python -m fencepost_conform`` command."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Run, mentions

from fencepost_conform.player import Outcome, run_scenarios
from fencepost_conform.scenarios import read_scenarios

pytestmark = pytest.mark.filterwarnings("ignore:a planar ")

CORPUS = ROOT / "Tests" / "Conformance"
FILES = sorted(CORPUS.rglob("*.json"))
CIRCLE = {"latitude": 0, "longitude": 0, "radius": 100}
NEEDS_A_STORE = {"S52", "A34"}


@pytest.fixture
def play(run: Run) -> Run:
    """Runs ``python -m fencepost_conform`` in a separate process."""
    path = os.pathsep.join(filter(None, (str(CORPUS), os.environ.get("PYTHONPATH"))))

    def start(*arguments: str | Path) -> Any:
        return run(*arguments, module="fencepost_conform", env={**os.environ, "PYTHONPATH": path})

    return start


def outcomes(path: Path, restart_every_step: bool, store: Path | None = None) -> list[Outcome]:
    return list(run_scenarios(read_scenarios(path), restart_every_step=restart_every_step, store=store))


@pytest.mark.parametrize("restart_every_step", [False, True], ids=["plain", "restarted"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_corpus(path: Path, restart_every_step: bool) -> None:
    results = outcomes(path, restart_every_step)
    assert results
    assert [str(result) for result in results if result.verdict == "failed"] == []
    skipped = {result.scenario.name.split()[0] for result in results if result.verdict == "skipped"}
    assert skipped <= NEEDS_A_STORE
    for result in results:
        assert (result.verdict == "skipped") == any("store" in step for step in result.scenario.steps)


@pytest.mark.parametrize("restart_every_step", [False, True], ids=["plain", "reopened"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_corpus_through_a_store(memory_path: Path, path: Path, restart_every_step: bool) -> None:
    results = outcomes(path, restart_every_step, memory_path)
    assert [str(result) for result in results if result.verdict != "passed"] == []
    assert list(memory_path.iterdir()) == []


def test_the_corpus_holds_every_scenario_of_the_model() -> None:
    names = [scenario.name for path in FILES for scenario in read_scenarios(path)]
    assert len(set(names)) == len(names)
    firsts = {name.split()[0] for name in names}
    assert {f"S{number}" for number in range(1, 64) if number != 53} | {"S31b"} <= firsts
    own = sum(1 for path in FILES if path.name.startswith("own-") for _ in read_scenarios(path))
    assert own >= 40


def scenario(*steps: dict[str, Any], **options: Any) -> dict[str, Any]:
    return {"name": "wrong on purpose", "options": options, "steps": list(steps)}


ADDED = ({"advance": 10}, {"add": "c", "circle": CIRCLE})
SATISFIED = (*ADDED, {"fix": {"time": 12, "of": "c", "distance": 40}})
UUID = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"


def write(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("steps", "step", "expected", "got"),
    [
        ((*SATISFIED, {"next": {"state": "unsatisfied"}}), 4, '{"state": "unsatisfied"}', '{"state": "satisfied"} in'),
        ((*SATISFIED, {"next": {"date": 12.000001}}), 4, '{"date": 12.000001}', '{"date": 12.0} in {'),
        ((*SATISFIED, {"next": {"date": None}}), 4, '{"date": null}', '{"date": 12.0} in {'),
        ((*SATISFIED, {"next": {"refinement": {}}}), 4, '{"refinement": {}}', '{"refinement": null} in {'),
        ((*SATISFIED, {"next": None}), 4, "nothing", '"identifier": "c"'),
        ((*ADDED, {"next": {"state": "satisfied"}}), 3, '{"state": "satisfied"}', "nothing"),
        ((*ADDED, {"identifiers": []}), 3, "[]", '["c"]'),
        ((*ADDED, {"record": "c", "is": None}), 3, "nothing", '"state": "unknown"'),
        ((*ADDED, {"record": "x", "is": {"state": "unknown"}}), 3, '{"state": "unknown"}', "nothing"),
        (
            (*ADDED, {"record": "c", "is": {"condition": {"circle": {**CIRCLE, "radius": 99}}}}),
            3, '"radius": 99', '"radius": 100.0',
        ),
        ((*ADDED, {"advance": 5}), 3, "no refusal", "refused with late_input: "),
        ((*ADDED, {"refused": "late_input", "step": {"advance": 15}}), 3, "refused with late_input", "accepted"),
        (
            (*ADDED, {"refused": "queue_full", "step": {"advance": 5}}),
            3, "refused with queue_full", "refused with late_input: ",
        ),
        ((*ADDED, {"statistics": {"late_inputs": 1}}), 3, '{"late_inputs": 1}', '{"late_inputs": 0}'),
        ((*ADDED, {"explain": "c", "is": {"reason": "inside"}}), 3, '{"reason": "inside"}', '"reason": "no_fix_yet"'),
        (
            (*SATISFIED, {"explain": "c", "is": {"metres_to_decide": 80.00001}}),
            4, '{"metres_to_decide": 80.00001}', '{"metres_to_decide": 79.99999999',
        ),
        (({"open": "M1"}, {"open": "M1"}), 2, "no refusal", "refused with monitor_in_use: "),
        (({"open": "a.b"},), 1, "no refusal", "refused with invalid_name: "),
        (({"iterate": True}, {"iterate": True}), 2, "no refusal", "refused with consumer_already_active: "),
        ((*SATISFIED, {"next": {}}, {"restart": True}, {"next": None}), 6, "nothing", '"sequence": 1'),
    ],
)  # fmt: skip
def test_a_wrong_scenario_fails(
    play: Run, tmp_path: Path, steps: tuple[dict[str, Any], ...], step: int, expected: str, got: str
) -> None:
    path = write(tmp_path / "wrong.json", scenario(*steps))
    finished = play(path)
    assert finished.returncode == 1
    assert finished.stderr == ""
    title, at, wanted, came, count = finished.stdout.splitlines()
    assert title == f"{path}: wrong on purpose"
    assert at == f"  step {step}: {json.dumps(steps[step - 1])}"
    assert wanted.startswith("  expected: ")
    assert expected in wanted
    assert came.startswith("  got: ")
    assert got in came
    assert count == "0 passed, 1 failed"


def test_counts_and_exit_codes(play: Run, tmp_path: Path) -> None:
    good = write(tmp_path / "good.json", [scenario({"next": None}), scenario(*SATISFIED, {"next": {"sequence": 1}})])
    bad = write(tmp_path / "bad.json", scenario({"identifiers": ["x"]}))
    skipped = write(tmp_path / "skipped.json", scenario({"store": "failing"}))
    finished = play(good)
    assert (finished.returncode, finished.stdout) == (0, "2 passed, 0 failed\n")
    finished = play(good, bad, good)
    assert finished.returncode == 1
    assert finished.stdout.splitlines()[-1] == "4 passed, 1 failed"
    finished = play(good, skipped)
    assert finished.returncode == 0
    first, last = finished.stdout.splitlines()
    assert first.startswith(f"{skipped}: wrong on purpose: skipped at step 1: ")
    assert "--store DIR gives it one" in first
    assert last == "2 passed, 0 failed, 1 skipped"
    finished = play("--store", tmp_path, good, skipped)
    assert (finished.returncode, finished.stdout) == (0, "3 passed, 0 failed\n")
    finished = play("--store", tmp_path / "absent", good)
    assert (finished.returncode, finished.stdout) == (2, "")
    assert finished.stderr.startswith(f"fencepost: {tmp_path / 'absent'}")
    assert finished.stderr.endswith(f"{os.strerror(errno.ENOENT)}\n")


def test_the_whole_corpus_from_the_command_line(play: Run, memory_path: Path) -> None:
    total = sum(len(read_scenarios(path)) for path in FILES)
    for options in ((), ("--restart-every-step",)):
        finished = play(*options, *FILES)
        assert finished.returncode == 0
        assert finished.stdout.splitlines()[-1] == f"{total - 3} passed, 0 failed, 3 skipped"
    names = CORPUS / "names.json"
    finished = play("--restart-every-step", "--store", memory_path, names)
    assert (finished.returncode, finished.stdout) == (0, f"{len(read_scenarios(names))} passed, 0 failed\n")


def test_an_event_in_flight_must_come_again_after_a_restart(play: Run, tmp_path: Path) -> None:
    """In restart mode, the runner itself reads the event that is delivered again, so the scenario's next read returns
    the following event."""
    path = write(tmp_path / "flight.json", scenario(*SATISFIED, {"next": {"sequence": 1}}, {"next": None}))
    for options in ((), ("--restart-every-step",)):
        finished = play(*options, path)
        assert (finished.returncode, finished.stdout) == (0, "1 passed, 0 failed\n")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff\xff\xff", "line 1: byte 0 is not"),
        (b"{", "line 1 column 2: … JSON"),
        (b"[3]", "scenario 1: … name"),
        (b'{"name": "x"}', "scenario 1"),
        (b'{"name": "x", "steps": []}', "scenario 1"),
        (b'{"name": "x", "options": {"speed": 3}, "steps": [{}]}', "scenario 1"),
        (
            b'{"name": "x", "steps": [{"next": null}, {"jump": 3}]}',
            "x: step 2:",
        ),
        (b'{"name": "x", "steps": [{"next": null, "advance": 3}]}', "step 1: … advance, next"),
        (
            b'{"name": "x", "steps": [{"next": {"staet": "satisfied"}}]}',
            "step 1:",
        ),
        (b'{"name": "x", "steps": [{"record": "c", "is": {"tga": 5}}]}', "step 1: … tga "),
        (b'{"name": "x", "steps": [{"explain": "c", "is": {"why": 5}}]}', "step 1: … why "),
        (b'{"name": "x", "steps": [{"statistics": {"late": 0}}]}', "step 1: … late "),
        (b'{"name": "x", "steps": [{"advance": "soon"}]}', 'step 1: … "soon" … time'),
        (b'{"name": "x", "steps": [{"close": "M2"}]}', '"M2"'),
        (b'{"name": "x", "steps": [{"next": null, "monitor": "M2"}]}', '"M2"'),
        (
            b'{"name": "x", "steps": [{"statistics": {"mood": 1}}]}',
            "late_inputs",
        ),
        (b'{"name": "x", "steps": [{"fix": {"latitude": 1, "longitude": 1}}]}', "time"),
        (b'{"name": "x", "steps": [{"fix": {"of": "c", "distance": 1}}]}', 'no circle "c" was added'),
        (b'{"name": "x", "steps": [{"fix": []}]}', "a value or a key is not what the format has there"),
        (b'{"name": "x", "steps": [{"scanning": false}]}', "time"),
    ],
)
def test_what_is_no_scenario_is_refused(play: Run, tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    finished = play(path)
    assert finished.returncode == 2
    assert finished.stdout == ""
    assert finished.stderr.startswith(f"fencepost: {path}: ")
    assert finished.stderr.count("\n") == 1
    assert mentions(finished.stderr, reason)


def test_bad_usage(play: Run, tmp_path: Path) -> None:
    for arguments in ((), ("--often", "x.json"), (tmp_path / "absent.json",)):
        finished = play(*arguments)
        assert finished.returncode == 2
        assert finished.stdout == ""
        assert finished.stderr.startswith("fencepost: ")
        assert finished.stderr.count("\n") == 1


def test_two_monitors_and_their_host(play: Run, tmp_path: Path) -> None:
    """Tests a scenario with two monitors: each has its own host and conditions, a monitor that is open cannot be opened
    again, and a closed monitor can."""
    steps: list[dict[str, Any]] = [
        {"open": "M1"}, {"open": "M2"}, {"advance": 10}, {"advance": 20, "monitor": "M2"},
        {"add": "b", "beacon": {"uuid": UUID}, "monitor": "M2"},
        {"host": {"unsupported": ["beacon"]}, "monitor": "M2"},
        {"host": {"flags": ["accuracy_limited"]}, "monitor": "M2", "time": 21},
        {"next": {"date": 20, "diagnostics": ["condition_unsupported"]}, "monitor": "M2"},
        {"next": {"date": 21, "diagnostics": ["accuracy_limited", "condition_unsupported"]}, "monitor": "M2"},
        {"close": "M2"}, {"refused": "monitor_in_use", "step": {"open": "M1"}}, {"open": "M2"},
        {"next": {"sequence": 2}, "monitor": "M2"}, {"next": None, "monitor": "M2"}, {"next": None},
    ]  # fmt: skip
    finished = play(write(tmp_path / "two.json", scenario(*steps)))
    assert finished.stdout == "1 passed, 0 failed\n"
