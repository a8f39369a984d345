"""Converts command-line arguments to values."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable
from typing import Any

from .._tables.names import Names
from .._values.arguments import MAX_VERTICES, assumed_state, vertex_limit
from .._values.enums import DevicePath, EventOrder, State
from .._values.policy import TransitionPolicy
from .outcomes import UsageError


def argument(reader: Callable[[str], Any]) -> Callable[[str], Any]:
    """Wraps a function that reads an argument, so that argparse shows the text of its ValueError."""

    def read(text: str) -> Any:
        try:
            return reader(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def _number(text: str) -> float:
    """The number that a text states, or NaN, which no range of an option contains."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _integer(text: str) -> int:
    """The integer that a text states, or -1, which no range of an option contains."""
    try:
        return int(text)
    except ValueError:
        return -1


@argument
def to_policy(text: str) -> TransitionPolicy:
    return TransitionPolicy.named(text)


@argument
def to_metres(text: str) -> float:
    value = _number(text)
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{text} must be a number above 0")
    return value


@argument
def to_count(text: str) -> int:
    value = _integer(text)
    if not 1 <= value < 1 << 63:
        raise ValueError(f"{text} is not an integer of 1 or more")
    return value


def to_names(known: Names) -> Callable[[str], dict[str, str]]:
    """Returns a function that reads an argument ``WHAT=NAME,…``; each ``WHAT`` must be in `known`."""

    @argument
    def read(text: str) -> dict[str, str]:
        pairs: dict[str, str] = {}
        for part in text.split(","):
            what, equals, name = part.partition("=")
            if not equals or what.strip() not in known:
                *most, last = (f"{one}=NAME" for one in known)
                raise ValueError(f"{part!r} is not {', '.join(most)} or {last}")
            _name(pairs, what.strip(), name.strip())
        return pairs

    return read


def _name(names: dict[str, str], what: str, name: str) -> None:
    """Adds a name to a dict, in which a thing must not have another name.

    Raises:
        ValueError: The thing has another name.
    """
    if names.setdefault(what, name) != name:
        raise ValueError(f"{what} has two names, {names[what]!r} and {name!r}; state one of them")


