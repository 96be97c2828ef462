"""One joint of a chain, which turns or slides, and the link that it carries."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ik2d_ros.kinematics.arguments import finite, listed, shown, text
from ik2d_ros.kinematics.bounds import LARGEST_ANGLE, LARGEST_LENGTH
from ik2d_ros.kinematics.errors import ChainError

TYPES = ('revolute', 'prismatic')


@dataclass(frozen=True)
class Joint:
    """One joint and the link that it carries.

    A prismatic joint slides its link along the link vector's direction, or along the x-axis of its
    frame where that vector is zero: at position q the link is ``link + axis * q * direction``. The
    link frame then stands still, turned by ``offset``.

    Attributes:
        name: the joint's name, unique in its chain.
        link: vector from this joint to the next one (or to the tip), in m, in the frame that turns
            with the joint; of a prismatic joint where its position is 0.
        lower: smallest position in rad, or None together with ``upper`` for a continuous joint; in
            m and required for a prismatic one.
        upper: largest position in rad or m.
        offset: angle of the link frame in rad where the position is 0.
        axis: +1 or -1, the sense of rotation about the plane's normal, or of sliding along the
            link.
        type: ``revolute`` or ``prismatic``.

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

    def __post_init__(self) -> None:
        name = text(self.name)
        if not name:
            raise ChainError(
                f'a joint needs a name: a text that is not empty, not {shown(self.name)}'
            )
        object.__setattr__(self, 'name', name)
        kind = text(self.type)
        if kind not in TYPES:
            raise ChainError(
                f'joint {shown(name)}: type is {shown(self.type)}; it must be one of '
                f'{", ".join(TYPES)}'
            )
        object.__setattr__(self, 'type', kind)
        link = self._vector()
        lower = None if self.lower is None else self._position('lower', self.lower)
        upper = None if self.upper is None else self._position('upper', self.upper)
        if (lower is None) != (upper is None):
            missing, given = ('lower', 'upper') if lower is None else ('upper', 'lower')
            raise ChainError(
                f'joint {shown(name)}: {given} limit without {missing} limit; '
                f'give both{"" if self.slides else ", or neither for a continuous joint"}'
            )
        if self.slides and lower is None:
            raise ChainError(
                f'joint {shown(name)}: lower and upper limit are missing; a prismatic joint needs '
                'both, in m'
            )
        if lower is not None and upper is not None and lower > upper:
            raise ChainError(
                f'joint {shown(name)}: lower limit {lower} is above upper limit {upper}; '
                'it must be equal or below'
            )
        axis = finite(self.axis)
        if axis not in (1.0, -1.0):
            raise ChainError(
                f'joint {shown(name)}: axis is {shown(self.axis)}; it must be +1 or -1'
            )
        object.__setattr__(self, 'link', link)
        object.__setattr__(self, 'lower', lower)
        object.__setattr__(self, 'upper', upper)
        object.__setattr__(self, 'offset', self._angle('offset', self.offset))
        object.__setattr__(self, 'axis', int(axis))

    def _vector(self) -> tuple[float, float]:
        items = listed(self.link, 2)
        if items is None or len(items) != 2:
            raise ChainError(
                f'joint {shown(self.name)}: link is {shown(self.link)}; '
                'it must be two numbers, [x, y] in m'
            )
        x, y = items
        return (
            self._number('link', x, LARGEST_LENGTH, 'm'),
            self._number('link', y, LARGEST_LENGTH, 'm'),
        )

    def _position(self, what: str, value: object) -> float:
        if self.slides:
            return self._number(what, value, LARGEST_LENGTH, 'm')
        return self._angle(what, value)

    def _angle(self, what: str, value: object) -> float:
        return self._number(what, value, LARGEST_ANGLE, 'rad')

    def _number(self, what: str, value: object, largest: float, unit: str) -> float:
        number = finite(value)
        if number is None or abs(number) > largest:
            raise ChainError(
                f'joint {shown(self.name)}: {what} is {shown(value)}; it must be a finite number '
                f'from {-largest:.12g} to {largest:.12g}, in {unit}'
            )
        return number + 0.0  # Chains with 0 and -0 are equal, and so must do the same.

    @property
    def length(self) -> float:
        """Length of the link in m; of a prismatic joint where its position is 0."""
        return math.hypot(*self.link)

    @property
    def direction(self) -> float:
        """Direction of the link in its frame in rad; 0 where it has no length."""
        return math.atan2(self.link[1], self.link[0]) if self.length else 0.0

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

    @property
    def continuous(self) -> bool:
        """Whether the joint has no position limits."""
        return self.lower is None
