"""From the parameters that an arm's node is started with to its configuration."""

from __future__ import annotations

from collections.abc import Mapping

from rclpy.impl.rcutils_logger import RcutilsLogger

from ik2d_ros.arm.description import ArmDescription, arm_from_parameters
from ik2d_ros.motion import smooth
from ik2d_ros.parameters.checks import ConfigError, refuse
from ik2d_ros.pilot.parameters import PARAMETERS, Configuration, configuration_from_parameters
from ik2d_ros.robot.from_urdf import with_description

# rosdep has no key for it. Without the variable, pip refuses on newer systems.
INSTALL = 'PIP_BREAK_SYSTEM_PACKAGES=1 pip install ruckig'


def completed(given: Mapping[str, object], logger: RcutilsLogger) -> Mapping[str, object]:
    """Return parameters with those that a robot description gives, and log what that says."""
    parameters, remarks = with_description(given)
    for remark in remarks:
        text = f'robot_description: {remark.text}'
        if remark.doubt:  # not one call: each place in the code has one level
            logger.warning(text)
        else:
            logger.info(text)
    return parameters


def check_arm(given: Mapping[str, object], node: str) -> None:
    """Check what the parameters of a node say of its arm, before anything else is known.

    An empty list is None.

    Raises:
        ConfigError: as of :func:`configuration_of`.
    """
    read = {
        name: [] if value is None else PARAMETERS.read(name, value) for name, value in given.items()
    }
    parameters, _ = with_description(read)
    _check_joints(parameters, node)
    _check_motion(arm_from_parameters(parameters))


def configuration_of(values: Mapping[str, object], node: str) -> Configuration:
    """Check the parameters of a node as a whole, and that there is what they need.

    Raises:
        ConfigError: a value is refused, or a package is missing.
    """
    _check_joints(values, node)
    configuration = configuration_from_parameters(values)
    _check_motion(configuration.arm)
    return configuration


def _check_joints(values: Mapping[str, object], node: str) -> None:
    """Check that there is an arm."""
    if 'joints' not in values:
        raise ConfigError(
            f"parameter 'joints' is missing: no parameter file with an arm reached node "
            f"'{node}'; start it with: ik2d_node --ros-args --params-file FILE, where the "
            f"parameters must be under '/**:' (any node) or '{node}:', and there under "
            "'ros__parameters:'"
        )


def _check_motion(arm: ArmDescription) -> None:
    """Check that the package for the motion limits is installed."""
    if not smooth.is_needed(arm.motion) or smooth.is_available():
        return
    for prefix, limits in zip(arm.prefixes, arm.motion, strict=True):
        for field in ('acceleration', 'jerk'):
            if (value := getattr(limits, field)) is not None:
                words = f'omitted, or the Python package ruckig installed: {INSTALL}'
                refuse(f'{prefix}.max_{field}', value, words)
