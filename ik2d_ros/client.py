"""The arm's node from Python: go to a point, follow a path, ask what can be reached, stop."""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any, TypeVar

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Point, PointStamped, Pose, PoseStamped, Quaternion
from nav_msgs.msg import Path
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from ik2d_ros.arm.description import arm_from_parameters
from ik2d_ros.kinematics import solve
from ik2d_ros.node.status import read, read_held
from ik2d_ros.parameters.checks import closest, listed
from ik2d_ros.pilot.outcome import Code, Level, Report
from ik2d_ros.pilot.parameters import configuration_from_parameters
from ik2d_ros.ros import qos
from ik2d_ros.ros.other_nodes import Parameters, RemoteParameters
from ik2d_ros.ros.stamps import nanoseconds, stamp_at

T = TypeVar('T')

TURN = 0.05  # s, how late a call notices that it is over
RESENT_AFTER = 1.0  # s; messages that are sent while two nodes discover each other may be lost

STANDING = {
    code.name
    for code in (Code.READY, Code.DISABLED, Code.NO_CLOCK, Code.NO_STATE, Code.NOT_FOLLOWING)
}
"""The codes without a target: an arm that was stopped has one of them."""


class Outcome(Report):
    """The last status of a call: true if what was asked for has come true; prints as a line."""

    has_come_true = False

    @classmethod
    def of_call(cls, report: Report, has_come_true: bool) -> Outcome:
        """Return the outcome of a call with that last status."""
        outcome = cls(*report)
        outcome.has_come_true = has_come_true
        return outcome

    def __bool__(self) -> bool:
        """Whether what was asked for has come true."""
        return self.has_come_true

    def __str__(self) -> str:
        """One line: the code, and what the arm's node says."""
        return f'{self.code}: {self.message}'


