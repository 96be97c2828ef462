"""The commanded pose on its way to the solved one.

Positions are in rad, those of joints that slide in m, and so are velocities and accelerations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.description import MotionLimits
from ik2d_ros.motion import smooth
from ik2d_ros.motion.braking import braked, stop_range
from ik2d_ros.motion.smooth import Plan
from ik2d_ros.motion.state import MotionState
from ik2d_ros.motion.straight import stepped
from ik2d_ros.motion.stream import Stream
from ik2d_ros.motion.way import Way

# The arm must be able to move faster than the stream that it follows, to catch up with it.
_FASTEST_STREAM = 0.9  # of the velocity limit

_ROUNDING = 1e-9  # rad or m: positions that differ by no more are the same


class Movable(Protocol):
    """Joints that move together: an arm, or any others.

    Attributes:
        home: (m,) positions at start-up.
        limits: (m,) smallest and largest position of each joint; infinite where there are none.
        motion: (m,) motion limits.
        has_motion_limits: whether there are any.
    """

    @property
    def home(self) -> tuple[float, ...]: ...  # noqa: D102
    @property
    def limits(self) -> tuple[tuple[float, float], ...]: ...  # noqa: D102
    @property
    def motion(self) -> tuple[MotionLimits, ...]: ...  # noqa: D102
    @property
    def has_motion_limits(self) -> bool: ...  # noqa: D102
    def clamped(self, positions: Sequence[float]) -> tuple[float, ...]:
        """Clamp (m,) positions to the limits."""


class Mover:
    """Moves the commanded pose to the solved one, within the motion limits.

    It has no clock: whoever owns it says how much time has passed. Without motion limits the arm is
    at its goal at once.

    With limits on acceleration, two things hold after every step:

    * From the state each joint can stop inside its position limits. A plan that would leave such a
      state is not followed; the arm then brakes, which never does. A joint that is outside of its
      limits to begin with goes no further out than braking takes it.
    * The next step begins where the last one ended: at the same position and velocity, and, with
      jerk limits, at the same acceleration.

    Attributes:
        state: what was commanded last.
        goal: (m,) the pose that it goes to.
        way_time: s along a way; 0 before its first pose is reached, None without a way.
    """

    def __init__(self, arm: Movable) -> None:
        """Start at rest, at the arm's home."""
        self._arm = arm
        self._time = 0.0
        self._stream = Stream()
        self.state = MotionState.at_rest(arm.home)
        self.goal = self.state.positions
        self._plan: Plan | None = None
        self._planned = 0.0  # s since its beginning
        self._is_halting = False
        self._way: Way | None = None
        self.way_time: float | None = None

    @property
    def takes_time(self) -> bool:
        """Whether a motion does; without motion limits the arm is at its goal at once."""
        return self._arm.has_motion_limits

    @property
    def arrived(self) -> bool:
        """Whether the arm is at the goal, at rest."""
        is_there = self.state.positions == self.goal and self.state.is_at_rest
        return is_there and (self._way is None or self.way_time == self._way.duration)

    def configure(self, arm: Movable) -> None:
        """Take over an arm with the same joints and other limits.

        What moves faster than a new limit allows brakes to it; a goal outside of new position
        limits moves to the limit. A way is left: the arm brakes.
        """
        if (arm.motion, arm.limits) == (self._arm.motion, self._arm.limits):
            return
        self._arm = arm
        if self._is_halting or self._way is not None:
            self.halt()
        else:
            self._head_for(arm.clamped(self.goal))

    def aim(self, goal: Sequence[float], since: float | None = None) -> None:
        """Go to another pose, from the present state.

        Args:
            goal: (m,) inside the limits.
            since: s from the last step to the moment at which the goal was there, for one of a
                stream of goals, which the arm follows as it moves; None for a goal by itself.
        """
        if since is None:
            self._stream.clear()
        else:
            self._stream.add(self._time + since, goal, self._fastest())
        if self._is_halting or self._way is not None or tuple(goal) != self.goal:
            self._head_for(goal)

    def follow(self, way: Way) -> None:
        """Go to the first pose of a way, and, from a stop there, along it."""
        self.aim(way.start)
        self._way, self.way_time = way, 0.0

    def advance(self, dt: float, elapsed: float = 0.0) -> MotionState:
        """Return the state some time later.

        Args:
            dt: s by which the motion goes on; 0 and less is no time.
            elapsed: s that passed since the last step, if more than that: a stream of goals has
                gone on meanwhile.
        """
        if not dt > 0.0:
            return self.state
        self._time += max(elapsed, dt)
        if self._is_halting:
            self.state = _held_to(self._bounds(), self._braked(dt))
            self._is_halting = not self.state.is_at_rest
            if not self._is_halting:
                self.goal = self.state.positions
        elif self._way is not None and (self.way_time or self._is_at(self._way.start)):
            self.way_time = min((self.way_time or 0.0) + dt, self._way.duration)
            self.state, self.goal = self._way.at(self.way_time), self._way.end
        elif smooth.is_needed(self._arm.motion):
            self._move(dt)
        elif not self.arrived:
            self._step(dt)
        return self.state

    def clamped(self, positions: Sequence[float]) -> tuple[float, ...]:
        """Clamp (m,) positions to the limits."""
        return self._arm.clamped(positions)

    def wait(self, elapsed: float) -> None:
        """Let time pass, in s, without going on; a stream of goals goes on meanwhile."""
        self._time += elapsed

    def place(self, positions: Sequence[float]) -> None:
        """Put the arm at rest somewhere, which is then its goal.

        Args:
            positions: (m,); may be outside the limits, and is then walked back by the next
                motion.
        """
        self.state = MotionState.at_rest(positions)
        self.goal = self.state.positions
        self._plan, self._is_halting = None, False
        self._stream.clear()
        self._way = self.way_time = None

    def halt(self) -> None:
        """Brake as fast as the limits allow; the goal is where the arm stops."""
        self._stream.clear()
        self._plan = self._way = self.way_time = None
        self.goal = _held_to(self._bounds(), self._braked(math.inf)).positions
        self._is_halting = not self._braked(0.0).is_at_rest
        if not self._is_halting:
            self.state = MotionState.at_rest(self.state.positions)

    def _head_for(self, goal: Sequence[float]) -> None:
        self.goal = tuple(goal)
        self._plan, self._is_halting = None, False
        self._way = self.way_time = None
        # A target that is sent again is solved anew, and no two solutions are equal to the bit.
        if not self._arm.has_motion_limits or self._is_at(goal):
            self.state = MotionState.at_rest(goal)

    def _is_at(self, pose: Sequence[float]) -> bool:
        """Return whether the arm stands at a pose, but for rounding."""
        return self.state.is_at_rest and all(
            abs(q - p) <= _ROUNDING for q, p in zip(pose, self.state.positions, strict=True)
        )

    def _fastest(self) -> NDArray[np.float64]:
        """Return (m,) velocity limits."""
        limits = [m.velocity for m in self._arm.motion]
        return np.array([math.inf if limit is None else limit for limit in limits])

    def _step(self, dt: float) -> None:
        """Go on by a step within limits on velocity alone."""
        motion = self._stream.motion(self._time, self._time)
        if motion is None:
            self.state = stepped(self.state, self.goal, self._arm.motion, dt)
            return
        before, goal = self.state.positions, self._arm.clamped(motion[0].tolist())
        state = stepped(self.state, goal, self._arm.motion, dt)
        speed = tuple((q - p) / dt for p, q in zip(before, state.positions, strict=True))
        self.state = MotionState(state.positions, speed, state.accelerations)

    def _move(self, dt: float) -> None:
        """Go on by a step within limits on acceleration."""
        followed = self._followed(dt)
        if followed is not None:
            self._plan, self._planned = self._plan_for(*followed), 0.0
        elif self._plan is None or self._plan.goal != self.goal or any(self._plan.drift):
            if self.arrived:
                return
            standing = (0.0,) * len(self.goal)
            self._plan, self._planned = self._plan_for(self.goal, standing), 0.0
        bounds = self._bounds()
        if self._plan is not None:
            self._planned += dt
            state = self._plan.at(self._planned)
            if self._stops_within(bounds, state):
                self.state = _held_to(bounds, state)
                return
            plan = smooth.plan(
                self.state, self._plan.goal, self._plan.drift, self._arm.motion, in_step=False
            )
            if plan is not None and self._stops_within(bounds, plan.at(dt)):
                self._plan, self._planned = plan, dt
                self.state = _held_to(bounds, plan.at(dt))
                return
        self._plan = None
        state = _held_to(bounds, self._braked(dt))
        # Limits near the smallest or the largest number that there is may give nonsense.
        self.state = state if state.is_finite else MotionState.at_rest(self.state.positions)

    def _plan_for(self, goal: Sequence[float], drift: Sequence[float]) -> Plan | None:
        """Plan from the present state: all joints in step, or else each as fast as it can."""
        motion = self._arm.motion
        return smooth.plan(self.state, goal, drift, motion) or smooth.plan(
            self.state, goal, drift, motion, in_step=False
        )

    def _followed(self, dt: float) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
        """Return where the stream of goals is now and how it moves, if there is one to follow."""
        motion = self._stream.motion(self._time - dt, self._time)
        if motion is None:
            return None
        goal = self._arm.clamped(motion[0].tolist())
        speed = np.abs(motion[1])
        slower = float(np.max(speed / self._fastest(), initial=0.0)) / _FASTEST_STREAM
        drift = motion[1] / max(slower, 1.0)
        return goal, tuple(
            self._inwards(i, goal[i], velocity) for i, velocity in enumerate(drift.tolist())
        )

    def _inwards(self, i: int, position: float, velocity: float) -> float:
        """Slow a velocity down until joint i, there, could stop inside its limits."""
        (lower, upper), limits = self._arm.limits[i], self._arm.motion[i]
        if lower == -math.inf:
            return velocity
        for _ in range(10):
            lowest, highest = stop_range(position, velocity, 0.0, limits)
            if lower <= lowest and highest <= upper:
                return velocity
            velocity /= 2.0
        return 0.0

    def _bounds(self) -> list[tuple[float, float]]:
        """Return how far each joint may go: to its limits, or as far as braking takes it."""
        return [
            (
                lowest if lowest < lower - _ROUNDING else lower,
                highest if highest > upper + _ROUNDING else upper,
            )
            for (lower, upper), (lowest, highest) in zip(
                self._arm.limits, self._stops(self.state), strict=True
            )
        ]

    def _stops_within(self, bounds: Sequence[tuple[float, float]], state: MotionState) -> bool:
        return all(
            lower - _ROUNDING <= lowest and highest <= upper + _ROUNDING
            for (lower, upper), (lowest, highest) in zip(bounds, self._stops(state), strict=True)
        )

    def _stops(self, state: MotionState) -> list[tuple[float, float]]:
        """Return the smallest and largest position of each joint if it brakes."""
        return [
            stop_range(*joint)
            for joint in zip(
                state.positions,
                state.velocities,
                state.accelerations,
                self._arm.motion,
                strict=True,
            )
        ]

    def _braked(self, dt: float) -> MotionState:
        joints = zip(
            self.state.positions,
            self.state.velocities,
            self.state.accelerations,
            self._arm.motion,
            strict=True,
        )
        positions, velocities, accelerations = zip(*(braked(*j, dt) for j in joints), strict=True)
        return MotionState(positions, velocities, accelerations)


def _held_to(bounds: Sequence[tuple[float, float]], state: MotionState) -> MotionState:
    """Take off the rounding that a position may be beyond its bounds."""
    positions = tuple(
        min(max(p, lower), upper) for p, (lower, upper) in zip(state.positions, bounds, strict=True)
    )
    return MotionState(positions, state.velocities, state.accelerations)
