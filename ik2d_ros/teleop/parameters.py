"""The parameters of ``ik2d_teleop``; no ROS imports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ik2d_ros.parameters.checks import Number, Text, Whole
from ik2d_ros.parameters.table import Table, rows_of, setting


@dataclass(frozen=True)
class TeleopSettings:
    """How the arm is moved by hand; the rows say what each is."""

    arm: str = setting('ik2d', Text(), "The arm's node", None)
    gripper: str = setting('gripper', Text(), "The gripper's joint", None)
    tip_speed: float = setting(0.05, Number(above=0.0), 'Speed of the tip', unit='m/s')
    joint_speed: float = setting(
        0.5, Number(above=0.0), 'Speed of joints and tip angle', unit='rad/s'
    )
    axis_x: int = setting(1, Whole(least=-1), 'Axis of the gamepad for x; -1: none')
    axis_y: int = setting(0, Whole(least=-1), 'Axis for y')
    axis_z: int = setting(4, Whole(least=-1), 'Axis for z')
    axis_angle: int = setting(3, Whole(least=-1), 'Axis for the tip angle')
    button_enable: int = setting(5, Whole(least=0), 'Button that must be held for any motion')
    button_open: int = setting(1, Whole(least=-1), 'Button that opens the gripper')
    button_close: int = setting(0, Whole(least=-1), 'Button that closes it')
    button_stop: int = setting(2, Whole(least=-1), 'Button that stops the arm')
    button_home: int = setting(3, Whole(least=-1), 'Button that sends it home')


PARAMETERS = Table(rows_of(TeleopSettings))
"""Every parameter of ``ik2d_teleop``."""


def settings_from_parameters(parameters: Mapping[str, object]) -> TeleopSettings:
    """Check parameters by name; missing or None means the default, unknown names are ignored.

    Raises:
        ConfigError: a value is refused.
    """
    return TeleopSettings(**PARAMETERS.checked(parameters))
