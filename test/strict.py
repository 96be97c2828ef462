"""What a sender must keep to, beyond what the controllers refuse; no ROS imports.

The controllers accept messages after which an arm jumps, runs away or stops for good: NaN, times
of 0, stamps in the future, positions beyond the limits, steps of any size. These functions refuse
all of it. Tests of the node hold every command to them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ik2d_ros.control.commands import BILLION, Trajectory
from ik2d_ros.sim.acceptance import array_refusal, trajectory_refusal

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
        units: of the positions, by joint; rad where none is given.
    """

    joints: tuple[str, ...]
    period: float
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    max_velocity: Mapping[str, float] = field(default_factory=dict)
    last: Mapping[str, float] = field(default_factory=dict)
    measured: Mapping[str, float] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)

    def unit(self, joint: str) -> str:
        """Return the unit of a joint's position."""
        return self.units.get(joint, 'rad')


def trajectory_fault(trajectory: Trajectory, stance: Stance, now: int) -> str | None:
    """Return what is wrong with a trajectory; None for nothing.

    Args:
        trajectory: the content of the message.
        stance: what is known about the arm.
        now: time of the controller's clock in ns.
    """
    refusal = trajectory_refusal(trajectory, stance.joints, now)
    if refusal is not None:
        return refusal.words
    joints, points = trajectory.joints, trajectory.points
    for name in joints:
        if joints.count(name) > 1:
            return f"joint '{name}' is given twice"
    if trajectory.stamp > now:
        return (
            f'the stamp is {trajectory.stamp / BILLION:f} s; it must not be after now: the motion '
            'starts at once, whatever the stamp says'
        )
    if points[0].time <= 0:
        return f'the first point is at {points[0].time / BILLION:f} s; it must be later than 0'
    for index, point in enumerate(points):
        if not all(map(math.isfinite, point.positions)):
            return f'point {index} has a value that is not finite: {point.positions}'
    last = stance.last
    # The first point replaces the last command by one period's worth, however soon it is due; if it
    # is of the past, the trajectory has gone on since.
    since = points[-2].time if trajectory.stamp else points[0].time
    for index, point in enumerate(points):
        time = point.time - points[index - 1].time if index else 0
        span = time / BILLION if index else max(stance.period, since / BILLION)
        positions = dict(zip(joints, point.positions, strict=True))
        fault = _pose_fault(positions, last, stance, span, is_first=index == 0)
        if fault is not None:
            return f'point {index}: {fault}'
        last = positions
    return None


def array_fault(data: Sequence[float], stance: Stance) -> str | None:
    """Return what is wrong with an array for a forward_command_controller; None for nothing.

    Args:
        data: the numbers of the message.
        stance: what is known about the arm.
    """
    refusal = array_refusal(data, len(stance.joints))
    if refusal is not None:
        return refusal.words or 'the array is empty'
    positions = dict(zip(stance.joints, data, strict=True))
    return _pose_fault(positions, stance.last, stance, stance.period, is_first=True)


def _pose_fault(
    positions: Mapping[str, float],
    last: Mapping[str, float],
    stance: Stance,
    span: float,
    is_first: bool,
) -> str | None:
    """Check one pose against the one before it.

    Args:
        positions: by joint.
        last: by joint: the pose before it.
        stance: what is known about the arm.
        span: s from that pose to this one.
        is_first: whether the motion may start from the measured pose here.
    """
    sources = (last, stance.measured) if is_first else (last,)
    for name, position in positions.items():
        origins = [known[name] for known in sources if name in known]
        fault = _limit_fault(name, position, origins, stance)
        if fault is not None:
            return fault
        limit = stance.max_velocity.get(name)
        if not origins or limit is None:
            continue
        step = min(abs(position - origin) for origin in origins)
        if step > limit * span * (1.0 + MARGIN) + ROUNDING:
            unit = stance.unit(name)
            return (
                f"joint '{name}' moves by {step:.6g} {unit} in {span:.6g} s, to {position:.6g} "
                f'{unit}; its max_velocity is {limit:.6g} {unit}/s'
            )
    return None


def _limit_fault(
    name: str, position: float, origins: Sequence[float], stance: Stance
) -> str | None:
    """Check a position against the limits; an arm that stands outside may walk back in."""
    if name not in stance.limits:
        return None
    lower, upper = stance.limits[name]
    lowest, highest = min([lower, *origins]), max([upper, *origins])
    if lowest <= position <= highest:
        return None
    unit = stance.unit(name)
    return (
        f"joint '{name}' goes to {position:.6g} {unit}; its limits are {lower:.6g} to {upper:.6g} "
        f'{unit}'
    )
