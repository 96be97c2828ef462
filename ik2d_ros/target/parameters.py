"""The parameters of ``ik2d_target``; no ROS imports."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

from ik2d_ros.kinematics.arguments import LARGEST_ANGLE, LARGEST_LENGTH
from ik2d_ros.kinematics.plane import Plane, Vector
from ik2d_ros.parameters.checks import ANGLE, RATE, Choice, Number, Numbers, Text, Truth, Whole
from ik2d_ros.parameters.table import Table, rows_of, same, setting
from ik2d_ros.target.paths import SHAPES, Point, point_at

# The number of laps is a quotient: it must neither overflow nor lose its fraction.
SHORTEST_LAP = 1e-3  # s
LONGEST_LAP = 1e9  # s


@dataclass(frozen=True)
class TargetSettings:
    """Which targets to publish; the descriptions of the rows say what each is."""

    path: str = setting('circle', Choice(SHAPES), 'Shape of the path')
    rate: float = setting(20.0, RATE, 'Targets per second', unit='Hz')
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
    frame_id: str = setting(
        '',
        Text(empty=True),
        "Frame of the targets; empty: the receiving node's base frame",
        allowed="the name of a frame, or empty for the receiving node's base frame",
    )
    as_path: bool = setting(
        False,
        Truth(),
        'Whether to send lap after lap as paths on ik2d/path, each when the one before is passed',
    )
    seed: int = setting(0, Whole(least=0), 'Seed of the random path')
    paused: bool = setting(False, Truth(), 'Whether to stop publishing; the path resumes')
    yields: bool = setting(
        False,
        Truth(),
        'Whether to pause when another node publishes a target',
    )
    # Not tip_angle: an arm's parameter file, which may be given too, has that for all targets.
    angle: float = setting(
        math.nan,
        replace(ANGLE, nan=True),
        'Direction of the tip in the plane of the path, for ik2d/target_pose; NaN: targets '
        'without one, on ik2d/target',
        unit='rad',
    )
    # The same names as for the arm, so that its parameter file puts the path into its plane.
    base_xyz: Vector = setting(
        (0.0, 0.0, 0.0),
        Numbers(3, largest=LARGEST_LENGTH),
        'Origin of the plane of the path in frame_id',
        name='base.xyz',
        unit='m',
    )
    base_rpy: Vector = setting(
        (0.0, 0.0, 0.0),
        Numbers(3, largest=LARGEST_ANGLE),
        'Roll, pitch, yaw of the plane of the path in frame_id (URDF convention)',
        name='base.rpy',
        unit='rad',
    )

    @cached_property
    def plane(self) -> Plane:
        """The plane of the path."""
        return Plane.from_pose(self.base_xyz, self.base_rpy)

    def place_after(self, laps: float) -> Vector:
        """Return the point of the path after some laps, in m."""
        return self.plane.point(*point_at(self.path, laps, self.center, self.size, self.seed))

    @property
    def parameters(self) -> dict[str, object]:
        """The parameters by name that are not at their defaults."""
        values = {name: getattr(self, name.replace('.', '_')) for name in PARAMETERS}
        given = {name: [*v] if isinstance(v, tuple) else v for name, v in values.items()}
        return {name: v for name, v in given.items() if not same(v, PARAMETERS[name].default)}


PARAMETERS = Table(rows_of(TargetSettings))
"""Every parameter of ``ik2d_target``."""

settings_from_parameters = PARAMETERS.judge(TargetSettings)
