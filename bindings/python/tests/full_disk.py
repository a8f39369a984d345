"""A full disk."""

from __future__ import annotations

import resource


class FullDisk:
    """While this context manager is active, the process cannot write to any file. Python ignores the signal that the
    system sends when the process exceeds its limit for the size of a file, so the write fails with an error."""

    def __enter__(self) -> None:
        self.limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, self.limits[1]))

    def __exit__(self, *_: object) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, self.limits)
