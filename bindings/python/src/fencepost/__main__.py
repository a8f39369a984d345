"""Runs the command line: ``python -m fencepost``."""

import sys

from ._cli import main

sys.exit(main())