class ArmClient:
    """Moves one arm through its node; each call waits for the outcome and returns its status.

    The calls spin a node of their own while they wait. They work in a script that spins nothing, in
    a thread beside an executor, and in a callback, which then blocks that executor.

    A motion ends with the next one and with :meth:`stop`, called from another thread; its own call
    then returns at once. If the program ends, the arm still goes to its target.

    Every call raises TimeoutError if the node gives no answer in time. A motion raises
    CancelledError if a newer one begins before there was an answer.

    Example::

        rclpy.init()
        arm = ArmClient(rclpy.create_node('program'))
        if arm.go_to(0.3, 0.2) and arm.go_to_pose('closed'):
            print(arm.home())

    Attributes:
        name: full name of the arm's node.
    """

    def __init__(self, node: Node, arm: str = 'ik2d') -> None:
        """Connect to an arm's node, which may start later, by its name.

        ``node`` gives context, clock, and the namespace to which the name is relative.
        """
        self.name: str = node.resolve_topic_name(arm)
        self._node = rclpy.create_node(
            f'{node.get_name()}_client_of{self.name.replace("/", "_")}',
            context=node.context,
            namespace=node.get_namespace(),
            use_global_arguments=False,
            parameter_overrides=[node.get_parameter('use_sim_time')],
        )
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(self._node)
        subscribe, publish = self._node.create_subscription, self._node.create_publisher
        subscribe(DiagnosticArray, f'{self.name}/status', self._on_status, qos.EACH_KEPT)
        subscribe(DiagnosticArray, f'{self.name}/query_status', self._on_answer, qos.EACH)
        self._target = publish(PointStamped, f'{self.name}/target', qos.LATEST)
        self._target_pose = publish(PoseStamped, f'{self.name}/target_pose', qos.LATEST)
        self._path = publish(Path, f'{self.name}/path', qos.LATEST)
        self._path_poses = publish(Path, f'{self.name}/path_poses', qos.LATEST)
        self._query = publish(PointStamped, f'{self.name}/query', qos.EACH)
        self._joints = publish(JointState, f'{self.name}/joint_target', qos.LATEST)
        self._stop = self._node.create_client(Trigger, f'{self.name}/stop')
        self._remote = RemoteParameters(self._node, self.name)
        self._spinning = threading.Lock()
        self._calls = itertools.count(1)
        self._motion = 0  # the last call that moves the arm
        self._awaited: dict[int, Report | None] = {}  # by the stamp of the message sent
        self._newest = 0, read(DiagnosticStatus())  # the last status, and its stamp
        self._held = DiagnosticStatus()  # the last one of the joints that are held

    def go_to(
        self,
        x: float,
        y: float,
        z: float = 0.0,
        angle: float | None = None,
        frame: str = '',
        timeout: float = 30.0,
        roll: float | None = None,
    ) -> Outcome:
        """Move the tip to a point in m, or to the closest pose if the node's parameters say so.

        The point is in a frame of TF, or in the arm's base frame, which an angle and a roll (in
        rad) require: by default that is the node's ``tip_angle``, and the roll where it is going.
        The arm is stopped after ``timeout`` s.

        Returns:
            The target's last status, true if it is reached and the arm is there. If not
            ``at_goal``, the arm holds, was stopped or has a newer target.

        Raises:
            ValueError: an angle or a roll in another frame, or for an arm that cannot have it.
        """
        point = Point(x=float(x), y=float(y), z=float(z))
        if angle is None and roll is None:
            return self._send(self._target, PointStamped(point=point), frame, timeout)
        [pose] = self._turned([point], angle, frame, timeout, roll)
        return self._send(self._target_pose, pose, frame, timeout)

    def follow(
        self,
        points: Iterable[Sequence[float]],
        angle: float | None = None,
        frame: str = '',
        timeout: float = 600.0,
    ) -> Outcome:
        """Move the tip along the straight lines between points, (k, 2) or (k, 3) in m.

        The rest is as for :meth:`go_to`, with one tip angle on the whole path; the status has the
        ``path_progress``.
        """
        places = [Point(x=float(x), y=float(y), z=float(sum(z))) for x, y, *z in points]
        if angle is None:
            path = Path(poses=[PoseStamped(pose=Pose(position=place)) for place in places])
            return self._send(self._path, path, frame, timeout)
        path = Path(poses=self._turned(places, angle, frame, timeout))
        return self._send(self._path_poses, path, frame, timeout)

    def move_joints(self, positions: Mapping[str, float], timeout: float = 30.0) -> Outcome:
        """Move joints of the arm, and those that are held, to positions in rad or m, by name.

        The others stay. The arm is stopped after ``timeout`` s; the last status is as for a target.
        """
        deadline = time.monotonic() + timeout
        self._find(self._joints, deadline)
        before = self._held_goals()
        held = {name: q for name, q in positions.items() if name in before}
        if not held or len(held) < len(positions):
            outcome = self._send(self._joints, _joint_target(positions), '', timeout)
            # What a gripper holds may keep it from a goal that it had before.
            held = {name: q for name, q in held.items() if before[name] != q}
            if not (held and outcome):
                return outcome
        return self.hold(held, deadline - time.monotonic())

    def hold(self, positions: Mapping[str, float], timeout: float = 10.0) -> Outcome:
        """Move joints that are held, such as a gripper's, while the arm goes on, and wait for them.

        Positions are in rad or m, by name. A gripper that holds something never gets there: the
        wait ends after ``timeout`` s.

        Returns:
            The newest status, its message on the joints that are held; true if these are where they
            were to go. Limits may be nearer.
        """
        deadline, message = time.monotonic() + timeout, _joint_target(positions)
        self._find(self._joints, deadline)
        begin = time.monotonic()
        self._get(lambda: time.monotonic() > begin + TURN, deadline)  # statuses that came before
        before, newest, stamp = self._held_goals(), self._newest, self._stamp(deadline)
        message.header.stamp = stamp_at(stamp)

        def is_taken() -> bool:
            goals = self._held_goals()
            # A joint that turns without limits goes to the nearest whole turn.
            offs = [goals.get(name, math.inf) - q for name, q in positions.items()]
            return all(
                abs(off) < math.inf and abs(math.remainder(off, math.tau)) <= 1e-9 for off in offs
            )

        def is_refused() -> bool:
            return self._newest[0] == stamp and self._newest[1].level is Level.ERROR

        def is_over() -> bool:
            is_new = is_taken() or self._held_goals() != before
            is_answered = self._newest is not newest
            return is_answered and (is_refused() or (is_new and read_held(self._held)[1]))

        with suppress(TimeoutError):
            self._get(is_over, deadline, lambda: self._joints.publish(message))
        status = self._newest[1]
        if not is_refused():
            status = status._replace(message=self._held.message)
        return Outcome.of_call(status, is_over() and is_taken())

    def home(self, timeout: float = 30.0) -> Outcome:
        """Move the joints to their home positions, and wait, as :meth:`move_joints` does."""
        deadline = time.monotonic() + timeout
        arm = arm_from_parameters(self._parameters(deadline))
        positions = dict(zip(arm.names, arm.home, strict=True))
        return self.move_joints(positions, deadline - time.monotonic())

    def go_to_pose(self, name: str, timeout: float = 30.0) -> Outcome:
        """Move the joints to a pose that the node's parameters name, as :meth:`move_joints` does.

        Raises:
            ValueError: there is no such pose; the message lists those that there are.
        """
        deadline = time.monotonic() + timeout
        poses = configuration_from_parameters(self._parameters(deadline)).poses
        if name not in poses:
            raise ValueError(
                f"the node '{self.name}' has no pose '{name}'; its poses are "
                f'{listed(poses) or "none"}{closest(name, poses)}'
            )
        return self.move_joints(poses[name], deadline - time.monotonic())

    def can_reach(
        self, x: float, y: float, z: float = 0.0, frame: str = '', timeout: float = 10.0
    ) -> Outcome:
        """Ask whether the tip can reach a point in m, in the arm's base frame or another.

        Nothing moves, and no motion ends. The answer, for which it waits ``timeout`` s, is true if
        the tip can.
        """
        message = PointStamped(point=Point(x=float(x), y=float(y), z=float(z)))
        return self._send(self._query, message, frame, timeout)

    def stop(self, timeout: float = 10.0) -> Outcome:
        """Let the arm brake within its limits; its target is forgotten.

        The message of the status after that says where the arm stands, or will stand. Without an
        answer in ``timeout`` s, the arm may still move.
        """
        self._motion = next(self._calls)
        deadline, before, replies = time.monotonic() + timeout, self._newest, list[Any]()
        self._get(self._stop.service_is_ready, deadline)
        reply = self._get(
            lambda: next((each.result() for each in replies if each.done()), None),
            deadline,
            lambda: replies.append(self._stop.call_async(Trigger.Request())),
        )
        # A status from before the stop may come late, such as one that the node keeps.
        self._get(lambda: self._newest is not before and self._newest[1].code in STANDING, deadline)
        return Outcome.of_call(self._newest[1]._replace(message=reply.message), True)

    def destroy(self) -> None:
        """Disconnect."""
        self._executor.shutdown()
        self._node.destroy_node()

    def _held_goals(self) -> dict[str, float]:
        """Return where each held joint goes, in rad or m."""
        return {name: goal for name, (_, goal) in read_held(self._held)[0].items()}

    def _find(self, publisher: Any, deadline: float) -> None:
        """Wait for the node. One that starts says so later than it listens: as to a target."""
        self._get(publisher.get_subscription_count, deadline)
        self._get(lambda: self._newest[0], deadline)

    def _send(self, publisher: Any, message: Any, frame: str, timeout: float) -> Outcome:
        """Send a target or a query until it is answered, and return its last status."""
        moves, deadline = publisher is not self._query, time.monotonic() + timeout
        if moves:
            self._motion = call = next(self._calls)
        self._find(publisher, deadline)
        stamp = self._stamp(deadline)
        message.header.stamp, message.header.frame_id = stamp_at(stamp), frame
        self._awaited[stamp] = None

        def is_replaced() -> bool:
            is_answered = self._awaited[stamp] is not None
            return moves and (self._motion != call or (is_answered and self._newest[0] != stamp))

        def is_over() -> bool:
            status = self._awaited[stamp]
            return is_replaced() or (status is not None and not (moves and status.moving))

        def send() -> None:
            if self._awaited[stamp] is None:
                publisher.publish(message)

        with suppress(TimeoutError):
            self._get(is_over, deadline, send)
        is_last = not is_replaced()
        status = self._awaited.pop(stamp)
        if status is None and not is_last:
            raise CancelledError(f"a newer target came before the node '{self.name}' answered")
        # A target may be refused for now, as the pose of the arm is not measured yet.
        goes_on = status is None or status.moving or status.level not in (Level.OK, Level.WARN)
        if moves and is_last and goes_on:
            self.stop()
        said = self._get(lambda: status, deadline)
        has_come_true = said.reachable is True and (said.at_goal or not moves)
        return Outcome.of_call(said, has_come_true)

    def _stamp(self, deadline: float) -> int:
        """Return the time in ns as a stamp that no other call has."""
        clock = self._node.get_clock()
        return self._get(lambda: clock.now().nanoseconds, deadline) + next(self._calls)

    def _turned(
        self,
        points: Sequence[Point],
        angle: float | None,
        frame: str,
        timeout: float,
        roll: float | None = None,
    ) -> list[PoseStamped]:
        """Return poses at points, of a tip at an angle in the arm's plane and a roll."""
        given = self._parameters(time.monotonic() + timeout)
        arm = arm_from_parameters(given)
        if frame not in ('', arm.base_frame):
            name, value = ('roll', roll) if angle is None else ('angle', angle)
            raise ValueError(
                f"{name} is {value:g} in frame '{frame}'; it must be None, or the frame empty or "
                f"'{arm.base_frame}', the arm's base frame"
            )
        if arm.roll is not None and roll is None:
            roll = self._newest[1].roll
            roll = arm.home[-1] if math.isnan(roll) else roll
        wanted = given.get('tip_angle')
        if angle is None and isinstance(wanted, float) and math.isfinite(wanted):
            angle = wanted
        # In the plane as the pose that answers each carries it.
        pose, poses = None, []
        for point in points:
            place = point.x, point.y, point.z
            found = solve(arm.kinematics, place, angle=angle, start=pose, roll=roll)
            pose = found.q.tolist()
            tip_angle = found.angle if angle is None else angle
            x, y, z, w = arm.tip_rotation(arm.plane_at(pose), tip_angle, roll or 0.0)
            turn = Quaternion(x=x, y=y, z=z, w=w)
            poses.append(PoseStamped(pose=Pose(position=point, orientation=turn)))
        return poses

    def _on_status(self, message: DiagnosticArray) -> None:
        self._newest = nanoseconds(message.header.stamp), read(message.status[0])
        self._held = message.status[-1]
        self._on_answer(message)

    def _on_answer(self, message: DiagnosticArray) -> None:
        stamp = nanoseconds(message.header.stamp)
        if stamp in self._awaited:
            self._awaited[stamp] = read(message.status[0])

    def _parameters(self, deadline: float) -> Parameters:
        """Return the present parameters of the arm's node."""
        self._remote.forget()

        def read() -> Parameters | None:
            self._remote.tick()
            return self._remote.newest

        return self._get(read, deadline)

    def _get(
        self,
        result: Callable[[], T | None],
        deadline: float,
        send: Callable[[], object] | None = None,
    ) -> T:
        """Spin until there is a result, something true, and return it.

        Until then ``send`` is called, at first and every second.

        Raises:
            TimeoutError: there is none by the deadline, in s of the monotonic clock.
        """
        again = -math.inf
        while not (found := result()):
            now = time.monotonic()
            if now >= deadline:
                raise TimeoutError(f"no answer from the node '{self.name}' in time: is it running?")
            if send is not None and now >= again:
                send()
                again = now + RESENT_AFTER
            # Another thread may be spinning, for another call.
            if self._spinning.acquire(timeout=TURN):
                try:
                    self._executor.spin_once(timeout_sec=TURN)
                finally:
                    self._spinning.release()
        return found


def _joint_target(positions: Mapping[str, float]) -> JointState:
    return JointState(name=[*positions], position=[*map(float, positions.values())])
