"""What planning takes and returns: the situation of the arm, and the answer to a target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ik2d_ros.control.supervisor import Goal
from ik2d_ros.kinematics import Solution, TimedPath
from ik2d_ros.kinematics.arguments import FloatArray
from ik2d_ros.kinematics.orientation import Orientation
from ik2d_ros.kinematics.plane import Plane, Vector
from ik2d_ros.motion.state import Positions
from ik2d_ros.pilot.outcome import Report
from ik2d_ros.pilot.request import Missing, Target


class Situation(NamedTuple):
    """The state of arm, clock and frames when a target is planned.

    Attributes:
        start: (m,) positions from which the arm moves.
        under_way: the answer that the arm is moving to; None if it is not.
        frame: pose of the target's frame in the base frame; None if it is that, or not needed.
        age: age of the target's stamp in s; negative for the future, 0 for no stamp.
        clock_fault: why the clock gives no valid time; empty if it does.
        state_fault: why the arm's pose is not known; empty if it is.
        is_disabled: whether the arm must not move.
        last: the answer to the target before; None if there is none, or it is forgotten.
        side: that of the last bend, as of :func:`.side_of`, if the arm is stretched; else 0.
        moves: whether the arm is to move; not for a query, for which its pose need not be known.
    """

    start: Positions
    under_way: Going | None = None
    frame: Plane | Missing | None = None
    age: float = 0.0
    clock_fault: str = ''
    state_fault: str = ''
    is_disabled: bool = False
    last: Answer | None = None
    side: int = 0
    moves: bool = True

    @property
    def going(self) -> Positions:
        """(m,) positions to which the arm is moving, or else at which it is."""
        return self.under_way.positions if self.under_way else self.start


class Aim(NamedTuple):
    """A target in the base frame: place in m, and orientation or (m,) positions if asked for."""

    place: Vector
    orientation: Orientation | None = None
    pose: Positions | None = None

    def includes(self, other: Aim) -> bool:
        """Return whether to get there is to get to another aim, for the tip or for all joints."""
        return self[:2] == other[:2] and other.pose in (None, self.pose)


@dataclass(frozen=True)
class Refused:
    """A target that is not solved; the arm stops.

    Attributes:
        target: the target.
        report: why; ``READY`` for a path without points, which only ends the one before.
    """

    target: Target
    report: Report


@dataclass(frozen=True)
class Solved:
    """A target that is solved or judged, reached or not.

    Attributes:
        target: the target.
        make_report: makes the report for an arm that is there, or not yet, with fields of its
            present state: an arm that moves at once need not wait for words.
        at_goal: whether the arm is at the solved pose, or goes there.
        frame: pose of the target's frame in the base frame; None if it is that.
        aim: the target in the base frame; None for a path.
        solution: the solver's answer; None for a path or a jog.
        path: that of the target; None for others.
    """

    target: Target
    make_report: Callable[..., Report]
    at_goal: bool = False
    frame: Plane | Missing | None = None
    aim: Aim | None = None
    solution: Solution | None = None
    path: SolvedPath | None = None

    @property
    def report(self) -> Report:
        """The report before the arm is there, or where it holds."""
        return self.make_report(False, at_goal=self.at_goal)


@dataclass(frozen=True)
class Staying(Solved):
    """A target that is solved while the arm stays: nothing is to move, or leads closer."""


@dataclass(frozen=True, kw_only=True)
class Going(Solved):
    """A target to which the arm goes.

    Attributes:
        positions: (m,) the solved pose; of a jog, where the arm was.
        goal: the pose, trajectory or velocities for the motion.
    """

    positions: Positions
    goal: Goal


Answer = Refused | Staying | Going


@dataclass(frozen=True, eq=False)
class SolvedPath:
    """A path, how far it can be followed, and when.

    Attributes:
        points: (k, 3) the points asked for, in m in the base frame.
        end: how far the tip gets along it, in m.
        total: its length in m.
        timed: when each point is passed; None if the arm holds, or no joint moves.
    """

    points: FloatArray
    end: float
    total: float
    timed: TimedPath | None = None

    def remaining(self, time: float | None) -> float:
        """Return the length in m that remains some time in s after the first point was passed."""
        if time is None:
            return self.total
        if self.timed is None or time >= self.timed.duration:
            return 0.0
        return self.total - float(self.timed.at(time)[2])

    def progress(self, time: float | None) -> float:
        """Return the share of the length that is passed by a time as of :meth:`remaining`."""
        if self.total > 0.0:
            return 1.0 - self.remaining(time) / self.total
        return float(time is not None)
