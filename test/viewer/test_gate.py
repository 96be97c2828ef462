"""Who may open the page and what they may send: the page alone, without ROS or a browser."""

from __future__ import annotations

import contextlib
import gc
import http.client
import re
import socket
from itertools import product
from urllib.parse import urlsplit

import pytest
from harness import DEFAULT_TIMEOUT, wait_until
from wire import GRASP, packed, websocket_headers

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.viewer.gate import is_admitted
from ik2d_ros.viewer.page import Page
from ik2d_ros.viewer.parameters import ViewerSettings, free_port
from ik2d_ros.viewer.view import Act, Request


def ask(port, *headers, path='/', upgrade=False):
    """Send a request with just these headers; gives the status, the headers and the body."""
    lines = [f'GET {path} HTTP/1.1', *headers, *(websocket_headers() if upgrade else ())]
    with socket.create_connection(('127.0.0.1', port), DEFAULT_TIMEOUT) as connection:
        connection.sendall('\r\n'.join([*lines, '', '']).encode())
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        body = b'' if answer.status == 101 else answer.read(10_000)
        return answer.status, answer.headers, body.decode(errors='replace')


# --- origins and hosts -----------------------------------------------------------------------


def test_its_own_addresses_are_accepted(serve):
    port, names = serve().port, ('127.0.0.1', 'LocalHost', '[::1]')
    for name, has_origin, upgrade in product(names, (False, True), (False, True)):
        origin = [f'Origin: http://{name.lower()}:{port}'] * has_origin
        status, *_ = ask(port, f'Host: {name}:{port}', *origin, upgrade=upgrade)
        assert status == (101 if upgrade else 200)
    policy = ask(port, f'Host: 127.0.0.1:{port}')[1]['Content-Security-Policy']
    assert "connect-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize('upgrade', [False, True], ids=['http', 'websocket'])
def test_other_hosts_and_origins_are_refused(serve, upgrade):
    port = serve().port
    own, here = f'Host: 127.0.0.1:{port}', f'http://127.0.0.1:{port}'
    evil = f'http://evil.example:{port}'
    for headers in (
        [f'Host: evil.example:{port}'],  # a name that was bound to this address afterwards
        ['Host: evil.example'],
        [f'Host: 127.0.0.1.evil.example:{port}'],
        [f'Host: 192.0.2.1:{port}'],
        ['Host: 127.0.0.1:1'],
        ['Host: '],
        [],
        [own, 'Host: evil.example'],
        [own, f'Origin: {here}', 'Origin: null'],
        [f'Host: evil.example:{port}', f'Origin: {evil}'],
        *(
            [own, f'Origin: {origin}']
            for origin in (
                *('http://evil.example', evil, 'http://127.0.0.1:1', 'http://127.0.0.1'),
                *(f'https://127.0.0.1:{port}', 'null', 'file://', ''),
            )
        ),
    ):
        status, _, body = ask(port, *headers, upgrade=upgrade)
        assert status == 403
        assert here in body  # where to find it
    # The page of viser takes orders from wherever its own address says.
    for query in ('websocket=ws://evil.example', 'playbackPath=http://evil.example/x'):
        assert ask(port, own, path=f'/?{query}', upgrade=upgrade)[0] == 403


# --- the token -------------------------------------------------------------------------------


@pytest.mark.parametrize('upgrade', [False, True], ids=['http', 'websocket'])
def test_other_machines_learn_nothing_without_the_token_or_its_cookie(serve, upgrade):
    page = serve('two_bone', '0.0.0.0')
    port, query = page.port, urlsplit(page.address).query
    token, own = query.removeprefix('token='), f'Host: 127.0.0.1:{port}'
    assert len(token) >= 32
    assert urlsplit(serve('two_bone', '0.0.0.0').address).query != query
    expected = 101 if upgrade else 200
    status, headers, _ = ask(port, own, path=f'/?{query}', upgrade=upgrade)
    assert status == expected
    cookie, *attributes = headers['Set-Cookie'].split('; ')
    assert {'HttpOnly', 'SameSite=Strict'} <= set(attributes)
    for name in ('127.0.0.1', socket.gethostname(), 'robot.example'):  # by any name
        host = f'{name}:{port}'
        given = f'Host: {host}', f'Origin: http://{host}', f'Cookie: other=1; {cookie}'
        assert ask(port, *given, upgrade=upgrade)[0] == expected
    for path in ('/', '/?token=', f'/?token={token[:-1]}', f'/?token={token}x', '/?token=%ff'):
        status, headers, body = ask(port, own, path=path, upgrade=upgrade)
        assert status == 403
        assert 'ik2d_viewer' in body  # whose log tells it
        assert token not in body
        assert 'Set-Cookie' not in headers
    for cookie in ('a=b', f'ik2d_viewer_{port}=', f'ik2d_viewer_{port}=x', '"', '=', '\xff'):
        assert ask(port, own, f'Cookie: {cookie}', upgrade=upgrade)[0] == 403
    # A token is no pass for strangers.
    stranger = 'Origin: http://evil.example'
    assert ask(port, own, stranger, path=f'/?{query}', upgrade=upgrade)[0] == 403


