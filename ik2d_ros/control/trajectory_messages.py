"""One message to joint_trajectory_controller for each commanded pose; no ROS imports."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from ik2d_ros.motion.state import Positions

BILLION = 10**9
FIRST_POINT_DELAY = 1000  # ns: some controllers want the first point to be later than the stamp
# A pose is due one period and this much later, in ns: half of it is for a cycle at 100 Hz, to whose
# end the controller interpolates, half for delays.
LOOKAHEAD = BILLION // 50
TAIL = 10 * BILLION  # ns for which the last pose is held: no trajectory is to have ended


@dataclass(frozen=True)
class TrajectoryPoint:
    """One point of a trajectory: positions by its joints, and ns from its start."""

    positions: tuple[float, ...]
    time: int


@dataclass(frozen=True)
class TrajectoryMessage:
    """The content of a trajectory_msgs/JointTrajectory; a stamp of 0 ns: starts on arrival."""

    joints: tuple[str, ...]
    points: tuple[TrajectoryPoint, ...]
    stamp: int = 0


class TrajectoryWriter:
    """Makes a trajectory message of each commanded pose, for joint_trajectory_controller.

    By default, the controller interpolates from the *measured* pose to the first point of a new
    trajectory. A servo is behind its command, so every message would pull it back. The controller
    also takes messages at its own cycles: if trajectories started on arrival, two in one cycle
    would make a double step, and a cycle without one would make none.

    Therefore each trajectory has a stamp, its points are due at fixed times, and it begins with the
    pose that is due at present. When it arrives then has no effect. Where commands begin, that pose
    is the measured one.
    """

    def __init__(self, joints: Sequence[str]) -> None:
        """Make messages for the (n,) joints of a controller; :meth:`reset` comes first."""
        self._joints = tuple(joints)
        self._knots: deque[TrajectoryPoint] = deque()  # by the controller's clock

    def reset(self, origin: Positions, now: int) -> None:
        """Begin, also anew, at an (n,) pose at a time in ns."""
        self._knots = deque([TrajectoryPoint(origin, now)])

    def append(self, pose: Positions, span: float, now: int) -> TrajectoryMessage:
        """Return the message that goes on to an (n,) pose, or stays there, at a time in ns.

        The pose is ``span`` s after the one before, at least the period between commands.
        """
        before, step = self._knots[-1], math.ceil(span * BILLION)
        latest = now + LOOKAHEAD + 2 * step
        if before.time > latest:  # the clock was set back, or poses come too fast
            self._knots.clear()
        if not now + LOOKAHEAD // 2 <= before.time <= latest:
            before = TrajectoryPoint(before.positions, now + LOOKAHEAD)
            self._knots.append(before)
        knots = self._knots
        knots.append(TrajectoryPoint(pose, before.time + step))
        while knots[1].time <= now:
            knots.popleft()
        start = min(knots[0].time - FIRST_POINT_DELAY, now)
        points = [TrajectoryPoint(knot.positions, knot.time - start) for knot in knots]
        points.append(TrajectoryPoint(pose, knots[-1].time - start + TAIL))
        return TrajectoryMessage(self._joints, tuple(points), start)
