"""What messages call the things that the user can say: options of a command, or parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ik2d_ros.parameters.checks import listed
from ik2d_ros.parameters.wording import printable


@dataclass(frozen=True)
class Named:
    """A joint of the arm for a message.

    Attributes:
        joint: its name.
        prefix: that of its parameters: ``turntable``, ``lift`` or ``chain.<joint>``.
    """

    joint: str
    prefix: str


@dataclass(frozen=True)
class Wording:
    """What the things that the user can say are called where the user is asked for them.

    Attributes:
        base: the base link.
        tip: the tip link.
        other_tip: another place for the tip, or several.
        joints: the joints of the plane.
        set_tip: a link, by its name, as the tip.
        hold: a joint, by its name, at a position in rad or m.
        limits: position limits of a joint.
        set_limits: the same with a lower and an upper limit in rad or m.
        endless: that a joint has no limits; None where that cannot be said.
        velocities: velocity limits of joints.
    """

    base: str
    tip: str
    other_tip: str
    joints: str
    set_tip: Callable[[str], str]
    hold: Callable[[str, float | str], str]
    limits: Callable[[Named], str]
    set_limits: Callable[[Named, float, float], str]
    endless: Callable[[Named], str] | None
    velocities: Callable[[Sequence[Named]], str]


def _option_velocities(joints: Sequence[Named]) -> str:
    first = printable(joints[0].joint)
    return f'--velocity {first}=NUMBER, or --velocity NUMBER for all such joints'


def _parameter(named: Named, field: str) -> str:
    return f'{printable(named.prefix)}.{field}'


def _parameter_limits(named: Named, lower: str = '', upper: str = '') -> str:
    least, most = (_parameter(named, field) for field in ('min_position', 'max_position'))
    return f'{least}{lower} and {most}{upper}'


OPTIONS = Wording(
    base='--base',
    tip='--tip',
    other_tip='another --tip, or --tip-offset X,Y,',
    joints='--joints',
    set_tip=lambda link: f'--tip {printable(link)}',
    hold=lambda joint, position: f'--hold {printable(joint)}={_short(position)}',
    limits=lambda named: f'--limits {printable(named.joint)}=LOWER,UPPER',
    set_limits=lambda named, lower, upper: f'--limits {printable(named.joint)}={lower:g},{upper:g}',
    endless=lambda named: f'--limits {printable(named.joint)}=none',
    velocities=_option_velocities,
)
"""The options of ``ik2d import-urdf`` and ``ik2d check``."""

PARAMETERS = Wording(
    base='base_frame',
    tip='tip_frame',
    other_tip='another tip_frame',
    joints='joints',
    set_tip=lambda link: f'tip_frame: {printable(link)}',
    hold=lambda joint, position: f'hold.{printable(joint)}: {_short(position)}',
    limits=_parameter_limits,
    set_limits=lambda named, lower, upper: _parameter_limits(named, f': {lower:g}', f': {upper:g}'),
    endless=None,
    velocities=lambda joints: listed(_parameter(one, 'max_velocity') for one in joints),
)
"""The parameters of the node and of parameter files."""


def _short(position: float | str) -> str:
    return position if isinstance(position, str) else f'{position:g}'
