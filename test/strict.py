"""What a sender must keep to, beyond what the controllers refuse; no ROS imports.

The controllers accept messages after which an arm jumps, runs away or stops for good: NaN, times
of 0, stamps in the future, positions beyond the limits, steps of any size. These functions refuse
all of it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ik2d_ros.control.commands import BILLION, Trajectory
from ik2d_ros.sim.controllers import trajectory_refusal

MARGIN = 0.01
"""How far a step may exceed what the speed limit allows, as a fraction of it."""

ROUNDING = 1e-9  # rad or m; for the sizes of steps, which are differences


@dataclass(frozen=True)
class Stance:
    """What is known about the arm when a command arrives.

    Attributes:
        joints: those of the controller that takes the command.
        period: s between two commands.
        limits: (lower, upper) position, by joint; none for a continuous joint.
        max_velocity: per s, by joint; none for no limit.
        last: the positions that were commanded last, by joint; none before the first one.
        measured: the measured positions, by joint, where they are known. A command may also
            start from there, as it must if the arm was moved by hand.
    """

    joints: tuple[str, ...]
    period: float
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    max_velocity: Mapping[str, float] = field(default_factory=dict)
    last: Mapping[str, float] = field(default_factory=dict)
    measured: Mapping[str, float] = field(default_factory=dict)


def trajectory_fault(trajectory: Trajectory, stance: Stance, now: int) -> str | None:
    """Return what is wrong with a trajectory; None for nothing.

    Args:
        trajectory: the content of the message.
        stance: what is known about the arm.
        now: time of the controller's clock in ns.
    """
    refusal = trajectory_refusal(trajectory, stance.joints, now)
    if refusal is not None:
        return refusal
    joints, points = trajectory.joints, trajectory.points
    if len(set(joints)) < len(joints):
        return f'a joint is given twice: {joints}'
    if trajectory.stamp > now or points[0].time <= 0:
        return f'the motion begins later than now or is over: {trajectory}'
    # The first point replaces the last command by one period's worth, however soon it is due; if it
    # is of the past, the trajectory has gone on since.
    since = points[-2].time if trajectory.stamp else points[0].time
    spans = [max(stance.period, since / BILLION)]
    spans += [(b.time - a.time) / BILLION for a, b in itertools.pairwise(points)]
    sources: list[Mapping[str, float]] = [stance.last, stance.measured]
    for point, span in zip(points, spans, strict=True):
        positions = dict(zip(joints, point.positions, strict=True))
        fault = _pose_fault(positions, sources, stance, span)
        if fault is not None:
            return f'at {point.time / BILLION:f} s, {fault}'
        sources = [positions]
    return None


def _pose_fault(
    positions: Mapping[str, float],
    sources: Sequence[Mapping[str, float]],
    stance: Stance,
    span: float,
) -> str | None:
    """Check a pose against those of which it may be a step, so many s later; all by joint."""
    for name, position in positions.items():
        origins = [known[name] for known in sources if name in known]
        lower, upper = stance.limits.get(name, (-math.inf, math.inf))
        # An arm that stands outside may walk back in.
        lowest, highest = min([lower, *origins]), max([upper, *origins])
        if not (math.isfinite(position) and lowest <= position <= highest):
            return f"joint '{name}' goes to {position:.6g}; its limits are {lower:.6g}, {upper:.6g}"
        step = min((abs(position - origin) for origin in origins), default=0.0)
        limit = stance.max_velocity.get(name, math.inf)
        if step > limit * span * (1.0 + MARGIN) + ROUNDING:
            return (
                f"joint '{name}' moves by {step:.6g} in {span:.6g} s, to {position:.6g}; its "
                f'max_velocity is {limit:.6g}'
            )
    return None
