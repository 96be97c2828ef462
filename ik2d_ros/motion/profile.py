"""Motion within limits on velocity, acceleration and jerk, by Ruckig."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ik2d_ros.arm.description import MotionLimits
from ik2d_ros.kinematics.clearance import Stop
from ik2d_ros.motion.state import MotionState, Positions

# Ruckig needs a number where a joint has no limit.
_ANY_SPEED = 1e9  # rad/s
_ANY_PUSH = 1e12  # rad/s^2


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
    """Positions and velocities of (n,) joints by time, to a goal that may move at a velocity."""

    origin: Positions  # to which Ruckig's positions are relative
    goal: Positions  # at the beginning
    drift: tuple[float, ...]  # rad/s, velocity of the goal
    duration: float  # s until the arm moves with the goal
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
        """Plan the fastest way to a goal; None if Ruckig finds none.

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
    def to_velocities(
        cls,
        state: MotionState,
        velocities: Sequence[float],
        limits: Sequence[MotionLimits],
        in_step: bool = True,
    ) -> Profile | None:
        """Plan the fastest way to velocities; None if Ruckig finds none.

        Args:
            state: where the motion begins.
            velocities: (n,) rad/s, within the limits; zeros to brake.
            limits: those of the joints.
            in_step: whether all joints get there at once, if they can; else each as soon as it can.
        """
        origin = state.positions
        found = _solved(state, origin, velocities, limits, in_step, is_anywhere=True)
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
        away, speeds, accelerations = self._trajectory.at_time(time)
        return MotionState(
            tuple(o + d * time + p for o, d, p in zip(self.origin, self.drift, away, strict=True)),
            tuple(d + v for d, v in zip(self.drift, speeds, strict=True)),
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
        """Return the stop along a profile that brakes from a state, for checks against walls."""

        def fastest() -> tuple[list[float], list[float]]:
            speeds, pushes = [], []
            for v, a, m in zip(state.velocities, state.accelerations, limits, strict=True):
                speed, push = abs(v), m.acceleration
                if m.jerk is not None:  # it may speed up first
                    speed += 0.5 * a * a / m.jerk
                    push = max(abs(a), min(_number(push, math.inf), math.sqrt(m.jerk * speed)))
                speeds.append(0.0 if push is None else speed)  # without limits it stands at once
                pushes.append(push or 0.0)
            return speeds, pushes

        def positions(time: float) -> Sequence[float]:
            return self.at(time).positions

        ends = zip(self.range, self.goal, self.origin, strict=True)
        travels = [2.0 * (high - low) - abs(goal - start) for (low, high), goal, start in ends]
        return Stop(positions, self.duration, travels, fastest)


class ProfileProgress(NamedTuple):
    """How far joints are on a profile."""

    profile: Profile
    time: float = 0.0  # s for which it has been followed
    step: float = 0.0  # s between the poses at which it was checked against walls, if it is a stop

    @property
    def state(self) -> MotionState:
        """The state of the joints."""
        return self.profile.at(self.time)

    def after(self, dt: float) -> ProfileProgress:
        """Return it dt s later."""
        return self._replace(time=self.time + dt)


def _solved(
    state: MotionState,
    origin: Sequence[float],
    drift: Sequence[float],
    limits: Sequence[MotionLimits],
    in_step: bool,
    is_anywhere: bool = False,
) -> Any:
    """Return Ruckig's trajectory to an origin that drifts, or just to its velocity; or None.

    It is relative to that origin.
    """
    import ruckig  # noqa: PLC0415  # an extra

    away = [p - o for p, o in zip(state.positions, origin, strict=True)]
    most = [_number(m.velocity, _ANY_SPEED) for m in limits]
    sync = ruckig.Synchronization
    problem = ruckig.InputParameter(len(away))
    control = ruckig.ControlInterface
    problem.control_interface = control.Velocity if is_anywhere else control.Position
    problem.synchronization = sync.Phase if in_step else sync.No
    problem.current_position = away
    problem.current_velocity = [v - d for v, d in zip(state.velocities, drift, strict=True)]
    problem.current_acceleration = [
        0.0 if m.jerk is None else a for a, m in zip(state.accelerations, limits, strict=True)
    ]
    still = [0.0] * len(away)
    problem.target_position = problem.target_velocity = problem.target_acceleration = still
    problem.max_velocity = [v - d for v, d in zip(most, drift, strict=True)]
    problem.min_velocity = [-v - d for v, d in zip(most, drift, strict=True)]
    problem.max_acceleration = [_number(m.acceleration, _ANY_PUSH) for m in limits]
    problem.max_jerk = [_number(m.jerk, math.inf) for m in limits]
    trajectory = ruckig.Trajectory(len(away))
    try:
        result = ruckig.Ruckig(len(away)).calculate(problem, trajectory)
    except (ruckig.RuckigError, ValueError):  # the latter for a code that its Python does not know
        return None
    is_found = result in (ruckig.Result.Working, ruckig.Result.Finished)
    if not is_found or not math.isfinite(trajectory.duration):
        return None
    return trajectory


def _number(limit: float | None, unlimited: float) -> float:
    return unlimited if limit is None else limit
