"""Joints: of a chain, each with its link, the turntable or lift before it, the roll after it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ik2d_ros.kinematics.arguments import (
    LARGEST_ANGLE,
    LARGEST_LENGTH,
    LARGEST_POSITION,
    ArgumentError,
    ChainError,
    FloatArray,
    finite,
    finite_row,
    name_of,
    named,
    numbers,
    read_only,
    refusal,
    replace_fields,
    shown,
    span,
    text,
    warn_of,
)
from ik2d_ros.kinematics.plane import Vector, direction, unit_vector, vector

TYPES = ('revolute', 'prismatic')


class _Limited:
    """A joint with two limits or none."""

    name: str
    lower: float | None
    upper: float | None

    @property
    def unit(self) -> str:
        """Unit of its positions: ``rad`` or ``m``."""
        return 'rad'

    def _keep(self, **fields: object) -> None:
        """Check name and limits, and keep them and other checked fields."""
        name = name_of('joint', self.name)
        lower, upper = _both_or_none(name, self.unit, lower=self.lower, upper=self.upper)
        replace_fields(self, name=name, lower=lower, upper=upper, **fields)
        for what, value in zip(('lower limit', 'upper limit'), self.limits):
            warn_of(what, value, self.unit, name)

    @property
    def continuous(self) -> bool:
        """Whether the joint has no position limits."""
        return self.lower is None

    @property
    def limits(self) -> tuple[float, float]:
        """(lower, upper) position in rad or m, -inf and inf where there are none."""
        if self.lower is None or self.upper is None:
            return -math.inf, math.inf
        return self.lower, self.upper

    @property
    def middle(self) -> float:
        """Middle of its range in rad or m; 0 where there are no limits."""
        lower, upper = self.limits
        return 0.0 if self.continuous else 0.5 * lower + 0.5 * upper

    def nearest(self, angle: float, near: float) -> float:
        """Return the position for an angle: that, or else whole turns aside within the limits.

        Of a continuous joint it is the one nearest to a position. Where limits forbid all, it is
        the limit nearest to the angle.
        """
        lower, upper = self.lower, self.upper
        if lower is not None and upper is not None and lower <= angle <= upper:
            return angle
        short_way = near + math.remainder(angle - near, math.tau)
        if lower is None or upper is None:
            return short_way
        for turned in (short_way, lower + (angle - lower) % math.tau):
            if lower <= turned <= upper:
                return turned
        return min((lower, upper), key=lambda end: abs(math.remainder(end - angle, math.tau)))


@dataclass(frozen=True)
class Joint(_Limited):
    """One joint and the link that it carries.

    A prismatic joint slides its link along the link vector's direction, or along the x-axis of its
    frame where that vector is zero: at position q the link is ``link + axis * q * direction``. The
    link frame is then fixed, turned by ``offset``.

    Attributes:
        name: the joint's name, unique in its chain.
        link: vector from this joint to the next one (or to the tip), in m, in the frame that turns
            with the joint; of a prismatic joint where its position is 0.
        lower, upper: limits of its position in rad; both None for a continuous joint; in m and
            required for a prismatic one.
        offset: angle of the link frame in rad where the position is 0.
        axis: +1 or -1, the sense of rotation about the plane's normal, or of sliding along the
            link.
        type: ``revolute`` or ``prismatic``.
        absolute: whether ``axis * q + offset`` is the direction of the link frame in the plane,
            independent of the joints before, as in linkages whose motors sit at the base.
        min_bend, max_bend: of an absolute joint, limits in rad of the angle from the link before to
            its link, or None: of the difference of the two directions, or that and whole turns if
            limits of positions leave none of it. Where a joint on the way is continuous, whole
            turns do not count.

    Raises:
        ChainError: a value is not of its kind or out of its range.
    """

    name: str
    link: tuple[float, float]
    lower: float | None = None
    upper: float | None = None
    offset: float = 0.0
    axis: int = 1
    type: str = 'revolute'
    absolute: bool = False
    min_bend: float | None = None
    max_bend: float | None = None

    def __post_init__(self) -> None:
        name, kind = name_of('joint', self.name), text(self.type)
        if kind not in TYPES:
            raise _refused(name, 'type', self.type, f'one of {", ".join(TYPES)}')
        if not isinstance(self.absolute, bool) or (self.absolute and self.slides):
            allowed = 'True or False, and False where the joint is prismatic'
            raise _refused(name, 'absolute', self.absolute, allowed)
        ends = {'min_bend': self.min_bend, 'max_bend': self.max_bend}
        given = [field for field, bend in ends.items() if bend is not None]
        if given and not self.absolute:
            allowed = 'None: only absolute joints have limits of their bends'
            raise _refused(name, given[0], ends[given[0]], allowed)
        if self.slides and self.lower is None and self.upper is None:
            words = 'lower and upper limit are missing; a prismatic joint needs both, in m'
            raise ChainError(f'joint {shown(name)}: {words}', 'lower', 'upper')
        least, most = _both_or_none(name, 'rad', **ends)
        self._keep(
            type=kind,
            link=plane_vector('link', self.link, f'joint {shown(name)}: '),
            offset=_in_range(name, 'offset', self.offset, LARGEST_ANGLE, 'rad'),
            axis=_sense(name, self.axis),
            min_bend=least,
            max_bend=most,
        )
        warn_of('link', self.length, 'm', name)
        warn_of('offset', self.offset, 'rad', name)

    @property
    def length(self) -> float:
        """Length of the link in m; of a prismatic joint where its position is 0."""
        return math.hypot(*self.link)

    @property
    def direction(self) -> float:
        """Direction of the link in its frame in rad; 0 where it has no length."""
        return math.atan2(self.link[1], self.link[0]) if self.length else 0.0

    def with_link(self, link: tuple[float, float]) -> Joint:
        """Return the joint with another link vector in m; its frame keeps its limits."""
        turned = replace(self, link=link).direction - self.direction
        bends = (self.min_bend, self.max_bend)
        least, most = (None if bend is None else bend + turned for bend in bends)
        return replace(self, link=link, min_bend=least, max_bend=most)

    @property
    def slides(self) -> bool:
        """Whether the joint is prismatic."""
        return self.type == 'prismatic'

    @property
    def turns(self) -> float:
        """How far its link turns per unit of its position: +1 or -1; 0 of a prismatic joint."""
        return 0.0 if self.slides else float(self.axis)

    @property
    def unit(self) -> str:
        """Unit of its positions: ``m`` of a prismatic joint, else ``rad``."""
        return 'm' if self.slides else 'rad'


@dataclass(frozen=True)
class Turntable(_Limited):
    """A revolute joint before the plane, its axis parallel to the plane: a waist, a swing, a hip.

    The axis need not lie in the plane.

    Attributes:
        xyz: a point on the axis, in m, in the base frame.
        axis: direction of the axis in the base frame, of any length but zero.
        lower, upper: limits of its position in rad; both None for a continuous joint.
        name: the joint's name; not one of the chain's.

    Raises:
        ChainError: a value is not of its kind or out of its range.
    """

    xyz: Vector = (0.0, 0.0, 0.0)
    axis: Vector = (0.0, 0.0, 1.0)
    lower: float | None = None
    upper: float | None = None
    name: str = 'turntable'

    def __post_init__(self) -> None:
        of = f'joint {shown(self.name)}: '
        xyz = vector('xyz', self.xyz, LARGEST_LENGTH, 'm', of)
        self._keep(xyz=xyz, axis=direction('axis', self.axis, of))


@dataclass(frozen=True)
class Lift(_Limited):
    """A prismatic joint along the plane's normal: the z of a SCARA, wherever in the chain it sits.

    Attributes:
        axis: +1 or -1: along the plane's normal, or against it.
        lower, upper: limits of its position in m; both None where there is no limit.
        name: the joint's name; not one of the chain's.

    Raises:
        ChainError: a value is not of its kind or out of its range.
    """

    axis: int = 1
    lower: float | None = None
    upper: float | None = None
    name: str = 'lift'

    def __post_init__(self) -> None:
        self._keep(axis=_sense(self.name, self.axis))

    @property
    def unit(self) -> str:
        """Unit of its positions: ``m``."""
        return 'm'


@dataclass(frozen=True)
class Roll(_Limited):
    """A revolute joint that turns the tip about an axis in the plane: the wrist roll of an arm.

    The tip may be beside that axis; then rolling moves it, also out of the plane.

    Attributes:
        axis: direction of the axis in the frame of the chain's last link, of any length but zero.
        origin: a point on the axis in that frame, in m.
        tip_z: where the tip is along the plane's normal with the roll at 0, in m. The last link's
            vector says where it is in the plane.
        lower, upper: limits of its position in rad; both None for a continuous joint.
        name: the joint's name; not one of the chain's.

    Raises:
        ChainError: a value is not of its kind or out of its range.
    """

    axis: tuple[float, float] = (1.0, 0.0)
    origin: tuple[float, float] = (0.0, 0.0)
    tip_z: float = 0.0
    lower: float | None = None
    upper: float | None = None
    name: str = 'roll'

    def __post_init__(self) -> None:
        row = finite_row(self.axis, 2)
        axis = unit_vector((row[0], row[1], 0.0)) if row else None
        if axis is None:
            allowed = 'two finite numbers, [x, y], not both of them 0: it lies in the plane'
            raise _refused(self.name, 'axis', self.axis, allowed)
        self._keep(
            axis=axis[:2],
            origin=plane_vector('origin', self.origin, f'joint {shown(self.name)}: '),
            tip_z=_in_range(self.name, 'tip_z', self.tip_z, LARGEST_LENGTH, 'm'),
        )

    def beside(self, link: tuple[float, float]) -> float:
        """Return how far the end of a last link is to the left of the axis, in m."""
        (x, y), (a, b), (c, d) = link, self.origin, self.axis
        return c * (y - b) - d * (x - a)


class JointRow:
    """Several joints in a row, from the base to the tip: their limits, as tuples and as arrays."""

    all_joints: tuple[Joint | Turntable | Lift | Roll, ...]

    def __getstate__(self) -> dict[str, object]:
        # The solver's tables are not sent to another process.
        return {name: value for name, value in vars(self).items() if name != 'solver'}

    def __len__(self) -> int:
        return len(self.all_joints)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the joints: turntable or lift, then the chain's, then the roll."""
        return tuple(joint.name for joint in self.all_joints)

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Unit of each joint's positions, ``rad`` or ``m``."""
        return tuple(joint.unit for joint in self.all_joints)

    @cached_property
    def has_bend_limits(self) -> bool:
        """Whether any joint has limits of its bend."""
        return any(isinstance(j, Joint) and j.min_bend is not None for j in self.all_joints)

    def project_to_bend_limits(self, positions: Sequence[float]) -> list[float]:
        """Return positions (n,) within the limits of positions, moved within those of bends."""
        raise NotImplementedError

    def project_poses(self, poses: FloatArray) -> FloatArray:
        """Return poses (k, n) within the limits of positions, moved within those of bends."""
        if not self.has_bend_limits:
            return poses
        return np.array([*map(self.project_to_bend_limits, poses.tolist())])

    @cached_property
    def middle(self) -> tuple[float, ...]:
        """Middle of each joint's range in rad or m, 0 for continuous ones; bends are kept to."""
        return tuple(self.project_to_bend_limits([joint.middle for joint in self.all_joints]))

    @cached_property
    def limits(self) -> tuple[tuple[float, float], ...]:
        """(lower, upper) position of each joint in rad or m, -inf and inf where there are none."""
        return tuple(joint.limits for joint in self.all_joints)

    @cached_property
    def lower(self) -> FloatArray:
        """(n,) smallest positions in rad or m, -inf where there are none; read-only."""
        return read_only([lower for lower, _ in self.limits])

    @cached_property
    def upper(self) -> FloatArray:
        """(n,) largest positions in rad or m, inf where there are none; read-only."""
        return read_only([upper for _, upper in self.limits])

    def poses(self, what: str, values: object) -> FloatArray:
        """Return poses (..., n) of numbers up to 1e9; a message calls them ``what``."""
        found = numbers(what, values)
        if found.ndim == 0 or found.shape[-1] != len(self):
            raise ArgumentError(
                f'{what} has shape {found.shape}; it must hold {len(self)} positions, '
                f'one for each of {named(self.names)}'
            )
        if not (np.abs(found) <= LARGEST_POSITION).all():
            where = tuple(np.argwhere(~(np.abs(found) <= LARGEST_POSITION))[0].tolist())
            of = f'{what}{list(where)} of joint {shown(self.names[where[-1]])}'
            allowed = f'a finite number {span(LARGEST_POSITION, self.units[where[-1]])}'
            raise ArgumentError(refusal(of, float(found[where]), allowed))
        return found


