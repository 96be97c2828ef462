"""Watching the parameters of another node, from the thread that spins the watching node."""

from __future__ import annotations

import time

from rclpy.node import Node

from ik2d_ros.ros.remote_parameters import OnRead, OnWritten, Parameters, RemoteParameters

READ_PERIOD = 0.5  # s between reads of its parameters, which also show that it is alive


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
        self._on_read = on_read
        self._next = 0.0
        self._writes = 0
        self._is_known = False

    def write(self, name: str, value: object, then: OnWritten) -> None:
        """Set a parameter; ``then`` gets None on success, else the reason of the refusal."""

        def on_written(refusal: str | None) -> None:
            self._writes += 1
            then(refusal)
            self._read()

        self._parameters.write(name, value, on_written)

    def watch(self) -> None:
        """Check the node; call this periodically."""
        self._parameters.tick()
        if not self._parameters.is_there():
            self._tell(None)
        elif time.monotonic() >= self._next:
            self._read()

    def _read(self) -> None:
        self._next, writes = time.monotonic() + READ_PERIOD, self._writes

        def on_answer(parameters: Parameters | None) -> None:
            if writes == self._writes:  # else it may be older than the last write
                self._tell(parameters)

        self._parameters.read(on_answer)

    def _tell(self, parameters: Parameters | None) -> None:
        if parameters is not None or self._is_known:
            self._is_known = parameters is not None
            self._on_read(parameters)