# --- messages of open pages ------------------------------------------------------------------


def test_a_page_sets_values_of_controls_and_opens_no_tunnel_to_the_internet(
    serve, open_wire, monkeypatch
):
    import viser

    asked = []
    monkeypatch.setattr(viser.ViserServer, 'request_share_url', lambda *_: asked.append(True))
    served = serve()
    page = open_wire(served.address)
    uuid = page.control('Home')['uuid']
    page.send('ShareUrlRequest')
    for updates in ({'removed': True}, {'value': True, 'update_cb': []}, {}, {'props': None}, 7):
        page.send('GuiUpdateMessage', uuid=uuid, updates=updates)
    page.press('Home')
    page.wait(lambda: served.requested(Act.HOME) == [None], 'what was asked')
    assert asked == []
    for kind in ('FileTransferStartUpload', 'FileTransferPart'):
        assert not is_admitted(packed(kind, transfer_uuid='a', part_count=1, size_bytes=10**12))


STRANGE_VALUES = ('a word', [], {}, None, True, float('nan'), -1e300, [1, 'b'], 'x' * 10_000)
GARBAGE = (b'', b'\xc1', b'\xdd\xff\xff\xff\xff', 'a text')


def test_messages_of_any_kind_leave_other_pages_alive_and_the_log_short(
    serve, open_wire, capfd, caplog
):
    page = serve()
    other, wire = open_wire(page.address), open_wire(page.address)
    for uuid in wire.controls:
        for value in STRANGE_VALUES:
            wire.send('GuiUpdateMessage', uuid=uuid, updates={'value': value})
    rogue = open_wire(page.address)
    for message in (
        *(rogue.dragged(GRASP, 'update', place) for place in STRANGE_VALUES),
        *GARBAGE,
    ):
        # A page of its own: the server may close one after a value that it cannot read.
        open_wire(page.address).socket.send(message)
    with contextlib.suppress(ConnectionError):
        rogue.socket.send(1_000_000 * b'x')
    with pytest.raises(Exception, match=r'1009|too big'):
        rogue.wait(lambda: False, 'the end')
    wait_until(lambda: page.errors)
    page.requests.clear()
    other.press('Home')
    wait_until(lambda: Request(Act.HOME) in page.requests)
    gc.collect()  # tasks that failed tell so when they go
    assert all(len(error.splitlines()) == 1 for error in page.errors)
    assert caplog.records == []
    assert 'Traceback' not in ''.join(capfd.readouterr())


# --- a viser that is built otherwise ---------------------------------------------------------


def test_a_viser_that_cannot_be_guarded_is_not_served(viser, monkeypatch):
    import viser as package
    from websockets.asyncio import server

    real = server.serve

    class OtherViser(package.ViserServer):
        def __init__(self, **options):
            server.serve = real  # as if it had kept it from its own import
            super().__init__(**options)

    monkeypatch.setattr(package, 'ViserServer', OtherViser)
    with pytest.raises(ConfigError, match=re.escape(f'viser {package.__version__}')):
        Page(ViewerSettings(port=0), '/ik2d', print)
    assert server.serve is real


@pytest.mark.parametrize('host', ['203.0.113.1', 'no.such.host.invalid'])
def test_a_host_that_is_not_this_machine_is_refused(host):
    with pytest.raises(ConfigError, match='an address of this machine'):
        free_port(host, 8080)
