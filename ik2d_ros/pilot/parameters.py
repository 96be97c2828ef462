"""The parameters of ``ik2d_node``: table, settings and joint checks; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ik2d_ros.arm.description import ArmDescription, arm_from_parameters
from ik2d_ros.arm.fields import ARM_PARAMETERS
from ik2d_ros.control.commanded_joints import CommandedJoints, velocity_limited
from ik2d_ros.control.settings import CONTROL_PARAMETERS, ControlSettings, control_settings
from ik2d_ros.kinematics import SOLVERS
from ik2d_ros.kinematics.options import angle_refusal
from ik2d_ros.parameters.checks import ConfigError, Names, listed, refuse
from ik2d_ros.parameters.table import Row, Table, of_each
from ik2d_ros.planning.settings import SETTINGS, Settings
from ik2d_ros.robot.from_urdf import DESCRIPTION_PARAMETERS


@dataclass(frozen=True)
class Configuration:
    """The content of the parameters.

    Attributes:
        arm: the arm.
        settings: how to answer targets.
        control: how to drive the arm.
        poses: positions of joints in rad or m, by the names of poses and joints.
    """

    arm: ArmDescription
    settings: Settings
    control: ControlSettings = field(default_factory=ControlSettings)
    poses: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def commanded_joints(self) -> CommandedJoints:
        """The joints that are commanded."""
        return CommandedJoints(self.arm, self.control)


POSES = of_each('poses.<name>.<joint>', 'Where a joint is in a named pose')

PARAMETERS = Table(
    (SETTINGS | CONTROL_PARAMETERS | DESCRIPTION_PARAMETERS | ARM_PARAMETERS).values(),
    (*ARM_PARAMETERS.families, *CONTROL_PARAMETERS.families, POSES),
)
"""Every parameter of the node."""

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
    )
)
"""Parameters that are read once, when the process starts, by its given name and namespace."""

OF_ANY_NODE = (PARAMETERS, FLEET_PARAMETERS)
"""The tables that a file for any node (``/**``) is checked against."""


def configuration_from_parameters(parameters: Mapping[str, object]) -> Configuration:
    """Check a set of parameters as a whole.

    Args:
        parameters: values by flat dotted name; missing or None means the default, unknown names
            other than ``chain.*`` and ``hold.*`` are ignored.

    Raises:
        ConfigError: a value is refused, on its own or in combination.
    """
    settings = Settings(**SETTINGS.checked(parameters))
    arm = arm_from_parameters(parameters)
    usable = solvers_for(arm)
    if settings.solver not in usable:
        words = f"{' or '.join(usable)} for {len(arm.chain)} joints; 'two_bone' is for exactly two"
        refuse('solver', settings.solver, words)
    if math.isfinite(settings.tip_angle) and angle_refusal(arm.chain):
        refuse('tip_angle', settings.tip_angle, f'NaN for this arm: {angle_refusal(arm.chain)}')
    if math.isfinite(settings.roll):
        if arm.roll is None:
            refuse('roll', settings.roll, 'NaN for this arm, which has no roll')
        nearest = arm.roll.nearest(settings.roll, settings.roll)
        if abs(math.remainder(nearest - settings.roll, math.tau)) > settings.angle_tolerance:
            words = 'within the limits of the joint, {:g} to {:g} rad'.format(*arm.roll.limits)
            refuse('roll', settings.roll, words)
    control = control_settings(parameters, arm.names)
    if control.use_measured_state:
        arm = velocity_limited(arm, control.following)
    return Configuration(arm, settings, control, _poses(parameters, arm, control))


def check_occupied(
    arm: ArmDescription, before: ArmDescription, occupied: Sequence[tuple[float, float]]
) -> None:
    """Refuse limits that exclude positions of an arm, unless those before did already.

    ``occupied`` has the smallest and the largest position of each joint, (m, 2), as of
    :attr:`.Supervisor.braking_ranges`.

    Raises:
        ConfigError: a limit excludes a position.
    """
    for pose in zip(*occupied, strict=True):
        clamped = arm.clamped(pose), before.clamped(pose)
        for prefix, unit, q, limit, was in zip(
            arm.prefixes, arm.units, pose, *clamped, strict=True
        ):
            if q != limit != was:
                words = f'exclude the present position of the joint, {q:.6g} {unit}'
                raise ConfigError(
                    f"parameter '{prefix}.{'min' if q < limit else 'max'}_position' is "
                    f'{limit:.6g}; it must not {words}'
                )


def _poses(
    parameters: Mapping[str, object], arm: ArmDescription, control: ControlSettings
) -> dict[str, dict[str, float]]:
    """Return the named poses: positions by the names of poses and joints."""
    limits = dict(zip(arm.names, arm.limits, strict=True))
    limits |= {name: control.ends(name) for name in control.holds}
    poses: dict[str, dict[str, float]] = {}
    for name, position in POSES.of_joints(parameters).items():
        pose, _, joint = name.partition('.')
        if not (pose.isidentifier() and pose.isascii() and joint in limits):
            allowed = 'poses.NAME.JOINT: NAME of letters, digits and underscores, JOINT one of'
            raise ConfigError(
                f"parameter 'poses.{name}' is no pose; it must be {allowed} {listed(limits)}"
            )
        lower, upper = limits[joint]
        if not lower <= position <= upper:
            words = f'within the limits of the joint, {lower:g} to {upper:g} rad or m'
            refuse(f'poses.{name}', position, words)
        poses.setdefault(pose, {})[joint] = position
    return poses


def solvers_for(arm: ArmDescription) -> tuple[str, ...]:
    """Return the solvers that an arm can use."""
    return tuple(name for name in SOLVERS if name != 'two_bone' or len(arm.chain) == 2)
