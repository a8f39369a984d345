"""Where the shards of a replay run: here, or in processes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ._native import FencepostError
from ._stream import Ended, Found, Rows, Shard, Work

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self


class Here:
    """One shard, in this process."""

    def __init__(self, work: Work) -> None:
        self._shard = Shard(work, 0, 1)
        self._found: list[Found] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def feed(self, rows: Rows) -> None:
        """Feeds a batch."""
        self._found = [self._shard.feed(rows)]

    def results(self) -> list[Found]:
        """What came of the last batch."""
        return self._found

    def end(self) -> list[tuple[list[Ended], Counter[str]]]:
        """See :meth:`Shard.end`."""
        return [self._shard.end()]


class Processes:
    """Shards in processes of their own. Each gets whole batches and feeds its own tracks' rows."""

    def __init__(self, work: Work, jobs: int) -> None:
        import multiprocessing

        # A new interpreter: libraries that read files have threads, which a fork would leave in any state.
        context = multiprocessing.get_context("spawn")
        self._pipes: list[Any] = []
        self._processes: list[Any] = []
        for number in range(jobs):
            ours, theirs = context.Pipe()
            process = context.Process(target=serve, args=(theirs, work, number, jobs), daemon=True)
            process.start()
            theirs.close()
            self._pipes.append(ours)
            self._processes.append(process)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for pipe in self._pipes:
            pipe.close()
        for process in self._processes:
            if kind is not None:
                process.terminate()
            process.join()

    def feed(self, rows: Rows) -> None:
        """Hands a batch to all of them."""
        self._send(rows)

    def results(self) -> list[Found]:
        """What came of the last batch."""
        return self._receive()

    def end(self) -> list[tuple[list[Ended], Counter[str]]]:
        """See :meth:`Shard.end`."""
        self._send(None)
        return self._receive()

    def _send(self, message: Any) -> None:
        try:
            for pipe in self._pipes:
                pipe.send(message)
        except OSError:
            self._died()

    def _receive(self) -> list[Any]:
        try:
            answers = [pipe.recv() for pipe in self._pipes]
        except (EOFError, OSError):
            self._died()
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
        return answers

    def _died(self) -> Any:
        raise FencepostError("a process of --jobs ended before its work was done")


def serve(pipe: Any, work: Work, number: int, of: int) -> None:
    """What a process does until the other end of the pipe is closed."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    shard = Shard(work, number, of)
    while True:
        try:
            message = pipe.recv()
        except EOFError:
            return
        try:
            answer: Any = shard.end() if message is None else shard.feed(message)
        except Exception as error:
            answer = error
        try:
            pipe.send(answer)
        except OSError:
            return
