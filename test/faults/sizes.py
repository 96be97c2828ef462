"""How large attacks are, and the memory that they take."""

from __future__ import annotations

import os
import re
from pathlib import Path

FULL = bool(os.environ.get('IK2D_FAULTS_FULL'))
"""Whether attacks have their full size and length; without, they are as small as still tells."""


def count(full: int, short: int) -> int:
    """How many of something: ``full`` for ``make faults``, else ``short``."""
    return full if FULL else short


def resident_kib(process: int) -> int:
    """The memory of a process that is in use, in KiB."""
    found = re.search(r'VmRSS:\s*(\d+)', Path(f'/proc/{process}/status').read_text())
    assert found, 'the process has ended'
    return int(found[1])
