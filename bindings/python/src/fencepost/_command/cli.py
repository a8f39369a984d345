"""The command ``fencepost``."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NoReturn

from .._errors import InputError, InputWarning
from .._native import VERSION, FencepostError
from .outcomes import DONE, INTERRUPTED, REFUSED, UsageError


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code: 0 for success, 2 for bad usage or input (then one line on
    standard error gives the reason)."""
    return answered(lambda: _run(arguments))


def answered(run: Callable[[], int]) -> int:
    """Runs a command and returns its exit code. Usage errors and input errors are printed as one line on standard
    error."""
    code = DONE
    try:
        with _told_on_stderr():
            code = run()
    except BrokenPipeError:
        # The reader of the output has closed the pipe. The interpreter flushes standard output again at exit, so
        # redirect it to /dev/null.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except InputError as error:
        return _refuse(error._for_command)
    except (UsageError, FencepostError) as error:
        return _refuse(str(error))
    except OSError as error:
        return _refuse(f"{error.filename}: {error.strerror}" if error.filename else f"output: {error.strerror}")
    except KeyboardInterrupt:
        print("fencepost: interrupted", file=sys.stderr)
        return INTERRUPTED
    return code


def _run(arguments: Sequence[str] | None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    options = _parser(given).parse_args(given)
    code: int = options.run(options)
    sys.stdout.flush()
    return code


@contextmanager
def _told_on_stderr() -> Iterator[None]:
    """Prints the readers' warnings on standard error, in the form of the command's own messages."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", InputWarning)
        others = warnings.showwarning

        def show(message: Warning | str, *place: Any, **more: Any) -> None:
            if isinstance(message, InputWarning):
                print("fencepost:", message._for_command, file=sys.stderr)
            else:
                others(message, *place, **more)

        warnings.showwarning = show
        yield


def _refuse(reason: str) -> int:
    print("fencepost:", " ".join(reason.split()), file=sys.stderr)
    return REFUSED


COMMANDS = {
    "replay": "replay a track against conditions and print the events",
    "join": "write which conditions contain which points",
    "circles": "write circles as polygons",
    "watch": "follow live fixes and run a command for each event",
}
"""Each command is a module in this folder with a ``DESCRIPTION``, ``add_arguments`` and ``run``. The module of a
command is imported only when that command is on the command line."""


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = Parser(prog="fencepost", description="Condition monitoring (geofencing) by explicit event time.")
    parser.add_argument("--version", action="version", version=f"fencepost {VERSION}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND", parser_class=Parser)
    for name, text in COMMANDS.items():
        if name not in arguments:
            commands.add_parser(name, help=text)
            continue
        module = import_module(f".{name}", __package__)
        command = commands.add_parser(name, help=text, description=module.DESCRIPTION)
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser
