"""A controller and the servos behind it, and a client of the node that drives them."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

from harness import HAS_ROS
from node_client import Client
from node_client import tip as tip_of

from ik2d_ros.control.drive import TRAJECTORY

if HAS_ROS:
    from sensor_msgs.msg import JointState
    from std_msgs.msg import Float64MultiArray
    from trajectory_msgs.msg import JointTrajectory

EVERY = 1000  # messages that may wait: none is lost
RATE = 50.0
FAULTS = 'NOT_FOLLOWING', 'NO_STATE'
LATEST_TICK = 5  # periods that a command may come late, on a busy machine


class Robot(Client):
    """A controller and the servos behind it, and a client of the node.

    Attributes:
        measured: where the joints stand, in rad.
        commands: the positions commanded so far, by joint.
        is_measuring: whether the measured positions are published.
    """

    def __init__(
        self,
        *client: Any,
        measured: Mapping[str, float],
    ) -> None:
        super().__init__(*client, name='robot')
        self.measured = dict(measured)
        self.commands: list[dict[str, float]] = []
        self.is_measuring = True
        self._measured = self.node.create_publisher(JointState, '/measured_joint_states', 10)
        self.node.create_timer(0.02, self._tick)

    def obey(self, kind: str, joints: Sequence[str], topic: str = '') -> None:
        """Take the commands for a controller with these joints."""
        topic = topic or f'{self.name}/command'
        self._joints = tuple(joints)
        message = JointTrajectory if kind == TRAJECTORY else Float64MultiArray
        self._taken = self.node.create_subscription(message, topic, self._on_command, EVERY)

    def leave(self) -> None:
        """Take no more commands, like a controller that has ended."""
        self.node.destroy_subscription(self._taken)

    def _on_command(self, message: Any) -> None:
        is_array = isinstance(message, Float64MultiArray)
        positions = message.data if is_array else message.points[-1].positions
        self.commands.append(dict(zip(self._joints, positions, strict=True)))

    def _tick(self) -> None:
        for name, position in self.command.items():
            self.measured[name] += 0.5 * (position - self.measured[name])
        if self.is_measuring:
            names = [*self.measured][::-1]
            positions = [self.measured[name] for name in names]
            self._measured.publish(JointState(name=names, position=positions))

    def aim(self, point: tuple[float, float]) -> None:
        """Send a target, once the node listens."""
        self.wait(self.inputs[0].get_subscription_count, 'the subscription of targets')
        self.send((*point, 0.0), stamp=0)

    def go(self, point: tuple[float, float]) -> None:
        """Send a target until it is heard, and wait until the arm stands there."""
        sent = -math.inf

        def is_there() -> bool:
            nonlocal sent
            if time.monotonic() - sent > 1.0:
                sent = time.monotonic()
                self.aim(point)
            return self.is_at(point)

        self.wait(is_there, f'the arm at {point}')

    def idle(self, seconds: float) -> None:
        """Let time pass, while messages arrive."""
        end = time.monotonic() + seconds
        self.wait(lambda: time.monotonic() > end, f'the end of {seconds} s')

    def is_at(self, point: tuple[float, float]) -> bool:
        said = self.status
        if (said['code'], said['at_goal']) != ('REACHED', 'true'):
            return False
        return all(math.dist(tip(pose), point) < 1e-3 for pose in (self.measured, self.command))

    @property
    def command(self) -> dict[str, float]:
        return self.commands[-1] if self.commands else self.measured


def tip(positions: Mapping[str, float]) -> tuple[float, float]:
    return tip_of((positions['shoulder'], positions['elbow']))
