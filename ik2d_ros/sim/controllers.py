"""What a ros2_control controller makes of its commands, as plain data; no ROS.

The two that drive position-controlled arms, with the rules, words and interpolation of
ros2_controllers 4.42 (Jazzy) under their default parameters: position command interfaces, position
and velocity state interfaces.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.control.commands import BILLION, Trajectory, TrajectoryPoint
from ik2d_ros.sim.acceptance import Refusal, array_refusal, trajectory_refusal

Array = NDArray[np.float64]


class Measured(NamedTuple):
    """The measured state of the controller's joints.

    Attributes:
        positions: (k,) rad.
        velocities: (k,) rad/s.
    """

    positions: Array
    velocities: Array


class ForwardController:
    """forward_command_controller and position_controllers: they pass numbers on as they are."""

    def __init__(self, joints: Sequence[str], held: Sequence[float]) -> None:
        """Start active, holding (k,) positions in rad."""
        self._count = len(joints)
        self._setpoint = np.array(held, float)
        self.is_active = True

    def take(self, data: Sequence[float]) -> Refusal | None:
        """Take the numbers of a message, or return why they are refused."""
        if not self.is_active:
            return None  # it is emptied when it is activated
        refusal = array_refusal(data, self._count)
        if refusal is None:
            self._setpoint = np.array(data, float)
        elif refusal.deactivates:
            self.switch(active=False)
        return refusal

    def switch(self, active: bool) -> None:
        """Activate or deactivate it: it stays subscribed, and takes the next message at once."""
        self.is_active = active

    def setpoint(self, now: int, measured: Measured) -> Array:
        """Return the last accepted (k,) numbers."""
        del now, measured
        return self._setpoint


class JointTrajectoryController:
    """joint_trajectory_controller: it interpolates between the points of a trajectory."""

    def __init__(
        self, joints: Sequence[str], held: Sequence[float], continuous: Sequence[bool], period: int
    ) -> None:
        """Start active, holding (k,) positions in rad.

        Args:
            joints: names of its (k,) joints.
            held: their positions in rad.
            continuous: which of them have no limits: these turn the short way.
            period: of the control cycles, in ns: a setpoint is that of the end of its cycle.
        """
        self._joints = tuple(joints)
        self._continuous = np.array(continuous, bool)
        self._period = period
        self._setpoint = np.array(held, float)
        self._new: Trajectory | None = None
        self._points: tuple[TrajectoryPoint, ...] = ()
        self._start = 0
        self._before: tuple[int, Measured] | None = None
        self.is_active = True

    def take(self, trajectory: Trajectory, now: int) -> Refusal | None:
        """Take a trajectory, or return why it is refused: the running one then goes on.

        Args:
            trajectory: content of the message.
            now: time in ns.
        """
        if not self.is_active:
            return None  # the real one is subscribed, but drops it
        refusal = trajectory_refusal(trajectory, self._joints, now)
        if refusal is None:
            self._new = self._in_own_order(trajectory)
        return refusal

    def switch(self, active: bool) -> None:
        """Activate or deactivate it: either way, it holds what it commanded last."""
        if active != self.is_active:
            self.is_active, self._new, self._before = active, None, None

    def setpoint(self, now: int, measured: Measured) -> Array:
        """Return (k,) setpoints in rad: the trajectory at the end of this cycle."""
        if self._new is not None:
            self._points, self._start = self._new.points, self._new.stamp or now
            self._new = None
            first = np.array(self._points[0].positions)
            self._before = now, measured._replace(positions=self._unwound(measured, first))
        if self._before is not None:
            self._setpoint = self._sample(now + self._period)
        return self._setpoint

    def _sample(self, time: int) -> Array:
        assert self._before is not None  # noqa: S101  # a trajectory has begun
        began, state = self._before
        # The state before the trajectory has no acceleration: JTC takes it as zero.
        start = _Knot(began, state.positions, state.velocities, None)
        for point in self._points:
            end = _Knot(
                self._start + point.time,
                np.array(point.positions),
                np.array(point.velocities) if point.velocities else None,
                np.array(point.accelerations) if point.accelerations else None,
            )
            if time < end.time:
                return _between(start, end, time)
            start = end
        return start.positions

    def _unwound(self, measured: Measured, first: Array) -> Array:
        """Return measured positions with continuous joints in the turn nearest to a point."""
        turns = np.round((first - measured.positions) / math.tau)
        shifted = measured.positions + math.tau * turns
        return np.where(self._continuous, shifted, measured.positions)

    def _in_own_order(self, trajectory: Trajectory) -> Trajectory:
        """Return a trajectory by the controller's joints; those that are not in it stay."""
        own, held = self._joints, self._setpoint.tolist()

        def ordered(values: tuple[float, ...], others: Sequence[float]) -> tuple[float, ...]:
            given = dict(zip(trajectory.joints, values, strict=False))
            pairs = zip(own, others, strict=True)
            return tuple(given.get(name, other) for name, other in pairs) if values else ()

        still = (0.0,) * len(own)
        points = tuple(
            TrajectoryPoint(
                ordered(point.positions, held),
                point.time,
                ordered(point.velocities, still),
                ordered(point.accelerations, still),
            )
            for point in trajectory.points
        )
        return Trajectory(own, points, trajectory.stamp)


class _Knot(NamedTuple):
    """A state to interpolate from or to; None for derivatives that are not given."""

    time: int
    positions: Array
    velocities: Array | None
    accelerations: Array | None


def _between(one: _Knot, other: _Knot, time: int) -> Array:
    """Interpolate: linear, cubic with velocities, quintic with accelerations too."""
    span = (other.time - one.time) * 1e-9
    if span <= 0.0:
        return other.positions
    s = min(max((time - one.time) * 1e-9 / span, 0.0), 1.0)
    p, move = one.positions, other.positions - one.positions
    if other.velocities is None or one.velocities is None:
        # JTC computes nothing from accelerations alone, and commands zeros.
        return p + s * move if other.accelerations is None else np.zeros_like(p)
    v, w = span * one.velocities, span * other.velocities
    if other.accelerations is None:
        return p + s * v + s**2 * (3.0 * move - 2.0 * v - w) + s**3 * (v + w - 2.0 * move)
    a = 0.0 if one.accelerations is None else span**2 * one.accelerations
    b = span**2 * other.accelerations
    return (
        p
        + s * v
        + 0.5 * s**2 * a
        + 0.5 * s**3 * (20.0 * move - 12.0 * v - 8.0 * w - 3.0 * a + b)
        + 0.5 * s**4 * (-30.0 * move + 16.0 * v + 14.0 * w + 3.0 * a - 2.0 * b)
        + 0.5 * s**5 * (12.0 * move - 6.0 * v - 6.0 * w - a + b)
    )


def read_trajectory(message: Any) -> Trajectory:
    """Return the content of a trajectory_msgs/JointTrajectory.

    Args:
        message: the message, or anything with the same fields.
    """
    points = tuple(
        TrajectoryPoint(
            positions=tuple(point.positions),
            time=_nanoseconds(point.time_from_start),
            velocities=tuple(point.velocities),
            accelerations=tuple(point.accelerations),
        )
        for point in message.points
    )
    return Trajectory(tuple(message.joint_names), points, _nanoseconds(message.header.stamp))


def _nanoseconds(time: Any) -> int:
    return int(time.sec) * BILLION + int(time.nanosec)
