"""The arm's parameters where a robot description is one of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ik2d_ros.arm.description import (
    ARM_PARAMETERS,
    ArmDescription,
    arm_from_parameters,
    load_parameters,
)
from ik2d_ros.parameters.checks import ConfigError, refuse
from ik2d_ros.parameters.table import Row, Table
from ik2d_ros.parameters.wording import printable

if TYPE_CHECKING:
    from ik2d_ros.robot.model import Robot
    from ik2d_ros.robot.options import Remark


def _text(name: str, value: object, allowed: str) -> str:
    return value if isinstance(value, str) else refuse(name, value, allowed)


DESCRIPTION_PARAMETERS = Table(
    (
        Row(
            name='robot_description',
            default='',
            allowed='the text of a URDF, or empty',
            check=_text,
            description='The robot, if the arm is read from it, from base_frame to tip_frame',
        ),
        Row(
            name='tip_frame',
            default='',
            allowed='the name of a link, or empty for the only one possible',
            check=_text,
            description='The link of robot_description to bring to the target',
        ),
    )
)
"""The parameters for reading the arm from a robot description."""


def with_description(given: Mapping[str, object]) -> tuple[dict[str, object], tuple[Remark, ...]]:
    """Complete parameters from a robot description among them.

    Args:
        given: values by flat dotted name. They override the description, and give what it leaves
            open: limits, velocities, ``hold.<joint>``, ``joints``.

    Returns:
        The parameters, and remarks for their user. Without a description, or where the parameters
        describe the arm by themselves: the same parameters and no remarks.

    Raises:
        ConfigError: the description is refused, or there is no arm in it; the message says why.
    """
    checked = DESCRIPTION_PARAMETERS.checked(given)
    text, tip = checked.get('robot_description', ''), checked.get('tip_frame', '')
    if not text or ('joints' in given and (not tip or _is_complete(given))):
        return dict(given), ()
    # Here, for most nodes start without a description, and XML takes a while to load.
    from ik2d_ros.robot.find import the_tip  # noqa: PLC0415
    from ik2d_ros.robot.importing import import_arm  # noqa: PLC0415
    from ik2d_ros.robot.load import read_robot  # noqa: PLC0415
    from ik2d_ros.robot.options import ImportOptions  # noqa: PLC0415

    robot = read_robot(text, "parameter 'robot_description'")
    base = 'base_link' if 'base_link' in robot.links else robot.root
    if given.get('base_frame') is not None:
        base = ARM_PARAMETERS['base_frame'].checked(given['base_frame'])
    joints = given.get('joints')
    options = ImportOptions(
        hold=held_in(given, robot),
        joints=tuple(map(str, joints)) if isinstance(joints, list | tuple) else (),
        parameters=given,
    )
    try:
        tip = tip or the_tip(robot, base, options)
        imported = import_arm(robot, base, tip, options)
    except ConfigError as error:
        raise ConfigError(f"parameter 'robot_description': {error}") from None
    complete = {
        name: value
        for name, value in imported.parameters.items()
        if not (name.endswith('.link') and f'{name[:-4]}length' in given)
    }
    return {**complete, **given, 'tip_frame': tip, 'joints': complete['joints']}, imported.remarks


def held_in(parameters: Mapping[str, object], robot: Robot) -> dict[str, float]:
    """Return where parameters hold joints that a robot has, in rad or m by name."""
    return {
        name: float(value)
        for name in robot.by_name
        if isinstance(value := parameters.get(f'hold.{name}'), int | float) and math.isfinite(value)
    }


def _is_complete(given: Mapping[str, object]) -> bool:
    """Return whether parameters say where every joint of their chain is."""
    joints = given['joints']
    return isinstance(joints, list | tuple) and all(
        f'chain.{name}.link' in given or f'chain.{name}.length' in given for name in joints
    )


def load_completed(path: str | Path, node_name: str = 'ik2d') -> dict[str, object]:
    """Read a parameter file, completed from a robot description in it.

    Args:
        path: the file.
        node_name: the node, as in :func:`.load_parameters`.

    Returns:
        Values by flat dotted name that describe the arm by themselves, without the description.

    Raises:
        ConfigError: the file or the description is refused; the message names the file.
    """
    given = load_parameters(path, node_name)
    try:
        completed, _ = with_description(given)
    except ConfigError as error:
        raise ConfigError(f'{printable(str(path))}: {error}') from None
    completed.pop('robot_description', None)
    return completed


def load_described_arm(path: str | Path, node_name: str = 'ik2d') -> ArmDescription:
    """Read the arm from a parameter file as :func:`.load_arm`, and from a description in it.

    Raises:
        ConfigError: the file or the description is refused; the message names the file.
    """
    parameters = load_completed(path, node_name)
    try:
        return arm_from_parameters(parameters)
    except ConfigError as error:
        raise ConfigError(f'{printable(str(path))}: {error}') from None
