"""From the parameters that an arm's node is started with to its configuration."""

from __future__ import annotations

from collections.abc import Mapping

from rclpy.impl.rcutils_logger import RcutilsLogger

from ik2d_ros.control.drive import ARRAY
from ik2d_ros.motion import smooth
from ik2d_ros.node.asking_controllers import NamedController
from ik2d_ros.parameters.checks import ConfigError, refuse
from ik2d_ros.pilot.parameters import Configuration, configuration_from_parameters
from ik2d_ros.robot.from_urdf import with_description

# rosdep has no key for it. Without the variable, pip refuses on newer systems.
INSTALL = 'PIP_BREAK_SYSTEM_PACKAGES=1 pip install ruckig'


def completed(
    given: Mapping[str, object], controller: NamedController | None, logger: RcutilsLogger
) -> Mapping[str, object]:
    """Complete parameters by a controller and by a robot description, whose remarks are logged.

    Raises:
        ConfigError: the description is refused, or the controller has other joints.
    """
    parameters, remarks = with_description(
        {**controller.defaults, **given} if controller else given
    )
    for remark in remarks:
        text = f'robot_description: {remark.text}'
        if remark.doubt:  # not one call: each place in the code has one level
            logger.warning(text)
        else:
            logger.info(text)
    if controller and 'joints' in parameters:
        controller.check_joints(parameters)
    return parameters


def configuration_of(values: Mapping[str, object], node: str) -> Configuration:
    """Check the parameters of a node as a whole, and that there is what they need.

    Raises:
        ConfigError: a value is refused, a package is missing, or a joint that a controller is to
            move in steps has no velocity limit.
    """
    if 'joints' not in values:
        raise ConfigError(
            f"parameter 'joints' is missing: no parameter file with an arm reached node "
            f"'{node}'; start it with: ik2d_node --ros-args --params-file FILE, where the "
            f"parameters must be under '/**:' (any node) or '{node}:', and there under "
            "'ros__parameters:'"
        )
    configuration = configuration_from_parameters(values)
    arm = configuration.arm
    if smooth.is_needed(arm.motion) and not smooth.is_available():
        for prefix, limits in zip(arm.prefixes, arm.motion, strict=True):
            for field in ('acceleration', 'jerk'):
                if (value := getattr(limits, field)) is not None:
                    words = f'omitted, or the Python package ruckig installed: {INSTALL}'
                    refuse(f'{prefix}.max_{field}', value, words)
    if configuration.drive.command_out_type == ARRAY:
        for prefix, unit, limits in zip(arm.prefixes, arm.units, arm.motion, strict=True):
            if limits.velocity is None:
                words = (
                    f'a number > 0 {unit}/s: the controller takes each command, {ARRAY}, at once'
                )
                refuse(f'{prefix}.max_velocity', None, words)
    return configuration
