"""The parameters of ``ik2d_node``: their table, and rules for a set of them as a whole; no ROS."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ik2d_ros.arm.description import ARM_PARAMETERS, ArmDescription, arm_from_parameters
from ik2d_ros.kinematics import BENDS, SOLVERS
from ik2d_ros.parameters.checks import Choice, ConfigError, Number, Whole, refuse
from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.parameters.table import Effect, Row, Table
from ik2d_ros.parameters.wording import printable
from ik2d_ros.ros.timers import HIGHEST_RATE, LOWEST_RATE


@dataclass(frozen=True)
class Settings:
    """How targets are answered, checked.

    Attributes:
        solver: one of ``kinematics.SOLVERS``.
        bend: one of ``kinematics.BENDS``.
        tolerance: distance in m within which a target counts as reached.
        max_iterations: the most passes over the chain.
        unreachable: closest or hold.
        publish_rate: of joint_states, in Hz.
        target_timeout: the most that a target's stamp may be off now, in s; 0 is off.
        plane_tolerance: the most that a target may be off the plane, in m.
    """

    solver: str = 'auto'
    bend: str = 'nearest'
    tolerance: float = 1e-6
    max_iterations: int = 100
    unreachable: str = 'closest'
    publish_rate: float = 50.0
    target_timeout: float = 0.0
    plane_tolerance: float = math.inf


@dataclass(frozen=True)
class Configuration:
    """All that the parameters say: the arm, and how targets are answered."""

    arm: ArmDescription
    settings: Settings


SETTINGS = Table(
    (
        Row(
            name='solver',
            default=Settings.solver,
            affects=Effect.SOLVING,
            check=Choice(SOLVERS),
            description='How targets are solved; auto: two_bone for two joints, else hybrid',
        ),
        Row(
            name='bend',
            default=Settings.bend,
            affects=Effect.SOLVING,
            check=Choice(BENDS),
            description='Which elbow two_bone takes',
        ),
        Row(
            name='tolerance',
            default=Settings.tolerance,
            unit='m',
            affects=Effect.SOLVING,
            check=Number(above=0.0),
            description='Closer to the target than this counts as reached',
        ),
        Row(
            name='max_iterations',
            default=Settings.max_iterations,
            affects=Effect.SOLVING,
            check=Whole(least=1),
            description='The most passes over the chain',
        ),
        Row(
            name='unreachable',
            default=Settings.unreachable,
            affects=Effect.SOLVING,
            check=Choice(('closest', 'hold')),
            description='What to do for a target out of reach',
        ),
        Row(
            name='publish_rate',
            default=Settings.publish_rate,
            unit='Hz',
            affects=Effect.PUBLISHING,
            check=Number(least=LOWEST_RATE, most=HIGHEST_RATE),
            description='How often joint_states is published',
        ),
        Row(
            name='target_timeout',
            default=Settings.target_timeout,
            unit='s',
            affects=Effect.NOTHING,
            check=Number(least=0.0),
            description='A target whose stamp is further than this from now is stale; 0: off',
        ),
        Row(
            name='plane_tolerance',
            default=Settings.plane_tolerance,
            unit='m',
            affects=Effect.SOLVING,
            check=Number(least=0.0, infinite=True),
            description='A target further than this from the plane is refused; nearer, projected',
        ),
    )
)
"""The parameters that say how targets are answered, one for each field of ``Settings``."""

PARAMETERS = Table((*SETTINGS.rows, *ARM_PARAMETERS.rows), ARM_PARAMETERS.families)
"""Every parameter of the node."""


def configuration_from_parameters(parameters: Mapping[str, object]) -> Configuration:
    """Judge a set of parameters as a whole.

    Args:
        parameters: values by flat dotted name; what is missing or None takes its default, unknown
            names that are not ``chain.*`` are left alone.

    Raises:
        ConfigError: a value is refused, by itself or beside the others.
    """
    settings = Settings(**SETTINGS.checked(parameters))
    arm = arm_from_parameters(parameters)
    if settings.solver == 'two_bone' and len(arm.chain) != 2:
        others = ' or '.join(solver for solver in SOLVERS if solver != 'two_bone')
        refuse(
            'solver',
            settings.solver,
            f"{others} for {len(arm.chain)} joints; 'two_bone' is for exactly two",
        )
    return Configuration(arm, settings)


def load_configuration(
    path: Path, overrides: Mapping[str, object] | None = None, node_name: str = 'ik2d'
) -> Configuration:
    """Read a parameter file as the node does.

    Args:
        path: The file.
        overrides: Parameters by name that are used instead of the file's.
        node_name: The node that they are for, as in :func:`load_parameters`.

    Raises:
        ConfigError: The file cannot be read or is refused; the message names file and reason.
    """
    parameters = load_parameters(path, node_name)
    try:
        return configuration_from_parameters({**parameters, **(overrides or {})})
    except ConfigError as error:
        raise ConfigError(f'{printable(str(path))}: {error}') from None
