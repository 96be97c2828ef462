"""Solves for the chain in a plane that a lift shifts, or in a fixed plane: targets in space.

A lift and the chain in its plane are independent: each comes as close as it can.
"""

from __future__ import annotations

import math

from ik2d_ros.kinematics.kernel import codes, points
from ik2d_ros.kinematics.kernel.chain_solver import CarriedSolver, ChainSolver
from ik2d_ros.kinematics.kernel.joint_table import Index, Numbers


class LiftSolver(CarriedSolver):
    """Solves for one arm with a lift, whose position comes first, or in a fixed plane.

    With a lift, ``axis`` is +1 or -1: along the plane's normal, or against it; else 0.
    ``off_plane`` is how far the target is from the plane in m, with its sign.
    """

    def __init__(
        self, chain: ChainSolver, axis: int, travel: tuple[float, float], limited: bool
    ) -> None:
        super().__init__(chain, abs(axis), travel)
        self.axis = axis
        self.limited = limited
        self.off_plane = 0.0

    def solve_target(
        self, at: complex, z: float, angle: float, tolerance: float, angle_tolerance: float
    ) -> Index:
        """Bring the tip to a target, or as close as it can come; return the status."""
        beside = abs(z - self.axis * self.height(z))
        left = math.sqrt(max(0.0, (tolerance - beside) * (tolerance + beside)))
        left = max(left, points.PLANE_TOLERANCE * self.chain.size)
        status = self.chain.solve_target(at, 0.0, angle, left, angle_tolerance)
        self.place_lift(z)
        if abs(self.off_plane) > tolerance:
            if not self.limited:
                return codes.TOO_FAR
            return status if status in (codes.TOO_FAR, codes.TOO_NEAR) else codes.JOINT_LIMIT
        return self.status_at(status, tolerance, angle_tolerance)

    def step_to(self, at: complex, z: float, angle: float, tolerance: float) -> None:
        """Come close to a target by a few small steps of the chain, and the lift at its height."""
        self.chain.step_to(at, 0.0, angle, tolerance)
        self.place_lift(z)

    def height(self, z: float) -> float:
        """Return the position of the lift that brings the plane closest to a height in m."""
        return points.clamp(self.axis * z, self.carrier_lower, self.carrier_upper)

    def place_lift(self, z: float) -> None:
        """Take the chain's pose, with the lift as close to a height in m as it can be."""
        height = self.height(z)
        self.place_pose(height)
        self.passes, self.angle_error = self.chain.passes, self.chain.angle_error
        self.off_plane = z - self.axis * height
        self.error = math.hypot(self.chain.error, self.off_plane)

    def measure_move(self, before: Numbers, after: Numbers, first: Index) -> None:
        """Measure a move of the chain; the lift moves the tip along a straight line."""
        self.chain.measure_move(before, after, first + self.first)
        self.speed, self.bow = self.chain.speed, self.chain.bow
        self.largest = self.chain.largest
