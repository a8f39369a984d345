"""The command ``fencepost``."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
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
    _open_streams()
    return answered(lambda: _run(arguments))


def _open_streams() -> None:
    """Opens the standard streams that the caller has closed, so that no file opened later has the number of a standard
    stream, and no message for standard error goes to standard output. The command then fails when it reads standard
    input or writes standard output, as if the streams were still closed; messages for standard error are dropped.
    """
    for number, name, mode, access in (
        (0, "stdin", "r", os.O_WRONLY),
        (1, "stdout", "w", os.O_RDONLY),
        (2, "stderr", "w", os.O_WRONLY),
    ):
        if getattr(sys, name) is not None:
            continue
        descriptor = os.open(os.devnull, access)
        if descriptor != number:
            os.close(descriptor)  # another part of the program has opened a file with this number
            continue
        os.set_inheritable(descriptor, True)
        setattr(sys, name, os.fdopen(descriptor, mode, closefd=False))


def answered(run: Callable[[], int]) -> int:
    """Runs a command and returns its exit code. Usage errors and input errors are printed as one line on standard
    error."""
    code = DONE
    try:
        with _told_on_stderr():
            code = run()
    except BrokenPipeError:
        _drop_output()  # the reader of the output has closed the pipe
    except InputError as error:
        return _refuse(error._for_command)
    except (UsageError, FencepostError) as error:
        return _refuse(str(error))
    except OSError as error:
        if error.filename:
            return _refuse(f"{error.filename}: {error.strerror}")
        _drop_output()
        return _refuse(f"output: {error.strerror}")
    except KeyboardInterrupt:
        print("fencepost: interrupted", file=sys.stderr)
        return INTERRUPTED
    return code


def _drop_output() -> None:
    """Redirects standard output to /dev/null, because the interpreter flushes it again at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
