"""A disk that takes nothing more."""

from __future__ import annotations

import resource


class FullDisk:
    """While it lasts, no file of this process can be written; Python ignores the signal that goes with it."""

    def __enter__(self) -> None:
        self.limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, self.limits[1]))

    def __exit__(self, *_: object) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, self.limits)
