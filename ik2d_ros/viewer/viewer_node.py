"""The ROS side of ``ik2d_viewer``: passes messages to the controller and executes its commands."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from builtin_interfaces.msg import Time as TimeMessage
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Point as PointMessage
from geometry_msgs.msg import PointStamped, Pose, PoseStamped
from nav_msgs.msg import Path as PathMessage
from rclpy.clock import Clock, ClockType
from sensor_msgs.msg import JointState
from std_msgs.msg import Header
from std_srvs.srv import Trigger

from ik2d_ros.node.status import read, read_held
from ik2d_ros.pilot.parameters import OF_ANY_NODE
from ik2d_ros.pilot.request import Home, Joints, NamedPose, Path, Point, Query, Stop, Target
from ik2d_ros.ros import qos
from ik2d_ros.ros.other_nodes import RemoteParameters
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.ros.stamps import stamp_at
from ik2d_ros.viewer.controller import ARM, PATH, Command, SetParameter
from ik2d_ros.viewer.page import SHOW_PERIOD, Front
from ik2d_ros.viewer.parameters import PARAMETERS, ViewerSettings, settings_from_parameters

WATCH_PERIOD = 0.2  # s between checks whether the nodes are available
ERROR_PERIOD = 10.0  # s between errors of connections in the log


class ViewerNode(ParameterNode[ViewerSettings]):
    """Shows a running ``ik2d_node`` on a page where its target can be dragged.

    Raises:
        ConfigError: a parameter is refused, or viser is not installed.
    """

    ignored = OF_ANY_NODE

    def __init__(self) -> None:
        """Open the page and wait for the node."""
        super().__init__('ik2d_viewer', PARAMETERS, settings_from_parameters)
        settings, logger = self.settings, self.get_logger()
        name = self.resolve_service_name(f'{settings.node}/home').rpartition('/')[0]
        on_error = partial(logger.error, throttle_duration_sec=ERROR_PERIOD)
        self._front = front = Front(settings, name, self._ring, on_error)
        self._controller = controller = front.controller
        self._watched = {
            ARM: RemoteParameters(self, settings.node, controller.on_arm),
            PATH: RemoteParameters(self, settings.target_node, controller.on_demo),
        }
        self._listen(settings.node)
        self.create_subscription(
            JointState, settings.measured_topic, self._on_measured, qos.LATEST_BEST_EFFORT
        )
        # The page keeps updating while simulated time stands still.
        clock = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(WATCH_PERIOD, self._watch, clock=clock)
        self.create_timer(SHOW_PERIOD, front.show, clock=clock)
        self._watch()
        page, self.address = front.page, front.page.address
        if settings.port not in (page.port, 0):
            logger.warning(f'port {settings.port} is taken')
        logger.info(f'showing {name} at {page.address}')
        if page.token:
            logger.warning(
                'other machines can open this page too: anyone who has its address with the token '
                'can move the arm; without the token nobody can connect'
            )

    def stop(self) -> bool:
        """Close the page, while there is an executor for what it asks."""
        self._front.page.close()
        return True

    def _listen(self, node: str) -> None:
        self._calls: dict[str, Any] = {}
        for name in ('home', 'stop'):
            self._client(name)
        how = qos.overridable(qos.LATEST)
        self._targets = self.create_publisher(PointStamped, f'{node}/target', **how)
        self._joint_targets = self.create_publisher(JointState, f'{node}/joint_target', qos.LATEST)
        states = f'{"".join(node.rpartition("/")[:2])}joint_states'  # in its namespace
        self.create_subscription(JointState, states, self._on_joint_states, qos.LATEST_BEST_EFFORT)
        self.create_subscription(
            DiagnosticArray, f'{node}/status', self._on_status, qos.LATEST_KEPT
        )
        self._asked: tuple[TimeMessage, Path] | None = None
        self._paths = self.create_publisher(PathMessage, f'{node}/path', qos.LATEST)
        self._path_queries = self.create_publisher(PathMessage, f'{node}/query_path', qos.EACH)
        self.create_subscription(
            DiagnosticArray, f'{node}/query_status', self._on_verdict, qos.EACH
        )

    def _ring(self) -> None:
        """Have the executor answer requests; if there is none yet, they wait for it."""
        if self.executor is not None:
            self.executor.create_task(self.guarded(self._answer))

    def _answer(self) -> None:
        self._front.answer(self._carry_out)

    def _carry_out(self, command: Command) -> None:
        """Send a command on its way; what comes of it, the status tells."""
        match command:
            case SetParameter(node, name, value):
                then = partial(self._controller.on_answer, command)
                self._watched[node].write(name, value, then)
            case Point((x, y, z)):
                place = PointMessage(x=x, y=y, z=z)
                self._targets.publish(PointStamped(header=self._header(command), point=place))
            case Joints(names, positions):
                joints = JointState(header=self._header(command), name=names, position=positions)
                self._joint_targets.publish(joints)
            case Path():
                self._paths.publish(self._path_message(command))
            case Query(Path() as path):
                message = self._path_message(path)
                self._asked = message.header.stamp, path
                self._path_queries.publish(message)
            case Home() | Stop():
                self._client(type(command).__name__.lower()).call_async(Trigger.Request())
            case NamedPose(name):
                self._client(f'poses/{name}').call_async(Trigger.Request())

    def _client(self, name: str) -> Any:
        if name not in self._calls:
            self._calls[name] = self.create_client(Trigger, f'{self.settings.node}/{name}')
        return self._calls[name]

    def _path_message(self, path: Path) -> PathMessage:
        places = (PointMessage(x=x, y=y, z=z) for x, y, z in path.points().tolist())
        poses = [PoseStamped(pose=Pose(position=place)) for place in places]
        return PathMessage(header=self._header(path), poses=poses)

    def _header(self, target: Target) -> Header:
        # No stamp, where time is beyond its range, means now, too.
        stamp = stamp_at(self.get_clock().now().nanoseconds)
        return Header(frame_id=target.frame_id, stamp=stamp)

    # --- from ROS --------------------------------------------------------------------------------

    def _on_joint_states(self, message: JointState) -> None:
        self._controller.on_positions(message.name, message.position)

    def _on_measured(self, message: JointState) -> None:
        self._controller.on_measured(message.name, message.position, time.monotonic())

    def _on_status(self, message: DiagnosticArray) -> None:
        for status in message.status[:1]:
            self._controller.on_status(read(status), time.monotonic())
        for status in message.status[1:]:
            self._controller.on_held(read_held(status)[0])

    def _on_verdict(self, message: DiagnosticArray) -> None:
        if self._asked is None or message.header.stamp != self._asked[0]:
            return  # it is the answer to somebody else
        for status in message.status[:1]:
            self._controller.on_verdict(read(status), self._asked[1])

    def _watch(self) -> None:
        self._answer()  # to what was asked before there was an executor
        for watched in self._watched.values():
            watched.tick()
