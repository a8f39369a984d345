"""The command: ``python -m fencepost_conform FILE…``."""

from __future__ import annotations

import sys

from fencepost._command.cli import Parser, answered

from . import player


def run() -> int:
    """Runs the scenarios that the command line names."""
    parser = Parser(prog="fencepost_conform", description=player.DESCRIPTION)
    player.add_arguments(parser)
    code = player.run(parser.parse_args())
    sys.stdout.flush()
    return code


if __name__ == "__main__":
    sys.exit(answered(run))
