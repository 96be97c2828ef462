"""The ROS node behind ``ik2d_target``: a timer that publishes the next point of a path."""

from __future__ import annotations

from collections import deque
from typing import Any

from geometry_msgs.msg import PointStamped
from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.time import Time

from ik2d_ros.arm.plane import plane_from_pose
from ik2d_ros.node import parameters as arm_parameters
from ik2d_ros.parameters.checks import ConfigError, closest
from ik2d_ros.ros import qos
from ik2d_ros.ros.timers import timer_period
from ik2d_ros.target.parameters import PARAMETERS, TargetSettings, settings_from_parameters
from ik2d_ros.target.paths import point_at

OWN = 1000  # targets of our own that are still known as such when they come back

FOREIGN = ('use_sim_time', 'start_type_description_service', 'qos_overrides.')


class TargetNode(Node):
    """Publishes targets along a path on ``ik2d/target``.

    Raises:
        ConfigError: a parameter is refused (construction only; later sets are answered with it).
    """

    def __init__(self) -> None:
        """Read the parameters and begin."""
        super().__init__('ik2d_target', automatically_declare_parameters_from_overrides=True)
        self._declare()
        self._settings = self._checked([])
        self._plane = plane_from_pose(self._settings.base_xyz, self._settings.base_rpy)
        self._laps = 0.0
        self._last: Time | None = None
        self._targets = self.create_publisher(PointStamped, 'ik2d/target', qos.LATEST)
        self._timer = self._create_timer()
        self._own: deque[tuple[int, int]] = deque(maxlen=OWN)
        self._said_again: PointStamped | None = None  # what is about to come back to us
        self._others = self._create_listener()

    def set_parameters_atomically(self, parameter_list: list[Parameter]) -> SetParametersResult:
        """Judge a change as a whole, let rclpy store it, then act on it."""
        try:
            settings = self._checked(parameter_list)
        except ConfigError as error:
            return SetParametersResult(successful=False, reason=str(error))
        result = super().set_parameters_atomically(parameter_list)
        if result.successful and hasattr(self, '_timer'):
            self._act_on(settings)
        return result

    def set_parameters(self, parameter_list: list[Parameter]) -> list[SetParametersResult]:
        """Set parameters one by one."""
        return [self.set_parameters_atomically([parameter]) for parameter in parameter_list]

    def _publish(self) -> None:
        if self._settings.paused:
            self._last = None
            return
        now = self.get_clock().now()
        message = PointStamped()
        message.header.stamp = now.to_msg()
        message.header.frame_id = self._settings.frame_id
        place = point_at(
            self._settings.path,
            self._drive(now),
            self._settings.center,
            self._settings.size,
            self._settings.seed,
        )
        message.point.x, message.point.y, message.point.z = self._plane.point(*place)
        self._own.append((message.header.stamp.sec, message.header.stamp.nanosec))
        self._targets.publish(message)

    def _on_target(self, message: PointStamped) -> None:
        """Make way for whoever else has a target; a parameter says so, and can take it back."""
        if message == self._said_again:
            self._said_again = None
            return
        stamp = message.header.stamp
        if (stamp.sec, stamp.nanosec) in self._own or self._settings.paused:
            return
        self.set_parameters([Parameter('paused', value=True)])
        # One of our own may have gone out after it; said again from here, it comes after them all.
        self._said_again = message
        self._targets.publish(message)
        self.get_logger().info(
            f'paused, for someone else publishes on {self._targets.topic_name}; to go on: '
            f'ros2 param set {self.get_fully_qualified_name()} paused false'
        )

    def _drive(self, now: Time) -> float:
        """Laps driven by now; counted up, so that a new period changes the speed, not the place."""
        if self._last is not None:
            elapsed = (now.nanoseconds - self._last.nanoseconds) * 1e-9
            self._laps += max(0.0, elapsed) / self._settings.period  # clocks may be set back
        self._last = now
        return self._laps

    def _act_on(self, settings: TargetSettings) -> None:
        before, self._settings = self._settings, settings
        self._plane = plane_from_pose(settings.base_xyz, settings.base_rpy)
        if settings.rate != before.rate:
            self.destroy_timer(self._timer)
            self._timer = self._create_timer()
        if settings.yields != before.yields:
            if self._others is not None:
                self.destroy_subscription(self._others)
            self._others = self._create_listener()

    def _create_timer(self) -> Any:
        return self.create_timer(timer_period(self._settings.rate), self._publish)

    def _create_listener(self) -> Any:
        if not self._settings.yields:
            return None
        # Deep, so that a click is not lost among our own.
        return self.create_subscription(
            PointStamped, 'ik2d/target', self._on_target, qos.ALL_BEST_EFFORT
        )

    def _checked(self, changes: list[Parameter]) -> TargetSettings:
        """The settings, were these changes made."""
        current = {name: self.get_parameter(name).value for name in PARAMETERS}
        changed = {parameter.name: parameter.value for parameter in changes}
        missing = [name for name, value in changed.items() if name in PARAMETERS and value is None]
        if missing:
            raise ConfigError(f"parameter '{missing[0]}' cannot be taken away, only changed")
        return settings_from_parameters(current | changed)

    def _declare(self) -> None:
        given = self.get_parameters_by_prefix('')
        for name, row in PARAMETERS.items():
            # Dynamic, so that an integer goes for a number; the table's check has the last word.
            descriptor = ParameterDescriptor(description=row.description, dynamic_typing=True)
            if name in given:
                self.set_descriptor(name, descriptor)
            else:
                self.declare_parameter(name, row.default, descriptor)
        for name in given:
            # The arm's parameters arrive here too where one file is for any node ('/**').
            is_arm = arm_parameters.PARAMETERS.is_known(name)
            if name not in PARAMETERS and not is_arm and not name.startswith(FOREIGN):
                self.get_logger().warning(
                    f"there is no parameter '{name}'; valid are {', '.join(PARAMETERS)}"
                    f'{closest(name, PARAMETERS)}'
                )
