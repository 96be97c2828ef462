"""The parameters of a process with several arms; no ROS imports."""

from __future__ import annotations

from ik2d_ros.parameters.checks import Names, Truth
from ik2d_ros.parameters.table import Row, Table

MOST_ARMS = 256
"""Each arm has some thirty topics and services, which every other process learns of."""

FLEET_PARAMETERS = Table(
    (
        Row(
            name='arms',
            allowed='a list of namespaces, one for each arm',
            check=Names(most=MOST_ARMS),
            description='Namespaces of the arms of this process, each with a node of its own',
        ),
        Row(
            name='merge_commands',
            default=False,
            check=Truth(),
            description='The commands of all arms leave in one message, for one controller',
        ),
    )
)
"""Parameters that are read once, when the process starts, by its given name and namespace."""
