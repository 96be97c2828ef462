"""Outcomes: every status code with its level, what it proves, and its message; and the report.

A new code needs a row here and a place where it arises: that of a solver in
``kinematics/solution.py``, under the same name, a refusal in ``pilot/aim.py``. No ROS imports.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics import Solution, Status
from ik2d_ros.kinematics.arguments import suggest_unit
from ik2d_ros.kinematics.plane import Contact, Plane, PlanePoint, Vector, dot
from ik2d_ros.parameters.checks import printable, with_unit

Colour = tuple[int, int, int]  # red, green, blue, up to 255

SMALLEST_OFF = 1e-4  # rad; a smaller error is named only where all are
SMALLEST_LEAN = 1e-3  # rad
SMALLEST_LENGTH = 1e-6  # m


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


TARGET = 'The target'
_CLOSEST = 'The closest pose ends {error} from it.'


@enum.unique
class Code(enum.Enum):
    """The outcome of a target: the solver's status or a refusal; or that there is no target.

    Attributes:
        level: diagnostic level.
        reachable: whether the target can be reached: True if it is reached, False if no pose can
            reach it, None if unknown.
        words: template of the message; :func:`explain` fills in the fields of a solver's status,
            ``pilot/aim.py`` the fields of a refusal. Its subject is the target, or a point.
    """

    level: Level
    reachable: bool | None
    words: str

    # One row per code, to be read as a table.
    # fmt: off
    REACHED = Level.OK, True, '{subject} {can_be} reached, to {error}.'
    TOO_FAR = Level.WARN, False, f'{{subject}} is beyond the reach. {_CLOSEST}{{question}}'
    TOO_NEAR = Level.WARN, False, f'{{subject}} is too close to the base. {_CLOSEST}'
    JOINT_LIMIT = Level.WARN, False, (
        f'The joint limits keep the tip from the target{{stops}}. {_CLOSEST}'
    )
    TIP_ANGLE = Level.WARN, False, (
        '{subject} {can_be} reached, but {off} asked for{stops}.'
    )
    PATH_JUMP = Level.WARN, False, (
        '{subject} is reached only with a change of shape, for which the tip leaves the path.'
    )
    BLOCKED = Level.WARN, False, (
        "{part} would be {depth} across wall '{wall}'. The closest pose clear of it ends {error} "
        'from the target.'
    )
    NOT_CONVERGED = Level.WARN, None, (
        'The solver {solution.solver} stopped after {solution.iterations} iterations; it is '
        'unknown whether the target can be reached. The closest pose found ends {error} from it.'
    )
    INVALID_TARGET = Level.ERROR, None, 'The target{place} {problem}.'
    UNKNOWN_FRAME = Level.ERROR, None, (
        "The target is given in frame '{frame_id}', and there is no transform from there to "
        "'{base_frame}': {cause}."
    )
    OUT_OF_PLANE = Level.ERROR, None, (
        "{subject} is {off:.5g} m out of the arm's plane, more than the plane_tolerance of "
        '{plane_tolerance:.5g} m.'
    )
    STALE_TARGET = Level.STALE, None, (
        'The stamp of the target is {off:.5g} s {when}, more than the target_timeout of '
        '{target_timeout:.5g} s.'
    )
    NO_CLOCK = Level.ERROR, None, 'There is no valid time: {problem}.'
    NO_STATE = Level.ERROR, None, 'The pose of the arm is unknown: {problem}.'
    NOT_FOLLOWING = Level.ERROR, None, (
        'The arm was stopped: {problem}.'
    )
    DISABLED = Level.WARN, None, 'The arm is disabled; call ~/enable with true to move it again.'
    READY = Level.OK, None, 'There is no target.'
    # fmt: on

    def __init__(self, level: Level, reachable: bool | None, words: str) -> None:
        self.level = level
        self.reachable = reachable
        self.words = words


CODES = tuple(Code[status.name] for status in Status)
"""The code of each status of a solver."""


def explain(
    solution: Solution,
    arm: ArmDescription,
    target: Vector,
    subject: str = TARGET,
    is_there: bool = False,
    measured: float = math.nan,
) -> str:
    """Explain why, and by how much, a target is reached or not.

    Args:
        solution: the solution.
        arm: the arm that it is for.
        target: x, y, z in m in the base frame.
        subject: the name of the target.
        is_there: whether the arm is at the solved pose.
        measured: distance in m from its measured tip to the target then; NaN if unknown.
    """
    code = CODES[solution.status]
    facts: dict[str, Any] = {'subject': subject, 'can_be': 'is' if is_there else 'can be'}
    if code is Code.REACHED:  # nothing else is named, and most targets are
        facts['error'] = length(solution.error if math.isnan(measured) else measured)
    else:
        facts |= _facts(solution, arm, target, subject)
    message = code.words.format(**facts)
    message = message[0].upper() + message[1:]
    off = 0.0 if arm.carrier else abs(arm.kinematics.plane.locate(target).out_of_plane)
    return message + plane_text('The target is', off)


def wall_text(arm: ArmDescription, pose: Sequence[float], name: str) -> str:
    """Return which part is across a wall in a pose (m,), and by how much; empty if clear."""
    if arm.kinematics.is_clear(pose):
        return ''
    wall, part, depth = arm.kinematics.contact(pose)
    return f"{name}: {part} is {length(depth)} across wall '{wall}'; it can only move back"


def plane_text(subject: str, off: float) -> str:
    """Return a sentence on a subject that is off the plane by some m; empty in the plane."""
    if off < SMALLEST_LENGTH:
        return ''
    return f" {subject} {length(off)} out of the arm's plane, and projected into it."


def lean_text(direction: Vector, plane: Plane) -> str:
    """Return a sentence on a direction, a unit vector, out of a plane; empty where it is not."""
    off = math.asin(min(1.0, abs(dot(direction, plane.axes[2]))))
    words = f" Its direction leans {off:.3g} rad out of the arm's plane, and is projected into it."
    return words if off >= SMALLEST_LEAN else ''


def _facts(solution: Solution, arm: ArmDescription, target: Vector, subject: str) -> dict[str, Any]:
    """Return values for the fields of all templates."""
    pose, contact = solution.q.tolist(), solution.contact or Contact('', '', 0.0)
    x, y, _ = arm.tip_plane_at(pose).locate(target)
    question = suggest_unit(math.hypot(x, y), 'm', arm.reach.outer)
    errors = {'angle': solution.angle_error, 'roll': solution.roll_error}
    least = min(SMALLEST_OFF, max(errors.values()))
    offs = [
        f'{math.degrees(off):.3g} deg off the {of}' for of, off in errors.items() if off >= least
    ]
    stops = [
        f'{name} at its {"smallest" if q == lower else "largest"} position, {with_unit(q, unit)}'
        for name, q, (lower, upper), unit in zip(
            arm.names, pose, arm.limits, arm.units, strict=True
        )
        if q in (lower, upper)
    ]
    return {
        'solution': solution,
        'wall': contact.wall,
        'part': subject if contact.part == TARGET.lower() else contact.part,
        'depth': length(abs(contact.depth)),
        'error': length(solution.error),
        'question': question and f' {question[0].upper()}{question[1:]} from the base.',
        'stops': f' ({", ".join(stops)})' if stops else '',
        'off': ' and '.join(offs),
    }


def place_text(place: Iterable[float]) -> str:
    """Format coordinates in m for people, to the millimetre."""
    return ', '.join(f'{round(part, 3) + 0.0:.3f}' for part in place)


def length(metres: float) -> str:
    """Format a distance >= 0 for people."""
    if metres < SMALLEST_LENGTH:
        return 'less than 1 um'
    if metres < 1e-4:
        return f'{1e6 * metres:.3g} um'
    if metres < 0.9995:
        return f'{1e3 * metres:.3g} mm'
    return f'{metres:.2f} m' if metres < 1e6 else f'{metres:.3g} m'


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
        pose, has_roll = solution.q.tolist(), arm.roll is not None
        return cls.of(
            CODES[solution.status],
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

        Values, texts by key, that are missing or make no sense are as without a target.
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


def report_of(code: Code, **facts: object) -> Report:
    """Return the report of a code, with facts in its message."""
    return Report.of(code, code.words.format(**facts))


def text_of(value: object) -> str:
    """Return a value as it is published; numbers read back as the same floats."""
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    return value if isinstance(value, str) else repr(value)
