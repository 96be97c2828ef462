"""What the parameters of one joint say, with the words for what is wrong; no ROS imports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ik2d_ros.parameters.checks import ConfigError, Number, refuse, shown
from ik2d_ros.parameters.table import Row


@dataclass(frozen=True)
class MotionLimits:
    """Motion limits of a joint; None for no limit. A sliding joint has m in place of rad.

    Attributes:
        velocity: rad/s.
        acceleration: rad/s^2.
        jerk: rad/s^3.
    """

    velocity: float | None = None
    acceleration: float | None = None
    jerk: float | None = None


class JointParameters(NamedTuple):
    """The parameters of a joint, as given.

    Attributes:
        prefix: what their names begin with, such as ``chain.elbow`` or ``turntable``.
        rows: what there may be, by field.
        given: values by field.
        needs_limits: whether the joint must have position limits.
    """

    prefix: str
    rows: Mapping[str, Row]
    given: Mapping[str, object]
    needs_limits: bool = False

    def checked(self, field: str, default: Any = None) -> Any:
        """Return the checked value of a field.

        Args:
            field: one of the rows.
            default: what to return if it is not given.

        Raises:
            ConfigError: the value is refused.
        """
        if field not in self.given:
            return default
        return self.rows[field].checked(self.given[field], f'{self.prefix}.{field}')

    def limits(self) -> tuple[float | None, float | None]:
        """Return the smallest and largest position; both None for a joint without limits.

        Raises:
            ConfigError: one of them is refused, missing, or beyond the other.
        """
        ends = ('min_position', 'max_position')
        given = [end for end in ends if end in self.given]
        if len(given) == 1:
            missing = ends[1 - ends.index(given[0])]
            raise ConfigError(
                f"parameter '{self.prefix}.{given[0]}' is {shown(self.given[given[0]])}, but "
                f"'{self.prefix}.{missing}' is not given; give both{self._unlimited}"
            )
        if not given and self.needs_limits:
            raise ConfigError(
                f"parameters '{self.prefix}.min_position' and '{self.prefix}.max_position' are "
                f'missing; a joint of type {self.checked("type")} must have both, in {self._unit}'
            )
        lower, upper = (self.checked(end) for end in ends)
        if given and lower > upper:
            refuse(
                f'{self.prefix}.min_position',
                lower,
                f"<= '{self.prefix}.max_position', which is {upper}",
            )
        return lower, upper

    def home(self) -> float:
        """Return the position at start-up.

        Raises:
            ConfigError: it is refused, or outside the limits.
        """
        lower, upper = self.limits()
        home: float
        if lower is None or upper is None:
            home = self.checked('home', 0.0)
            return home
        if 'home' not in self.given:
            return min(max(0.0, lower), upper)
        allowed = f'inside the limits of the joint, {lower} to {upper} {self._unit}'
        home = Number()(f'{self.prefix}.home', self.given['home'], allowed)
        if not lower <= home <= upper:
            refuse(f'{self.prefix}.home', self.given['home'], allowed)
        return home

    def motion(self) -> MotionLimits:
        """Return the motion limits.

        Raises:
            ConfigError: one is refused.
        """
        return MotionLimits(
            velocity=self.checked('max_velocity'),
            acceleration=self.checked('max_acceleration'),
            jerk=self.checked('max_jerk'),
        )

    @property
    def _unit(self) -> str:
        return self.rows['home'].unit

    @property
    def _unlimited(self) -> str:
        """What to give for no limits, as the end of a sentence; empty if there must be limits."""
        if self.needs_limits:
            return ''
        return f', or neither for {"a continuous joint" if self._unit == "rad" else "no limits"}'
