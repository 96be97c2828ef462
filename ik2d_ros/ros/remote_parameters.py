"""The parameters of another node, through its parameter services; nothing here blocks."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.srv import GetParameters, ListParameters, SetParametersAtomically
from rclpy.node import Node
from rclpy.parameter import Parameter

Parameters = dict[str, object]
OnRead = Callable[['Parameters | None'], None]
OnWritten = Callable[['str | None'], None]

PATIENCE = 1.5  # s to wait for an answer


class RemoteParameters:
    """Reads and sets the parameters of a node that may come and go.

    A substitute for ``rclpy.parameter_client``, which ROS 2 Humble lacks. Use it from the thread
    that spins ``node``, and call :meth:`tick` periodically: it times out unanswered requests.
    """

    def __init__(self, node: Node, target: str) -> None:
        """Create clients; the name of the target is relative to the namespace of ``node``."""
        self._list = node.create_client(ListParameters, f'{target}/list_parameters')
        self._get = node.create_client(GetParameters, f'{target}/get_parameters')
        self._set = node.create_client(
            SetParametersAtomically, f'{target}/set_parameters_atomically'
        )
        self._waiting: dict[Any, tuple[float, Any, Callable[[Any], None]]] = {}

    def is_there(self) -> bool:
        """Return whether the parameter services of the node are available."""
        return all(client.service_is_ready() for client in (self._list, self._get, self._set))

    def read(self, then: OnRead) -> None:
        """Read all parameters; ``then`` gets them by name, or None on timeout."""

        def on_list(response: Any) -> None:
            if response is None:
                then(None)
                return
            names = list(response.result.names)
            self._call(
                self._get,
                GetParameters.Request(names=names),
                lambda answer: then(None if answer is None else _values(names, answer.values)),
            )

        self._call(self._list, ListParameters.Request(), on_list)

    def write(self, name: str, value: object, then: OnWritten) -> None:
        """Set a parameter; ``then`` gets None on success, else the reason of the refusal."""

        def on_set(response: Any) -> None:
            if response is None:
                then(f'Setting {name} to {value} failed: no answer in {PATIENCE:g} s.')
            else:
                then(None if response.result.successful else response.result.reason)

        parameter = Parameter(name, value=value).to_parameter_msg()
        self._call(self._set, SetParametersAtomically.Request(parameters=[parameter]), on_set)

    def tick(self) -> None:
        """Time out old requests."""
        now = time.monotonic()
        for future, (deadline, client, then) in list(self._waiting.items()):
            if now > deadline:
                del self._waiting[future]
                client.remove_pending_request(future)
                then(None)

    def _call(self, client: Any, request: Any, then: Callable[[Any], None]) -> None:
        def on_done(future: Any) -> None:
            if self._waiting.pop(future, None):  # not yet timed out
                then(future.result())

        future = client.call_async(request)
        self._waiting[future] = (time.monotonic() + PATIENCE, client, then)
        future.add_done_callback(on_done)


def _values(names: list[str], values: list[Any]) -> Parameters:
    read = {}
    for name, value in zip(names, values, strict=False):
        plain = Parameter.from_parameter_msg(ParameterMessage(name=name, value=value)).value
        is_plain = plain is None or isinstance(plain, (bool, int, float, str))
        read[name] = plain if is_plain else list(plain)
    return read
