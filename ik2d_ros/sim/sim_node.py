"""The ROS node of ``ik2d_sim``: a simulated robot to drive."""

from __future__ import annotations

import time
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from ik2d_ros.control.trajectory_messages import TrajectoryMessage, TrajectoryPoint
from ik2d_ros.parameters.checks import listed
from ik2d_ros.parameters.table import Effect
from ik2d_ros.pilot.parameters import OF_ANY_NODE
from ik2d_ros.robot.from_urdf import with_description
from ik2d_ros.ros import qos
from ik2d_ros.ros.parameter_node import ParameterNode
from ik2d_ros.ros.stamps import nanoseconds, stamp_at
from ik2d_ros.sim.parameters import PARAMETERS, SimSettings, settings_from_parameters
from ik2d_ros.sim.robot import SimulatedRobot

LARGEST_LAG = 0.1  # s of simulation that catch up after a pause; more is skipped


class SimNode(ParameterNode[SimSettings]):
    """Simulates the arm, takes commands for its controller, and publishes measured joint_states.

    Another node has the name, the parameters and the topic of a real controller.
    """

    ignored = OF_ANY_NODE

    def __init__(self) -> None:
        """Start the simulation."""
        super().__init__(
            'ik2d_sim',
            PARAMETERS,
            settings_from_parameters,
            complete=lambda given: with_description(given)[0],  # as for the arm's node
        )
        settings = self.settings
        self._robot = robot = SimulatedRobot(settings)
        self._now = time.time_ns()
        self._offset = self._now - time.monotonic_ns()  # the stamps are even, whoever sets a clock
        self._states = self.create_publisher(JointState, 'joint_states', qos.LATEST_KEPT)
        # The process's arguments may rename the simulation.
        controller = Node(
            settings.controller, namespace=self.get_namespace(), use_global_arguments=False
        )
        known: dict[str, Any] = {
            'joints': list(settings.joints),
            'update_rate': round(1e9 / robot.cycle),
            'command_interfaces': ['position'],
            'state_interfaces': ['position', 'velocity'],
        }
        for name, value in known.items():
            controller.declare_parameter(name, value, ParameterDescriptor(read_only=True))
        controller.create_subscription(
            JointTrajectory, '~/joint_trajectory', self._on_command, qos.LATEST_BEST_EFFORT
        )
        self.others.append(controller)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(robot.cycle * 1e-9, self._on_timer, clock=steady)
        self.get_logger().info(
            f'simulating {listed(settings.joints)} at {1e9 / robot.cycle:g} Hz behind '
            f'{settings.controller}'
        )

    def on_change(self, effects: frozenset[Effect]) -> None:
        """Activate or deactivate the controller."""
        del effects
        settings = self.settings
        self._robot.controller.switch(settings.active)
        state = 'active' if settings.active else 'inactive'
        self.get_logger().info(f'{settings.controller} is {state}')

    def _on_command(self, message: JointTrajectory) -> None:
        points = tuple(
            TrajectoryPoint(tuple(point.positions), nanoseconds(point.time_from_start))
            for point in message.points
        )
        stamp = nanoseconds(message.header.stamp)
        trajectory = TrajectoryMessage(tuple(message.joint_names), points, stamp)
        if not self._robot.controller.take(trajectory, self._now):
            self.get_logger().error(
                f'{self.settings.controller} refuses a trajectory, as the real one does: it must '
                f'be for the joints {listed(self.settings.joints)}, with points at rising times, '
                'the last of them not in the past'
            )

    def _on_timer(self) -> None:
        """Simulate up to now."""
        robot = self._robot
        due = self._offset + time.monotonic_ns() - self._now
        if due > LARGEST_LAG * 1e9:  # the process stood still
            self._now += due - robot.cycle
            due = robot.cycle
        for _ in range(due // robot.cycle):
            robot.pass_cycle(self._now)
            self._now += robot.cycle
            state = JointState(
                name=self.settings.joints,
                position=robot.positions.tolist(),
                velocity=robot.velocities.tolist(),
                effort=robot.efforts.tolist(),
            )
            state.header.stamp = stamp_at(self._now)
            self._states.publish(state)
