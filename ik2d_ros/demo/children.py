"""Child processes that never outlive their parent, and whose output is shown if they fail."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

LIBC = ctypes.CDLL(None)  # loaded here: little is safe after the fork
PR_SET_PDEATHSIG = 1  # <sys/prctl.h>
LAST_LINES = 20  # of the output
PATIENCE = 5.0  # s, for each signal sent to end a child


class Child:
    """A running Python module whose output goes to a file."""

    def __init__(self, name: str, arguments: Sequence[str], log: Path) -> None:
        """Start ``python arguments``; ``name`` is for messages."""
        self.name, self._log = name, log
        is_linux = sys.platform == 'linux'
        with log.open('wb') as output:
            # preexec_fn is a single C call, so it cannot deadlock on a lock of another thread.
            self.process = subprocess.Popen(
                [sys.executable, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # Ctrl-C in a terminal reaches the whole foreground group. Only the parent should
                # get it, and then end its children in order.
                start_new_session=True,
                preexec_fn=_end_with_parent if is_linux else None,  # noqa: PLW1509
            )

    @property
    def log(self) -> str:
        """The last lines of its output, stdout and stderr."""
        return '\n'.join(self._log.read_text(errors='replace').splitlines()[-LAST_LINES:])

    def failure(self) -> str | None:
        """Describe how it ended, with its last output; None while it runs."""
        status = self.process.poll()
        if status is None:
            return None
        how = f'with status {status}' if status >= 0 else f'by {signal.Signals(-status).name}'
        return f'{self.name} ended {how}: {self.log or "no output"}'


@contextlib.contextmanager
def ended_after(children: list[Child]) -> Iterator[None]:
    """End all children in the list when the block is left: SIGINT, SIGTERM, then SIGKILL."""
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            running = [child for child in children if child.process.poll() is None]
            for child in running:
                child.process.send_signal(number)
            deadline = time.monotonic() + PATIENCE
            for child in running:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.process.wait(max(0.0, deadline - time.monotonic()))


def _end_with_parent() -> None:
    """Make the kernel end this process when its parent dies."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
