"""Discovers a running controller by its topics and parameters; no ROS imports."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ik2d_ros.control.drive import ARRAY, TRAJECTORY
from ik2d_ros.parameters.checks import RATE, ConfigError, is_sequence, listed, shown

COMMAND_TYPES = {'joint_trajectory': TRAJECTORY, 'commands': ARRAY}
"""Type of the commands on each topic below a controller's name.

joint_trajectory_controller has the first; forward_command_controller and position_controllers have
the second. So no message of ros2_control is needed, which robots that imitate it do not have.
"""

DISCOVERY_TIME = 1.0  # s until a known subscription receives: commands before may be lost

_NAME = re.compile(r'/?([A-Za-z_][A-Za-z0-9_]*/)*[A-Za-z_][A-Za-z0-9_]*')


class Controller(NamedTuple):
    """A controller that subscribes to commands: its full name, and their topic below that."""

    name: str
    command: str

    @property
    def topic(self) -> str:
        """Full name of the topic of its commands."""
        return f'{self.name}/{self.command}'

    @property
    def command_type(self) -> str:
        """Type of its commands, as the parameter ``command_out_type`` has it."""
        return COMMAND_TYPES[self.command]

    @property
    def takes_single_poses(self) -> bool:
        """Whether each command is a step: then there should be one in each of its cycles."""
        return self.command_type == ARRAY


def checked_name(name: str) -> str:
    """Return the name of a controller, with or without a namespace.

    Raises:
        ConfigError: it is not a name in ROS.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f'the name of the controller is {shown(name)}; it must be letters, digits and '
            'underscores, not start with a digit, and may follow a namespace and a slash'
        )
    return name


def controllers(topics: Iterable[tuple[str, Sequence[str]]]) -> list[Controller]:
    """Return the controllers that subscribe to commands, by the name and types of each topic."""
    found = []
    for topic, types in topics:
        name, _, command = topic.rpartition('/')
        if name and COMMAND_TYPES.get(command) in [each.replace('/msg/', '/') for each in types]:
            found.append(Controller(name, command))
    return sorted(found)


def update_rate(parameters: Mapping[str, object]) -> float | None:
    """Return the rate in Hz of a controller or its manager; None if they have no valid one.

    A controller's own is missing on Humble, or 0.
    """
    try:
        return RATE('update_rate', parameters.get('update_rate'), RATE.words)
    except ConfigError:
        return None


def parameters_for(
    controller: Controller, its_parameters: Mapping[str, object], rate: float | None = None
) -> dict[str, object]:
    """Return the parameters for a node that commands a controller.

    Args:
        controller: the controller.
        its_parameters: its own parameters; empty if it has none.
        rate: of its cycles in Hz, if that is known.

    Raises:
        ConfigError: it does not take positions.
    """
    interface = its_parameters.get('interface_name', 'position')
    if controller.takes_single_poses and interface != 'position':
        raise ConfigError(
            f"controller '{controller.name}' passes its commands on as "
            f'{shown(interface)}; it must be one that takes position'
        )
    found = {
        'command_out_type': controller.command_type,
        'command_out_topic': controller.topic,
        'command_joints': its_parameters.get('joints'),
        'publish_rate': rate if controller.takes_single_poses else None,
    }
    return {name: value for name, value in found.items() if value}


def joints_refusal(
    name: str, its_parameters: Mapping[str, object], command_type: str, joints: Sequence[str]
) -> str:
    """Return why commands for some joints are not for a controller; empty if they are.

    A trajectory names its joints, in any order; an array has the positions in the controller's.

    Args:
        name: full name of the controller.
        its_parameters: its own parameters; without ``joints``, nothing is refused.
        command_type: type of the commands, as the parameter ``command_out_type`` has it.
        joints: the joints that are commanded, in order.
    """
    own = its_parameters.get('joints')
    if not is_sequence(own) or not own or list(own) == list(joints):
        return ''
    allowed = "left out, or the controller's joints in its order"
    if command_type == TRAJECTORY:
        is_partial = its_parameters.get('allow_partial_joints_goal') is True
        if set(joints) <= set(own) and (is_partial or len(joints) == len(own)):
            return ''
        allowed = "left out, or the controller's joints"
    return (
        f"controller '{name}' has the joints {listed(map(str, own))}; the node commands "
        f"{listed(joints)}: parameter 'command_joints' must be {allowed}, and all joints of the "
        'arm must be among them'
    )


class ControllerPresence:
    """Watches the subscriptions: if the first commands were lost, the arm would jump."""

    def __init__(self) -> None:
        """Start without subscriptions; ``is_there``: whether commands are received."""
        self.is_there, self._since = False, dict[object, float]()

    def update(self, listeners: Iterable[object], now: float) -> None:
        """Take note of the known subscriptions at a time of a steady clock in s.

        The newest counts: those of a restarted controller differ. One that vanishes beside others
        does not matter: a killed controller is known for as long as its lease.
        """
        self._since = {each: self._since.get(each, now) for each in listeners}
        self.is_there = now - max(self._since.values(), default=math.inf) >= DISCOVERY_TIME
