"""Parameters of an arm, with a robot description among them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ik2d_ros.arm.description import ArmDescription, arm_from_parameters
from ik2d_ros.arm.fields import ARM_PARAMETERS
from ik2d_ros.parameters.checks import ConfigError, Numbers, Text, read_numbers, refuse
from ik2d_ros.parameters.file import load_parameters, naming, rewritten
from ik2d_ros.parameters.table import Row, Table

if TYPE_CHECKING:
    from ik2d_ros.robot.find import Remark
    from ik2d_ros.robot.model import Robot

NOTHING: Mapping[str, object] = MappingProxyType({})


def _text(name: str, value: object, allowed: str) -> str:
    return value if isinstance(value, str) else refuse(name, value, allowed)


DESCRIPTION_PARAMETERS = Table(
    (
        Row(
            'robot_description',
            _text,
            'The robot, if the arm is read from it, from base_frame to tip_frame',
            allowed='the text of a URDF, or empty',
            default='',
        ),
        Row(
            'tip_frame',
            Text(empty=True),
            'The link of robot_description to bring to the target',
            allowed='the name of a link, or empty for the only one possible',
            default='',
        ),
        Row(
            'tip_offset',
            Numbers(3),
            'Where in the frame of tip_frame the tip is',
            'm',
            default=[0.0, 0.0, 0.0],
        ),
    )
)
"""The parameters for reading the arm from a robot description."""


def with_description(given: Mapping[str, object]) -> tuple[dict[str, object], Sequence[Remark]]:
    """Return parameters, completed from a robot description among them, and remarks for the user.

    They override the description and add what it lacks: limits, velocities, ``hold.<joint>``.
    Without one, or where ``joints`` describe the arm, they stay the same.

    Raises:
        ConfigError: the description is refused, or there is no arm in it; the message says why.
    """
    checked = DESCRIPTION_PARAMETERS.checked(given)
    text, tip = checked.get('robot_description', ''), checked.get('tip_frame', '')
    if not text or given.get('joints') is not None:
        return dict(given), ()
    # Here, since most nodes start without a description, and XML is slow to import.
    from ik2d_ros.robot.find import ImportOptions  # noqa: PLC0415
    from ik2d_ros.robot.importing import import_arm  # noqa: PLC0415
    from ik2d_ros.robot.urdf import read_robot  # noqa: PLC0415

    robot = read_robot(text, "parameter 'robot_description'")
    base = robot.default_base
    if given.get('base_frame') is not None:
        base = ARM_PARAMETERS['base_frame'].checked(given['base_frame'])
    options = ImportOptions(
        hold=positions_in(given, robot),
        tip=checked.get('tip_offset', (0.0, 0.0, 0.0)),
        parameters=given,
    )
    try:
        imported = import_arm(robot, base, tip, options)
    except ConfigError as error:
        raise ConfigError(f"parameter 'robot_description': {error}") from None
    complete: dict[str, Any] = {
        name: value
        for name, value in imported.parameters.items()
        if not (name.endswith('.link') and f'{name[:-4]}length' in given)
        and not name.startswith('hold.')  # given, or only assumed
    }
    own = {'tip_frame': complete['tip_frame'], 'joints': complete['joints']}
    return {**complete, **given, **own}, imported.remarks


def positions_in(parameters: Mapping[str, object], robot: Robot) -> dict[str, float]:
    """Return where parameters hold joints of a robot, or assume them, in rad or m by name."""
    positions = dict[str, float]()
    for family, name in product(('hold', 'assumes'), robot.by_name):
        value = read_numbers(parameters.get(f'{family}.{name}'), ('deg',))
        if isinstance(value, int | float) and math.isfinite(value):
            positions[name] = float(value)
    return positions


def load_completed(
    path: str | Path, node_name: str = 'ik2d', overrides: Mapping[str, object] = NOTHING
) -> dict[str, object]:
    """Return the parameters in a file, with overrides, completed from a robot description in it.

    They describe the arm by themselves, without the description.

    Raises:
        ConfigError: the file or the description is refused; the message names the file.
    """
    loaded = load_parameters(path, node_name)
    given = {name: ARM_PARAMETERS.read(name, value) for name, value in loaded.items()}
    with naming(path):
        completed, _ = with_description({**given, **overrides})
    completed.pop('robot_description', None)
    return completed


def save_completed(path: str | Path, node_name: str, parameters: Mapping[str, object]) -> str:
    """Return the text of a parameter file with other parameters, as of :func:`load_completed`.

    Comments, nesting and degrees stay. With other joints than those of a robot description in it,
    that is left out.

    Raises:
        ConfigError: the file or the description is refused; the message names the file.
    """
    before, known = load_completed(path, node_name), load_parameters(path, node_name)
    if known.get('robot_description') and before['joints'] != parameters['joints']:
        before = known
    names = [name for name in {**before, **parameters} if before.get(name) != parameters.get(name)]
    return rewritten(path, node_name, {name: parameters.get(name) for name in names})


def load_arm(path: str | Path, node_name: str = 'ik2d') -> ArmDescription:
    """Read the arm from a parameter file; see :func:`load_completed`.

    Raises:
        ConfigError: the file is refused; the message names it.
    """
    parameters = load_completed(path, node_name)
    with naming(path):
        return arm_from_parameters(parameters)
