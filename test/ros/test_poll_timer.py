"""One timer for everything that looks around."""

from __future__ import annotations

from collections import Counter
from typing import Any

from harness import HAS_ROS

if HAS_ROS:
    from ik2d_ros.ros.poll_timer import TICK, PollTimer


def test_each_look_comes_again_and_again_and_the_frequent_one_more_often(
    ros_node: Any, spin_until: Any
) -> None:
    looks, called = PollTimer(ros_node), Counter[str]()
    looks.every(TICK, lambda: called.update(['often']))
    spin_until(ros_node, lambda: called['often'] > 1, what='looks')
    # Added while the others go on.
    looks.every(4 * TICK, lambda: called.update(['seldom']))
    called.clear()
    spin_until(ros_node, lambda: called['seldom'] > 4, what='looks')
    assert called['often'] > called['seldom']
    assert len([*ros_node.timers]) == 1
