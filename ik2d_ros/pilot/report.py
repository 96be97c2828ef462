"""The status of a target, and its form as keys and values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Solution
from ik2d_ros.kinematics.plane import PlanePoint, Vector
from ik2d_ros.parameters.checks import printable
from ik2d_ros.pilot.outcome import CODES, Code, Level

# Limits for statuses of unknown origin.
LONGEST_CODE = 40  # characters
LONGEST_MESSAGE = 4000  # characters, and of the name of a wall, which a user gives

KEYS = (
    *('code', 'reachable', 'error', 'at_goal', 'solver', 'iterations', 'solve_time'),
    *('x', 'y', 'out_of_plane', 'proven', 'angle', 'angle_error', 'roll', 'roll_error'),
    *('target_x', 'target_y', 'target_z', 'measured_error', 'path_progress', 'moving', 'wall'),
    'commanding',
)
"""The keys of a status, in their order."""

_NUMBERS = 'error', 'angle', 'angle_error', 'roll', 'roll_error', 'measured_error', 'path_progress'
_FLAGS = 'at_goal', 'proven', 'moving', 'commanding'
_WORDS = {True: 'true', False: 'false', None: 'unknown'}
_PARTS = 'x', 'y', 'out_of_plane', 'target_x', 'target_y', 'target_z'

NO_POINT = PlanePoint(math.nan, math.nan, math.nan)
NO_PLACE: Vector = (math.nan, math.nan, math.nan)


class Report(NamedTuple):
    """The status of a target.

    Attributes:
        code: name of the outcome, which may be unknown if it is read, from a newer node.
        level: diagnostic level.
        reachable: True if the target is reached, False if it cannot be, None if unknown.
        message: one or two sentences.
        point: the target in coordinates of the arm's plane, in m; NaN if unknown. The plane of an
            arm with a turntable or a lift is where the solved pose carries it.
        target: the target in the base frame, in m; NaN if unknown.
        error: distance in m from the tip of the solved pose to the target; NaN without a pose.
        at_goal: whether the arm is at the solved pose: the measured one if it is measured.
        solver: the solver that ran; empty for none.
        iterations: number of passes over the chain.
        solve_time: time for solving in s.
        proven: whether it is exact that the target can be reached, or that it cannot.
        angle: tip angle of the solved pose in rad; NaN without a pose.
        angle_error: how far it is from the angle asked for, in rad; 0 if none was, NaN without a
            pose.
        roll: of the solved pose in rad; NaN for an arm without one.
        roll_error: how far it is from the roll asked for, in rad; as ``angle_error``.
        measured_error: distance in m from the measured tip to the target; NaN if it is not known.
        path_progress: share of the path that is passed, 0 to 1; NaN without a path.
        moving: whether the arm is on its way, or brakes.
        wall: name of the wall that is in the way; empty unless the code is ``BLOCKED``.
        commanding: whether commands are being sent, or are about to be.
    """

    code: str
    level: Level
    reachable: bool | None
    message: str
    point: PlanePoint = NO_POINT
    target: Vector = NO_PLACE
    error: float = math.nan
    at_goal: bool = False
    solver: str = ''
    iterations: int = 0
    solve_time: float = 0.0
    proven: bool = False
    angle: float = math.nan
    angle_error: float = math.nan
    roll: float = math.nan
    roll_error: float = math.nan
    measured_error: float = math.nan
    path_progress: float = math.nan
    moving: bool = False
    wall: str = ''
    commanding: bool = False

    @classmethod
    def of(cls, code: Code, message: str, **more: Any) -> Report:
        """Return a report with a code's name, level, and whether the target is reachable."""
        return cls(code.name, code.level, code.reachable, message, **more)

    @classmethod
    def on(
        cls, solution: Solution, arm: ArmDescription, place: Vector, message: str = '', **more: Any
    ) -> Report:
        """Return the report on a solution for a place in the base frame."""
        pose, has_roll, code = solution.q.tolist(), arm.roll is not None, CODES[solution.status]
        return cls(
            code.name,
            code.level,
            code.reachable,
            message,
            point=arm.tip_plane_at(pose).locate(place),
            target=place,
            error=solution.error,
            solver=solution.solver,
            iterations=solution.iterations,
            proven=solution.proven,
            angle=solution.angle,
            angle_error=solution.angle_error,
            roll=pose[-1] if has_roll else math.nan,
            roll_error=solution.roll_error if has_roll else math.nan,
            wall=solution.contact.wall if solution.contact else '',
            **more,
        )

    @classmethod
    def read(cls, level: int, message: str, values: Mapping[str, str]) -> Report:
        """Return the report of a status, which may be of unknown origin.

        Args:
            level: diagnostic level.
            message: one or two sentences.
            values: texts by key; those that are missing or make no sense are as without a target.
        """

        def number(key: str) -> float:
            try:
                found = float(values.get(key, ''))
            except ValueError:
                return math.nan
            return found if math.isfinite(found) else math.nan

        x, y, out_of_plane, *place = map(number, _PARTS)
        return cls(
            code=printable(values.get('code', '?'), LONGEST_CODE),
            level=Level(level) if level in set(Level) else Level.STALE,
            reachable={'true': True, 'false': False}.get(values.get('reachable', '')),
            message=printable(message, LONGEST_MESSAGE),
            point=PlanePoint(x, y, out_of_plane),
            target=NO_PLACE if any(map(math.isnan, place)) else (place[0], place[1], place[2]),
            solver=printable(values.get('solver', ''), LONGEST_CODE),
            iterations=int(max(0.0, number('iterations'))),
            solve_time=max(0.0, number('solve_time')),
            wall=printable(values.get('wall', ''), LONGEST_MESSAGE),
            **{key: number(key) for key in _NUMBERS},  # type: ignore[arg-type]
            **{key: values.get(key) == 'true' for key in _FLAGS},
        )

    def values(self) -> tuple[object, ...]:
        """Return the values of ``KEYS``."""
        return (
            *(self.code, self.reachable, self.error, self.at_goal, self.solver, self.iterations),
            *(self.solve_time, *self.point, self.proven, self.angle, self.angle_error, self.roll),
            *(self.roll_error, *self.target, self.measured_error, self.path_progress, self.moving),
            *(self.wall, self.commanding),
        )


def text_of(value: object) -> str:
    """Return a value as it is published; numbers read back as the same floats."""
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    return value if isinstance(value, str) else repr(value)
