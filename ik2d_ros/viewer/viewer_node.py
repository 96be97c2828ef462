"""The ROS node behind ``ik2d_viewer``: what it hears goes to the page, what is done there to ROS.

The page calls from threads of its own. All it does is to put a request into a queue; everything
else happens in the thread that spins the node.
"""

from __future__ import annotations

import contextlib
import io
import logging
import queue
import time
from collections.abc import Callable
from functools import partial
from math import isfinite, nan
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PointStamped
from rcl_interfaces.msg import ParameterEvent
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from sensor_msgs.msg import JointState

from ik2d_ros.arm.area import reach_area
from ik2d_ros.arm.plane import Plane, plane_from_pose
from ik2d_ros.node.outcome import Level
from ik2d_ros.node.parameters import PARAMETERS as NODE_PARAMETERS
from ik2d_ros.node.parameters import Configuration, configuration_from_parameters
from ik2d_ros.node.report import read
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.ros import qos
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.ros.remote_parameters import Parameters, RemoteParameters
from ik2d_ros.viewer.panel import DEMO_PATH, MOUSE, READY_COLOUR, Controls, Panel, Requests, Words
from ik2d_ros.viewer.parameters import (
    PARAMETERS,
    ViewerSettings,
    free_port,
    joint_states_topic,
    settings_from_parameters,
    url,
)
from ik2d_ros.viewer.scene import Scene

WATCH_PERIOD = 0.2  # s between looks at whether the nodes are there
READ_PERIOD = 1.0  # s between readings of their parameters, which also show that they live
PANEL_PERIOD = 0.05  # s between changes of the panel
FRAME_PERIOD = 0.004  # s at least between drawings of the arm, however fast poses come
DRAG_SILENCE = 3.0  # s after which a drag that never ended is over: its browser is gone


