"""How large attacks are."""

from __future__ import annotations

import os


def count(full: int, short: int) -> int:
    """How many of something: ``full`` for ``make faults``, else ``short``, which still tells."""
    return full if os.environ.get('IK2D_FAULTS_FULL') else short
