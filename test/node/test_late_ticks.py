"""Ticks of the node's timer that come late, as on a machine that is busy."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from harness import ROOT

PERIOD = 0.4  # s; long, beside the moments that a busy machine takes between tick and stamp


def test_after_a_late_tick_the_next_one_keeps_its_distance(
    start_process: Any, ros_node: Any, spin_until: Callable[..., Any]
) -> None:
    """Each command stands for a period: of two at the same time a controller makes one step."""
    from sensor_msgs.msg import JointState

    config = str(ROOT / 'config/two_bone.yaml')
    process = start_process(
        *('-m', 'ik2d_ros.node', '--ros-args', '--params-file', config),
        *('-p', f'publish_rate:={1.0 / PERIOD}'),
    )
    stamps: list[float] = []

    def on_state(message: JointState) -> None:
        stamps.append(message.header.stamp.sec + message.header.stamp.nanosec * 1e-9)

    ros_node.create_subscription(JointState, 'joint_states', on_state, 100)
    spin_until(ros_node, lambda: len(stamps) > 3, what='poses')
    for _ in range(3):
        os.kill(process.popen.pid, signal.SIGSTOP)
        # Until shortly before the tick after the next one.
        resumed = time.monotonic() + 1.8 * PERIOD
        spin_until(ros_node, lambda end=resumed: time.monotonic() > end, what='time to pass')
        os.kill(process.popen.pid, signal.SIGCONT)
        heard = len(stamps)
        spin_until(ros_node, lambda count=heard: len(stamps) > count + 3, what='poses')
    distances = [later - earlier for earlier, later in pairwise(stamps)]
    assert max(distances) > 1.5 * PERIOD  # a tick was late
    assert min(distances) > 0.3 * PERIOD  # without that, 0.2 of it or less
