"""What a trial finds, and what it demands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

EXACT = 1e-9  # Reaches; what counts as reached.
CLOSEST = 1e-6  # Reaches; by how much an optimiser may come closer.
RUNS = 20  # Of the optimiser for each target.
SHOWN = 10  # Failures, at the most.


@dataclass(frozen=True)
class Found:
    """What a part of a row found: how many targets, how many each way fails, and which."""

    targets: int
    missed: int
    missed_at_once: int
    worst: float
    failures: list[str]
