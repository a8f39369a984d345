"""Metrics for Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .._errors import require
from .watched_fleet import FleetWatch
from .watched_monitor import Watch

GAUGES = ("devices", "places", "events_waiting", "messages_held", "store_failing", "uptime_seconds")
FIX_RESULTS = ("accepted", "passed", "late", "double", "invalid", "doubted", "future", "refused")


def counters_of(watcher: FleetWatch | Watch, reconnects: Callable[[], int], started: float) -> dict[str, float]:
    """The counters by name. A monitor counts each fix as a message, and has one device after its first input."""
    counts = watcher.counts
    if isinstance(watcher, Watch):
        own = watcher.monitor.statistics()
        places, pending = own.condition_count, own.pending_events
        devices, messages = int(own.clock_us is not None), counts["fixes"]
    else:
        fleet = watcher.fleet.statistics()
        places, pending = fleet.condition_count, fleet.pending_events
        devices, messages = fleet.device_count, counts["messages"]
    refused = {name: counts["refused_devices" if name == "refused" else f"{name}_fixes"] for name in FIX_RESULTS[1:]}
    found = {f"fixes_{name}": float(count) for name, count in refused.items()}
    found["fixes_accepted"] = float(counts["fixes"] - sum(refused.values()))
    for name in ("bad_lines", "bad_names", "bad_waypoints", "encrypted"):
        found[f"refused_{name}"] = float(counts[name])
    # The page's server calls this method while the watch changes `lags`, so copy `lags` first.
    found |= {f"lag_{name}": round(lag, 3) for name, lag in tuple(watcher.lags.items())}
    return found | {
        "messages": float(messages),
        "events": float(counts["events"]),
        "handling_failures": float(watcher.failures),
        "store_errors": float(counts["store_errors"]),
        "store_failing": float(not watcher.is_kept),
        "missing_messages": float(counts["missing_messages"]),
        "unknown_accuracies": float(counts["unknown_accuracies"]),
        "expired_devices": float(counts["expired_devices"]),
        "reconnects": float(reconnects()),
        "messages_held": float(0 if watcher.sorter is None else len(watcher.sorter)),
        "devices": float(devices),
        "places": float(places),
        "events_waiting": float(pending + (not watcher.is_done)),
        "uptime_seconds": round(watcher._monotonic() - started, 1),
    }


class Metrics:
    """The metrics in the text format that Prometheus reads.

    Args:
        counters: The counters by name.

    Raises:
        MissingExtraError: prometheus_client is not installed.
    """

    def __init__(self, counters: Callable[[], dict[str, float]]) -> None:
        self._library = require("prometheus_client", "live")
        self._core = require("prometheus_client.core", "live")
        self._counters = counters
        self._registry = self._library.CollectorRegistry()
        self._registry.register(self)

    def describe(self) -> list[Any]:
        """Returns an empty list, so that registration does not call :meth:`collect` to get descriptions."""
        return []

    def collect(self) -> Iterator[Any]:
        """The current values."""
        counters = self._counters()
        fixes = self._core.CounterMetricFamily("fencepost_fixes", "Fixes, by result", labels=["result"])
        refused = self._core.CounterMetricFamily("fencepost_refused", "Messages that cannot be read", labels=["reason"])
        lag = self._core.GaugeMetricFamily(
            "fencepost_source_lag_seconds",
            "Delay between the time of a source's last fix and its arrival",
            labels=["source"],
        )
        for name, value in counters.items():
            group, _, label = name.partition("_")
            if group == "fixes":
                fixes.add_metric([label], value)
            elif group == "refused":
                refused.add_metric([label], value)
            elif group == "lag":
                lag.add_metric([label], value)
            elif name in GAUGES:
                yield self._core.GaugeMetricFamily(f"fencepost_{name}", name.replace("_", " "), value)
            else:
                yield self._core.CounterMetricFamily(f"fencepost_{name}", name.replace("_", " "), value)
        yield fixes
        yield refused
        yield lag

    def text(self) -> bytes:
        """The response body for ``/metrics``."""
        found: bytes = self._library.generate_latest(self._registry)
        return found
