"""A watch's signals."""

from __future__ import annotations

import select
import signal
import socket

from fencepost._live.signals import Signals


def test_a_signal_wakes_a_select_and_what_was_woken_before_is_put_back() -> None:
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    number = writer.fileno()
    before = signal.set_wakeup_fd(number)
    try:
        with Signals() as signals:
            signal.raise_signal(signal.SIGHUP)
            assert select.select([signals], [], [], 10)[0] == [signals]
            assert (signals.hang_ups, signals.stops) == (1, 0)
            signals.clear()
            assert select.select([signals], [], [], 0)[0] == []
    finally:
        own = signal.set_wakeup_fd(before)
        reader.close()
        writer.close()
    assert own == number
