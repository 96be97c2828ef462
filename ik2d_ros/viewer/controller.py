"""The viewer's logic: from messages to what the page shows, and from user input to commands.

No ROS or viser imports: plain data comes in, views and commands go out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import dist, inf, isfinite, nan

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Chain
from ik2d_ros.kinematics.bounds import LARGEST_POSITION
from ik2d_ros.kinematics.plane import PlanePoint, Vector
from ik2d_ros.node.answer import ready
from ik2d_ros.node.outcome import Level
from ik2d_ros.node.parameters import configuration_from_parameters
from ik2d_ros.node.report import Report
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.table import same
from ik2d_ros.viewer.commands import ARM, DEMO, Command, PublishTarget, SetParameter
from ik2d_ros.viewer.measuring import tip_speed
from ik2d_ros.viewer.requests import (
    ChangeSetting,
    ChooseDrag,
    ChooseSource,
    Drag,
    GoHome,
    KeepAngle,
    Request,
    Turn,
)
from ik2d_ros.viewer.target import Target
from ik2d_ros.viewer.turning import ANGLE_PARAMETER, Turning
from ik2d_ros.viewer.view import ANYWHERE, DEMO_PATH, IN_PLANE, MOUSE, Area, Measured, View, Words

FRAME_PERIOD = 0.004  # s, minimum between drawings of the arm
MEASURED_SILENCE = 1.0  # s without a measurement after which the measured arm is not shown
DRAG_SILENCE = 3.0  # s after which a drag without an end is over: its browser is gone


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
        self._paused: bool | None = None  # the demo path; None if there is none
        self._area: tuple[ArmDescription, Area] | None = None
        self._positions: tuple[float, ...] | None = None
        self._target: Target | None = None
        self._drag_way = ANYWHERE
        self._status: Words | None = None
        self._trouble: Words | None = None  # shown instead of the status
        self._refusal = ''
        self._wanted: dict[str, object] = {}  # requested settings, not answered yet
        self._settled = 0
        self._turning = Turning()
        self._measured: Measured | None = None
        self._measured_at = self._dragged_at = self._drawn_at = -inf
        self._lose('')

    # --- what is shown ---------------------------------------------------------------------------

    @property
    def arm(self) -> ArmDescription | None:
        """The arm that is shown."""
        return self._arm

    @property
    def chain(self) -> Chain | None:
        """The chain of the arm that is shown."""
        return None if self._arm is None else self._arm.chain

    def view(self, now: float) -> View:
        """Return what the page must show at a time."""
        area = self._area
        source = None if self._paused is None else MOUSE if self._paused else DEMO_PATH
        return View(
            words=self._trouble or self._status or _words(ready()),
            refusal=self._refusal,
            settings=self._settled_settings(),
            source=None if self._settings is None else source,
            settled=self._settled,
            arm=self._arm,
            area=None if area is None or area[0] is not self._arm else area[1],
            positions=self._positions,
            measured=self._measured if now - self._measured_at < MEASURED_SILENCE else None,
            handle=None if self._is_dragged(now) or self._target is None else self._target.place,
            drag=None if self._arm is None or self._arm.carrier is None else self._drag_way,
            tip=self._turning.shown(self._arm, self._settings, self._positions),
            is_turned=self._turning.is_held(now),
        )

    def frame(self, now: float) -> View | None:
        """Return the view for drawing motion, or None if the last frame is too recent."""
        if now - self._drawn_at < FRAME_PERIOD:
            return None
        self._drawn_at = now
        return self.view(now)

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
        arm = configuration.arm
        if self._settings is None or self._arm != arm:
            self._arm, self._target = arm, Target(arm)
            self._positions = self._measured = None
        self._settings, self._trouble = vars(configuration.settings), None

    def hear_demo(self, parameters: Mapping[str, object] | None) -> None:
        """Take the parameters of the node that publishes demo targets; None if it is gone."""
        paused = (parameters or {}).get('paused')
        self._paused = paused if isinstance(paused, bool) else None

    def hear_positions(self, names: Sequence[str], positions: Sequence[float]) -> None:
        """Take joint positions, in rad or m; those of other joints are ignored."""
        if self._arm is None or self._settings is None or self._target is None:
            return
        pose = _by_joint(self._arm.names, names, positions)
        if not all(abs(q) <= LARGEST_POSITION for q in pose):  # nor NaN, which is not given
            return
        self._positions = pose
        self._target.hear_positions(pose)

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
        arm = self._arm
        q, speeds, torques = (
            _by_joint(arm.names, names, values) for values in (positions, velocities, efforts)
        )
        if not all(abs(position) <= LARGEST_POSITION for position in q):
            return
        lag = None
        if self._positions is not None:
            lag = dist(arm.kinematics.forward(q), arm.kinematics.forward(self._positions))
        self._measured = Measured(
            positions=q,
            efforts=tuple(torque if isfinite(torque) else None for torque in torques),
            speed=tip_speed(arm, q, speeds),
            lag=lag,
        )
        self._measured_at = now

    def hear_target(self, stamp: tuple[int, int], frame: str, point: Vector, now: float) -> None:
        """Take a target on its way to the node.

        Args:
            stamp: its stamp.
            frame: its frame.
            point: x, y, z in m in the frame.
            now: the time.
        """
        if self._settings is not None and self._target is not None:
            self._target.hear_target(stamp, frame, point, self._is_dragged(now))

    def hear_place(
        self,
        stamp: tuple[int, int],
        place: Sequence[float] | None,
        now: float,
        at_goal: bool = False,
    ) -> None:
        """Take where the target is, from a status of the node.

        Only the node knows where targets in other frames are.

        Args:
            stamp: stamp of the status, by which a repeated one is known.
            place: x, y and distance from the plane, in m; None if unknown.
            now: the time.
            at_goal: whether the commanded pose is the solved one.
        """
        if self._settings is None or self._target is None or place is None:
            return
        x, y, *beside = place
        point = PlanePoint(x, y, beside[0] if beside else 0.0)
        self._target.hear_place(stamp, point, at_goal, self._positions, self._is_dragged(now))

    def hear_status(self, code: str, sentence: str, level: Level) -> None:
        """Take a status of the node."""
        self._status = Words(code, sentence, level.colour)

    def hear_angle(self, error: float | None) -> None:
        """Take how far the tip angle of the solved pose is off, in rad; None if unknown."""
        self._turning.error = error

    def hear_answer(self, command: SetParameter, refusal: str | None) -> tuple[Command, ...]:
        """Take the answer to setting a parameter, and return the commands that waited for it.

        Args:
            command: what was to be set.
            refusal: why it was refused; None if it was not.
        """
        self._refusal = refusal or ''
        self._settled += 1
        if command.node == ARM and same(self._wanted.get(command.name), command.value):
            del self._wanted[command.name]  # else another value was requested since
        if command.node == ARM and refusal is None and self._settings is not None:
            self._settings = {**self._settings, command.name: command.value}
        if command.node != ARM or command.name != ANGLE_PARAMETER:
            return ()
        return self._turn_to(self._turning.answered())

    def hear_area(self, arm: ArmDescription, area: Area) -> None:
        """Take what an arm can reach."""
        self._area = arm, area

    # --- requests from the page ------------------------------------------------------------------

    def answer(self, request: Request, now: float) -> tuple[Command, ...]:
        """Return the commands for a request."""
        if isinstance(request, Drag):
            self._dragged_at = -inf if request.phase == 'end' else now
        if isinstance(request, ChooseDrag):
            self._drag_way = IN_PLANE if request.way == IN_PLANE else ANYWHERE
            return ()
        if self._settings is None or self._target is None:
            return ()
        if isinstance(request, Drag):
            return self._drag(request)
        if isinstance(request, (Turn, KeepAngle)):
            shown = self._turning.shown(self._arm, self._settings, self._positions)
            turned = self._turn_to(self._turning.asked(request, shown, now))
            return *turned, *(self._target_at_tip() if turned and isinstance(request, Turn) else ())
        if isinstance(request, GoHome):
            return *self._take_over(), *self._move_target(self._target.home())
        if isinstance(request, ChooseSource):
            return self._pause(request.source == MOUSE)
        return self._change(request)

    def _drag(self, drag: Drag) -> tuple[Command, ...]:
        place = drag.x, drag.y, drag.z
        if drag.phase != 'update' or not all(map(isfinite, place)):
            return ()
        return *self._take_over(), *self._move_target(place)

    def _turn_to(self, angle: float | None) -> tuple[Command, ...]:
        if angle is None or self._settings is None:
            return ()
        return self._change(ChangeSetting(ANGLE_PARAMETER, angle))

    def _change(self, change: ChangeSetting) -> tuple[Command, ...]:
        self._wanted[change.name] = change.value
        return (SetParameter(ARM, change.name, change.value),)

    def _take_over(self) -> tuple[Command, ...]:
        """Let the mouse move the target instead of the demo path."""
        return () if self._paused else self._pause(True)

    def _pause(self, paused: bool) -> tuple[Command, ...]:
        if self._paused is None:
            return ()
        self._paused = paused
        return (SetParameter(DEMO, 'paused', paused),)

    def _move_target(self, place: Vector) -> tuple[Command, ...]:
        if self._arm is None or self._target is None:
            return ()
        return (PublishTarget(self._arm.base_frame, self._target.move(place)),)

    def _target_at_tip(self) -> tuple[Command, ...]:
        """Send the tip to where it is, if there is no target yet: else nothing would turn."""
        place = None if self._target is None else self._target.place
        if place is None or self._status != _words(ready()):
            return ()
        x, y, z = (*place, 0.0)[:3]
        return self._move_target((x, y, z))

    # --- helpers ---------------------------------------------------------------------------------

    def _settled_settings(self) -> Mapping[str, object] | None:
        if self._settings is None:
            return None
        return {name: value for name, value in self._settings.items() if name not in self._wanted}

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

    def _is_dragged(self, now: float) -> bool:
        return now - self._dragged_at < DRAG_SILENCE


def _words(report: Report) -> Words:
    return Words(report.code.name, report.message, report.code.level.colour)


def _by_joint(
    wanted: Sequence[str], names: Sequence[str], values: Sequence[float]
) -> tuple[float, ...]:
    """Return the values of the wanted joints, NaN where there is none."""
    given = dict(zip(names, values, strict=False))
    return tuple(given.get(name, nan) for name in wanted)
