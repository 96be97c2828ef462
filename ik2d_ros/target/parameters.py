"""The parameters of ``ik2d_target``: table and settings; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ik2d_ros.kinematics.bounds import LARGEST_ANGLE, LARGEST_LENGTH
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.parameters.checks import Choice, Number, Numbers, Text, Truth, Whole
from ik2d_ros.parameters.table import Effect, Row, Table
from ik2d_ros.ros.timers import HIGHEST_RATE, LOWEST_RATE
from ik2d_ros.target.paths import SHAPES, Point

# The number of laps is a quotient: it must neither overflow nor lose its fraction.
SHORTEST_LAP = 1e-3  # s
LONGEST_LAP = 1e9  # s


@dataclass(frozen=True)
class TargetSettings:
    """Which targets to publish.

    Attributes:
        path: a key of ``paths.SHAPES``.
        rate: publishing rate in Hz.
        period: time per lap in s.
        center: (x, y) of the path's centre in m, in the plane of ``base_xyz`` and ``base_rpy``.
        size: radius of the smallest disc that contains the path, in m.
        frame_id: frame of the targets; empty means the receiving node's base frame.
        seed: seed of the random path.
        paused: whether publishing is paused; the path resumes where it stopped.
        yields: whether to pause when another node publishes a target.
        angle: direction of the tip in the plane of ``base_xyz`` and ``base_rpy``, in rad, to be
            published with each target; NaN for targets without one.
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
    angle: float = math.nan
    base_xyz: Vector = (0.0, 0.0, 0.0)
    base_rpy: Vector = (0.0, 0.0, 0.0)


PARAMETERS = Table(
    (
        Row(
            name='path',
            default=TargetSettings.path,
            affects=Effect.NOTHING,
            check=Choice(tuple(SHAPES)),
            description='Shape of the path',
        ),
        Row(
            name='rate',
            default=TargetSettings.rate,
            unit='Hz',
            affects=Effect.PUBLISHING,
            check=Number(least=LOWEST_RATE, most=HIGHEST_RATE),
            description='Targets per second',
        ),
        Row(
            name='period',
            default=TargetSettings.period,
            unit='s',
            affects=Effect.NOTHING,
            check=Number(least=SHORTEST_LAP, most=LONGEST_LAP),
            description='Time for one lap',
        ),
        Row(
            name='center',
            default=list(TargetSettings.center),
            unit='m',
            affects=Effect.NOTHING,
            check=Numbers(2, largest=LARGEST_LENGTH),
            description='x and y of the centre',
        ),
        Row(
            name='size',
            default=TargetSettings.size,
            unit='m',
            affects=Effect.NOTHING,
            check=Number(least=0.0, most=LARGEST_LENGTH),
            description='Radius of a circle, half the length of a line',
        ),
        Row(
            name='frame_id',
            default=TargetSettings.frame_id,
            allowed="the name of a frame, or empty for the receiving node's base frame",
            affects=Effect.NOTHING,
            check=Text(empty=True),
            description="Frame of the targets; empty: the receiving node's base frame",
        ),
        Row(
            name='seed',
            default=TargetSettings.seed,
            affects=Effect.NOTHING,
            check=Whole(least=0),
            description='Seed of the random path',
        ),
        Row(
            name='paused',
            default=TargetSettings.paused,
            affects=Effect.NOTHING,
            check=Truth(),
            description='Pause publishing',
        ),
        Row(
            name='yields',
            default=TargetSettings.yields,
            affects=Effect.LISTENING,
            check=Truth(),
            description='Pause when another node publishes a target',
        ),
        # Not tip_angle: an arm's parameter file, which may be given too, has that for all targets.
        Row(
            name='angle',
            default=TargetSettings.angle,
            unit='rad',
            affects=Effect.NOTHING,
            check=Number(least=-LARGEST_ANGLE, most=LARGEST_ANGLE, nan=True),
            description='Direction of the tip in the plane of the path, for ik2d/target_pose; '
            'NaN: targets without one, on ik2d/target',
        ),
        # The same names as for the arm, so that its parameter file puts the path into its plane.
        Row(
            name='base.xyz',
            default=list(TargetSettings.base_xyz),
            unit='m',
            affects=Effect.NOTHING,
            check=Numbers(3, largest=LARGEST_LENGTH),
            description='Origin of the plane of the path in frame_id',
        ),
        Row(
            name='base.rpy',
            default=list(TargetSettings.base_rpy),
            unit='rad',
            affects=Effect.NOTHING,
            check=Numbers(3, largest=LARGEST_ANGLE),
            description='Roll, pitch, yaw of the plane of the path in frame_id (URDF convention)',
        ),
    )
)
"""Every parameter of ``ik2d_target``."""


def settings_from_parameters(parameters: Mapping[str, object]) -> TargetSettings:
    """Check parameters by name; missing or None means the default, unknown names are ignored.

    Raises:
        ConfigError: a value is refused.
    """
    return TargetSettings(**PARAMETERS.checked(parameters))
