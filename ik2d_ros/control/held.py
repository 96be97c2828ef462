"""The joints that are commanded beside the arm, such as a gripper's; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ik2d_ros.control.joints import CommandedJoints, Pose
from ik2d_ros.motion.state import MotionState


class HeldJoints:
    """Joints that go where they are held, or at velocities: each by itself, at one speed at most.

    Without limits on acceleration they are at rest from command to command.

    Attributes:
        state: the last command.
    """

    is_smooth = False

    def __init__(self, joints: CommandedJoints) -> None:
        """Start where they are held."""
        self._joints = joints
        self._holds = self._goal = tuple(joints.holds.values())  # NaN: where it is measured first
        self._first: Pose = (0.0,) * len(self._holds)
        self._velocities: Mapping[str, float] = {}  # of joints that are jogged, by name
        self.state = MotionState.at_rest(self.goal)

    @property
    def goal(self) -> Pose:
        """(m,) where they are going."""
        return self._known(self._goal)

    end = goal

    @property
    def arrived(self) -> bool:
        """Whether they stand where they were going."""
        return not self._velocities and self.state.positions == self.goal

    @property
    def is_asked(self) -> bool:
        """Whether any is to move."""
        return bool(self._velocities) or self.state.positions != self._known(self._holds)

    def configure(self, joints: CommandedJoints) -> bool:
        """Take over other settings; return whether a joint is held elsewhere for that."""
        before, self._joints = self._joints.holds, joints
        changed = {
            name: q
            for name, q in joints.holds.items()
            if q != before[name] and not (math.isnan(q) and math.isnan(before[name]))
        }
        if changed:
            self.hold(changed)
        return bool(changed)

    def measure(self, positions: Pose) -> None:
        """Take the (m,) positions that were measured first."""
        self._first = positions

    def hold(self, positions: Mapping[str, float]) -> None:
        """Hold joints elsewhere, by name, from when they set out; none is jogged any more."""
        self._holds, self._velocities = self._with(self._holds, positions), {}

    def jog(self, velocities: Mapping[str, float]) -> None:
        """Move joints at velocities in rad/s, by name, until told otherwise; each is held there."""
        self._velocities = velocities

    def set_out(self) -> None:
        """Go where they are held."""
        self._goal = self._holds

    def stay(self) -> None:
        """Be held where they were going last; nothing else that was asked counts."""
        self._holds, self._velocities = self._goal, {}

    def halt(self) -> None:
        """Stand, and be held there."""
        self.place(self.state.positions)
        self.stay()

    def aim(self, goal: Pose) -> None:
        """Go elsewhere for now."""
        self._goal = goal

    def place(self, positions: Pose) -> None:
        """Stand somewhere for now."""
        self.state, self._goal = MotionState.at_rest(positions), positions

    def clamped(self, positions: Sequence[float]) -> Pose:
        """Clamp (m,) positions to the limits."""
        pairs = zip(positions, self._joints.hold_ends, strict=True)
        return tuple(min(max(q, lower), upper) for q, (lower, upper) in pairs)

    def wait(self, dt: float, elapsed: float = 0.0) -> None:
        """Stand for so many s, and keep the goal."""

    def advance(self, dt: float, elapsed: float = 0.0) -> None:
        """Go on for so many s."""
        del elapsed
        if self.arrived or not dt > 0.0:
            return
        following, jogged = self._joints.following, self._velocities
        most = following.speed * following.hold_velocity * dt

        def step(name: str, q: float, goal: float, ends: tuple[float, float]) -> float:
            if name in jogged:  # a joint beyond a limit goes no further out
                lower, upper = min(ends[0], q), max(ends[1], q)
                goal = min(max(q + jogged[name] * dt, lower), upper)
            return goal if abs(goal - q) <= most else q + math.copysign(most, goal - q)

        here, names, ends = self.state.positions, self._joints.holds, self._joints.hold_ends
        self.state = MotionState.at_rest((*map(step, names, here, self.goal, ends),))
        there = zip(names, self.state.positions, strict=True)
        left = {name: q for name, q in there if name in jogged}
        self._goal, self._holds = self._with(self._goal, left), self._with(self._holds, left)

    def _known(self, pose: Pose) -> Pose:
        return tuple(
            first if math.isnan(q) else q for q, first in zip(pose, self._first, strict=True)
        )

    def _with(self, pose: Pose, positions: Mapping[str, float]) -> Pose:
        pairs = zip(self._joints.holds, pose, strict=True)
        return tuple(positions.get(name, q) for name, q in pairs)
