"""The ROS node behind ``ik2d_target``: a timer that publishes the next point of a path."""

from __future__ import annotations

import math
import time
from collections import deque
from typing import TypeAlias

from builtin_interfaces.msg import Time as TimeMessage
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Point, PointStamped, Pose, PoseStamped
from nav_msgs.msg import Path as PathMessage
from rclpy.parameter import Parameter
from rclpy.publisher import Publisher
from rclpy.time import Time
from std_msgs.msg import Header

from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.node.status import read
from ik2d_ros.parameters.table import Effect
from ik2d_ros.ros import qos
from ik2d_ros.ros.clock_watch import ClockWatch
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.ros.stamps import nanoseconds, stamp_at
from ik2d_ros.target.parameters import PARAMETERS, TargetSettings, settings_from_parameters

LAP_STEPS = 500  # from point to point of a lap that is sent as a path
PATIENCE = 2.0  # s for the answer to a lap; it is sent again, as it may have been too early
OWN = 1000  # published targets that are remembered, to recognise them when they are received

_Target: TypeAlias = PointStamped | PoseStamped
_TOPICS: dict[type[_Target], str] = {PointStamped: 'ik2d/target', PoseStamped: 'ik2d/target_pose'}


class TargetNode(ParameterNode[TargetSettings]):
    """Publishes targets along a path on ``ik2d/target`` or ``ik2d/target_pose``, or whole laps.

    Raises:
        ConfigError: a parameter is refused; at construction only, a change at run time is
            answered with the message.
    """

    def __init__(self) -> None:
        """Read the parameters and start publishing."""
        super().__init__('ik2d_target', PARAMETERS, settings_from_parameters)
        self._laps = 0.0
        self._lap_sent = 0  # ns, stamp of the path that is followed
        self._lap_resent_at = 0.0  # s on the monotonic clock; inf once the path is answered
        self._last: Time | None = None
        self._outputs: dict[type[_Target], Publisher] = {}
        self._own: deque[tuple[int, int]] = deque(maxlen=OWN)
        for kind, topic in _TOPICS.items():
            how = qos.overridable(qos.LATEST)
            self._outputs[kind] = self.create_publisher(kind, topic, **how)
            # A deep queue: a click must not be lost among our own targets.
            how = qos.overridable(qos.ALL)
            self.create_subscription(kind, topic, self._on_target, **how)
        self._timer = self.create_timer(1.0 / self.settings.rate, self._publish)
        self._paths = self.create_publisher(PathMessage, 'ik2d/path', qos.LATEST)
        self.create_subscription(DiagnosticArray, 'ik2d/status', self._on_status, qos.EACH)
        self._clock_watch = ClockWatch(self)
        self._log_start()

    def on_change(self, effects: frozenset[Effect]) -> None:
        """Apply the new settings."""
        del effects
        self._lap_resent_at = 0.0
        self._timer.timer_period_ns = round(1e9 / self.settings.rate)
        self._timer.reset()

    def _publish(self) -> None:
        if self.settings.paused:
            self._last = None
            return
        now = self.get_clock().now()
        stamp = stamp_at(now.nanoseconds)
        if stamp == TimeMessage():
            return  # simulated time is beyond the range of a stamp
        if self.settings.as_path:
            self._send_lap(stamp)
            return
        place = self.settings.place_after(self._drive(now))
        message = self._message(place)
        message.header.stamp = stamp
        message.header.frame_id = self.settings.frame_id
        self._own.append((stamp.sec, stamp.nanosec))
        self._outputs[type(message)].publish(message)
        self.debug(lambda: f'target {place}')

    def _send_lap(self, stamp: TimeMessage) -> None:
        """Publish a lap as a path, unless another one is followed."""
        if time.monotonic() < self._lap_resent_at or not self._paths.get_subscription_count():
            return
        self._lap_sent, self._lap_resent_at = nanoseconds(stamp), time.monotonic() + PATIENCE
        places = (self.settings.place_after(i / LAP_STEPS) for i in range(LAP_STEPS + 1))
        poses = [PoseStamped(pose=Pose(position=Point(x=x, y=y, z=z))) for x, y, z in places]
        header = Header(stamp=stamp, frame_id=self.settings.frame_id)
        self._paths.publish(PathMessage(header=header, poses=poses))

    def _on_status(self, message: DiagnosticArray) -> None:
        if nanoseconds(message.header.stamp) == self._lap_sent:
            is_passed = read(message.status[0]).at_goal
            self._lap_resent_at = 0.0 if is_passed else math.inf

    def _message(self, place: Vector) -> _Target:
        """Return a target, without its header."""
        if math.isnan(self.settings.angle):
            target = PointStamped()
            target.point.x, target.point.y, target.point.z = place
            return target
        posed = PoseStamped()
        position, turn = posed.pose.position, posed.pose.orientation
        position.x, position.y, position.z = place
        turn.x, turn.y, turn.z, turn.w = self.settings.plane.quaternion(self.settings.angle)
        return posed

    def _log_start(self) -> None:
        settings = self.settings
        frame = f"frame '{settings.frame_id}'" if settings.frame_id else 'the frame of the arm'
        kind = PointStamped if math.isnan(settings.angle) else PoseStamped
        self.get_logger().info(
            f'publishing {settings.path} at {settings.rate:g} Hz '
            f'on {self._outputs[kind].topic_name} '
            f'in {frame}{", paused" if settings.paused else ""}'
        )

    def _on_target(self, message: _Target) -> None:
        """Pause when another node publishes a target, by setting the parameter ``paused``."""
        stamp = message.header.stamp
        is_own = (stamp.sec, stamp.nanosec) in self._own
        if is_own or self.settings.paused or not self.settings.yields:
            return
        self.set_parameters([Parameter('paused', value=True)])
        # A target of this node may have been published after it: republish it, so it comes last.
        publisher = self._outputs[type(message)]
        publisher.publish(message)
        self.get_logger().info(
            f'paused: another node publishes on {publisher.topic_name}; to resume: '
            f'ros2 param set {self.get_fully_qualified_name()} paused false'
        )

    def _drive(self, now: Time) -> float:
        """Advance and return the laps; a new period changes the speed, not the position."""
        if self._last is not None:
            elapsed = (now.nanoseconds - self._last.nanoseconds) * 1e-9
            self._laps += max(0.0, elapsed) / self.settings.period  # clocks may jump back
        self._last = now
        return self._laps