def check_names(names: Sequence[str], *fields: str) -> None:
    """Refuse names of joints that are not unique."""
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise ChainError(f'joint names must be unique; given twice: {named((*twice,))}', *fields)


def plane_vector(field: str, value: object, of: str = '') -> tuple[float, float]:
    """Return two numbers in m, none beyond 1e4; a message calls them by ``of`` and the field."""
    row = finite_row(value, 2, LARGEST_LENGTH)
    if row is None:
        allowed = f'two numbers, [x, y], {span(LARGEST_LENGTH, "m")}'
        raise ChainError(refusal(f'{of}{field}', value, allowed), field)
    return row[0] + 0.0, row[1] + 0.0


def _both_or_none(name: str, unit: str, **ends: float | None) -> tuple[float | None, float | None]:
    """Check a least and a largest value of a joint: both are given, or none."""
    largest = LARGEST_LENGTH if unit == 'm' else LARGEST_ANGLE
    low, high = (
        None if end is None else _in_range(name, what, end, largest, unit)
        for what, end in ends.items()
    )
    if low is None and high is None:
        return None, None
    least, most = ends
    if low is None or high is None:
        given, missing = (most, least) if low is None else (least, most)
        words = f'{given} without {missing}; give both, or neither'
    elif low > high:
        words = f'{least} {low} is above {most} {high}; it must be equal or below'
    else:
        return low, high
    raise ChainError(f'joint {shown(name)}: {words}', *ends)


def _in_range(name: str, what: str, value: object, largest: float, unit: str) -> float:
    number = finite(value)
    if number is None or abs(number) > largest:
        raise _refused(name, what, value, f'a finite number {span(largest, unit)}')
    return number + 0.0  # Chains with 0 and -0 are equal and must behave alike.


def _sense(name: str, value: object) -> int:
    axis = finite(value)
    if axis not in (1.0, -1.0):
        raise _refused(name, 'axis', value, '+1 or -1')
    return int(axis)


def _refused(name: str, field: str, value: object, allowed: str) -> ChainError:
    return ChainError(refusal(f'joint {shown(name)}: {field}', value, allowed), field)
