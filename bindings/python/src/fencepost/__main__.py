"""Runs the command line: ``python -m fencepost``."""

import sys

from ._command.cli import main

sys.exit(main())
