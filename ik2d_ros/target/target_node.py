"""The ROS node behind ``ik2d_target``: a timer that publishes the next point of a path."""

from __future__ import annotations

from collections import deque

from builtin_interfaces.msg import Time as TimeMessage
from geometry_msgs.msg import Point, PointStamped
from rclpy.parameter import Parameter
from rclpy.time import Time
from sensor_msgs.msg import JointState
from visualization_msgs.msg import InteractiveMarkerFeedback

from ik2d_ros.control.settings import HOLD_LIMITS
from ik2d_ros.pilot.parameters import OF_ANY_NODE
from ik2d_ros.ros import qos
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.ros.stamps import stamp_at
from ik2d_ros.target.demo_path import PARAMETERS, RATE, DemoGripper, DemoPath

OWN = 1000  # published targets that are remembered, to recognise them when they are received


class TargetNode(ParameterNode[DemoPath]):
    """Publishes targets along a path, until another node does or the handle in RViz is in use."""

    ignored = OF_ANY_NODE

    def __init__(self) -> None:
        """Read the parameters and start publishing."""
        super().__init__('ik2d_target', PARAMETERS, PARAMETERS.judge(DemoPath))
        self._gripper = DemoGripper(HOLD_LIMITS.of_joints(self._values))
        self._laps = 0.0
        self._last: Time | None = None
        self._own: deque[tuple[int, int]] = deque(maxlen=OWN)
        self._targets = self.create_publisher(PointStamped, 'ik2d/target', qos.LATEST)
        self._joints = self.create_publisher(JointState, 'ik2d/joint_target', qos.LATEST)
        # A deep queue: a click must not be lost among our own targets.
        self.create_subscription(PointStamped, 'ik2d/target', self._on_target, qos.ALL)
        handle = 'ik2d/handle/feedback'
        self.create_subscription(
            InteractiveMarkerFeedback,
            handle,
            lambda _: self._pause('the handle is in use'),
            qos.EACH,
        )
        self.create_timer(1.0 / RATE, self._publish)
        self.get_logger().info(f'publishing {self.settings.path} on {self._targets.topic_name}')

    def _publish(self) -> None:
        if self.settings.paused:
            self._last = None
            return
        now = self.get_clock().now()
        stamp = stamp_at(now.nanoseconds)
        if stamp == TimeMessage():
            return  # simulated time is beyond the range of a stamp
        if self._last is not None:  # a new period changes the speed, not the position
            elapsed = (now.nanoseconds - self._last.nanoseconds) * 1e-9
            self._laps += max(0.0, elapsed) / self.settings.period  # clocks may jump back
        self._last = now
        x, y, z = self.settings.place_after(self._laps)
        message = PointStamped(point=Point(x=x, y=y, z=z))
        message.header.stamp = stamp  # without a frame: the base frame of the arm
        self._own.append((stamp.sec, stamp.nanosec))
        self._targets.publish(message)
        if goals := self._gripper.goals(self._laps):
            self._joints.publish(JointState(name=[*goals], position=[*goals.values()]))

    def _on_target(self, message: PointStamped) -> None:
        """Pause when another node publishes a target."""
        stamp = message.header.stamp
        if (stamp.sec, stamp.nanosec) in self._own:
            return
        if self._pause(f'another node publishes on {self._targets.topic_name}'):
            # A target of this node may have been published after it: so it comes last.
            self._targets.publish(message)

    def _pause(self, reason: str) -> bool:
        """Pause, and return whether the path was on its way."""
        if self.settings.paused:
            return False
        self.set_parameters([Parameter('paused', value=True)])
        name = self.get_fully_qualified_name()
        self.get_logger().info(f'paused: {reason}; to resume: ros2 param set {name} paused false')
        return True
