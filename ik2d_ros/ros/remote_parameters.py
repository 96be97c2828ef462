"""The parameters of another node, through its parameter services; nothing here blocks."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import GetParameters, ListParameters, SetParametersAtomically
from rclpy.node import Node
from rclpy.parameter import Parameter, parameter_value_to_python

Parameters = dict[str, object]

READ_PERIOD = 0.5  # s between reads, which also show that the node is alive
PATIENCE = 1.5  # s to wait for an answer


class RemoteParameters:
    """Reads and sets the parameters of a node, which may change, go away and come back.

    A substitute for ``rclpy.parameter_client``, which ROS 2 Humble lacks. Use it from the thread
    that spins ``node``, and call :meth:`tick` periodically.

    Attributes:
        newest: as they were read last, by name; None while there are none.
    """

    newest: Parameters | None = None

    def __init__(
        self,
        node: Node,
        target: str,
        on_read: Callable[[Parameters | None], object] = lambda _: None,
    ) -> None:
        """Create clients of a node whose name is relative to the namespace of this one.

        ``on_read`` is called with the parameters after every read, and once with None when the
        other node is gone.
        """
        self._list = node.create_client(ListParameters, f'{target}/list_parameters')
        self._get = node.create_client(GetParameters, f'{target}/get_parameters')
        self._set = node.create_client(
            SetParametersAtomically, f'{target}/set_parameters_atomically'
        )
        self._on_read, self._changes, self._next_read = on_read, 0, 0.0
        self._waiting: dict[Any, tuple[float, Any, Callable[[Any], None]]] = {}

    @property
    def is_there(self) -> bool:
        """Whether the other node offers its parameters."""
        return all(each.service_is_ready() for each in (self._list, self._get, self._set))

    def tick(self) -> None:
        """Read when that is due, and time out old requests."""
        now = time.monotonic()
        for future, (deadline, client, then) in list(self._waiting.items()):
            if now > deadline:
                del self._waiting[future]
                client.remove_pending_request(future)
                then(None)
        if not self.is_there:
            self._tell(None)
        elif now >= self._next_read:
            self._next_read = now + READ_PERIOD
            self._read()

    def write(self, name: str, value: object, then: Callable[[str | None], object]) -> None:
        """Set a parameter; ``then`` gets None on success, else the reason of the refusal."""

        def on_set(response: Any) -> None:
            self._changes += 1
            if response is None:
                then(f'Setting {name} to {value} failed: no answer in {PATIENCE:g} s.')
            else:
                then(None if response.result.successful else response.result.reason)
            self._next_read = 0.0

        parameter = Parameter(name, value=value).to_parameter_msg()
        self._call(self._set, SetParametersAtomically.Request(parameters=[parameter]), on_set)

    def _read(self) -> None:
        changes, names = self._changes, list[str]()

        def on_list(response: Any) -> None:
            if response is None:
                on_values(None)
                return
            names.extend(response.result.names)
            self._call(self._get, GetParameters.Request(names=names), on_values)

        def on_values(response: Any) -> None:
            if changes == self._changes:  # else it may be older than the last write
                self._tell(None if response is None else plain_values(names, response.values))

        self._call(self._list, ListParameters.Request(), on_list)

    def _tell(self, parameters: Parameters | None) -> None:
        if parameters is not None or self.newest is not None:
            self.newest = parameters
            self._on_read(parameters)

    def _call(self, client: Any, request: Any, then: Callable[[Any], None]) -> None:
        def on_done(future: Any) -> None:
            if self._waiting.pop(future, None):  # not yet timed out
                then(future.result())

        future = client.call_async(request)
        self._waiting[future] = (time.monotonic() + PATIENCE, client, then)
        future.add_done_callback(on_done)


def plain_values(names: Sequence[str], values: Sequence[ParameterValue]) -> Parameters:
    """Return values as plain Python, lists as such, by name."""
    read = {}
    for name, value in zip(names, values, strict=False):
        plain = parameter_value_to_python(value)
        is_plain = plain is None or isinstance(plain, (bool, int, float, str))
        read[name] = plain if is_plain else list(plain)
    return read
