"""Jogging: the arm moves at a velocity for as long as messages say so."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ik2d_ros.control.settings import ControlSettings
from ik2d_ros.control.supervisor import Goal, Supervisor
from ik2d_ros.kinematics import Solution, Status
from ik2d_ros.kinematics.plane import Contact, Plane
from ik2d_ros.pilot.answer import Going, Situation
from ik2d_ros.pilot.outcome import Code, Report
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.request import Jog, Jogging, JogJoints, Joints, Missing
from ik2d_ros.planning.differential import joint_moves

REPORT_PERIOD = 0.1  # s between statuses while the arm is jogged
ARM = ''  # the name under which the arm is jogged, tip or joints; auxiliary joints have their own


class Jogs:
    """The jogs that go on: of the arm, and of held joints by their names, each by itself.

    A jog goes on while messages come. After another end it begins anew only once its messages have
    paused. Held joints are moved here, the arm is not.

    Attributes:
        active: the velocities of held joints by name; of the arm, the request and its frame.
        reported: when the last status of jogs was due, in s.
    """

    def __init__(self, supervisor: Supervisor) -> None:
        """Start at rest; the supervisor moves held joints."""
        self._supervisor = supervisor
        self.active: dict[str, Any] = {}
        self._barred: set[str] = set()  # until their messages have paused
        self._heard: dict[str, float] = {}  # s
        self.reported = -math.inf
        self._refused = '', -math.inf  # the code of the last refused message, and its time in s

    def receive(
        self, jog: Jogging, frame: Plane | Missing | None, now: float, configuration: Configuration
    ) -> tuple[set[str], set[str]]:
        """Take a message that comes at some time in s; return the jogs that begin and that end."""
        of_arm, asked = jog, dict[str, Any]()  # by name; None to stop
        if isinstance(jog, JogJoints):
            given = dict(zip(jog.names, jog.velocities, strict=True))
            held = [name for name in configuration.control.holds if name in given]
            asked = {name: given.pop(name) or None for name in held}
            of_arm = JogJoints((*given,), (*given.values(),))
        if isinstance(of_arm, Jog) or of_arm.names:
            asked[ARM] = (of_arm, frame) if any(of_arm.velocities) else None
        if not self._supervisor.has_goal:  # something has ended them
            self.end()
        before, timeout = {*self.active}, configuration.settings.jog_timeout
        self._refused = '', -math.inf
        for name, each in asked.items():
            is_new = now - self._heard.get(name, -math.inf) > timeout
            self._heard[name] = now
            if is_new or each is None:
                self._barred.discard(name)
            self.active.pop(name, None)
            if each is not None and name not in self._barred:
                self.active[name] = each
        self._move([name for name in asked if name in before or name in self.active], configuration)
        return {*self.active} - before, before - {*self.active}

    def refuse(self, code: str, now: float, configuration: Configuration) -> tuple[bool, bool]:
        """End jogs by a refused message; return if it is new, and if the arm was jogged."""
        (before, heard), self._refused = self._refused, (code, now)
        is_new = code != before or now - heard > configuration.settings.jog_timeout
        ended = self.expire(math.inf, configuration)  # all of them
        self._heard |= dict.fromkeys([ARM, *self._supervisor.auxiliary_positions], now)
        return is_new, ARM in ended

    def expire(self, now: float, configuration: Configuration) -> list[str]:
        """End the jogs that go on for longer than they may without a message; return them."""
        timeout = configuration.settings.jog_timeout
        late = [name for name in self.active if now - self._heard[name] > timeout]
        self.end(late)
        self._move(late, configuration)
        return late

    def end(self, names: Iterable[str] | None = None) -> None:
        """End jogs, or all, until their messages have paused."""
        for name in [*self.active] if names is None else names:
            if self.active.pop(name, None) is not None:
                self._barred.add(name)

    def move_to(self, target: Joints, control: ControlSettings) -> None:
        """Move held joints to where a target and their limits want them, which ends their jogs."""
        positions = {}
        for name, q in zip(target.names, target.positions, strict=True):
            if name in control.holds:
                lower, upper = control.ends(name)
                positions[name] = min(max(q, lower), upper)
        if positions:
            self.end(positions)
            self._supervisor.move_auxiliary(positions)

    def _move(self, names: Iterable[str], configuration: Configuration) -> None:
        """Move held joints as they are jogged now, or stop them."""
        scaling = configuration.control.following.scaling
        if moves := {name: scaling * self.active.get(name, 0.0) for name in names if name != ARM}:
            self._supervisor.move_auxiliary(moves, is_jog=True)


def plan_jog(
    jog: Jogging,
    situation: Situation,
    configuration: Configuration,
    dt: float,
    blocked: Contact | None,
) -> Going:
    """Return the answer to a jog for a period of ``dt`` s: velocities, and their limit.

    ``blocked`` is the contact that has stopped the arm at a wall; None if there is none.
    """
    arm, start, solver = configuration.arm, situation.start, ''
    if isinstance(jog, JogJoints):  # the motion keeps the limits
        scaling = configuration.control.following.scaling
        velocities = {name: scaling * v for name, v in zip(jog.names, jog.velocities, strict=True)}
        is_at_limit = any(
            (v := velocities.get(name, 0.0)) and q == ends[v > 0.0]
            for name, q, ends in zip(arm.names, start, arm.limits, strict=True)
        )
        status = Status.JOINT_LIMIT if is_at_limit else Status.REACHED
    else:
        velocities, solution = _tip_jogged(jog, situation, configuration, dt, blocked is not None)
        status, solver = solution.status, solution.solver
        blocked = solution.contact or blocked
    if blocked and status is Status.REACHED:
        status = Status.BLOCKED

    def make_report(_: bool, **state: Any) -> Report:
        tip = arm.kinematics.tip(start)
        along = '' if status is Status.REACHED else ', along an edge'
        return Report.of(
            Code[status.name],
            f'The arm is jogged{along}.',
            point=arm.plane_at(start).locate(tip),
            target=tip,
            error=0.0,
            solver=solver,
            angle=arm.chain.tip_angle(arm.in_plane(start)),
            wall=blocked.wall if blocked and status is Status.BLOCKED else '',
            moving=any(velocities.values()),
            **state,
        )

    goal = Goal(velocities=velocities)
    return Going(jog, make_report, frame=situation.frame, positions=start, goal=goal)


def _tip_jogged(
    jog: Jog, situation: Situation, configuration: Configuration, dt: float, in_contact: bool
) -> tuple[dict[str, float], Solution]:
    """Return the velocities for the tip, and the pose to which it goes."""
    arm, start, frame = configuration.arm, situation.start, situation.frame
    span = configuration.control.following.scaling * dt
    way, turn = span * np.array(jog.linear), span * np.array(jog.angular)
    if isinstance(frame, Plane):
        way, turn = way @ frame.axes, turn @ frame.axes
    if not arm.kinematics.is_ready(aimed=True):
        arm = arm.stepping  # a tick does not wait
    moves, solution = joint_moves(
        arm, configuration.settings, start, way, turn, situation.side, in_contact
    )
    shares = [
        each.velocity * span / abs(move)
        for move, each in zip(moves.tolist(), arm.motion, strict=True)
        if move and each.velocity is not None
    ]
    velocities = (moves * (min([1.0, *shares]) / dt)).tolist()
    return dict(zip(arm.names, velocities, strict=True)) if moves.any() else {}, solution
