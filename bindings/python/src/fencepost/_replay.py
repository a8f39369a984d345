"""Replaying a track: its fixes, in file order, merged by time with a sightings file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from ._monitor import Monitor
from ._native import InvalidArgumentError, LateInputError
from ._outputs import Event
from ._sightings import Report
from ._tracks import FixRow


class Replay:
    """One run. Events are taken after each input, as a program would that handles them as they come.

    Attributes:
        counts: How many ``fixes``, ``late_fixes``, ``invalid_fixes``, ``reports`` and ``late_reports`` there were.
    """

    def __init__(self, monitor: Monitor, fixes: Sequence[FixRow], reports: Sequence[Report]) -> None:
        self.monitor, self.fixes, self.reports = monitor, fixes, reports
        self.counts: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self.fixes) + len(self.reports)

    @property
    def first_time_us(self) -> int | None:
        """The smallest time of all inputs."""
        return min(self._times(), default=None)

    @property
    def last_time_us(self) -> int | None:
        """The largest time of all inputs."""
        return max(self._times(), default=None)

    def _times(self) -> Iterator[int]:
        yield from (fix[3] for fix in self.fixes)
        yield from (report.time_us for report in self.reports)

    def events(self, until_us: int | None = None, on_input: Callable[[], None] | None = None) -> Iterator[Event]:
        """Feeds everything and yields the events; at the end time passes to `until_us` when that is given.

        Late inputs and invalid fixes are counted and skipped.
        """
        for _ in self._inputs():
            yield from self.monitor.events()
            if on_input is not None:
                on_input()
        if until_us is not None:
            self.monitor.advance(until_us)
            yield from self.monitor.events()

    def _inputs(self) -> Iterator[None]:
        reports, next_report = self.reports, 0
        for fix in self.fixes:
            while next_report < len(reports) and reports[next_report].time_us < fix[3]:
                self._report(reports[next_report])
                next_report += 1
                yield
            self._fix(fix)
            yield
        for report in reports[next_report:]:
            self._report(report)
            yield

    def _fix(self, fix: FixRow) -> None:
        self.counts["fixes"] += 1
        accuracy = fix[2]
        try:
            self.monitor._handle.feed_fix(*fix)
        except LateInputError:
            self.counts["late_fixes"] += 1
        except InvalidArgumentError:
            self.counts["invalid_fixes"] += 1
        else:
            self.counts["invalid_fixes"] += not accuracy >= 0

    def _report(self, report: Report) -> None:
        self.counts["reports"] += 1
        try:
            if report.beacons is None:
                self.monitor.set_scanning(report.scanning, time=report.time_us)
            else:
                self.monitor.see(report.beacons, time=report.time_us)
        except LateInputError:
            self.counts["late_reports"] += 1
