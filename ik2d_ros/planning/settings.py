"""The node's parameters for answering targets, from solver to timeouts, and solving by them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import BENDS, SOLVERS, Arm, Chain, Path, Solution, solve, solve_path
from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.options import check_angle, check_options, clamped_start
from ik2d_ros.kinematics.orientation import Orientation, solve_oriented
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.kinematics.solve import ANGLE_TOLERANCE, solve_in_plane
from ik2d_ros.parameters.checks import ANGLE, POSITIVE, RATE, Choice, Number, Truth, Whole
from ik2d_ros.parameters.table import Effect, Table, rows_of, setting

PLANE_SHARE = 0.02  # of the reach, the default of plane_tolerance
SOLVING = Effect.SOLVING


@dataclass(frozen=True)
class Settings:
    """The checked parameters for answering targets; the rows of the fields describe them."""

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
        ANGLE_TOLERANCE,
        POSITIVE,
        'Closer to the tip angle than this counts as reached',
        SOLVING,
        unit='rad',
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
        'closest', Choice(('closest', 'hold')), 'Where to go for a target out of reach', SOLVING
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
        1e-4, POSITIVE, 'The tip may be this far off a path between its points', unit='m'
    )
    handle: bool = setting(True, Truth(), 'Offer a handle in RViz: ~/handle', None)

    @cached_property
    def angle(self) -> float | None:
        """The tip angle in rad at which targets without one are reached, None for any."""
        return None if math.isnan(self.tip_angle) else self.tip_angle

    def most_out_of_plane(self, arm: ArmDescription) -> float:
        """Return how far in m a target may be from an arm's plane; inf if a joint carries that."""
        if arm.carrier is not None:
            return math.inf
        share = PLANE_SHARE * arm.reach.outer
        return share if math.isnan(self.plane_tolerance) else self.plane_tolerance

    def solve(
        self,
        arm: ArmDescription,
        target: Vector,
        start: Sequence[float],
        orientation: Orientation | None = None,
        roll: float | None = None,
    ) -> Solution:
        """Solve a target.

        A target for an arm without turntable and lift is projected into its plane first; tip and
        error are then in the plane.

        Args:
            arm: the arm.
            target: x, y, z in m in the base frame.
            start: (m,) positions to move from.
            orientation: of the tip in the base frame, projected into the plane; None for
                ``tip_angle``.
            roll: where the roll is in rad if nothing else is asked for; None for that of the start.
        """
        plane, chain = arm.kinematics.plane, arm.chain
        angle: float | Vector | None = self.angle
        if orientation is not None:
            along = orientation.along
            angle = along if arm.turntable is not None else plane.angle_of(along)
        if not arm.is_solved_in_space:
            wish, slack = check_angle(chain, angle, self.angle_tolerance)
            how = self.solver, self.bend, self.tolerance, self.max_iterations
            checked = check_options(len(chain.lengths), *how)
            x, y, _ = plane.locate(target)
            return solve_in_plane(chain, (x, y), clamped_start(chain, start), wish, slack, checked)
        options: dict[str, Any] = {
            'solver': self.solver,
            'start': start,
            'bend': self.bend,
            'tolerance': self.tolerance,
            'max_iterations': self.max_iterations,
            'angle_tolerance': self.angle_tolerance,
        }
        asked = None
        if arm.roll is not None:
            asked = start[-1] if roll is None else roll
            asked = asked if math.isnan(self.roll) else self.roll
            if orientation is not None:
                asked = float(orientation.in_plane(arm.kinematics, plane)[1])
            plane = arm.kinematics.at_roll(arm.roll.nearest(asked, start[-1])).plane
        if arm.carrier is None:
            target = plane.point(*plane.locate(target)[:2])
        if orientation is not None and arm.roll is not None:
            return solve_oriented(arm.kinematics, target, orientation, **options)
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


SETTINGS = Table(rows_of(Settings))
"""The parameters for answering targets, one for each field of ``Settings``."""
