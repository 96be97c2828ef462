"""The viewer's logic: from messages to what the page shows, and from user input to commands.

No ROS or viser imports: plain data comes in, views and commands go out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import dist, inf, isfinite, nan

import numpy as np

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.bounds import LARGEST_POSITION
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.node.answer import ready
from ik2d_ros.node.outcome import Level, length
from ik2d_ros.node.parameters import configuration_from_parameters
from ik2d_ros.node.report import ReceivedStatus
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.table import same
from ik2d_ros.viewer.requests import (
    ChangeSetting,
    ChooseArm,
    ChooseDrag,
    Drag,
    GoHome,
    KeepAngle,
    PauseDemo,
    Request,
    Turn,
    TypeTarget,
)
from ik2d_ros.viewer.turning import ANGLE_PARAMETER, Turning, shown_angle
from ik2d_ros.viewer.view import ANYWHERE, IN_PLANE, Area, Measured, TipAngle, View, Words

ARM, PATH, DEMO = 'arm', 'path', 'demo'  # the nodes: of the arm, of demo targets, of the demo

FRAME_PERIOD = 0.008  # s, minimum between drawings of the arm
MEASURED_SILENCE = 1.0  # s without a measurement after which the measured arm is not shown
DRAG_SILENCE = 3.0  # s after which a drag without an end is over: its browser is gone
SETTLING = 0.5  # s after a move for which a status may still tell of the target before
SMALL_STEP = 1e-6  # s, over which the speed of the tip is taken
MOVING = (28, 126, 214)  # colour of the status while the arm is on the way


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


Command = PublishTarget | SetParameter | GoHome


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
        self._drag_way = ANYWHERE
        self._status: ReceivedStatus | None = None
        self._trouble: Words | None = None  # shown instead of the status
        self._refusal = ''
        self._wanted: dict[str, object] = {}  # requested settings, not answered yet
        self._settled = 0
        self._turning = Turning()
        self._measured: Measured | None = None
        self._measured_at = self._dragged_at = self._moved_at = self._drawn_at = -inf
        self._lose('')

    # --- what is shown ---------------------------------------------------------------------------

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
            is_paused=None if settings is None else self._is_paused,
            arms=self._choice[0],
            name=self._choice[1],
            settled=self._settled,
            arm=arm,
            area=None if area is None or area[0] is not arm else area[1],
            positions=self._positions,
            measured=measured,
            target=self._target or self._tip(self._positions),
            is_held=now - self._dragged_at < DRAG_SILENCE,
            drag=None if arm is None or arm.carrier is None else self._drag_way,
            tip=self._tip_angle(),
            is_turned=self._turning.is_held(now),
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
            code, message = ready().code, ready().message
            return Words(code.name, message, code.level.colour)
        if not heard.is_on_the_way:
            return Words(heard.code, heard.message, heard.level.colour)
        text = f'{heard.code}: {heard.message}'
        tip = self._tip(self._positions if measured is None else measured.positions)
        if heard.level is not Level.OK or tip is None or heard.target is None:
            return Words('Moving to the closest pose', text, heard.level.colour)
        return Words(f'Moving: {length(dist(tip, heard.target))} to go', text, MOVING)

    def _tip(self, positions: Sequence[float] | None) -> Vector | None:
        """Return the tip in the base frame, at (m,) positions."""
        if self._arm is None or positions is None:
            return None
        x, y, z = self._arm.kinematics.forward(positions).tolist()
        return x, y, z

    def _tip_angle(self) -> TipAngle | None:
        if self._arm is None or self._settings is None or self._positions is None:
            return None
        return shown_angle(self._arm, self._settings, self._positions)

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
        """Take joint positions, in rad or m; those of other joints are ignored."""
        if self._arm is None or self._settings is None:
            return
        pose = _by_joint(self._arm.names, names, positions)
        if all(abs(q) <= LARGEST_POSITION for q in pose):  # nor NaN, which is not given
            self._positions = pose

    def hear_measured(
        self,
        names: Sequence[str],
        positions: Sequence[float],
        velocities: Sequence[float],
        efforts: Sequence[float],
        now: float,
    ) -> None:
        """Take measured joint states; those of other joints are ignored.

        Args:
            names: of the joints.
            positions: rad, of joints that slide m.
            velocities: rad/s, of joints that slide m/s; may be empty.
            efforts: N m, of joints that slide N; may be empty.
            now: the time.
        """
        if self._arm is None or self._settings is None:
            return
        q, speeds, torques = (
            _by_joint(self._arm.names, names, values) for values in (positions, velocities, efforts)
        )
        if not all(abs(position) <= LARGEST_POSITION for position in q):
            return
        tip, commanded = self._arm.kinematics.forward(q), self._tip(self._positions)
        speed = inf
        if all(map(isfinite, speeds)):
            step = SMALL_STEP * np.array(speeds)
            speed = dist(tip, self._arm.kinematics.forward(q + step)) / SMALL_STEP
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

    def hear_answer(self, command: SetParameter, refusal: str | None) -> tuple[Command, ...]:
        """Take the answer to a parameter change, and return the commands that follow.

        Args:
            command: the change that was carried out.
            refusal: why it was refused; None if it was not.
        """
        self._refusal = refusal or ''
        self._settled += 1
        if command.node != ARM:
            return ()
        if same(self._wanted.get(command.name), command.value):
            del self._wanted[command.name]  # else another value was requested since
        if refusal is None and self._settings is not None:
            self._settings = {**self._settings, command.name: command.value}
        return self._turn_to(self._turning.answered()) if command.name == ANGLE_PARAMETER else ()

    def hear_area(self, arm: ArmDescription, area: Area) -> None:
        """Take what an arm can reach."""
        self._area = arm, area

    # --- requests from the page ------------------------------------------------------------------

    def answer(self, request: Request, now: float) -> tuple[Command, ...]:
        """Return the commands for a request."""
        if isinstance(request, ChooseDrag):
            self._drag_way = IN_PLANE if request.way == IN_PLANE else ANYWHERE
        if isinstance(request, Drag):
            self._dragged_at = -inf if request.phase == 'end' else now
        if isinstance(request, ChooseArm) and request.arm in self._choice[0]:
            self._choice = self._choice[0], request.arm  # until the demo says what it shows
            return (SetParameter(DEMO, 'arm', request.arm),)
        if self._settings is None or self._arm is None:
            return ()
        if isinstance(request, Drag):
            return self._move_target(request.place, now) if request.phase == 'update' else ()
        if isinstance(request, TypeTarget):
            return self._move_target(self._in_base(request.place), now)
        if isinstance(request, GoHome):
            self._moved_at = -inf  # the handle follows
            return *self._pausing(), request
        if isinstance(request, (Turn, KeepAngle)):
            return self._turn(request, now)
        if isinstance(request, PauseDemo):
            return self._pause(not self._is_paused)
        return self._change(request) if isinstance(request, ChangeSetting) else ()

    def _in_base(self, place: tuple[float, ...]) -> Vector | None:
        if self._arm is None:
            return None
        x, y, z = (*place, 0.0)[:3]
        return self._arm.kinematics.plane.point(x, y) if self._arm.carrier is None else (x, y, z)

    def _move_target(self, place: Vector | None, now: float) -> tuple[Command, ...]:
        """Move the target instead of the demo path."""
        if self._arm is None or place is None or not all(map(isfinite, place)):
            return ()
        self._target, self._moved_at = place, now
        return *self._pausing(), PublishTarget(self._arm.base_frame, place)

    def _turn(self, request: Turn | KeepAngle, now: float) -> tuple[Command, ...]:
        shown = self._tip_angle()
        turning = self._turn_to(None if shown is None else self._turning.asked(request, shown, now))
        if not turning or isinstance(request, KeepAngle) or self._target is not None:
            return turning
        return *turning, *self._move_target(self._tip(self._positions), now)  # else nothing turns

    def _turn_to(self, angle: float | None) -> tuple[Command, ...]:
        if angle is None or self._settings is None:
            return ()
        return self._change(ChangeSetting(ANGLE_PARAMETER, angle))

    def _change(self, change: ChangeSetting) -> tuple[Command, ...]:
        self._wanted[change.name] = change.value
        return (SetParameter(ARM, change.name, change.value),)

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
        self._measured = None
        self._turning = Turning()
        self._wanted.clear()
        self._trouble = Words(
            'NO NODE',
            f'{why}Waiting for node {self._node}; start it, and this page reconnects by itself.',
            Level.STALE.colour,
        )


def _by_joint(
    wanted: Sequence[str], names: Sequence[str], values: Sequence[float]
) -> tuple[float, ...]:
    """Return the values of the wanted joints, NaN where there is none."""
    given = dict(zip(names, values, strict=False))
    return tuple(given.get(name, nan) for name in wanted)
