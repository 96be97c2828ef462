"""User input on its way from the page to the node's thread; no ROS or viser imports."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from ik2d_ros.kinematics.plane import Vector


@dataclass(frozen=True)
class Drag:
    """The handle is dragged.

    Attributes:
        phase: ``start``, ``update`` or ``end``.
        place: x, y, z in m, in the base frame.
    """

    phase: str
    place: Vector


@dataclass(frozen=True)
class TypeTarget:
    """A target was typed.

    Attributes:
        place: (2,) in m in the arm's plane, or (3,) in the base frame for an arm in space.
    """

    place: tuple[float, ...]


@dataclass(frozen=True)
class Turn:
    """The tip angle is turned, by the grip at the target or by the slider.

    Attributes:
        angle: tip angle in rad, in the arm's plane.
        phase: ``start``, ``update`` or ``end``, as of a drag; ``update`` without an end for a
            slider.
    """

    angle: float
    phase: str = 'update'


@dataclass(frozen=True)
class KeepAngle:
    """The switch that keeps the tip angle was moved."""

    is_on: bool


@dataclass(frozen=True)
class GoHome:
    """The joints are sent home."""


@dataclass(frozen=True)
class PauseDemo:
    """The demo path is paused, or goes on if it is."""


@dataclass(frozen=True)
class ChooseArm:
    """The demo shall show another arm, by its name."""

    arm: str


@dataclass(frozen=True)
class ChooseDrag:
    """Another way is chosen to drag the handle of an arm in space: see :mod:`.view`."""

    way: str


@dataclass(frozen=True)
class ChangeSetting:
    """A control of one of the node's parameters was moved.

    Attributes:
        name: name of the parameter.
        value: its new value.
    """

    name: str
    value: object


Request = (
    Drag
    | TypeTarget
    | Turn
    | KeepAngle
    | GoHome
    | PauseDemo
    | ChooseArm
    | ChooseDrag
    | ChangeSetting
)


class Requests:
    """A thread-safe queue that keeps only the last request of each kind."""

    def __init__(self, ring: Callable[[], object]) -> None:
        """Start empty.

        Args:
            ring: called, from the thread that puts a request, when the queue was empty.
        """
        self._ring = ring
        self._lock = threading.Lock()
        self._waiting: dict[Hashable, Request] = {}

    def put(self, request: Request) -> None:
        """Add a request at the end; it replaces a waiting one of the same kind."""
        kind = type(request), getattr(request, 'phase', getattr(request, 'name', ''))
        with self._lock:
            was_empty = not self._waiting
            self._waiting.pop(kind, None)
            self._waiting[kind] = request
        if was_empty:
            self._ring()

    def take(self) -> tuple[Request, ...]:
        """Remove and return all waiting requests, in order."""
        with self._lock:
            taken, self._waiting = tuple(self._waiting.values()), {}
        return taken
