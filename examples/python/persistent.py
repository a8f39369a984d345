"""A monitor with a store: this program kills a process in the middle of its work and starts it again."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from fencepost import Circle, Fix, Monitor

# The walk leads east past the office, with a fix every ten seconds. A real program would store the fixes that it has
# not fed yet.
WALK = [Fix(37.3349, -122.0140 + step * 0.00015, accuracy=8, time=step * 10_000_000) for step in range(80)]


def run(directory: Path, killed_after: int | None) -> None:
    with Monitor("walk", store=directory) as monitor:
        # `ensure` leaves an equal condition unchanged, so a program can declare its conditions at each start.
        monitor.ensure(Circle(37.3349, -122.0090, radius=200), "office")
        print(f"opened after {monitor.statistics().input_count} inputs, with {monitor.identifiers}")
        for index in range(monitor.statistics().input_count, len(WALK) + 1):
            # Read the pending events first, including events that were delivered earlier but not acknowledged. The next
            # poll acknowledges the event.
            for event in monitor.events():
                print(f"{event.date:%H:%M:%S} event {event.sequence}: {event.identifier} is {event.state}")
                if event.sequence == killed_after:
                    print("killed before it has handled that", flush=True)
                    os.kill(os.getpid(), signal.SIGKILL)
            if index < len(WALK):
                monitor.feed(WALK[index])
        record = Monitor.restore(monitor.snapshot()).record("office")  # restored from a copy in memory
    assert record is not None
    print("done:", record.identifier, "was last", record.last_event.state)


def main() -> None:
    if len(sys.argv) > 1:
        run(Path(sys.argv[1]), killed_after=2)
        return
    with tempfile.TemporaryDirectory() as directory:
        killed = subprocess.run([sys.executable, __file__, directory])
        assert killed.returncode == -signal.SIGKILL
        run(Path(directory), killed_after=None)
        print("files:", [path.name for path in Path(directory).iterdir()])


main()
