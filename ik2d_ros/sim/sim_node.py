"""The ROS node behind ``ik2d_sim``: a robot to drive, in physics."""

from __future__ import annotations

import time
from collections.abc import Sequence

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Vector3Stamped
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from ik2d_ros.control.acceptance import Consequence, Refusal
from ik2d_ros.control.content import read_trajectory
from ik2d_ros.node.fleet_parameters import FLEET_PARAMETERS
from ik2d_ros.node.parameters import PARAMETERS as NODE_PARAMETERS
from ik2d_ros.parameters.checks import listed
from ik2d_ros.parameters.table import Effect
from ik2d_ros.ros import qos, stamps
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.sim.controllers import ForwardController
from ik2d_ros.sim.machine import Machine
from ik2d_ros.sim.parameters import (
    FORWARD,
    PARAMETERS,
    SimSettings,
    completed,
    settings_from_parameters,
)

LARGEST_LAG = 0.1  # s of simulation that are made up for after a pause; more is left out


class SimNode(ParameterNode[SimSettings]):
    """Simulates the arm, takes what its controller takes, and publishes measured joint_states.

    Raises:
        ConfigError: a parameter is refused, or MuJoCo is not installed.
    """

    _described: Node | None = None  # rclpy may destroy a node that failed before it was complete

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
        self._machine = machine = Machine(settings)
        self._is_clock = settings.real_time_factor != 1.0
        # Simulated time: of its own if it is the clock, else that of the node's clock.
        self._now = time.time_ns() if self._is_clock else self.get_clock().now().nanoseconds
        self._began, self._began_at = time.monotonic_ns(), self._now
        self._is_finite = True
        self._states = self.create_publisher(JointState, 'joint_states', qos.LATEST_KEPT)
        if self._is_clock:
            self._clocks = self.create_publisher(ClockMessage, '/clock', qos.LATEST)
        # The node with the controller's name takes the commands, like the real one.
        self._described = described = _controller_node(settings, self.get_namespace())
        if isinstance(machine.controller, ForwardController):
            self._commands = described.create_subscription(
                Float64MultiArray, '~/commands', self._on_array, qos.LATEST_BEST_EFFORT
            )
        else:
            self._commands = described.create_subscription(
                JointTrajectory,
                '~/joint_trajectory',
                self._on_trajectory,
                qos.LATEST_BEST_EFFORT,
            )
        self.create_subscription(Vector3Stamped, '~/push', self._on_push, qos.EACH)
        self._is_described = False
        period = machine.cycle * 1e-9 / settings.real_time_factor
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(period, self._on_timer, clock=steady)
        self.get_logger().info(
            f'simulating {listed(settings.command_joints)} at {1e9 / machine.cycle:g} Hz; '
            f'{settings.controller} takes {settings.controller_type.partition("/")[2]} commands '
            f'on {self._commands.topic_name}'
        )
        self.debug(lambda: f'servos: {machine.physics.servos}')

    def destroy_node(self) -> None:
        """End both nodes."""
        if self._described is not None:
            self._described.destroy_node()
        super().destroy_node()

    def on_change(self, effects: frozenset[Effect]) -> None:
        """Switch the controller on or off, like switch_controller."""
        if Effect.LISTENING in effects:
            is_active = bool(self.get_parameter('is_active').value)
            self._machine.controller.is_active = is_active
            self.get_logger().info(
                f'{self.settings.controller} is {"active" if is_active else "inactive"}'
            )

    def _on_trajectory(self, message: JointTrajectory) -> None:
        controller = self._machine.controller
        if not isinstance(controller, ForwardController):
            self._complain(controller.take(read_trajectory(message), self._now))

    def _on_array(self, message: Float64MultiArray) -> None:
        controller = self._machine.controller
        if isinstance(controller, ForwardController):
            self._complain(controller.take(message.data))

    def _on_push(self, message: Vector3Stamped) -> None:
        force = message.vector
        self._machine.push((force.x, force.y, force.z))

    def _complain(self, refusal: Refusal | None) -> None:
        if refusal is None:
            return
        if refusal.words:
            self.get_logger().error(f'[{self.settings.controller}] {refusal.words}')
        if refusal.consequence is not Consequence.IGNORED:
            self.set_parameters([Parameter('is_active', value=False)])
            self.get_logger().error(
                f'{self.settings.controller}: {refusal.consequence.value}; to activate it: '
                f'ros2 param set {self.get_fully_qualified_name()} is_active true'
            )

    def _on_timer(self) -> None:
        """Simulate up to now."""
        if self.executor is not None and self._described is not None and not self._is_described:
            self._is_described = self.executor.add_node(self._described)
        due = self._due() - self._now
        cycle = self._machine.cycle
        if due < 0 or due > LARGEST_LAG * 1e9 * self.settings.real_time_factor:
            # The clock has jumped, or the process was stopped: time passed without the machine.
            skipped = due - cycle
            if self._is_clock:
                self._began_at -= skipped
            else:
                self._now += skipped
            due = cycle
        for _ in range(due // cycle):
            self._pass_cycle()

    def _due(self) -> int:
        """Return up to when to simulate, in ns."""
        if not self._is_clock:
            return int(self.get_clock().now().nanoseconds)
        elapsed = time.monotonic_ns() - self._began
        return self._began_at + round(elapsed * self.settings.real_time_factor)

    def _pass_cycle(self) -> None:
        is_finite = self._machine.pass_cycle(self._now)
        if self._is_finite and not is_finite:
            self.get_logger().error(
                f'{self.settings.controller} commands NaN or infinity; the servos ignore it, but '
                'a real one may not'
            )
        self._is_finite = is_finite
        self._now += self._machine.cycle
        stamp = stamps.stamp_at(self._now)
        if stamp is None:
            return
        if self._is_clock:
            self._clocks.publish(ClockMessage(clock=stamp))
        names, positions, velocities, efforts = self._machine.reading
        self._states.publish(_joint_state(stamp, names, positions, velocities, efforts))


def _controller_node(settings: SimSettings, namespace: str) -> Node:
    """Return a node with the controller's name, which tells its parameters like the real one."""
    # Without the process's arguments, which may rename the simulation.
    node = Node(settings.controller, namespace=namespace, use_global_arguments=False)
    fixed = ParameterDescriptor(read_only=True)
    node.declare_parameter('joints', list(settings.command_joints), fixed)
    if settings.controller_type == FORWARD:
        node.declare_parameter('interface_name', 'position', fixed)
    else:
        node.declare_parameter('command_interfaces', ['position'], fixed)
        node.declare_parameter('state_interfaces', ['position', 'velocity'], fixed)
    return node


def _joint_state(
    stamp: Time,
    names: Sequence[str],
    positions: Sequence[float],
    velocities: Sequence[float],
    efforts: Sequence[float],
) -> JointState:
    message = JointState()
    message.header.stamp = stamp
    message.name = list(names)
    message.position, message.velocity, message.effort = positions, velocities, efforts
    return message
