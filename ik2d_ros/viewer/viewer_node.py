"""The ROS side of ``ik2d_viewer``: passes messages to the controller and executes its commands.

The page calls from its own threads and only queues requests; everything else happens in the thread
that spins the node.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

import numpy as np
from builtin_interfaces.msg import Time as TimeMessage
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PointStamped, PoseStamped
from nav_msgs.msg import Path as PathMessage
from rclpy.clock import Clock, ClockType
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from ik2d_ros.arm.area import reach_area
from ik2d_ros.arm.background_area import BackgroundArea
from ik2d_ros.arm.body import swept_body
from ik2d_ros.kinematics import Arm, Chain
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.node.status import read
from ik2d_ros.pilot.parameters import FLEET_PARAMETERS
from ik2d_ros.pilot.parameters import PARAMETERS as NODE_PARAMETERS
from ik2d_ros.ros import qos
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.ros.stamps import stamp_at
from ik2d_ros.viewer.controller import (
    ARM,
    DEMO,
    PATH,
    Call,
    Command,
    Controller,
    PublishJoint,
    PublishPath,
    PublishTarget,
)
from ik2d_ros.viewer.page import Page
from ik2d_ros.viewer.parameters import (
    PARAMETERS,
    ViewerSettings,
    joint_states_topic,
    settings_from_parameters,
)
from ik2d_ros.viewer.requests import Requests
from ik2d_ros.viewer.view import Area
from ik2d_ros.viewer.watched import Watched

WATCH_PERIOD = 0.2  # s between checks whether the nodes are available
ERROR_PERIOD = 10.0  # s between errors of connections in the log
SHOW_PERIOD = 0.03  # s between updates of the page

NO_AREA = Area(np.empty((0, 2)), np.empty((0, 3), dtype=np.int64))


class ViewerNode(ParameterNode[ViewerSettings]):
    """Shows a running ``ik2d_node`` on a page where its target can be dragged.

    Raises:
        ConfigError: a parameter is refused, or viser is not installed.
    """

    _page: Page | None = None  # rclpy may destroy a node that failed before it opened its page

    def __init__(self) -> None:
        """Open the page and wait for the node."""
        super().__init__(
            'ik2d_viewer',
            PARAMETERS,
            settings_from_parameters,
            neighbours=[NODE_PARAMETERS, FLEET_PARAMETERS],
        )
        settings = self.settings
        name = self.resolve_service_name(f'{settings.node}/home').rpartition('/')[0]
        self._controller = controller = Controller(name)
        self._watched = {
            ARM: Watched(self, settings.node, controller.on_arm),
            PATH: Watched(self, settings.target_node, controller.on_demo),
            DEMO: Watched(self, settings.demo_node, controller.on_choice),
        }
        self._areas: BackgroundArea[Chain | Arm, Area] = BackgroundArea(
            _area, NO_AREA, self.get_logger().error
        )
        self._requests = Requests(self.create_guard_condition(self._on_requests).trigger)
        self._page = page = Page(settings, name, self._requests.put, self._on_page_error)
        self._show = page.show
        self._listen(settings.node)
        self.create_subscription(
            JointState, settings.measured_topic, self._on_measured, qos.LATEST_BEST_EFFORT
        )
        # The page keeps updating while simulated time stands still.
        clock = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(WATCH_PERIOD, self._watch, clock=clock)
        self.create_timer(SHOW_PERIOD, self._on_show_timer, clock=clock)
        self._watch()
        if settings.port not in (page.port, 0):
            self.get_logger().warning(f'port {settings.port} is taken')
        self.get_logger().info(f'showing {name} at {page.address}')
        if page.token:
            self.get_logger().warning(
                'other machines can open this page too: anyone who has its address with the token '
                'can move the arm; without the token nobody can connect'
            )

    def destroy_node(self) -> None:
        """Close the page, then the node."""
        page, self._page = self._page, None  # some executors destroy their nodes, too
        if page is not None:
            page.close()
        super().destroy_node()

    def _listen(self, node: str) -> None:
        self._calls = {
            name: self.create_client(Trigger, f'{node}/{name}') for name in ('home', 'stop')
        }
        topic = f'{node}/target'
        how = qos.overridable(qos.LATEST)
        self._targets = self.create_publisher(PointStamped, topic, **how)
        self._joint_targets = self.create_publisher(JointState, f'{node}/joint_target', qos.LATEST)
        self.create_subscription(
            JointState, joint_states_topic(node), self._on_joint_states, qos.LATEST_BEST_EFFORT
        )
        self.create_subscription(
            DiagnosticArray, f'{node}/status', self._on_status, qos.LATEST_KEPT
        )
        self._asked: tuple[TimeMessage, Sequence[Vector]] = TimeMessage(), ()
        self._paths = self.create_publisher(PathMessage, f'{node}/path', qos.LATEST)
        self._path_queries = self.create_publisher(PathMessage, f'{node}/query_path', qos.EACH)
        self.create_subscription(
            DiagnosticArray, f'{node}/query_status', self._on_verdict, qos.EACH
        )

    def _on_page_error(self, error: str) -> None:
        self.get_logger().error(
            f'a connection to the page: {error}', throttle_duration_sec=ERROR_PERIOD
        )

    # --- from the page ---------------------------------------------------------------------------

    def _on_requests(self) -> None:
        for request in self._requests.take():
            for command in self._controller.answer(request, time.monotonic()):
                self._carry_out(command)

    def _carry_out(self, command: Command) -> None:
        if isinstance(command, PublishTarget):
            message = PointStamped()
            message.header.stamp = self._now()
            message.header.frame_id = command.frame
            message.point.x, message.point.y, message.point.z = command.point
            self._targets.publish(message)
        elif isinstance(command, PublishPath):
            self._publish_path(command)
        elif isinstance(command, PublishJoint):
            joint = JointState(name=[command.name], position=[command.position])
            joint.header.stamp = self._now()
            self._joint_targets.publish(joint)
        elif isinstance(command, Call):
            if command.service not in self._calls:
                service = f'{self.settings.node}/{command.service}'
                self._calls[command.service] = self.create_client(Trigger, service)
            self._calls[command.service].call_async(Trigger.Request())  # the status tells more
        else:
            then = partial(self._controller.on_answer, command)
            self._watched[command.node].write(command.name, command.value, then)

    def _publish_path(self, path: PublishPath) -> None:
        message = PathMessage()
        message.header.frame_id = path.frame
        message.header.stamp = self._now()
        for place in path.points:
            pose = PoseStamped()
            point = pose.pose.position
            point.x, point.y, point.z = place
            message.poses.append(pose)
        if path.moves:
            self._paths.publish(message)
            return
        self._asked = message.header.stamp, path.points
        self._path_queries.publish(message)

    def _now(self) -> TimeMessage:
        """Return the stamp of now; none, which means the same, if time is beyond its range."""
        return stamp_at(self.get_clock().now().nanoseconds) or TimeMessage()

    # --- from ROS --------------------------------------------------------------------------------

    def _on_joint_states(self, message: JointState) -> None:
        self._controller.on_positions(message.name, message.position)

    def _on_measured(self, message: JointState) -> None:
        self._controller.on_measured(message.name, message.position, time.monotonic())

    def _on_status(self, message: DiagnosticArray) -> None:
        for status in message.status[:1]:
            self._controller.on_status(read(status), time.monotonic())
        for status in message.status[1:]:
            self._controller.on_held({pair.key: pair.value for pair in status.values})

    def _on_verdict(self, message: DiagnosticArray) -> None:
        stamp, points = self._asked
        if message.header.stamp == stamp:  # else it is the answer to somebody else
            for status in message.status[:1]:
                self._controller.on_verdict(read(status), points)

    def _watch(self) -> None:
        for watched in self._watched.values():
            watched.watch()

    # --- to the page -----------------------------------------------------------------------------

    def _on_show_timer(self) -> None:
        arm = self._controller.arm
        if arm is not None:
            area = self._areas.of(arm.chain if arm.carrier is None else arm.kinematics)
            if area is not None:
                self._controller.on_area(arm, area)
        self._show(self._controller.view(time.monotonic()))


def _area(of: Chain | Arm) -> Area:
    if isinstance(of, Chain):
        return Area(*reach_area(of)[:2])
    return Area(*reach_area(of.chain)[:2], swept_body(of))
