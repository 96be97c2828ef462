"""Jogging: the arm moves at a velocity for as long as messages say so."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.kinematics import Arm, Solution, Status
from ik2d_ros.kinematics.arguments import FloatArray
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
"""The least share of its way that the tip must make, or it stands."""

TINY = 1e-300

GOOD_SHARE = 0.1
"""The share below which the least that is missed is sought to first order, too."""

OFF_WALL = 5e-3
"""Reaches by which an arm that a wall stopped goes off it, as moves are curved."""

STEP = 1e-6  # rad or reaches, of differences
DAMPING = 1e-4  # of joint moves: ways of the tip that are longer by a hundredth are not worth them
NEAR = 0.1  # rad or reaches: limits and walls that far away do not matter in a period
ROUNDS = 30  # through those that do
BACK = 0.3  # of the way: the most by which what is too close to a wall comes off it in a period


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
    is_stopped: bool,
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
        is_stopped: whether it stands at a wall.
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
    forward = arm.kinematics.forward
    tip = forward(start)
    x, y, z = (tip + way).tolist()
    settings, begin = leaning(settings, arm, start, side)
    solution = settings.solve(arm.eased, (x, y, z), begin)

    def share(moves: FloatArray) -> float:
        """Return which share of its way the tip makes."""
        return float((forward(start + moves) - tip) @ way / max(float(way @ way), TINY))

    status, moves = solution.status, solution.q - np.array(start)
    is_far = np.abs(moves).max() > LARGEST_MOVE
    if is_far or is_stopped:
        moves = np.zeros(len(start))
    if is_far and not is_stopped and status is Status.REACHED:
        status = Status.JOINT_LIMIT  # that is what keeps the near poses from it
    if way.any() and share(moves) < GOOD_SHARE:
        off = OFF_WALL if is_stopped else 0.0
        slid = _slid(arm.eased.kinematics, start, way, settings.angle, off)
        moves = max(moves, slid, key=share)
    if share(moves) < LEAST_SHARE and not turn:
        return Course({}, status, solution)
    shares = [
        each.velocity * dt / abs(move)
        for move, each in zip(moves.tolist(), motion, strict=True)
        if move and each.velocity is not None
    ]
    velocities = (moves * (min([1.0, *shares]) / dt)).tolist()
    return Course(dict(zip(arm.names, velocities, strict=True)), status, solution)


def _joints_jogged(jog: JogJoints, configuration: Configuration, start: Sequence[float]) -> Course:
    """Return the course with velocities as they are asked for; the motion keeps the limits."""
    speed, arm = configuration.drive.following.speed, configuration.arm
    velocities = {name: speed * v for name, v in zip(jog.names, jog.velocities, strict=True)}
    is_stopped = any(
        (v := velocities.get(name, 0.0)) and q == ends[v > 0.0]
        for name, q, ends in zip(arm.names, start, arm.limits, strict=True)
    )
    return Course(velocities, Status.JOINT_LIMIT if is_stopped else Status.REACHED)


def _slid(
    arm: Arm, start: Sequence[float], way: FloatArray, angle: float | None, off: float
) -> FloatArray:
    r"""Return the joint moves (m,) that take the tip along a way as far as joints and walls let it.

    They are the least squares of what is missed, to first order, where no joint passes a limit and
    nothing a wall, by multipliers :math:`\lambda \ge 0` that are found in turn (Hildreth):

    .. math:: x = H^{-1} (J^T w + C^T \lambda), \quad \lambda_i (C x - d)_i = 0, \quad C x \ge d.

    Args:
        arm: the arm, with walls that are to be kept off.
        start: (m,) positions.
        way: (3,) of the tip in m.
        angle: of the tip in rad that is wanted; None for any.
        off: by how much in reaches walls are to be kept off more.
    """
    units = np.array([arm.size if unit == 'm' else 1.0 for unit in arm.units])
    poses = np.array(start) + STEP * np.vstack([np.zeros(len(units)), np.diag(units)])

    def slopes(values: FloatArray) -> FloatArray:
        found: FloatArray = (values[1:] - values[0]).T / STEP
        return found

    rows, wanted = slopes(arm.tips(poses)) / arm.size, way / arm.size
    if angle is not None:
        angles = arm.tip_angles(poses)
        turns = np.array([math.remainder(each - angle, math.tau) for each in angles.tolist()])
        rows, wanted = np.vstack([rows, slopes(turns)]), np.append(wanted, -turns[0])
    lower, upper = np.array(arm.limits).T
    room = [(poses - lower).T / units[:, None], (upper - poses).T / units[:, None]]
    if arm.walls:
        gaps = [np.broadcast_to(each, len(poses)) for each in arm.clearances([*poses.T])]
        room.append(np.array(gaps) / arm.size - off)
    left = np.vstack(room)
    left = left[left[:, 0] < NEAR]
    inverse = np.linalg.inv(rows.T @ rows + DAMPING * np.eye(len(units)))
    across = slopes(left.T)
    least = np.minimum(-left[:, 0], BACK * np.linalg.norm(wanted))
    x, along = inverse @ rows.T @ wanted, inverse @ across.T
    multipliers = np.zeros(len(left))
    for _ in range(ROUNDS):
        for k, row in enumerate(across):
            more = (least[k] - row @ x) / max(row @ along[:, k], DAMPING)
            more = max(more, -multipliers[k])
            multipliers[k] += more
            x = x + more * along[:, k]
    moves: FloatArray = units * x
    return moves / max(1.0, float(np.abs(x).max()) / NEAR)
