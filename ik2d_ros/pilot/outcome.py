"""The table of outcomes: every status code with its level, what it proves, and its message.

Node, command line, viewer, markers and demo take statuses from here. A new code is a row here and
is written in one more place, where it arises: a solver's in ``kinematics/solution.py``, under the
same name, a refusal in ``pilot/answer.py``. No ROS imports.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Solution, Status
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.parameters.numerals import with_unit

Colour = tuple[int, int, int]  # red, green, blue, up to 255

MOST_STOPS = 10  # joints at their limits that a message names


class Level(enum.IntEnum):
    """The level of a status, with the values of diagnostic_msgs/DiagnosticStatus."""

    OK = 0
    WARN = 1
    ERROR = 2
    STALE = 3

    @property
    def colour(self) -> Colour:
        """The colour that shows it, legible as text on white and on dark grey."""
        return ((47, 158, 68), (212, 136, 0), (224, 49, 49), (134, 142, 150))[self]


_CLOSEST = 'The closest pose ends {error} from it.'

_NEAR_THE_AXIS = (
    'The target is {radius:.4g} m from the axis of {turntable}, {missing:.4g} m closer than the '
    f'plane, which is {{beside:.4g}} m from it. {_CLOSEST}'
)


@enum.unique
class Code(enum.Enum):
    """The outcome of a target: the solver's status or a refusal; or that there is no target.

    Attributes:
        level: diagnostic level.
        reachable: whether the target can be reached: True if it is reached, False if no pose can
            reach it, None if unknown.
        words: template of the message; :func:`explain` fills in the fields of a solver's status,
            ``pilot/answer.py`` the fields of a refusal.
    """

    level: Level
    reachable: bool | None
    words: str

    # One row per code, to be read as a table.
    # fmt: off
    REACHED = Level.OK, True, 'The target is reached, to {error}.'
    TOO_FAR = Level.WARN, False, (
        'The target is {distance:.4g} m from the base, {beyond:.4g} m beyond the reach of '
        f'{{reach.outer:.4g}} m. {_CLOSEST}'
    )
    TOO_NEAR = Level.WARN, False, (
        'The target is {distance:.4g} m from the base, {inside:.4g} m closer than the inner reach '
        f'of {{reach.inner:.4g}} m. {_CLOSEST}'
    )
    JOINT_LIMIT = Level.WARN, False, (
        f'The target is within reach, but the joint limits forbid it{{stops}}. {_CLOSEST}'
    )
    TIP_ANGLE = Level.WARN, False, (
        'The target is reached, but {angle_off:.3g} deg off the angle asked for{stops}.'
    )
    PATH_JUMP = Level.WARN, False, (
        'From there, the path continues only with a change of shape, for which the tip must leave '
        'it.'
    )
    NOT_CONVERGED = Level.WARN, None, (
        'The solver {solution.solver} stopped after {solution.iterations} iterations; it is '
        'unknown whether the target can be reached. The closest pose found ends {error} from it.'
    )
    INVALID_TARGET = Level.ERROR, None, 'The target ({x}, {y}, {z}) {problem}.'
    UNKNOWN_FRAME = Level.ERROR, None, (
        "The target is given in frame '{frame_id}', and there is no transform from there to "
        "'{base_frame}': {cause}."
    )
    OUT_OF_PLANE = Level.ERROR, None, (
        "The target is {off:.4g} m out of the arm's plane, more than the plane_tolerance of "
        '{plane_tolerance:.4g} m.'
    )
    STALE_TARGET = Level.STALE, None, (
        'The stamp of the target is {off:.4g} s {when}, more than the target_timeout of '
        '{target_timeout:.4g} s.'
    )
    NO_CLOCK = Level.ERROR, None, 'There is no valid time: {problem}.'
    NO_STATE = Level.ERROR, None, 'The pose of the arm is unknown: {problem}.'
    NOT_FOLLOWING = Level.ERROR, None, (
        'The arm does not follow its commands: {problem}.'
    )
    DISABLED = Level.WARN, None, 'The arm is disabled; ~/enable with true lets it move again.'
    READY = Level.OK, None, 'There is no target.'
    # fmt: on

    def __init__(self, level: Level, reachable: bool | None, words: str) -> None:
        self.level = level
        self.reachable = reachable
        self.words = words

    @classmethod
    def of(cls, status: Status) -> Code:
        """Return the code of a solver's status, which has the same name."""
        return cls[status.name]

    def miss(self, solution: Solution) -> str:
        """Return by how much a target is missed, to follow the code; empty if it is reached."""
        if self is Code.TIP_ANGLE:
            return f', {math.degrees(solution.angle_error):.3g} deg off'
        return '' if self.reachable else f', {length(solution.error)} away'


def explain(solution: Solution, arm: ArmDescription, target: Vector) -> str:
    """Explain why, and by how much, a target is reached or not.

    Args:
        solution: the solver's answer.
        arm: the arm that it is for.
        target: x, y, z in m in the base frame.
    """
    code = Code.of(solution.status)
    if code.reachable:
        return code.words.format(error=length(solution.error))
    reach, sweep = arm.chain.reach, arm.kinematics.sweep
    planes = sweep.planes_through(target) if sweep else [arm.kinematics.plane]
    distances = [math.dist(plane.locate(target)[:2], arm.chain.tool) for plane in planes]
    distance = min(distances, key=lambda d: max(d - reach.outer, reach.inner - d))
    radius, beside = 0.0, 0.0
    if sweep:
        radius, beside = math.hypot(*sweep.frame.locate(target)[:2]), abs(sweep.offset)
    words = _NEAR_THE_AXIS if code is Code.TOO_NEAR and radius < beside else code.words
    return words.format(
        solution=solution,
        error=length(solution.error),
        distance=distance,
        reach=reach,
        beyond=distance - reach.outer,
        inside=reach.inner - distance,
        stops=_stops(solution, arm),
        turntable=arm.turntable.name if arm.turntable else '',
        radius=radius,
        beside=beside,
        missing=beside - radius,
        angle_off=math.degrees(solution.angle_error),
    )


def _stops(solution: Solution, arm: ArmDescription) -> str:
    """List the joints at a limit, in brackets; empty for none."""
    joints = zip(arm.names, solution.q.tolist(), arm.limits, arm.units, strict=True)
    stops = [
        f'{name} at its {"smallest" if q == lower else "largest"} position, {with_unit(q, unit)}'
        for name, q, (lower, upper), unit in joints
        if q in (lower, upper)
    ]
    more = [f'and {len(stops) - MOST_STOPS} more'] if len(stops) > MOST_STOPS else []
    return f' ({", ".join(stops[:MOST_STOPS] + more)})' if stops else ''


def length(metres: float) -> str:
    """Format a distance >= 0 for people."""
    if metres < 1e-6:
        return '< 1 um'
    if metres < 1e-4:
        return f'{1e6 * metres:.3g} um'
    if metres < 0.9995:
        return f'{1e3 * metres:.3g} mm'
    return f'{metres:.2f} m' if metres < 1e6 else f'{metres:.3g} m'


REACHABLE: Mapping[bool | None, str] = {True: 'true', False: 'false', None: 'unknown'}
"""``Code.reachable`` as the node publishes it."""

VERDICTS: Mapping[bool | None, str] = {
    True: 'yes',
    False: 'no; the closest pose is shown',
    None: 'unknown',
}
"""``Code.reachable`` as the command line prints it."""