class AddNames(argparse.Action):
    """Implements an option ``WHAT=NAME,…`` that may be repeated: the names of all repetitions count."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, *rest: Any) -> None:
        names = dict(getattr(namespace, self.dest))
        for what, name in values.items():
            try:
                _name(names, what, name)
            except ValueError as error:
                raise argparse.ArgumentError(self, str(error)) from None
        setattr(namespace, self.dest, names)


@argument
def to_vertices(text: str) -> int:
    return vertex_limit(int(text))


def add_vertex_limit(parser: argparse.ArgumentParser) -> None:
    """Adds the option that limits the number of vertices of a condition."""
    parser.add_argument(
        "--max-vertices",
        type=to_vertices,
        default=MAX_VERTICES,
        metavar="N",
        help="refuse a shape with more vertices, including the vertices added to planar edges (default: %(default)s, "
        "at most 1000000)",
    )


def add_defaults(parser: argparse.ArgumentParser) -> None:
    """Adds the options that set defaults for conditions, except the option for the policy."""
    parser.add_argument("--radius", type=to_metres, metavar="METRES", help="radius of circles that set none")
    parser.add_argument(
        "--assuming",
        type=to_state,
        metavar="STATE",
        help="state before the first fix, for conditions that do not set their own: satisfied, unknown (default for "
        "one track) or unsatisfied (default with --by; a first fix outside is then no event)",
    )


def add_path(parser: argparse.ArgumentParser) -> None:
    """Adds the options that say how a device is assumed to move between its fixes, how fast it can move, and what the
    accuracy of its fixes means."""
    add = parser.add_argument
    add(
        "--path",
        choices=[str(path) for path in DevicePath],
        default=str(DevicePath.FIXES),
        help="how a device moves between two fixes: fixes (default) assumes nothing; geodesic assumes the shortest "
        "line, and therefore also reports places that the device only passes through",
    )
    add(
        "--max-gap",
        type=to_gap,
        metavar="S",
        help="with --path geodesic: the path between fixes farther apart in time is unknown",
    )
    add(
        "--max-speed",
        type=to_metres,
        metavar="M/S",
        help="with --path geodesic: the path between fixes that need a higher speed is unknown",
    )
    add(
        "--plausible-speed",
        type=to_metres,
        metavar="M/S",
        help="doubt a fix that the device cannot have reached since the last fix, and ignore it until other doubted "
        "fixes corroborate it",
    )
    add(
        "--corroboration-count",
        type=to_corroborations,
        metavar="N",
        help="with --plausible-speed: how many doubted fixes in a row are trusted together, 2 to 1000 (default: 3)",
    )
    add(
        "--corroboration-time",
        type=to_duration,
        metavar="S",
        help="with --plausible-speed: how many seconds these fixes span at least (default: 60)",
    )
    add(
        "--accuracy-confidence",
        type=to_share,
        metavar="SHARE",
        help="share of the true positions within the accuracy of a fix, 0.01 to 0.9999, for policies with "
        "entry_probability and exit_probability (default: 0.68)",
    )
    add(
        "--order",
        choices=[str(order) for order in EventOrder],
        help="order of the events of one instant: add (default) is the order in which the conditions were added; "
        "exits_first puts leaving before entering",
    )


def path_options(options: argparse.Namespace) -> dict[str, Any]:
    """The values of the options that :func:`add_path` adds, as keyword arguments for a monitor.

    Raises:
        UsageError: An option is missing, or does not apply to the given path.
    """
    if options.path == DevicePath.GEODESIC and options.max_gap is None:
        raise UsageError("argument --path: geodesic needs --max-gap SECONDS")
    for name in ("max_gap", "max_speed"):
        if options.path == DevicePath.FIXES and getattr(options, name) is not None:
            raise UsageError(f"argument --{name.replace('_', '-')}: needs --path geodesic")
    found = {name: getattr(options, name) for name in ("path", "max_gap", "max_speed", "plausible_speed")}
    for name in ("corroboration_count", "corroboration_time"):
        if (value := getattr(options, name)) is not None:
            if options.plausible_speed is None:
                raise UsageError(f"argument --{name.replace('_', '-')}: needs --plausible-speed")
            found[name] = value
    if options.accuracy_confidence is not None:
        found["accuracy_confidence"] = options.accuracy_confidence
    if options.order is not None:
        found["order"] = options.order
    return found


@argument
def to_corroborations(text: str) -> int:
    value = _integer(text)
    if not 2 <= value <= 1000:
        raise ValueError(f"{text} is not an integer from 2 to 1000")
    return value


@argument
def to_share(text: str) -> float:
    value = _number(text)
    if not 0.01 <= value <= 0.9999:
        advice = f"; {value:g} % is {value / 100:g}" if 1 < value <= 99.99 else ""
        raise ValueError(f"{text} is not a share from 0.01 to 0.9999{advice}")
    return value


@argument
def to_duration(text: str) -> float:
    value = _number(text)
    if not 0 <= value <= 1e9:
        raise ValueError(f"{text} is not a number of seconds from 0 to 1e9")
    return value


@argument
def to_gap(text: str) -> float:
    value = _number(text)
    if not 1e-6 <= value <= 1e9:
        raise ValueError(f"{text} is not a number of seconds from 1e-6 to 1e9")
    return value


@argument
def to_state(text: str) -> State:
    return assumed_state(text)


def to_seconds(text: str) -> float:
    """Reads a number of seconds from 0 to 86,400, for argparse."""
    value = _number(text)
    if not 0 <= value <= 86_400:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds from 0 to 86400")
    return value


@argument
def to_days(text: str) -> float:
    value = _number(text)
    if not 0 < value <= 36_525:
        raise ValueError(f"{text} is not a number of days above 0, up to 36525")
    return value


def same_file(one: str | None, other: str | None) -> bool:
    """True if both paths name the same existing regular file."""
    if one is None or other is None or not (os.path.isfile(one) and os.path.exists(other)):
        return False
    return os.path.samefile(one, other)
