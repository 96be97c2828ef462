"""The size and length of attacks."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable

FULL = bool(os.environ.get('IK2D_FAULTS_FULL'))
"""Whether attacks have their full size and length; without, they are as small as still tells."""

SECONDS = float(os.environ.get('IK2D_FUZZ_SECONDS', '600')) if FULL else 0.0
"""The length of a search in s."""


def for_a_while(test: Callable[[int], None]) -> None:
    """Run a test once, or with ever new seeds for as long as it is asked for."""
    deadline = time.monotonic() + SECONDS
    test(0)
    while time.monotonic() < deadline:
        number = random.randrange(2**32)
        print(f'seed {number}', flush=True)
        test(number)
