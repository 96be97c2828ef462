"""User input on its way from the page to the node's thread; no ROS or viser imports."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from enum import Enum
from typing import Any, NamedTuple


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
