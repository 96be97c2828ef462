"""Demo paths, and the parameters of ``ik2d_target``; no ROS imports."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from functools import cached_property

from ik2d_ros.kinematics.arguments import LARGEST_ANGLE, LARGEST_LENGTH
from ik2d_ros.kinematics.plane import Plane, Vector
from ik2d_ros.parameters.checks import Choice, Number, Numbers, Truth
from ik2d_ros.parameters.table import Table, rows_of, setting

Point = tuple[float, float]

SHAPES = ('circle', 'line', 'eight', 'random')
HOPS_PER_LAP = 5
# The number of laps is a quotient: it must neither overflow nor lose its fraction.
SHORTEST_LAP = 1e-3  # s
LONGEST_LAP = 1e9  # s


@dataclass(frozen=True)
class TargetSettings:
    """A demo path; the rows describe each field."""

    path: str = setting('circle', Choice(SHAPES), 'Shape of the path')
    period: float = setting(
        8.0, Number(least=SHORTEST_LAP, most=LONGEST_LAP), 'Time for one lap', unit='s'
    )
    center: Point = setting(
        (0.35, 0.0), Numbers(2, largest=LARGEST_LENGTH), 'x and y of the centre', unit='m'
    )
    size: float = setting(
        0.15,
        Number(least=0.0, most=LARGEST_LENGTH),
        'Radius of a circle, half the length of a line',
        unit='m',
    )
    paused: bool = setting(False, Truth(), 'Whether to stop publishing; the path resumes')
    # The same names as for the arm, so that its parameter file puts the path into its plane.
    base_xyz: Vector = setting(
        (0.0, 0.0, 0.0),
        Numbers(3, largest=LARGEST_LENGTH),
        "Origin of the plane of the path in the arm's base frame",
        name='base.xyz',
        unit='m',
    )
    base_rpy: Vector = setting(
        (0.0, 0.0, 0.0),
        Numbers(3, largest=LARGEST_ANGLE),
        'Roll, pitch, yaw of the plane of the path (URDF convention)',
        name='base.rpy',
        unit='rad',
    )

    @cached_property
    def plane(self) -> Plane:
        """The plane of the path."""
        return Plane.from_pose(self.base_xyz, self.base_rpy)

    def place_after(self, laps: float) -> Vector:
        """Return the point of the path after some laps, in m."""
        return self.plane.point(*point_at(self.path, laps, self.center, self.size))

    @property
    def parameters(self) -> dict[str, object]:
        """All parameters by name."""
        values = {name: getattr(self, name.replace('.', '_')) for name in PARAMETERS}
        return {name: [*v] if isinstance(v, tuple) else v for name, v in values.items()}


PARAMETERS = Table(rows_of(TargetSettings))
"""Every parameter of ``ik2d_target``."""

settings_from_parameters = PARAMETERS.judge(TargetSettings)


def point_at(path: str, laps: float, center: Point, size: float) -> Point:
    """Return a point on a demo path.

    A circle begins at its right end, counter-clockwise; a line, along x, in its middle, and slows
    down at its ends; an eight (lemniscate of Gerono, along x) at its crossing. ``random`` jumps
    from point to point, as if the next target were anywhere.

    Args:
        path: one of ``SHAPES``.
        laps: number of laps so far; any finite number, negative ones included.
        center: (x, y) of the path's centre in m.
        size: radius of the smallest disc around the centre that contains the path, in m.

    Returns:
        (x, y) in m, in the frame of ``center``.
    """
    angle = math.tau * (laps % 1.0)  # without full laps, so long runs keep precision
    cos, sin = math.cos(angle), math.sin(angle)
    smooth = {'circle': (cos, sin), 'line': (sin, 0.0), 'eight': (sin, sin * cos)}
    x, y = smooth.get(path) or _scattered(math.floor(laps * HOPS_PER_LAP))
    return center[0] + size * x, center[1] + size * y


def _scattered(hop: int) -> Point:
    """Return a random point, uniform in the unit disc; the same for the same hop."""
    generator = random.Random(hop)  # noqa: S311
    radius = math.sqrt(generator.random())  # the root makes it uniform over the area
    angle = math.tau * generator.random()
    return radius * math.cos(angle), radius * math.sin(angle)
