"""The package's programs as processes, and messages to them, for the benchmarks with ROS."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter

from ik2d_ros.ros.stamps import BILLION


def stay_local(domain: int) -> None:
    """Keep this process and those that it starts on this machine, and in a domain of their own."""
    os.environ.setdefault('ROS_DOMAIN_ID', str(domain))
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')


def program(
    node: str,
    *arguments: str,
    file: Path | None = None,
    parameters: Mapping[str, object] | None = None,
    remapped: Mapping[str, str] | None = None,
) -> list[str]:
    """Return the command line of a node, with a parameter file, parameters and remappings."""
    options = [('--params-file', str(file))] if file else []
    options += [('-p', f'{name}:={value}') for name, value in (parameters or {}).items()]
    options += [('-r', f'{name}:={other}') for name, other in (remapped or {}).items()]
    ros = [word for option in options for word in option]
    return [sys.executable, '-m', 'ik2d_ros.programs', node, *arguments, '--ros-args', *ros]


def stamp(message: Any) -> int:
    """Stamp a message with the time, and return it in ns."""
    now = time.time_ns()
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(now, BILLION)
    return now


def change(name: str, value: object) -> Any:
    """Return the request that sets a parameter."""
    parameter = Parameter(name, value=value).to_parameter_msg()
    return SetParameters.Request(parameters=[parameter])
