"""Targets with a direction, over the real middleware: poses, and the parameter ``tip_angle``."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import HAS_ROS, asking
from refusals import THREE, yaml_of
from transforms import Transforms, with_tf

if HAS_ROS:
    from diagnostic_msgs.msg import DiagnosticArray
    from geometry_msgs.msg import PointStamped, PoseStamped
    from rcl_interfaces.srv import SetParametersAtomically
    from rclpy.parameter import Parameter
    from sensor_msgs.msg import JointState

POINT = (0.3, 0.2, 0.0)


class Sender:
    """Sends targets to one node, each until it is answered."""

    def __init__(self, node: Any, spin_until: Callable[..., Any]) -> None:
        self.node, self._spin_until = node, spin_until
        self.last: dict[bool, dict[str, str]] = {}
        self.stamps: dict[bool, int] = {}
        self.poses: list[JointState] = []
        for query, topic in enumerate(('ik2d/status', 'ik2d/query_status')):
            node.create_subscription(
                DiagnosticArray, topic, lambda m, query=bool(query): self._hear(m, query), 10
            )
        node.create_subscription(JointState, 'joint_states', self.poses.append, 10)
        self._points = node.create_publisher(PointStamped, 'ik2d/target', 10)
        self._poses = node.create_publisher(PoseStamped, 'ik2d/target_pose', 10)
        self._queries = node.create_publisher(PointStamped, 'ik2d/query', 10)
        self._set = node.create_client(SetParametersAtomically, 'ik2d/set_parameters_atomically')
        self._stamp = 0

    def _hear(self, message: DiagnosticArray, query: bool) -> None:
        (status,) = message.status
        self.last[query] = {pair.key: pair.value for pair in status.values}
        self.last[query]['message'] = status.message
        self.stamps[query] = message.header.stamp.sec

    def _ask(self, publisher: Any, message: Any, query: bool = False) -> dict[str, str]:
        """Publish until the answer is there: discovery takes its time."""
        self._stamp += 1
        message.header.stamp.sec = self._stamp

        def is_answered() -> bool:
            publisher.publish(message)
            return self.stamps.get(query) == message.header.stamp.sec

        self.wait(is_answered, f'an answer to {message}')
        return self.last[query]

    def wait(self, predicate: Callable[[], Any], what: str) -> Any:
        return self._spin_until(self.node, predicate, what=what)

    def point(self, query: bool = False) -> dict[str, str]:
        message = PointStamped()
        message.point.x, message.point.y, message.point.z = POINT
        return self._ask(self._queries if query else self._points, message, query)

    def pose(self, angle: float, frame: str = '', length: float = 1.0) -> dict[str, str]:
        message = PoseStamped()
        message.header.frame_id = frame
        place, turn = message.pose.position, message.pose.orientation
        place.x, place.y, place.z = POINT
        turn.z, turn.w = length * math.sin(0.5 * angle), length * math.cos(0.5 * angle)
        return self._ask(self._poses, message)

    def set(self, **changes: float) -> Any:
        parameters = [Parameter(name, value=value) for name, value in changes.items()]
        request = SetParametersAtomically.Request(
            parameters=[parameter.to_parameter_msg() for parameter in parameters]
        )
        self.wait(self._set.service_is_ready, 'the service')
        return self.wait(asking(self._set, request), 'the answer of the service').result

    def is_told(self, angle: float, code: str = 'REACHED') -> bool:
        said = self.last.get(False, {})
        return said.get('code') == code and abs(float(said['angle']) - angle) <= 1e-6

    def heading(self) -> float:
        """The tip angle of the last pose: all joints of this arm turn the same way."""
        return sum(self.poses[-1].position)


def test_poses_and_the_parameter_set_the_tip_angle(
    ros_node: Any, start_process: Any, spin_until: Any, tmp_path: Path
) -> None:
    file = tmp_path / 'arm.yaml'
    file.write_text(yaml_of(THREE))
    process = start_process(
        '-m', 'ik2d_ros.node', '--ros-args', '--params-file', file, env=with_tf()
    )
    process.wait_for_output('ready')
    arm, transforms = Sender(ros_node, spin_until), Transforms(ros_node)

    # Whichever came last counts: a pose has its own angle, a point has none, or the parameter's.
    assert arm.pose(0.9)['code'] == 'REACHED'
    arm.wait(lambda: arm.poses and abs(arm.heading() - 0.9) <= 1e-6, 'the pose')
    assert float(arm.last[False]['angle_error']) <= 1e-6
    free = float(arm.point()['angle'])
    assert arm.last[False]['angle_error'] == '0.0'
    assert arm.set(tip_angle=free + 0.4).successful
    arm.wait(lambda: arm.is_told(free + 0.4), 'the same target anew, at the angle')
    arm.wait(lambda: abs(arm.heading() - free - 0.4) <= 1e-6, 'the pose')
    arm.pose(0.9)
    assert arm.is_told(0.9)
    assert arm.set(tip_angle=0.5).successful
    assert arm.is_told(0.9)  # the angle of the pose stays
    arm.point()
    assert arm.is_told(0.5)
    assert float(arm.point(query=True)['angle']) == float(arm.last[False]['angle'])

    refused = arm.pose(0.9, length=0.0)
    assert (refused['code'], refused['angle']) == ('INVALID_TARGET', 'nan')
    assert 'quaternion is (0, 0, 0, 0)' in refused['message']
    result = arm.set(tip_angle=math.inf)
    assert not result.successful
    assert "'tip_angle' is inf" in result.reason

    # A frame is turned by a quarter, and takes both position and orientation with it.
    transforms.place('camera', 0.5, 0.0, 0.0)
    arm.wait(lambda: arm.pose(-0.7, 'camera')['code'] == 'REACHED', 'the transform')
    assert arm.is_told(0.5 * math.pi - 0.7)
    said = arm.last[False]
    assert math.dist((float(said['x']), float(said['y'])), (0.3, 0.3)) <= 1e-6
