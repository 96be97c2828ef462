"""The parameters of ``ik2d_merge``: table and settings; no ROS imports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ik2d_ros.control.drive import (
    ARRAY,
    DRIVE_PARAMETERS,
    FOLLOWING_PARAMETERS,
    TRAJECTORY,
    Drive,
    drive_from_parameters,
)
from ik2d_ros.node.parameters import SETTINGS
from ik2d_ros.parameters.checks import Choice, ConfigError
from ik2d_ros.parameters.table import Table

PARAMETERS = Table(
    (
        SETTINGS['publish_rate'],
        replace(
            DRIVE_PARAMETERS['command_out_type'],
            default=TRAJECTORY,
            allowed=f'{TRAJECTORY} or {ARRAY}',
            check=Choice((TRAJECTORY, ARRAY)),
        ),
        DRIVE_PARAMETERS['command_out_topic'],
        DRIVE_PARAMETERS['command_joints'],
        *FOLLOWING_PARAMETERS.rows,
    ),
    DRIVE_PARAMETERS.families,
)
"""Every parameter of ``ik2d_merge``; they mean what they mean for ``ik2d_node``."""


@dataclass(frozen=True)
class MergeSettings:
    """What to command, checked.

    Attributes:
        publish_rate: rate of the commands in Hz, which is that of the limbs, too.
        drive: the controller's topic, type and joints, and where joints are held.
    """

    publish_rate: float
    drive: Drive


def settings_from_parameters(parameters: Mapping[str, object]) -> MergeSettings:
    """Check parameters by name; missing or None means the default, unknown names are ignored.

    Raises:
        ConfigError: a value is refused, or the controller's joints are missing.
    """
    checked = {**PARAMETERS.defaults, **PARAMETERS.checked(parameters)}
    if not checked['command_joints']:
        raise ConfigError(
            "parameter 'command_joints' is missing; it must be a list of the controller's joints, "
            'in its order; or name the controller: --controller NAME'
        )
    # Where joints stand is always measured; those that no limb commands are held there.
    drive = drive_from_parameters({**parameters, 'use_measured_state': True}, ())
    return MergeSettings(float(checked['publish_rate']), drive)
