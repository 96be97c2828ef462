"""The parameters of ``ik2d_viewer``, and its address and port; no ROS imports."""

from __future__ import annotations

import errno
import ipaddress
import socket
from dataclasses import dataclass

from ik2d_ros.parameters.checks import ConfigError, Text, Whole
from ik2d_ros.parameters.table import Table, rows_of, setting

HOST = '127.0.0.1'  # this machine only, by default
HIGHEST_PORT = 65535
PORTS_TRIED = 20

_NAME = Text(pattern='/?[A-Za-z][A-Za-z0-9_]*(/[A-Za-z][A-Za-z0-9_]*)*')


def _node(default: str, description: str) -> str:
    allowed = 'the name of a node, such as ik2d or /robot1/ik2d'
    node: str = setting(default, _NAME, description, None, allowed=allowed)
    return node


@dataclass(frozen=True)
class ViewerSettings:
    """Settings of the viewer; the rows describe the fields."""

    host: str = setting(
        HOST, Text(), 'Address to listen on; 0.0.0.0 lets other machines connect', None
    )
    port: int = setting(
        8080,
        Whole(least=0, most=HIGHEST_PORT),
        'Port to listen on; if taken, the next free one',
        None,
        allowed=f'a whole number from 0 to {HIGHEST_PORT}, 0 for any free port',
    )
    node: str = _node('ik2d', "Name of the ik2d_node to show, relative to the viewer's namespace")
    target_node: str = _node('ik2d_target', 'Name of the ik2d_target that the page pauses')
    measured_topic: str = setting(
        'measured_joint_states',
        _NAME,
        'Topic of measured joint_states, which are shown as a ghost of the arm',
        None,
        allowed='the name of a topic, such as measured_joint_states or /joint_states',
    )


PARAMETERS = Table(rows_of(ViewerSettings))
"""Every parameter of ``ik2d_viewer``; all are fixed at start-up."""

settings_from_parameters = PARAMETERS.judge(ViewerSettings)


def free_port(host: str, port: int) -> int:
    """Return the given port or the next free one.

    Raises:
        ConfigError: this machine has no such address, or no port is free.
    """
    family = socket.AF_INET6 if ':' in host else socket.AF_INET
    for candidate in range(port, min(port + PORTS_TRIED, HIGHEST_PORT + 1) if port else 1):
        try:
            with socket.create_server((host, candidate), family=family) as probe:
                return int(probe.getsockname()[1])
        except (OSError, UnicodeError) as error:  # noqa: PERF203
            if getattr(error, 'errno', None) not in (errno.EADDRINUSE, errno.EACCES):
                raise ConfigError(
                    f"parameter 'host' is '{host}', where this machine cannot listen ({error}); it "
                    'must be an address of this machine: 127.0.0.1 for this machine only, 0.0.0.0 '
                    'for others too'
                ) from None
    raise ConfigError(
        f"parameter 'port' is {port}; that port and the next {PORTS_TRIED - 1} are taken or not "
        'permitted on this machine: choose another one'
    )


def is_loopback(host: str) -> bool:
    """Return whether only this machine can connect to an address; True if there is no such one."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):  # listening reports this error better
        found = []
    return all(ipaddress.ip_address(place[0]).is_loopback for *_, place in found)


def url(host: str, port: int, token: str = '') -> str:
    """Return the URL of the page for a browser on this machine, with the token if any."""
    everywhere = {'0.0.0.0': '127.0.0.1', '::': '[::1]'}  # noqa: S104  # only named, not bound
    name = everywhere.get(host, f'[{host}]' if ':' in host else host)
    return f'http://{name}:{port}' + (f'/?token={token}' if token else '')
