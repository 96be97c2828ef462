"""Profiles within limits on velocity, acceleration and jerk, by Ruckig."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from ik2d_ros.arm.description import MotionLimits
from ik2d_ros.kinematics.clearance import Stop
from ik2d_ros.motion.state import MotionState, Positions

# Ruckig needs a number where a joint has no limit.
_MAX_VELOCITY = 1e9  # rad/s
_MAX_ACCELERATION = 1e12  # rad/s^2


def needs_ruckig(limits: Sequence[MotionLimits]) -> bool:
    """Return whether limits need Ruckig: those on velocity alone do not."""
    return any(m.acceleration is not None or m.jerk is not None for m in limits)


def has_ruckig() -> bool:
    """Return whether Ruckig can be imported; that takes a while the first time."""
    try:
        import ruckig  # noqa: F401, PLC0415  # an extra
    except ImportError:
        return False
    return True


@dataclass(frozen=True)
class Profile:
    """States of (n,) joints by time, until they are at a goal, which may move, or a velocity."""

    origin: Positions  # to which Ruckig's positions are relative
    goal: Positions  # at the beginning
    drift: tuple[float, ...]  # rad/s, final velocity, as that of a moving goal
    duration: float  # s until the joints move with the goal
    _trajectory: Any

    @classmethod
    def to_goal(
        cls,
        state: MotionState,
        goal: Sequence[float],
        drift: Sequence[float],
        limits: Sequence[MotionLimits],
        in_step: bool = True,
    ) -> Profile | None:
        """Return the fastest profile to a goal; None if Ruckig finds none.

        It is planned relative to the goal: a moving goal is then fixed, and large positions of
        continuous joints lose no precision.

        Args:
            state: where the motion begins.
            goal: (n,) rad.
            drift: (n,) rad/s, velocity of the goal, below the limits.
            limits: those of the joints.
            in_step: whether all joints arrive at once; else each as soon as it can.
        """
        found = _solved(state, goal, drift, limits, in_step)
        return found and cls(tuple(goal), tuple(goal), tuple(drift), found.duration, found)

    @classmethod
    @lru_cache(maxsize=256)  # a step brakes from where the one before, of any arm, found it can
    def to_velocities(
        cls,
        state: MotionState,
        velocities: tuple[float, ...],
        limits: tuple[MotionLimits, ...],
        in_step: bool = True,
    ) -> Profile | None:
        """Return the fastest profile to velocities; None if Ruckig finds none.

        Args:
            state: where the motion begins.
            velocities: (n,) rad/s, within the limits; zeros to brake.
            limits: those of the joints.
            in_step: whether all joints get there at once, if they can; else each as soon as it can.
        """
        origin = state.positions
        found = _solved(state, origin, velocities, limits, in_step, is_velocity=True)
        if found is None:
            return None
        stops = found.at_time(found.duration)[0]
        goal = tuple(p + q for p, q in zip(origin, stops, strict=True))
        return cls(origin, goal, tuple(velocities), found.duration, found)

    def at(self, time: float) -> MotionState:
        """Return the state at a time in s after the beginning."""
        if time >= self.duration:
            positions = tuple(g + d * time for g, d in zip(self.goal, self.drift, strict=True))
            return MotionState(positions, self.drift, (0.0,) * len(positions))
        moves, velocities, accelerations = self._trajectory.at_time(time)
        return MotionState(
            tuple(o + d * time + m for o, d, m in zip(self.origin, self.drift, moves, strict=True)),
            tuple(d + v for d, v in zip(self.drift, velocities, strict=True)),
            tuple(accelerations),
        )

    @cached_property
    def range(self) -> list[tuple[float, float]]:
        """Smallest and largest position of each joint in rad, if the goal does not move."""
        return [
            (o + each.min, o + each.max)
            for o, each in zip(self.origin, self._trajectory.position_extrema, strict=True)
        ]

    def as_stop(self, state: MotionState, limits: Sequence[MotionLimits]) -> Stop:
        """Return a profile that brakes from a state in the form in which collisions are checked."""

        def largest_rates() -> tuple[list[float], list[float]]:
            speeds, accelerations = [], []
            for v, a, m in zip(state.velocities, state.accelerations, limits, strict=True):
                speed, limit = abs(v), m.acceleration
                if m.jerk is not None:  # it may speed up first
                    speed += 0.5 * a * a / m.jerk
                    limit = max(abs(a), min(_number(limit, math.inf), math.sqrt(m.jerk * speed)))
                speeds.append(0.0 if limit is None else speed)  # without limits it stops at once
                accelerations.append(limit or 0.0)
            return speeds, accelerations

        def positions(time: float) -> Sequence[float]:
            return self.at(time).positions

        ends = zip(self.range, self.goal, self.origin, strict=True)
        # Lengths of their paths, with at most one overshoot at either end.
        travels = [2.0 * (high - low) - abs(goal - start) for (low, high), goal, start in ends]
        return Stop(positions, self.duration, travels, largest_rates)


class ProfileProgress(NamedTuple):
    """How far joints are along a profile."""

    profile: Profile
    time: float = 0.0  # s for which it has been followed
    step: float = 0.0  # s between the poses whose collisions were checked, if it is a safe stop

    @property
    def state(self) -> MotionState:
        """The state of the joints."""
        return self.profile.at(self.time)

    def after(self, dt: float) -> ProfileProgress:
        """Return the progress dt s later."""
        return self._replace(time=self.time + dt)


def _solved(
    state: MotionState,
    origin: Sequence[float],
    drift: Sequence[float],
    limits: Sequence[MotionLimits],
    in_step: bool,
    is_velocity: bool = False,
) -> Any:
    """Return Ruckig's trajectory, relative to an origin that drifts; None if there is none.

    It leads to that origin, or, for ``is_velocity``, to its velocity anywhere.
    """
    import ruckig  # noqa: PLC0415  # an extra

    offsets = [p - o for p, o in zip(state.positions, origin, strict=True)]
    largest = [_number(m.velocity, _MAX_VELOCITY) for m in limits]
    sync = ruckig.Synchronization
    problem = ruckig.InputParameter(len(offsets))
    control = ruckig.ControlInterface
    problem.control_interface = control.Velocity if is_velocity else control.Position
    problem.synchronization = sync.Phase if in_step else sync.No
    problem.current_position = offsets
    problem.current_velocity = [v - d for v, d in zip(state.velocities, drift, strict=True)]
    problem.current_acceleration = [  # without a limit on jerk, acceleration may jump
        0.0 if m.jerk is None else a for a, m in zip(state.accelerations, limits, strict=True)
    ]
    zeros = [0.0] * len(offsets)
    problem.target_position = problem.target_velocity = problem.target_acceleration = zeros
    problem.max_velocity = [v - d for v, d in zip(largest, drift, strict=True)]
    problem.min_velocity = [-v - d for v, d in zip(largest, drift, strict=True)]
    problem.max_acceleration = [_number(m.acceleration, _MAX_ACCELERATION) for m in limits]
    problem.max_jerk = [_number(m.jerk, math.inf) for m in limits]
    trajectory = ruckig.Trajectory(len(offsets))
    try:
        result = ruckig.Ruckig(len(offsets)).calculate(problem, trajectory)
    except (ruckig.RuckigError, ValueError):  # the latter for a code that its Python does not know
        return None
    is_found = result in (ruckig.Result.Working, ruckig.Result.Finished)
    if not is_found or not math.isfinite(trajectory.duration):
        return None
    return trajectory


def _number(limit: float | None, unlimited: float) -> float:
    return unlimited if limit is None else limit
