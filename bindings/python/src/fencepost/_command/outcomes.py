"""How the command ends."""

from __future__ import annotations

DONE, FAILED, REFUSED, INTERRUPTED = 0, 1, 2, 130


class UsageError(ValueError):
    """The command line cannot be used."""
