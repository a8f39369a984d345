"""A full disk."""

from __future__ import annotations

import resource


class FullDisk:
    """While this context is active, the process cannot write to any file. Python ignores the signal that the system
    sends at the limit."""

    def __enter__(self) -> None:
        self.limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, self.limits[1]))

    def __exit__(self, *_: object) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, self.limits)
