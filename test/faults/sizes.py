"""How large attacks are."""

from __future__ import annotations

import os

FULL = bool(os.environ.get('IK2D_FAULTS_FULL'))
"""Whether attacks have their full size and length; without, they are as small as still tells."""


def count(full: int, short: int) -> int:
    """How many of something: ``full`` for ``make faults``, else ``short``."""
    return full if FULL else short
