"""Other nodes: their parameters, through their services, and their topics; nothing here blocks."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import GetParameters, ListParameters, SetParametersAtomically
from rclpy.node import Node
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.topic_endpoint_info import TopicEndpointInfo

Parameters = dict[str, object]

READ_PERIOD = 0.5  # s between reads, which also show that the node is alive
PATIENCE = 1.5  # s to wait for an answer
UNKNOWN = '_NODE_NAME_UNKNOWN_'  # in rmw


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

    def forget(self) -> None:
        """Forget what was read, and read anew at the next tick."""
        self._changes += 1
        self.newest, self._next_read = None, 0.0

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
            if changes != self._changes:
                return  # it may be older than the last write
            values = () if response is None else map(_plain, response.values)
            self._tell(None if response is None else dict(zip(names, values, strict=False)))

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


def _plain(value: ParameterValue) -> object:
    """Return a value as plain Python, a list as such."""
    plain = parameter_value_to_python(value)
    is_plain = plain is None or isinstance(plain, (bool, int, float, str))
    return plain if is_plain else list(plain)


def owner_subscriptions(node: Node, topic: str) -> tuple[frozenset[tuple[int, ...]], bool]:
    """Return who of the node after which a topic is named in full subscribes, and if all are named.

    Tools that look on may subscribe, too, maybe with a type that nobody sends. A subscription is
    found before the name of its node.
    """
    owner, ends = topic.rpartition('/')[0], node.get_subscriptions_info_by_topic(topic)
    of_owner = frozenset(tuple(each.endpoint_gid) for each in ends if _full_name(each) == owner)
    return of_owner, not any(UNKNOWN in each.node_name for each in ends)


def other_publishers(node: Node, topic: str) -> list[str]:
    """Return the full names of all nodes that publish a topic, but for one's own.

    A publisher is found before the name of its node: until all are known, there are none.
    """
    names = sorted(map(_full_name, node.get_publishers_info_by_topic(topic)))
    if (own := node.get_fully_qualified_name()) in names:
        names.remove(own)  # once: another one may have the same name
    return [] if any(UNKNOWN in name for name in names) else names


def _full_name(end: TopicEndpointInfo) -> str:
    return f'{end.node_namespace.rstrip("/")}/{end.node_name}'
