"""Watching the parameters of another node, from the thread that spins the watching node."""

from __future__ import annotations

import time

from rclpy.node import Node

from ik2d_ros.ros.remote_parameters import OnRead, OnWritten, Parameters, RemoteParameters

READ_PERIOD = 1.0  # s between reads of its parameters, which also show that it is alive


class Watched:
    """A node whose parameters are read periodically; it may change, go away and come back."""

    def __init__(self, node: Node, name: str, on_read: OnRead) -> None:
        """Start watching.

        Args:
            node: the watching node.
            name: name of the watched node, relative to the namespace of ``node``.
            on_read: called with the parameters after every read, and once with None when the node
                is gone.
        """
        self._parameters = RemoteParameters(node, name)
        self.full_name = full_name(node, name)
        self._on_read = on_read
        self._next = 0.0
        self._is_reading = self._is_known = False
        self._is_stale = False  # a pending read may be older than the last write

    def write(self, name: str, value: object, then: OnWritten) -> None:
        """Set a parameter; ``then`` gets None on success, else the reason of the refusal."""

        def on_written(refusal: str | None) -> None:
            then(refusal)
            self._is_stale = self._is_reading
            self.read_now()

        self._parameters.write(name, value, on_written)

    def read_now(self) -> None:
        """Read as soon as possible."""
        self._next = 0.0
        self.watch()

    def watch(self) -> None:
        """Check the node; call this periodically."""
        self._parameters.tick()
        if self._is_reading:
            return
        if not self._parameters.is_there():
            self._give_up()
        elif time.monotonic() >= self._next:
            self._is_reading = True
            self._next = time.monotonic() + READ_PERIOD
            self._parameters.read(self._on_answer)

    def _on_answer(self, parameters: Parameters | None) -> None:
        self._is_reading = False
        if self._is_stale:
            self._is_stale = False
            self.read_now()
        elif parameters is None:
            self._give_up()
        else:
            self._is_known = True
            self._on_read(parameters)

    def _give_up(self) -> None:
        if self._is_known:
            self._is_known = False
            self._on_read(None)


def full_name(node: Node, name: str) -> str:
    """Return the full name of a node whose name is relative to the namespace of another."""
    service: str = node.resolve_service_name(f'{name}/get_parameters')
    return service.rpartition('/')[0]
