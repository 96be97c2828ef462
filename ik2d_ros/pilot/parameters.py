"""The parameters of ``ik2d_node``: table, settings and joint checks; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ik2d_ros.arm.description import ArmDescription, arm_from_parameters
from ik2d_ros.arm.fields import ARM_PARAMETERS
from ik2d_ros.control.drive import DRIVE_PARAMETERS, Drive, drive_from_parameters
from ik2d_ros.control.joints import CommandedJoints, paced
from ik2d_ros.kinematics import BENDS, SOLVERS, Arm, Chain, Path, Solution, solve, solve_path
from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.oriented import Orientation, solve_oriented
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.pointing import angle_in, angle_refusal
from ik2d_ros.parameters.checks import (
    ANGLE,
    RATE,
    Choice,
    ConfigError,
    Names,
    Number,
    Truth,
    Whole,
    listed,
    refuse,
)
from ik2d_ros.parameters.table import Effect, Row, Table, of_each, rows_of, setting
from ik2d_ros.robot.from_urdf import DESCRIPTION_PARAMETERS

PLANE_SHARE = 0.02  # of the reach, the default of plane_tolerance
SOLVING, POSITIVE = Effect.SOLVING, Number(above=0.0)


@dataclass(frozen=True)
class Settings:
    """How to answer targets, checked; the rows of the fields say what each is."""

    solver: str = setting(
        'auto', Choice(SOLVERS), 'Solver; auto: two_bone for two joints, else hybrid', SOLVING
    )
    bend: str = setting('nearest', Choice(BENDS), 'Which elbow two_bone takes', SOLVING)
    tolerance: float = setting(
        1e-6, POSITIVE, 'Closer to the target than this counts as reached', SOLVING, unit='m'
    )
    tip_angle: float = setting(
        math.nan,
        replace(ANGLE, nan=True),
        'Tip angle at which ~/target is reached; three joints or more; NaN: any',
        SOLVING,
        unit='rad',
    )
    angle_tolerance: float = setting(
        1e-3, POSITIVE, 'Closer to the tip angle than this counts as reached', SOLVING, unit='rad'
    )
    roll: float = setting(
        math.nan,
        replace(ANGLE, nan=True),
        'Where the roll is at targets without an orientation; NaN: where it is',
        SOLVING,
        unit='rad',
    )
    max_iterations: int = setting(
        100, Whole(least=1), 'Maximum number of passes over the chain', SOLVING
    )
    unreachable: str = setting(
        'closest', Choice(('closest', 'hold')), 'What to do for a target out of reach', SOLVING
    )
    publish_rate: float = setting(
        50.0, RATE, 'Rate of joint_states and of commands', Effect.PUBLISHING, unit='Hz'
    )
    target_timeout: float = setting(
        0.0,
        Number(least=0.0),
        'A target whose stamp differs more than this from now is stale; 0: off',
        unit='s',
    )
    plane_tolerance: float = setting(
        math.nan,
        Number(least=0.0, infinite=True, nan=True),
        'A target further than this from the plane is refused; closer, projected; NaN: 0.02 '
        'reaches',
        SOLVING,
        unit='m',
    )
    tf_timeout: float = setting(
        0.1, Number(least=0.0), 'A target in another frame waits this long for it', unit='s'
    )
    jog_timeout: float = setting(
        0.2, POSITIVE, 'A jog ends this long after its last message, which may be lost', unit='s'
    )
    path_speed: float = setting(
        0.05,
        POSITIVE,
        "Speed of the tip along a path, where the joints' limits allow it",
        unit='m/s',
    )
    path_tolerance: float = setting(
        1e-4, POSITIVE, 'The tip may be this far beside a path between its points', unit='m'
    )
    handle: bool = setting(True, Truth(), 'Offer a handle in RViz: ~/handle', None)

    @property
    def angle(self) -> float | None:
        """The tip angle in rad at which targets without one are reached, None for any."""
        return None if math.isnan(self.tip_angle) else self.tip_angle

    def most_out_of_plane(self, arm: ArmDescription) -> float:
        """How far in m a target may be from the plane of an arm; inf if a joint carries that."""
        if arm.carrier is not None:
            return math.inf
        share = PLANE_SHARE * arm.reach.outer
        return share if math.isnan(self.plane_tolerance) else self.plane_tolerance

    def solve(
        self,
        arm: ArmDescription,
        target: Vector,
        start: Sequence[float],
        direction: Vector | Orientation | None = None,
        roll: float | None = None,
    ) -> Solution:
        """Solve a target.

        A target for an arm without turntable and lift is projected into its plane first; tip and
        error are then in the plane.

        Args:
            arm: the arm.
            target: x, y, z in m in the base frame.
            start: (m,) positions to move from.
            direction: unit vector in the base frame, where the tip is to point, projected into the
                plane, or for an arm with a roll its orientation; None for ``tip_angle``.
            roll: where the roll is in rad if nothing else is asked for; None for that of the start.
        """
        plane = arm.kinematics.plane
        options: dict[str, Any] = {
            'solver': self.solver,
            'start': start,
            'bend': self.bend,
            'tolerance': self.tolerance,
            'max_iterations': self.max_iterations,
            'angle_tolerance': self.angle_tolerance,
        }
        angle: float | Vector | None = self.angle
        if isinstance(direction, tuple) and not isinstance(direction, Orientation):
            angle = direction if arm.turntable is not None else angle_in(plane, direction)
        if not arm.is_solved_in_space:
            return solve(arm.chain, plane.locate(target)[:2], angle=angle, **options)
        asked = None
        if arm.roll is not None:
            asked = start[-1] if roll is None else roll
            asked = asked if math.isnan(self.roll) else self.roll
            if isinstance(direction, Orientation):
                asked = direction.in_plane(arm.kinematics, plane)[1]
            plane = arm.kinematics.at_roll(arm.roll.nearest(asked, start[-1])).plane
        if arm.carrier is None:
            target = plane.point(*plane.locate(target)[:2])
        if isinstance(direction, Orientation):
            return solve_oriented(arm.kinematics, target, direction, **options)
        return solve(arm.kinematics, target, angle=angle, roll=asked, **options)

    def solve_path(self, arm: Chain | Arm, points: FloatArray, **how: Any) -> Path:
        """Solve a path, with arguments as of :func:`.solve_path` but for the tolerances."""
        return solve_path(
            arm,
            points,
            tolerance=min(self.tolerance, self.path_tolerance),
            path_tolerance=self.path_tolerance,
            angle_tolerance=self.angle_tolerance,
            **how,
        )


@dataclass(frozen=True)
class Configuration:
    """The content of the parameters.

    Attributes:
        arm: the arm.
        settings: how to answer targets.
        drive: how to drive the arm.
        poses: positions of joints in rad or m, by the names of poses and joints.
    """

    arm: ArmDescription
    settings: Settings
    drive: Drive = field(default_factory=Drive)
    poses: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def commanded_joints(self) -> CommandedJoints:
        """The joints that are commanded."""
        drive = self.drive
        return CommandedJoints(
            self.arm, drive.holds, drive.following, drive.hold_limits, drive.assumes
        )

    def limits(self, joint: str) -> tuple[float, float] | None:
        """Return the smallest and largest position of a joint; None if it is not commanded."""
        if joint in self.arm.names:
            return self.arm.limits[self.arm.names.index(joint)]
        if joint in self.drive.holds:
            return self.drive.hold_limits.get(joint, (-math.inf, math.inf))
        return None


POSES = of_each('poses.<name>.<joint>', 'Where a joint is in a named pose')

SETTINGS = Table(rows_of(Settings))
"""The parameters for answering targets, one for each field of ``Settings``."""

PARAMETERS = Table(
    (SETTINGS | DRIVE_PARAMETERS | DESCRIPTION_PARAMETERS | ARM_PARAMETERS).values(),
    (*ARM_PARAMETERS.families, *DRIVE_PARAMETERS.families, POSES),
)
"""Every parameter of the node."""

MOST_ARMS = 256
"""Each arm has some thirty topics and services, which every other process learns of."""

FLEET_PARAMETERS = Table(
    (
        Row(
            name='arms',
            allowed='a list of namespaces, one for each arm',
            check=Names(most=MOST_ARMS),
            description='Namespaces of the arms of this process, each with a node of its own',
        ),
    )
)
"""Parameters that are read once, when the process starts, by its given name and namespace."""

OF_ANY_NODE = (PARAMETERS, FLEET_PARAMETERS)
"""What the file of an arm gives to each node, if it is for any node (``/**``)."""


def configuration_from_parameters(parameters: Mapping[str, object]) -> Configuration:
    """Check a set of parameters as a whole.

    Args:
        parameters: values by flat dotted name; missing or None means the default, unknown names
            other than ``chain.*`` and ``hold.*`` are ignored.

    Raises:
        ConfigError: a value is refused, on its own or in combination.
    """
    settings = Settings(**SETTINGS.checked(parameters))
    arm = arm_from_parameters(parameters)
    usable = solvers_for(arm)
    if settings.solver not in usable:
        words = f"{' or '.join(usable)} for {len(arm.chain)} joints; 'two_bone' is for exactly two"
        refuse('solver', settings.solver, words)
    if math.isfinite(settings.tip_angle) and angle_refusal(arm.chain):
        refuse('tip_angle', settings.tip_angle, f'NaN for this arm: {angle_refusal(arm.chain)}')
    if math.isfinite(settings.roll):
        if arm.roll is None:
            refuse('roll', settings.roll, 'NaN for this arm, which has no roll')
        nearest = arm.roll.nearest(settings.roll, settings.roll)
        if abs(math.remainder(nearest - settings.roll, math.tau)) > settings.angle_tolerance:
            words = 'within the limits of the joint, {:g} to {:g} rad'.format(*arm.roll.limits)
            refuse('roll', settings.roll, words)
    drive = drive_from_parameters(parameters, arm.names)
    if drive.use_measured_state:
        arm = paced(arm, drive.following)
    configuration = Configuration(arm, settings, drive)
    return replace(configuration, poses=_poses(parameters, configuration))


def check_occupied(
    arm: ArmDescription, before: ArmDescription, occupied: Sequence[tuple[float, float]]
) -> None:
    """Refuse limits that exclude where an arm is, unless those before did already.

    Args:
        arm: the arm with new limits.
        before: the arm with the present ones.
        occupied: (m,) as of the supervisor.

    Raises:
        ConfigError: a limit excludes a position.
    """
    for pose in zip(*occupied, strict=True):
        clamped = arm.clamped(pose), before.clamped(pose)
        for prefix, unit, q, limit, was in zip(
            arm.prefixes, arm.units, pose, *clamped, strict=True
        ):
            if q != limit != was:
                words = f'exclude the present position of the joint, {q:.6g} {unit}'
                raise ConfigError(
                    f"parameter '{prefix}.{'min' if q < limit else 'max'}_position' is "
                    f'{limit:.6g}; it must not {words}'
                )


def _poses(
    parameters: Mapping[str, object], configuration: Configuration
) -> dict[str, dict[str, float]]:
    """Return the named poses: positions by the names of poses and joints."""
    poses: dict[str, dict[str, float]] = {}
    for name, position in POSES.of_joints(parameters).items():
        pose, _, joint = name.partition('.')
        limits = configuration.limits(joint)
        if not (pose.isidentifier() and pose.isascii() and limits):
            allowed = 'poses.NAME.JOINT: NAME of letters, digits and underscores, JOINT one of'
            raise ConfigError(
                f"parameter 'poses.{name}' is no pose; it must be {allowed} "
                f'{listed([*configuration.arm.names, *configuration.drive.holds])}'
            )
        if not limits[0] <= position <= limits[1]:
            words = f'within the limits of the joint, {limits[0]:g} to {limits[1]:g} rad or m'
            refuse(f'poses.{name}', position, words)
        poses.setdefault(pose, {})[joint] = position
    return poses


def solvers_for(arm: ArmDescription) -> tuple[str, ...]:
    """Return the solvers that an arm can use."""
    return tuple(name for name in SOLVERS if name != 'two_bone' or len(arm.chain) == 2)
