"""Who may open the page, which can move a robot: viser itself lets everyone in.

No other page in the same browser may: not from its own origin, not by DNS rebinding, not in a
frame, and not by a link that makes this page connect elsewhere. viser has no public way to check
requests, so ``serve`` of the library websockets is replaced while viser starts.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

from ik2d_ros.parameters.checks import ConfigError

LOOPBACK = ('127.0.0.1', 'localhost', '[::1]')
MOST_PAGES = 32  # open at a time
LIMITS = {'max_size': 600_000, 'open_timeout': 2.0, 'close_timeout': 0.25}  # bytes, s, s
HEADERS = {
    'Content-Security-Policy': "connect-src 'self' data: blob:; frame-ancestors 'none'; "
    "object-src 'none'; base-uri 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
}


def refusal(headers: Any, path: str, port: int, token: str) -> str | None:
    """Return why a request is refused, or None if it is accepted.

    Args:
        headers: multi-valued mapping, as in websockets.
        path: requested path with its query.
        port: port of the page.
        token: required in the query or in a cookie; empty if only this machine can connect, which
            then has to call itself so.
    """
    hosts, origins = headers.get_all('Host'), headers.get_all('Origin')
    host, here = hosts[0].lower() if len(hosts) == 1 else '', f'http://127.0.0.1:{port}'
    if not host or not (token or host.removesuffix(f':{port}') in LOOPBACK):
        return f'This host name is not allowed: the page is at {here}'
    if any(origin.lower() != f'http://{host}' for origin in origins):
        return f'This origin is not allowed: the page is at {here}'
    query = parse_qsl(path.partition('?')[2], keep_blank_values=True)
    if any(name not in ('token', 'darkMode') for name, _ in query):
        return f'Only a token is allowed in the address: the page is at {here}'
    given = [_cookie(port, value) for name, value in query if name == 'token']
    given += [each.strip() for line in headers.get_all('Cookie') for each in line.split(';')]
    wanted = _cookie(port, token).encode()
    if token and not any(hmac.compare_digest(e.encode(errors='replace'), wanted) for e in given):
        return f'{here}/?token=... with the token that ik2d_viewer logs at start-up'
    return None


def is_admitted(data: Any) -> bool:
    """Return whether viser may have a message of a page: it would set anything, and keep files."""
    import msgspec  # noqa: PLC0415  # comes with viser

    try:
        message = msgspec.msgpack.decode(data)
    except msgspec.MsgspecError:
        return True  # viser ends the connection
    match message:
        case {'type': 'GuiUpdateMessage', 'updates': {'value': _, **others}}:
            return not others
        case {'type': 'GuiUpdateMessage' | 'FileTransferStartUpload' | 'FileTransferPart'}:
            return False
    return True


def guarded(start: Callable[[], Any], port: int, token: str) -> Any:
    """Start a ``viser.ViserServer`` that answers only what :func:`refusal` accepts.

    Raises:
        ConfigError: viser starts in a way that cannot be guarded.
    """
    import viser  # noqa: PLC0415
    import websockets.asyncio.server as library  # noqa: PLC0415

    class Connection(library.ServerConnection):
        async def recv(self, decode: bool | None = None) -> Any:
            while not is_admitted(data := await super().recv(decode)):
                pass
            return data

    real = library.serve
    answers: list[Any] = []

    def serve(*arguments: Any, process_request: Any = None, **options: Any) -> Any:
        def answer(connection: Any, request: Any) -> Any:
            reason = refusal(request.headers, request.path, port, token)
            if len(connection.server.connections) >= MOST_PAGES:
                reason = f'{MOST_PAGES} pages are open already'
            return (
                connection.respond(403, reason) if reason else process_request(connection, request)
            )

        def add_headers(_connection: Any, request: Any, response: Any) -> None:
            response.headers.update(HEADERS)
            if token and '?token=' in request.path and response.status_code != 403:
                cookie = f'{_cookie(port, token)}; Path=/; HttpOnly; SameSite=Strict'
                response.headers['Set-Cookie'] = cookie

        answers.append(process_request)
        ours: dict[str, Any] = {'process_request': answer, 'process_response': add_headers}
        ours['create_connection'] = Connection
        return real(*arguments, **{**options, **ours, **LIMITS})

    library.serve = serve  # type: ignore[assignment,misc]
    try:
        server = start()
    finally:
        library.serve = real  # type: ignore[misc]
    if not answers or None in answers:
        server.stop()
        raise ConfigError(f'the page cannot be protected with viser {viser.__version__}')
    return server


def _cookie(port: int, token: str) -> str:
    return f'ik2d_viewer_{port}={token}'  # cookies ignore ports; each viewer has its own
