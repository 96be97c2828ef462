"""Jogging: the arm moves at a velocity for as long as messages say so."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.control.supervisor import Supervisor
from ik2d_ros.kinematics import Arm, Solution, Status
from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.kinematics.pointing import angle_refusal
from ik2d_ros.kinematics.walls import Contact
from ik2d_ros.pilot.answer import Answer, Situation
from ik2d_ros.pilot.outcome import Code
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.report import Report
from ik2d_ros.pilot.request import Jog, JogJoints, Missing
from ik2d_ros.pilot.side import leaning

TELL_PERIOD = 0.1
"""s between statuses while the arm is jogged."""

LARGEST_MOVE = 0.5
"""The largest move of a joint in rad that the tip makes little by little; beyond, it would jump."""

LEAST_SHARE = 1e-3
"""The least share of its way that the tip must make, or it stands."""

GOOD_SHARE = 0.1
"""The share below which the least that is missed is sought to first order, too."""

OFF_WALL = 5e-3
"""Reaches by which an arm that a wall stopped goes off it, as moves are curved."""

STEP = 1e-6  # rad or reaches, of differences
DAMPING = 1e-4  # of joint moves: ways of the tip that are longer by a hundredth are not worth them
NEAR = 0.1  # rad or reaches: limits and walls that far away do not matter in a period
ROUNDS = 30  # through those that do
TINY = 1e-300  # In place of a divisor of 0.
BACK = 0.3  # of the way: the most by which what is too close to a wall comes off it, if it can


ARM = ''
"""The name under which the arm is jogged, tip or joints; held joints have names of their own."""


class Jogs:
    """The jogs that go on: of the arm, and of held joints by their names, each by itself.

    A jog goes on while messages come again and again. One that something else ended begins anew
    only after its messages have paused. Held joints are moved here, the arm is not.

    Attributes:
        asks: what the last message asks for, by name of what is jogged.
    """

    def __init__(self, supervisor: Supervisor) -> None:
        """Start at rest; the supervisor moves held joints."""
        self._supervisor = supervisor
        self.asks: dict[str, Any] = {}
        self._barred: set[str] = set()
        self._heard: dict[str, float] = {}  # s

    def hear(
        self, asks: Mapping[str, Any], now: float, configuration: Configuration
    ) -> tuple[set[str], set[str]]:
        """Take a message that comes at some time in s; return the jogs that begin and that end."""
        before, timeout = {*self.asks}, configuration.settings.jog_timeout
        for name, each in asks.items():
            is_new = now - self._heard.get(name, -math.inf) > timeout
            self._heard[name] = now
            if is_new or each is None:
                self._barred.discard(name)
            self.asks.pop(name, None)
            if each is not None and name not in self._barred:
                self.asks[name] = each
        self._move([name for name in asks if name in before or name in self.asks], configuration)
        return {*self.asks} - before, before - {*self.asks}

    def expire(self, now: float, configuration: Configuration) -> list[str]:
        """End the jogs that go on for longer than they may without a message; return them."""
        timeout = configuration.settings.jog_timeout
        late = [name for name in self.asks if now - self._heard[name] > timeout]
        self.end(late)
        self._move(late, configuration)
        return late

    def end(self, names: Iterable[str] | None = None, heard: float = -math.inf) -> None:
        """Let something else end jogs, or all: if that is a message, at a time in s."""
        for name in [ARM, *self._supervisor.held] if names is None else names:
            if self.asks.pop(name, None) is not None:
                self._barred.add(name)
            self._heard[name] = max(self._heard.get(name, -math.inf), heard)

    def hold(self, positions: Mapping[str, float]) -> None:
        """Hold joints elsewhere, by name, which ends their jogs."""
        if positions:
            self.end(positions)
            self._supervisor.move_held(positions)

    def _move(self, names: Iterable[str], configuration: Configuration) -> None:
        """Let held joints go on as they are jogged, or stand."""
        speed = configuration.drive.following.speed
        if moves := {name: speed * self.asks.get(name, 0.0) for name in names if name != ARM}:
            self._supervisor.move_held(moves, is_jog=True)


def asked_of(
    jog: Jog | JogJoints, frame: Plane | Missing | None, holds: Iterable[str]
) -> dict[str, Any]:
    """Return what a jog asks of held joints and arm, by name; None for one that is to stand."""
    if isinstance(jog, Jog):
        return {ARM: None if jog.is_zero else (jog, frame)}
    given = dict(zip(jog.names, jog.velocities, strict=True))
    asks: dict[str, Any] = {name: given.pop(name) or None for name in holds if name in given}
    if given:
        own = JogJoints((*given,), (*given.values(),))
        asks[ARM] = None if own.is_zero else (own, frame)
    return asks


def jogged(
    jog: Jog | JogJoints,
    situation: Situation,
    configuration: Configuration,
    dt: float,
    blocked: Contact | None,
) -> Answer:
    """Answer a jog for a period: with velocities, and what keeps the arm from what is asked.

    Args:
        jog: the request.
        situation: what is known besides.
        configuration: the arm, and how it is moved.
        dt: the period in s.
        blocked: what it would bring across a wall, if it stands at one.
    """
    arm, start, solver = configuration.arm, situation.start, ''
    tip, plane = arm.kinematics.tip(start), arm.plane_at(start)
    if isinstance(jog, JogJoints):
        velocities, status = _joints_jogged(jog, configuration, start)
    else:
        velocities, solution = _tip_jogged(
            jog, situation, configuration, np.array(tip), plane, dt, blocked is not None
        )
        status, solver = solution.status, solution.solver
        blocked = solution.contact or blocked
    if blocked and status is Status.REACHED:
        status = Status.BLOCKED
    along = '' if status is Status.REACHED else ', along what it cannot leave'
    report = Report.of(
        Code.of(status),
        f'The arm is jogged{along}.',
        point=plane.locate(tip),
        target=tip,
        error=0.0,
        solver=solver,
        angle=arm.chain.tip_angle(arm.in_plane(start)),
        moving=any(velocities.values()),
        wall=blocked.wall if blocked and status is Status.BLOCKED else '',
    )
    answered = Answer(jog, situation.frame, start, report, accepted=True, goes=True)
    return replace(answered, velocities=velocities)


def _joints_jogged(
    jog: JogJoints, configuration: Configuration, start: Sequence[float]
) -> tuple[Mapping[str, float], Status]:
    """Return velocities as they are asked for; the motion keeps the limits."""
    speed, arm = configuration.drive.following.speed, configuration.arm
    velocities = {name: speed * v for name, v in zip(jog.names, jog.velocities, strict=True)}
    is_stopped = any(
        (v := velocities.get(name, 0.0)) and q == ends[v > 0.0]
        for name, q, ends in zip(arm.names, start, arm.limits, strict=True)
    )
    return velocities, Status.JOINT_LIMIT if is_stopped else Status.REACHED


def _tip_jogged(
    jog: Jog,
    situation: Situation,
    configuration: Configuration,
    tip: FloatArray,
    plane: Plane,
    dt: float,
    is_stopped: bool,
) -> tuple[Mapping[str, float], Solution]:
    """Return the velocities for the tip, and the pose that it goes to, with what ends it there.

    That is the pose closest to where the velocity leads in a period. So the tip slides along an
    edge, and as it starts from where it is commanded to be, nothing winds up beyond.
    """
    start, frame = situation.start, situation.frame
    arm, settings = configuration.arm, configuration.settings
    linear, angular = np.array(jog.linear), np.array(jog.angular)
    if isinstance(frame, Plane):
        linear, angular = linear @ frame.axes, angular @ frame.axes
    span = configuration.drive.following.speed * dt
    normal = np.array(plane.axes[2])
    if arm.carrier is None:  # nothing takes the tip out of its plane
        linear = linear - (linear @ normal) * normal
    way, turn = span * linear, span * float(angular @ normal)
    if angle_refusal(arm.chain):
        turn = 0.0
    if turn:
        angle = arm.chain.tip_angle(arm.in_plane(start)) + turn
        settings = replace(settings, tip_angle=math.remainder(angle, math.tau))
    x, y, z = (tip + way).tolist()
    settings, begin = leaning(replace(settings, roll=math.nan), arm, start, situation.side)
    rolled, spin = _rolled(arm, start, plane, span * angular)
    solution = settings.solve(arm.eased, (x, y, z), begin, roll=rolled)

    def share(moves: FloatArray) -> float:
        """Return which share of its way the tip makes."""
        made = arm.kinematics.tip((start + moves).tolist()) - tip
        return float(made @ way / max(float(way @ way), TINY))

    moves = solution.q - np.array(start)
    is_far = np.abs(moves).max() > LARGEST_MOVE
    if is_far or is_stopped:
        moves = np.zeros(len(start))
    is_held = is_far or (spin != 0.0 and rolled == start[-1])
    if is_held and not is_stopped and solution.status is Status.REACHED:
        # That is what keeps the near poses from it, and what holds a roll.
        solution = solution._replace(status=Status.JOINT_LIMIT)
    off, made = OFF_WALL if is_stopped else 0.0, share(moves)
    for back, good in (BACK, GOOD_SHARE), (0.0, LEAST_SHARE):
        if way.any() and made < good:
            slid = _slid(arm.eased.kinematics, start, way, settings.angle, off, back)
            if (more := share(slid)) > made:
                moves, made = slid, more
    if made < LEAST_SHARE and not (turn or spin):
        return {}, solution
    shares = [
        each.velocity * span / abs(move)
        for move, each in zip(moves.tolist(), arm.motion, strict=True)
        if move and each.velocity is not None
    ]
    velocities = (moves * (min([1.0, *shares]) / dt)).tolist()
    return dict(zip(arm.names, velocities, strict=True)), solution


def _rolled(
    arm: ArmDescription, start: Sequence[float], plane: Plane, turned: FloatArray
) -> tuple[float, float]:
    """Return where the roll goes if the tip turns about its axis, and how far it would, in rad.

    Args:
        arm: the arm.
        start: (m,) positions.
        plane: that of the arm there.
        turned: (3,) by how much the tip turns about x, y, z of the base frame in rad.
    """
    if arm.roll is None:
        return start[-1], 0.0
    (a, b), (lower, upper) = arm.roll.axis, arm.roll.limits
    heading = arm.chain.tip_angle(arm.in_plane(start)) + math.atan2(b, a)
    along, left, _ = plane.direction((turned[0], turned[1], turned[2]))
    spin = math.cos(heading) * along + math.sin(heading) * left
    return min(max(start[-1] + spin, lower), upper), spin


def _slid(
    arm: Arm, start: Sequence[float], way: FloatArray, angle: float | None, off: float, back: float
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
        back: the share of the way by which what is too close to a wall comes off it at most.
    """
    units = arm.units_of_move
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
        room.append(np.array(arm.clearances([*poses.T])) / arm.size - off)
    left = np.vstack(room)
    left = left[left[:, 0] < NEAR]
    across = slopes(left.T)
    if arm.roll is not None:  # it is not for the tip's sake that it turns
        rows[:, -1] = across[:, -1] = 0.0
    inverse = np.linalg.inv(rows.T @ rows + DAMPING * np.eye(len(units)))
    least = np.minimum(-left[:, 0], back * np.linalg.norm(wanted))
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
