"""The processes that a program starts, found by a mark in their environment."""

from __future__ import annotations

import contextlib
import uuid
from pathlib import Path

from harness import wait_until


class Mark:
    """A mark for a program and all that it starts: ``start_process(..., env=mark.env)``."""

    def __init__(self) -> None:
        self.env = {'IK2D_TEST_MARK': uuid.uuid4().hex}

    def processes(self) -> list[int]:
        """The ids of the processes that have it and still run."""
        ((name, value),) = self.env.items()
        found = []
        for environment in Path('/proc').glob('[0-9]*/environ'):
            with contextlib.suppress(OSError):  # it has just ended, or is another user's
                if f'{name}={value}'.encode() in environment.read_bytes():
                    found.append(int(environment.parent.name))
        return found

    def assert_ended(self) -> None:
        """Wait until none runs any more."""
        wait_until(lambda: not self.processes(), lambda: f'{self.processes()} still run')
