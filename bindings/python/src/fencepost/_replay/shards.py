"""The shards of a replay, each with some of the tracks, in this process or in worker processes."""

from __future__ import annotations

import multiprocessing
import os
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any, TypeVar

from .._files.many_tracks import Rows
from .._native import FencepostError
from .shard import Ended, Found, Shard, Work

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self


_Value = TypeVar("_Value")


class Here:
    """One shard, in this process."""

    ahead = 0

    def __init__(self, work: Work) -> None:
        self._shard = Shard(work, 0, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def feed(self, rows: Rows) -> Callable[[], list[Found]]:
        """Feeds a batch and returns the result."""
        found = [self._shard.feed(rows)]
        return lambda: found

    def end(self) -> list[tuple[list[Ended], Counter[str]]]:
        """Ends all open tracks; see :meth:`Shard.end`."""
        return [self._shard.end()]


class Processes:
    """Shards in separate processes. Each shard gets all batches and feeds only the rows of its own tracks."""

    def __init__(self, work: Work, jobs: int) -> None:
        # Starts new interpreters instead of forking: libraries that read files have threads, and a fork could copy
        # their locks in any state.
        context = multiprocessing.get_context("spawn")
        # At most this many batches are in progress, which is enough to keep the reader and the shards busy.
        self.ahead = 2 * jobs
        self._pools = [ProcessPoolExecutor(1, context, _begin, (work, number, jobs)) for number in range(jobs)]
        self._started = [pool.submit(os.getpid) for pool in self._pools]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None:  # after an error, kill the processes: their remaining work could take long
            known = {started.result() for started in self._started if started.done() and not started.exception()}
            for process in multiprocessing.active_children():
                if process.pid in known:
                    process.kill()
        for pool in self._pools:
            pool.shutdown(cancel_futures=True)

    def feed(self, rows: Rows) -> Callable[[], list[Found]]:
        """Feeds a batch to all shards and returns the result."""
        columns = rows._replace(place=str)  # the `place` function works only in this process
        feeding = [self._submit(pool, _feed, columns) for pool in self._pools]
        return lambda: [_result(one) for one in feeding]

    def end(self) -> list[tuple[list[Ended], Counter[str]]]:
        """Ends all open tracks; see :meth:`Shard.end`."""
        return [_result(one) for one in [self._submit(pool, _end) for pool in self._pools]]

    @staticmethod
    def _submit(pool: ProcessPoolExecutor, work: Callable[..., _Value], *arguments: Any) -> Future[_Value]:
        try:
            return pool.submit(work, *arguments)
        except BrokenProcessPool:
            raise _died() from None


def _result(future: Future[_Value]) -> _Value:
    try:
        return future.result()
    except BrokenProcessPool:
        raise _died() from None


def _died() -> FencepostError:
    return FencepostError("a process of --jobs ended before it finished its work")


# The following code runs in a worker process, which has one shard.

_shard: Shard


def _begin(work: Work, number: int, of: int) -> None:
    import signal
    import threading

    global _shard  # noqa: PLW0603
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process kills this process
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _shard = Shard(work, number, of)


def _end_with(parent: Any) -> None:
    """Ends this process when its parent ends. Without `_end_with`, a worker process would continue to run after its
    parent was killed."""
    parent.join()
    os._exit(1)


def _feed(rows: Rows) -> Found:
    return _shard.feed(rows)


def _end() -> tuple[list[Ended], Counter[str]]:
    return _shard.end()
