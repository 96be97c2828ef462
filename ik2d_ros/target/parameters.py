"""The parameters of the demo targets: one table, checked; no ROS in here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.plane import Vector
from ik2d_ros.parameters.checks import choice, integer, not_negative, numbers, positive, refuse
from ik2d_ros.target.paths import SHAPES, Point


@dataclass(frozen=True)
class TargetSettings:
    """Which targets to publish.

    Attributes:
        path: a key of ``paths.SHAPES``.
        rate: targets per second, in Hz.
        period: seconds per lap.
        center: (x, y) of the path's centre in m, in the plane of ``base_xyz`` and ``base_rpy``.
        size: radius of the smallest disc that holds the path, in m.
        frame_id: the frame of the targets; empty is the receiving node's base frame.
        seed: picks the points of the random path.
        paused: whether no targets are published; the path goes on where it stopped.
        yields: whether it pauses at the first target that someone else publishes.
        base_xyz: origin of the plane in ``frame_id``, in m.
        base_rpy: roll, pitch, yaw of the plane in ``frame_id``, in rad (URDF convention).
    """

    path: str = 'circle'
    rate: float = 20.0
    period: float = 8.0
    center: Point = (0.35, 0.0)
    size: float = 0.15
    frame_id: str = ''
    seed: int = 0
    paused: bool = False
    yields: bool = False
    base_xyz: Vector = (0.0, 0.0, 0.0)
    base_rpy: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class TargetParameter:
    """One row of the table.

    Attributes:
        field: the field of ``TargetSettings`` that it fills.
        description: one line, with the unit.
        check: gives the checked value of (name, value), or raises ConfigError.
    """

    field: str
    description: str
    check: Callable[[str, object], object]

    @property
    def default(self) -> object:
        """The value where none is given, as ROS holds it."""
        value = getattr(TargetSettings, self.field)
        return list(value) if isinstance(value, tuple) else value


def _frame(name: str, value: object) -> str:
    allowed = "the name of a frame, or empty for the receiving node's base frame"
    return value if isinstance(value, str) else refuse(name, value, allowed)


def _truth(name: str, value: object) -> bool:
    return value if isinstance(value, bool) else refuse(name, value, 'true or false')


def _numbers(count: int, unit: str) -> Callable[[str, object], object]:
    return partial(numbers, count=count, allowed=f'a list of {count} finite numbers, in {unit}')


PARAMETERS: Mapping[str, TargetParameter] = MappingProxyType(
    {
        'path': TargetParameter(
            'path', f'One of {", ".join(SHAPES)}', partial(choice, valid=tuple(SHAPES))
        ),
        'rate': TargetParameter(
            'rate', 'Targets per second [Hz]', partial(positive, allowed='a number > 0, in Hz')
        ),
        'period': TargetParameter(
            'period', 'Time for one lap [s]', partial(positive, allowed='a number > 0, in s')
        ),
        'center': TargetParameter('center', 'x and y of the centre [m]', _numbers(2, 'm')),
        'size': TargetParameter(
            'size',
            'Radius of a circle, half the length of a line [m]',
            partial(not_negative, allowed='a number >= 0, in m'),
        ),
        'frame_id': TargetParameter(
            'frame_id', "Frame of the targets; empty: the receiving node's base frame", _frame
        ),
        'seed': TargetParameter(
            'seed', 'Picks the points of path random', partial(integer, least=0)
        ),
        'paused': TargetParameter('paused', 'Publish no targets for the time being', _truth),
        'yields': TargetParameter(
            'yields', 'Pause at the first target that someone else publishes', _truth
        ),
        # The arm's own names: its parameter file then puts the path into its plane.
        'base.xyz': TargetParameter(
            'base_xyz', 'Origin of the plane of the path in frame_id [m]', _numbers(3, 'm')
        ),
        'base.rpy': TargetParameter(
            'base_rpy', 'Roll, pitch, yaw of the plane of the path [rad]', _numbers(3, 'rad')
        ),
    }
)
"""Every parameter of ``ik2d_target``, by name."""


def settings_from_parameters(parameters: Mapping[str, object]) -> TargetSettings:
    """Check parameters by name; what is missing or None takes its default, others are left alone.

    Raises:
        ConfigError: a value is refused.
    """
    checked = {
        row.field: row.check(name, parameters[name])
        for name, row in PARAMETERS.items()
        if parameters.get(name) is not None
    }
    return TargetSettings(**checked)  # type: ignore[arg-type]  # each check gives its field's type


def demo_parameters(arm: ArmDescription) -> dict[str, object]:
    """Parameters by name of a path in an arm's plane that leaves its reach now and then.

    It runs from behind the base to beyond the reach: every reason for not reaching comes up.
    """
    outer = arm.chain.reach.outer
    return {
        'path': 'eight',
        'rate': 50.0,
        'period': 6.0,
        'center': [0.545 * outer, 0.0],
        'size': 0.6 * outer,
        'base.xyz': list(arm.base_xyz),
        'base.rpy': list(arm.base_rpy),
    }
