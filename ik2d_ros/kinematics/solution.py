"""Answers of solvers: a pose, and whether it reaches the target or why not."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.plane import Contact

SMALLEST_PROVEN = 1e-8  # Reaches or rad; with a smaller tolerance nothing is proven.


class Status(enum.IntEnum):
    """Whether a target was reached; an unreachable target is an answer, not an error."""

    REACHED = 0
    """The tip is within the tolerance of the target."""
    TOO_FAR = 1
    """The target is beyond the annulus, or off a plane that no joint carries."""
    TOO_NEAR = 2
    """The target is in the hole of the annulus: no pose reaches it.

    Or it is nearer to a turntable's axis than the plane is.
    """
    JOINT_LIMIT = 3
    """The target is in the annulus, but limits forbid it: of a joint, a turntable or a lift.

    Up to ten limited joints are proven; with more, a search ends at the closest pose found.
    """
    NOT_CONVERGED = 4
    """The solver stopped without proof either way."""
    TIP_ANGLE = 5
    """The point can be reached, but not at the requested angle or roll: the closest ones found.

    Where that is not proven, descents from 64 poses that are spread over the limits have looked for
    closer ones, and small turns of the last link.
    """
    PATH_JUMP = 6
    """A path goes on only with a change of shape: the next point is reached, but not from here."""
    BLOCKED = 7
    """A wall is where the target, or the arm there, would be; see ``Solution.contact``."""


class Solution(NamedTuple):
    """Answer of a solver for one target.

    Attributes:
        q: (n,) joint positions in rad, in m of prismatic joints, always finite and inside the
            limits; in space, the turntable's (rad) or the lift's (m) comes first, the roll's last.
        tip: (2,) where the tip is at ``q``, in m, in the plane; of an arm (3,), in the base frame.
        error: distance from the tip to the target in m.
        status: whether the target is reached, or why not; ``q`` is the closest pose found then.
        solver: the solver that answered, ``two_bone``, ``ccd`` or ``hybrid``.
        iterations: passes over the chain that it took; 0 for a closed form.
        proven: whether the status is a proof: not where a solver has stopped without one or only
            searched, or with tolerances below 1e-8 reaches or 1e-8 rad.
        angle: direction of the last link frame's x-axis in the plane in rad, above -pi and up to
            pi; angle_error: its distance from the requested angle, or 0.
        contact: what is across a wall, or would be, where the status is ``BLOCKED``; else None.
        roll_error: distance of an arm's roll from where it was asked to be in rad, or 0.
    """

    q: NDArray[np.float64]
    tip: NDArray[np.float64]
    error: float
    status: Status
    solver: str
    iterations: int
    proven: bool
    angle: float
    angle_error: float
    contact: Contact | None = None
    roll_error: float = 0.0


def is_proven(status: Status, chain: Chain, tolerance: float, slack: float) -> bool:
    """Return whether a status is a proof for a chain: below 1e-8, rounding may decide.

    Reached counted within a tolerance in m, and a slack of the angle in rad, infinite for any.
    """
    if tolerance < SMALLEST_PROVEN * chain.size or slack < SMALLEST_PROVEN:
        return False
    if status is Status.JOINT_LIMIT or status is Status.TIP_ANGLE:
        return chain.solver.solver.enumerated_from == 0
    return status is not Status.NOT_CONVERGED


@dataclass(frozen=True, eq=False)
class Batch:
    """Answers for many targets.

    Attributes:
        q: (m, n) joint positions, as those of a :class:`Solution`.
        error: (m,) distances from the tips to their targets in m.
        status: (m,) values of :class:`.Status`, as small integers.
        proven: (m,) whether each status is a proof.
        angle_error: (m,) distances of the tips' angles from the requested ones in rad, or 0.
        roll_error: (m,) the same of an arm's roll.
    """

    q: FloatArray
    error: FloatArray
    status: NDArray[np.int8]
    proven: NDArray[np.bool_]
    angle_error: FloatArray
    roll_error: FloatArray
