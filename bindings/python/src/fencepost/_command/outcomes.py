"""Exit codes of the command, and its usage error."""

from __future__ import annotations

DONE, REFUSED, INTERRUPTED = 0, 2, 130


class UsageError(ValueError):
    """Raised if the command line cannot be used."""
