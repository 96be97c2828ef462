"""What a solver answers: a pose, and whether it reaches the target or why not."""

from __future__ import annotations

import enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.arrays import FloatArray


class Status(enum.IntEnum):
    """Whether a target was reached; an unreachable target is an answer, not an error."""

    REACHED = 0
    """The tip is within the tolerance of the target."""
    TOO_FAR = 1
    """The target is beyond the annulus, or beside a plane that nothing carries."""
    TOO_NEAR = 2
    """The target is in the hole of the annulus: no pose reaches it.

    Or it is nearer to a turntable's axis than the plane stands beside it.
    """
    JOINT_LIMIT = 3
    """The target is in the annulus, but joint limits forbid it, those of a turntable or lift too.

    Proven where ``Solution.proven`` says so: up to some ten joints, and with none limited at all.
    For more, a search among all kinds of poses has ended on the closest.
    """
    NOT_CONVERGED = 4
    """The solver stopped without proof either way."""


class Solution(NamedTuple):
    """Answer of a solver for one target.

    Attributes:
        q: (n,) joint positions in rad, always finite and inside the limits; of an arm in space,
            that of the turntable in rad or of the lift in m comes first.
        tip: (2,) where the tip is at ``q``, in m, in the plane; of an arm (3,), in the base frame.
        error: distance from the tip to the target in m.
        status: whether the target is reached, or why not; ``q`` is the closest pose found then.
        solver: the solver that answered, ``two_bone``, ``ccd`` or ``hybrid``.
        iterations: passes over the chain that it took; 0 for a closed form.
        proven: whether the status is a proof: not where a solver has stopped without one, or where
            it has only searched.
    """

    q: NDArray[np.float64]
    tip: NDArray[np.float64]
    error: float
    status: Status
    solver: str
    iterations: int
    proven: bool


class Batch(NamedTuple):
    """Answers for many targets.

    Attributes:
        q: (m, n) joint positions in rad, always finite and inside the limits; of an arm in space,
            that of the turntable in rad or of the lift in m comes first.
        error: (m,) distances from the tips to their targets in m; 0 where the closed form is exact.
        status: (m,) values of :class:`.Status`, as small integers.
    """

    q: FloatArray
    error: FloatArray
    status: NDArray[np.int8]
