"""Access control for the page: viser itself has none.

The page can move a robot, so no other page open in the same browser may: not by cross-origin
requests, not by DNS rebinding, not by framing this page, and not by making it connect elsewhere.
viser serves with the library websockets, which supports the necessary checks, but viser does not
expose them: :func:`guarded` adds them where viser calls ``serve``.
"""

from __future__ import annotations

import contextlib
import hmac
import http
import ipaddress
import secrets
import socket
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.viewer.incoming import LARGEST_MESSAGE, listening, speaks_as_expected

LOOPBACK = ('127.0.0.1', 'localhost', '[::1]')
OPEN_TIMEOUT = 5.0  # s for a connection to send its request
CLOSE_TIMEOUT = 0.25  # s for the closing handshake, which delays the end of the viewer


@dataclass(frozen=True)
class Gate:
    """Who may connect.

    Attributes:
        host: address to listen on.
        token: required in the URL, or in the cookie that it sets; empty for none.
    """

    host: str
    token: str = ''

    def refusal(self, headers: Any, path: str, local: tuple[Any, ...]) -> str | None:
        """Return why a request is refused, or None if it is accepted.

        Args:
            headers: multi-valued mapping, as in websockets.
            path: requested path with its query.
            local: local address and port of the connection.
        """
        port, own = local[1], self._authorities(local)
        hosts, origins = headers.get_all('Host'), headers.get_all('Origin')
        here = f'the page is at http://{_bracketed(local[0])}:{port}'
        if len(hosts) != 1 or hosts[0].lower() not in own:
            return f'This host name is not allowed: {here}'
        if origins and (len(origins) > 1 or origins[0] not in {f'http://{name}' for name in own}):
            return f'This origin is not allowed: {here}'
        query = _query(path)
        if query.keys() - {'token'}:
            return f'Only a token is allowed in the address: {here}'
        if self.token and not any(map(self._is_token, self._tokens(headers, query, port))):
            return f'{here}/?token=... with the token that ik2d_viewer logs at start-up'
        return None

    def headers(self, path: str, local: tuple[Any, ...], host: str) -> Iterator[tuple[str, str]]:
        """Yield the headers of the response to an accepted request."""
        policy = f"connect-src 'self' ws://{host} data: blob:; frame-ancestors 'self'"
        yield 'Content-Security-Policy', f"{policy}; object-src 'none'; base-uri 'none'"
        yield 'X-Frame-Options', 'SAMEORIGIN'
        yield 'X-Content-Type-Options', 'nosniff'
        yield 'Cross-Origin-Resource-Policy', 'same-origin'
        yield 'Referrer-Policy', 'no-referrer'
        if self.token and 'token' in _query(path):
            # viser's page builds the websocket URL, without the token.
            cookie = f'{_cookie(local[1])}={self.token}; Path=/; HttpOnly; SameSite=Strict'
            yield 'Set-Cookie', cookie

    def _authorities(self, local: tuple[Any, ...]) -> frozenset[str]:
        names = {*LOOPBACK, _bracketed(self.host)}
        if self.token:  # names that other machines use for this one
            name = socket.gethostname()
            names |= {_bracketed(local[0]), name, f'{name}.local'}
        ports = (f':{local[1]}', '') if local[1] == 80 else (f':{local[1]}',)
        return frozenset(f'{name.lower()}{port}' for name in names for port in ports)

    def _tokens(self, headers: Any, query: Mapping[str, str], port: int) -> Iterator[str]:
        yield query.get('token', '')
        for cookies in headers.get_all('Cookie'):
            for cookie in cookies.split(';'):
                name, _, value = cookie.strip().partition('=')
                if name == _cookie(port):
                    yield value

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(errors='replace'), self.token.encode())


def gate_for(host: str) -> Gate:
    """Return the gate for an address, with a new token if other machines can connect."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):  # listening reports this error better
        found = []
    is_local = all(ipaddress.ip_address(place[0]).is_loopback for *_, place in found)
    return Gate(host, '' if is_local else secrets.token_urlsafe(32))


def guarded(gate: Gate, start: Callable[[], Any]) -> Any:
    """Start a ``viser.ViserServer`` behind a gate.

    Args:
        gate: who may connect.
        start: starts the server.

    Raises:
        ConfigError: this version of viser is not supported.
    """
    import viser  # noqa: PLC0415
    import websockets.asyncio.server as library  # noqa: PLC0415

    real, in_place = library.serve, []
    connection, hang_up = _hanging_up(listening(library.ServerConnection))

    def serve(*arguments: Any, process_request: Any = None, **options: Any) -> Any:
        in_place.append(process_request is not None)
        ours = {
            'process_request': partial(_process_request, gate, process_request),
            'process_response': partial(_process_response, gate),
            'create_connection': connection,
            'max_size': LARGEST_MESSAGE,
            'open_timeout': OPEN_TIMEOUT,
            'close_timeout': CLOSE_TIMEOUT,
        }
        return real(*arguments, **{**options, **ours})

    library.serve = serve  # type: ignore[assignment,misc]
    try:
        server = start()
    finally:
        library.serve = real  # type: ignore[misc]
    if not in_place or not all(in_place) or not speaks_as_expected():
        server.stop()
        raise ConfigError(
            f'the page cannot be protected with viser {viser.__version__}, '
            "and is not served: pip install 'viser>=1.1,<1.2'"
        )
    stop, server.stop = server.stop, lambda: (hang_up(), stop())
    return server


def _hanging_up(base: type) -> tuple[type, Callable[[], None]]:
    """Return a connection class and a function that closes connections without a request.

    The library would wait for these when it stops.
    """
    known: weakref.WeakSet[Any] = weakref.WeakSet()

    class Connection(base):  # type: ignore[misc]
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            known.add(self)

    def hang_up() -> None:
        for connection in list(known):
            if connection.request is None:
                with contextlib.suppress(RuntimeError):  # already stopped
                    connection.loop.call_soon_threadsafe(connection.transport.abort)

    return Connection, hang_up


def _process_request(gate: Gate, serve: Any, connection: Any, request: Any) -> Any:
    refusal = gate.refusal(request.headers, request.path, connection.local_address)
    if refusal is not None or serve is None:
        return connection.respond(403, f'{refusal}\n')
    return serve(connection, request)


def _process_response(gate: Gate, connection: Any, request: Any, response: Any) -> None:
    if response.status_code == http.HTTPStatus.FORBIDDEN:
        return
    for name, value in gate.headers(
        request.path, connection.local_address, request.headers['Host']
    ):
        response.headers[name] = value


def _query(path: str) -> dict[str, str]:
    return dict(parse_qsl(path.partition('?')[2], keep_blank_values=True))


def _cookie(port: int) -> str:
    """Return the cookie name: cookies ignore ports, and each viewer has its own token."""
    return f'ik2d_viewer_{port}'


def _bracketed(address: str) -> str:
    return f'[{address}]' if ':' in address else address
