"""A node in a process of its own, and who sends it targets and times its answers."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PATIENCE = 60.0  # s
LOST = 0.5  # s after which a target is sent again
DOMAIN = '84'
BILLION = 10**9


class Contender:
    """A running process that answers targets; frozen while it is not measured.

    Attributes:
        name: what it is called in a table.
        trips: s of each round trip, until the pose came back.
        answers: s from each target to its status, in the order of the statuses.
        heard: the numbers of the targets that got a status.
    """

    def __init__(self, name: str, command: Sequence[str], key: str) -> None:
        """Start it in a namespace of its own.

        Args:
            name: what it is called.
            command: its command line, without Python.
            key: its namespace.
        """
        import rclpy
        from diagnostic_msgs.msg import DiagnosticArray
        from geometry_msgs.msg import PointStamped
        from sensor_msgs.msg import JointState

        from ik2d_ros.ros import qos

        self.name = name
        space = f'/{key}_{os.getpid()}'
        arguments = ['-r', f'__ns:={space}', '--log-level', 'error']
        ros = [] if '--ros-args' in command else ['--ros-args']
        self._process = subprocess.Popen([sys.executable, *command, *ros, *arguments])
        self.node = rclpy.create_node('client', namespace=space)
        self._targets = self.node.create_publisher(PointStamped, 'ik2d/target', qos.LATEST)
        self.node.create_subscription(JointState, 'joint_states', self._on_pose, qos.ALL)
        self.node.create_subscription(DiagnosticArray, 'ik2d/status', self._on_status, qos.ALL)
        self._message = PointStamped()
        self._number, self._pose, self._left = 0, None, 0
        self._sent: dict[int, float] = {}
        self._sent_at = 0.0
        self.forget()

    def forget(self) -> None:
        """Forget what was measured."""
        self.trips: list[float] = []
        self.answers: list[float] = []
        self.heard: list[int] = []
        self._sent.clear()

    @property
    def is_there(self) -> bool:
        """Whether both hear one another."""
        self._check_runs()
        return bool(self._targets.get_subscription_count()) and bool(
            self.node.count_publishers('joint_states')
        )

    def _check_runs(self) -> None:
        if self._process.poll() is not None:
            raise RuntimeError(f'{self.name} has ended')

    def send(self, x: float | None = None, y: float | None = None) -> int:
        """Send a target, by default one that can be reached and is unlike the one before."""
        self._number += 1
        angle = 0.7 * self._number
        point, stamp = self._message.point, self._message.header.stamp
        point.x = 0.3 + 0.1 * math.cos(angle) if x is None else x
        point.y = 0.2 + 0.1 * math.sin(angle) if y is None else y
        stamp.sec = self._number
        self._sent_at = self._sent[self._number] = time.perf_counter()
        self._targets.publish(self._message)
        return self._number

    def begin(self, trips: int) -> None:
        """Begin a closed loop: the next target is sent when the pose for the last one is there."""
        self._left = trips
        self.send()

    def has_ended(self) -> bool:
        """Return whether the loop has ended; a lost target is replaced."""
        if self._left and time.perf_counter() - self._sent_at > LOST:
            self._check_runs()
            self.send()
        return not self._left

    def _on_pose(self, message: Any) -> None:
        now, pose = time.perf_counter(), tuple(message.position)
        # The timer of a node repeats its pose.
        if not self._left or pose == self._pose:
            return
        self._pose = pose
        self.trips.append(now - self._sent_at)
        self._left -= 1
        if self._left:
            self.send()

    def _on_status(self, message: Any) -> None:
        number = message.header.stamp.sec
        sent = self._sent.pop(number, None)
        if sent is not None:
            self.answers.append(time.perf_counter() - sent)
            self.heard.append(number)

    @property
    def last(self) -> int:
        """The number of the last target."""
        return self._number

    def processor_time(self) -> float:
        """Return the processor time of the process so far in s."""
        tasks = Path(f'/proc/{self._process.pid}/task')
        return sum(int((t / 'schedstat').read_text().split()[0]) for t in tasks.iterdir()) / BILLION

    def memory(self) -> float:
        """Return the resident memory of the process in MB."""
        lines = Path(f'/proc/{self._process.pid}/status').read_text().splitlines()
        line = next(line for line in lines if line.startswith('VmRSS:'))
        return int(line.split()[1]) / 1024.0

    def freeze(self) -> None:
        """Stop it for a while, so that it takes no time from others."""
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self._process.send_signal(signal.SIGCONT)

    def end(self) -> None:
        """End it."""
        self.thaw()
        self._process.terminate()
        self._process.wait(PATIENCE)
        self.node.destroy_node()
