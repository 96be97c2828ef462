"""Solves for the chain in a plane that a lift shifts, or that stands still: targets in space.

A lift and the chain in its plane are independent: each comes as close as it can.
"""

from __future__ import annotations

import math

from ik2d_ros.kinematics.kernel import codes, points
from ik2d_ros.kinematics.kernel.chain_solver import ChainSolver, Direction, TargetSolver
from ik2d_ros.kinematics.kernel.linkage import Index


class LiftSolver(TargetSolver):
    """Solves for one arm with a lift, whose position comes first, or in a plane that stands still.

    Attributes:
        first: how many positions come before those of the chain: 1 with a lift, else 0.
        axis: +1 or -1 with a lift: along the plane's normal, or against it; else 0.
        lower: the least position of the lift in m; upper: the largest.
        limited: whether these are limits of the lift.
    """

    def __init__(
        self, chain: ChainSolver, axis: int, travel: tuple[float, float], limited: bool
    ) -> None:
        super().__init__(chain.joints + abs(axis), chain.lock)
        self.chain = chain
        self.first = abs(axis)
        self.axis = axis
        self.lower, self.upper = travel
        self.limited = limited

    def twin(self) -> LiftSolver:
        """Return another solver for the same arm, for another thread."""
        travel = self.lower, self.upper
        return LiftSolver(self.chain.twin(), round(self.axis), travel, self.limited)

    def set_up(self, angle: float | Direction, options: tuple[int, int, int]) -> None:
        """Make ready for targets seen from the plane with the lift at 0."""
        self.chain.set_up(angle, options)

    def begin(self, j: Index, position: float) -> None:
        """Start with a joint at a position; for the lift it does not matter."""
        if j >= self.first:
            self.chain.begin(j - self.first, position)

    def height(self, z: float) -> float:
        """Return the position of the lift that brings the plane closest to a height in m."""
        return points.clamp(self.axis * z, self.lower, self.upper)

    def bring(self, at: complex, z: float, angle: float, tolerance: float, slack: float) -> Index:
        """Bring the tip to a target, or as close as it can come; return the status."""
        status = self.chain.bring(at, 0.0, angle, tolerance, slack)
        height = self.height(z)
        self.positions[0] = height
        for j in range(self.chain.joints):
            self.positions[self.first + j] = self.chain.positions[j]
        self.x, self.y, self.passes = self.chain.x, self.chain.y, self.chain.passes
        self.angle, self.angle_error = self.chain.angle, self.chain.angle_error
        beside = z - self.axis * height
        self.error = math.hypot(self.chain.error, beside)
        if abs(beside) > tolerance:
            return self.why_not(status)
        if self.error <= tolerance or status not in (codes.REACHED, codes.TIP_ANGLE):
            return status
        return codes.NOT_CONVERGED

    def why_not(self, status: Index) -> Index:
        """Return the status where the plane does not come to the target, from the chain's in it."""
        if not self.limited:
            return codes.TOO_FAR
        return status if status in (codes.TOO_FAR, codes.TOO_NEAR) else codes.JOINT_LIMIT
