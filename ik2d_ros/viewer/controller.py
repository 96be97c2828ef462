"""The viewer's logic: from messages to what the page shows, and from user input to commands.

No ROS or viser imports: plain data comes in, views and commands go out. The viewer's node has them
from topics and sends them there; ``local.py`` is the arm itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import dist, inf, isfinite, isnan, nan, remainder, tau
from typing import Any, NamedTuple

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.arguments import LARGEST_POSITION
from ik2d_ros.kinematics.options import angle_refusal
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import as_file
from ik2d_ros.parameters.table import same
from ik2d_ros.pilot import request as requests
from ik2d_ros.pilot.outcome import Code, Level, Report
from ik2d_ros.pilot.parameters import configuration_from_parameters
from ik2d_ros.viewer.design import Draft, Edit, Save
from ik2d_ros.viewer.view import NO_PATH, POINTS, Act, Request, View, Words

ARM, PATH = 'arm', 'path'  # the nodes: of the arm, of demo targets
ANGLE = 'tip_angle'  # the parameter

MEASURED_SILENCE = 1.0  # s without a measurement after which the measured arm is not shown
HOLD = 1.0  # s after a user moved something in which nothing else moves it
MOST_POINTS = 5000  # of a path that is drawn
STRIDE = 0.002  # reaches between points of it
MOVING = (28, 126, 214)  # colour of the status while the arm moves
READY = Words(Code.READY.name, Code.READY.words, Code.READY.level.colour)


class SetParameter(NamedTuple):
    """Set a parameter of another node; the answer goes to :meth:`Controller.on_answer`."""

    node: str  # ARM or PATH
    name: str
    value: object


class Redesign(NamedTuple):
    """Give the arm other parameters; it stays where it is, as far as it can."""

    parameters: Mapping[str, object]


class ShowArm(NamedTuple):
    """Show another arm in place of this one."""

    name: str


Command = requests.Request | SetParameter | Redesign | ShowArm
"""What the page asks: of the arm's pilot, or of a node's parameters."""


class Controller:
    """The state of the viewer; times are in s, from a monotonic clock."""

    def __init__(self, node: str, can_design: bool = False) -> None:
        """Start without the node of that full name; ``can_design``: it takes other parameters."""
        self._node, self._can_design = node, can_design
        self._known = View(READY, is_new=True)  # what does not depend on the time
        self._asked: requests.Path | None = None  # by a query
        self._wanted: dict[str, object] = {}  # requested settings, not answered yet
        self._measured_at = self._target_at = -inf  # when it came, and when a user moved it last
        self._in_hand: tuple[Act | str | None, float] = None, -inf  # since when
        self._lose('')

    # --- the view --------------------------------------------------------------------------------

    @property
    def arm(self) -> ArmDescription | None:
        """The arm that is shown, also after its node is gone."""
        return self._known.arm

    def view(self, now: float) -> View:
        """Return what the page must show at a time, but for the area of reach."""
        known, settings = self._known, self._known.settings
        angle, is_kept = self._tip_angle()
        if settings is not None:
            settings = {name: each for name, each in settings.items() if name not in self._wanted}
        return replace(
            known,
            settings=settings,
            is_paused=None if settings is None else known.is_paused,
            measured=known.measured if now - self._measured_at < MEASURED_SILENCE else None,
            target=known.target or self._tip(),
            in_hand=self._in_hand[0] if now - self._in_hand[1] < HOLD else None,
            angle=angle,
            is_kept=is_kept,
        )

    def _update(self, **values: Any) -> None:
        self._known = replace(self._known, **values)

    def _tip(self) -> Vector | None:
        """Return the commanded tip in the base frame."""
        arm, positions = self._known.arm, self._known.positions
        if arm is None or positions is None:
            return None
        x, y, z = arm.kinematics.forward(positions).tolist()
        return x, y, z

    def _tip_angle(self) -> tuple[float | None, bool]:
        """Return the tip angle that is kept, else that of the pose, and whether it is kept."""
        arm, settings, q = self._known.arm, self._known.settings, self._known.positions
        if arm is None or settings is None or q is None or angle_refusal(arm.chain):
            return None, False
        asked = settings[ANGLE]
        if isinstance(asked, float) and not isnan(asked):
            return remainder(asked, tau), True
        return arm.chain.tip_angle(arm.in_plane(q)), False

    # --- messages from ROS -----------------------------------------------------------------------

    def on_arm(self, parameters: Mapping[str, object] | None, save: Save = as_file) -> None:
        """Take the node's parameters by name; None if it is gone. A design is saved as said."""
        if parameters is None:
            self._lose(f'{self._node} is gone. ')
            return
        try:
            configuration = configuration_from_parameters(parameters)
        except ConfigError as error:
            self._lose(f'{self._node} has no valid arm: {error}. ')
            return
        known, arm = self._known, configuration.arm
        is_draft = known.design is not None and parameters is known.design.parameters
        if known.settings is None:
            self._update(words=READY)
        if known.settings is None or known.arm != arm:
            stays = is_draft and known.arm is not None and known.arm.names == arm.names
            self._update(positions=known.positions if stays else None, arm=arm)
            self._update(version=known.version + (not is_draft))
            self._update(measured=None, target=None, path=NO_PATH, is_drawing=False)
            self._asked = None
        if self._can_design and not is_draft:
            self._update(design=Draft(parameters, save))
        limits = configuration.control.hold_limits
        held = {name: limits[name] for name in configuration.control.holds if name in limits}
        settings, poses = vars(configuration.settings), tuple(configuration.poses)
        self._update(settings=settings, poses=poses, held=held)

    def on_choice(self, name: str, arms: Sequence[str]) -> None:
        """Take the name of the arm that is shown, and those of all that can be."""
        self._update(arms=tuple(arms), name=name)

    def on_demo(self, parameters: Mapping[str, object] | None) -> None:
        """Take the parameters of the node that publishes demo targets; None if it is gone."""
        paused = (parameters or {}).get('paused')
        self._update(is_paused=paused if isinstance(paused, bool) else None)

    def on_positions(self, names: Sequence[str], positions: Sequence[float]) -> None:
        """Take joint positions, in rad or m; other joints are ignored."""
        self._update(positions=self._pose(names, positions) or self._known.positions)

    def on_measured(self, names: Sequence[str], positions: Sequence[float], now: float) -> None:
        """Take measured joint positions, in rad or m; other joints are ignored."""
        pose = self._pose(names, positions)
        if pose is not None:
            self._update(measured=pose)
            self._measured_at = now

    def on_status(self, status: Report, now: float) -> None:
        """Take a status of the node, which may be repeated."""
        if self._known.settings is None:
            return
        title, text, colour = status.code, status.message, status.level.colour
        if status.moving and status.level is Level.OK:
            title, text, colour = 'MOVING', text.removeprefix('Moving: '), MOVING
        if status.moving and not isnan(status.path_progress):
            title += f', {status.path_progress:.0%} of the path'
        self._update(words=Words(title, text, colour))
        if now - self._target_at > HOLD:
            if not isnan(status.target[0]):
                self._update(target=status.target)
            elif status.code == Code.READY.name:  # the arm has been stopped
                self._update(target=None)

    def on_held(self, held: Mapping[str, tuple[float, float]]) -> None:
        """Take where joints are that are held, and where they go, in rad or m."""
        self._update(held_at={name: q for name, (q, _) in held.items()})

    def on_verdict(self, status: Report, path: requests.Path) -> None:
        """Take what the answer to a query says of its path."""
        if path is self._asked:  # else it has changed since
            self._update(path=self._known.path.judged(status))

    def on_answer(self, command: SetParameter, refusal: str | None) -> None:
        """Take the answer to a parameter change: why it was refused, or None."""
        self._update(refusal=refusal or '', settled=self._known.settled + 1)
        if command.node != ARM:
            return
        if same(self._wanted.get(command.name), command.value):
            del self._wanted[command.name]  # else another value was requested since
        if refusal is None and self._known.settings is not None:
            self._update(settings={**self._known.settings, command.name: command.value})
            if (draft := self._known.design) is not None:
                parameters = {**draft.parameters, command.name: command.value}
                self._update(design=replace(draft, parameters=parameters))

    # --- requests from the page ------------------------------------------------------------------

    def answer(self, request: Request, now: float) -> tuple[Command, ...]:
        """Return the commands for a request."""
        act, value = request
        known, arm = self._known, self._known.arm
        if act is Act.CHOOSE_ARM and value in known.arms:
            return (ShowArm(value),)
        if known.settings is None or arm is None:
            return ()
        self._update(refusal=value if act is Act.REFUSE else '')
        match act:
            case Act.DRAG | Act.TARGET:
                self._in_hand = act if act is Act.DRAG else None, now
                self._update(is_new=False)
                return self._move_target(arm, value, now)
            case Act.TURN | Act.KEEP_ANGLE:
                return self._turn(arm, request, now)
            case Act.HOME | Act.STOP:
                return self._let_go(requests.Home() if act is Act.HOME else requests.Stop())
            case Act.GO_TO_POSE if value in known.poses:
                return self._let_go(requests.NamedPose(value))
            case Act.MOVE_JOINT if isfinite(value[1]):
                return self._move_joint(arm, value, now)
            case Act.PAUSE:
                return self._pause(not known.is_paused)
            case Act.SET:
                return self._change(*value)
            case Act.EDIT | Act.UNDO_EDIT:
                return self._redesign(arm, value, now)
            case Act.DRAW:
                self._update(is_drawing=bool(value))
            case _:
                return self._draw(arm, request)
        return ()

    def _draw(self, arm: ArmDescription, request: Request) -> tuple[Command, ...]:
        """Follow the path that is drawn, or change it; it is judged at the end of each step."""
        act, value = request
        path, shortest = self._known.path, STRIDE * (arm.chain.reach.outer or 1.0)
        if act in POINTS and self._known.is_drawing and all(map(isfinite, value)):
            counts = not path.points or dist(path.points[-1], value) >= shortest
            if counts and len(path.points) < MOST_POINTS:
                path = path.plus(value, goes_on=act is not Act.ADD_POINT)
        elif act is Act.UNDO:
            path = path.before or NO_PATH
        elif act is Act.CLEAR:
            path = NO_PATH
        asked = requests.Path(partial(np.array, path.points), frame_id=arm.base_frame)
        is_path = len(path.points) > 1
        if act is Act.FOLLOW:
            return self._let_go(asked) if is_path else ()
        self._update(path=path)
        self._asked = asked if is_path and act is not Act.DRAW_ON else None
        return () if self._asked is None else (requests.Query(asked),)

    def _redesign(self, arm: ArmDescription, edit: Edit | None, now: float) -> tuple[Command, ...]:
        """Change the design, or undo the last change; a joint may be gone since it was asked."""
        draft = self._known.design
        if draft is None or (edit and edit.joint not in arm.chain.names):
            return ()
        try:
            draft = draft.changed(edit, now) if edit else draft.undone(now)
        except ConfigError as error:
            self._update(refusal=str(error))
            return ()
        self._in_hand = Act.EDIT, now
        self._update(design=draft, target=None)
        return self._let_go(Redesign(draft.parameters))

    def _let_go(self, command: Command) -> tuple[Command, ...]:
        """Move the arm, or stop it, instead of the demo path; the handle follows."""
        self._target_at = -inf
        return *self._pause(True), command

    def _move_joint(
        self, arm: ArmDescription, value: tuple[str, float], now: float
    ) -> tuple[Command, ...]:
        """Move a joint: one without limits by the shorter way, a held one beside the arm."""
        name, position = value
        known, is_held = self._known, value[0] in self._known.held
        if not is_held and name not in arm.names:
            return ()
        lower, upper = known.held[name] if is_held else arm.limits[arm.names.index(name)]
        if known.positions is not None and not isfinite(lower):
            here = known.positions[arm.names.index(name)]
            position = here + remainder(position - here, tau)
        self._in_hand = name, now
        joint = requests.Joints((name,), (min(max(position, lower), upper),))
        if is_held:
            return (joint,)
        self._update(target=None)
        return self._let_go(joint)

    def _move_target(
        self, arm: ArmDescription, place: Vector | None, now: float
    ) -> tuple[Command, ...]:
        """Move the target instead of the demo path."""
        if place is None or not all(map(isfinite, place)):
            return ()
        self._update(target=place)
        self._target_at = now
        return *self._pause(True), requests.Point(place, frame_id=arm.base_frame)

    def _turn(self, arm: ArmDescription, request: Request, now: float) -> tuple[Command, ...]:
        """Keep the tip angle that is asked for, or let it go."""
        act, value = request
        angle, _ = self._tip_angle()
        if act is Act.KEEP_ANGLE and angle is not None:
            return self._change(ANGLE, angle if value else nan)
        if angle is None or not isfinite(value):
            return ()
        self._in_hand = act, now
        turning = self._change(ANGLE, value)
        if self._known.target is not None:
            return turning
        return *turning, *self._move_target(arm, self._tip(), now)  # else nothing turns

    def _change(self, name: str, value: Any) -> tuple[Command, ...]:
        self._wanted[name] = value
        return (SetParameter(ARM, name, value),)

    def _pause(self, paused: bool) -> tuple[Command, ...]:
        if self._known.is_paused in (None, paused):
            return ()
        self._update(is_paused=paused)
        return (SetParameter(PATH, 'paused', paused),)

    def _lose(self, why: str) -> None:
        """Forget the node; the drawing stays, but does not move."""
        self._wanted.clear()
        words = f'{why}Waiting for node {self._node}; start it, and this page reconnects by itself.'
        self._update(words=Words('NO NODE', words, Level.STALE.colour), settings=None, refusal='')
        self._update(measured=None, is_drawing=False)

    def _pose(self, names: Sequence[str], positions: Sequence[float]) -> tuple[float, ...] | None:
        """Return (m,) positions of the arm's joints; None unless all are there and not too far."""
        if self._known.arm is None or self._known.settings is None:
            return None
        given = dict(zip(names, positions, strict=False))
        pose = tuple(given.get(name, nan) for name in self._known.arm.names)
        return pose if all(abs(q) <= LARGEST_POSITION for q in pose) else None  # NaN is not