class ViewerNode(ParameterNode[ViewerSettings]):
    """Shows a running ``ik2d_node`` on a page and lets people move its target.

    Raises:
        ConfigError: a parameter is refused, or viser is not installed.
    """

    _server: Any = None  # rclpy may destroy a node that did not even come to open its page

    def __init__(self) -> None:
        """Open the page and wait for the node."""
        super().__init__(
            'ik2d_viewer', PARAMETERS, settings_from_parameters, neighbours=[NODE_PARAMETERS]
        )
        self._server = _serve(self.settings.host, self.settings.port)
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._bell = self.create_guard_condition(self._work)
        self._scene = Scene(self._server, partial(self._from_page, self._on_drag))
        node = self.settings.node
        self._arm_node = _Watched(self, node, self._on_arm_parameters)
        self._target_node = _Watched(self, self.settings.target_node, self._on_target_parameters)
        requests = Requests(
            solver=partial(self._from_page, self._on_parameter, 'solver'),
            bend=partial(self._from_page, self._on_parameter, 'bend'),
            source=partial(self._from_page, self._on_source),
            home=partial(self._from_page, self._on_home),
        )
        self._panel = Panel(self._server, requests, self._arm_node.full_name)
        self._configuration: Configuration | None = None
        self._plane: Plane | None = None
        self._paused: bool | None = None  # of the demo path; None where there is none
        self._target: tuple[float, float] | None = None
        self._positions: tuple[float, ...] | None = None
        self._drawn: tuple[float, ...] | None = None  # the positions that the scene shows
        self._tabled: tuple[float, ...] | None = None  # those that the panel shows
        self._drawn_at = 0.0
        self._dragged_at = -DRAG_SILENCE
        self._words: Words | None = None  # the node's last status
        self._trouble: Words | None = None  # which goes before it

        self._targets = self.create_publisher(PointStamped, f'{node}/target', qos.LATEST)
        self.create_subscription(
            JointState, joint_states_topic(node), self._on_joint_states, qos.LATEST_BEST_EFFORT
        )
        self.create_subscription(
            DiagnosticArray, f'{node}/status', self._on_status, qos.LATEST_KEPT
        )
        self.create_subscription(
            PointStamped, f'{node}/target', self._on_target, qos.LATEST_BEST_EFFORT
        )
        self.create_subscription(
            ParameterEvent, '/parameter_events', self._on_parameter_event, qos.ALL
        )
        self._lose('')
        clock = Clock(clock_type=ClockType.STEADY_TIME)  # the page goes on while a simulation rests
        self.create_timer(WATCH_PERIOD, self._watch, clock=clock)
        self.create_timer(PANEL_PERIOD, self._refresh, clock=clock)
        self._watch()
        self._log_start()

    def destroy_node(self) -> None:
        """Close the page, then the node."""
        if self._server is not None:
            _quietly(self._server.stop)
        super().destroy_node()

    # --- from the page ---------------------------------------------------------------------------

    def _from_page(self, act: Callable[..., None], *arguments: Any) -> None:
        """Leave something to do to the thread of the node."""
        self._inbox.put(partial(act, *arguments))
        self._bell.trigger()

    def _work(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._inbox.get_nowait()()

    def _on_drag(self, phase: str, x: float, y: float) -> None:
        self._dragged_at = -DRAG_SILENCE if phase == 'end' else time.monotonic()
        if phase == 'update':
            self._take_over()
            self._publish_target(x, y)

    def _on_home(self) -> None:
        if self._configuration is not None:
            self._take_over()
            arm = self._configuration.arm
            x, y = arm.chain.forward(arm.home)[-1].tolist()
            self._publish_target(x, y)
            self._scene.show_target(x, y)

    def _on_parameter(self, name: str, value: str) -> None:
        def then(refusal: str | None) -> None:
            self._panel.show_refusal(refusal or '')
            if refusal is not None:
                self._show_controls()  # the one that was moved goes back
            self._arm_node.read_now()

        self._arm_node.parameters.write(name, value, then)

    def _on_source(self, source: str) -> None:
        self._pause(source == MOUSE)

    def _take_over(self) -> None:
        """From now on the mouse moves the target, not the demo path."""
        if self._paused is False:
            self._pause(True)

    def _pause(self, paused: bool) -> None:
        def then(refusal: str | None) -> None:
            self._panel.show_refusal(refusal or '')
            self._target_node.read_now()

        self._paused = paused
        self._show_controls()
        self._target_node.parameters.write('paused', paused, then)

    def _publish_target(self, x: float, y: float) -> None:
        if self._configuration is None or self._plane is None:
            return
        message = PointStamped()
        message.header.stamp = self.get_clock().now().to_msg()
        message.header.frame_id = self._configuration.arm.base_frame
        message.point.x, message.point.y, message.point.z = self._plane.point(x, y)
        self._target = x, y
        self._targets.publish(message)

    # --- from ROS --------------------------------------------------------------------------------

    def _on_joint_states(self, message: JointState) -> None:
        if self._configuration is None:
            return
        given = dict(zip(message.name, message.position, strict=False))
        names = self._configuration.arm.chain.names
        if not all(isfinite(given.get(name, nan)) for name in names):
            return
        self._positions = tuple(given[name] for name in names)
        if time.monotonic() - self._drawn_at >= FRAME_PERIOD:
            self._draw()

    def _on_status(self, message: DiagnosticArray) -> None:
        for status in message.status:
            heard = read(status)
            self._words = Words(heard.code, heard.message, heard.level.colour)
        if self._words is not None:
            self._scene.colour_target(self._words.colour)

    def _on_target(self, message: PointStamped) -> None:
        if self._plane is None or self._configuration is None or self._is_dragged():
            return
        if message.header.frame_id not in ('', self._configuration.arm.base_frame):
            return
        point = message.point
        x, y, _ = self._plane.locate((point.x, point.y, point.z))
        self._target = x, y
        self._scene.show_target(x, y)

    def _on_parameter_event(self, event: ParameterEvent) -> None:
        for watched in (self._arm_node, self._target_node):
            if event.node == watched.full_name:
                watched.read_now()

    def _on_arm_parameters(self, parameters: Parameters | None) -> None:
        if parameters is None:
            self._lose(f'{self._arm_node.full_name} is gone. ')
            return
        try:
            configuration = configuration_from_parameters(parameters)
        except ConfigError as error:
            self._lose(f'{self._arm_node.full_name} is there, but has no arm: {error}. ')
            return
        before, self._configuration = self._configuration, configuration
        self._trouble = None
        arm = configuration.arm
        if before is None or before.arm != arm:
            self._plane = plane_from_pose(arm.base_xyz, arm.base_rpy)
            self._scene.show_chain(arm.chain, reach_area(arm.chain))
            self._positions = self._target = self._drawn = self._tabled = None
        self._show_controls()

    def _on_target_parameters(self, parameters: Parameters | None) -> None:
        paused = (parameters or {}).get('paused')
        self._paused = paused if isinstance(paused, bool) else None
        self._show_controls()

    # --- what is shown ---------------------------------------------------------------------------

    def _watch(self) -> None:
        self._arm_node.watch()
        self._target_node.watch()

    def _lose(self, why: str) -> None:
        """Say that there is no node to show; what was drawn stays, but stands still."""
        self._configuration, self._words = None, None
        self._trouble = Words(
            'NO NODE',
            f'{why}Waiting for a node {self._arm_node.full_name}; '
            'start one, and this page goes on by itself.',
            Level.STALE.colour,
        )
        self._scene.colour_target(Level.STALE.colour)
        self._panel.show_refusal('')
        self._panel.hide_joints()
        self._show_controls()

    def _draw(self) -> None:
        if self._positions is None or self._configuration is None:
            return
        if self._positions == self._drawn:
            return
        self._drawn, self._drawn_at = self._positions, time.monotonic()
        self._scene.show_pose(self._positions)
        if self._target is None:  # nobody has said where it is: let it wait at the tip
            x, y = self._configuration.arm.chain.forward(self._positions)[-1].tolist()
            self._target = x, y
            self._scene.show_target(x, y)

    def _refresh(self) -> None:
        """Bring the panel up to date, and the arm where the last pose came too soon to be drawn."""
        self._draw()
        self._panel.show_status(
            self._trouble
            or self._words
            or Words('READY', 'Drag the blue square, and the arm follows.', READY_COLOUR)
        )
        if self._configuration is not None and self._drawn is not None:
            if self._drawn != self._tabled:
                self._panel.show_joints(self._configuration.arm.chain, self._drawn)
            self._tabled = self._drawn

    def _show_controls(self) -> None:
        if self._configuration is None:
            self._panel.show_controls(Controls())
            return
        source = None if self._paused is None else MOUSE if self._paused else DEMO_PATH
        settings = self._configuration.settings
        self._panel.show_controls(Controls(settings.solver, settings.bend, source))

    def _is_dragged(self) -> bool:
        return time.monotonic() - self._dragged_at < DRAG_SILENCE

    def _log_start(self) -> None:
        settings = self.settings
        port = self._server.get_port()
        if settings.port not in (port, 0):
            self.get_logger().warning(f'port {settings.port} is taken')
        self.get_logger().info(f'showing {self._arm_node.full_name} at {url(settings.host, port)}')


class _Watched:
    """A node whose parameters are read again and again, for it may change, go, and come back."""

    def __init__(self, node: Node, name: str, on_read: Callable[[Parameters | None], None]) -> None:
        """``on_read`` gets the parameters at every reading, and None once when the node is gone."""
        self.parameters = RemoteParameters(node, name)
        self.full_name = node.resolve_service_name(f'{name}/get_parameters').rpartition('/')[0]
        self._on_read = on_read
        self._next = 0.0
        self._is_reading = self._is_known = False

    def read_now(self) -> None:
        """Read as soon as possible."""
        self._next = 0.0
        self.watch()

    def watch(self) -> None:
        """To be called often."""
        self.parameters.tick()
        if self._is_reading:
            return
        if not self.parameters.is_there():
            self._give_up()
        elif time.monotonic() >= self._next:
            self._is_reading = True
            self._next = time.monotonic() + READ_PERIOD
            self.parameters.read(self._on_answer)

    def _on_answer(self, parameters: Parameters | None) -> None:
        self._is_reading = False
        if parameters is None:
            self._give_up()
        else:
            self._is_known = True
            self._on_read(parameters)

    def _give_up(self) -> None:
        if self._is_known:
            self._is_known = False
            self._on_read(None)


def _serve(host: str, port: int) -> Any:
    """The server of the page, listening."""
    try:
        import viser  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError(
            f'the page needs the Python package viser ({error}): pip install viser'
        ) from None
    port = free_port(host, port)
    # Browsers open connections that they may never use; each would be a traceback in the log.
    logging.getLogger('websockets.server').setLevel(logging.CRITICAL)
    return _quietly(partial(viser.ViserServer, host=host, port=port, verbose=False))


def _quietly(act: Callable[[], Any]) -> Any:
    """Do something without what it prints: viser has a banner of its own."""
    with contextlib.redirect_stdout(io.StringIO()):
        return act()
