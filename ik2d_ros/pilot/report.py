"""The node's report on a target, written as keys and values and read back; no ROS imports."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ik2d_ros.kinematics.plane import PlanePoint, Vector
from ik2d_ros.parameters.sanitize import printable
from ik2d_ros.pilot.outcome import REACHABLE, Code, Level

if TYPE_CHECKING:
    from diagnostic_msgs.msg import DiagnosticStatus

# Limits for statuses of unknown origin.
LONGEST_CODE = 40  # characters
LONGEST_MESSAGE = 4000  # characters

MOVING = 'Moving: '
"""How the message of a status begins while the arm is not there yet."""

NO_POINT = PlanePoint(math.nan, math.nan, math.nan)
NO_PLACE: Vector = (math.nan, math.nan, math.nan)

KEYS = (
    *('code', 'reachable', 'error', 'at_goal', 'solver', 'iterations', 'solve_time'),
    *('x', 'y', 'out_of_plane', 'proven', 'angle', 'angle_error'),
    *('target_x', 'target_y', 'target_z', 'measured_error', 'path_progress'),
)
"""The keys of a status, in their order."""


class Report(NamedTuple):
    """One status: the node's words about a target.

    Attributes:
        code: the outcome.
        message: one or two sentences.
        point: the target in coordinates of the arm's plane, in m; NaN if unknown. The plane of an
            arm with a turntable or a lift is where the solved pose carries it.
        place: the target in the base frame, in m; NaN if unknown.
        error: distance in m from the tip of the solved pose to the target; NaN without a pose.
        at_goal: whether the arm is at the solved pose: the measured one if it is measured.
        solver: the solver that ran; empty for none.
        iterations: number of passes over the chain.
        solve_time: time for solving in s.
        proven: whether it is exact that the target can be reached, or that it cannot.
        angle: tip angle of the solved pose in rad; NaN without a pose.
        angle_error: how far it is from the angle asked for, in rad; 0 if none was, NaN without a
            pose.
        measured_error: distance in m from the measured tip to the target; NaN if it is not known.
        path_progress: share of the path that is passed, 0 to 1; NaN without a path.
    """

    code: Code
    message: str
    point: PlanePoint = NO_POINT
    place: Vector = NO_PLACE
    error: float = math.nan
    at_goal: bool = False
    solver: str = ''
    iterations: int = 0
    solve_time: float = 0.0
    proven: bool = False
    angle: float = math.nan
    angle_error: float = math.nan
    measured_error: float = math.nan
    path_progress: float = math.nan

    def values(self) -> dict[str, str]:
        """Return keys and values as published; numbers read back as the same floats."""
        values = (
            *(self.code.name, REACHABLE[self.code.reachable]),
            *(repr(self.error), 'true' if self.at_goal else 'false'),
            *(self.solver, str(self.iterations), repr(self.solve_time), *map(repr, self.point)),
            *('true' if self.proven else 'false', repr(self.angle), repr(self.angle_error)),
            *(*map(repr, self.place), repr(self.measured_error), repr(self.path_progress)),
        )
        return dict(zip(KEYS, values, strict=True))

    def says_the_same(self, other: Report) -> bool:
        """Return whether another report is the same except for its solve time."""
        # As texts, for NaN is not equal to NaN.
        mine, others = (repr(each._replace(solve_time=0.0)) for each in (self, other))
        return mine == others


@dataclass(frozen=True)
class ReceivedStatus:
    """The content of a published status; the code may be unknown, from a newer node.

    Attributes:
        code: name of the outcome.
        message: one or two sentences.
        level: diagnostic level.
        reachable: True if the target is reached, False if it cannot be, None if unknown.
        is_on_the_way: whether the arm is still moving to its pose.
        at_goal: whether the arm is at the solved pose: the measured one if it is measured.
        angle: tip angle of the solved pose in rad; None if unknown.
        angle_error: how far it is from the angle asked for, in rad; None if unknown.
        target: the target's x, y, z in m in the base frame; None if unknown.
        error: distance in m from the tip of the solved pose to the target; None if unknown.
        path_progress: share of the path that is passed, 0 to 1; None without a path.
    """

    code: str
    message: str
    level: Level
    reachable: bool | None
    is_on_the_way: bool = False
    at_goal: bool = False
    angle: float | None = None
    angle_error: float | None = None
    target: Vector | None = None
    error: float | None = None
    path_progress: float | None = None


def read(status: DiagnosticStatus) -> ReceivedStatus:
    """Read a status written with :meth:`Report.values`, or one of unknown origin."""
    values = {pair.key: pair.value for pair in status.values}

    def number(key: str) -> float | None:
        try:
            found = float(values.get(key, ''))
        except ValueError:
            return None
        return found if math.isfinite(found) else None

    level = int.from_bytes(status.level, 'little')
    known = {text: reachable for reachable, text in REACHABLE.items()}
    there = number('target_x'), number('target_y'), number('target_z')
    return ReceivedStatus(
        code=printable(values.get('code', '?'), LONGEST_CODE),
        message=printable(status.message, LONGEST_MESSAGE),
        level=Level(level) if level in set(Level) else Level.STALE,
        reachable=known.get(values.get('reachable', '')),
        is_on_the_way=values.get('at_goal') == 'false' and status.message.startswith(MOVING),
        at_goal=values.get('at_goal') == 'true',
        angle=number('angle'),
        angle_error=number('angle_error'),
        target=None if None in there else there,  # type: ignore[arg-type]
        error=number('error'),
        path_progress=number('path_progress'),
    )
