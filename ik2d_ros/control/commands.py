"""The commands for a controller, made of the commanded pose; no ROS imports."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ik2d_ros.control.joints import Pose

BILLION = 10**9

RESERVE = BILLION // 50
"""How much later in ns than one period from now a pose is due.

A controller at 100 Hz asks for where to be one cycle later, 0.01 s. The rest is for messages that
come late.
"""

START = 1000  # ns; some controllers want the first point to be later than the stamp

TAIL = 10 * BILLION
"""For how long in ns the last pose is held: a trajectory that is over on arrival is refused."""


@dataclass(frozen=True)
class TrajectoryPoint:
    """One point of a trajectory, by the trajectory's joints.

    Attributes:
        positions: rad.
        time: ns from the start of the trajectory (``time_from_start``).
    """

    positions: tuple[float, ...]
    time: int


@dataclass(frozen=True)
class Trajectory:
    """The content of a trajectory_msgs/JointTrajectory.

    Attributes:
        joints: names of the joints.
        points: the points in the order of their times.
        stamp: stamp of the header in ns; 0 means that it starts on arrival.
    """

    joints: tuple[str, ...]
    points: tuple[TrajectoryPoint, ...]
    stamp: int = 0


class Knot(NamedTuple):
    """A pose, and when it is due, in ns."""

    due: int
    pose: Pose


class TrajectoryStream:
    """Makes trajectories of a stream of poses, one per period, for joint_trajectory_controller.

    The controller replaces what it carries out by what arrives, and interpolates to the first point
    of that from the *measured* pose, by default. A servo is behind its command, so that every
    message would pull it back. And it takes the messages at its own cycles: of trajectories that
    start on arrival, a cycle in which two arrive makes a double step, and one without makes none.

    Therefore each trajectory has a stamp, its points are due at fixed times, and it goes back to
    the pose that is due at present. Whenever it arrives, the controller is on the same way as
    before. Where commands begin, that pose is the measured one.
    """

    def __init__(self, joints: Sequence[str]) -> None:
        """Start before the first pose.

        Args:
            joints: (n,) the controller's joints.
        """
        self._joints = tuple(joints)
        self._knots: deque[Knot] = deque()

    def is_over(self, now: int) -> bool:
        """Return whether all that was sent is due by a time in ns."""
        return not self._knots or self._knots[-1].due <= now

    def begin(self, origin: Mapping[str, float], now: int) -> None:
        """Begin anew with some joints, or all of them; the others go on.

        Args:
            origin: where each of the joints is, by name.
            now: time of the controller's clock in ns.
        """
        knots = self._knots or [Knot(now, (0.0,) * len(self._joints))]
        self._knots = deque(
            Knot(due, tuple(map(origin.get, self._joints, pose))) for due, pose in knots
        )

    def go_on(self, pose: Pose, span: float, now: int) -> Trajectory:
        """Return the trajectory that goes on to a pose, or stays there.

        Args:
            pose: (n,) positions.
            span: s from the pose before to this one, at least the period between commands.
            now: time of the controller's clock in ns.
        """
        before, step = self._knots[-1], math.ceil(span * BILLION)
        if before.due > now + RESERVE + 2 * step:  # the clock was set back, or poses come too fast
            self._knots.clear()
        if not now + RESERVE // 2 <= before.due <= now + RESERVE + 2 * step:
            before = Knot(now + RESERVE, before.pose)
            self._knots.append(before)
        knots = self._knots
        knots.append(Knot(before.due + step, pose))
        while knots[1].due <= now:
            knots.popleft()
        start = min(knots[0].due - START, now)
        points = [TrajectoryPoint(knot.pose, knot.due - start) for knot in knots]
        points.append(TrajectoryPoint(pose, knots[-1].due - start + TAIL))
        return Trajectory(self._joints, tuple(points), start)
