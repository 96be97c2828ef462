"""Jogging: the arm moves at a velocity for as long as messages say so."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.kinematics import Solution, Status
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.kinematics.pointing import angle_refusal
from ik2d_ros.pilot.outcome import Code
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.report import Report
from ik2d_ros.pilot.request import Jog, JogJoints
from ik2d_ros.pilot.side import leaning

TELL_PERIOD = 0.1
"""s between statuses while the arm is jogged."""

LARGEST_MOVE = 0.5
"""The largest move of a joint in rad that the tip makes little by little; beyond, it would jump."""

LEAST_SHARE = 1e-3
"""The least share of its way by which the tip must come closer, or it stands."""


class Stick:
    """What keeps a jog going: messages that come again and again.

    A jog that something else ended begins anew only after its messages have paused.

    Attributes:
        is_active: whether the jog goes on.
    """

    def __init__(self) -> None:
        """Start at rest."""
        self.is_active = self._is_barred = False
        self._heard = -math.inf  # s

    def hear(self, is_zero: bool, now: float, timeout: float) -> None:
        """Take a message that comes at some time in s; one that is zero lets go."""
        is_new, self._heard = now - self._heard > timeout, now
        self._is_barred = self._is_barred and not (is_new or is_zero)
        self.is_active = not (is_zero or self._is_barred)

    def is_late(self, now: float, timeout: float) -> bool:
        """Return whether the jog goes on for longer than it may without a message."""
        return self.is_active and now - self._heard > timeout

    def end(self, heard: float = -math.inf) -> None:
        """Let something else end the jog: if that is a message, at a time in s."""
        self._is_barred = self._is_barred or self.is_active
        self.is_active, self._heard = False, max(self._heard, heard)


class Course(NamedTuple):
    """How the arm is jogged at present.

    Attributes:
        velocities: of the joints, by name, in rad/s.
        status: what keeps it from going as it was told to, or REACHED.
        solution: the pose that the tip goes to; None where joints are jogged.
    """

    velocities: Mapping[str, float]
    status: Status = Status.REACHED
    solution: Solution | None = None

    def report(self, arm: ArmDescription, start: Sequence[float], is_blocked: bool) -> Report:
        """Return what is told of it.

        Args:
            arm: the arm.
            start: (m,) the commanded pose.
            is_blocked: whether the motion stands at a wall.
        """
        status, solution = self.status, self.solution
        if is_blocked and status is Status.REACHED:
            status = Status.BLOCKED
        (x, y, z), plane = arm.kinematics.forward(start).tolist(), arm.plane_at(start)
        along = '' if status is Status.REACHED else ', along what it cannot leave'
        return Report.of(
            Code.of(status),
            f'The arm is jogged{along}.',
            point=plane.locate((x, y, z)),
            target=(x, y, z),
            error=0.0,
            solver=solution.solver if solution else '',
            angle=arm.chain.tip_angle(arm.in_plane(start)),
            moving=any(self.velocities.values()),
        )


def jogged(
    jog: Jog | JogJoints,
    frame: Plane | None,
    configuration: Configuration,
    start: Sequence[float],
    motion: Sequence[MotionLimits],
    dt: float,
    side: int,
) -> Course:
    """Return the course that a request asks for.

    The tip goes to the pose that is closest to where the velocity leads in a period. So it slides
    along an edge, and as it starts from where it is commanded to be, nothing winds up beyond.

    Args:
        jog: the request.
        frame: pose of its frame in the base frame; None if it is that.
        configuration: the arm, and how it is moved.
        start: (m,) the commanded pose.
        motion: (m,) motion limits of the joints.
        dt: the period in s.
        side: to which the arm was bent last, as :func:`.side_of` returns it.
    """
    if isinstance(jog, JogJoints):
        return _joints_jogged(jog, configuration, start)
    arm, settings = configuration.arm, configuration.settings
    linear, angular = np.array(jog.linear), np.array(jog.angular)
    if frame is not None:
        linear, angular = linear @ frame.axes, angular @ frame.axes
    span, plane = configuration.drive.following.speed * dt, arm.plane_at(start)
    normal = np.array(plane.axes[2])
    if arm.carrier is None:  # nothing takes the tip out of its plane
        linear = linear - (linear @ normal) * normal
    way, turn = span * linear, span * float(angular @ normal)
    if angle_refusal(arm.chain):
        turn = 0.0
    if turn:
        angle = arm.chain.tip_angle(arm.in_plane(tuple(start))) + turn
        settings = replace(settings, tip_angle=math.remainder(angle, math.tau))
    goal = arm.kinematics.forward(start) + way
    x, y, z = goal.tolist()
    settings, begin = leaning(settings, arm, start, side)
    solution = settings.solve(arm.eased, (x, y, z), begin)
    tip, moves = arm.kinematics.forward(solution.q), solution.q - np.array(start)
    length, left = float(np.linalg.norm(way)), float(np.linalg.norm(tip - goal))
    is_stuck = not turn and left > (1.0 - LEAST_SHARE) * length
    if is_stuck or np.abs(moves).max() > LARGEST_MOVE:
        return Course({}, solution.status, solution)
    shares = [
        each.velocity * dt / abs(move)
        for move, each in zip(moves.tolist(), motion, strict=True)
        if move and each.velocity is not None
    ]
    velocities = (moves * (min([1.0, *shares]) / dt)).tolist()
    return Course(dict(zip(arm.names, velocities, strict=True)), solution.status, solution)


def _joints_jogged(jog: JogJoints, configuration: Configuration, start: Sequence[float]) -> Course:
    """Return the course with velocities as they are asked for; the motion keeps the limits."""
    speed, arm = configuration.drive.following.speed, configuration.arm
    velocities = {name: speed * v for name, v in zip(jog.names, jog.velocities, strict=True)}
    is_stopped = any(
        (v := velocities.get(name, 0.0)) and q == ends[v > 0.0]
        for name, q, ends in zip(arm.names, start, arm.limits, strict=True)
    )
    return Course(velocities, Status.JOINT_LIMIT if is_stopped else Status.REACHED)
