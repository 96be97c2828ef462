"""The ROS node of ``ik2d_sim``: a simulated robot to drive."""

from __future__ import annotations

import time
from typing import Any

from geometry_msgs.msg import Vector3Stamped
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from ik2d_ros.node.parameters import FLEET_PARAMETERS
from ik2d_ros.node.parameters import PARAMETERS as NODE_PARAMETERS
from ik2d_ros.parameters.checks import listed
from ik2d_ros.parameters.table import Effect
from ik2d_ros.ros import qos, stamps
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.sim.controllers import ForwardController, read_trajectory
from ik2d_ros.sim.parameters import (
    FORWARD,
    PARAMETERS,
    SimSettings,
    completed,
    settings_from_parameters,
)
from ik2d_ros.sim.robot import SimulatedRobot

LARGEST_LAG = 0.1  # s of simulation that catch up after a pause; more is skipped
RESTART = 1_000_000_000  # ns until a controller manager is back


class SimNode(ParameterNode[SimSettings]):
    """Simulates the arm, takes commands for its controller, and publishes measured joint_states.

    Raises:
        ConfigError: a parameter is refused, or MuJoCo is not installed.
    """

    _described: Node | None = None

    def __init__(self) -> None:
        """Start the simulation."""
        super().__init__(
            'ik2d_sim',
            PARAMETERS,
            settings_from_parameters,
            neighbours=[NODE_PARAMETERS, FLEET_PARAMETERS],
            complete=completed,
        )
        settings = self.settings
        self._robot = robot = SimulatedRobot(settings)
        self._is_clock = settings.real_time_factor != 1.0
        # Simulated time: its own if it publishes /clock, else the time of the node's clock.
        self._now = time.time_ns() if self._is_clock else self.get_clock().now().nanoseconds
        self._began, self._began_at = time.monotonic_ns(), self._now
        self._is_finite = True
        self._frozen_with: JointTrajectory | Float64MultiArray | None = None
        self._restart_at, self._back_at = settings.restart_at, 0
        self._states = self.create_publisher(JointState, 'joint_states', qos.LATEST_KEPT)
        if self._is_clock:
            self._clocks = self.create_publisher(ClockMessage, '/clock', qos.LATEST)
        self.create_subscription(Vector3Stamped, '~/push', self._on_push, qos.EACH)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(
            robot.cycle * 1e-9 / settings.real_time_factor, self._on_timer, clock=steady
        )
        self.get_logger().info(
            f'simulating {listed(settings.joints)} at {1e9 / robot.cycle:g} Hz behind '
            f'{settings.controller}, a {settings.controller_type.partition("/")[2]}'
        )
        self.debug(lambda: f'servos: {robot.physics.servos}')

    def destroy_node(self) -> None:
        """End both nodes."""
        self._end_controller()
        super().destroy_node()

    def on_change(self, effects: frozenset[Effect]) -> None:
        """Apply the faults among the parameters."""
        del effects
        settings = self.settings
        self._robot.switch(settings)
        if settings.restart_at != self._restart_at:
            self._restart_at = settings.restart_at
            if settings.restart_at:
                self._end_controller()
                self._back_at = self._now + RESTART
        self.get_logger().info(
            f'{settings.controller} is {"active" if settings.active else "inactive"}'
            f'{" and frozen" * settings.freeze}, the power {"on" if settings.power else "off"}'
        )

    def _start_controller(self) -> None:
        """Start a node with the name, the parameters and the topic of a real controller."""
        settings = self.settings
        kind, topic = JointTrajectory, '~/joint_trajectory'
        told: dict[str, Any] = {'joints': list(settings.joints)}
        if settings.controller_type == FORWARD:
            kind, topic = Float64MultiArray, '~/commands'
            told['interface_name'] = 'position'
        else:
            told |= {'command_interfaces': ['position']}
            told |= {'state_interfaces': ['position', 'velocity']}
        # The process's arguments may rename the simulation.
        self._described = node = Node(
            settings.controller, namespace=self.get_namespace(), use_global_arguments=False
        )
        for name, value in told.items():
            node.declare_parameter(name, value, ParameterDescriptor(read_only=True))
        node.create_subscription(kind, topic, self._on_command, qos.LATEST_BEST_EFFORT)
        if self.executor is not None:
            self.executor.add_node(node)

    def _end_controller(self) -> None:
        if self._described is not None:
            if self.executor is not None:
                self.executor.remove_node(self._described)
            self._described.destroy_node()
            self._described = None

    def _on_command(self, message: JointTrajectory | Float64MultiArray) -> None:
        if self.settings.freeze:
            self._frozen_with = message  # the middleware keeps the last one
            return
        controller = self._robot.controller
        if isinstance(controller, ForwardController):
            self._complain(controller.take(message.data))
        else:
            self._complain(controller.take(read_trajectory(message), self._now))

    def _on_push(self, message: Vector3Stamped) -> None:
        force = message.vector
        self._robot.physics.push((force.x, force.y, force.z))

    def _complain(self, refusal: str | None) -> None:
        if refusal:
            self.get_logger().error(f'[{self.settings.controller}] {refusal}')
        if self.settings.active and not self._robot.controller.is_active:
            self.set_parameters([Parameter('active', value=False)])
            self.get_logger().error(
                f'{self.settings.controller} is inactive; to activate it: '
                f'ros2 param set {self.get_fully_qualified_name()} active true'
            )

    def _on_timer(self) -> None:
        """Simulate up to now."""
        if self.settings.freeze:
            return
        due = self._due() - self._now
        cycle = self._robot.cycle
        if due < 0 or due > LARGEST_LAG * 1e9 * self.settings.real_time_factor:
            # The clock jumped, or the process stood still: the robot skips that time.
            skipped = due - cycle
            if self._is_clock:
                self._began_at -= skipped
            else:
                self._now += skipped
            due = cycle
        if self._frozen_with is not None:
            message, self._frozen_with = self._frozen_with, None
            self._on_command(message)
        for _ in range(due // cycle):
            self._pass_cycle()

    def _due(self) -> int:
        """Return the time in ns to which to simulate."""
        if not self._is_clock:
            return int(self.get_clock().now().nanoseconds)
        elapsed = time.monotonic_ns() - self._began
        return self._began_at + round(elapsed * self.settings.real_time_factor)

    def _pass_cycle(self) -> None:
        is_back = self._now >= self._back_at
        if is_back:
            if self._described is None:
                if self._back_at:
                    self._robot = SimulatedRobot(self.settings.restarted)
                self._start_controller()
            is_finite = self._robot.pass_cycle(self._now)
            if self._is_finite and not is_finite:
                self.get_logger().error(
                    f'{self.settings.controller} commands NaN or infinity; the servos ignore it, '
                    'but a real one may not'
                )
            self._is_finite = is_finite
        self._now += self._robot.cycle
        stamp = stamps.stamp_at(self._now)
        if stamp is None:
            return
        if self._is_clock:
            self._clocks.publish(ClockMessage(clock=stamp))
        if is_back:
            state = JointState(
                name=self.settings.joints,
                position=self._robot.positions.tolist(),
                velocity=self._robot.velocities.tolist(),
                effort=self._robot.efforts.tolist(),
            )
            state.header.stamp = stamp
            self._states.publish(state)
