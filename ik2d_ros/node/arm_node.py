"""The ROS node: it stores, calls and publishes; what it answers is decided in ``answer``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import PointStamped
from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.time import Time
from rclpy.timer import Timer
from sensor_msgs.msg import JointState

from ik2d_ros.arm.plane import Vector, plane_from_pose
from ik2d_ros.node.answer import Answer, Target, answer
from ik2d_ros.node.marker_publisher import MarkerPublisher
from ik2d_ros.node.markers import AnsweredTarget, Snapshot
from ik2d_ros.node.outcome import Code, Level
from ik2d_ros.node.parameters import (
    DEFAULTS,
    PARAMETERS,
    Configuration,
    configuration_from_parameters,
    description,
    is_known,
    is_read_only,
    merged,
    unknown,
)
from ik2d_ros.node.report import Report
from ik2d_ros.parameters.checks import ConfigError, shown
from ik2d_ros.ros import qos
from ik2d_ros.ros.timers import timer_period

SECONDS_BETWEEN_LOGS = 1.0

# rclpy declares some of these on some distributions only.
ROS_PARAMETER_PREFIXES = ('use_sim_time', 'qos_overrides.', 'start_type_description_service')


class MissingJointsError(ConfigError):
    """The node was started without the parameter ``joints``.

    Attributes:
        node: full name of the node.
        given: names of the parameters that did reach it.
    """

    def __init__(self, node: str, given: Sequence[str]) -> None:
        super().__init__(f"parameter 'joints' is missing; node '{node}' was given {list(given)}")
        self.node = node
        self.given = tuple(given)


class ArmNode(Node):
    """Moves the tip of a planar arm to targets, and tells how that went.

    Raises:
        ConfigError: a parameter is refused; at construction only, a change at run time is
            answered with the message.
    """

    def __init__(self) -> None:
        # Undeclared parameters are allowed so that a mistyped one, or a field of the chain that
        # was not given at start-up, comes to our check and is not refused in rclpy's words.
        super().__init__('ik2d', allow_undeclared_parameters=True)
        self._values = self._read_parameters()
        self._configure(configuration_from_parameters(self._values))
        for name, value in self._values.items():
            self.declare_parameter(name, value, _descriptor(name))
        self._commanded = self._configuration.arm.home
        self._goal: _Goal | None = None
        self._shown_target: AnsweredTarget | None = None
        self._logged_code: Code | None = None
        self._logged_at = -SECONDS_BETWEEN_LOGS

        self._joint_states = self.create_publisher(JointState, 'joint_states', qos.EACH)
        self._status = self.create_publisher(DiagnosticArray, '~/status', qos.EACH_KEPT)
        self._query_status = self.create_publisher(DiagnosticArray, '~/query_status', qos.EACH)
        self.create_subscription(PointStamped, '~/target', self._on_target, qos.LATEST_BEST_EFFORT)
        self.create_subscription(PointStamped, '~/query', self._on_query, qos.EACH)
        self._timer = self._create_timer()
        self._markers = MarkerPublisher(self, self._snapshot)
        self._publish_pose()
        self._log_start()

    def _on_target(self, message: PointStamped) -> None:
        target, stamp = self._receive(message)
        result = self._answer(target)
        if result.accepted:
            self._goal = _Goal(target.point, stamp, result.report)
            self._command(result.positions)
        self._publish_status(result.report, stamp)

    def _on_query(self, message: PointStamped) -> None:
        target, stamp = self._receive(message)
        report = self._answer(target, moves=False).report
        self._query_status.publish(self._diagnostics(report, stamp))

    def set_parameters_atomically(self, parameter_list: list[Any]) -> SetParametersResult:
        """Judge a change as a whole, let rclpy store it, then act on it.

        Every change at run time, by a service or not, comes through here. rclpy's callbacks would
        not do: its own checks speak before them, in words that name neither value nor range, and
        a callback after the set does not exist on Humble.

        Args:
            parameter_list: the parameters to change; one without a value goes back to its default.
        """
        changes = {p.name: p.value for p in parameter_list if not self._belongs_to_ros(p.name)}
        try:
            values = merged(self._values, changes)
            configuration = configuration_from_parameters(values)
        except ConfigError as error:
            return SetParametersResult(successful=False, reason=str(error))
        stored = [
            Parameter(p.name, value=values[p.name]) if p.name in PARAMETERS else p
            for p in parameter_list
        ]
        result = super().set_parameters_atomically(stored)
        if not result.successful:
            theirs = [f"'{p.name}' to {shown(p.value)}" for p in stored if p.name not in changes]
            reason = f'ROS refuses to set {", ".join(theirs)}: {result.reason}'
            return SetParametersResult(successful=False, reason=reason)
        for name in values.keys() & changes.keys():
            self.set_descriptor(name, _descriptor(name))
        self._values = values
        self._reconfigure(configuration)
        return result

    def set_parameters(self, parameter_list: list[Any]) -> list[SetParametersResult]:
        """Set parameters one after the other, each judged beside the others as they stand."""
        return [self.set_parameters_atomically([parameter]) for parameter in parameter_list]

    def _read_parameters(self) -> dict[str, object]:
        """What the node was started with, and the defaults for the rest; not checked yet."""
        given = {
            # An empty list arrives without a type and hence without a value.
            name: [] if parameter.value is None else parameter.value
            for name, parameter in self._parameter_overrides.items()
            if not self._belongs_to_ros(name)
        }
        strangers = unknown(given)
        if strangers:
            self.get_logger().warning(f'ignored, for no parameters of mine: {", ".join(strangers)}')
        ours = {name: value for name, value in given.items() if is_known(name)}
        if 'joints' not in ours:
            raise MissingJointsError(self.get_fully_qualified_name(), list(ours))
        return {**DEFAULTS, **ours}

    def _belongs_to_ros(self, name: str) -> bool:
        """Whether a parameter is rclpy's own business."""
        return not is_known(name) and (
            self.has_parameter(name) or name.startswith(ROS_PARAMETER_PREFIXES)
        )

    def _configure(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._plane = plane_from_pose(configuration.arm.base_xyz, configuration.arm.base_rpy)

    def _reconfigure(self, configuration: Configuration) -> None:
        """Act on changed parameters: stay inside the limits, and solve for the last target anew."""
        before = self._configuration
        self._configure(configuration)
        if configuration.settings.publish_rate != before.settings.publish_rate:
            self.destroy_timer(self._timer)
            self._timer = self._create_timer()
        if configuration.solving == before.solving:
            return
        self._commanded = configuration.arm.clamped(self._commanded)
        if self._goal is None:
            self._publish_pose()
            return
        result = self._answer(Target(self._goal.point))
        self._command(result.positions)
        if not result.report.says_the_same(self._goal.report):
            self._goal = self._goal._replace(report=result.report)
            self._publish_status(result.report, self._goal.stamp)

    def _create_timer(self) -> Timer:
        period = timer_period(self._configuration.settings.publish_rate)
        return self.create_timer(period, self._publish_pose)

    def _receive(self, message: PointStamped) -> tuple[Target, Time]:
        """The target as plain data, and its stamp: the time of its arrival where it has none."""
        now = self.get_clock().now()
        stamp = Time.from_msg(message.header.stamp, clock_type=now.clock_type)
        if stamp.nanoseconds == 0:
            stamp = now
        point = message.point
        target = Target(
            point=(point.x, point.y, point.z),
            frame_id=message.header.frame_id,
            age=(now.nanoseconds - stamp.nanoseconds) * 1e-9,
        )
        return target, stamp

    def _answer(self, target: Target, moves: bool = True) -> Answer:
        return answer(target, self._configuration, self._plane, self._commanded, moves)

    def _command(self, positions: tuple[float, ...]) -> None:
        self._commanded = positions
        self._publish_pose()

    def _publish_pose(self) -> None:
        now = self.get_clock().now()
        if now.nanoseconds == 0:
            return  # Simulated time has not begun, and consumers drop a pose without a stamp.
        message = JointState()
        message.header.stamp = now.to_msg()
        message.name = list(self._configuration.arm.chain.names)
        message.position = self._commanded
        self._joint_states.publish(message)

    def _snapshot(self) -> Snapshot:
        return Snapshot(self._configuration.arm, self._plane, self._commanded, self._shown_target)

    def _publish_status(self, report: Report, stamp: Time) -> None:
        self._shown_target = AnsweredTarget(report.code, report.point, self._plane)
        self._status.publish(self._diagnostics(report, stamp))
        self._log(report)

    def _diagnostics(self, report: Report, stamp: Time) -> DiagnosticArray:
        message = DiagnosticArray()
        message.header.stamp = stamp.to_msg()
        message.header.frame_id = self._configuration.arm.base_frame
        status = DiagnosticStatus(
            level=bytes([report.code.level]),
            name='ik2d: reachability',
            message=report.message,
            hardware_id=self.get_fully_qualified_name(),
            values=[KeyValue(key=key, value=value) for key, value in report.values()],
        )
        message.status = [status]
        return message

    def _log(self, report: Report) -> None:
        """Tell of a change of code, at most once a second however fast targets come."""
        now = time.monotonic()
        if report.code is self._logged_code or now - self._logged_at < SECONDS_BETWEEN_LOGS:
            return
        if self._logged_code is None and report.code.level is Level.OK:
            return  # That all is well is news only after it was not.
        self._logged_code, self._logged_at = report.code, now
        text = f'{report.code.name}: {report.message}'
        if report.code.level is Level.OK:
            self.get_logger().info(text)
        else:
            self.get_logger().warning(text)

    def _log_start(self) -> None:
        arm = self._configuration.arm
        self.get_logger().info(
            f'ready: joints {", ".join(arm.chain.names)}; reach {arm.chain.reach.inner:.4g} m to '
            f'{arm.chain.reach.outer:.4g} m; targets on {self.resolve_topic_name("~/target")} '
            f"in frame '{arm.base_frame}'"
        )


class _Goal(NamedTuple):
    """The last target that was solved for, in the base frame, and what was said of it."""

    point: Vector
    stamp: Time
    report: Report


def _descriptor(name: str) -> ParameterDescriptor:
    what, allowed = description(name)
    return ParameterDescriptor(
        name=name,
        description=what,
        additional_constraints=allowed,
        read_only=is_read_only(name),
        # Our check judges types too: a whole number is welcome wherever a number is.
        dynamic_typing=True,
    )
