"""What the tests of both launch files share."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ARGUMENTS = {
    'params_file',
    'namespace',
    'node_name',
    'frame_prefix',
    'target_topic',
    'use_sim_time',
    'log_level',
}

# What `ros2 launch FILE NAME:=VALUE ...` does, where there is no ros2 command.
LAUNCH = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

path, *arguments = sys.argv[1:]
included = IncludeLaunchDescription(
    PythonLaunchDescriptionSource(path),
    launch_arguments=[argument.split(':=', 1) for argument in arguments],
)
service = LaunchService(noninteractive=True)
service.include_launch_description(LaunchDescription([included]))
sys.exit(service.run())
"""


def calls(path: Path, name: str) -> Iterator[ast.Call]:
    """Every call of a function by that name in a file."""
    for node in ast.walk(ast.parse(path.read_text(), path)):
        if isinstance(node, ast.Call) and getattr(node.func, 'id', '') == name:
            yield node
