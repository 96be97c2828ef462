"""Recognizes running controllers by their topics and parameters; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ik2d_ros.control.settings import ARRAY, TRAJECTORY
from ik2d_ros.parameters.checks import ConfigError, is_sequence, listed, shown

COMMAND_TYPES = {'joint_trajectory': TRAJECTORY, 'commands': ARRAY}
"""Type of the commands on each topic below a controller's name.

joint_trajectory_controller has the first; forward_command_controller and position_controllers have
the second. So no message of ros2_control is needed, which robots that imitate it do not have.
"""

DISCOVERY_TIME = 1.0  # s until a known subscription receives: commands before may be lost


class Controller(NamedTuple):
    """A controller that subscribes to commands: its full name, their topic and their type."""

    name: str
    topic: str
    command_type: str


def controllers(topics: Iterable[tuple[str, Sequence[str]]]) -> list[Controller]:
    """Return the controllers that subscribe to commands, by the name and types of each topic."""
    found = []
    for topic, types in topics:
        name, _, command = topic.rpartition('/')
        expected = COMMAND_TYPES.get(command)
        if name and expected in [each.replace('/msg/', '/') for each in types]:
            found.append(Controller(name, topic, expected))
    return sorted(found)


def parameters_for(
    controller: Controller, controller_parameters: Mapping[str, object], rate: object = None
) -> dict[str, object]:
    """Return the parameters for a node that commands a controller.

    The ``rate`` of its cycles is in Hz; None or 0 if that is not known.

    Raises:
        ConfigError: it does not take positions.
    """
    interface = controller_parameters.get('interface_name', 'position')
    is_array = controller.command_type == ARRAY
    if is_array and interface != 'position':
        raise ConfigError(
            f"controller '{controller.name}' passes its commands on as "
            f'{shown(interface)}; it must be one that takes position'
        )
    found: dict[str, object] = {
        'command_out_type': controller.command_type,
        'command_out_topic': controller.topic,
        'command_joints': controller_parameters.get('joints'),
    }
    if is_array and isinstance(rate, int | float):  # else it interpolates between them
        found['publish_rate'] = float(rate)
    return {name: value for name, value in found.items() if value}


def joints_refusal(
    name: str, controller_parameters: Mapping[str, object], command_type: str, joints: Sequence[str]
) -> str:
    """Return why commands for some joints are not for a controller; empty if they are.

    A trajectory names its joints, in any order; an array has the positions in the controller's.
    A controller without the parameter ``joints`` refuses nothing.
    """
    own = controller_parameters.get('joints')
    if not is_sequence(own) or not own or list(own) == list(joints):
        return ''
    may_be_some = controller_parameters.get('allow_partial_joints_goal') is True
    has_all = {*joints} <= {*own} and (may_be_some or len(joints) == len(own))
    if has_all and command_type == TRAJECTORY:
        return ''
    return (
        f"controller '{name}' has the joints {listed(map(str, own))}; the node commands "
        f"{listed(joints)}: parameter 'command_joints' must be left out, or the controller's "
        'joints in its order, and all joints of the arm must be among them'
    )


class ControllerPresence:
    """Watches the subscriptions: if the first commands were lost, the arm would jump."""

    def __init__(self) -> None:
        """Start without subscriptions; ``is_present``: whether commands are received."""
        self.is_present, self._since = False, dict[object, float]()

    def update(self, listeners: Iterable[object], now: float) -> None:
        """Take note of the known subscriptions at a time of a steady clock in s.

        The newest counts: those of a restarted controller differ. One that vanishes beside others
        does not matter: a killed controller is known for as long as its lease.
        """
        self._since = {each: self._since.get(each, now) for each in listeners}
        self.is_present = now - max(self._since.values(), default=math.inf) >= DISCOVERY_TIME
