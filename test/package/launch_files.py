"""What the tests of the launch files share."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ik2d_ros.parameters.file import read_sections

ARGUMENTS = {
    'params_file',
    'urdf',
    'base',
    'tip',
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


class Described:
    """One node as it would be started."""

    def __init__(self, node: Any, context: Any) -> None:
        # What launch_ros does before it starts a process, and how its own tests look at it.
        node._perform_substitutions(context)
        self.remappings = node.expanded_remapping_rules or []
        self.arguments = [
            launch_utilities().perform_substitutions(context, part)
            for part in node.cmd[1:]
            if not any('LocalSubstitution' in type(each).__name__ for each in part)
        ]
        self.parameters: dict[str, Any] = {}
        for source, is_file in node._Node__expanded_parameter_arguments or []:
            assert is_file
            for section, values in read_sections(source):
                if section in ('/**', node.node_name):
                    self.parameters.update(values)


def launch_utilities() -> Any:
    return importlib.import_module('launch.utilities')


def described(
    description: Any, context: Any, found: dict[str, Described] | None = None, **arguments: str
) -> dict[str, Described]:
    """The nodes that would be started, by executable, without starting any.

    They are put into ``found``, too, for who expects an exception.
    """
    from launch_ros.actions import Node

    context.launch_configurations.update(arguments)
    nodes: dict[str, Described] = {} if found is None else found

    def carry_out(entities: Any) -> None:
        for entity in entities or []:
            if not isinstance(entity, Node):
                carry_out(entity.visit(context))
            elif entity.condition is None or entity.condition.evaluate(context):
                executable = launch_utilities().normalize_to_list_of_substitutions(
                    entity.node_executable
                )
                name = launch_utilities().perform_substitutions(context, executable)
                nodes[name] = Described(entity, context)

    carry_out([description])
    return nodes
