"""The viewer's logic: from messages to what the page shows, and from user input to commands.

No ROS or viser imports: plain data comes in, views and commands go out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import dist, inf, isfinite, isnan, nan, pi, remainder
from typing import Any

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.bounds import LARGEST_POSITION
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.pointing import angle_refusal
from ik2d_ros.node.outcome import Code, Level, length
from ik2d_ros.node.parameters import configuration_from_parameters
from ik2d_ros.node.report import ReceivedStatus
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.table import same
from ik2d_ros.viewer.drawn_path import DrawnPath
from ik2d_ros.viewer.requests import Act, Request
from ik2d_ros.viewer.view import ANYWHERE, IN_PLANE, Area, Measured, TipAngle, View, Words

ARM, PATH, DEMO = 'arm', 'path', 'demo'  # the nodes: of the arm, of demo targets, of the demo
ANGLE = 'tip_angle'  # the parameter

FRAME_PERIOD = 0.008  # s, minimum between drawings of the arm
MEASURED_SILENCE = 1.0  # s without a measurement after which the measured arm is not shown
DRAG_SILENCE = 3.0  # s after which a drag without an end is over: its browser is gone
TURN_SILENCE = 1.0  # s after which a turn without an end is over: a slider says none
SETTLING = 0.5  # s after a move for which a status may still be about the target before
SMALL_STEP = 1e-6  # s, over which the speed of the tip is taken
MOST_POINTS = 5000  # of a path that is drawn
STRIDE = 0.002  # reaches between points of it
MOVING = (28, 126, 214)  # colour of the status while the arm moves


@dataclass(frozen=True)
class PublishTarget:
    """Publish a target for the tip.

    Attributes:
        frame: frame of ``point``.
        point: position in m.
    """

    frame: str
    point: Vector


@dataclass(frozen=True)
class PublishPath:
    """Publish a path for the tip.

    Attributes:
        frame: frame of ``points``.
        points: positions in m.
        moves: whether the arm shall follow it; otherwise the node only judges it.
    """

    frame: str
    points: tuple[Vector, ...]
    moves: bool


@dataclass(frozen=True)
class SetParameter:
    """Set a parameter of another node; the answer goes to :meth:`Controller.hear_answer`.

    Attributes:
        node: ARM, PATH or DEMO.
        name: name of the parameter.
        value: value of the parameter.
    """

    node: str
    name: str
    value: object


@dataclass(frozen=True)
class GoHome:
    """Send the joints home."""


Command = PublishTarget | PublishPath | SetParameter | GoHome


class Controller:
    """The state of the viewer; times are in s, from a monotonic clock."""

    def __init__(self, node: str) -> None:
        """Start without a node.

        Args:
            node: full name of the node to show, for messages.
        """
        self._node = node
        self._arm: ArmDescription | None = None  # stays visible after its node is gone
        self._settings: Mapping[str, object] | None = None  # None while there is no node
        self._is_paused: bool | None = None  # the demo path; None if there is none
        self._choice: tuple[tuple[str, ...], str] = (), ''  # arms that the demo can show, and this
        self._area: tuple[ArmDescription, Area] | None = None
        self._positions: tuple[float, ...] | None = None
        self._target: Vector | None = None  # in the base frame
        self._path = DrawnPath()
        self._is_drawing = False
        self._drag_way = ANYWHERE
        self._status: ReceivedStatus | None = None
        self._trouble: Words | None = None  # shown instead of the status
        self._refusal = ''
        self._wanted: dict[str, object] = {}  # requested settings, not answered yet
        self._settled = 0
        self._measured: Measured | None = None
        self._measured_at = self._dragged_at = self._turned_at = self._moved_at = -inf
        self._drawn_at = -inf
        self._lose('')

    # --- the view --------------------------------------------------------------------------------

    @property
    def arm(self) -> ArmDescription | None:
        """The arm that is shown."""
        return self._arm

    def view(self, now: float) -> View:
        """Return what the page must show at a time."""
        settings, area, arm = self._settings, self._area, self._arm
        measured = self._measured if now - self._measured_at < MEASURED_SILENCE else None
        if settings is not None:
            settings = {name: each for name, each in settings.items() if name not in self._wanted}
        return View(
            words=self._words(measured),
            refusal=self._refusal,
            settings=settings,
            settled=self._settled,
            is_paused=None if settings is None else self._is_paused,
            arms=self._choice[0],
            name=self._choice[1],
            arm=arm,
            area=None if area is None or area[0] is not arm else area[1],
            positions=self._positions,
            measured=measured,
            target=self._target or self._tip(self._positions),
            is_held=now - self._dragged_at < DRAG_SILENCE,
            drag=None if arm is None or arm.carrier is None else self._drag_way,
            tip=self._tip_angle(),
            is_turned=now - self._turned_at < TURN_SILENCE,
            path=self._path if self._path.points else None,
            is_drawing=self._is_drawing,
        )

    def frame(self, now: float) -> View | None:
        """Return the view for drawing motion, or None if the last frame is too recent."""
        if now - self._drawn_at < FRAME_PERIOD:
            return None
        self._drawn_at = now
        return self.view(now)

    def _words(self, measured: Measured | None) -> Words:
        """Return the status: first what the arm does, then the outcome."""
        heard = self._status
        if self._trouble is not None:
            return self._trouble
        if heard is None:
            code = Code.READY
            return Words(code.name, code.words, code.level.colour)
        if not heard.is_on_the_way:
            return Words(heard.code, heard.message, heard.level.colour)
        # The node's sentence about the way comes once a second at least, the page's is up to date.
        text = f'{heard.code}: {heard.message.partition(". ")[2] or heard.message}'
        tip = self._tip(self._positions if measured is None else measured.positions)
        if heard.level is not Level.OK or tip is None or heard.target is None:
            return Words('Moving to the closest pose', text, heard.level.colour)
        if heard.path_progress is not None:
            return Words(f'Moving: {heard.path_progress:.0%} of the path', text, MOVING)
        return Words(f'Moving: {length(dist(tip, heard.target))} to go', text, MOVING)

    def _tip(self, positions: Sequence[float] | None) -> Vector | None:
        """Return the tip in the base frame, at (m,) positions."""
        if self._arm is None or positions is None:
            return None
        x, y, z = self._arm.kinematics.forward(positions).tolist()
        return x, y, z

    def _tip_angle(self) -> TipAngle | None:
        arm, settings, q = self._arm, self._settings, self._positions
        if arm is None or settings is None or q is None or angle_refusal(arm.chain):
            return None
        angle, asked = arm.chain.tip_angle(arm.in_plane(q)), settings.get(ANGLE)
        if not isinstance(asked, float) or isnan(asked):
            return TipAngle(angle)
        return TipAngle(angle, remainder(asked, 2.0 * pi))

    # --- messages from ROS -----------------------------------------------------------------------

    def hear_arm(self, parameters: Mapping[str, object] | None) -> None:
        """Take the node's parameters by name; None if it is gone."""
        if parameters is None:
            self._lose(f'{self._node} is gone. ')
            return
        try:
            configuration = configuration_from_parameters(parameters)
        except ConfigError as error:
            self._lose(f'{self._node} has no valid arm: {error}. ')
            return
        if self._settings is None or self._arm != configuration.arm:
            self._arm = configuration.arm
            self._positions = self._measured = self._target = None
            self._path, self._is_drawing = DrawnPath(), False
        self._settings, self._trouble = vars(configuration.settings), None

    def hear_choice(self, parameters: Mapping[str, object] | None) -> None:
        """Take the parameters of the demo, which can show other arms; None if it is gone."""
        name, arms = (parameters or {}).get('arm'), (parameters or {}).get('arms')
        self._choice = (), ''
        if isinstance(name, str) and isinstance(arms, list) and name in arms:
            self._choice = tuple(map(str, arms)), name

    def hear_demo(self, parameters: Mapping[str, object] | None) -> None:
        """Take the parameters of the node that publishes demo targets; None if it is gone."""
        paused = (parameters or {}).get('paused')
        self._is_paused = paused if isinstance(paused, bool) else None

    def hear_positions(self, names: Sequence[str], positions: Sequence[float]) -> None:
        """Take joint positions, in rad or m; other joints are ignored."""
        self._positions = self._pose(names, positions) or self._positions

    def hear_measured(
        self,
        names: Sequence[str],
        positions: Sequence[float],
        velocities: Sequence[float],
        efforts: Sequence[float],
        now: float,
    ) -> None:
        """Take measured joint states; other joints are ignored.

        Args:
            names: of the joints.
            positions: rad, of joints that slide m.
            velocities: rad/s, of joints that slide m/s; may be empty.
            efforts: N m, of joints that slide N; may be empty.
            now: the time.
        """
        q, arm = self._pose(names, positions), self._arm
        if q is None or arm is None:
            return
        speeds, torques = (_by_joint(arm.names, names, values) for values in (velocities, efforts))
        tip, commanded = arm.kinematics.forward(q), self._tip(self._positions)
        speed = inf
        if all(map(isfinite, speeds)):
            step = SMALL_STEP * np.array(speeds)
            speed = dist(tip, arm.kinematics.forward(q + step)) / SMALL_STEP
        self._measured = Measured(
            positions=q,
            efforts=tuple(torque if isfinite(torque) else None for torque in torques),
            speed=speed if isfinite(speed) else None,
            lag=None if commanded is None else dist(tip, commanded),
        )
        self._measured_at = now

    def hear_status(self, status: ReceivedStatus, now: float) -> None:
        """Take a status of the node, which may be repeated."""
        if self._settings is None:
            return
        self._status = status
        if status.target is not None and now - max(self._dragged_at, self._moved_at) > SETTLING:
            self._target = status.target

    def hear_verdict(self, status: ReceivedStatus, points: Sequence[Vector]) -> None:
        """Take what the node says of the path through these points."""
        if points and points == self._path.points:  # else it has changed since
            self._path = self._path.judged(status)

    def hear_answer(self, command: SetParameter, refusal: str | None) -> None:
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

    def hear_area(self, arm: ArmDescription, area: Area) -> None:
        """Take what an arm can reach."""
        self._area = arm, area

    # --- requests from the page ------------------------------------------------------------------

    def answer(self, request: Request, now: float) -> tuple[Command, ...]:
        """Return the commands for a request."""
        act, value, phase = request
        if act is Act.DRAG:
            self._dragged_at = -inf if phase == 'end' else now
        if act is Act.CHOOSE_DRAG:
            self._drag_way = IN_PLANE if value == IN_PLANE else ANYWHERE
        if act is Act.CHOOSE_ARM and value in self._choice[0]:
            self._choice = self._choice[0], value  # until the demo tells its arm
            return (SetParameter(DEMO, 'arm', value),)
        if self._settings is None or self._arm is None:
            return ()
        match act:
            case Act.DRAG if phase == 'update':
                return self._move_target(value, now)
            case Act.TYPE:
                return self._move_target(_in_base(self._arm, value), now)
            case Act.TURN | Act.KEEP_ANGLE:
                return self._turn(request, now)
            case Act.HOME:
                self._moved_at = -inf  # the handle follows
                return *self._pausing(), GoHome()
            case Act.PAUSE:
                return self._pause(not self._is_paused)
            case Act.SET:
                return self._change(*value)
        return self._draw(request, self._arm)

    def _draw(self, request: Request, arm: ArmDescription) -> tuple[Command, ...]:
        """Answer a request about the path; it is judged at the end of each stroke."""
        act, value, phase = request
        points, frame = self._path.points, arm.base_frame
        if act is Act.DRAW:
            self._is_drawing = bool(value)
        if act is Act.CLEAR:
            self._path = DrawnPath()
        if act is Act.FOLLOW and len(points) > 1:
            self._moved_at = -inf
            return *self._pausing(), PublishPath(frame, points, moves=True)
        if act is Act.ADD_POINT and self._is_drawing and all(map(isfinite, value)):
            stride = dist(points[-1], value) / (arm.chain.reach.outer or 1.0) if points else inf
            if stride >= STRIDE and len(points) < MOST_POINTS:
                self._path = self._path.plus(value)
            if phase == 'end' and len(self._path.points) > 1:
                return (PublishPath(frame, self._path.points, moves=False),)
        return ()

    def _move_target(self, place: Vector | None, now: float) -> tuple[Command, ...]:
        """Move the target instead of the demo path."""
        if self._arm is None or place is None or not all(map(isfinite, place)):
            return ()
        self._target, self._moved_at = place, now
        return *self._pausing(), PublishTarget(self._arm.base_frame, place)

    def _turn(self, request: Request, now: float) -> tuple[Command, ...]:
        """Keep the tip angle that is asked for, or let it go."""
        act, value, phase = request
        tip = self._tip_angle()
        if tip is None:
            return ()
        if act is Act.KEEP_ANGLE:
            return self._change(ANGLE, tip.angle if value else nan)
        self._turned_at = -inf if phase == 'end' else now
        if phase == 'start' or not isfinite(value):
            return ()
        turning = self._change(ANGLE, value)
        if self._target is not None:
            return turning
        return *turning, *self._move_target(self._tip(self._positions), now)  # else nothing turns

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
        pose = _by_joint(self._arm.names, names, positions)
        return pose if all(abs(q) <= LARGEST_POSITION for q in pose) else None  # NaN is not


def _by_joint(
    wanted: Sequence[str], names: Sequence[str], values: Sequence[float]
) -> tuple[float, ...]:
    """Return the values of the wanted joints, NaN where there is none."""
    given = dict(zip(names, values, strict=False))
    return tuple(given.get(name, nan) for name in wanted)


def _in_base(arm: ArmDescription, place: Sequence[float]) -> Vector | None:
    """Return a place that was typed, in the base frame; None if it has too few numbers."""
    if arm.carrier is None and len(place) == 2:
        return arm.kinematics.plane.point(*place)
    return (place[0], place[1], place[2]) if len(place) == 3 else None
