"""What test modules import by name: where the project is, how long to wait, and for what."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

DEFAULT_TIMEOUT = 60.0


def wait_for_signal_handler(process: int) -> None:
    """Wait until a process handles its signals itself: SIGTERM, for SIGINT is Python's before."""
    bit = 1 << (signal.SIGTERM - 1)
    deadline = time.monotonic() + 30.0
    while time.monotonic() < deadline:
        status = Path(f'/proc/{process}/status').read_text()
        caught = re.search(r'SigCgt:\s*([0-9a-f]+)', status)
        if caught and int(caught[1], 16) & bit:
            return
        os.sched_yield()
    pytest.fail('the process never handled its signals')
