"""The viewer's logic: from messages to what the page shows, and from user input to commands.

No ROS or viser imports: plain data comes in, views and commands go out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import dist, hypot, inf, isfinite, nan

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Chain
from ik2d_ros.kinematics.bounds import LARGEST_POSITION
from ik2d_ros.kinematics.plane import Plane, Vector
from ik2d_ros.node.answer import ready
from ik2d_ros.node.outcome import Level
from ik2d_ros.node.parameters import configuration_from_parameters
from ik2d_ros.node.report import Report
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.viewer.requests import ChangeSetting, ChooseSource, Drag, GoHome, Request
from ik2d_ros.viewer.view import DEMO_PATH, MOUSE, Area, Measured, View, Words

FRAME_PERIOD = 0.004  # s, minimum between drawings of the arm
MEASURED_SILENCE = 1.0  # s without a measurement after which the measured arm is not shown
DRAG_SILENCE = 3.0  # s after which a drag without an end is over: its browser is gone

ARM, DEMO = 'arm', 'demo'


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
        node: ARM or DEMO.
        name: name of the parameter.
        value: value of the parameter.
    """

    node: str
    name: str
    value: object


Command = PublishTarget | SetParameter


class Controller:
    """The state of the viewer; times are in s, from a monotonic clock."""

    def __init__(self, node: str) -> None:
        """Start without a node.

        Args:
            node: full name of the node to show, for messages.
        """
        self._node = node
        self._arm: ArmDescription | None = None  # stays visible after its node is gone
        self._plane: Plane | None = None
        self._settings: Mapping[str, object] | None = None  # None while there is no node
        self._paused: bool | None = None  # the demo path; None if there is none
        self._area: tuple[Chain, Area] | None = None
        self._positions: tuple[float, ...] | None = None
        self._target: tuple[float, float] | None = None
        self._placed: tuple[tuple[int, int], tuple[float, float]] | None = None
        self._status: Words | None = None
        self._trouble: Words | None = None  # shown instead of the status
        self._refusal = ''
        self._wanted: dict[str, object] = {}  # requested settings, not answered yet
        self._settled = 0
        self._measured: Measured | None = None
        self._measured_at = self._dragged_at = self._drawn_at = -inf
        self._lose('')

    # --- what is shown ---------------------------------------------------------------------------

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
            chain=self.chain,
            area=None if area is None or area[0] is not self.chain else area[1],
            positions=self._positions,
            measured=self._measured if now - self._measured_at < MEASURED_SILENCE else None,
            handle=None if self._is_dragged(now) else self._target,
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
            self._arm, self._plane = arm, Plane.from_pose(arm.base_xyz, arm.base_rpy)
            self._positions = self._target = self._placed = self._measured = None
        self._settings, self._trouble = vars(configuration.settings), None

    def hear_demo(self, parameters: Mapping[str, object] | None) -> None:
        """Take the parameters of the node that publishes demo targets; None if it is gone."""
        paused = (parameters or {}).get('paused')
        self._paused = paused if isinstance(paused, bool) else None

    def hear_positions(self, names: Sequence[str], positions: Sequence[float]) -> None:
        """Take joint positions in rad; those of other joints are ignored."""
        if self._arm is None or self._settings is None:
            return
        given = dict(zip(names, positions, strict=False))
        pose = tuple(given.get(name, nan) for name in self._arm.chain.names)
        if not all(abs(q) <= LARGEST_POSITION for q in pose):  # nor NaN, which is not given
            return
        self._positions = pose
        if self._target is None:  # no target yet: put the handle at the tip
            x, y = self._arm.chain.forward(pose)[-1].tolist()
            self._target = x, y

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
            positions: rad.
            velocities: rad/s; may be empty.
            efforts: N m; may be empty.
            now: the time.
        """
        if self._arm is None or self._settings is None:
            return
        chain = self._arm.chain
        q, speeds, torques = (
            _by_joint(chain.names, names, values) for values in (positions, velocities, efforts)
        )
        if not all(abs(position) <= LARGEST_POSITION for position in q):
            return
        lag = None
        if self._positions is not None:
            lag = dist(chain.forward(q)[-1], chain.forward(self._positions)[-1])
        self._measured = Measured(
            positions=q,
            efforts=tuple(torque if isfinite(torque) else None for torque in torques),
            speed=_tip_speed(chain, q, speeds),
            lag=lag,
        )
        self._measured_at = now

    def hear_place(
        self, stamp: tuple[int, int], place: tuple[float, float] | None, now: float
    ) -> None:
        """Take where the target is, from a status of the node.

        The targets themselves are not listened to: only the node knows where those in other frames
        are. A status that is repeated does not move the handle, which may be somewhere newer.

        Args:
            stamp: stamp of the status, by which a repeated one is known.
            place: x, y in m in the plane; None if unknown.
            now: the time.
        """
        if self._settings is None or place is None or (stamp, place) == self._placed:
            return
        self._placed = stamp, place
        if not self._is_dragged(now):
            self._target = place

    def hear_status(self, code: str, sentence: str, level: Level) -> None:
        """Take a status of the node."""
        self._status = Words(code, sentence, level.colour)

    def hear_answer(self, command: SetParameter, refusal: str | None) -> None:
        """Take the answer to setting a parameter: the reason of a refusal, or None."""
        self._refusal = refusal or ''
        self._settled += 1
        if command.node == ARM and self._wanted.get(command.name) == command.value:
            del self._wanted[command.name]  # else another value was requested since
        if command.node == ARM and refusal is None and self._settings is not None:
            self._settings = {**self._settings, command.name: command.value}

    def hear_area(self, chain: Chain, area: Area) -> None:
        """Take the reachable area of a chain."""
        self._area = chain, area

    # --- requests from the page ------------------------------------------------------------------

    def answer(self, request: Request, now: float) -> tuple[Command, ...]:
        """Return the commands for a request."""
        if isinstance(request, Drag):
            self._dragged_at = -inf if request.phase == 'end' else now
        if self._arm is None or self._settings is None:
            return ()
        if isinstance(request, Drag):
            return self._drag(request)
        if isinstance(request, GoHome):
            x, y = self._arm.chain.forward(self._arm.home)[-1].tolist()
            return *self._take_over(), *self._move_target(x, y)
        if isinstance(request, ChooseSource):
            return self._pause(request.source == MOUSE)
        return self._change(request)

    def _drag(self, drag: Drag) -> tuple[Command, ...]:
        if drag.phase != 'update' or not (isfinite(drag.x) and isfinite(drag.y)):
            return ()
        return *self._take_over(), *self._move_target(drag.x, drag.y)

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

    def _move_target(self, x: float, y: float) -> tuple[Command, ...]:
        if self._arm is None or self._plane is None:
            return ()
        self._target = x, y
        return (PublishTarget(self._arm.base_frame, self._plane.point(x, y)),)

    # --- helpers ---------------------------------------------------------------------------------

    def _settled_settings(self) -> Mapping[str, object] | None:
        if self._settings is None:
            return None
        return {name: value for name, value in self._settings.items() if name not in self._wanted}

    def _lose(self, why: str) -> None:
        """Forget the node; the drawing stays, but does not move."""
        self._settings, self._status, self._refusal = None, None, ''
        self._measured = None
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


def _tip_speed(
    chain: Chain, positions: Sequence[float], velocities: Sequence[float]
) -> float | None:
    """Return the speed of the tip in m/s: each joint turns the tip about itself."""
    *joints, (tip_x, tip_y) = chain.forward(positions).tolist()
    x = y = 0.0
    for joint, (joint_x, joint_y), velocity in zip(chain.joints, joints, velocities, strict=True):
        turn = joint.axis * velocity
        x, y = x - turn * (tip_y - joint_y), y + turn * (tip_x - joint_x)
    speed = hypot(x, y)
    return speed if isfinite(speed) else None
