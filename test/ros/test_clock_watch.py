"""The clock's time, whichever clock it is by now."""

from __future__ import annotations

import time

import pytest
from harness import HAS_ROS

if HAS_ROS:
    import rclpy
    from rclpy.parameter import Parameter

    from ik2d_ros.parameters.table import Table
    from ik2d_ros.ros.clock_watch import ClockWatch
    from ik2d_ros.ros.parameter_node import ParameterNode

NEVER_SET = 'use_sim_time is true, but no time > 0 was received on /clock'


@pytest.mark.parametrize('first', [False, True])
def test_a_clock_that_becomes_simulated_or_real_is_followed_at_once(
    ros_environment: int, first: bool
) -> None:
    rclpy.init(args=['--ros-args', '-p', f'use_sim_time:={first}'.lower()])
    try:
        node = ParameterNode('watched', Table(()), dict)
        watch = ClockWatch(node)
        for simulated in (first, not first, first):
            (result,) = node.set_parameters([Parameter('use_sim_time', value=simulated)])
            assert result.successful
            assert watch.is_simulated == simulated
            if simulated:
                assert (watch.now(), watch.look()) == (0, NEVER_SET)
            else:
                before = time.time_ns()
                assert before <= watch.now() <= time.time_ns()
                assert watch.look() == ''
        node.destroy_node()
    finally:
        rclpy.try_shutdown()
