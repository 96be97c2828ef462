"""From messages and calls to requests."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from geometry_msgs.msg import Point, PointStamped, PoseStamped, Quaternion, TwistStamped, Vector3
from nav_msgs.msg import Path
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Header
from std_srvs.srv import SetBool, Trigger

from ik2d_ros.kinematics import ArgumentError
from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.pilot import request as requests
from ik2d_ros.pilot.clock import Stamp
from ik2d_ros.pilot.plan import MOST_POINTS
from ik2d_ros.pilot.request import Reply, Request, Target
from ik2d_ros.ros import qos

MOST_BYTES = 200 * MOST_POINTS  # of the message of a path; each pose has the name of a frame
SECONDS_BETWEEN_LOGS = 10.0


def listen(
    node: Node,
    ask: Callable[[Request], Reply],
    poses: Iterable[str],
    once_silent: Callable[[Callable[[], None]], None],
) -> None:
    """Subscribe to targets and queries, and offer the services; ask each request.

    ``once_silent`` calls a function as soon as nothing is commanded, or the arm may move again.
    """

    def subscribe(kind: Any, topic: str, read: Callable[[Any], Request], **how: Any) -> None:
        def take(message: Any) -> None:
            reply = ask(read(message))
            if not reply.success:
                logger = node.get_logger()
                logger.warning(reply.message, throttle_duration_sec=SECONDS_BETWEEN_LOGS)

        node.create_subscription(kind, topic, take, **how)

    def offer(kind: Any, name: str, read: Callable[[Any], Request]) -> Any:
        def answer(request: Any, response: Any) -> Any:
            response.success, response.message = ask(read(request))
            return response

        return node.create_service(kind, name, answer)

    latest, each = {'qos_profile': qos.LATEST}, {'qos_profile': qos.EACH}
    subscribe(PointStamped, '~/target', _point, **qos.overridable(qos.LATEST))
    subscribe(PoseStamped, '~/target_pose', _pose, **qos.overridable(qos.LATEST))
    subscribe(PointStamped, '~/query', lambda message: requests.Query(_point(message)), **each)
    # Raw, and read where they are judged: for thousands of poses rclpy takes longer than a tick.
    subscribe(Path, '~/path', _path, raw=True, **latest)
    subscribe(Path, '~/path_poses', partial(_path, turns=True), raw=True, **latest)
    subscribe(
        Path, '~/query_path', lambda message: requests.Query(_path(message)), raw=True, **each
    )
    subscribe(JointState, '~/joint_target', _joints, **latest)
    newest = {'qos_profile': qos.LATEST_BEST_EFFORT}
    subscribe(TwistStamped, '~/jog', _jog, **newest)
    subscribe(JointState, '~/jog_joints', _jog_joints, **newest)
    for pose in map(requests.NamedPose, poses):
        offer(Trigger, f'~/poses/{pose.name}', partial(lambda pose, _: pose, pose))
    offer(Trigger, '~/stop', lambda _: requests.Stop())
    offer(Trigger, '~/home', lambda _: requests.Home())
    enable = offer(SetBool, '~/enable', lambda request: requests.Enable(request.data))
    # Every executor sends answers by this method. A coroutine would not do: the EventsExecutor of
    # Jazzy takes none, and others let no other callback of its group run in the meantime.
    send = enable.send_response
    enable.send_response = lambda *response: once_silent(partial(send, *response))


def _point(message: PointStamped) -> Target:
    return requests.Point(place_of(message.point), **_when_and_where(message.header))


def _pose(message: PoseStamped) -> Target:
    pose, where = message.pose, _when_and_where(message.header)
    return requests.Pose(place_of(pose.position), rotation_of(pose.orientation), **where)


def _path(message: bytes, turns: bool = False) -> Target:
    header = deserialize_message(message, Header)  # with which a path begins
    return requests.Path(lambda: _points(message, turns), **_when_and_where(header))


def _joints(message: JointState) -> Target:
    stamp = _when_and_where(message.header)['stamp']
    return requests.Joints((*message.name,), (*message.position,), stamp=stamp)


def _jog(message: TwistStamped) -> Target:
    twist = message.twist
    return requests.Jog(
        place_of(twist.linear), place_of(twist.angular), **_when_and_where(message.header)
    )


def _jog_joints(message: JointState) -> Target:
    stamp = _when_and_where(message.header)['stamp']
    return requests.JogJoints((*message.name,), (*message.velocity,), stamp=stamp)


def _points(message: bytes, turns: bool) -> FloatArray:
    """Return (k, 3) points of a path, or (k, 7) with the orientations.

    Raises:
        ArgumentError: the message is too long.
    """
    if len(message) > MOST_BYTES:
        raise ArgumentError(
            f'it has {len(message)} bytes; {MOST_BYTES} are allowed, and {MOST_POINTS} points'
        )
    gc.disable()  # it would search all these poses, again and again, and no tick could come
    try:
        rows = [
            (*place_of(pose.position), *(rotation_of(pose.orientation) if turns else ()))
            for pose in (each.pose for each in deserialize_message(message, Path).poses)
        ]
        return np.array(rows, dtype=float).reshape(-1, 7 if turns else 3)
    finally:
        gc.enable()


def place_of(point: Point | Vector3) -> Vector:
    """Return a point or a vector of a message."""
    return point.x, point.y, point.z


def rotation_of(orientation: Quaternion) -> tuple[float, float, float, float]:
    """Return a quaternion of a message: x, y, z, w."""
    return orientation.x, orientation.y, orientation.z, orientation.w


def _when_and_where(header: Header) -> dict[str, Any]:
    stamp = header.stamp
    return {'frame_id': header.frame_id, 'stamp': Stamp(stamp.sec, stamp.nanosec)}
