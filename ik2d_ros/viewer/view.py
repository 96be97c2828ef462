"""The content of the page and what its users ask for, as plain data; no ROS or viser imports."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.description import ArmDescription, is_gripper
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.pilot.outcome import Colour, Level, Report
from ik2d_ros.viewer.design import Draft

UNJUDGED: Colour = (112, 118, 126)
GOOD, BAD = Level.OK.colour, (224, 49, 49)
ON_PATH = 1e-9  # lengths of the path: rounding error of a point on it


class Act(Enum):
    """The requests of a user on the page, with the values that they carry."""

    DRAG = 'the handle is dragged, and moves by itself: (3,) m in the base frame'
    TARGET = 'the target is put somewhere: the same'
    TURN = 'the tip angle is turned, by the needle or the slider: rad in the plane'
    KEEP_ANGLE = 'the switch that keeps the tip angle: bool'
    STOP = 'the arm shall stop'
    HOME = 'the joints are sent home'
    GO_TO_POSE = 'the joints are sent to a named pose: its name'
    MOVE_JOINT = 'one joint is moved: its name, and its position in rad or m'
    PAUSE = 'the demo path is paused, or goes on if it is'
    CHOOSE_ARM = 'another arm is shown: its name'
    SET = 'a parameter of the node is changed: its name and value'
    DRAW = 'drawing a path is switched on or off: bool'
    ADD_POINT = 'a point is added to the path: (3,) m in the base frame'
    DRAW_ON = 'a stroke goes on from the last point: the same'
    END_STROKE = 'it ends: the same'
    UNDO = 'the path becomes what it was before the last point or stroke'
    CLEAR = 'the path is cleared'
    REFUSE = 'something that was given cannot be used: why'
    FOLLOW = 'the arm shall follow the path'
    EDIT = 'the design of the arm is changed: an Edit'
    UNDO_EDIT = 'the design becomes what it was before'


POINTS = Act.ADD_POINT, Act.DRAW_ON, Act.END_STROKE


class Request(NamedTuple):
    """Something that a user does.

    Attributes:
        act: what.
        value: as said there; None for acts that have none.
    """

    act: Act
    value: Any = None

    @property
    def key(self) -> Hashable:
        """Requests that replace each other while they wait have the same key."""
        if self.act in POINTS:
            return self
        if self.act is Act.EDIT:
            return self.act, self.value.field, self.value.joint
        return self.act, self.act in (Act.SET, Act.MOVE_JOINT) and self.value[0]


class Requests:
    """A thread-safe queue that keeps only the last request of each kind, and all points."""

    def __init__(self, ring: Callable[[], object]) -> None:
        """Start empty; whoever puts a request into an empty queue rings."""
        self._ring = ring
        self._lock = threading.Lock()
        self._waiting: dict[Hashable, Request] = {}

    def put(self, request: Request) -> None:
        """Add a request at the end; it replaces a waiting one of the same kind."""
        with self._lock:
            was_empty = not self._waiting
            self._waiting.pop(request.key, None)
            self._waiting[request.key] = request
        if was_empty:
            self._ring()

    def take(self) -> tuple[Request, ...]:
        """Remove and return all waiting requests, in order."""
        with self._lock:
            taken, self._waiting = tuple(self._waiting.values()), {}
        return taken


class DrawnPath(NamedTuple):
    """A path as it is drawn.

    Attributes:
        points: (k, 3) m, in the base frame.
        verdict: what the node says of it; None until the node has answered.
        end: how far it can be followed, in m along the path.
        before: the path without the last point or stroke; None of an empty one.
    """

    points: tuple[Vector, ...] = ()
    verdict: Report | None = None
    end: float = 0.0
    before: DrawnPath | None = None

    def plus(self, point: Vector, goes_on: bool) -> DrawnPath:
        """Return the path with one more point, which may go on with a stroke; it is not judged."""
        before = self.before if goes_on and self.points else self
        return DrawnPath((*self.points, point), before=before)

    def judged(self, status: Report) -> DrawnPath:
        """Return the path with its verdict."""
        points, passed = np.array(self.points), self._passed
        if status.reachable or math.isnan(status.target[0]):
            return self._replace(verdict=status, end=passed[-1] if status.reachable else 0.0)
        # The target is the first point that is not reached, somewhere on the path.
        begins, ways = points[:-1], np.diff(points, axis=0)
        squares = np.maximum((ways**2).sum(axis=1), np.finfo(float).tiny)
        shares = ((status.target - begins) * ways).sum(axis=1) / squares
        shares = np.clip(shares, 0.0, 1.0)
        nearest = begins + shares[:, None] * ways
        distances = np.linalg.norm(status.target - nearest, axis=1)
        first = int((distances <= distances.min() + ON_PATH * passed[-1]).argmax())
        end = passed[first] + shares[first] * (passed[first + 1] - passed[first])
        return self._replace(verdict=status, end=float(end))

    def segments(self) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """Return the lines, (s, 2, 3) m, and the colours of their ends, (s, 2, 3)."""
        passed = self._passed
        lengths = np.sort(np.append(passed, self.end)) if self.verdict is not None else passed
        columns = [np.interp(lengths, passed, column) for column in np.array(self.points).T]
        places = np.stack(columns, axis=1)
        middles = 0.5 * (lengths[1:] + lengths[:-1])
        colours = np.where((middles <= self.end)[:, None], GOOD, BAD)
        if self.verdict is None:
            colours = np.broadcast_to(UNJUDGED, colours.shape)
        return (
            np.stack([places[:-1], places[1:]], axis=1),
            np.repeat(colours[:, None], 2, axis=1),
        )

    @property
    def _passed(self) -> NDArray[np.float64]:
        """(k,) m along the path, of each point."""
        strides = np.linalg.norm(np.diff(np.array(self.points), axis=0), axis=1)
        return np.concatenate([[0.0], np.cumsum(strides)])


NO_PATH = DrawnPath()


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles.

    Attributes:
        vertices: (k, 3) in m.
        faces: (l, 3) indices of the vertices.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]


class Words(NamedTuple):
    """The content of the status box.

    Attributes:
        title: a few words, such as the status code.
        text: one or two sentences.
        colour: colour of the box and of the handle: red, green and blue up to 255.
    """

    title: str
    text: str
    colour: Colour


@dataclass(frozen=True)
class View:
    """The content of the page.

    Attributes:
        words: content of the status box.
        refusal: why a change was refused; empty for none.
        settings: parameters of the node by name, without those whose change is pending: their
            controls stay as they are; None while there is no node.
        settled: number of answered changes. After each the controls are reset to the node's values,
            because it may have been refused.
        is_paused: whether the demo path is paused; None if there is none.
        arms: names of the arms that can be shown in place of this one; empty for none.
        name: name of the arm that is shown; empty if nobody knows it.
        arm: the arm; None before the first.
        version: number of the arm; the same while it is designed.
        area: its reachable area, in the plane; None while unknown.
        positions: (m,) joint positions; None while unknown.
        measured: (m,) measured positions; None while nothing is measured.
        target: in m in the base frame; the tip without one, None if that is unknown.
        in_hand: what someone moves, and is left where it is: the target's handle (DRAG), slider and
            needle of the tip angle (TURN), the design (EDIT), or the slider of the joint of this
            name.
        angle: the tip angle that is kept, else that of the positions, in rad; None while unknown,
            and for arms that cannot keep one.
        is_kept: whether the tip angle is kept.
        poses: names of the node's named poses.
        held: limits of the joints that are held, by name; those without limits are left out.
        held_at: their positions, as far as they are known.
        is_new: whether nobody has moved the target yet.
        path: the path that is drawn.
        is_drawing: whether the mouse draws a path instead of dragging the target.
        design: the design of the arm; None if the page cannot change it.
    """

    words: Words
    refusal: str = ''
    settings: Mapping[str, object] | None = None
    settled: int = 0
    is_paused: bool | None = None
    arms: tuple[str, ...] = ()
    name: str = ''
    arm: ArmDescription | None = None
    version: int = 0
    area: Mesh | None = None
    positions: tuple[float, ...] | None = None
    measured: tuple[float, ...] | None = None
    target: Vector | None = None
    in_hand: Act | str | None = None
    angle: float | None = None
    is_kept: bool = False
    poses: tuple[str, ...] = ()
    held: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    held_at: Mapping[str, float] = field(default_factory=dict)
    is_new: bool = False
    path: DrawnPath = NO_PATH
    is_drawing: bool = False
    design: Draft | None = None

    @property
    def opening(self) -> float | None:
        """How far the gripper is open, from 0 to 1; None if there is none, or nobody knows."""
        for name, (lower, upper) in self.held.items():
            if is_gripper(name) and name in self.held_at and upper > lower:
                return min(max((self.held_at[name] - lower) / (upper - lower), 0.0), 1.0)
        return None
