"""The exit codes of the command ``fencepost``, and the exception for an unusable command line."""

from __future__ import annotations

DONE, REFUSED, INTERRUPTED = 0, 2, 130


class UsageError(ValueError):
    """Raised if the command line cannot be used."""
