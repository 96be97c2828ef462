"""The viewer's logic: from messages to what the page shows, and from user input to commands.

No ROS or viser imports: plain data comes in, views and commands go out. The viewer's node has them
from topics and sends them there; ``local.py`` is the arm itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import dist, inf, isfinite, isnan, nan, remainder, tau
from typing import Any

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.points import in_base_frame, points_in
from ik2d_ros.kinematics.arguments import LARGEST_POSITION
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.pointing import angle_refusal
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import as_file
from ik2d_ros.parameters.table import same
from ik2d_ros.pilot import request as requests
from ik2d_ros.pilot.outcome import Code, Level
from ik2d_ros.pilot.parameters import configuration_from_parameters
from ik2d_ros.pilot.report import Report
from ik2d_ros.viewer.design import Draft, Edit
from ik2d_ros.viewer.drawn_path import NO_PATH, DrawnPath
from ik2d_ros.viewer.requests import POINTS, Act, Request
from ik2d_ros.viewer.view import Area, Design, View, Words

ARM, PATH, DEMO = 'arm', 'path', 'demo'  # the nodes: of the arm, of demo targets, of the demo
ANGLE = 'tip_angle'  # the parameter

MEASURED_SILENCE = 1.0  # s without a measurement after which the measured arm is not shown
HOLD = 1.0  # s after a user moved something in which nothing else moves it
MOST_POINTS, MOST_UNDONE = 5000, 100  # points of a path that is drawn; steps
STRIDE = 0.002  # reaches between points of it
MOVING = (28, 126, 214)  # colour of the status while the arm moves


@dataclass(frozen=True)
class SetParameter:
    """Set a parameter of another node; the answer goes to :meth:`Controller.on_answer`.

    Attributes:
        node: ARM, PATH or DEMO.
        name: name of the parameter.
        value: value of the parameter.
    """

    node: str
    name: str
    value: object


@dataclass(frozen=True)
class Redesign:
    """Give the arm other parameters; it stays where it is, as far as it can."""

    parameters: Mapping[str, object]


Command = requests.Request | SetParameter | Redesign
"""What the page asks: of the arm's pilot, or of a node's parameters."""


class Controller:
    """The state of the viewer; times are in s, from a monotonic clock."""

    def __init__(self, node: str, can_design: bool = False) -> None:
        """Start without a node.

        Args:
            node: full name of the node to show, for messages.
            can_design: whether the arm can be given other parameters.
        """
        self._node, self._can_design = node, can_design
        self._draft: Draft | None = None
        self._arm: ArmDescription | None = None  # stays visible after its node is gone
        self._settings: Mapping[str, object] | None = None  # None while there is no node
        self._is_paused: bool | None = None  # the demo path; None if there is none
        self._choice: tuple[tuple[str, ...], str] = (), ''  # arms that the demo can show, and this
        self._area: tuple[ArmDescription, Area] | None = None
        self._positions: tuple[float, ...] | None = None
        self._target: Vector | None = None  # in the base frame
        self._path = NO_PATH
        self._asked: requests.Path | None = None  # by a query
        self._before: tuple[DrawnPath, ...] = ()  # what the path was, for undoing
        self._is_drawing = self._is_following = False
        self._is_new = True  # until somebody moves the target
        self._status: Report | None = None
        self._trouble: Words | None = None  # shown instead of the status
        self._refusal = ''
        self._wanted: dict[str, object] = {}  # requested settings, not answered yet
        self._settled = 0
        self._poses: tuple[str, ...] = ()
        self._held: Mapping[str, tuple[float, float]] = {}  # limits
        self._held_at: Mapping[str, float] = {}
        self._moved = '', -inf  # the joint that a user moved last, and when
        self._measured: tuple[float, ...] | None = None
        self._measured_at = self._dragged_at = self._turned_at = self._moved_at = -inf
        self._lose('')

    # --- the view --------------------------------------------------------------------------------

    @property
    def arm(self) -> ArmDescription | None:
        """The arm that is shown."""
        return self._arm

    def view(self, now: float) -> View:
        """Return what the page must show at a time."""
        settings, arm = self._settings, self._arm
        measured = self._measured if now - self._measured_at < MEASURED_SILENCE else None
        angle, is_kept = self._tip_angle()
        if settings is not None:
            settings = {name: each for name, each in settings.items() if name not in self._wanted}
        return View(
            words=self._words(),
            refusal=self._refusal,
            settings=settings,
            settled=self._settled,
            is_paused=None if settings is None else self._is_paused,
            arms=self._choice[0],
            name=self._choice[1],
            arm=arm,
            area=self._area_of(arm),
            positions=self._positions,
            measured=measured,
            target=self._target or self._tip(),
            is_held=now - self._dragged_at < HOLD,
            angle=angle,
            is_kept=is_kept,
            is_turned=now - self._turned_at < HOLD,
            moved=self._moved[0] if now - self._moved[1] < HOLD else '',
            is_blocked=bool(self._status and self._status.code == Code.BLOCKED.name),
            poses=self._poses,
            held=self._held,
            held_at=self._held_at,
            is_new=self._is_new,
            path=self._path,
            can_undo=bool(self._before),
            is_drawing=self._is_drawing,
            design=self._design(now),
        )

    def _area_of(self, arm: ArmDescription | None) -> Area | None:
        """Return the area of an arm, or of the design before it until there is that; else None."""
        if arm is None or self._area is None:
            return None
        known, area = self._area
        is_close = self._draft is not None and self._draft.edit is not None
        return area if known == arm or (is_close and known.names == arm.names) else None

    def _design(self, now: float) -> Design | None:
        draft = self._draft
        if draft is None:
            return None
        return Design(draft.file, bool(draft.before), now - draft.at < HOLD)

    def _words(self) -> Words:
        """Return the status: first what the arm does, then the outcome."""
        heard = self._status
        if self._trouble is not None:
            return self._trouble
        if heard is None:
            code = Code.READY
            return Words(code.name, code.words, code.level.colour)
        title, colour = heard.code, heard.level.colour
        if heard.moving and heard.level is Level.OK:
            title, colour = 'MOVING', MOVING
        if heard.moving and not isnan(heard.path_progress):
            title += f', {heard.path_progress:.0%} of the path'
        return Words(title, heard.message, colour)

    def _tip(self) -> Vector | None:
        """Return the commanded tip in the base frame."""
        if self._arm is None or self._positions is None:
            return None
        x, y, z = self._arm.kinematics.forward(self._positions).tolist()
        return x, y, z

    def _tip_angle(self) -> tuple[float | None, bool]:
        """Return the tip angle that is kept, else that of the pose, and whether it is kept."""
        arm, settings, q = self._arm, self._settings, self._positions
        if arm is None or settings is None or q is None or angle_refusal(arm.chain):
            return None, False
        asked = settings[ANGLE]
        if isinstance(asked, float) and not isnan(asked):
            return remainder(asked, tau), True
        return arm.chain.tip_angle(arm.in_plane(q)), False

    # --- messages from ROS -----------------------------------------------------------------------

    def on_arm(self, parameters: Mapping[str, object] | None) -> None:
        """Take the node's parameters by name; None if it is gone."""
        if parameters is None:
            self._lose(f'{self._node} is gone. ')
            return
        try:
            configuration = configuration_from_parameters(parameters)
        except ConfigError as error:
            self._lose(f'{self._node} has no valid arm: {error}. ')
            return
        is_draft = self._draft is not None and parameters is self._draft.parameters
        if self._settings is None or self._arm != configuration.arm:
            before, self._arm = self._arm, configuration.arm
            if not (is_draft and before and before.names == self._arm.names):
                self._positions = None
            self._measured = self._target = None
            self._path, self._before, self._is_drawing = NO_PATH, (), False
            self._asked = None
        if self._can_design and not is_draft:
            self._draft = Draft.of(parameters)
        self._settings, self._trouble = vars(configuration.settings), None
        self._poses, drive = tuple(configuration.poses), configuration.drive
        self._held = {
            name: drive.hold_limits[name] for name in drive.holds if name in drive.hold_limits
        }

    def on_choice(self, parameters: Mapping[str, object] | None) -> None:
        """Take the parameters of the demo, which can show other arms; None if it is gone."""
        name, arms = (parameters or {}).get('arm'), (parameters or {}).get('arms')
        self._choice = (), ''
        if isinstance(name, str) and isinstance(arms, list) and name in arms:
            self._choice = tuple(map(str, arms)), name

    def on_demo(self, parameters: Mapping[str, object] | None) -> None:
        """Take the parameters of the node that publishes demo targets; None if it is gone."""
        paused = (parameters or {}).get('paused')
        self._is_paused = paused if isinstance(paused, bool) else None

    def on_positions(self, names: Sequence[str], positions: Sequence[float]) -> None:
        """Take joint positions, in rad or m; other joints are ignored."""
        self._positions = self._pose(names, positions) or self._positions

    def on_measured(self, names: Sequence[str], positions: Sequence[float], now: float) -> None:
        """Take measured joint positions, in rad or m; other joints are ignored."""
        pose = self._pose(names, positions)
        if pose is not None:
            self._measured, self._measured_at = pose, now

    def on_status(self, status: Report, now: float) -> None:
        """Take a status of the node, which may be repeated."""
        if self._settings is None:
            return
        self._status = status
        if now - self._moved_at > HOLD:
            if not isnan(status.target[0]):
                self._target = status.target
            elif status.code == Code.READY.name:  # the arm has been stopped
                self._target = None

    def on_held(self, positions: Mapping[str, float]) -> None:
        """Take where joints are that are held, in rad or m."""
        self._held_at = positions

    def on_verdict(self, status: Report, path: requests.Path) -> None:
        """Take what the answer to a query says of its path."""
        if path is self._asked:  # else it has changed since
            self._path = self._path.judged(status)

    def on_answer(self, command: SetParameter, refusal: str | None) -> None:
        """Take the answer to a parameter change.

        Args:
            command: the change that was carried out.
            refusal: why it was refused; None if it was not.
        """
        self._refusal = refusal or ''
        self._settled += 1
        if command.node != ARM:
            return
        if same(self._wanted.get(command.name), command.value):
            del self._wanted[command.name]  # else another value was requested since
        if refusal is None and self._settings is not None:
            self._settings = {**self._settings, command.name: command.value}
            if self._draft is not None:
                parameters = {**self._draft.parameters, command.name: command.value}
                self._draft = self._draft._replace(parameters=parameters, file=as_file(parameters))

    def on_area(self, arm: ArmDescription, area: Area) -> None:
        """Take what an arm can reach."""
        self._area = arm, area

    # --- requests from the page ------------------------------------------------------------------

    def answer(self, request: Request, now: float) -> tuple[Command, ...]:
        """Return the commands for a request."""
        act, value = request
        if act is Act.CHOOSE_ARM and value in self._choice[0]:
            self._choice = self._choice[0], value  # until the demo tells its arm
            return (SetParameter(DEMO, 'arm', value),)
        if self._settings is None or self._arm is None:
            return ()
        self._refusal = value if act is Act.REFUSE else ''
        match act:
            case Act.DRAG | Act.TARGET:
                self._dragged_at = now if act is Act.DRAG else self._dragged_at
                self._is_new = False
                return self._move_target(value, now)
            case Act.TURN | Act.KEEP_ANGLE:
                return self._turn(request, now)
            case Act.HOME | Act.STOP:
                return self._let_go(requests.Home() if act is Act.HOME else requests.Stop())
            case Act.GO_TO_POSE if value in self._poses:
                return self._let_go(requests.NamedPose(value))
            case Act.MOVE_JOINT if isfinite(value[1]):
                return self._move_joint(self._arm, value, now)
            case Act.PAUSE:
                return self._pause(not self._is_paused)
            case Act.SET:
                return self._change(*value)
            case Act.EDIT | Act.UNDO_EDIT:
                return self._redesign(value, now)
            case Act.DRAW:
                self._is_drawing = bool(value)
            case _:
                return self._draw(request, self._arm)
        return ()

    def _draw(self, request: Request, arm: ArmDescription) -> tuple[Command, ...]:
        """Change the path; it is judged as often as it changes, and at the end of each stroke."""
        act, value = request
        path, reach = self._path, arm.chain.reach.outer or 1.0
        if act is Act.FOLLOW and len(path.points) > 1:
            self._moved_at, self._is_following = -inf, True
            return *self._pausing(), self._path_of(arm)
        if act in POINTS:
            path = self._with(value, act is Act.BEGIN_STROKE, reach)
        elif act is Act.LOAD:
            try:
                path = DrawnPath(tuple(in_base_frame(arm, row) for row in points_in(value)))
            except ConfigError as error:
                self._refusal = str(error)
        elif act is Act.CLEAR:
            path = NO_PATH
        elif act is Act.UNDO and self._before:
            path, self._before = self._before[-1], self._before[:-1]
        if act in (Act.ADD_POINT, Act.BEGIN_STROKE, Act.LOAD, Act.CLEAR) and path != self._path:
            self._before = *self._before[1 - MOST_UNDONE :], self._path
        self._path, self._asked = path, None
        if act is Act.CLEAR and self._is_following:
            self._is_following = False
            return (requests.Stop(),)
        if act in (Act.DRAW_ON, Act.BEGIN_STROKE) or len(path.points) < 2:
            return ()
        self._asked = self._path_of(arm)
        return (requests.Query(self._asked),)

    def _with(self, point: Vector, is_first: bool, reach: float) -> DrawnPath:
        """Return the path with one more point, if that counts."""
        path = self._path
        if not (self._is_drawing and all(map(isfinite, point))):
            return path
        if is_first:
            return DrawnPath((point,), is_stroke=True)
        stride = dist(path.points[-1], point) / reach if path.points else inf
        return path.plus(point) if stride >= STRIDE and len(path.points) < MOST_POINTS else path

    def _path_of(self, arm: ArmDescription) -> requests.Path:
        points = partial(np.array, self._path.points)
        return requests.Path(points, frame_id=arm.base_frame)

    def _redesign(self, edit: Edit | None, now: float) -> tuple[Command, ...]:
        """Change the design, or undo the last change."""
        if self._draft is None:
            return ()
        try:
            self._draft = self._draft.changed(edit, now) if edit else self._draft.undone(now)
        except ConfigError as error:
            self._refusal = str(error)
            return ()
        self._target, self._is_following = None, False
        return *self._pausing(), Redesign(self._draft.parameters)

    def _let_go(self, command: Command) -> tuple[Command, ...]:
        """Move the arm, or stop it, instead of the demo path; the handle follows."""
        self._moved_at, self._is_following = -inf, False
        return *self._pausing(), command

    def _move_joint(
        self, arm: ArmDescription, value: tuple[str, float], now: float
    ) -> tuple[Command, ...]:
        """Move a joint: one without limits by the shorter way, a held one beside the arm."""
        name, position = value
        if name in self._held:
            self._moved, (lower, upper) = (name, now), self._held[name]
            return (requests.Joints((name,), (min(max(position, lower), upper),)),)
        if name not in arm.names:
            return ()
        index = arm.names.index(name)
        lower, upper = arm.limits[index]
        if self._positions is not None and not isfinite(lower):
            here = self._positions[index]
            position = here + remainder(position - here, tau)
        self._moved, self._target = (name, now), None
        return self._let_go(requests.Joints((name,), (min(max(position, lower), upper),)))

    def _move_target(self, place: Vector | None, now: float) -> tuple[Command, ...]:
        """Move the target instead of the demo path."""
        if self._arm is None or place is None or not all(map(isfinite, place)):
            return ()
        self._target, self._moved_at, self._is_following = place, now, False
        return *self._pausing(), requests.Point(place, frame_id=self._arm.base_frame)

    def _turn(self, request: Request, now: float) -> tuple[Command, ...]:
        """Keep the tip angle that is asked for, or let it go."""
        act, value = request
        angle, _ = self._tip_angle()
        if act is Act.KEEP_ANGLE and angle is not None:
            return self._change(ANGLE, angle if value else nan)
        if angle is None or not isfinite(value):
            return ()
        self._turned_at = now
        turning = self._change(ANGLE, value)
        if self._target is not None:
            return turning
        return *turning, *self._move_target(self._tip(), now)  # else nothing turns

    def _change(self, name: str, value: Any) -> tuple[Command, ...]:
        self._wanted[name] = value
        return (SetParameter(ARM, name, value),)

    def _pausing(self) -> tuple[Command, ...]:
        return () if self._is_paused else self._pause(True)

    def _pause(self, paused: bool) -> tuple[Command, ...]:
        if self._is_paused is None:
            return ()
        self._is_paused = paused
        return (SetParameter(PATH, 'paused', paused),)

    def _lose(self, why: str) -> None:
        """Forget the node; the drawing stays, but does not move."""
        self._settings, self._status, self._refusal = None, None, ''
        self._measured, self._is_drawing = None, False
        self._wanted.clear()
        title, waiting = 'NO NODE', f'Waiting for node {self._node}; start it, and'
        if self._choice[0]:
            title, waiting = 'STARTING', f'The demo starts {self._choice[1]}, and'
        words = f'{why}{waiting} this page reconnects by itself.'
        self._trouble = Words(title, words, Level.STALE.colour)

    def _pose(self, names: Sequence[str], positions: Sequence[float]) -> tuple[float, ...] | None:
        """Return (m,) positions of the arm's joints; None unless all are there and not too far."""
        if self._arm is None or self._settings is None:
            return None
        given = dict(zip(names, positions, strict=False))
        pose = tuple(given.get(name, nan) for name in self._arm.names)
        return pose if all(abs(q) <= LARGEST_POSITION for q in pose) else None  # NaN is not
