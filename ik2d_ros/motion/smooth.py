"""Motion within limits on velocity, acceleration and jerk, by Ruckig."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ik2d_ros.arm.description import MotionLimits
from ik2d_ros.motion.state import MotionState

# Ruckig needs a number where a joint may be as fast as it likes.
_ANY_SPEED = 1e9  # rad/s

# Ruckig checks with absolute tolerances and refuses what takes hours: larger moves and longer times
# are computed in larger units.
_LARGEST_MOVE = 100.0  # rad
_LONGEST_TIME = 1000.0  # s


def is_needed(motion: Sequence[MotionLimits]) -> bool:
    """Return whether limits need Ruckig: those on velocity alone do not."""
    return any(m.acceleration is not None or m.jerk is not None for m in motion)


def is_available() -> bool:
    """Return whether Ruckig can be imported; that takes a while the first time."""
    try:
        import ruckig  # noqa: F401, PLC0415  # an extra
    except ImportError:
        return False
    return True


@dataclass(frozen=True)
class Plan:
    """A way to a goal that may move on at constant velocity.

    Attributes:
        goal: (n,) rad, where the goal is at the beginning.
        drift: (n,) rad/s, how the goal moves.
        duration: s until the arm moves with the goal.
    """

    goal: tuple[float, ...]
    drift: tuple[float, ...]
    duration: float
    _trajectory: Any
    _rad: float
    _second: float

    def at(self, time: float) -> MotionState:
        """Return the state some time after the beginning.

        Args:
            time: s.
        """
        if time >= self.duration:
            positions = tuple(g + d * time for g, d in zip(self.goal, self.drift, strict=True))
            return MotionState(positions, self.drift, (0.0,) * len(positions))
        away, speeds, accelerations = self._trajectory.at_time(time / self._second)
        speed = self._rad / self._second
        return MotionState(
            tuple(
                g + d * time + self._rad * p
                for g, d, p in zip(self.goal, self.drift, away, strict=True)
            ),
            tuple(d + speed * v for d, v in zip(self.drift, speeds, strict=True)),
            tuple(speed / self._second * a for a in accelerations),
        )


def plan(
    state: MotionState,
    goal: Sequence[float],
    drift: Sequence[float],
    motion: Sequence[MotionLimits],
    in_step: bool = True,
) -> Plan | None:
    """Plan the fastest way to a goal.

    It is planned as seen from the goal, which makes of a moving goal one that stands, and keeps all
    digits of a joint that has turned on for years.

    Args:
        state: where the motion begins.
        goal: (n,) rad.
        drift: (n,) rad/s, velocity of the goal, below the limits.
        motion: limits of the joints.
        in_step: whether all joints arrive at once; else each as soon as it can.

    Returns:
        The plan, or None if Ruckig finds none.
    """
    import ruckig  # noqa: PLC0415  # an extra

    away = [p - g for p, g in zip(state.positions, goal, strict=True)]
    rad, second = _units(state, away, motion)
    speed, push = second / rad, second * second / rad
    most = [_ANY_SPEED if m.velocity is None else m.velocity for m in motion]
    problem = ruckig.InputParameter(len(away))
    problem.synchronization = ruckig.Synchronization.Phase if in_step else ruckig.Synchronization.No
    problem.current_position = [p / rad for p in away]
    problem.current_velocity = [
        speed * (v - d) for v, d in zip(state.velocities, drift, strict=True)
    ]
    problem.current_acceleration = [
        0.0 if m.jerk is None else push * a
        for a, m in zip(state.accelerations, motion, strict=True)
    ]
    problem.target_position = problem.target_velocity = [0.0] * len(away)
    problem.target_acceleration = [0.0] * len(away)
    problem.max_velocity = [speed * (v - d) for v, d in zip(most, drift, strict=True)]
    problem.min_velocity = [speed * (-v - d) for v, d in zip(most, drift, strict=True)]
    problem.max_acceleration = [push * _or_any(m.acceleration) for m in motion]
    problem.max_jerk = [push * second * _or_any(m.jerk) for m in motion]
    trajectory = ruckig.Trajectory(len(away))
    try:
        result = ruckig.Ruckig(len(away)).calculate(problem, trajectory)
    except (ruckig.RuckigError, ValueError):  # the latter for a code that its Python does not know
        return None
    if result not in (ruckig.Result.Working, ruckig.Result.Finished):
        return None
    duration = trajectory.duration * second
    if not math.isfinite(duration):
        return None
    return Plan(tuple(goal), tuple(drift), duration, trajectory, rad, second)


def _or_any(limit: float | None) -> float:
    return math.inf if limit is None else limit


def _units(state: MotionState, away: Sequence[float], motion: Sequence[MotionLimits]) -> _Units:
    """Return the units in which to compute."""
    longest = max(map(abs, away))
    # A lower bound is enough: of the terms, one or the other makes most of the time.
    time = max(
        max(
            abs(p) / (m.velocity or math.inf),
            math.sqrt(abs(p) / (m.acceleration or math.inf)),
            (abs(p) / (m.jerk or math.inf)) ** (1.0 / 3.0),
            abs(v) / (m.acceleration or math.inf),
            math.sqrt(abs(v) / (m.jerk or math.inf)),
        )
        for p, v, m in zip(away, state.velocities, motion, strict=True)
    )
    return _Units(max(longest / _LARGEST_MOVE, 1.0), max(time / _LONGEST_TIME, 1.0))


class _Units(NamedTuple):
    rad: float
    second: float  # s
