"""What people do on the page, until the node's thread takes it; no ROS and no viser in here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass


@dataclass(frozen=True)
class Drag:
    """The handle is dragged.

    Attributes:
        phase: ``start``, ``update`` or ``end``.
        x: where it is in the plane, in m.
        y: likewise.
    """

    phase: str
    x: float
    y: float


@dataclass(frozen=True)
class GoHome:
    """The tip is sent to its start."""


@dataclass(frozen=True)
class ChooseSource:
    """Somebody else is to move the target.

    Attributes:
        source: ``view.DEMO_PATH`` or ``view.MOUSE``.
    """

    source: str


@dataclass(frozen=True)
class ChangeSetting:
    """A control of one of the node's parameters was moved.

    Attributes:
        name: the parameter's.
        value: its new value.
    """

    name: str
    value: object


Request = Drag | GoHome | ChooseSource | ChangeSetting


class Requests:
    """Requests on their way from one thread to another; the last one of each kind counts.

    However fast they come, no more than one of each kind waits.
    """

    def __init__(self, ring: Callable[[], object]) -> None:
        """Begin with none.

        Args:
            ring: called, from the thread that brings it, when there is one after there was none.
        """
        self._ring = ring
        self._lock = threading.Lock()
        self._waiting: dict[Hashable, Request] = {}

    def put(self, request: Request) -> None:
        """Bring one; it replaces what waits of its kind, and comes after all the others."""
        with self._lock:
            was_empty = not self._waiting
            self._waiting.pop(_kind(request), None)
            self._waiting[_kind(request)] = request
        if was_empty:
            self._ring()

    def take(self) -> tuple[Request, ...]:
        """Everything that waits, in the order in which it came."""
        with self._lock:
            taken, self._waiting = tuple(self._waiting.values()), {}
        return taken


def _kind(request: Request) -> Hashable:
    if isinstance(request, Drag):
        return Drag, request.phase
    if isinstance(request, ChangeSetting):
        return ChangeSetting, request.name
    return (type(request),)
