"""Launch files, run where the command ros2 is installed.

`ros/test_launching.py` has the meaning of the arguments of all launch files.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from harness import ROOT


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which('ros2'), reason='ros2 is not installed (no PyPI wheels)')
@pytest.mark.parametrize(
    ('file', 'namespace', 'topic'),
    [
        ('launch/demo.launch.py', '/', '/clicked_point'),
        ('examples/07_your_stack.launch.py', '/left', '/camera/picked'),
        ('examples/07_your_stack.launch.xml', '/left', '/camera/picked'),
    ],
)
def test_a_launch_file_starts_the_arm(
    colcon_prefix: Path,
    start_process: Any,
    ros_node: Any,
    spin_until: Any,
    file: str,
    namespace: str,
    topic: str,
) -> None:
    """As installed, without a display: it says how it is, and hears its targets."""
    from ament_index_python.packages import get_packages_with_prefixes

    path = colcon_prefix / 'share/ik2d_ros' / file
    more, status = ['use_rviz:=false'], '/ik2d/status'
    if namespace == '/left':  # a robot is driven
        more, status = [], '/diagnostics'
        pytest.importorskip('mujoco', reason='mujoco is not installed')
        robot = '-r', '__ns:=/left', '--params-file', ROOT / 'config/two_bone.yaml'
        start_process('sim', '--ros-args', *robot)
    else:
        alone = start_process('ros2', 'launch', path, env={'AMENT_PREFIX_PATH': str(colcon_prefix)})
        assert alone.wait() == 1
        assert 'process started' not in alone.output  # it would be left behind
        if 'robot_state_publisher' not in get_packages_with_prefixes():
            pytest.skip('robot_state_publisher is not installed (no PyPI wheels)')
    command = f'. {colcon_prefix.parent}/setup.bash && exec ros2 launch "$@"'
    launched = start_process('bash', '-c', command, 'bash', path, *more)

    def is_there() -> bool:
        assert launched.is_running(), launched.output
        says = ros_node.get_publishers_info_by_topic(status)
        hears = ros_node.get_subscriptions_info_by_topic(topic)
        ends = [(each.node_namespace, each.node_name) for each in (*says, *hears)]
        return ends.count((namespace, 'ik2d')) == 2

    spin_until(ros_node, is_there, what='the arm')
    launched.stop()
    assert 'Traceback' not in launched.output
